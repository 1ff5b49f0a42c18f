"""A photo as something Kivy can draw."""

from __future__ import annotations

from kivy.graphics.texture import Texture

from companion.app.reader import Picture


class Shot:
    """A picture at as many sizes as it came in; each is handed to the graphics card when it is first wanted.

    To have the card shrink a large picture by itself (mipmaps) costs several frames where there is no real card.
    """

    def __init__(self, picture: Picture) -> None:
        self.width, self.height = picture.width, picture.height
        self._levels = [picture.rgb, *picture.smaller]
        self._textures: dict[int, Texture] = {}

    def at(self, width: float) -> Texture:
        """The picture for being drawn this wide: the smallest size that need not be enlarged."""
        level = 0
        while level + 1 < len(self._levels) and self.width >> (level + 1) >= width:
            level += 1
        if level not in self._textures:
            texture = Texture.create(size=(self.width >> level, self.height >> level), colorfmt="rgb")
            texture.blit_buffer(self._levels[level], colorfmt="rgb", bufferfmt="ubyte")
            texture.flip_vertical()
            self._textures[level] = texture
        return self._textures[level]

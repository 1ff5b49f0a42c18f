"""Webcam: aim with a live picture, then take the photo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kivy.clock import mainthread
from kivy.graphics import Color, Rectangle
from kivy.graphics.texture import Texture
from kivy.properties import BooleanProperty, StringProperty
from kivy.uix.widget import Widget

from companion.app.reader import Picture
from companion.app.webcam import Webcam
from companion.app.widgets import load_kv
from companion.app.widgets.page import Page
from companion.app.words import _, error_text
from companion.errors import CompanionError


class LiveView(Widget):
    """The latest frame."""

    def __init__(self, **kwargs: Any) -> None:
        self._texture: Texture | None = None
        super().__init__(**kwargs)
        self.bind(pos=self._lay, size=self._lay)
        with self.canvas:
            self._tint = Color(1, 1, 1, 0)
            self._sheet = Rectangle()

    def show(self, picture: Picture) -> None:
        """One texture serves all frames: only its pixels change."""
        size = picture.width, picture.height
        if self._texture is None or self._texture.size != size:
            self._texture = Texture.create(size=size, colorfmt="rgb")
            self._texture.flip_vertical()
            self._sheet.texture = self._texture
            self._tint.a = 1
        self._texture.blit_buffer(picture.rgb, colorfmt="rgb", bufferfmt="ubyte")
        self._lay()
        self.canvas.ask_update()

    def _lay(self, *_: Any) -> None:
        if self._texture is None:
            return
        width, height = self._texture.size
        scale = min(self.width / width, self.height / height)
        self._sheet.size = width * scale, height * scale
        self._sheet.pos = self.center_x - width * scale / 2, self.center_y - height * scale / 2


class WebcamPage(Page):
    """A live picture and one button."""

    step = StringProperty("photo")
    live = BooleanProperty(False)
    taking = BooleanProperty(False)
    say = StringProperty("")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.say = _("Waking the webcam…")
        self.camera: Webcam = self.app.ports.webcam(self.app.desk, self.app.store.photos)
        self.camera.start(self._frame, self._done)

    @mainthread
    def _frame(self, picture: Picture) -> None:
        if self.app.page is self:
            self.ids.view.show(picture)
            self.live = True
            self.say = _("The whole board in the picture, all four corners.")

    @mainthread
    def _done(self, photo: Path | CompanionError) -> None:
        if self.app.page is not self:
            return
        if isinstance(photo, CompanionError):
            self.live = self.taking = False
            self.say = error_text(photo)
        else:
            self.app.show("photo", take=str(photo), more=self.given.get("more", False))

    def take(self) -> None:
        if self.live and not self.taking:
            self.taking = True
            self.camera.take()

    def leave(self) -> None:
        self.app.show("photo", "right", more=self.given.get("more", False))

    def on_leave(self, *_: Any) -> None:
        if not self.taking:
            self.camera.stop()

    def enter(self) -> bool:
        self.take()
        return True

    def back(self) -> bool:
        self.taking = False
        self.leave()
        return True


load_kv(__file__)
Screen = WebcamPage

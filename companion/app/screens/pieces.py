"""Pieces: point at one of each colour on a photo, and the reader knows them again."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from kivy.clock import mainthread
from kivy.graphics import Color, Rectangle
from kivy.metrics import dp
from kivy.properties import BooleanProperty, ListProperty, ObjectProperty, StringProperty
from kivy.uix.widget import Widget

from calibration.editing import Rgb
from companion.app.calibrator import at_desk
from companion.app.reader import Picture, open_aside
from companion.app.screens.edit import BenchPage
from companion.app.theme import theme
from companion.app.widgets import load_kv
from companion.app.widgets.basics import Tap
from companion.app.widgets.browser import pick_photo
from companion.app.widgets.glass import ACROSS, draw_glass
from companion.app.widgets.picture import Shot
from companion.app.words import _, color_name, error_text
from companion.check import PRINTED
from companion.errors import CompanionError

NAMES = tuple(color for color in PRINTED if color != "gray")


class PieceTab(Tap):
    """A colour to be shown; `seen` is what its piece looked like."""

    piece = StringProperty("")
    on = BooleanProperty(False)
    seen = ListProperty([0, 0, 0, 0])


class PhotoView(Widget):
    """A photo to point at: a glass shows what lies under the finger until it is lifted."""

    picture: Any = ObjectProperty(None, allownone=True)
    spots = ListProperty([])
    __events__ = ("on_spot",)

    def __init__(self, **kwargs: Any) -> None:
        self.shot: Shot | None = None
        self._held: tuple[float, float] | None = None
        super().__init__(**kwargs)
        self.bind(pos=self._draw, size=self._draw, spots=self._draw)

    def on_picture(self, *_: Any) -> None:
        self.shot = Shot(self.picture) if self.picture else None
        self._draw()

    def frame(self) -> tuple[float, float, float, float]:
        """Where the photo lies in the window: x, y, width, height."""
        scale = min(self.width / self.picture.width, self.height / self.picture.height)
        width, height = self.picture.width * scale, self.picture.height * scale
        return self.center_x - width / 2, self.center_y - height / 2, width, height

    def on_touch_down(self, touch: Any) -> bool:
        if self.shot is None or not self.collide_point(*touch.pos) or touch.is_mouse_scrolling:
            return bool(super().on_touch_down(touch))
        touch.grab(self)
        self._look(touch)
        return True

    def on_touch_move(self, touch: Any) -> bool:
        if touch.grab_current is not self:
            return bool(super().on_touch_move(touch))
        self._look(touch)
        return True

    def on_touch_up(self, touch: Any) -> bool:
        if touch.grab_current is not self:
            return bool(super().on_touch_up(touch))
        touch.ungrab(self)
        self._held = None
        self._draw()
        x, y, width, height = self.frame()
        u, v = (touch.x - x) / width, 1 - (touch.y - y) / height
        if 0 <= u <= 1 and 0 <= v <= 1:
            self.dispatch("on_spot", u, v)
        return True

    def _look(self, touch: Any) -> None:
        self._held = touch.pos
        self._draw()

    def on_spot(self, u: float, v: float) -> None:
        """A point of the photo was tapped, in shares of its width and height."""

    def _draw(self, *_: Any) -> None:
        self.canvas.clear()
        if self.shot is None or self.width < dp(40):
            return
        x, y, width, height = self.frame()
        with self.canvas:
            Color(1, 1, 1, 1)
            Rectangle(texture=self.shot.at(width), pos=(x, y), size=(width, height))
            for u, v, piece in self.spots:
                at = x + u * width, y + (1 - v) * height
                for size, color in ((dp(20), theme.paper), (dp(16), theme.piece(piece)), (dp(5), theme.on_piece(piece))):
                    Color(*color)
                    Rectangle(source=theme.art("dot"), pos=(at[0] - size / 2, at[1] - size / 2), size=(size, size))
            if self._held is not None:
                across = dp(ACROSS)
                aside = self.x + across / 2 + dp(8) if self._held[0] > self.center_x else self.right - across / 2 - dp(8)
                draw_glass(self.shot, (x, y, width, height), self._held, (aside, self.top - across / 2 - dp(8)))


class PiecesPage(BenchPage):
    """One tap on a piece of each colour."""

    ready = BooleanProperty(False)
    say = StringProperty("")
    current = StringProperty("")
    taught = BooleanProperty(False)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.photo: Path | None = None
        self.seen: dict[str, Rgb] = {}
        self._points: dict[str, tuple[float, float]] = {}
        known = list(self.editing.board.rules.colors)
        for color in [*known, *(c for c in NAMES if c not in known)]:
            tab = PieceTab(piece=color)
            tab.bind(on_release=lambda t: self.choose(t.piece))
            self.ids.tabs.add_widget(tab)
        self.ids.view.bind(on_spot=lambda _, u, v: self.point(u, v))
        self.choose(known[0])

    def refresh(self) -> None:
        for tab in self.ids.tabs.children:
            tab.on = tab.piece == self.current
            rgb = self.seen.get(tab.piece)
            tab.seen = [*(c / 255 for c in rgb), 1] if rgb else [0, 0, 0, 0]
        self.ids.view.spots = [(u, v, color) for color, (u, v) in self._points.items()]
        self.taught = len(self.seen) >= 2
        name = color_name(self.current)
        self.say = _("Tap a {color} piece on the photo.", color=name) if self.ready else ""

    def choose(self, color: str) -> None:
        self.current = color
        self.refresh()

    def pick(self) -> None:
        pick_photo(self.app, self.open)

    def dropped(self, path: Path) -> None:
        self.open(path)

    def open(self, photo: Path) -> None:
        self.photo, self.seen, self._points = photo, {}, {}
        open_aside(self.app.reader, photo, self._opened)

    @mainthread
    def _opened(self, picture: Picture | CompanionError) -> None:
        if self.app.page is not self:
            return
        if isinstance(picture, CompanionError):
            self.app.tell(error_text(picture))
            return
        self.ids.view.picture = picture
        self.ready = True
        self.refresh()

    def point(self, u: float, v: float) -> None:
        """Learn the colour in hand from this spot, and go on to the next that is not known yet."""
        assert self.photo is not None
        color = self.current
        self._points[color] = (u, v)
        at_desk(self.app.desk, "piece_at", self.photo, (u, v), stage=lambda stage: None, done=partial(self._learnt, color))
        waiting = [c for c in self.editing.board.rules.colors if c not in self._points]
        self.choose(waiting[0] if waiting else color)

    @mainthread
    def _learnt(self, color: str, rgb: Rgb | CompanionError) -> None:
        if isinstance(rgb, CompanionError):
            self._points.pop(color, None)
            self.app.tell(error_text(rgb))
        else:
            self.seen[color] = rgb
        self.refresh()

    def done(self) -> None:
        if len(self.seen) >= 2:
            self.change(lambda: self.editing.teach(self.seen))
        self.app.show("tryout")

    def enter(self) -> bool:
        self.done()
        return True

    def back(self) -> bool:
        self.app.show("rules", "right")
        return True


load_kv(__file__)
Screen = PiecesPage

"""Corners: when the board was not found, the person shows where it lies."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from kivy.clock import mainthread
from kivy.graphics import Color, Rectangle, SmoothLine
from kivy.metrics import dp
from kivy.properties import BooleanProperty, ObjectProperty, StringProperty
from kivy.uix.widget import Widget

from companion.app.reader import Picture, open_aside
from companion.app.theme import theme
from companion.app.widgets import load_kv
from companion.app.widgets.glass import ACROSS, draw_glass
from companion.app.widgets.page import Page
from companion.app.widgets.picture import Shot
from companion.app.words import _, error_text
from companion.errors import CompanionError

START = ((0.12, 0.12), (0.88, 0.12), (0.88, 0.88), (0.12, 0.88))
REACH = 40
"""A finger takes the corner that is nearest, if one is this near (dp)."""


class CornerView(Widget):
    """The photo with four corners to drag, and a magnifier while one is held."""

    picture: Any = ObjectProperty(None, allownone=True)

    def __init__(self, **kwargs: Any) -> None:
        self.corners = [list(spot) for spot in START]
        self.held: int | None = None
        self.shot: Shot | None = None
        super().__init__(**kwargs)
        self.bind(pos=self._draw, size=self._draw)

    def on_picture(self, *_: Any) -> None:
        self.shot = Shot(self.picture)
        self._draw()

    def _frame(self) -> tuple[float, float, float, float]:
        """Where the photo lies in the window: x, y, width, height."""
        picture: Picture = self.picture
        scale = min((self.width - dp(24)) / picture.width, (self.height - dp(24)) / picture.height)
        width, height = picture.width * scale, picture.height * scale
        return self.center_x - width / 2, self.center_y - height / 2, width, height

    def spot(self, number: int) -> tuple[float, float]:
        """A corner in the window."""
        x, y, width, height = self._frame()
        u, v = self.corners[number]
        return x + u * width, y + (1 - v) * height

    def found(self) -> list[tuple[float, float]]:
        """The corners in pixels of the full upright photo."""
        picture: Picture = self.picture
        size = picture.width * picture.scale, picture.height * picture.scale
        return [(u * size[0], v * size[1]) for u, v in self.corners]

    def on_touch_down(self, touch: Any) -> bool:
        if self.picture is None or not self.collide_point(*touch.pos):
            return False
        nearest = min(range(4), key=lambda n: math.dist(self.spot(n), touch.pos))
        if math.dist(self.spot(nearest), touch.pos) > dp(REACH):
            return False
        self.held = nearest
        touch.grab(self)
        self._draw()
        return True

    def on_touch_move(self, touch: Any) -> bool:
        if touch.grab_current is not self or self.held is None:
            return False
        *_, width, height = self._frame()
        u, v = self.corners[self.held]
        self.corners[self.held] = [
            min(max(u + touch.dx / width, 0.0), 1.0),
            min(max(v - touch.dy / height, 0.0), 1.0),
        ]
        self._draw()
        return True

    def on_touch_up(self, touch: Any) -> bool:
        if touch.grab_current is not self:
            return False
        touch.ungrab(self)
        self.held = None
        self._draw()
        return True

    def _draw(self, *_: Any) -> None:
        self.canvas.clear()
        if self.shot is None or self.width < dp(60):
            return
        x, y, width, height = self._frame()
        spots = [self.spot(n) for n in range(4)]
        with self.canvas:
            Color(1, 1, 1, 1)
            Rectangle(texture=self.shot.at(width), pos=(x, y), size=(width, height))
            Color(*theme.paper)
            SmoothLine(points=[v for s in spots for v in s], width=dp(2.6), close=True)
            Color(*theme.brass)
            SmoothLine(points=[v for s in spots for v in s], width=dp(1.4), close=True)
            for number, (sx, sy) in enumerate(spots):
                size = dp(30) if number == self.held else dp(24)
                Color(*theme.paper)
                Rectangle(source=theme.art("dot"), pos=(sx - size / 2, sy - size / 2), size=(size, size))
                Color(*theme.brass)
                Rectangle(
                    source=theme.art("dot"),
                    pos=(sx - size / 2 + dp(2), sy - size / 2 + dp(2)),
                    size=(size - dp(4), size - dp(4)),
                )
                Color(*theme.paper)
                Rectangle(source=theme.art("dot"), pos=(sx - dp(3), sy - dp(3)), size=(dp(6), dp(6)))
            if self.held is not None:
                self._magnify(self.held)

    def _magnify(self, number: int) -> None:
        """A round glass, away from the finger, with a cross where the corner is."""
        assert self.shot is not None
        sx, sy = self.spot(number)
        across = dp(ACROSS)
        aside = self.x + dp(10) + across / 2 if sx > self.center_x else self.right - across / 2 - dp(10)
        draw_glass(self.shot, self._frame(), (sx, sy), (aside, self.top - across / 2 - dp(10)))


class CornersPage(Page):
    """Four corners by hand."""

    step = StringProperty("photo")
    ready = BooleanProperty(False)
    why = StringProperty("")
    for_game = BooleanProperty(True)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.for_game = not self.given.get("onward")
        self.why = str(self.given["why"]) if self.given.get("why") else _("I did not find the board.")
        self.photos = [Path(p) for p in self.given["photos"]]
        open_aside(self.app.reader, self.photos[0], self._opened)

    @mainthread
    def _opened(self, picture: Picture | CompanionError) -> None:
        if isinstance(picture, CompanionError):
            self.app.tell(error_text(picture))
            return
        self.ids.view.picture = picture
        self.ready = True

    def done(self) -> None:
        if self.ready and self.given.get("onward"):
            self.app.show("calibrate", corners=self.ids.view.found(), **self.given["onward"])
        elif self.ready:
            self.app.show("photo", photos=[str(p) for p in self.photos], corners=self.ids.view.found())

    def enter(self) -> bool:
        self.done()
        return True

    def by_hand(self) -> None:
        self.app.show("boards" if self.given.get("onward") else "review")

    def back(self) -> bool:
        self.app.show("boards" if self.given.get("onward") else "photo", "right")
        return True


load_kv(__file__)
Screen = CornersPage

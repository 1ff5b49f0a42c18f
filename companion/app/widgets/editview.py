"""The board while it is put right: what is chosen carries handles, and a finger drags them."""

from __future__ import annotations

import math
from typing import Any

from kivy.graphics import Canvas, Color, PopMatrix, PushMatrix, Rectangle, Rotate
from kivy.metrics import dp
from kivy.properties import BooleanProperty, NumericProperty, StringProperty

from companion.app.theme import theme
from companion.app.widgets import boardart as art
from companion.app.widgets.board import BoardView
from companion.app.widgets.glass import ACROSS, draw_glass

REACH = 30
"""A finger takes the handle that is nearest, if one is this near (dp)."""


class EditView(BoardView):
    """`chosen` is a route or a city; `picked` is one of the chosen route's spaces. While `placing`, a tap gives a spot."""

    chosen = StringProperty("")
    picked = NumericProperty(-1)
    placing = BooleanProperty(False)
    __events__ = ("on_moved", "on_grip", "on_spot")

    def __init__(self, **kwargs: Any) -> None:
        self._held: int | None = None
        self._from = (0.0, 0.0)
        self._ghost = Canvas()
        super().__init__(**kwargs)
        self.canvas.after.add(self._ghost)
        for name in ("chosen", "picked"):
            self.fbind(name, lambda *_: self._redraw())

    def handles(self) -> list[tuple[float, float]]:
        """Where the chosen thing can be held, in the window: a route's spaces one after the other, or the city."""
        if self.plan is None or not self.chosen:
            return []
        board = self.plan.board
        if self.chosen in board.cities:
            return [self.city_point(self.chosen)]
        if self.chosen in board.routes:
            return [self.to_screen(*self.plan.space(s)[:2]) for s in board.routes[self.chosen].spaces]
        return []

    def _draw(self, *args: Any) -> None:
        super()._draw(*args)
        if self.plan is None or not self.chosen:
            return
        plan, board = self.plan, self.plan.board
        with self._drawing:
            art.draw_pointed(plan, self.chosen)
            if self.chosen in board.routes:
                for number, space in enumerate(board.routes[self.chosen].spaces):
                    dots = art.Quads()
                    size = plan.short * (0.95 if number == self.picked else 0.5)
                    dots.add(*plan.space(space)[:2], size, size)
                    dots.draw("dot", theme.brass)
            elif self.chosen in board.cities:
                dots = art.Quads()
                dots.add(*plan.city(board.cities[self.chosen]), plan.city_size * 0.8, plan.city_size * 0.8)
                dots.draw("dot", theme.brass)

    # dragging

    def on_touch_down(self, touch: Any) -> bool:
        handles = self.handles()
        if handles and self.collide_point(*touch.pos) and not touch.is_mouse_scrolling and not self._fingers:
            nearest = min(range(len(handles)), key=lambda n: math.dist(handles[n], touch.pos))
            if math.dist(handles[nearest], touch.pos) <= dp(REACH):
                touch.grab(self)
                self._held, self._from = nearest, handles[nearest]
                return True
        return bool(super().on_touch_down(touch))

    def on_touch_move(self, touch: Any) -> bool:
        if touch.grab_current is self and self._held is not None:
            if math.dist(touch.pos, touch.opos) >= dp(6):
                self._show_ghost(self._goal(touch))
            return True
        return bool(super().on_touch_move(touch))

    def on_touch_up(self, touch: Any) -> bool:
        if touch.grab_current is not self or self._held is None:
            if touch.grab_current is self and self.placing and not self._moved and len(self._fingers) == 1:
                touch.ungrab(self)
                self._fingers = []
                self.dispatch("on_spot", *self._share(*touch.pos))
                return True
            return bool(super().on_touch_up(touch))
        touch.ungrab(self)
        held, self._held = self._held, None
        self._ghost.clear()
        if math.dist(touch.pos, touch.opos) < dp(6):
            self.dispatch("on_grip", held)
        else:
            self.dispatch("on_moved", held, *self._share(*self._goal(touch)))
        return True

    def _goal(self, touch: Any) -> tuple[float, float]:
        """Where the handle is dragged to: the finger may hold it beside its middle."""
        return self._from[0] + touch.x - touch.ox, self._from[1] + touch.y - touch.oy

    def _share(self, x: float, y: float) -> tuple[float, float]:
        """A point of the window in shares of the board, from its upper left corner."""
        assert self.plan is not None
        bx, by = self.to_board(x, y)
        return bx / art.WIDTH, 1 - by / self.plan.height

    def _show_ghost(self, at: tuple[float, float]) -> None:
        """What is dragged, where it would come to lie, and a glass over the place the finger hides."""
        assert self.plan is not None and self._held is not None
        plan, route = self.plan, self.plan.board.routes.get(self.chosen)
        size = (plan.city_size * 2 * self.scale,) * 2
        turn = 0.0
        if route is not None:
            size = plan.long * 1.1 * self.scale, plan.short * 1.3 * self.scale
            turn = math.degrees(plan.space(route.spaces[self._held])[2])
        name = "rim" if route is not None else "halo"
        self._ghost.clear()
        with self._ghost:
            _put(name, at, size, turn)
            if self.photo is not None:
                across = dp(ACROSS)
                aside = self.x + across / 2 + dp(8) if at[0] > self.center_x else self.right - across / 2 - dp(8)
                middle = aside, self.top - across / 2 - dp(8)
                frame = (*self.to_screen(0, 0), art.WIDTH * self.scale, plan.height * self.scale)
                draw_glass(self.photo, frame, at, middle, 2.0)
                _put(name, middle, (size[0] * 2, size[1] * 2), turn)

    def on_moved(self, number: int, x: float, y: float) -> None:
        """A handle was dragged there, in shares of the board."""

    def on_grip(self, number: int) -> None:
        """A handle was tapped."""

    def on_spot(self, x: float, y: float) -> None:
        """An empty place was tapped, in shares of the board."""


def _put(name: str, at: tuple[float, float], size: tuple[float, float], turn: float) -> None:
    """One of our pictures around a point, into the canvas that is open."""
    Color(*theme.brass)
    PushMatrix()
    Rotate(angle=turn, origin=at)
    Rectangle(pos=(at[0] - size[0] / 2, at[1] - size[1] / 2), size=size, texture=art.picture(name))
    PopMatrix()

"""The board on the screen: drawn or photographed, to be moved, enlarged and tapped."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kivy.animation import Animation
from kivy.clock import Clock
from kivy.core.text import Label as CoreLabel
from kivy.graphics import Canvas, Color, MatrixInstruction, PopMatrix, PushMatrix, Rectangle
from kivy.graphics.texture import Texture
from kivy.graphics.transformation import Matrix
from kivy.metrics import dp
from kivy.properties import BooleanProperty, NumericProperty, ObjectProperty, StringProperty
from kivy.uix.stencilview import StencilView

from companion.app.theme import theme
from companion.app.widgets import boardart as art
from companion.board import Board

MOST_ZOOM = 9.0
LEAST_SPACE = 9
"""A space narrower than this (dp) is too small for a finger."""
NAME_SIZE = 1.6
"""Names are lettered this much larger than small print, then shown smaller when the board is far away."""


class BoardView(StencilView):
    """A board with what lies on it.

    `lit` routes shine and the rest steps back; `missing` ones are outlined; `asked` routes and cities carry a ring,
    and the one that is `pointed` at a bold one.
    """

    board: Any = ObjectProperty(None, allownone=True)
    claims: Any = ObjectProperty({})
    stations: Any = ObjectProperty({})
    lit: Any = ObjectProperty(())
    missing: Any = ObjectProperty(())
    asked: Any = ObjectProperty(())
    marked: Any = ObjectProperty(())
    pointed = StringProperty("")
    photo: Any = ObjectProperty(None, allownone=True)
    zoom = NumericProperty(1.0)
    still = BooleanProperty(False)
    bare = BooleanProperty(False)
    pulse = NumericProperty(0.0)
    __events__ = ("on_route", "on_city", "on_nothing")

    def __init__(self, **kwargs: Any) -> None:
        self.centre = (0.5, 0.5)
        self.plan: art.Plan | None = None
        self._names: list[tuple[str, Rectangle]] = []
        self._lettered: set[str] = set()
        self._fingers: list[Any] = []
        self._moved = False
        self._spread = 0.0
        self._train: Any = None
        self._sheet: Rectangle | None = None
        self._wanted: Callable[[], None] | None = None
        super().__init__(**kwargs)
        with self.canvas:
            PushMatrix()
            self._matrix = MatrixInstruction()
            self._drawing = Canvas()
            PopMatrix()
            self._labels = Canvas()
        self._redraw = Clock.create_trigger(self._draw, -1)
        self._place = Clock.create_trigger(self._lay, -1)
        for name in ("board", "claims", "stations", "lit", "missing", "asked", "marked", "pointed", "photo", "bare"):
            self.fbind(name, lambda *_: self._redraw())
        for name in ("pos", "size", "zoom"):
            self.fbind(name, lambda *_: self._place())
        self.fbind("size", lambda *_: self._wanted and self._wanted())
        self._redraw()

    # where things are

    @property
    def fit(self) -> float:
        """Pixels per board unit when the whole board is in view."""
        if self.plan is None or self.width < 2 or self.height < 2:
            return 1.0
        edge = dp(6)
        return max(0.02, min((self.width - 2 * edge) / art.WIDTH, (self.height - 2 * edge) / self.plan.height))

    @property
    def scale(self) -> float:
        return float(self.fit * self.zoom)

    def to_board(self, x: float, y: float) -> tuple[float, float]:
        """A point of the window in board units."""
        assert self.plan is not None
        return (
            (x - self.center_x) / self.scale + self.centre[0] * art.WIDTH,
            (y - self.center_y) / self.scale + self.centre[1] * self.plan.height,
        )

    def to_screen(self, x: float, y: float) -> tuple[float, float]:
        """A point in board units in the window."""
        assert self.plan is not None
        return (
            self.center_x + (x - self.centre[0] * art.WIDTH) * self.scale,
            self.center_y + (y - self.centre[1] * self.plan.height) * self.scale,
        )

    def route_point(self, route_id: str) -> tuple[float, float]:
        """Where a route's middle space appears in the window."""
        assert self.plan is not None
        spaces = self.plan.board.routes[route_id].spaces
        x, y, _ = self.plan.space(spaces[len(spaces) // 2])
        return self.to_screen(x, y)

    def city_point(self, city_id: str) -> tuple[float, float]:
        assert self.plan is not None
        return self.to_screen(*self.plan.city(self.plan.board.cities[city_id]))

    def nearest(self, x: float, y: float) -> tuple[str | None, list[str]]:
        """The city under a point of the window, and the routes under it, nearest first."""
        if self.plan is None:
            return None, []
        bx, by = self.to_board(x, y)
        reach = dp(15) / self.scale
        routes = []
        for route in self.plan.board.routes.values():
            away = min(self.plan.distance(bx, by, space) for space in route.spaces)
            if away <= reach:
                routes.append((away, self.plan.to_middle(bx, by, route), route.id))
        routes.sort()
        city_reach = max(self.plan.city_size * 0.75, dp(9) / self.scale)
        cities = [(math.dist((bx, by), self.plan.city(c)), c.id) for c in self.plan.board.cities.values()]
        away, city = min(cities)
        near_city = away <= city_reach and (not routes or away <= routes[0][0] + city_reach * 0.8)
        return (city if near_city else None), [route for *_, route in routes]

    # drawing

    def _draw(self, *_: Any) -> None:
        board: Board | None = self.board
        self._drawing.clear()
        self._sheet = None
        if board is None:
            return
        if self.plan is None or self.plan.board is not board:
            self.plan = art.plan_of(board)
            self._name_cities()
        plan = self.plan
        shown = bool(self.lit or self.missing)
        strength = 0.25 if shown else 1.0
        claims: Mapping[str, str] = self.claims
        with self._drawing:
            if self.photo is not None:
                Color(1, 1, 1, 0.55 if shown else 1)
                self._sheet = Rectangle(pos=(0, 0), size=(art.WIDTH, plan.height))
            else:
                art.draw_paper(plan)
                empty = [r for r in board.routes.values() if r.id not in claims]
                art.draw_spaces(plan, empty, 0.6 if shown else 1.0)
            if shown:
                lit = set(self.lit)
                art.draw_claims(plan, {r: c for r, c in claims.items() if r not in lit}, strength)
                art.draw_glow(plan, self.lit, theme.faint(theme.brass, 0.5))
                art.draw_claims(plan, {r: c for r, c in claims.items() if r in lit})
                art.draw_rims(plan, self.missing, theme.bad, 1.05)
            elif self.photo is not None:
                art.draw_outlines(plan, claims)
            else:
                art.draw_claims(plan, claims)
            if self.bare:
                art.draw_rims(plan, board.routes, theme.good, 1.0)
                art.draw_marks(plan, board.cities, theme.good)
            asked = list(self.asked)
            art.draw_rims(plan, [r for r in asked if r in board.routes], theme.brass, 1.15)
            if self.photo is None:
                art.draw_cities(plan)
            art.draw_stations(plan, self.stations, 0.5 if shown else 1.0)
            art.draw_marks(plan, [c for c in asked if c in board.cities], theme.brass)
            art.draw_marks(plan, self.marked, theme.brass if not self.missing else theme.bad)
            art.draw_pointed(plan, self.pointed)
        self._lay()

    def _name_cities(self) -> None:
        """A label for each city, drawn at the size of reading whatever the zoom."""
        assert self.plan is not None
        self._labels.clear()
        self._names, self._lettered = [], set()
        busy: dict[str, int] = {}
        for route in self.plan.board.routes.values():
            for end in route.ends:
                busy[end] = busy.get(end, 0) + 1
        cities = sorted(self.plan.board.cities.values(), key=lambda c: -busy.get(c.id, 0))
        for city in cities:
            with self._labels:
                Color(1, 1, 1, 1)
                name = Rectangle(pos=(-10000, 0))
            self._names.append((city.id, name))

    def _lay(self, *_: Any) -> None:
        """Put the drawing and the labels where the view now is."""
        if self.plan is None:
            return
        self._hold()
        s = self.scale
        x, y = self.to_screen(0, 0)
        matrix = Matrix()
        matrix.translate(x, y, 0)
        self._matrix.matrix = matrix.multiply(Matrix().scale(s, s, 1))
        if self._sheet is not None:
            self._sheet.texture = self.photo.at(art.WIDTH * s)
        self._lay_names()

    def _lay_names(self) -> None:
        """Names that would cover one another wait for a closer view; what is marked comes first."""
        assert self.plan is not None
        taken: list[tuple[float, float, float, float]] = []
        hidden = self.photo is not None and not self.bare
        first = set(self.marked) | set(self.asked)
        drop = self.plan.city_size * 0.62 * self.scale
        shown_at = min(max(0.42 + 0.22 * self.scale / dp(1), 0.66), 0.95)
        for city_id, name in sorted(self._names, key=lambda n: n[0] not in first):
            x, y = self.city_point(city_id)
            if (hidden and city_id not in first) or not self.collide_point(x, y):
                name.pos = -10000, 0
                continue
            if city_id not in self._lettered:
                name.texture = _text(self.plan.board.cities[city_id].name)
                self._lettered.add(city_id)
            width, height = (side * shown_at for side in name.texture.size)
            name.size = width, height
            left, low = x - width / 2, y - drop - height
            left = min(max(left, self.x + 2), self.right - width - 2)
            box = left, low, left + width, low + height * 0.8
            clash = any(a < box[2] and box[0] < c and b < box[3] and box[1] < d for a, b, c, d in taken)
            if not clash:
                taken.append(box)
            name.pos = (-10000, 0) if clash else (left, low)

    def _hold(self) -> None:
        """Keep the board in view: never drag it off the window."""
        assert self.plan is not None
        s = self.scale
        held = []
        for at, whole, room in ((self.centre[0], art.WIDTH, self.width), (self.centre[1], self.plan.height, self.height)):
            spare = room / s / whole / 2
            held.append(0.5 if spare >= 0.5 else min(max(at, spare - 0.03), 1.03 - spare))
        self.centre = held[0], held[1]

    # a train on its way

    def run_train(self, routes: Sequence[str], cities: Sequence[str], color: str) -> None:
        """Let a train run once along a walk."""
        if self.plan is None:
            self._draw()
        assert self.plan is not None
        self.stop_train()
        stops: list[tuple[float, float]] = []
        for route_id, city in zip(routes, cities, strict=False):
            route = self.plan.board.routes[route_id]
            spaces = [self.plan.space(s)[:2] for s in route.spaces]
            here = self.plan.city(self.plan.board.cities[city])
            if math.dist(here, spaces[0]) > math.dist(here, spaces[-1]):
                spaces.reverse()
            stops += [here, *spaces]
        if cities:
            stops.append(self.plan.city(self.plan.board.cities[cities[-1]]))
        self._stops = stops
        with self.canvas.after:
            PushMatrix()
            self._ahead = MatrixInstruction()
            Color(*theme.ink)
            size = self.plan.city_size * 2.6
            Rectangle(pos=(-size / 2, -size / 2), size=(size, size), texture=art.picture("dot"))
            Color(*theme.piece(color, self.plan.board))
            Rectangle(pos=(-size * 0.45, -size * 0.45), size=(size * 0.9, size * 0.9), texture=art.picture("dot"))
            Color(*theme.on_piece(color, self.plan.board))
            Rectangle(pos=(-size * 0.3, -size * 0.3), size=(size * 0.6, size * 0.6), texture=art.picture("icon-train"))
            PopMatrix()
        self.pulse = 0
        self._train = Animation(pulse=1, d=min(6.0, 0.12 * len(stops)), t="in_out_sine")
        self._train.start(self)

    def stop_train(self) -> None:
        if self._train is not None:
            self._train.cancel(self)
            self._train = None
            self.canvas.after.clear()

    def on_pulse(self, *_: Any) -> None:
        """Put the train where it now is."""
        if self._train is None or self.plan is None:
            return
        at = self.pulse * (len(self._stops) - 1)
        first = min(int(at), len(self._stops) - 2)
        (ax, ay), (bx, by) = self._stops[first], self._stops[first + 1]
        share = at - first
        x, y = self.to_screen(ax + (bx - ax) * share, ay + (by - ay) * share)
        matrix = Matrix()
        matrix.translate(x, y, 0)
        self._ahead.matrix = matrix.multiply(Matrix().scale(self.scale, self.scale, 1))

    # moving

    def fill(self, most: float = 2.2) -> None:
        """Where the whole board is too small to tap, enlarge it until it fills the view."""
        self._wanted = lambda: self.fill(most)
        if self.plan is None and self.board is not None:
            self._draw()
        if self.plan is None or min(self.size) < dp(50):
            return
        s = self.fit
        if s * self.plan.short >= dp(LEAST_SPACE):
            self.show_all()
            return
        self.zoom = min(max(self.width / s / art.WIDTH, self.height / s / self.plan.height, 1.0), most)
        self._place()

    def show_all(self) -> None:
        self._wanted = None
        self._glide(1.0, (0.5, 0.5))

    def look_at(self, routes: Sequence[str] = (), cities: Sequence[str] = (), most: float = 4.0) -> None:
        """Move so that these routes and cities fill the view."""
        self._wanted = lambda: self.look_at(routes, cities, most)
        if self.board is None or min(self.size) < dp(50):
            return
        if self.plan is None:
            self._draw()
        assert self.plan is not None
        points = [self.plan.space(s)[:2] for r in routes for s in self.plan.board.routes[r].spaces]
        points += [self.plan.city(self.plan.board.cities[c]) for c in cities if c in self.plan.board.cities]
        if not points:
            return
        xs, ys = [p[0] for p in points], [p[1] for p in points]
        room = 130.0
        zoom = min(
            self.width / self.fit / (max(xs) - min(xs) + room), self.height / self.fit / (max(ys) - min(ys) + room), most
        )
        self._glide(max(1.0, zoom), ((max(xs) + min(xs)) / 2 / art.WIDTH, (max(ys) + min(ys)) / 2 / self.plan.height))

    def _glide(self, zoom: float, centre: tuple[float, float]) -> None:
        Animation.cancel_all(self, "zoom")
        if not theme.motion:
            self.centre, self.zoom = centre, zoom
            self._place()
            return
        before, start = self.centre, self.zoom
        move = Animation(zoom=zoom, d=0.25, t="in_out_quad")

        def pan(_: Any, __: Any, share: float) -> None:
            self.centre = tuple(b + (c - b) * share for b, c in zip(before, centre, strict=True))  # type: ignore[assignment]
            self._place()

        move.bind(on_progress=pan)
        move.start(self)
        if start == zoom:
            self._place()

    def _zoom_at(self, x: float, y: float, by: float) -> None:
        if self.plan is None:
            return
        bx, by_ = self.to_board(x, y)
        self.zoom = min(max(self.zoom * by, 1.0), MOST_ZOOM)
        self.centre = (
            (bx - (x - self.center_x) / self.scale) / art.WIDTH,
            (by_ - (y - self.center_y) / self.scale) / self.plan.height,
        )
        self._place()

    def on_touch_down(self, touch: Any) -> bool:
        if not self.collide_point(*touch.pos) or self.plan is None:
            return False
        if touch.is_mouse_scrolling:
            if self.still:
                return False
            self._zoom_at(touch.x, touch.y, 1.15 if touch.button == "scrolldown" else 1 / 1.15)
            return True
        touch.grab(self)
        self._wanted = None
        self._fingers.append(touch)
        self._moved = len(self._fingers) > 1
        if len(self._fingers) == 2:
            self._spread = math.dist(self._fingers[0].pos, self._fingers[1].pos)
        return True

    def on_touch_move(self, touch: Any) -> bool:
        if touch.grab_current is not self or self.plan is None:
            return False
        if len(self._fingers) >= 2:
            one, two = self._fingers[:2]
            spread = math.dist(one.pos, two.pos)
            middle = (one.x + two.x) / 2, (one.y + two.y) / 2
            if self._spread > 1 and spread > 1:
                self._zoom_at(middle[0], middle[1], spread / self._spread)
            self._spread = spread
            self._pan(touch.dx / 2, touch.dy / 2)
            return True
        if not self._moved and math.dist(touch.pos, touch.opos) < dp(8):
            return True
        if not self._moved:
            self._moved = True
            self._pan(touch.x - touch.ox, touch.y - touch.oy)
        else:
            self._pan(touch.dx, touch.dy)
        return True

    def _pan(self, dx: float, dy: float) -> None:
        assert self.plan is not None
        self.centre = self.centre[0] - dx / self.scale / art.WIDTH, self.centre[1] - dy / self.scale / self.plan.height
        self._place()

    def on_touch_up(self, touch: Any) -> bool:
        if touch.grab_current is not self:
            return False
        touch.ungrab(self)
        self._fingers = [f for f in self._fingers if f is not touch]
        if self._moved or self._fingers:
            return True
        city, routes = self.nearest(*touch.pos)
        if touch.is_double_tap and not city and not routes and not self.still:
            if self.zoom > 1.4:
                self.show_all()
            else:
                self._zoom_at(touch.x, touch.y, 2.6)
        elif city:
            self.dispatch("on_city", city, routes)
        elif routes:
            self.dispatch("on_route", routes)
        else:
            self.dispatch("on_nothing")
        return True

    def on_route(self, routes: list[str]) -> None:
        """Routes were tapped; the nearest comes first."""

    def on_city(self, city: str, routes: list[str]) -> None:
        """A city was tapped."""

    def on_nothing(self) -> None:
        """Neither was near the tap."""


def _text(text: str) -> Texture:
    """A city's name with a rim of paper, so that it can be read over routes."""
    label = CoreLabel(
        text=text,
        font_name=theme.italic_font,
        font_size=theme.tiny * NAME_SIZE,
        color=theme.ink,
        outline_width=round(dp(2)),
        outline_color=theme.field[:3],
    )
    label.refresh()
    return label.texture

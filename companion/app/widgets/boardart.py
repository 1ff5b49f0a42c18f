"""The board in our own hand: where things lie, and the meshes that show them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kivy.core.image import Image as CoreImage
from kivy.graphics import Color, Mesh, SmoothLine, SmoothRoundedRectangle
from kivy.graphics.texture import Texture

from companion.app.theme import SYMBOLS, theme
from companion.board import Board, City, Route, Space

WIDTH = 1000.0
"""A board is this wide in its own units; y grows upwards from its lower edge."""

PICTURES = (
    "dot",
    "wagon",
    "rim",
    "gloss",
    "glow",
    "halo",
    "station",
    "station-rim",
    *(f"symbol-{s}" for s in SYMBOLS.values()),
)

_pictures: dict[str, Texture] = {}


def picture(name: str) -> Texture:
    """One of our pictures as a texture that shrinks well."""
    path = name if name.endswith(".png") else theme.art(name)
    if path not in _pictures:
        _pictures[path] = CoreImage(path, mipmap=True).texture
    return _pictures[path]


@dataclass(frozen=True)
class Plan:
    """A board's geometry in its own units."""

    board: Board
    height: float
    long: float
    short: float

    def space(self, space: Space) -> tuple[float, float, float]:
        """Middle and turn (radians, anticlockwise) of a space."""
        return space.x * WIDTH, (1 - space.y) * self.height, -math.radians(space.angle)

    def city(self, city: City) -> tuple[float, float]:
        return city.x * WIDTH, (1 - city.y) * self.height

    @property
    def city_size(self) -> float:
        return max(self.short * 0.95, 13.0)

    def distance(self, x: float, y: float, space: Space) -> float:
        """How far a point lies from a space; 0 inside it."""
        cx, cy, turn = self.space(space)
        dx, dy = x - cx, y - cy
        along = abs(dx * math.cos(turn) + dy * math.sin(turn)) - self.long / 2
        across = abs(-dx * math.sin(turn) + dy * math.cos(turn)) - self.short / 2
        return math.hypot(max(along, 0.0), max(across, 0.0))

    def to_middle(self, x: float, y: float, route: Route) -> float:
        """How far a point lies from the nearest middle of a route's spaces: tells parallel lanes apart."""
        return min(math.hypot(x - self.space(s)[0], y - self.space(s)[1]) for s in route.spaces)


def plan_of(board: Board) -> Plan:
    height = WIDTH / board.aspect
    return Plan(board, height, board.space_size[0] * WIDTH, board.space_size[1] * height)


class Quads:
    """Turned rectangles, gathered into one mesh."""

    def __init__(self) -> None:
        self.vertices: list[float] = []
        self.indices: list[int] = []

    def add(self, x: float, y: float, width: float, height: float, turn: float = 0.0) -> None:
        first = len(self.vertices) // 4
        cos, sin = math.cos(turn), math.sin(turn)
        for u, v in ((0, 1), (1, 1), (1, 0), (0, 0)):
            dx, dy = (u - 0.5) * width, (0.5 - v) * height
            self.vertices += [x + dx * cos - dy * sin, y + dx * sin + dy * cos, u, v]
        self.indices += [first, first + 1, first + 2, first, first + 2, first + 3]

    def draw(self, name: str, color: Sequence[float]) -> None:
        """Draw into the canvas that is open."""
        if not self.indices:
            return
        Color(*color)
        Mesh(vertices=self.vertices, indices=self.indices, mode="triangles", texture=picture(name))


def draw_paper(plan: Plan) -> None:
    """An empty sheet with a fine net of lines, as on an old map."""
    Color(*theme.field)
    SmoothRoundedRectangle(pos=(0, 0), size=(WIDTH, plan.height), radius=[14])
    Color(*theme.faint(theme.line, 0.55))
    step = WIDTH / 10 if plan.board.aspect > 1 else WIDTH / 7
    x = step
    while x < WIDTH - 1:
        SmoothLine(points=[x, 6, x, plan.height - 6], width=0.7)
        x += step
    y = step
    while y < plan.height - 1:
        SmoothLine(points=[6, y, WIDTH - 6, y], width=0.7)
        y += step
    Color(*theme.line)
    SmoothLine(rounded_rectangle=(0, 0, WIDTH, plan.height, 14), width=1.6)
    SmoothLine(rounded_rectangle=(7, 7, WIDTH - 14, plan.height - 14, 9), width=0.8)


def draw_spaces(plan: Plan, routes: Iterable[Route], strength: float) -> None:
    """Empty spaces, each in a breath of the colour it is printed in."""
    by_color: dict[str, Quads] = {}
    rims = Quads()
    for route in routes:
        fill = by_color.setdefault(route.color, Quads())
        for space in route.spaces:
            x, y, turn = plan.space(space)
            fill.add(x, y, plan.long * 0.92, plan.short * 0.86, turn)
            rims.add(x, y, plan.long * 0.92, plan.short * 0.86, turn)
    for color, quads in by_color.items():
        quads.draw("wagon", theme.faint(theme.piece(color, plan.board), 0.34 * strength))
    rims.draw("rim", theme.faint(theme.muted, 0.75 * strength))


def draw_claims(plan: Plan, claims: Mapping[str, str], strength: float = 1.0) -> None:
    """Wagons in their owners' colours, the middle one with its owner's symbol."""
    wagons: dict[str, Quads] = {}
    marks: dict[str, Quads] = {}
    shade, rims, gloss = Quads(), Quads(), Quads()
    for route_id, owner in claims.items():
        route = plan.board.routes.get(route_id)
        if route is None:
            continue
        body = wagons.setdefault(owner, Quads())
        mark = marks.setdefault(owner, Quads())
        for place, space in enumerate(route.spaces):
            x, y, turn = plan.space(space)
            shade.add(x + 1.5, y - 2.5, plan.long * 1.02, plan.short * 1.12, turn)
            body.add(x, y, plan.long * 1.0, plan.short * 1.1, turn)
            rims.add(x, y, plan.long * 1.0, plan.short * 1.1, turn)
            gloss.add(x, y, plan.long * 1.0, plan.short * 1.1, turn)
            if place == len(route.spaces) // 2:
                size = min(plan.short * 0.92, plan.long * 0.6)
                mark.add(x, y, size, size)
    shade.draw("wagon", [0, 0, 0, 0.25 * strength])
    for owner, quads in wagons.items():
        quads.draw("wagon", theme.faint(theme.piece(owner, plan.board), strength))
    gloss.draw("gloss", [1, 1, 1, 0.22 * strength])
    rims.draw("rim", theme.faint([0.1, 0.08, 0.07, 1], 0.85 * strength))
    for owner, quads in marks.items():
        quads.draw(theme.symbol(owner), theme.faint(theme.on_piece(owner, plan.board), 0.95 * strength))


def draw_outlines(plan: Plan, claims: Mapping[str, str]) -> None:
    """Owners as outlines, so that the photo below can be compared; the middle space carries the symbol."""
    light, pale = Quads(), Quads()
    frames: dict[str, Quads] = {}
    discs: dict[str, Quads] = {}
    marks: dict[str, Quads] = {}
    for route_id, owner in claims.items():
        route = plan.board.routes.get(route_id)
        for place, space in enumerate(route.spaces if route else ()):
            x, y, turn = plan.space(space)
            light.add(x, y, plan.long * 1.2, plan.short * 1.65, turn)
            frames.setdefault(owner, Quads()).add(x, y, plan.long * 1.14, plan.short * 1.5, turn)
            if route and place == len(route.spaces) // 2:
                size = min(plan.short * 1.25, plan.long * 0.7)
                pale.add(x, y, size * 1.18, size * 1.18)
                discs.setdefault(owner, Quads()).add(x, y, size, size)
                marks.setdefault(owner, Quads()).add(x, y, size * 0.6, size * 0.6)
    light.draw("rim", [1, 0.98, 0.93, 0.95])
    for owner, quads in frames.items():
        quads.draw("rim", theme.piece(owner, plan.board))
    pale.draw("dot", [1, 0.98, 0.93, 0.95])
    for owner, quads in discs.items():
        quads.draw("dot", theme.piece(owner, plan.board))
    for owner, quads in marks.items():
        quads.draw(theme.symbol(owner), theme.on_piece(owner, plan.board))


def draw_rims(plan: Plan, routes: Iterable[str], color: Sequence[float], grow: float = 1.0) -> None:
    """An outline around every space of some routes."""
    rims = Quads()
    for route_id in routes:
        for space in plan.board.routes[route_id].spaces:
            x, y, turn = plan.space(space)
            rims.add(x, y, plan.long * 1.1 * grow, plan.short * 1.3 * grow, turn)
    rims.draw("rim", color)


def draw_glow(plan: Plan, routes: Iterable[str], color: Sequence[float]) -> None:
    """Light under some routes."""
    glow = Quads()
    for route_id in routes:
        for space in plan.board.routes[route_id].spaces:
            x, y, turn = plan.space(space)
            glow.add(x, y, plan.long * 1.75, plan.short * 4.0, turn)
    glow.draw("glow", color)


def draw_cities(plan: Plan, strength: float = 1.0) -> None:
    rings, fills, stars = Quads(), Quads(), Quads()
    size = plan.city_size
    for city in plan.board.cities.values():
        x, y = plan.city(city)
        rings.add(x, y, size, size)
        fills.add(x, y, size * 0.66, size * 0.66)
        if city.attraction:
            stars.add(x, y, size * 0.62, size * 0.62)
    rings.draw("dot", theme.faint(theme.ink, strength))
    fills.draw("dot", theme.faint(theme.card, strength))
    stars.draw("symbol-star", theme.faint(theme.brass, strength))


def draw_stations(plan: Plan, stations: Mapping[str, Sequence[str]], strength: float = 1.0) -> None:
    """Stations as small houses in their owners' colours, with symbols."""
    size = plan.city_size * 1.9
    for city_id, owners in stations.items():
        if city_id not in plan.board.cities:
            continue
        x, y = plan.city(plan.board.cities[city_id])
        for place, owner in enumerate(owners):
            left = x + place * size * 0.7
            for name, color, grow, drop in (
                ("station", theme.faint(theme.piece(owner, plan.board), strength), 1.0, 0.0),
                ("station-rim", [0.1, 0.08, 0.07, strength], 1.0, 0.0),
                (theme.symbol(owner), theme.faint(theme.on_piece(owner, plan.board), strength), 0.46, -0.1),
            ):
                house = Quads()
                house.add(left, y + size * (0.12 + drop), size * grow, size * grow)
                house.draw(name, color)


def draw_marks(plan: Plan, cities: Iterable[str], color: Sequence[float]) -> None:
    """A ring around some cities."""
    rings = Quads()
    for city_id in cities:
        if city_id in plan.board.cities:
            x, y = plan.city(plan.board.cities[city_id])
            rings.add(x, y, plan.city_size * 2.1, plan.city_size * 2.1)
    rings.draw("halo", color)


def draw_pointed(plan: Plan, about: str) -> None:
    """A bold outline around the route or city in question."""
    if about in plan.board.routes:
        draw_rims(plan, [about], [0.13, 0.11, 0.1, 1], 1.3)
        draw_rims(plan, [about], [1, 0.98, 0.94, 1], 1.2)
        draw_rims(plan, [about], theme.brass, 1.12)
    elif about in plan.board.cities:
        draw_marks(plan, [about], [0.13, 0.11, 0.1, 1])

"""A board drawn in our own art, from nothing but its map data: for the sample, the screens and the tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Board, Route, Space
from companion.lettering import Word, draw_word, put_word

Pixels = NDArray[np.uint8]
Color = tuple[int, int, int]

INKS: dict[str, Color] = {
    "gray": (164, 160, 158),
    "blue": (190, 118, 42),
    "green": (62, 158, 104),
    "black": (52, 48, 46),
    "yellow": (62, 212, 246),
    "red": (50, 48, 198),
    "white": (244, 246, 246),
    "purple": (176, 96, 150),
    "pink": (184, 120, 214),
    "orange": (48, 134, 238),
    "brown": (52, 82, 124),
}
"""The printed colours as BGR."""


@dataclass(frozen=True)
class Style:
    """How a board is drawn; colours are BGR.

    layers: the tints of the ground, from low to high
    track: the score track's three tints, or None for a board without one
    """

    layers: tuple[Color, ...] = ((206, 196, 164), (214, 210, 186), (206, 226, 232), (190, 216, 228), (174, 204, 220))
    contour: Color = (150, 168, 170)
    ink: Color = (52, 44, 42)
    paper: Color = (226, 238, 242)
    track: tuple[Color, Color, Color] | None = ((110, 78, 44), (128, 92, 54), (74, 124, 178))
    city: tuple[Color, Color] = ((52, 70, 186), (220, 240, 246))
    city_size: float = 0.56
    face: str = "bold"
    upper: bool = False
    relief: bool = True
    seed: int = 7
    grain: float = 5.0
    inks: Mapping[str, Color] = field(default_factory=lambda: INKS)


def draw_board(board: Board, width_px: int = 2400, style: Style | None = None) -> Pixels:
    """The board from straight above, edge to edge, as (height, width, 3) BGR."""
    style = style or Style()
    # Drawn twice as large and then shrunk: every edge comes out smooth.
    fine = width_px * 2
    height = round(fine / board.aspect)
    picture = _ground(fine, height, style)
    busy = np.zeros((height, fine), np.uint8)
    spare = _margin(board)
    if style.track is not None and spare > 0.014:
        _track(picture, busy, style, 0.92 * spare)
    for route in board.routes.values():
        _route_bed(picture, route, board, style)
    for route in board.routes.values():
        for number, space in enumerate(route.spaces):
            corners = space_corners(space, board, fine, 0.95)
            _space(picture, corners, route, number, style)
            cv2.fillConvexPoly(busy, np.round(corners).astype(np.int32), 255)
    _cities(picture, busy, board, style)
    _names(picture, busy, board, style)
    shrunk = cv2.resize(picture, (width_px, round(width_px / board.aspect)), interpolation=cv2.INTER_AREA)
    return _with_grain(np.asarray(shrunk, np.uint8), style)


def space_corners(space: Space, board: Board, width: float, grow: float = 1.0) -> NDArray[np.float64]:
    """The four corners (4, 2) of a space on a board `width` pixels wide."""
    long_half = grow * board.space_size[0] * width / 2
    wide_half = grow * board.space_size[1] * width / board.aspect / 2
    turn = np.radians(space.angle)
    along, across = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    centre = np.array([space.x * width, space.y * width / board.aspect])
    return np.array(
        [centre + a * long_half * along + b * wide_half * across for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    )


def _margin(board: Board) -> float:
    """The free strip along the board's edge, as a fraction of its width."""
    corners = np.concatenate([space_corners(space, board, 1.0) for space in board.spaces])
    discs = np.array([[city.x, city.y / board.aspect] for city in board.cities.values()])
    radius = 0.6 * board.space_size[1] / board.aspect
    points = np.concatenate([corners, discs - radius, discs + radius])
    low, high = points.min(axis=0), points.max(axis=0)
    return float(min(low[0], low[1], 1 - high[0], 1 / board.aspect - high[1], 0.045))


def _ground(width: int, height: int, style: Style) -> Pixels:
    """Layered paper, as if cut along the contour lines of an invented landscape."""
    rng = np.random.default_rng(style.seed)
    small = (max(8, width // 8), max(8, height // 8))
    level = np.zeros((small[1], small[0]), np.float32)
    for cells, weight in ((4, 1.0), (9, 0.45), (21, 0.16), (60, 0.035)):
        noise = rng.normal(size=(max(2, round(cells * height / width)) + 3, cells + 3)).astype(np.float32)
        level += weight * cv2.resize(noise, small, interpolation=cv2.INTER_CUBIC)
    ranks = np.interp(level, np.quantile(level, np.linspace(0, 1, 64)), np.linspace(0, 1, 64)).astype(np.float32)
    ranks = np.asarray(cv2.resize(ranks, (width, height), interpolation=cv2.INTER_CUBIC), np.float32)
    steps = np.clip(ranks * len(style.layers), 0, len(style.layers) - 1e-3)
    picture = np.array(style.layers, np.float32)[steps.astype(np.int32)]
    for lines, strength in ((len(style.layers) * 4, 0.22), (len(style.layers), 0.75)):
        phase = ranks * lines
        slope = np.asarray(cv2.magnitude(*(cv2.Sobel(phase, cv2.CV_32F, a, 1 - a, scale=0.125) for a in (1, 0))), np.float32)
        near = np.abs(phase - np.round(phase)) / np.maximum(slope, 1e-4)
        line = np.clip(1.6 * width / 2400 - near, 0, 1) * strength
        line[(np.round(phase) < 1) | (np.round(phase) > lines - 1)] = 0
        picture += line[..., None] * (np.array(style.contour, np.float32) - picture)
    if style.relief:
        shade = cv2.Sobel(cv2.GaussianBlur(ranks, (0, 0), width / 700), cv2.CV_32F, 1, 1, ksize=3)
        picture += np.clip(shade * width * 22, -10, 10)[..., None]
    return np.clip(picture, 0, 255).astype(np.uint8)


def _with_grain(picture: Pixels, style: Style) -> Pixels:
    rng = np.random.default_rng(style.seed + 1)
    height, width = picture.shape[:2]
    coarse = rng.normal(0, style.grain, (height // 3 + 2, width // 3 + 2)).astype(np.float32)
    grain = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    grain += rng.normal(0, style.grain / 2, (height, width)).astype(np.float32)
    return np.asarray(np.clip(picture + grain[..., None], 0, 255), np.uint8)


def _track(picture: Pixels, busy: Pixels, style: Style, share: float) -> None:
    """A hundred numbered fields around the edge, the fifth ones in another tint."""
    assert style.track is not None
    height, width = picture.shape[:2]
    band = share * width
    dark, plain, fifth = style.track
    for mask, value in ((picture, dark), (busy, 255)):
        for low, high in (((0, 0), (width, band)), ((0, height - band), (width, height)), ((0, 0), (band, height))):
            cv2.rectangle(mask, _at(low), _at(high), value, -1)
        cv2.rectangle(mask, _at((width - band, 0)), (width, height), value, -1)
    inner = [_at((band, band)), _at((width - band, height - band))]
    cv2.rectangle(picture, inner[0], inner[1], style.paper, max(2, round(band * 0.07)), cv2.LINE_AA)
    across = max(1, round(50 * (width - 2 * band) / (width + height - 4 * band)))
    down = 50 - across
    spots = [(band + (i + 0.5) * (width - 2 * band) / across, band / 2) for i in range(across)]
    spots += [(width - band / 2, band + (i + 0.5) * (height - 2 * band) / down) for i in range(down)]
    spots += [(width - x, height - y) for x, y in spots]
    half = 0.4 * np.array([min(band, (width - 2 * band) / across * 1.02), min(band, (height - 2 * band) / down * 1.02)])
    for number, spot in enumerate(spots, 1):
        field_color = fifth if number % 5 == 0 else plain
        first, last = _at(np.array(spot) - half), _at(np.array(spot) + half)
        cv2.rectangle(picture, first, last, style.paper, max(2, round(band * 0.05)), cv2.LINE_AA)
        cv2.rectangle(picture, first, last, field_color, -1)
        put_word(
            picture, draw_word(str(number), float(half.min()) * (0.95 if number < 100 else 0.7), "bold"), spot, style.paper
        )


def _at(point: tuple[float, float] | NDArray[np.float64]) -> tuple[int, int]:
    return round(float(point[0])), round(float(point[1]))


def _route_bed(picture: Pixels, route: Route, board: Board, style: Style) -> None:
    """The pale strip, or the tunnel's dark one, that a route's spaces lie on."""
    width = picture.shape[1]
    for space in route.spaces:
        bed = space_corners(space, board, width, 1.0)
        out = bed - bed.mean(axis=0)
        edge = 0.16 * board.space_size[1] * width / board.aspect
        bed = bed + edge * np.sign(out @ _axes(space)) @ _axes(space).T
        color = style.ink if route.kind == "tunnel" else style.paper
        cv2.fillConvexPoly(picture, _fixed(bed), color, cv2.LINE_AA, 4)
        if route.kind == "tunnel":
            for k in range(7):
                for side in (0, 2):
                    a, b = bed[side], bed[side + 1]
                    cv2.circle(picture, _at(a + (b - a) * (k + 0.5) / 7), max(2, round(edge * 0.75)), color, -1, cv2.LINE_AA)


def _axes(space: Space) -> NDArray[np.float64]:
    turn = np.radians(space.angle)
    return np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])


def _fixed(points: NDArray[np.float64]) -> NDArray[np.int32]:
    return np.round(points * 16).astype(np.int32)


def _space(picture: Pixels, corners: NDArray[np.float64], route: Route, number: int, style: Style) -> None:
    fill = np.array(style.inks.get(route.color, INKS["gray"]), np.float64)
    centre = corners.mean(axis=0)
    wide = float(np.linalg.norm(corners[3] - corners[0]))
    light = tuple(float(c) for c in np.clip(fill * 0.72 + 78, 0, 255))
    dark = tuple(float(c) for c in fill * 0.72)
    cv2.fillConvexPoly(picture, _fixed(corners), _bgr(style.ink), cv2.LINE_AA, 4)
    inner = centre + (corners - centre) * (1 - 0.09 * wide / np.linalg.norm(corners - centre, axis=1, keepdims=True))
    cv2.fillConvexPoly(picture, _fixed(inner), _bgr(fill), cv2.LINE_AA, 4)
    along, across = (corners[1] - corners[0]) / np.linalg.norm(corners[1] - corners[0]), (corners[3] - corners[0]) / wide
    line = max(1, round(wide * 0.06))
    half_long = float(np.linalg.norm(corners[1] - corners[0])) / 2
    for shift, color in ((-0.3, light), (0.3, dark)):
        ends = [centre + across * shift * wide + along * side * (half_long - 0.18 * wide) for side in (-1, 1)]
        cv2.line(picture, _at(ends[0]), _at(ends[1]), color, line, cv2.LINE_AA)
    mark = dark if fill.sum() > 240 else light
    if route.kind == "ferry" and number == len(route.spaces) // 2:
        _locomotive(picture, centre, along, across, wide, style.ink)
    elif route.color != "gray":
        _symbol(picture, route.color, centre, along, across, 0.16 * wide, mark)


def _bgr(color: NDArray[np.float64] | Color) -> tuple[float, float, float]:
    return float(color[0]), float(color[1]), float(color[2])


def _symbol(
    picture: Pixels,
    name: str,
    centre: NDArray[np.float64],
    along: NDArray[np.float64],
    across: NDArray[np.float64],
    radius: float,
    color: tuple[float, ...],
) -> None:
    """A shape a colour, for eyes that mix colours up."""
    sides = 3 + sorted(INKS).index(name) % 6 if name in INKS else 4
    if sides == 8:
        cv2.circle(picture, _at(centre), max(1, round(radius)), color, -1, cv2.LINE_AA)
        return
    turns = 2 * np.pi * np.arange(sides) / sides
    points = centre + radius * 1.25 * (np.cos(turns)[:, None] * along + np.sin(turns)[:, None] * across)
    cv2.fillPoly(picture, [_fixed(points)], color, cv2.LINE_AA, 4)


def _locomotive(
    picture: Pixels,
    centre: NDArray[np.float64],
    along: NDArray[np.float64],
    across: NDArray[np.float64],
    wide: float,
    color: Color,
) -> None:
    """A small engine: boiler, cab, chimney and wheels."""

    def block(x0: float, x1: float, y0: float, y1: float) -> None:
        spots = [centre + x * wide * along + y * wide * across for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))]
        cv2.fillConvexPoly(picture, _fixed(np.array(spots)), color, cv2.LINE_AA, 4)

    block(-0.5, 0.45, -0.12, 0.14)
    block(-0.55, -0.22, -0.3, 0.14)
    block(0.2, 0.32, -0.32, -0.1)
    for x in (-0.38, -0.05, 0.28):
        cv2.circle(
            picture,
            _at(centre + x * wide * along + 0.18 * wide * across),
            max(1, round(0.11 * wide)),
            color,
            -1,
            cv2.LINE_AA,
        )


def _cities(picture: Pixels, busy: Pixels, board: Board, style: Style) -> None:
    height, width = picture.shape[:2]
    radius = style.city_size * board.space_size[1] * height
    dot, ring = style.city
    for city in board.cities.values():
        spot = _at((city.x * width, city.y * height))
        for share, color in ((1.3, style.ink), (1.2, ring), (0.92, style.ink), (0.84, dot)):
            cv2.circle(picture, spot, round(radius * share), color, -1, cv2.LINE_AA)
        glint = tuple(min(255.0, c * 0.5 + 130) for c in dot)
        cv2.circle(
            picture, _at((spot[0] - 0.28 * radius, spot[1] - 0.28 * radius)), round(radius * 0.26), glint, -1, cv2.LINE_AA
        )
        cv2.circle(busy, spot, round(radius * 1.35), 255, -1)


def _names(picture: Pixels, busy: Pixels, board: Board, style: Style) -> None:
    """Each name near its city, where it covers the least."""
    height, width = picture.shape[:2]
    radius = style.city_size * board.space_size[1] * height
    tall = 0.62 * board.space_size[1] * height
    for city in board.cities.values():
        word = draw_word(city.name.upper() if style.upper else city.name, tall, style.face)
        centre = _best_spot(busy, word, (city.x * width, city.y * height), radius * 1.3 + 0.25 * tall)
        put_word(picture, word, centre, style.ink, style.paper, max(2, round(tall * 0.2)))
        half = np.array(word.size) / 2 + 0.2 * tall
        cv2.rectangle(busy, _at(np.array(centre) - half), _at(np.array(centre) + half), 255, -1)


def _best_spot(busy: Pixels, word: Word, city: tuple[float, float], gap: float) -> tuple[float, float]:
    wide, tall = word.size
    best, least = city, np.inf
    for reach in (1.0, 1.5, 2.2):
        for turn in np.arange(0, 360, 15):
            way = np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
            # Pushed out until the word's box clears the disc.
            out = min((wide / 2 + gap * reach) / max(abs(way[0]), 1e-6), (tall / 2 + gap * reach) / max(abs(way[1]), 1e-6))
            x, y = city[0] + way[0] * out, city[1] + way[1] * out
            left, top = round(x - wide / 2), round(y - tall / 2)
            if left < 0 or top < 0 or left + wide > busy.shape[1] or top + tall > busy.shape[0]:
                continue
            covered = float(busy[top : top + tall, left : left + wide].mean()) + 6 * (reach - 1) + 4 * abs(float(way[1]))
            if covered < least:
                best, least = (float(x), float(y)), covered
    return best

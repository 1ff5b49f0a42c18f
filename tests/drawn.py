"""Boards this project draws itself, reprinted in other styles and photographed on invented tables."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.art import INKS, Style
from companion.board import Board, City, Route, Space

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]

PASTEL = {name: (int(b * 0.6 + 90), int(g * 0.6 + 90), int(r * 0.6 + 90)) for name, (b, g, r) in INKS.items()}
PASTEL |= {"black": (70, 66, 66), "gray": (188, 190, 186), "white": (250, 250, 250)}

STYLES = {
    "plain": Style(),
    "night": Style(
        layers=((72, 52, 40), (84, 66, 52), (66, 76, 62), (78, 90, 76)),
        contour=(120, 100, 86),
        ink=(24, 20, 20),
        paper=(200, 206, 210),
        track=None,
        city=((60, 190, 235), (40, 40, 40)),
        face="plain",
        upper=True,
        seed=3,
    ),
    "meadow": Style(
        layers=((150, 190, 160), (160, 204, 176), (172, 214, 196), (150, 180, 150)),
        contour=(110, 150, 120),
        track=((60, 90, 60), (80, 120, 80), (60, 160, 200)),
        city=((150, 60, 40), (230, 230, 230)),
        city_size=0.75,
        inks=PASTEL,
        seed=11,
        relief=False,
    ),
    "desert": Style(
        layers=((150, 190, 226), (140, 180, 220), (130, 168, 210)),
        contour=(110, 140, 180),
        ink=(30, 40, 70),
        track=((40, 50, 120), (50, 60, 150), (40, 120, 160)),
        city=((40, 150, 60), (210, 240, 250)),
        city_size=0.45,
        face="slanted",
        seed=23,
        grain=9.0,
    ),
}


def reprint(board: Board, seed: int, crop: float = 0.0, bend: float = 0.0, jitter: float = 0.0) -> Board:
    """The same network as another print might have it.

    crop: share of the width cut off on every side (negative adds a rim); bend: smooth shifts, jitter: each route's own,
    both in widths of a space
    """
    rng = np.random.default_rng(seed)
    width = board.space_size[1] / board.aspect
    waves = rng.normal(0, 1, (2, 2, 3)) * bend * width / 2
    tall = crop * board.aspect
    own = {route.id: rng.normal(0, 0.5 * jitter * width, 2) for route in board.routes.values()}
    for lanes in board.lanes.values():
        for lane in lanes:
            own[lane.id] = own[lanes[0].id]

    def moved(x: float, y: float, extra: Floats) -> tuple[float, float]:
        phase = np.array([1.0, np.sin(2 * np.pi * x), np.cos(2 * np.pi * y)])
        dx, dy = waves[0] @ phase, waves[1] @ phase
        x, y = x + float(dx[0] + extra[0]), y + float((dy[0] + extra[1]) * board.aspect)
        return (x - crop) / (1 - 2 * crop), (y - tall) / (1 - 2 * tall)

    def space(one: Space, route: Route) -> Space:
        x, y = moved(one.x, one.y, own[route.id])
        return replace(one, x=x, y=y)

    def placed(city: City) -> City:
        x, y = moved(city.x, city.y, np.zeros(2))
        return replace(city, x=x, y=y)

    return replace(
        board,
        aspect=board.aspect * (1 - 2 * crop) / (1 - 2 * tall),
        width_mm=board.width_mm * (1 - 2 * crop),
        space_size=(board.space_size[0] / (1 - 2 * crop), board.space_size[1] / (1 - 2 * tall)),
        cities={c.id: placed(c) for c in board.cities.values()},
        routes={r.id: replace(r, spaces=tuple(space(one, r) for one in r.spaces)) for r in board.routes.values()},
    )


def table(size: tuple[int, int], seed: int) -> Pixels:
    """A table top of (width, height): wood, cloth or stone, by chance."""
    rng = np.random.default_rng(seed)
    width, height = size
    base = rng.uniform(60, 200) + rng.normal(0, 25, 3)
    kind = seed % 3
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)
    noise = cv2.resize(rng.normal(0, 1, (24, 24)).astype(np.float32), size, interpolation=cv2.INTER_CUBIC)
    if kind == 0:
        pattern = 9 * np.sin(rows / 5 + 6 * noise + columns / 300)
    elif kind == 1:
        pattern = 30.0 * (((rows // 60).astype(int) + (columns // 60).astype(int)) % 2)
    else:
        pattern = 8 * noise
    speckled = base + pattern[..., None] + rng.normal(0, 3, (height, width, 1))
    return np.asarray(np.clip(speckled, 0, 255), np.uint8)


def photograph(
    picture: Pixels, seed: int, size: tuple[int, int] = (2000, 1500), tilt: float = 20.0, turn: float | None = None
) -> tuple[Pixels, Floats]:
    """A drawn board on a table, seen at a tilt and turned, with uneven light and noise; and its corners as printed."""
    rng = np.random.default_rng(seed)
    high, wide = picture.shape[:2]
    half = np.array([wide, high]) / max(wide, high)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    spin = np.radians(rng.uniform(0, 360) if turn is None else turn)
    corners = corners @ np.array([[np.cos(spin), np.sin(spin)], [-np.sin(spin), np.cos(spin)]])
    lean, distance = np.radians(tilt), 3.2
    depth = distance + corners[:, 1] * -np.sin(lean)
    seen = np.column_stack([corners[:, 0], corners[:, 1] * np.cos(lean)]) / depth[:, None]
    low, high_ = seen.min(axis=0), seen.max(axis=0)
    zoom = 0.9 * float((np.array(size) / (high_ - low)).min())
    seen = (seen - (low + high_) / 2) * zoom + np.array(size) / 2
    source = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32) - np.float32(0.5)
    warp = cv2.getPerspectiveTransform(source, seen.astype(np.float32))
    photo = table(size, seed)
    soft = cv2.GaussianBlur(picture, (0, 0), max(0.3, 0.35 * wide / float(np.ptp(seen[:, 0]))))
    board = cv2.warpPerspective(soft, warp, size, flags=cv2.INTER_AREA)
    cover = cv2.warpPerspective(np.full((high, wide), 255, np.uint8), warp, size, flags=cv2.INTER_LINEAR)[..., None] / 255
    lit = photo * (1 - cover) + board * cover
    rows, columns = np.mgrid[0 : size[1], 0 : size[0]]
    light = 0.82 + 0.25 * np.exp(-(((columns / size[0] - rng.uniform()) ** 2 + (rows / size[1] - rng.uniform()) ** 2) * 2))
    tint = 1 + rng.normal(0, 0.05, 3)
    lit = lit * light[..., None] * tint + rng.normal(0, 3, lit.shape)
    return np.clip(lit, 0, 255).astype(np.uint8), np.asarray(seen, np.float64)

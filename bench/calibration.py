"""Measures calibration against the known geometry: python -m bench.calibration PHOTOS [like|new|drawn ...]

PHOTOS holds a folder a board with pictures of the empty board. For `like`, each is calibrated as a print of its own
board, without its signature; for `new`, as a board never seen; `drawn` does the former with boards this project draws
in other styles and frames.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibrate import calibrate_like, calibrate_new
from companion.art import draw_board
from companion.board import Board, load_board
from companion.errors import CompanionError
from tests.drawn import STYLES, photograph, reprint

EMPTIES = {
    "europe": ("empty.jpg",),
    "usa": ("empty.jpg", "empty-rectified.jpg"),
    "marklin": ("empty-flat.jpg", "empty-render.jpg"),
    "new-york": ("empty-flat.jpg", "empty-render.jpg"),
}
DRAWN = (
    ("europe", "night", 0.015, 0.4, 0.2, 25.0),
    ("europe", "meadow", 0.0, 0.4, 0.3, 10.0),
    ("europe", "desert", -0.03, 0.4, 0.2, 35.0),
    ("usa", "meadow", 0.015, 0.4, 0.2, 30.0),
    ("marklin", "night", 0.015, 0.4, 0.2, 30.0),
)

Floats = NDArray[np.float64]


def main(arguments: list[str]) -> int:
    if not arguments:
        print(__doc__)
        return 2
    photos, wanted = Path(arguments[0]), arguments[1:] or ["like", "new", "drawn"]
    with tempfile.TemporaryDirectory() as scratch:
        for map_id, names in EMPTIES.items():
            for name in names:
                picture = photos / map_id / name
                if "like" in wanted:
                    _like(picture, load_board(map_id), load_board(map_id), Path(scratch) / f"like-{map_id}-{picture.stem}")
                if "new" in wanted:
                    _new(picture, load_board(map_id), Path(scratch) / f"new-{map_id}-{picture.stem}")
        for number, (map_id, style, crop, bend, jitter, tilt) in enumerate(DRAWN if "drawn" in wanted else ()):
            board = load_board(map_id)
            other = reprint(board, number, crop, bend, jitter)
            drawn = draw_board(other, 2200 if board.aspect > 1 else 1500, STYLES[style])
            picture = Path(scratch) / f"{map_id}-{style}-{number}.jpg"
            cv2.imwrite(str(picture), photograph(drawn, number, tilt=tilt)[0])
            _like(picture, board, other, Path(scratch) / f"drawn-{number}")
            if "new" in wanted:
                _new(picture, other, Path(scratch) / f"drawn-new-{number}")
    return 0


def spaces_of(board: Board) -> Floats:
    """All spaces (N, 3): x in heights of the board, y, angle. Both compared need one aspect: places are shares of it."""
    return np.array([[space.x * board.aspect, space.y, space.angle] for space in board.spaces])


def _like(picture: Path, known: Board, truth: Board, out: Path) -> None:
    start = time.perf_counter()
    try:
        made = calibrate_like(picture, known, out, None, lambda stage: None).board
    except CompanionError as error:
        print(f"like {known.id:9} {picture.name:22} refused: {error}")
        return
    placed = spaces_of(replace(made, aspect=truth.aspect))
    off = np.linalg.norm(placed[:, :2] - spaces_of(truth)[:, :2], axis=1) / truth.space_size[1]
    print(
        f"like {known.id:9} {picture.name:22} within a quarter width {np.mean(off < 0.25):6.1%}  farthest {off.max():.2f}"
        f"  {time.perf_counter() - start:.0f} s",
        flush=True,
    )


def _new(picture: Path, truth: Board, out: Path) -> None:
    start = time.perf_counter()
    try:
        made = calibrate_new(picture, "Unknown", load_board("usa"), out, None, lambda stage: None).board
    except CompanionError as error:
        print(f"new  {truth.id:9} {picture.name:22} refused: {error}")
        return
    seconds = time.perf_counter() - start
    wanted, got = spaces_of(truth), spaces_of(replace(made, aspect=truth.aspect))
    near = _met(wanted, got, truth)
    colors, told = _colors(truth), _colors(made)
    alike = np.array([_same_color(a, b) for a in colors for b in told]).reshape(len(colors), len(told))
    ends = _city_of(made, truth)
    routes = sum(any(_same_route(route, other, ends) for other in made.routes.values()) for route in truth.routes.values())
    exact, close = 0, 0
    printed = [city.printed.casefold() for city in truth.cities.values() if city.country is None]
    read = {ends[city.id]: (city.printed or city.name).casefold() for city in made.cities.values() if ends[city.id]}
    for city in truth.cities.values():
        if city.country is None:
            gap = _letters_apart(city.printed.casefold(), read.get(city.id, ""))
            exact, close = exact + (gap == 0), close + (gap <= 2)
    print(
        f"new  {truth.id:9} {picture.name:22} spaces {near.any(axis=1).mean():6.1%},"
        f" in colour {(near & alike).any(axis=1).mean():6.1%}"
        f"  false {int((~near.any(axis=0)).sum())}  routes {routes / len(truth.routes):5.1%}"
        f"  names {exact / len(printed):5.1%}, within two letters {close / len(printed):5.1%}  {seconds:.0f} s",
        flush=True,
    )


def _met(wanted: Floats, got: Floats, board: Board) -> NDArray[np.bool_]:
    """Which found spaces lie on which true ones: within half a width across and 0.4 of a length along."""
    gap = got[None, :, :2] - wanted[:, None, :2]
    turn = np.radians(wanted[:, 2])[:, None]
    along, across = (
        gap[..., 0] * np.cos(turn) + gap[..., 1] * np.sin(turn),
        gap[..., 1] * np.cos(turn) - gap[..., 0] * np.sin(turn),
    )
    angle = np.abs((got[None, :, 2] - wanted[:, 2:3] + 90) % 180 - 90)
    near = (
        (np.abs(along) < 0.4 * board.space_size[0] * board.aspect)
        & (np.abs(across) < 0.5 * board.space_size[1])
        & (angle < 20)
    )
    return np.asarray(near)


def _colors(board: Board) -> list[str]:
    return [route.color for route in board.routes.values() for _ in route.spaces]


def _same_color(one: str, other: str) -> bool:
    violet = {"pink": "purple"}
    return violet.get(one, one) == violet.get(other, other)


def _city_of(made: Board, truth: Board) -> dict[str, str | None]:
    """For every found city the true one at its place."""
    cities = list(truth.cities.values())
    places = np.array([[city.x * truth.aspect, city.y] for city in cities])
    found: dict[str, str | None] = {}
    for city in made.cities.values():
        gap = np.linalg.norm(places - [city.x * truth.aspect, city.y], axis=1)
        found[city.id] = cities[int(gap.argmin())].id if gap.min() < truth.space_size[1] else None
    return found


def _same_route(true: object, found: object, ends: dict[str, str | None]) -> bool:
    assert hasattr(true, "ends") and hasattr(found, "ends") and hasattr(true, "length") and hasattr(found, "length")
    return {ends[end] for end in found.ends} == set(true.ends) and bool(found.length == true.length)


def _letters_apart(one: str, other: str) -> int:
    """How many letters must be put in, left out or changed."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row, before = [i], row
        for j, b in enumerate(other, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
    return row[-1]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

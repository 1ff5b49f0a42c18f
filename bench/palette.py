"""How well games are read with a palette learned from one photo: python -m bench.palette PHOTOS

The colours of the box are given names that no network knows, two pieces of each are pointed at in one photo, and the other
photos of that board are read by this palette alone.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from calibration.palette import learn_palette
from companion.board import Board, load_board
from companion.vision.locate import locate
from companion.vision.photo import read_photo
from companion.vision.read import load_signature, read

RENAMED = {"blue": "teal", "green": "olive", "black": "coal", "yellow": "amber", "red": "rust"}
TAUGHT_BY = {"usa": "real-4134", "europe": "real-1"}
POINTED_AT = 2


def main(arguments: list[str]) -> int:
    if not arguments:
        print(__doc__)
        return 2
    photos = Path(arguments[0])
    totals = np.zeros(4, int)
    for map_id, teacher in TAUGHT_BY.items():
        board = taught(load_board(map_id), photos / map_id / f"{teacher}.jpg")
        for truth in sorted((photos / map_id).glob("real-*.json")):
            if truth.stem != teacher:
                figures = measure(board, truth)
                totals += (1, *figures)
                print(
                    f"{map_id}/{truth.stem:18} wrong {figures[0]}, not asked {figures[1]}, doubts {figures[2]}", flush=True
                )
    print(f"{totals[0]} photos: wrong {totals[1]}, not asked {totals[2]}, {totals[3] / max(totals[0], 1):.1f} doubts each")
    return 0


def taught(board: Board, picture: Path) -> Board:
    """The board with renamed pieces, known by a palette from a photo of a game."""
    photo, claims = read_photo(picture), _truth(picture.with_suffix(".json"))["claims"]
    placed = locate(photo, board, load_signature(board))
    pieces: dict[str, list[tuple[float, float]]] = {}
    for route, color in sorted(claims.items()):
        points = pieces.setdefault(RENAMED[color], [])
        if len(points) < POINTED_AT:
            space = board.routes[route].spaces[0]
            x, y = photo.to_full(placed.project(np.array([[space.x, space.y]]), 6.0))[0]
            points.append((float(x), float(y)))
    rules = replace(board.rules, colors=tuple(RENAMED[color] for color in board.rules.colors if color in RENAMED))
    return replace(board, palette={**board.palette, **learn_palette(photo, pieces)}, rules=rules)


def measure(board: Board, truth: Path) -> tuple[int, int, int]:
    """Wrong routes, those of them not asked about, and all doubts."""
    known = _truth(truth)
    wanted = {route: RENAMED[color] for route, color in known["claims"].items()}
    reading = read([truth.with_suffix(".jpg")], board, [RENAMED[color] for color in known["players"]])
    wrong = {route for route in {*wanted, *reading.claims} if wanted.get(route) != reading.claims.get(route)}
    asked = {doubt.id for doubt in reading.uncertain}
    return len(wrong), len(wrong - asked), len(asked)


def _truth(path: Path) -> dict[str, Any]:
    known: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return known


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

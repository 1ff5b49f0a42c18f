"""Writes render jobs: boards with pieces laid as people lay them, many in the colour of the print beneath.

    python -m training.jobs --textures ../shared/photos --out JOBS --count 60
    BLENDER/bin/python training/render.py --with ../shared/render JOBS/*.json
    python -m training.develop --with ../shared/render JOBS/*.json

Each job is what the renderer takes, with more besides: pieces that slid along or across their space or lie on their side,
stations that stand on a wagon, and under `truth` what the finished picture's truth file holds.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from companion.board import Board, Route, load_board
from training.data import FLATS
from training.draw import draw_board

PIECES = {
    "blue": [(28, 78, 170), (0, 125, 140), (20, 60, 140), (40, 100, 200)],
    "green": [(22, 92, 62), (15, 75, 50), (40, 125, 60), (20, 110, 85)],
    "black": [(30, 30, 32), (20, 20, 22), (42, 42, 45)],
    "yellow": [(235, 205, 30), (245, 220, 60), (225, 180, 20)],
    "red": [(192, 32, 34), (165, 25, 28), (215, 45, 35)],
    "white": [(232, 230, 224), (245, 245, 240), (215, 208, 195)],
    "purple": [(105, 55, 140), (75, 40, 130), (150, 60, 150)],
}
BOARDS = ("europe", "usa", "drawn", "europe", "usa", "marklin", "europe", "usa", "new-york", "drawn")
WAGON_TOP = 0.0088
"""Height in metres at which a station on a wagon stands."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--textures", type=Path, required=True, help="a folder a board, with its flat empty picture")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for number in range(given.first, given.first + given.count):
        kind = BOARDS[number % len(BOARDS)]
        job = make_job(number, kind, given.textures, given.out)
        (given.out / f"{number:03d}-{kind}.json").write_text(json.dumps(job))


def make_job(number: int, kind: str, textures: Path, out: Path) -> dict[str, Any]:
    """One table: a board, players, claims, stations, markers, light and camera."""
    rng = random.Random(90000 + number)
    facts: str | None = None
    if kind == "drawn":
        board, texture, facts = draw_board(number, out)
    else:
        board, texture = load_board(kind), str((textures / FLATS[kind]).resolve())
    pool = list(board.rules.colors) if kind != "drawn" and rng.random() < 0.75 else list(PIECES)
    players = rng.sample(pool, min(rng.choice([2, 3, 4, 5, 5]), len(pool)))
    claims = lay_claims(rng, board, players)
    jitter = rng.uniform(0.5, 2.5)
    stations, standing, borrowing, on = (
        lay_stations(rng, board, players, claims) if board.rules.stations else ([], {}, {}, {})
    )
    width = board.width_mm / 1000
    size = [width, width / board.aspect]
    taxi = board.rules.piece == "taxi"
    wagon = (
        [rng.uniform(0.021, 0.025), rng.uniform(0.0082, 0.0098)]
        if taxi
        else [rng.uniform(0.0232, 0.0256), rng.uniform(0.0078, 0.0092)]
    )
    folds = ([0.5], [1 / 3, 2 / 3]) if board.aspect < 1 else ([1 / 3, 2 / 3], [0.5])
    truth = {"map": board.id, "players": sorted(players), "claims": claims, "stations": standing, "borrowing": borrowing}
    truth |= {"facts": facts, "texture": texture, "borrowed_space": on}
    return {
        "seed": 90000 + number,
        "res": [1408, 1056],
        "samples": 6,
        "texture": texture,
        "board_size": size,
        "tilt": round(rng.choice([0, rng.uniform(2, 15), rng.uniform(10, 45), rng.uniform(0, 45)]), 1),
        "hard": rng.random() < 0.5,
        "jitter": jitter,
        "colors": {color: _tone(rng, color) for color in players},
        "spaces": [piece for route in board.routes.values() for piece in lay_route(rng, route, claims, jitter)],
        "stations": stations,
        "markers": [_marker(rng, color) for color in players],
        "folds_x": [] if taxi else folds[0],
        "folds_y": [0.5] if taxi else folds[1],
        "wagon": "taxi" if taxi else "box",
        "wagon_size": wagon,
        "out": str((out / f"{kind}-{number:03d}.png").resolve()),
        "truth": truth,
    }


def lay_claims(rng: random.Random, board: Board, players: list[str]) -> dict[str, str]:
    """Claims at random, a good share of them in the colour printed beneath, most double routes full."""
    fill, same_colour = rng.uniform(0.4, 0.9), rng.uniform(0.25, 0.8)
    ends: dict[tuple[str, str], list[Route]] = {}
    for route in board.routes.values():
        ends.setdefault(route.ends, []).append(route)
    claims: dict[str, str] = {}
    for lanes in ends.values():
        if rng.random() > fill:
            continue
        free = list(players)
        for route in lanes if rng.random() < 0.6 else [rng.choice(lanes)]:
            if not free:
                break
            printed = "purple" if route.color == "pink" else route.color
            color = printed if printed in free and rng.random() < same_colour else rng.choice(free)
            free.remove(color)
            claims[route.id] = color
    return claims


def lay_route(rng: random.Random, route: Route, claims: Mapping[str, str], jitter: float) -> list[dict[str, Any]]:
    """The pieces of one route: sometimes all pushed aside, sometimes one slid, leaning over or on its side."""
    if route.id not in claims:
        return []
    lean = rng.gauss(0, 0.0007 * jitter) if rng.random() < 0.3 else 0.0
    pieces = []
    for space in route.spaces:
        piece: dict[str, Any] = {"u": space.x, "v": space.y, "angle": math.radians(space.angle)}
        piece |= {"color": claims[route.id], "across": lean}
        if rng.random() < 0.06 * jitter:
            piece["across"] = rng.uniform(-0.004, 0.004)
        if rng.random() < 0.06 * jitter:
            piece["along"] = rng.uniform(-0.005, 0.005)
        if rng.random() < 0.05 * jitter:
            piece["side"] = 1
        pieces.append(piece)
    return pieces


def lay_stations(
    rng: random.Random, board: Board, players: list[str], claims: Mapping[str, str]
) -> tuple[list[dict[str, Any]], dict[str, str], dict[str, str], dict[str, int]]:
    """Stations on cities, and now and then some on wagons of other players.

    Gives the pieces, the cities' truth, the borrowed routes' truth, and on which of their spaces each stands.
    """
    pieces: list[dict[str, Any]] = []
    standing: dict[str, str] = {}
    borrowing: dict[str, str] = {}
    on: dict[str, int] = {}
    cities = list(board.cities.values())
    for city in rng.sample(cities, min(len(cities), rng.choice([0, 3, 5, 8, 12, 15, 30]))):
        standing[city.id] = rng.choice(players)
        pieces.append({"u": city.x, "v": city.y, "color": standing[city.id]})
    if rng.random() < 0.4:
        for route in rng.sample(sorted(claims), min(rng.choice([3, 8, 20]), len(claims))):
            on[route] = rng.randrange(board.routes[route].length)
            space = board.routes[route].spaces[on[route]]
            borrowing[route] = rng.choice([color for color in players if color != claims[route]])
            pieces.append({"u": space.x, "v": space.y, "color": borrowing[route], "z": WAGON_TOP})
    return pieces, standing, borrowing, on


def _tone(rng: random.Random, color: str) -> list[float]:
    base = PIECES[color][0] if rng.random() < 0.65 else rng.choice(PIECES[color])
    lighter = rng.uniform(-10, 10)
    return [max(0.0, min(255.0, value + lighter + rng.uniform(-10, 10))) for value in base]


def _marker(rng: random.Random, color: str) -> dict[str, Any]:
    along, edge = rng.random(), 0.02
    u, v = rng.choice([(along, edge), (along, 1 - edge), (edge, along), (1 - edge, along)])
    return {"u": u, "v": v, "color": color}


if __name__ == "__main__":
    main()

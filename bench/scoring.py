"""How fast the scoring is: the longest path beside a plain depth-first search, and whole games."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from companion.board import Board, Route, load_board
from companion.game import parse_game
from companion.scoring import longest_walk, score

PATIENCE = 5.0
"""Seconds after which the plain search is given up."""


def plain_search(routes: list[Route]) -> int | None:
    """The longest path by trying every walk; None when it takes longer than our patience."""
    near: dict[str, list[tuple[str, int, int]]] = {}
    for index, route in enumerate(routes):
        near.setdefault(route.a, []).append((route.b, route.length, index))
        near.setdefault(route.b, []).append((route.a, route.length, index))
    used = [False] * len(routes)
    deadline = time.perf_counter() + PATIENCE
    best = 0
    steps = 0

    def walk(city: str, length: int) -> None:
        nonlocal best, steps
        best = max(best, length)
        steps += 1
        if not steps % 4096 and time.perf_counter() > deadline:
            raise TimeoutError
        for onward, trains, index in near[city]:
            if not used[index]:
                used[index] = True
                walk(onward, length + trains)
                used[index] = False

    try:
        for city in near:
            walk(city, 0)
    except TimeoutError:
        return None
    return best


def dense(board: Board, rng: random.Random, trains: int, most: int) -> list[Route]:
    """A cluster of short routes grown around a city: many loops, few trains."""
    mine: list[Route] = []
    cities = {rng.choice(sorted(board.cities))}
    while len(mine) < most:
        near = [
            r for r in board.routes.values() if r not in mine and r.length <= trains and (r.a in cities or r.b in cities)
        ]
        if not near:
            break
        route = min(near, key=lambda r: (r.length - 2 * (r.a in cities and r.b in cities), rng.random()))
        mine.append(route)
        cities |= set(route.ends)
        trains -= route.length
    return mine


def typical(board: Board, rng: random.Random) -> list[Route]:
    """A network as it looks at the end of a game: connected, with some loops, all trains used."""
    mine: list[Route] = []
    cities = {rng.choice(sorted(board.cities))}
    trains = board.rules.trains
    while near := [
        r for r in board.routes.values() if r not in mine and r.length <= trains and (r.a in cities) != (r.b in cities)
    ]:
        route = rng.choice(near)
        mine.append(route)
        cities |= set(route.ends)
        trains -= route.length
    return mine


def timed(call: Callable[[], Any], repeat: int = 5) -> tuple[Any, float]:
    """The answer and the best time in milliseconds."""
    times = []
    for _ in range(repeat):
        began = time.perf_counter()
        answer = call()
        times.append((time.perf_counter() - began) * 1000)
    return answer, min(times)


def report_longest() -> None:
    print("Longest path, milliseconds (best of 5); plain = depth-first search of every walk, given up after 5 s")
    print(f"{'board':10} {'network':34} {'routes':>6} {'trains':>6} {'length':>6} {'ours':>8} {'plain':>10}")
    for map_id in ("europe", "marklin", "new-york", "usa"):
        board = load_board(map_id)
        times = [timed(partial(longest_walk, typical(board, random.Random(seed))), 2)[1] for seed in range(100)]
        print(f"{map_id:10} {'100 typical ends, median / worst':34} {'':20} {median(times):8.2f} {max(times):10.2f} (worst)")
        nets = [dense(board, random.Random(seed), 45, 40) for seed in range(300)]
        nets += [dense(board, random.Random(seed), 200, 40) for seed in range(100)]
        slow = sorted(nets, key=lambda net: timed(partial(longest_walk, net), 1)[1])
        small = [net for net in slow if sum(r.length for r in net) <= 45]
        everything = list(board.routes.values())
        for name, net in (
            ("slowest of 300 clusters, 45 trains", small[-1]),
            (
                "slowest of 100 clusters, 40 routes",
                [n for n in slow if len(n) == 40][-1] if len(everything) >= 40 else slow[-1],
            ),
            ("the whole board in one hand", everything),
        ):
            walk, ours = timed(partial(longest_walk, net))
            plain, took = timed(partial(plain_search, net), 1)
            assert plain is None or plain == walk.length
            shown = f"{took:10.1f}" if plain is not None else f"{'> 5000':>10}"
            trains = sum(r.length for r in net)
            print(f"{map_id:10} {name:34} {len(net):6} {trains:6} {walk.length:6} {ours:8.2f} {shown}")


def full_game(seed: int) -> dict[str, Any]:
    """Five players on Europe, all trains used, three stations and eight tickets each."""
    rng = random.Random(seed)
    board = load_board("europe")
    claims: dict[str, str] = {}
    for color in board.rules.colors:
        trains = board.rules.trains
        for route in sorted(board.routes.values(), key=lambda _: rng.random()):
            if route.id not in claims and route.length <= trains:
                claims[route.id] = color
                trains -= route.length
    cities = rng.sample(sorted(board.cities), 15)
    deck = rng.sample(sorted(board.tickets), 40)
    return {
        "map": "europe",
        "variant": "mega",
        "claims": claims,
        "stations": {city: board.rules.colors[i % 5] for i, city in enumerate(cities)},
        "players": [
            {"name": color, "color": color, "tickets": deck[8 * i : 8 * i + 8]} for i, color in enumerate(board.rules.colors)
        ],
    }


def report_games() -> None:
    times = []
    for seed in range(100):
        board, game = parse_game(full_game(seed))
        times.append(timed(partial(score, board, game), 3)[1])
    print(f"\nFive players on Europe, three stations each: median {median(times):.1f} ms, worst of 100 {max(times):.1f} ms")


def report_start() -> None:
    path = Path(".bench-game.json")
    path.write_text(json.dumps(full_game(1)), encoding="utf-8")
    try:
        command = [str(Path(sys.executable).parent / "companion"), "score", str(path)]
        _, took = timed(lambda: subprocess.run(command, check=True, capture_output=True))
    finally:
        path.unlink()
    print(f"`companion score`, from a cold start to the sheet: {took / 1000:.2f} s")


if __name__ == "__main__":
    report_longest()
    report_games()
    report_start()

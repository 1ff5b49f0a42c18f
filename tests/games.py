"""Random finished games, for tests that compare two ways of scoring them."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

from companion.board import bundled_maps


@cache
def raw_map(map_id: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The two files of a bundled map, as they stand."""
    folder = bundled_maps() / map_id
    return json.loads((folder / "board.json").read_text("utf-8")), json.loads((folder / "tickets.json").read_text("utf-8"))


def grown(board: dict[str, Any], rng: random.Random, most_routes: int, taken: set[str], trains: int) -> list[str]:
    """A mostly connected network of free routes that uses at most so many trains."""
    routes = [r for r in board["routes"] if r["id"] not in taken]
    rng.shuffle(routes)
    mine: list[dict[str, Any]] = []
    cities: set[str] = set()
    while len(mine) < most_routes:
        near = [r for r in routes if r["length"] <= trains and (r["a"] in cities or r["b"] in cities)]
        free = [r for r in routes if r["length"] <= trains]
        choices = near if near and rng.random() < 0.85 else free
        if not choices:
            break
        route = choices[0]
        routes.remove(route)
        mine.append(route)
        cities |= {route["a"], route["b"]}
        trains -= route["length"]
    return [r["id"] for r in mine]


def random_game(map_id: str, seed: int, most_routes: int = 12) -> dict[str, Any]:
    """A finished game with networks, hands, stations and extras that a table could have."""
    rng = random.Random(seed)
    board, cards = raw_map(map_id)
    rules = board["rules"]
    colors = rng.sample(rules["colors"], rng.randint(2, len(rules["colors"])))
    claims: dict[str, str] = {}
    for color in colors:
        for route in grown(board, rng, rng.randint(0, most_routes), set(claims), rules["trains"]):
            claims[route] = color
    stations = {}
    if "stations" in rules:
        cities = rng.sample([c["id"] for c in board["cities"]], 3 * len(colors))
        for color in colors:
            for _ in range(rng.randint(0, 3)):
                stations[cities.pop()] = color
    deck = rng.sample(cards["tickets"], len(cards["tickets"]))
    places = [c["id"] for c in board["cities"]]
    players = []
    for color in colors:
        tickets: list[Any] = [deck.pop()["id"] for _ in range(rng.randint(0, min(8, len(deck) // 2)))]
        if rng.random() < 0.4:
            a, b = rng.sample(places, 2)
            tickets.append({"a": a, "b": b, "points": rng.randint(0, 20)})
        extras = {"goods": rng.randint(0, 30)} if map_id == "marklin" else {}
        players.append({"name": color.title(), "color": color, "tickets": tickets, "extras": extras})
    options = ["depots"] if rng.random() < 0.3 else []
    for player in players if options else []:
        player["extras"]["depots_left"] = rng.randint(0, 3)
    return {"map": map_id, "options": options, "players": players, "claims": claims, "stations": stations}

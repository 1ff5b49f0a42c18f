"""A second scorer, written the slow and obvious way and sharing no code with the first: the tests compare the two."""

from __future__ import annotations

import itertools
from typing import Any


def longest(routes: list[dict[str, Any]]) -> int:
    """Try every way to walk on from every city."""

    def walk(city: str, used: frozenset[str]) -> int:
        best = 0
        for route in routes:
            if route["id"] not in used and city in (route["a"], route["b"]):
                onward = route["b"] if city == route["a"] else route["a"]
                best = max(best, route["length"] + walk(onward, used | {route["id"]}))
        return best

    return max((walk(city, frozenset()) for route in routes for city in (route["a"], route["b"])), default=0)


def joined(board: dict[str, Any], routes: list[dict[str, Any]], a: str, b: str) -> bool:
    """Spread from one place, never onward from a country, until the other is reached."""
    country = {city["id"]: city.get("country") for city in board["cities"]}

    def is_at(city: str, place: str) -> bool:
        return city == place or country[city] == place

    reached = {city["id"] for city in board["cities"] if is_at(city["id"], a)}
    done: set[str] = set()
    first = set(reached)
    while reached - done:
        city = (reached - done).pop()
        done.add(city)
        if country[city] and city not in first:
            continue
        for route in routes:
            if city in (route["a"], route["b"]):
                reached.add(route["a"])
                reached.add(route["b"])
    touched = {end for route in routes for end in (route["a"], route["b"])}
    return any(is_at(city, b) for city in reached & touched) and any(city in touched for city in first)


def ticket_points(board: dict[str, Any], routes: list[dict[str, Any]], tickets: list[dict[str, Any]]) -> tuple[int, int]:
    met = [joined(board, routes, t["a"], t["b"]) for t in tickets]
    return sum(t["points"] if m else -t["points"] for t, m in zip(tickets, met, strict=True)), sum(met)


def best_stations(board: dict[str, Any], game: dict[str, Any], color: str, tickets: list[dict[str, Any]]) -> tuple[int, int]:
    """Every station with every route it may borrow, or none."""
    own = [r for r in board["routes"] if game["claims"].get(r["id"]) == color]
    choices = []
    for city, owner in game["stations"].items():
        if owner == color:
            others = [r for r in board["routes"] if city in (r["a"], r["b"]) and game["claims"].get(r["id"], color) != color]
            choices.append([[], *([r] for r in others)])
    return max(
        ticket_points(board, own + [r for pick in picks for r in pick], tickets) for picks in itertools.product(*choices)
    )


def totals(board: dict[str, Any], cards: dict[str, Any], game: dict[str, Any]) -> dict[str, dict[str, int]]:
    """The breakdown of every player, by colour."""
    rules = board["rules"]
    deck = {t["id"]: t for t in cards["tickets"]}
    sheets: dict[str, dict[str, int]] = {}
    completed: dict[str, int] = {}
    paths: dict[str, int] = {}
    for player in game["players"]:
        color = player["color"]
        own = [r for r in board["routes"] if game["claims"].get(r["id"]) == color]
        tickets = [deck[t] if isinstance(t, str) else t for t in player["tickets"]]
        if "stations" in rules:
            points, completed[color] = best_stations(board, game, color, tickets)
        else:
            points, completed[color] = ticket_points(board, own, tickets)
        paths[color] = longest(own)
        sheet = {"routes": sum(rules["points"][str(r["length"])] for r in own), "tickets": points}
        if "stations" in rules:
            built = sum(owner == color for owner in game["stations"].values())
            sheet["stations"] = 4 * max(0, 3 - built)
        if board["map"] == "new-york":
            attractions = {c["id"] for c in board["cities"] if c.get("attraction")}
            sheet["attractions"] = len(attractions & {end for r in own for end in (r["a"], r["b"])})
        if board["map"] == "marklin":
            sheet["goods"] = player["extras"].get("goods", 0)
        sheets[color] = sheet
    for color, sheet in sheets.items():
        if board["map"] in ("europe", "usa"):
            sheet["longest"] = 10 if paths[color] == max(paths.values()) > 0 else 0
        if board["map"] == "marklin":
            sheet["most_tickets"] = 10 if completed[color] == max(completed.values()) > 0 else 0
        if "depots" in game["options"]:
            left = {p["color"]: p["extras"].get("depots_left", 0) for p in game["players"]}
            sheet["depots"] = 10 if left[color] == max(left.values()) > 0 else 0
    return sheets

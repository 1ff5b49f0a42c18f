"""What the boards hold, counted from their own data, and what is known to be missing."""

from __future__ import annotations

from typing import Any

from companion.board import Board, board_ids, load_board, user_board_ids
from companion.errors import BoardError


def overview() -> list[dict[str, Any]]:
    """One entry a board: cities, routes, spaces, tickets, variants, gaps."""
    entries = [_entry(load_board(map_id)) for map_id in board_ids()]
    for map_id in user_board_ids():
        try:
            entries.append({**_entry(load_board(map_id)), "map": map_id, "own": True})
        except BoardError as error:
            # A broken board of one's own must not hide the others.
            entries.append({**_entry(load_board("usa")), **_broken(map_id, str(error))})
    return entries


def _broken(map_id: str, why: str) -> dict[str, Any]:
    counts = dict.fromkeys(
        ("cities", "country_ends", "countries", "routes", "double_routes", "triple_routes", "spaces", "tickets"), 0
    )
    return {"map": map_id, "name": "(broken)", **counts, "variants": [], "missing": [why], "own": True}


def _entry(board: Board) -> dict[str, Any]:
    countries = {city.country for city in board.cities.values() if city.country}
    return {
        "map": board.id,
        "name": board.name,
        "cities": sum(city.country is None for city in board.cities.values()),
        "country_ends": sum(city.country is not None for city in board.cities.values()),
        "countries": len(countries),
        "routes": len(board.routes),
        "double_routes": sum(len(lanes) == 2 for lanes in board.lanes.values()),
        "triple_routes": sum(len(lanes) == 3 for lanes in board.lanes.values()),
        "spaces": len(board.spaces),
        "tickets": len(board.tickets),
        "players": list(board.rules.players),
        "colors": list(board.rules.colors),
        "variants": [
            {"id": v.id, "name": v.name, "tickets": len(v.deck), "setup": dict(v.setup)} for v in board.variants.values()
        ],
        "missing": list(board.missing),
    }


def overview_text(boards: list[dict[str, Any]]) -> str:
    """The overview as a table, with the variants and gaps below each board."""
    lines = [f"{'map':12}{'name':12}{'players':>8}{'cities':>8}{'routes':>8}{'spaces':>8}{'tickets':>9}"]
    for b in boards:
        players = f"{b['players'][0]}-{b['players'][1]}"
        cities = f"{b['cities']}+{b['country_ends']}" if b["country_ends"] else str(b["cities"])
        lines.append(f"{b['map']:12}{b['name']:12}{players:>8}{cities:>8}{b['routes']:>8}{b['spaces']:>8}{b['tickets']:>9}")
        if len(b["variants"]) > 1:
            decks = ", ".join(f"{v['id']} ({v['tickets']})" for v in b["variants"])
            lines.append(f"  variants, with their tickets: {decks}")
        lines += [f"  missing: {gap}" for gap in b["missing"]]
    return "\n".join(lines) + "\n"

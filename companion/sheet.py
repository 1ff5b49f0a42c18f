"""The score sheet in words, for the terminal and for sharing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from companion.board import Board
from companion.game import Game
from companion.scoring import Loan, Result, Standing, TicketResult

if TYPE_CHECKING:
    from companion.vision.read import Reading

LINE_NAMES = {
    "routes": "Routes",
    "tickets": "Tickets",
    "stations": "Stations left",
    "longest": "Longest path",
    "most_tickets": "Most tickets",
    "goods": "Goods",
    "attractions": "Attractions",
    "depots": "Most depots",
}
DECIDERS = {
    "tickets": "completed more tickets",
    "stations": "built fewer stations",
    "longest": "has the longer path",
    "goods": "has more goods points",
}


def sheet(board: Board, game: Game, result: Result) -> str:
    """The whole sheet: the verdict, the table, then each player's tickets, stations and longest path."""
    variant = board.variants.get(game.variant, board.default_variant)
    title = board.name if len(board.variants) == 1 else f"{board.name}, {variant.name}"
    parts = [f"{title}\n{'=' * len(title)}", verdict(result), table(result)]
    parts += ["\n".join(_player(board, standing)) for standing in _by_rank(result)]
    if result.problems:
        parts.append("Please check\n" + "\n".join(f"  ! {problem.text}" for problem in result.problems))
    return "\n\n".join(parts) + "\n"


def verdict(result: Result) -> str:
    """Who won, and what decided it."""
    ranked = _by_rank(result)
    best = ranked[0]
    if result.decided_by == "shared":
        names = _and([s.name for s in ranked if s.rank == 1])
        return f"{names} share the victory with {best.total} points: every tie-break is even."
    if result.decided_by == "points":
        ahead = f", {best.total - ranked[1].total} ahead of {ranked[1].name}" if len(ranked) > 1 else ""
        return f"{best.name} wins with {best.total} points{ahead}."
    rivals = _and([s.name for s in ranked[1:] if s.total == best.total])
    return f"{best.name} wins: level with {rivals} at {best.total} points, but {best.name} {DECIDERS[result.decided_by]}."


def table(result: Result) -> str:
    """Players across, lines down."""
    ranked = _by_rank(result)
    lines = list(ranked[0].breakdown)
    width = max(8, *(len(s.name) + 2 for s in ranked))
    rows = [("", [s.name for s in ranked]), ("", [s.color for s in ranked])]
    rows += [(LINE_NAMES[line], [str(s.breakdown[line]) for s in ranked]) for line in lines]
    rows.append(("Total", [str(s.total) for s in ranked]))
    text = [f"{name:14}" + "".join(f"{cell:>{width}}" for cell in cells) for name, cells in rows]
    text.insert(len(text) - 1, "-" * len(text[0]))
    return "\n".join(line.rstrip() for line in text)


def _by_rank(result: Result) -> list[Standing]:
    return sorted(result.players, key=lambda s: s.rank)


def _player(board: Board, standing: Standing) -> Iterator[str]:
    who = f"{standing.rank}. {standing.name} ({standing.color})"
    pieces = "taxis" if board.rules.piece == "taxi" else "trains"
    yield f"{who}, {standing.total} points, {standing.trains} {pieces} on the board"
    for ticket in standing.tickets:
        yield "  " + _ticket(board, ticket)
    for loan in standing.loans:
        yield "  " + _loan(board, standing, loan)
    if "longest" in standing.breakdown and standing.longest.length:
        cities = " - ".join(board.place_name(city) for city in standing.longest.cities)
        yield f"  Longest path, {standing.longest.length} trains: {cities}"


def _ticket(board: Board, result: TicketResult) -> str:
    points = result.ticket.points
    name = board.ticket_name(result.ticket)
    if not result.met:
        return f"{-points:+4} missed  {name}"
    stops = _stops(board, result)
    via = f" via {', '.join(stops)}" if stops else ""
    return f"{points:+4} met     {name}{via}"


def _stops(board: Board, result: TicketResult) -> list[str]:
    """The cities between a met ticket's two ends."""
    at = set(board.places[result.ticket.a])
    stops: list[str] = []
    for route_id in result.path:
        a, b = board.routes[route_id].ends
        onward = b if a in at else a
        stops.append(board.place_name(onward))
        at = {onward}
    return stops[:-1]


def _loan(board: Board, standing: Standing, loan: Loan) -> str:
    city = board.place_name(loan.city)
    if loan.route is None:
        return f"Station in {city}: no route to borrow would complete another ticket"
    names = {t.ticket.id: board.ticket_name(t.ticket) for t in standing.tickets}
    wins = _and([names[ticket] for ticket in loan.wins])
    return f"Station in {city} borrows {board.route_name(loan.route)} from {loan.owner}, for {wins}"


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "nobody"


def reading_sheet(board: Board, reading: Reading) -> str:
    """What was read from a photo: each colour's routes and stations, then what to look at."""
    colors = sorted({*reading.claims.values(), *reading.stations.values()}, key=board.rules.colors.index)
    found = f"{len(reading.claims)} routes, {len(reading.stations)} stations" if colors else "an empty board"
    lines = [f"{board.name}: {found}"]
    for color in colors:
        routes = [board.routes[route] for route, owner in reading.claims.items() if owner == color]
        lines.append(f"\n{color.capitalize()}, {sum(route.length for route in routes)} {board.rules.piece}s")
        lines += [f"  {board.route_name(route.id)}" for route in routes]
        lines += [f"  station in {board.place_name(city)}" for city, owner in reading.stations.items() if owner == color]
        lines += [f"  station on {board.route_name(route)}" for route, owner in reading.borrowing.items() if owner == color]
    if reading.uncertain:
        lines.append("\nPlease look at")
        for doubt in reading.uncertain:
            name = board.route_name(doubt.id) if doubt.kind == "route" else f"the station in {board.place_name(doubt.id)}"
            options = " or ".join(f"{color or 'empty'} ({chance:.0%})" for color, chance in doubt.options)
            lines.append(f"  ? {name}: {options}")
    lines += [f"  ! {problem.text}" for problem in reading.problems]
    return "\n".join(lines) + "\n"

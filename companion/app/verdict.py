"""The result in words, in the person's language: for the screen and for sharing."""

from __future__ import annotations

import csv
import io

from companion.app.words import _, and_list, color_name, several
from companion.board import Board
from companion.game import Game
from companion.scoring import Loan, Result, Standing


def line_name(line: str) -> str:
    """What a line of the sheet is called."""
    return {
        "routes": _("Routes"),
        "tickets": _("Tickets"),
        "stations": _("Stations left"),
        "longest": _("Longest path"),
        "most_tickets": _("Most tickets"),
        "goods": _("Goods"),
        "attractions": _("Attractions"),
        "depots": _("Most depots"),
    }.get(line, line)


def ranked(result: Result) -> list[Standing]:
    return sorted(result.players, key=lambda s: s.rank)


def headline(result: Result) -> str:
    """Who won."""
    winners = [s.name for s in ranked(result) if s.rank == 1]
    if len(winners) > 1:
        return _("{names} share the victory", names=and_list(winners))
    return _("{name} wins", name=winners[0])


def reason(result: Result) -> str:
    """By how much, or by which tie-break."""
    order = ranked(result)
    best = order[0]
    if result.decided_by == "shared":
        return _("{points} points each, and every tie-break is even.", points=best.total)
    if result.decided_by == "points":
        if len(order) < 2:
            return several("{count} point", "{count} points", best.total)
        return _(
            "{points} points, {ahead} ahead of {name}.",
            points=best.total,
            ahead=best.total - order[1].total,
            name=order[1].name,
        )
    why = {
        "tickets": _("{name} completed more tickets"),
        "stations": _("{name} built fewer stations"),
        "longest": _("{name} has the longer path"),
        "goods": _("{name} has more goods points"),
    }[result.decided_by].format(name=best.name)
    rivals = and_list([s.name for s in order[1:] if s.total == best.total])
    return _("Level with {rivals} at {points} points, but {why}.", rivals=rivals, points=best.total, why=why)


def loan_text(board: Board, standing: Standing, loan: Loan) -> str:
    """What a station does for its owner."""
    city = board.place_name(loan.city)
    if loan.route is None:
        return _("The station in {city} helps no ticket.", city=city)
    names = {t.ticket.id: board.ticket_name(t.ticket) for t in standing.tickets}
    wins = and_list([names[t] for t in loan.wins]) or _("nothing more")
    return _(
        "The station in {city} borrows {route} ({color}): {wins}.",
        city=city,
        route=board.route_name(loan.route),
        color=color_name(loan.owner or ""),
        wins=wins,
    )


def as_text(board: Board, game: Game, result: Result) -> str:
    """A message to send to those who had to leave early."""
    lines = [f"{board.name}: {headline(result)}", reason(result), ""]
    for standing in ranked(result):
        parts = ", ".join(f"{line_name(line)} {points}" for line, points in standing.breakdown.items())
        lines.append(f"{standing.rank}. {standing.name} ({color_name(standing.color)}): {standing.total}")
        lines.append(f"   {parts}")
    return "\n".join(lines) + "\n"


def as_csv(result: Result) -> str:
    """One line a player, for a spreadsheet; the columns keep their English ids."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    lines = list(result.players[0].breakdown)
    writer.writerow(["rank", "name", "color", *lines, "total"])
    for standing in ranked(result):
        name = standing.name if standing.name[:1] not in "=+-@" else f"'{standing.name}"
        writer.writerow([standing.rank, name, standing.color, *(standing.breakdown[line] for line in lines), standing.total])
    return out.getvalue()

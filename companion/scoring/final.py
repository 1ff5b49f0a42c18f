"""The score sheet: every line of the edition, its bonuses, the winner, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.board import LINES, Board, Route, Ticket
from companion.game import Game, Player
from companion.scoring.longest import Walk, longest_walk
from companion.scoring.problems import Problem, problems_of, stations_on
from companion.scoring.tickets import Network, Offer, best_loans


@dataclass(frozen=True, slots=True)
class TicketResult:
    """A ticket, whether it was met, and by which routes (a shortest connection, in order)."""

    ticket: Ticket
    met: bool
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Loan:
    """What a station does: the route it borrows, from whom, and the tickets that would fail without it."""

    city: str
    route: str | None
    owner: str | None = None
    wins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's part of the sheet; `breakdown` holds exactly the lines the edition scores."""

    name: str
    color: str
    breakdown: Mapping[str, int]
    tickets: tuple[TicketResult, ...]
    loans: tuple[Loan, ...]
    longest: Walk
    trains: int
    stations_built: int
    goods: int
    rank: int = 0

    @property
    def total(self) -> int:
        return sum(self.breakdown.values())

    @property
    def completed(self) -> tuple[str, ...]:
        return tuple(t.ticket.id for t in self.tickets if t.met)

    @property
    def failed(self) -> tuple[str, ...]:
        return tuple(t.ticket.id for t in self.tickets if not t.met)


@dataclass(frozen=True, slots=True)
class Result:
    """The whole sheet. `decided_by` is the line that made the winner: points, a tie-break, or shared."""

    players: tuple[Standing, ...]
    winners: tuple[str, ...]
    decided_by: str
    problems: tuple[Problem, ...]


TIE_BREAKS: Mapping[str, Callable[[Standing], int]] = {
    "points": lambda s: s.total,
    "tickets": lambda s: len(s.completed),
    "stations": lambda s: -s.stations_built,
    "longest": lambda s: s.longest.length,
    "goods": lambda s: s.goods,
}
"""What each tie-break compares; the higher value wins."""


def score(board: Board, game: Game) -> Result:
    """Score a finished game. Whatever breaks a rule is listed under `problems` and scored as it lies."""
    variant = board.variants.get(game.variant, board.default_variant)
    standings = [_standing(board, game, player) for player in game.players]
    lines: list[dict[str, int]] = [dict(s.breakdown) for s in standings]
    most: list[tuple[str, int, Callable[[int], int]]] = []
    if "longest" in variant.bonuses:
        most.append(("longest", variant.bonuses["longest"], lambda i: standings[i].longest.length))
    if "most_tickets" in variant.bonuses:
        most.append(("most_tickets", variant.bonuses["most_tickets"], lambda i: len(standings[i].completed)))
    if "depots" in game.options:
        most.append(("depots", board.rules.depot_points, lambda i: game.players[i].extras.get("depots_left", 0)))
    for line, points, count in most:
        best = max(count(i) for i in range(len(standings)))
        for i, sheet in enumerate(lines):
            sheet[line] = points if best > 0 and count(i) == best else 0
    for i, player in enumerate(game.players):
        if "goods" in variant.bonuses:
            lines[i]["goods"] = standings[i].goods * variant.bonuses["goods"]
        if "attractions" in variant.bonuses:
            touched = {end for route in _own(board, game, player.color) for end in route.ends}
            visited = sum(city.attraction for city in board.cities.values() if city.id in touched)
            lines[i]["attractions"] = visited * variant.bonuses["attractions"]
    standings = [
        replace(standing, breakdown={line: sheet[line] for line in LINES if line in sheet})
        for standing, sheet in zip(standings, lines, strict=True)
    ]
    ranked, decided_by = _rank(standings, ("points", *board.rules.tie_breaks))
    winners = tuple(s.color for s in ranked if s.rank == 1)
    return Result(tuple(ranked), winners, decided_by, tuple(problems_of(board, game)))


def _own(board: Board, game: Game, color: str) -> list[Route]:
    return [route for route in board.routes.values() if game.claims.get(route.id) == color]


def _standing(board: Board, game: Game, player: Player) -> Standing:
    """A player's own lines: routes, tickets, stations. The bonuses need the whole table."""
    rules = board.rules
    own = _own(board, game, player.color)
    built = stations_on(board, game, player.color)
    offers = _offers(board, game, player.color) if rules.stations else []
    borrowed = best_loans(board, own, offers, player.tickets)
    network = Network(board, [*own, *borrowed.values()])
    tickets = tuple(_ticket_result(network, ticket) for ticket in player.tickets)
    breakdown = {
        "routes": sum(rules.points.get(route.length, 0) for route in own),
        "tickets": sum(t.ticket.points if t.met else -t.ticket.points for t in tickets),
    }
    if rules.stations:
        left = player.extras.get("stations_left", rules.stations - built)
        built = max(built, rules.stations - left)
        breakdown["stations"] = rules.station_points * max(0, rules.stations - built)
    return Standing(
        name=player.name,
        color=player.color,
        breakdown=breakdown,
        tickets=tickets,
        loans=_loans(board, game, own, offers, borrowed, tickets),
        longest=longest_walk(own),
        trains=sum(route.length for route in own),
        stations_built=built,
        goods=player.extras.get("goods", 0),
    )


def _offers(board: Board, game: Game, color: str) -> list[Offer]:
    """What each station of a colour may borrow: the opponents' routes that touch its city."""
    return [
        Offer(
            city,
            tuple(r for r in board.routes.values() if city in r.ends and game.claims.get(r.id, color) != color),
        )
        for city, colors in game.stations.items()
        if color in colors and city in board.cities
    ]


def _ticket_result(network: Network, ticket: Ticket) -> TicketResult:
    path = network.path(ticket.a, ticket.b)
    return TicketResult(ticket, path is not None, path or ())


def _loans(
    board: Board,
    game: Game,
    own: Sequence[Route],
    offers: Sequence[Offer],
    borrowed: Mapping[str, Route],
    tickets: Sequence[TicketResult],
) -> tuple[Loan, ...]:
    """Each station with its choice and the tickets that hang on it."""
    loans = []
    for offer in offers:
        route = borrowed.get(offer.city)
        if route is None:
            loans.append(Loan(offer.city, None))
            continue
        without = Network(board, [*own, *(r for city, r in borrowed.items() if city != offer.city)])
        wins = tuple(t.ticket.id for t in tickets if t.met and without.path(t.ticket.a, t.ticket.b) is None)
        loans.append(Loan(offer.city, route.id, game.claims[route.id], wins))
    return tuple(loans)


def _rank(standings: Sequence[Standing], criteria: Sequence[str]) -> tuple[list[Standing], str]:
    """The standings with their ranks, and the criterion that singled out the winner."""

    def key(standing: Standing) -> tuple[int, ...]:
        return tuple(TIE_BREAKS[name](standing) for name in criteria)

    ranked = [replace(s, rank=1 + sum(key(other) > key(s) for other in standings)) for s in standings]
    leaders = list(standings)
    for name in criteria:
        best = max(TIE_BREAKS[name](s) for s in leaders)
        leaders = [s for s in leaders if TIE_BREAKS[name](s) == best]
        if len(leaders) == 1:
            return ranked, name
    return ranked, "shared"


def result_to_raw(result: Result) -> dict[str, Any]:
    """The JSON form of a result."""
    return {
        "players": [
            {
                "name": s.name,
                "color": s.color,
                "total": s.total,
                "rank": s.rank,
                "breakdown": dict(s.breakdown),
                "completed": list(s.completed),
                "failed": list(s.failed),
                "longest_path": {
                    "length": s.longest.length,
                    "routes": list(s.longest.routes),
                    "cities": list(s.longest.cities),
                },
                "borrowed": {loan.city: loan.route for loan in s.loans if loan.route},
                "tickets": [
                    {"id": t.ticket.id, "points": t.ticket.points, "met": t.met, "path": list(t.path)} for t in s.tickets
                ],
                "stations": [
                    {"city": loan.city, "borrows": loan.route, "from": loan.owner, "wins": list(loan.wins)}
                    for loan in s.loans
                ],
                "trains": s.trains,
            }
            for s in result.players
        ],
        "winners": list(result.winners),
        "decided_by": result.decided_by,
        "problems": [{"code": p.code, "text": p.text} for p in result.problems],
    }

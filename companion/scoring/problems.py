"""What is wrong with a game, as a list: a board that breaks a rule is reported, and still scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from companion.board import Board
from companion.game import EXTRAS, OPTIONS, Game

TEXTS = {
    "too-many-trains": "{who} shows {count} {pieces} on the board; the box has {most} a player.",
    "both-lanes": "{who} holds more than one lane of {route}; a player may own only one.",
    "closed-lane": "With {players} players only one lane of {route} may be used, but {count} are.",
    "too-many-stations": "{who} has {count} stations on the board; a player has {most}.",
    "no-stations": "{city} holds a station, but {board} is played without them.",
    "two-buildings": "{city} holds {count} buildings; there is room for one.",
    "too-many-depots": "{who} accounts for {count} depots; a player has {most}.",
    "unknown-route": "There is no route '{id}' on {board}; it was left out.",
    "unknown-city": "There is no city '{id}' on {board}; what stands there was left out.",
    "unknown-ticket": "{who} holds '{id}', which is no card of {board}: enter it with its points to count it.",
    "unknown-variant": "{board} has no variant '{id}'; the ticket deck was not checked.",
    "unknown-extra": "{who} has '{id}' entered, which no edition asks for; it was left out.",
    "unknown-option": "'{id}' is no option we know; it was left out.",
    "duplicate-ticket": "{ticket} is in {count} hands ({who}); there is one such card.",
    "outside-deck": "{who} holds {ticket}, which is not in the {variant} deck.",
    "stranger": "{count} routes or stations are {color}, but nobody at the table plays {color}.",
    "not-entered": "{who}: the {extra} were not entered and count as 0.",
    "stations-disagree": "{who} has {count} stations on the board and {left} left, which is not {most} together.",
    "too-many-players": "{count} players sat down; {board} is for {fewest} to {most}.",
}
EXTRA_NAMES = {"goods": "goods points", "depots_left": "depots left"}


@dataclass(frozen=True, slots=True)
class Problem:
    """Something on the table that the rules do not allow; `values` fill the sentence that belongs to the code."""

    code: str
    values: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return TEXTS[self.code].format(**self.values)


def problems_of(board: Board, game: Game) -> list[Problem]:
    """Everything about this game that breaks a rule of its edition, or that could not be counted."""
    return [
        *_names(board, game),
        *_pieces(board, game),
        *_lanes(board, game),
        *_buildings(board, game),
        *_hands(board, game),
    ]


def _names(board: Board, game: Game) -> Iterator[Problem]:
    if not board.rules.players[0] <= len(game.players) <= board.rules.players[1]:
        fewest, most = board.rules.players
        yield Problem("too-many-players", {"count": len(game.players), "board": board.name, "fewest": fewest, "most": most})
    if game.variant and game.variant not in board.variants:
        yield Problem("unknown-variant", {"id": game.variant, "board": board.name})
    for option in game.options:
        if option not in OPTIONS:
            yield Problem("unknown-option", {"id": option})
    for route in game.claims:
        if route not in board.routes:
            yield Problem("unknown-route", {"id": route, "board": board.name})
    for city in (*game.stations, *game.depots):
        if city not in board.cities:
            yield Problem("unknown-city", {"id": city, "board": board.name})
    at_table = {player.color for player in game.players}
    seen = Counter(game.claims.values())
    seen.update(color for colors in game.stations.values() for color in colors)
    for color, count in seen.items():
        if color not in at_table:
            yield Problem("stranger", {"color": color, "count": count})


def _pieces(board: Board, game: Game) -> Iterator[Problem]:
    rules = board.rules
    for player in game.players:
        trains = sum(r.length for r in board.routes.values() if game.claims.get(r.id) == player.color)
        if trains > rules.trains:
            pieces = "taxis" if rules.piece == "taxi" else "trains"
            yield Problem("too-many-trains", {"who": player.name, "count": trains, "pieces": pieces, "most": rules.trains})
        built = stations_on(board, game, player.color)
        left = player.extras.get("stations_left")
        if rules.stations and built > rules.stations:
            yield Problem("too-many-stations", {"who": player.name, "count": built, "most": rules.stations})
        elif rules.stations and left is not None and built and built + left != rules.stations:
            yield Problem("stations-disagree", {"who": player.name, "count": built, "left": left, "most": rules.stations})
        if "depots" in game.options:
            placed = sum(color == player.color for color in game.depots.values())
            depots = placed + player.extras.get("depots_left", 0)
            if depots > rules.depots:
                yield Problem("too-many-depots", {"who": player.name, "count": depots, "most": rules.depots})
            if "depots_left" not in player.extras:
                yield Problem("not-entered", {"who": player.name, "extra": EXTRA_NAMES["depots_left"]})
        if "goods" in _bonuses(board, game) and "goods" not in player.extras:
            yield Problem("not-entered", {"who": player.name, "extra": EXTRA_NAMES["goods"]})


def _lanes(board: Board, game: Game) -> Iterator[Problem]:
    for (a, b), lanes in board.lanes.items():
        owners = Counter(game.claims[route.id] for route in lanes if route.id in game.claims)
        name = f"{board.place_name(a)}-{board.place_name(b)}"
        for player in game.players:
            if owners[player.color] > 1:
                yield Problem("both-lanes", {"who": player.name, "route": name})
        if len(game.players) <= board.rules.single_lane_up_to and owners.total() > 1:
            yield Problem("closed-lane", {"players": len(game.players), "route": name, "count": owners.total()})


def _buildings(board: Board, game: Game) -> Iterator[Problem]:
    for city in dict.fromkeys((*game.stations, *game.depots)):
        if city not in board.cities:
            continue
        count = len(game.stations.get(city, ())) + (city in game.depots)
        if count > 1:
            yield Problem("two-buildings", {"city": board.place_name(city), "count": count})
        if city in game.stations and not board.rules.stations:
            yield Problem("no-stations", {"city": board.place_name(city), "board": board.name})


def _hands(board: Board, game: Game) -> Iterator[Problem]:
    holders: dict[str, list[str]] = {}
    variant = board.variants.get(game.variant) if game.variant else board.default_variant
    for player in game.players:
        for extra in player.extras:
            if extra not in EXTRAS:
                yield Problem("unknown-extra", {"who": player.name, "id": extra})
        for card in player.unread:
            yield Problem("unknown-ticket", {"who": player.name, "id": card, "board": board.name})
        for ticket in player.tickets:
            if ticket.write_in:
                continue
            holders.setdefault(ticket.id, []).append(player.name)
            if variant and ticket.id not in variant.deck:
                values = {"who": player.name, "ticket": board.ticket_name(ticket), "variant": variant.name}
                yield Problem("outside-deck", values)
    for ticket_id, names in holders.items():
        if len(names) > 1:
            ticket_name = board.ticket_name(board.tickets[ticket_id])
            yield Problem("duplicate-ticket", {"ticket": ticket_name, "count": len(names), "who": ", ".join(names)})


def stations_on(board: Board, game: Game, color: str) -> int:
    """How many stations of a colour stand on the board."""
    return sum(colors.count(color) for city, colors in game.stations.items() if city in board.cities)


def _bonuses(board: Board, game: Game) -> Mapping[str, int]:
    return board.variants.get(game.variant, board.default_variant).bonuses

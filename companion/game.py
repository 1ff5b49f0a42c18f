"""What a game is: who played, which cards they held, and what lies on the board. And its file form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.board import Board, Ticket, load_board, pair_id
from companion.check import is_count
from companion.errors import GameError, Sentence, reason

MAX_BYTES = 1_000_000
MAX_TICKETS = 200
OPTIONS = ("depots",)
EXTRAS = ("depots_left", "goods", "stations_left")


@dataclass(frozen=True, slots=True)
class Player:
    """One player: `unread` are cards named in the file that no deck of the board holds."""

    name: str
    color: str
    tickets: tuple[Ticket, ...] = ()
    extras: Mapping[str, int] = field(default_factory=dict)
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Game:
    """A finished game. `claims` and `depots` map ids to colours; a city lists every station that stands on it."""

    map: str
    players: tuple[Player, ...]
    claims: Mapping[str, str]
    stations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    depots: Mapping[str, str] = field(default_factory=dict)
    variant: str = ""
    options: tuple[str, ...] = ()


def load_game(path: Path) -> tuple[Board, Game]:
    """Read a game file and the board it was played on."""
    return parse_game(_read(path))


def parse_game(raw: Any) -> tuple[Board, Game]:
    """The game that the contents of a game file describe, and its board."""
    if not isinstance(raw, dict):
        raise GameError("A game file holds one JSON object with a map, players and claims.")
    if not isinstance(raw.get("map"), str) or len(raw["map"]) > 500:
        raise GameError('The game does not say which map it was played on: add "map": "europe".')
    board = load_board(raw["map"])
    variant = raw.get("variant", board.default_variant.id)
    if not isinstance(variant, str):
        raise GameError('The game\'s variant must be a word, like "classic".')
    options = raw.get("options", [])
    if not (isinstance(options, list) and len(options) <= 20 and all(isinstance(o, str) for o in options)):
        raise GameError('The game\'s options must be a list of words, like ["depots"].')
    return board, Game(
        map=raw["map"],
        variant=variant,
        options=tuple(options),
        players=_players(raw.get("players"), board),
        claims=_colored(raw.get("claims", {}), "claims", Sentence("a route"), board),
        stations=_stations(raw.get("stations", {}), board),
        depots=_colored(raw.get("depots", {}), "depots", Sentence("a city"), board),
    )


def game_to_raw(game: Game) -> dict[str, Any]:
    """The file form of a game."""
    return {
        "map": game.map,
        "variant": game.variant,
        "options": list(game.options),
        "players": [
            {
                "name": player.name,
                "color": player.color,
                "tickets": [{"a": t.a, "b": t.b, "points": t.points} if t.write_in else t.id for t in player.tickets]
                + list(player.unread),
                "extras": dict(player.extras),
            }
            for player in game.players
        ],
        "claims": dict(game.claims),
        "stations": {city: colors[0] if len(colors) == 1 else list(colors) for city, colors in game.stations.items()},
        "depots": dict(game.depots),
    }


def _read(path: Path) -> Any:
    try:
        if not path.is_file():
            raise GameError("There is no game file {path}; check the name.", path=path)
        if path.stat().st_size > MAX_BYTES:
            raise GameError(
                "{file} is larger than a game file can be ({most} MB); give another.",
                file=path.name,
                most=MAX_BYTES // 1_000_000,
            )
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise GameError(
            "{path} cannot be opened ({reason}); check its permissions.", path=path, reason=reason(error)
        ) from error
    except RecursionError as error:
        raise GameError("{file} is nested too deeply for a game file; give another.", file=path.name) from error
    except json.JSONDecodeError as error:
        raise GameError("{file} is not valid JSON: correct line {line}.", file=path.name, line=error.lineno) from error
    except ValueError as error:
        raise GameError("{file} is not valid JSON: it holds text or numbers that cannot be read.", file=path.name) from error


def _players(raw: Any, board: Board) -> tuple[Player, ...]:
    if not isinstance(raw, list) or not raw:
        raise GameError("The game needs a list of players, each with a name and a colour.")
    most = len(board.rules.colors)
    if len(raw) > most:
        raise GameError(
            "The game lists {count} players; {board} is for {most} at most; leave some out.",
            count=len(raw),
            board=board.name,
            most=most,
        )
    players = tuple(_player(item, number, board) for number, item in enumerate(raw, 1))
    seen: set[str] = set()
    for player in players:
        if player.color in seen:
            raise GameError("Two players have the colour {color}: give each their own.", color=player.color)
        seen.add(player.color)
    return players


def _player(raw: Any, number: int, board: Board) -> Player:
    if not isinstance(raw, dict):
        raise GameError("Player {number} must be an object with a name and a colour.", number=number)
    color = _color(raw.get("color"), Sentence("player {number}", number=number), board)
    name = raw.get("name", color.capitalize())
    if not (isinstance(name, str) and 0 < len(name.strip()) <= 60):
        raise GameError("Player {number} needs a name of 1 to 60 letters.", number=number)
    cards = raw.get("tickets", [])
    if not isinstance(cards, list) or len(cards) > MAX_TICKETS:
        raise GameError("{name}'s tickets must be a list of at most {most}.", name=name, most=MAX_TICKETS)
    held = [held_ticket(card, name, board) for card in cards]
    return Player(
        name=name.strip(),
        color=color,
        tickets=tuple(t for t in held if isinstance(t, Ticket)),
        extras=_extras(raw.get("extras", {}), name),
        unread=tuple(t for t in held if isinstance(t, str)),
    )


def held_ticket(raw: Any, name: str, board: Board) -> Ticket | str:
    """A card of the deck by its id, or a write-in; the bare id if its places exist but no card joins them."""
    if isinstance(raw, str):
        if raw in board.tickets:
            return board.tickets[raw]
        if any(raw.startswith(f"{a}-") and raw[len(a) + 1 :] in board.places for a in board.places):
            return raw
        raise GameError(
            "{name} holds a ticket '{ticket}' that goes nowhere on {board}; correct it.",
            name=name,
            ticket=raw[:80],
            board=board.name,
        )
    if not isinstance(raw, dict):
        raise GameError("{name}'s tickets must be ids, or objects with a, b and points.", name=name)
    for end in (raw.get("a"), raw.get("b")):
        if not isinstance(end, str) or end not in board.places:
            raise GameError(
                "{name} holds a ticket to '{place}', which is not a place on {board}; correct it.",
                name=name,
                place=str(end)[:60],
                board=board.name,
            )
    if raw["a"] == raw["b"]:
        raise GameError(
            "{name} holds a ticket from {place} to itself; correct it.", name=name, place=board.place_name(raw["a"])
        )
    return write_in(board, raw["a"], raw["b"], raw.get("points"), name)


def write_in(board: Board, a: str, b: str, points: Any = None, name: str = "A player") -> Ticket:
    """A ticket no deck holds; without points it is worth the shortest distance."""
    if points is None:
        from companion.scoring.tickets import shortest_distance

        points = shortest_distance(board, a, b)
    if not is_count(points, 0, 1000):
        raise GameError(
            "{name}'s ticket {ticket} needs its points as a whole number from 0 to 1000.", name=name, ticket=pair_id(a, b)
        )
    return Ticket(pair_id(a, b), a, b, points, write_in=True)


def _extras(raw: Any, name: str) -> dict[str, int]:
    if not isinstance(raw, dict):
        raise GameError('{name}\'s extras must be an object, like {{"depots_left": 2}}.', name=name)
    for key, value in raw.items():
        if not is_count(value):
            raise GameError("{name}'s {extra} must be a whole number from 0.", name=name, extra=key[:40])
    return dict(raw)


def _color(raw: Any, who: str, board: Board) -> str:
    if not isinstance(raw, str) or raw not in board.rules.colors:
        colors = ", ".join(board.rules.colors)
        raise GameError(
            "The colour '{color}' of {who} is not one of {board}'s: {colors}.",
            color=str(raw)[:40],
            who=who,
            board=board.name,
            colors=colors,
        )
    return raw


def _colored(raw: Any, key: str, what: str, board: Board) -> dict[str, str]:
    if not isinstance(raw, dict) or len(raw) > 2000:
        raise GameError("The game's {key} must be an object from {what} to a colour.", key=key, what=what)
    return {name: _color(color, name[:60], board) for name, color in raw.items()}


def _stations(raw: Any, board: Board) -> dict[str, tuple[str, ...]]:
    if not isinstance(raw, dict) or len(raw) > 2000:
        raise GameError("The game's stations must be an object from a city to a colour.")
    listed = {city: colors if isinstance(colors, list) else [colors] for city, colors in raw.items()}
    return {
        city: tuple(_color(color, Sentence("the station in {city}", city=city[:60]), board) for color in colors[:12])
        for city, colors in listed.items()
    }

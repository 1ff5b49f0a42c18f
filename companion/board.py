"""What a board is: its cities, routes, tickets and rules, loaded from a map folder.

A map folder holds `board.json` (network, geometry, rules, palette), `tickets.json` (cards and the variants that use them)
and, once a photo of the empty board was measured, `signature.npz`. The format is described by the schemas in maps/.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from companion.check import ID, board_faults, read_json, tickets_faults
from companion.errors import BoardError

LINES = ("routes", "tickets", "stations", "longest", "most_tickets", "goods", "attractions", "depots")
"""The lines a score sheet may have, in the order they are read out."""


@dataclass(frozen=True, slots=True)
class City:
    """A place on the board; one with a `country` is a dead end that stands for that country."""

    id: str
    name: str
    x: float
    y: float
    country: str | None = None
    attraction: bool = False
    big_city: bool = False
    printed: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Space:
    """Where one wagon goes: fractions of the board's width and height, and the long side's angle in degrees."""

    x: float
    y: float
    angle: float


@dataclass(frozen=True, slots=True)
class Route:
    """A row of spaces between two cities; parallel routes differ in `lane`."""

    id: str
    a: str
    b: str
    length: int
    color: str
    kind: str
    spaces: tuple[Space, ...]
    lane: int | None = None

    @property
    def ends(self) -> tuple[str, str]:
        return self.a, self.b


@dataclass(frozen=True, slots=True)
class Ticket:
    """Two places to join, and what that is worth. A write-in is one that no deck of the board holds."""

    id: str
    a: str
    b: str
    points: int
    set: str = ""
    long: bool = False
    big_cities: bool = False
    write_in: bool = False


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to play the board: which tickets are in the deck, how they are dealt, which bonuses count."""

    id: str
    name: str
    deck: frozenset[str]
    setup: Mapping[str, Any]
    bonuses: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Rules:
    """What an edition scores. `bonuses` maps a line of the sheet to its points."""

    players: tuple[int, int]
    colors: tuple[str, ...]
    trains: int
    piece: str
    points: Mapping[int, int]
    stations: int
    station_points: int
    bonuses: Mapping[str, int]
    tie_breaks: tuple[str, ...]
    single_lane_up_to: int
    extras: Mapping[str, Mapping[str, Any]]
    depots: int
    depot_points: int


@dataclass(frozen=True)
class Board:
    """A whole board. Look things up by id; every collection keeps the order of its file."""

    id: str
    name: str
    aspect: float
    width_mm: float
    space_size: tuple[float, float]
    cities: Mapping[str, City]
    routes: Mapping[str, Route]
    tickets: Mapping[str, Ticket]
    variants: Mapping[str, Variant]
    rules: Rules
    palette: Mapping[str, tuple[int, int, int]]
    missing: tuple[str, ...] = ()
    folder: Path | None = field(default=None, compare=False)

    @cached_property
    def places(self) -> Mapping[str, tuple[str, ...]]:
        """Every place a ticket may name, with the cities that meet it: a country has several."""
        places: dict[str, tuple[str, ...]] = {city: (city,) for city in self.cities}
        for city in self.cities.values():
            if city.country:
                places[city.country] = (*places.get(city.country, ()), city.id)
        return places

    @cached_property
    def lanes(self) -> Mapping[tuple[str, str], tuple[Route, ...]]:
        """The parallel routes between two cities, for every pair that has more than one."""
        pairs: dict[tuple[str, str], tuple[Route, ...]] = {}
        for route in self.routes.values():
            pairs[route.ends] = (*pairs.get(route.ends, ()), route)
        return {ends: routes for ends, routes in pairs.items() if len(routes) > 1}

    @cached_property
    def spaces(self) -> tuple[Space, ...]:
        """All spaces, route after route, from `a` to `b`."""
        return tuple(space for route in self.routes.values() for space in route.spaces)

    @property
    def default_variant(self) -> Variant:
        return next(iter(self.variants.values()))

    def place_name(self, place: str) -> str:
        """The printed name of a city or country."""
        ends = self.places.get(place)
        return self.cities[ends[0]].name if ends else place

    def route_name(self, route_id: str) -> str:
        """`Paris-Zürich`, with the lane where there are several."""
        route = self.routes.get(route_id)
        if route is None:
            return route_id
        lane = f" (lane {route.lane})" if route.lane else ""
        return f"{self.place_name(route.a)}-{self.place_name(route.b)}{lane}"

    def ticket_name(self, ticket: Ticket) -> str:
        return f"{self.place_name(ticket.a)}-{self.place_name(ticket.b)}"


def pair_id(a: str, b: str) -> str:
    """The id of a ticket or single route: its two ends in alphabetical order."""
    return "-".join(sorted((a, b)))


def bundled_maps() -> Path:
    """The folder of the boards that come with the program."""
    here = Path(__file__).resolve().parent
    beside = here.parent / "maps"
    return beside if (beside / "europe").is_dir() else here / "maps"


def board_ids() -> list[str]:
    """The ids of the bundled boards."""
    return sorted(path.parent.name for path in bundled_maps().glob("*/board.json"))


def user_maps() -> Path:
    """The folder of the boards that this person calibrated or was given."""
    from companion.app.launch import data_folder

    return data_folder() / "boards"


def user_board_ids() -> list[str]:
    """The ids of the person's own boards; a bundled board's id stays the bundled board's."""
    try:
        mine = {path.parent.name for path in user_maps().glob("*/board.json")}
    except OSError:
        return []
    return sorted(name for name in mine - set(board_ids()) if ID.fullmatch(name))


def load_board(map_id: str | Path) -> Board:
    """Load a board by id, or from the path of a map folder; raises BoardError with all its faults."""
    bundled = bundled_maps() / str(map_id)
    if str(map_id) in board_ids():
        return _bundled(bundled)
    folder = Path(map_id)
    if str(map_id) in user_board_ids():
        return _load_folder(user_maps() / str(map_id))
    if not os.path.isfile(folder / "board.json"):
        known = ", ".join([*board_ids(), *user_board_ids()])
        raise BoardError(
            "There is no board called '{map}': choose one of {known}, or give a map folder.",
            map=str(map_id)[:60],
            known=known,
        )
    return _load_folder(folder)


@functools.lru_cache(maxsize=8)
def _bundled(folder: Path) -> Board:
    return _load_folder(folder)


def folder_faults(folder: Path) -> list[str]:
    """Every fault of a map folder, in words; an empty list for a good one."""
    faults: list[str] = []
    board = read_json(folder / "board.json", faults)
    cards = read_json(folder / "tickets.json", faults)
    if board is not None:
        faults += board_faults(board)
    if cards is not None:
        faults += tickets_faults(cards, board)
    return faults


def _load_folder(folder: Path) -> Board:
    faults = folder_faults(folder)
    if faults:
        told = {"folder": folder, "fault": faults[0], "more": len(faults) - 1}
        if len(faults) > 1:
            raise BoardError(
                "The map in {folder} cannot be used; mend it or choose another: {fault} "
                "({more} more: `companion maps check {folder}`)",
                tuple(faults),
                **told,
            )
        raise BoardError("The map in {folder} cannot be used; mend it or choose another: {fault}", tuple(faults), **told)
    return board_from(read_json(folder / "board.json", []), read_json(folder / "tickets.json", []), folder)


def board_from(raw: Any, cards: Any, folder: Path | None = None) -> Board:
    """Build a board from the checked contents of its two files."""
    tickets = {t["id"]: _ticket(t) for t in cards["tickets"]}
    rules = _rules(raw["rules"])
    return Board(
        id=raw["map"],
        name=raw["name"],
        aspect=float(raw["frame"]["aspect"]),
        width_mm=float(raw["frame"]["width_mm"]),
        space_size=(float(raw["space_size"][0]), float(raw["space_size"][1])),
        cities={c["id"]: _city(c) for c in raw["cities"]},
        routes={r["id"]: _route(r) for r in raw["routes"]},
        tickets=tickets,
        variants={v["id"]: _variant(v, tickets.values(), rules) for v in cards["variants"]},
        rules=rules,
        palette={name: (int(rgb[0]), int(rgb[1]), int(rgb[2])) for name, rgb in raw["palette"].items()},
        missing=tuple(raw.get("missing", ())),
        folder=folder,
    )


def _city(raw: Mapping[str, Any]) -> City:
    return City(
        id=raw["id"],
        name=raw["name"],
        x=float(raw["x"]),
        y=float(raw["y"]),
        country=raw.get("country"),
        attraction=bool(raw.get("attraction", False)),
        big_city=bool(raw.get("big_city", False)),
        printed=raw.get("printed", raw["name"].upper()),
        aliases=tuple(raw.get("aliases", ())),
    )


def _route(raw: Mapping[str, Any]) -> Route:
    return Route(
        id=raw["id"],
        a=raw["a"],
        b=raw["b"],
        length=int(raw["length"]),
        color=raw["color"],
        kind=raw["kind"],
        lane=raw.get("lane"),
        spaces=tuple(Space(float(x), float(y), float(angle)) for x, y, angle in raw["spaces"]),
    )


def _ticket(raw: Mapping[str, Any]) -> Ticket:
    return Ticket(
        id=raw["id"],
        a=raw["a"],
        b=raw["b"],
        points=int(raw["points"]),
        set=raw.get("set", ""),
        long=bool(raw.get("long", False)),
        big_cities=bool(raw.get("big_cities", False)),
    )


def _rules(raw: Mapping[str, Any]) -> Rules:
    stations = raw.get("stations", {"each": 0, "points": 0})
    depots = raw.get("depots", {"each": 5, "points": 10})
    return Rules(
        players=(int(raw["players"][0]), int(raw["players"][1])),
        colors=tuple(raw["colors"]),
        trains=int(raw["trains"]),
        piece=raw.get("piece", "wagon"),
        points={int(length): int(points) for length, points in raw["points"].items()},
        stations=int(stations["each"]),
        station_points=int(stations["points"]),
        bonuses=dict(raw["bonuses"]),
        tie_breaks=tuple(raw["tie_breaks"]),
        single_lane_up_to=int(raw["single_lane_up_to"]),
        extras=dict(raw.get("extras", {})),
        depots=int(depots["each"]),
        depot_points=int(depots["points"]),
    )


def _variant(raw: Mapping[str, Any], tickets: Iterable[Ticket], rules: Rules) -> Variant:
    """A ticket is in the deck when it matches every word of at least one of the deck's lines."""
    deck = frozenset(
        ticket.id
        for ticket in tickets
        if any(all(getattr(ticket, key) == wanted for key, wanted in line.items()) for line in raw["deck"])
    )
    return Variant(raw["id"], raw["name"], deck, raw["setup"], dict(raw.get("bonuses", rules.bonuses)))

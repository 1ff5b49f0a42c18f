"""A learnt board being put right by hand: move, name, add and remove, choose rules and pieces, with a way back.

Pure: it works on the contents of board.json and tickets.json, needs neither a picture nor numpy, and keeps ids, lanes,
lengths and tickets in agreement whatever is changed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from string import ascii_lowercase
from typing import Any

from companion.board import Board, board_from, pair_id
from companion.cards import plain
from companion.check import ID, board_faults, tickets_faults
from companion.errors import BoardError

Raw = dict[str, Any]
Rgb = tuple[int, int, int]
Spot = tuple[float, float]

FORMAT = 1
UNSURE = 0.5
"""A city or route less sure than this wants a look."""
MOST_UNDO = 200
MOST_LENGTH = 9
USUAL_POINTS = {1: 1, 2: 2, 3: 4, 4: 7, 5: 10, 6: 15, 7: 18, 8: 21, 9: 27}
SURE = 1.0


def slug(text: str, otherwise: str) -> str:
    """A name as an id: lower-case ASCII with hyphens."""
    found = re.sub(r"[^a-z0-9]+", "-", plain(text)).strip("-")[:60].strip("-")
    return found if ID.fullmatch(found) else otherwise


def with_pieces(raw: Mapping[str, Any], palette: Mapping[str, Rgb]) -> Raw:
    """A board's file with these pieces: they become its players' colours."""
    fewest = min(raw["rules"]["players"][0], len(palette))
    rules = {**raw["rules"], "colors": list(palette), "players": [fewest, len(palette)]}
    return {**raw, "palette": {name: list(rgb) for name, rgb in palette.items()}, "rules": rules}


class Editing:
    """The two files of a board in the making. Every change can be undone.

    goal: the folder name of the board that is being changed, or nothing for a new one
    """

    def __init__(self, raw: Mapping[str, Any], cards: Mapping[str, Any], goal: str = "") -> None:
        self.raw: Raw = dict(raw)
        self.cards: Raw = dict(cards)
        self.goal = goal
        self._undo: list[tuple[Raw, Raw]] = []
        self._redo: list[tuple[Raw, Raw]] = []
        self._board: Board | None = None

    # what it is now

    @property
    def board(self) -> Board:
        if self._board is None:
            self._board = board_from(self.raw, self.cards)
        return self._board

    def faults(self) -> list[str]:
        """Whatever keeps this from being a board, in words."""
        return [*board_faults(self.raw), *tickets_faults(self.cards, self.raw)]

    def unsure(self) -> list[str]:
        """The cities and routes that a person should look at, the least sure first."""
        items = [(one.get("sure", SURE), one["id"]) for one in (*self.raw["cities"], *self.raw["routes"])]
        return [about for sure, about in sorted(items, key=lambda i: i[0]) if sure < UNSURE]

    def is_named(self, city: str) -> bool:
        """Whether a city has a name of its own, not just a number."""
        return re.fullmatch(r"city-\d+", city) is None

    # the way back

    @property
    def can_undo(self) -> bool:
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        return bool(self._redo)

    def undo(self) -> bool:
        return self._swap(self._undo, self._redo)

    def redo(self) -> bool:
        return self._swap(self._redo, self._undo)

    def _swap(self, back: list[tuple[Raw, Raw]], forth: list[tuple[Raw, Raw]]) -> bool:
        if not back:
            return False
        forth.append((self.raw, self.cards))
        self.raw, self.cards = back.pop()
        self._board = None
        return True

    def _change(self, raw: Raw, cards: Raw | None = None) -> None:
        cards = self.cards if cards is None else cards
        if raw == self.raw and cards == self.cards:
            return
        self._undo = [*self._undo[-MOST_UNDO:], (self.raw, self.cards)]
        self._redo = []
        self.raw, self.cards, self._board = raw, cards, None

    # cities

    def confirm(self, about: str) -> None:
        """A person has looked at this city or route and finds it right."""
        self._with("cities" if about in self.board.cities else "routes", about, sure=SURE)

    def move_city(self, city: str, x: float, y: float) -> None:
        self._with("cities", city, x=_share(x), y=_share(y), sure=SURE)

    def add_city(self, x: float, y: float, name: str = "") -> str:
        """A new city at this place, numbered until it has a name."""
        number = len(self.raw["cities"]) + 1
        while f"city-{number}" in self.board.cities:
            number += 1
        about = self._free_id(name, f"city-{number}")
        city = {"id": about, "name": name.strip()[:60] or f"City {number}", "x": _share(x), "y": _share(y), "sure": SURE}
        self._change({**self.raw, "cities": [*self.raw["cities"], city]})
        return about

    def rename_city(self, city: str, name: str) -> str:
        """Give a city its name; its id, its routes and its tickets follow. Returns the id."""
        name = " ".join(name.split())[:60]
        if not name:
            return city
        about = city if slug(name, "") == city else self._free_id(name, city)

        def new(place: str) -> str:
            return about if place == city else place

        cities = [
            {**{k: v for k, v in c.items() if k != "printed"}, "id": about, "name": name, "sure": SURE}
            if c["id"] == city
            else c
            for c in self.raw["cities"]
        ]
        routes = [{**r, "a": new(r["a"]), "b": new(r["b"])} for r in self.raw["routes"]]
        tickets = [
            {**t, "a": new(t["a"]), "b": new(t["b"]), "id": pair_id(new(t["a"]), new(t["b"]))} for t in self.cards["tickets"]
        ]
        raw = {**self.raw, "cities": cities}
        self._change({**raw, "routes": numbered(routes, raw)}, {**self.cards, "tickets": tickets})
        return about

    def remove_city(self, city: str) -> None:
        """Take a city away, with the routes and tickets that end there."""
        cities = [c for c in self.raw["cities"] if c["id"] != city]
        routes = [r for r in self.raw["routes"] if city not in (r["a"], r["b"])]
        tickets = [t for t in self.cards["tickets"] if city not in (t["a"], t["b"])]
        if len(cities) < 2 or not routes:
            raise BoardError("A board needs two cities and a route at least.")
        self._change({**self.raw, "cities": cities, "routes": routes}, {**self.cards, "tickets": tickets})

    # routes

    def move_space(self, route: str, number: int, x: float, y: float) -> None:
        self._space(route, number, lambda space: [_share(x), _share(y), space[2]])

    def turn_space(self, route: str, number: int, degrees: float) -> None:
        self._space(route, number, lambda space: [space[0], space[1], round((space[2] + degrees) % 180, 1)])

    def _space(self, route: str, number: int, change: Callable[[Sequence[float]], list[float]]) -> None:
        spaces = self._route(route)["spaces"]
        placed = [change(space) if at == number else space for at, space in enumerate(spaces)]
        self._with("routes", route, spaces=placed, sure=SURE)

    def add_route(self, a: str, b: str, length: int, color: str = "gray") -> str:
        """A straight row of spaces between two cities, beside the routes that are there already. Returns its id."""
        if a == b:
            raise BoardError("A route needs two different cities.")
        places = self._places()
        beside = [r for r in self.raw["routes"] if {r["a"], r["b"]} == {a, b}]
        off = self._aside(places[a], places[b], len(beside))
        ends = [(places[c][0] + off[0], places[c][1] + off[1]) for c in sorted((a, b))]
        route = {
            "id": "",
            "a": min(a, b),
            "b": max(a, b),
            "length": length,
            "color": color,
            "kind": "normal",
            "spaces": self._laid(ends, length),
            "sure": SURE,
        }
        raw = self._scored({**self.raw, "routes": [*self.raw["routes"], route]})
        routes = numbered(raw["routes"], raw)
        self._change({**raw, "routes": routes})
        return next(str(r["id"]) for r in routes if r["spaces"] == route["spaces"])

    def remove_route(self, route: str) -> None:
        routes = [r for r in self.raw["routes"] if r["id"] != route]
        if not routes:
            raise BoardError("A board needs two cities and a route at least.")
        self._change({**self.raw, "routes": numbered(routes, self.raw)})

    def set_length(self, route: str, length: int) -> None:
        """Lay another number of spaces along the way that the route takes now."""
        length = min(max(length, 1), MOST_LENGTH)
        now = self._route(route)
        if length == now["length"]:
            return
        places = self._places()
        way = [places[now["a"]], *((s[0], s[1]) for s in now["spaces"]), places[now["b"]]]
        if math.dist(way[0], way[1]) > math.dist(way[0], way[-2]):
            way[1:-1] = way[-2:0:-1]
        changed = {**now, "length": length, "spaces": self._laid(way, length), "sure": SURE}
        routes = [changed if r is now else r for r in self.raw["routes"]]
        self._change(self._scored({**self.raw, "routes": routes}))

    def set_color(self, route: str, color: str) -> None:
        self._with("routes", route, color=color, sure=SURE)

    def set_kind(self, route: str, kind: str) -> None:
        self._with("routes", route, kind=kind, sure=SURE)

    # rules and pieces

    def rename(self, name: str) -> None:
        name = " ".join(name.split())[:60]
        if name:
            self._change({**self.raw, "name": name})

    def take_rules(self, known: Mapping[str, Any], cards: Mapping[str, Any]) -> None:
        """Score like a known board: its points, pieces and bonuses. Pieces that were taught keep their colours."""
        taught = self.raw.get("taught", {})
        rules, palette = dict(known["rules"]), dict(known["palette"])
        raw = {**self.raw, "rules": rules, "palette": palette, "rules_of": known["map"]}
        if taught:
            raw = with_pieces(raw, taught)
        mine = self.cards
        if not mine["tickets"]:
            variant = {**cards["variants"][0], "deck": [{}]}
            mine = {**mine, "variants": [variant]}
        self._change(self._scored(raw), mine)

    def set_rule(self, name: str, value: int) -> None:
        """One number of the rules: trains, stations, longest, most_tickets, or the points of a length like "4"."""
        rules = dict(self.raw["rules"])
        if name == "trains":
            rules["trains"] = value
        elif name == "stations":
            rules["stations"] = {"points": 4, **rules.get("stations", {}), "each": value}
        elif name in ("longest", "most_tickets"):
            others = {k: v for k, v in rules["bonuses"].items() if k != name}
            rules["bonuses"] = {**others, name: value} if value else others
        else:
            rules["points"] = {**rules["points"], name: value}
        self._change({**self.raw, "rules": rules})

    def teach(self, palette: Mapping[str, Rgb]) -> None:
        """These are the pieces of this box, as they were seen."""
        if not 1 <= len(palette) <= 12:
            raise BoardError("A box needs pieces of one colour at least.")
        self._change({**with_pieces(self.raw, palette), "taught": {name: list(rgb) for name, rgb in palette.items()}})

    # inside

    def _with(self, among: str, about: str, **changes: Any) -> None:
        items = [{**one, **changes} if one["id"] == about else one for one in self.raw[among]]
        self._change({**self.raw, among: items})

    def _route(self, route: str) -> Raw:
        found: Raw = next(r for r in self.raw["routes"] if r["id"] == route)
        return found

    def _places(self) -> dict[str, Spot]:
        return {c["id"]: (c["x"], c["y"]) for c in self.raw["cities"]}

    def _free_id(self, name: str, otherwise: str) -> str:
        """The name as an id; one that is taken gets a letter, for a number at the end means a lane."""
        wanted = about = slug(name, otherwise)
        for letter in ascii_lowercase[1:] * 9:
            if about not in self.board.cities:
                break
            about = f"{wanted}-{letter}" if f"{wanted}-{letter}" not in self.board.cities else f"{about}-{letter}"
        return about

    def _scored(self, raw: Raw) -> Raw:
        """The same with points for every length that occurs."""
        points = raw["rules"]["points"]
        new = {str(r["length"]) for r in raw["routes"]} - set(points)
        more = {length: USUAL_POINTS.get(int(length), 3 * int(length)) for length in sorted(new)}
        return {**raw, "rules": {**raw["rules"], "points": {**points, **more}}} if more else raw

    def _aside(self, a: Spot, b: Spot, lanes: int) -> Spot:
        """How far to the side a new lane lies when so many are there: right, left, further right, ..."""
        if not lanes:
            return 0.0, 0.0
        aspect = float(self.raw["frame"]["aspect"])
        dx, dy = (b[0] - a[0]) * aspect, b[1] - a[1]
        away = math.hypot(dx, dy) or 1.0
        step = 1.4 * float(self.raw["space_size"][1]) * ((lanes + 1) // 2) * (1 if lanes % 2 else -1)
        return -dy / away * step / aspect, dx / away * step

    def _laid(self, way: Sequence[Spot], length: int) -> list[list[float]]:
        """So many spaces evenly along a way from city to city, given in shares of the board."""
        aspect = float(self.raw["frame"]["aspect"])
        points = [(x * aspect, y) for x, y in way]
        steps = [math.dist(p, q) for p, q in pairwise(points)]
        whole = sum(steps)
        inset = min(0.6 * float(self.raw["space_size"][1]), 0.2 * whole)
        spaces = []
        for number in range(length):
            at = inset + (whole - 2 * inset) * (number + 0.5) / length
            leg = 0
            while leg < len(steps) - 1 and at > steps[leg]:
                at -= steps[leg]
                leg += 1
            (px, py), (qx, qy) = points[leg], points[leg + 1]
            share = at / steps[leg] if steps[leg] else 0.5
            angle = math.degrees(math.atan2(qy - py, qx - px)) % 180
            spaces.append([_share((px + (qx - px) * share) / aspect), _share(py + (qy - py) * share), round(angle, 1)])
        return spaces

    # on disk

    def to_form(self) -> Raw:
        """What is kept of it at every change; undo is not."""
        return {"format": FORMAT, "goal": self.goal, "board": self.raw, "cards": self.cards}


def from_form(form: Any) -> Editing:
    """The editing that a file describes; raises BoardError when it cannot be one."""
    if not isinstance(form, dict) or form.get("format") != FORMAT:
        raise BoardError("This is not a board in the making; begin again with its photo.")
    faults = [*board_faults(form.get("board")), *tickets_faults(form.get("cards"), form.get("board"))]
    if faults:
        raise BoardError("This board in the making is damaged: {fault}", tuple(faults), fault=faults[0])
    goal = form.get("goal")
    return Editing(form["board"], form["cards"], goal if isinstance(goal, str) and ID.fullmatch(goal) else "")


def numbered(routes: Iterable[Raw], raw: Mapping[str, Any]) -> list[Raw]:
    """Routes with the ids that their ends ask for: ends in order of the alphabet, lanes counted from the left."""
    aspect = float(raw["frame"]["aspect"])
    places = {c["id"]: (c["x"] * aspect, c["y"]) for c in raw["cities"]}
    groups: dict[tuple[str, str], list[Raw]] = {}
    for route in routes:
        if route["a"] > route["b"]:
            route = {**route, "a": route["b"], "b": route["a"], "spaces": route["spaces"][::-1]}
        groups.setdefault((route["a"], route["b"]), []).append(route)
    named: list[Raw] = []
    for (a, b), lanes in groups.items():
        if len(lanes) > 1 and sorted(r.get("lane", 0) for r in lanes) != list(range(1, len(lanes) + 1)):
            way = places[b][0] - places[a][0], places[b][1] - places[a][1]
            lanes.sort(key=lambda r, way=way, a=a: _to_the_right(r, places[a], way, aspect))  # type: ignore[misc]
            lanes = [{**r, "lane": number} for number, r in enumerate(lanes, 1)]
        for route in lanes:
            lane = {"lane": route["lane"]} if len(lanes) > 1 else {}
            rest = {k: v for k, v in route.items() if k not in ("id", "lane")}
            named.append({"id": f"{a}-{b}" + (f"-{lane['lane']}" if lane else ""), **lane, **rest})
    return named


def _to_the_right(route: Raw, start: Spot, way: Spot, aspect: float) -> float:
    """How far to the right of the straight way a route's spaces lie."""
    x: float = sum(s[0] for s in route["spaces"]) / len(route["spaces"]) * aspect - start[0]
    y: float = sum(s[1] for s in route["spaces"]) / len(route["spaces"]) - start[1]
    return way[0] * y - way[1] * x


def _share(value: float) -> float:
    return round(min(max(value, 0.0), 1.0), 5)

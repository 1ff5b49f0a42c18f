"""Every fault of a map folder, in words a person calibrating their own board understands.

The checks mirror maps/board.schema.json and maps/tickets.schema.json, and add what a schema cannot say: that ids agree,
that routes start at cities that exist, that every ticket can be met.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from companion.errors import Sentence, reason

FORMAT = 1
MAX_BYTES = 4_000_000
MAX_ITEMS = 2_000
KINDS = ("normal", "tunnel", "ferry")
PRINTED = ("gray", "blue", "green", "black", "yellow", "red", "white", "purple", "pink", "orange", "brown")
BONUSES = ("longest", "most_tickets", "goods", "attractions")
TIE_BREAKS = ("tickets", "stations", "longest", "goods")
DECK_WORDS = {"set": str, "long": bool, "big_cities": bool}
CITY, ROUTE, TICKET, VARIANT = Sentence("City"), Sentence("Route"), Sentence("Ticket"), Sentence("Variant")
RULES = Sentence("rules")
ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def read_json(path: Path, faults: list[str]) -> Any:
    """The contents of a JSON file of sane size, or None with the reason added to `faults`."""
    try:
        if path.exists() and not path.is_file():
            faults.append(Sentence("{file} is not a file.", file=path.name))
            return None
        if path.is_symlink() and path.resolve().parent != path.parent.resolve():
            faults.append(
                Sentence("{file} is a link that leads out of the folder; put the file itself there.", file=path.name)
            )
            return None
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            faults.append(
                Sentence(
                    "{file} is larger than {most} MB, which no map can be.", file=path.name, most=MAX_BYTES // 1_000_000
                )
            )
            return None
        return json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except FileNotFoundError:
        faults.append(Sentence("There is no {file} in the folder.", file=path.name))
    except OSError as error:
        faults.append(Sentence("{file} cannot be opened ({reason}).", file=path.name, reason=reason(error)))
    except RecursionError:
        faults.append(Sentence("{file} is nested too deeply.", file=path.name))
    except json.JSONDecodeError as error:
        faults.append(Sentence("{file} is not valid JSON: correct line {line}.", file=path.name, line=error.lineno))
    except ValueError:
        faults.append(Sentence("{file} is not valid JSON: it holds text or numbers that cannot be read.", file=path.name))
    return None


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def brief(value: Any) -> str:
    """Something out of a file, short enough for a sentence."""
    return str(value)[:60] if isinstance(value, str | int | float | bool | None) else type(value).__name__


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9


def is_count(value: Any, least: int = 0, most: int = 10_000) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def is_text(value: Any, most: int = 100) -> bool:
    return isinstance(value, str) and 0 < len(value) <= most


def is_id(value: Any) -> bool:
    return is_text(value) and ID.fullmatch(value) is not None


def is_fraction(value: Any) -> bool:
    return is_number(value) and 0 <= value <= 1


def board_faults(raw: Any) -> list[str]:
    """All that is wrong with the contents of a board.json."""
    if not isinstance(raw, dict):
        return [Sentence("board.json must hold one object, with cities, routes and rules.")]
    return [*_head_faults(raw), *_city_faults(raw), *_route_faults(raw), *_rule_faults(raw)]


def tickets_faults(raw: Any, board: Any) -> list[str]:
    """All that is wrong with the contents of a tickets.json, given its board (None if that could not be read)."""
    if not isinstance(raw, dict):
        return [Sentence("tickets.json must hold one object, with tickets and variants.")]
    return [*_card_faults(raw, board), *_variant_faults(raw)]


def _head_faults(raw: Mapping[str, Any]) -> Iterator[str]:
    if raw.get("format") != FORMAT:
        yield Sentence(
            "The format is '{format}'; this version reads format {known}.", format=brief(raw.get("format")), known=FORMAT
        )
    if not is_id(raw.get("map")):
        yield Sentence("The board's id ('map') must be lower-case letters, digits and hyphens, like 'my-island'.")
    if not is_text(raw.get("name")):
        yield Sentence("The board has no name.")
    frame = raw.get("frame")
    if not isinstance(frame, dict):
        yield Sentence("The board has no 'frame' with its aspect and width_mm.")
    else:
        if not is_number(frame.get("aspect")) or not 0.1 <= frame["aspect"] <= 10:
            yield Sentence("The frame's aspect (width divided by height) must be a number between 0.1 and 10.")
        if not is_number(frame.get("width_mm")) or not 50 <= frame["width_mm"] <= 5000:
            yield Sentence("The frame's width_mm must be between 50 and 5000 millimetres.")
    size = raw.get("space_size")
    if not (isinstance(size, list) and len(size) == 2 and all(is_fraction(s) and s > 0 for s in size)):
        yield Sentence(
            "space_size must be two fractions: a space's length of the board's width, its width of the board's height."
        )
    palette = raw.get("palette")
    if not isinstance(palette, dict):
        yield Sentence("The board has no 'palette' with the colour of each player's pieces.")
    else:
        for name, rgb in palette.items():
            if not (isinstance(rgb, list) and len(rgb) == 3 and all(is_count(c, 0, 255) for c in rgb)):
                yield Sentence(
                    "The palette's {name} must be three whole numbers from 0 to 255: red, green, blue.", name=brief(name)
                )
    missing = raw.get("missing", [])
    if not (isinstance(missing, list) and all(is_text(line, 500) for line in missing)):
        yield Sentence("'missing' must be a list of sentences.")


def _items(raw: Mapping[str, Any], key: str, one: Sentence) -> Iterator[tuple[Sentence, dict[str, Any]]]:
    """The objects of a list with how to call each in a fault; what is not an object is passed over."""
    items = raw.get(key)
    for number, item in enumerate(items if isinstance(items, list) else [], 1):
        if isinstance(item, dict):
            name = item.get("id")
            if is_text(name):
                yield Sentence("{one} '{name}'", one=one, name=name), item
            else:
                yield Sentence("{one} number {number}", one=one, number=number), item


def _list_faults(raw: Mapping[str, Any], key: str, one: Sentence, least: int) -> Iterator[str]:
    items = raw.get(key)
    if not isinstance(items, list):
        yield Sentence("There is no list of '{key}'.", key=key)
        return
    if not least <= len(items) <= MAX_ITEMS:
        yield Sentence(
            "The list of '{key}' holds {count}; a board has {least} to {most}.",
            count=len(items),
            key=key,
            least=least,
            most=MAX_ITEMS,
        )
    for number, item in enumerate(items, 1):
        if not isinstance(item, dict):
            yield Sentence("{one} number {number} must be an object.", one=one, number=number)
    ids = Counter(item["id"] for _, item in _items(raw, key, one) if is_text(item.get("id")))
    for name, count in ids.items():
        if count > 1:
            yield Sentence(
                "{one} '{name}' occurs {count} times; every id must be different.", one=one, name=name, count=count
            )


def _city_faults(raw: Mapping[str, Any]) -> Iterator[str]:
    yield from _list_faults(raw, "cities", CITY, 2)
    for who, city in _items(raw, "cities", CITY):
        if not is_id(city.get("id")):
            yield Sentence("{who}: its id must be lower-case letters, digits and hyphens.", who=who)
        if not is_text(city.get("name")):
            yield Sentence("{who} has no name.", who=who)
        if not (is_fraction(city.get("x")) and is_fraction(city.get("y"))):
            yield Sentence("{who} must lie on the board: x and y from 0 to 1.", who=who)
        if "country" in city and not is_id(city["country"]):
            yield Sentence("{who}: its country must be lower-case letters, digits and hyphens.", who=who)
        for word in ("attraction", "big_city"):
            if not isinstance(city.get(word, False), bool):
                yield Sentence("{who}: '{word}' must be true or false.", who=who, word=word)
        aliases = city.get("aliases", [])
        if not (isinstance(aliases, list) and all(map(is_text, aliases)) and isinstance(city.get("printed", ""), str)):
            yield Sentence("{who}: 'printed' must be a name and 'aliases' a list of names.", who=who)


def _city_ids(raw: Any) -> set[str]:
    cities = raw.get("cities") if isinstance(raw, dict) else None
    return {c["id"] for c in (cities if isinstance(cities, list) else []) if isinstance(c, dict) and is_text(c.get("id"))}


def _route_faults(raw: Mapping[str, Any]) -> Iterator[str]:
    yield from _list_faults(raw, "routes", ROUTE, 1)
    cities = _city_ids(raw)
    points = raw["rules"].get("points") if isinstance(raw.get("rules"), dict) else None
    pairs: dict[tuple[str, str], list[Any]] = {}
    for who, route in _items(raw, "routes", ROUTE):
        ends: list[Any] = [route.get("a"), route.get("b")]
        for end in ends:
            if not (is_text(end) and end in cities):
                yield Sentence("{who} ends at '{end}', which is not a city of this board.", who=who, end=brief(end))
        lane = route.get("lane")
        if lane is not None and not is_count(lane, 1, 9):
            yield Sentence("{who}: its lane must be 1, 2 or 3, counted from the left.", who=who)
        if all(is_text(end) for end in ends):
            pairs.setdefault((ends[0], ends[1]), []).append(lane)
            if ends[0] >= ends[1]:
                yield Sentence("{who} must name its cities in alphabetical order.", who=who)
            wanted = f"{ends[0]}-{ends[1]}" + (f"-{lane}" if lane is not None else "")
            if route.get("id") != wanted:
                yield Sentence("{who} should be called '{wanted}', after its cities and lane.", who=who, wanted=wanted)
        length = route.get("length")
        if not is_count(length, 1, 30):
            yield Sentence("{who}: its length must be a whole number from 1 to 30.", who=who)
        elif isinstance(points, dict) and str(length) not in points:
            yield Sentence(
                "{who} is {length} long, but the points table has no value for that length.", who=who, length=length
            )
        if not (is_text(route.get("color")) and route["color"] in PRINTED):
            yield Sentence("{who}: its printed colour must be one of {known}.", who=who, known=", ".join(PRINTED))
        if not (is_text(route.get("kind")) and route["kind"] in KINDS):
            yield Sentence("{who}: its kind must be one of {known}.", who=who, known=", ".join(KINDS))
        yield from _space_faults(who, route.get("spaces"), length)
    for (a, b), lanes in pairs.items():
        if len(lanes) > 1 and sorted(map(str, lanes)) != [str(n + 1) for n in range(len(lanes))]:
            yield Sentence("The {count} routes between {a} and {b} must be lanes 1 to {count}.", count=len(lanes), a=a, b=b)
        if len(lanes) == 1 and lanes[0] is not None:
            yield Sentence("The route between {a} and {b} has a lane number but no other lane beside it.", a=a, b=b)


def _space_faults(who: str, spaces: Any, length: Any) -> Iterator[str]:
    if not isinstance(spaces, list):
        yield Sentence("{who} has no list of spaces.", who=who)
        return
    if len(spaces) != length:
        yield Sentence("{who} has {count} spaces but is {length} long.", who=who, count=len(spaces), length=length)
    for number, space in enumerate(spaces, 1):
        if not (isinstance(space, list) and len(space) == 3 and all(map(is_number, space))):
            yield Sentence("{who}: space {number} must be [x, y, angle].", who=who, number=number)
        elif not (is_fraction(space[0]) and is_fraction(space[1])):
            yield Sentence("{who}: space {number} lies outside the board.", who=who, number=number)
        elif abs(space[2]) > 360:
            yield Sentence(
                "{who}: space {number} has an angle of {angle}; degrees go from -360 to 360.",
                who=who,
                number=number,
                angle=space[2],
            )


def _rule_faults(raw: Mapping[str, Any]) -> Iterator[str]:
    rules = raw.get("rules")
    if not isinstance(rules, dict):
        yield Sentence("The board has no rules.")
        return
    players = rules.get("players")
    if not (isinstance(players, list) and len(players) == 2 and all(is_count(n, 1, 12) for n in players)):
        yield Sentence("rules: players must be the fewest and the most, like [2, 5].")
    elif players[0] > players[1]:
        yield Sentence("rules: the fewest players are more than the most.")
    colors = rules.get("colors")
    if not (isinstance(colors, list) and 1 <= len(colors) <= 12 and all(map(is_id, colors))):
        yield Sentence("rules: colors must list the players' colours.")
    else:
        if len(set(colors)) < len(colors):
            yield Sentence("rules: a player colour is listed twice.")
        if isinstance(raw.get("palette"), dict):
            for name in colors:
                if name not in raw["palette"]:
                    yield Sentence("The palette does not say what {name} looks like.", name=name)
    if not is_count(rules.get("trains"), 1, 200):
        yield Sentence("rules: trains must say how many each player has (1 to 200).")
    if rules.get("piece", "wagon") not in ("wagon", "taxi"):
        yield Sentence("rules: piece must be 'wagon' or 'taxi'.")
    if not is_count(rules.get("single_lane_up_to"), 0, 12):
        yield Sentence(
            "rules: single_lane_up_to must be the number of players up to which only one lane may be used (0 for never)."
        )
    points = rules.get("points")
    if not (isinstance(points, dict) and points):
        yield Sentence("rules: points must give the value of each route length.")
    else:
        for length, value in points.items():
            if not (length.isascii() and length.isdigit() and 1 <= len(length) <= 2 and is_count(value, 0, 1000)):
                yield Sentence("rules: the points for length {length} must be a whole number from 0.", length=brief(length))
    yield from _bonus_faults(RULES, rules.get("bonuses"))
    for pieces in ("stations", "depots"):
        have = rules.get(pieces, {"each": 0, "points": 0})
        if not (isinstance(have, dict) and is_count(have.get("each"), 0, 50) and is_count(have.get("points"), 0, 1000)):
            yield Sentence("rules: {pieces} must say how many each player has and what one is worth.", pieces=pieces)
    breaks = rules.get("tie_breaks")
    if not (isinstance(breaks, list) and all(is_text(b) and b in TIE_BREAKS for b in breaks)):
        yield Sentence("rules: tie_breaks must be a list out of {known}.", known=", ".join(TIE_BREAKS))
    extras = rules.get("extras", {})
    if not (isinstance(extras, dict) and all(isinstance(e, dict) and is_text(e.get("name")) for e in extras.values())):
        yield Sentence("rules: every extra must be an object with a name.")


def _bonus_faults(who: str, bonuses: Any) -> Iterator[str]:
    if not isinstance(bonuses, dict):
        yield Sentence("{who}: bonuses must be an object ({{}} for none).", who=who)
        return
    for kind, value in bonuses.items():
        if kind not in BONUSES:
            yield Sentence(
                "{who}: '{kind}' is no bonus we know; they are {known}.", who=who, kind=brief(kind), known=", ".join(BONUSES)
            )
        elif not is_count(value, 0, 1000):
            yield Sentence("{who}: the {kind} bonus must be a whole number of points.", who=who, kind=brief(kind))


def _card_faults(raw: Mapping[str, Any], board: Any) -> Iterator[str]:
    yield from _list_faults(raw, "tickets", TICKET, 0)
    cities = board.get("cities") if isinstance(board, dict) else None
    listed = [c.get("country") for c in (cities if isinstance(cities, list) else []) if isinstance(c, dict)]
    places = _city_ids(board) | {country for country in listed if is_text(country)}
    for who, ticket in _items(raw, "tickets", TICKET):
        ends: list[Any] = [ticket.get("a"), ticket.get("b")]
        for end in ends:
            if not (is_text(end) and end in places):
                yield Sentence("{who} goes to '{end}', which is not a place on this board.", who=who, end=brief(end))
        if all(is_text(end) for end in ends):
            if ends[0] == ends[1]:
                yield Sentence("{who} starts and ends at the same place.", who=who)
            elif ticket.get("id") != "-".join(sorted(ends)):
                yield Sentence(
                    "{who} should be called '{wanted}', after its two places.", who=who, wanted="-".join(sorted(ends))
                )
        if not is_count(ticket.get("points"), 0, 1000):
            yield Sentence("{who}: its points must be a whole number from 0.", who=who)
        if not isinstance(ticket.get("set", ""), str):
            yield Sentence("{who}: its set must be a word.", who=who)
        for word in ("long", "big_cities"):
            if not isinstance(ticket.get(word, False), bool):
                yield Sentence("{who}: '{word}' must be true or false.", who=who, word=word)


def _variant_faults(raw: Mapping[str, Any]) -> Iterator[str]:
    yield from _list_faults(raw, "variants", VARIANT, 1)
    for who, variant in _items(raw, "variants", VARIANT):
        if not is_id(variant.get("id")):
            yield Sentence("{who}: its id must be lower-case letters, digits and hyphens.", who=who)
        if not is_text(variant.get("name")):
            yield Sentence("{who} has no name.", who=who)
        deck = variant.get("deck")
        if not (isinstance(deck, list) and all(isinstance(line, dict) for line in deck)):
            yield Sentence(
                '{who}: its deck must be a list of what its tickets have in common, like [{{"set": "europe"}}].', who=who
            )
        else:
            for line in deck:
                for word, value in line.items():
                    if word not in DECK_WORDS or not isinstance(value, DECK_WORDS[word]):
                        yield Sentence(
                            "{who}: its deck cannot choose tickets by '{word}' = {value}.",
                            who=who,
                            word=brief(word),
                            value=brief(value),
                        )
        setup = variant.get("setup")
        if not isinstance(setup, dict):
            yield Sentence("{who} has no 'setup' (deal, keep, draw).", who=who)
        else:
            yield from _setup_faults(who, setup)
        if "bonuses" in variant:
            yield from _bonus_faults(who, variant["bonuses"])


def _setup_faults(who: str, setup: Mapping[str, Any]) -> Iterator[str]:
    deal = setup.get("deal")
    good = isinstance(deal, list) and all(
        isinstance(d, dict) and d.get("cards") in ("any", "long", "standard") and is_count(d.get("count"), 0, 50)
        for d in deal
    )
    if not good:
        yield Sentence('{who}: its deal must be a list like [{{"cards": "long", "count": 1}}].', who=who)
    for word in ("keep", "draw", "draw_keep"):
        if not is_count(setup.get(word), 0, 50):
            yield Sentence("{who}: '{word}' must be a whole number of tickets.", who=who, word=word)
    for word in ("keep_without_long", "keep_long_at_most"):
        if word in setup and not is_count(setup[word], 0, 50):
            yield Sentence("{who}: '{word}' must be a whole number of tickets.", who=who, word=word)

"""Putting a learnt board right by hand: whatever is done, it stays a board; and everything can be undone."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from contextlib import suppress
from typing import Any

import pytest

from calibration.editing import UNSURE, Editing, from_form
from companion.board import board_ids, bundled_maps
from companion.errors import BoardError


def files(map_id: str) -> tuple[Any, Any]:
    folder = bundled_maps() / map_id
    return tuple(json.loads((folder / name).read_text(encoding="utf-8")) for name in ("board.json", "tickets.json"))


def edit(map_id: str = "europe") -> Editing:
    return Editing(*files(map_id))


def test_the_least_sure_come_first_and_a_look_settles_them() -> None:
    raw, cards = files("europe")
    raw["cities"][4]["sure"], raw["routes"][7]["sure"], raw["cities"][9]["sure"] = 0.4, 0.1, UNSURE
    board = Editing(raw, cards)
    first, second = raw["routes"][7]["id"], raw["cities"][4]["id"]
    assert board.unsure() == [first, second]
    board.confirm(first)
    board.move_city(second, 0.5, 0.5)
    assert board.unsure() == []
    assert (board.board.cities[second].x, board.board.cities[second].y) == (0.5, 0.5)


def test_a_renamed_city_takes_its_routes_and_tickets_along() -> None:
    board = edit()
    before = board.board
    routes = sum("paris" in r.ends for r in before.routes.values())
    tickets = sum("paris" in (t.a, t.b) for t in before.tickets.values())
    assert board.rename_city("paris", "  Århus   Nord ") == "arhus-nord"
    after = board.board
    assert after.cities["arhus-nord"].name == "Århus Nord" and "paris" not in after.cities
    assert sum("arhus-nord" in r.ends for r in after.routes.values()) == routes
    assert sum("arhus-nord" in (t.a, t.b) for t in after.tickets.values()) == tickets
    assert board.faults() == []


def test_a_name_that_exists_already_gets_a_letter() -> None:
    board = edit()
    assert board.rename_city("paris", "Roma") == "roma-b"
    assert board.rename_city("zurich", "Roma!") == "roma-c"
    assert board.rename_city("madrid", "   ") == "madrid"
    assert board.faults() == []


def test_lanes_are_counted_from_the_left() -> None:
    board = edit()
    single = next(r for r in board.board.routes.values() if r.id == "brest-pamplona")
    assert board.add_route("pamplona", "brest", single.length) in ("brest-pamplona-1", "brest-pamplona-2")
    lanes = {r.lane: r for r in board.board.routes.values() if set(r.ends) == {"brest", "pamplona"}}
    a, b = board.board.cities["brest"], board.board.cities["pamplona"]

    def right(lane: int) -> float:
        spaces = lanes[lane].spaces
        x, y = sum(s.x for s in spaces) / len(spaces), sum(s.y for s in spaces) / len(spaces)
        return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)

    assert right(1) < right(2)
    board.remove_route("brest-pamplona-2")
    assert "brest-pamplona" in board.board.routes and board.faults() == []


def test_another_length_follows_the_way_and_gets_points() -> None:
    board = edit()
    about = next(r.id for r in board.board.routes.values() if r.length >= 4)
    middle = board.board.routes[about].spaces[board.board.routes[about].length // 2]
    board.set_length(about, 9)
    after = board.board.routes[about]
    assert after.length == len(after.spaces) == 9 and board.board.rules.points[9] == 27
    assert min(abs(s.x - middle.x) + abs(s.y - middle.y) for s in after.spaces) < 0.03
    assert board.faults() == []


def test_spaces_are_moved_and_turned_one_by_one() -> None:
    board = edit()
    board.move_space("brest-paris", 1, 1.7, -0.2)
    board.turn_space("brest-paris", 1, -30)
    space = board.board.routes["brest-paris"].spaces[1]
    assert (space.x, space.y) == (1.0, 0.0)
    assert board.undo() and board.undo() and not board.undo()
    assert board.raw == files("europe")[0]
    assert board.redo() and board.board.routes["brest-paris"].spaces[1].x == 1.0


def test_a_city_goes_with_all_that_ends_there_but_never_the_last_ones() -> None:
    board = edit("new-york")
    cities = list(board.board.cities)
    while len(board.board.routes) > len([r for r in board.board.routes.values() if cities[0] in r.ends]):
        board.remove_city(
            next(c for c in cities[1:] if any(c in r.ends and cities[0] not in r.ends for r in board.board.routes.values()))
        )
    with pytest.raises(BoardError, match="two cities"):
        board.remove_city(cities[0])
    assert len(board.board.routes) >= 1 and board.faults() == []


def test_a_new_city_is_numbered_until_it_has_a_name() -> None:
    board = edit()
    about = board.add_city(0.2, 0.3)
    assert not board.is_named(about)
    board.add_route(about, "paris", 2, "red")
    about = board.rename_city(about, "Lyon")
    assert about == "lyon" and board.is_named("lyon") and "lyon-paris" in board.board.routes
    assert board.faults() == []


@pytest.mark.parametrize("known", board_ids())
def test_rules_of_a_known_board_are_taken_whole(known: str) -> None:
    raw, cards = files(known)
    board = Editing(files("europe")[0], {"tickets": [], "variants": files("europe")[1]["variants"][:1]})
    board.take_rules(raw, cards)
    assert board.board.rules.trains == raw["rules"]["trains"] and board.board.rules.bonuses == raw["rules"]["bonuses"]
    assert board.board.default_variant.setup == cards["variants"][0]["setup"]
    assert board.faults() == []


def test_taught_pieces_outlive_a_change_of_rules() -> None:
    board = edit()
    board.teach({"orange": (220, 120, 40), "blue": (10, 20, 200)})
    board.take_rules(*files("usa"))
    assert board.board.rules.colors == ("orange", "blue") and board.board.palette["orange"] == (220, 120, 40)
    assert board.board.rules.players == (2, 2) and board.faults() == []
    with pytest.raises(BoardError):
        board.teach({})


@pytest.mark.parametrize(
    ("name", "value", "seen"),
    [
        ("trains", 30, lambda r: r.trains == 30),
        ("stations", 2, lambda r: r.stations == 2 and r.station_points == 4),
        ("longest", 0, lambda r: "longest" not in r.bonuses),
        ("most_tickets", 15, lambda r: r.bonuses["most_tickets"] == 15),
        ("4", 8, lambda r: r.points[4] == 8),
    ],
)
def test_every_number_of_the_rules_can_be_set(name: str, value: int, seen: Any) -> None:
    board = edit()
    board.set_rule(name, value)
    assert seen(board.board.rules) and board.faults() == []


def test_what_was_kept_comes_back_and_damage_is_refused() -> None:
    board = edit()
    board.rename_city("paris", "Lutetia")
    again = from_form(json.loads(json.dumps(board.to_form())))
    assert again.raw == board.raw and again.cards == board.cards
    broken = json.loads(json.dumps(board.to_form()))
    broken["board"]["routes"][0]["a"] = "nowhere"
    for form in (broken, None, {}, {"format": 99}):
        with pytest.raises(BoardError):
            from_form(form)


def test_changes_at_random_leave_a_board() -> None:
    """Whatever a person taps, what comes out is a board, and all of it can be undone."""
    chance = random.Random(7)
    board = edit("new-york")
    for number in range(190):
        route, city, other = (chance.choice(list(c)) for c in (board.board.routes, board.board.cities, board.board.cities))
        x, y, length = chance.random(), chance.random(), 1 + number % 9
        name = chance.choice(["Zell am See", "a", "Ålborg", "42", "---", "Paris"])
        changes: list[tuple[Any, ...]] = [
            (board.move_city, city, x, y),
            (board.move_space, route, 0, x, y),
            (board.turn_space, route, 0, 360 * x),
            (board.rename_city, city, name),
            (board.add_city, x, y),
            (board.add_route, city, other, length),
            (board.remove_route, route),
            (board.remove_city, city) if number % 7 == 0 else (board.confirm, route),
            (board.set_length, route, length),
            (board.confirm, city),
        ]
        change, *values = chance.choice(changes)
        with suppress(BoardError):
            change(*values)
        assert board.faults() == []
    while board.undo():
        assert board.board is not None
    assert board.raw == files("new-york")[0]


def test_editing_needs_neither_pictures_nor_numbers() -> None:
    """The app edits on its own thread of the screen: nothing heavy may come in with it."""
    code = "import sys; import calibration.editing; assert not {'numpy', 'cv2', 'kivy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)

"""The bundled boards, their schema and the checker."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from companion.board import board_ids, bundled_maps, folder_faults, load_board
from companion.check import board_faults, tickets_faults
from companion.errors import BoardError
from companion.scoring import shortest_distance
from tests.games import raw_map

FACTS = Path(__file__).resolve().parents[2] / "shared" / "facts"


@pytest.mark.parametrize(
    ("map_id", "cities", "routes", "spaces", "tickets"),
    [("europe", 47, 101, 300, 101), ("marklin", 49, 110, 313, 89), ("new-york", 15, 41, 84, 18), ("usa", 36, 100, 309, 30)],
)
def test_counts(map_id: str, cities: int, routes: int, spaces: int, tickets: int) -> None:
    board = load_board(map_id)
    assert (len(board.cities), len(board.routes), len(board.spaces), len(board.tickets)) == (cities, routes, spaces, tickets)


def test_decks_of_europe() -> None:
    board = load_board("europe")
    decks = {variant.id: len(variant.deck) for variant in board.variants.values()}
    assert decks == {"classic": 46, "extended": 65, "europe-1912": 55, "mega": 101, "big-cities": 45}
    assert sum(board.tickets[t].long for t in board.variants["mega"].deck) == 12
    assert not any(board.tickets[t].long for t in board.variants["big-cities"].deck)


@pytest.mark.parametrize("map_id", board_ids())
def test_bundled_maps_have_no_fault_and_fit_the_schema(map_id: str) -> None:
    assert folder_faults(bundled_maps() / map_id) == []
    for raw, name in zip(raw_map(map_id), ("board", "tickets"), strict=True):
        jsonschema.Draft202012Validator(_schema(name)).validate(raw)


@pytest.mark.parametrize("map_id", board_ids())
def test_maps_are_the_facts(map_id: str) -> None:
    if not FACTS.is_dir():
        pytest.skip("the verified facts are not beside this checkout")
    facts = json.loads((FACTS / f"{map_id}.json").read_text("utf-8"))
    board, cards = raw_map(map_id)
    for city, fact in zip(board["cities"], facts["cities"], strict=True):
        assert city == {key: value for key, value in fact.items() if value != []}
    assert board["routes"] == facts["routes"]
    assert cards["tickets"] == facts["tickets"]
    assert board["frame"]["aspect"] == facts["frame"]["aspect"]


def test_printed_values_are_shortest_distances_but_for_the_known_ones() -> None:
    differ = {
        "europe": {
            *("athina-edinburgh", "london-wien", "angora-essen", "bucuresti-erzurum"),
            *("angora-london", "berlin-paris", "paris-roma", "smyrna-sochi"),
        },
        "marklin": {"kiel-stuttgart"},
        "new-york": set(),
        "usa": {
            *("chicago-los-angeles", "los-angeles-miami", "los-angeles-new-york"),
            *("oklahoma-city-sault-st-marie", "new-york-seattle"),
        },
    }
    for map_id, expected in differ.items():
        board = load_board(map_id)
        assert {t.id for t in board.tickets.values() if shortest_distance(board, t.a, t.b) != t.points} == expected


def _schema(name: str) -> Any:
    return json.loads((bundled_maps() / f"{name}.schema.json").read_text("utf-8"))


def _set(*path: Any, to: Any) -> Callable[[Any], None]:
    def change(raw: Any) -> None:
        for key in path[:-1]:
            raw = raw[key]
        raw[path[-1]] = to

    return change


BROKEN_BOARDS: list[tuple[Callable[[Any], None], str, bool]] = [
    # what is done to the board, a part of the fault, whether the schema sees it too
    (_set("format", to=7), "format is '7'", True),
    (_set("map", to="My Island"), "lower-case", True),
    (_set("name", to=""), "no name", True),
    (_set("frame", "aspect", to="wide"), "aspect", True),
    (_set("frame", "width_mm", to=3), "width_mm", True),
    (_set("space_size", to=[0.03]), "space_size", True),
    (_set("cities", 0, "x", to=1.2), "City 'amsterdam' must lie on the board", True),
    (_set("cities", 0, "id", to="angora"), "'angora' occurs 2 times", False),
    (_set("cities", 0, "aliases", to=[3]), "aliases", True),
    (_set("cities", to="none"), "no list of 'cities'", True),
    (_set("routes", 0, "b", to="atlantis"), "ends at 'atlantis'", False),
    (_set("routes", 0, "length", to=0), "whole number from 1", True),
    (_set("routes", 0, "length", to=5), "has 1 spaces but is 5 long", False),
    (_set("routes", 0, "color", to="plaid"), "printed colour", True),
    (_set("routes", 0, "kind", to=[]), "kind must be one of", True),
    (_set("routes", 0, "spaces", 0, to=[0.5, 0.5]), "must be [x, y, angle]", True),
    (_set("routes", 0, "spaces", 0, 0, to=float("nan")), "must be [x, y, angle]", False),
    (_set("routes", 0, "spaces", 0, 2, to=1000), "angle of 1000", True),
    (_set("routes", 16, "lane", to=3), "must be lanes 1 to 2", False),
    (_set("routes", 0, "a", to={}), "ends at", True),
    (_set("rules", "points", to={"1": 1}), "no value for that length", False),
    (_set("rules", "points", "1", to=-1), "points for length 1", True),
    (_set("rules", "trains", to=True), "how many each player has", True),
    (_set("rules", "colors", to=["blue", "blue"]), "listed twice", True),
    (_set("rules", "colors", to=["mauve"]), "what mauve looks like", False),
    (_set("rules", "bonuses", to={"luck": 3}), "no bonus we know", True),
    (_set("rules", "tie_breaks", to=["age"]), "tie_breaks", True),
    (_set("rules", "players", to=[5, 2]), "fewest players", False),
    (_set("rules", "stations", to={"each": 3}), "stations must say", True),
    (_set("palette", "blue", to=[1, 2, 300]), "palette's blue", True),
]


@pytest.mark.parametrize(("change", "words", "in_schema"), BROKEN_BOARDS, ids=[words for _, words, _ in BROKEN_BOARDS])
def test_each_fault_of_a_board_is_named(change: Callable[[Any], None], words: str, in_schema: bool) -> None:
    raw = copy.deepcopy(raw_map("europe")[0])
    change(raw)
    assert any(words in fault for fault in board_faults(raw))
    assert jsonschema.Draft202012Validator(_schema("board")).is_valid(raw) is not in_schema


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_set("tickets", 0, "a", to="atlantis"), "goes to 'atlantis'"),
        (_set("tickets", 0, "b", to="brest"), "same place"),
        (_set("tickets", 0, "points", to=-1), "whole number from 0"),
        (_set("tickets", 0, "id", to="x"), "should be called 'brest-petrograd'"),
        (_set("variants", to=[]), "'variants' holds 0"),
        (_set("variants", 0, "deck", to=[{"colour": "red"}]), "choose tickets by 'colour'"),
        (_set("variants", 0, "setup", "deal", to=4), "deal must be a list"),
        (_set("variants", 0, "setup", "draw", to=None), "'draw' must be"),
    ],
)
def test_each_fault_of_the_tickets_is_named(change: Callable[[Any], None], words: str) -> None:
    board, cards = copy.deepcopy(raw_map("europe"))
    change(cards)
    assert any(words in fault for fault in tickets_faults(cards, board))
    assert words == "should be called 'brest-petrograd'" or words in str(tickets_faults(cards, board))


def test_all_faults_come_at_once(tmp_path: Path) -> None:
    board, cards = copy.deepcopy(raw_map("usa"))
    del board["name"]
    board["routes"][0]["length"] = "two"
    cards["tickets"][0]["a"] = "atlantis"
    (tmp_path / "board.json").write_text(json.dumps(board))
    (tmp_path / "tickets.json").write_text(json.dumps(cards))
    assert len(folder_faults(tmp_path)) >= 4
    with pytest.raises(BoardError, match="more: `companion maps check"):
        load_board(tmp_path)


def test_a_map_folder_of_ones_own_loads(tmp_path: Path) -> None:
    for raw, name in zip(raw_map("new-york"), ("board", "tickets"), strict=True):
        (tmp_path / f"{name}.json").write_text(json.dumps({**raw, "map": "mine"} if name == "board" else raw))
    assert load_board(tmp_path).id == "mine"


@pytest.mark.parametrize("junk", ["", "{", "[]", "7", '{"cities": NaN}', "[" * 100_000, "\x00"])
def test_junk_is_a_fault_not_a_crash(tmp_path: Path, junk: str) -> None:
    (tmp_path / "board.json").write_text(junk)
    (tmp_path / "tickets.json").write_text(junk)
    assert folder_faults(tmp_path)

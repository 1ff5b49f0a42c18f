"""A board of one's own by touch: learnt from its photo, put right, given rules and pieces, tried, kept, changed again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from companion.app.reader import Seen
from companion.board import load_board
from companion.samples import load_sample
from tests.app.driver import Driver, FakeReader


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our own drawing of New York, photographed empty."""
    import cv2

    from companion.art import draw_board

    path: Path = tmp_path_factory.mktemp("pictures") / "empty.png"
    cv2.imwrite(str(path), draw_board(load_board("new-york"), 1000))
    return path


def at_the_bench(hand: Driver, doubts: tuple[str, ...] = ()) -> Any:
    """A board on the bench as if it had just been learnt, some of it unsure."""
    from calibration.editing import Editing

    board = load_board("new-york")
    assert board.folder is not None
    raw, cards = (json.loads((board.folder / n).read_text(encoding="utf-8")) for n in ("board.json", "tickets.json"))
    for one in (*raw["cities"], *raw["routes"]):
        one["sure"] = 0.2 if one["id"] in doubts else 1.0
    hand.app.workshop.folder.mkdir(parents=True)
    hand.app.workshop.editing = Editing({**raw, "map": "my-print", "name": "My print"}, cards)
    hand.app.show("edit")
    hand.settle()
    return hand.app.workshop.editing


def test_from_an_empty_boards_photo_to_a_kept_board_that_reads_a_game(start: Any, empty: Path) -> None:
    hand: Driver = start(size=(960, 640))
    hand.ports.pictures = empty.parent
    hand.tap("My boards")
    hand.tap("Add a board")
    hand.tap("Another print of New York")
    hand.tap("empty.png")
    hand.until(lambda: hand.page.name == "edit", 90)
    hand.until(lambda: hand.page.ids.board.photo is not None)
    while hand.page.about:
        hand.tap("It is right")
    assert hand.sees("15 cities, 41 routes")
    hand.tap("On to the rules")
    hand.type_into(hand.page.ids.name, "Our city")
    hand.tap("On to the pieces")
    sample = load_sample("new-york")
    hand.ports.pictures = sample.photo.parent
    hand.tap("Choose a picture")
    hand.tap(sample.photo.name)
    hand.until(lambda: hand.page.ready)
    hand.tap("On to a first try" if hand.sees("On to a first try") else "Go on without")
    hand.tap("Try it on a photo of a game")
    hand.tap(sample.photo.name)
    hand.until(lambda: hand.sees("routes are taken"), 60)
    claims = hand.page.ids.board.claims
    assert sum(claims.get(r) == c for r, c in sample.game.claims.items()) >= 0.9 * len(sample.game.claims)
    hand.tap("Keep this board")
    hand.until(lambda: hand.page.name == "boards", 30)
    assert hand.sees("Our city") and not hand.sees("Not kept yet")
    kept = next(p for p in (hand.app.store.folder / "boards").iterdir() if not p.name.startswith("."))
    assert {p.name for p in kept.iterdir()} == {"board.json", "tickets.json", "signature.npz", "photo.jpg"}
    hand.tap_icon("pencil")
    hand.until(lambda: hand.page.name == "edit" and hand.page.ids.board.photo is not None)
    assert hand.app.workshop.editing.goal == kept.name


def test_what_is_unsure_comes_first_and_is_named_or_removed(start: Any) -> None:
    hand: Driver = start(reader=FakeReader(Seen({}, {})))
    editing = at_the_bench(hand, ("soho", "midtown-west-times-square"))
    assert hand.sees("Please look: 2 to go")
    assert hand.page.about == "soho" and hand.page.is_city
    hand.type_into(hand.page.ids.name, "Sühö")
    hand.tap("It is right")
    assert "suho" in editing.board.cities and any("suho" in r.ends for r in editing.board.routes.values())
    assert hand.page.about == "midtown-west-times-square"
    hand.tap("Remove")
    assert "midtown-west-times-square" not in editing.board.routes and hand.sees("is removed")
    hand.tap("Undo")
    assert "midtown-west-times-square" in editing.board.routes
    hand.key(ord("z"), "ctrl")
    assert "soho" in editing.board.cities
    hand.tap_icon("redo")
    assert "suho" in editing.board.cities


def test_spaces_and_cities_are_dragged(start: Any) -> None:
    hand: Driver = start(reader=FakeReader(Seen({}, {})))
    editing = at_the_bench(hand)
    view = hand.page.ids.board
    hand.tap_route("central-park-lincoln-center")
    assert hand.page.about == "central-park-lincoln-center"
    x, y = view.to_window(*view.handles()[1])
    before = editing.board.routes[hand.page.about].spaces
    hand.touch(x, y, (x + 4, y + 4), (x + 30, y + 20))
    after = editing.board.routes[hand.page.about].spaces
    assert after[1].x > before[1].x and after[1].y < before[1].y and after[0] == before[0]
    hand.touch(*view.to_window(*view.handles()[1]))
    hand.tap(hand.find_icon("redo") if hand.page.ids.redo.disabled else hand.find("Turn this space").parent.children[0])
    assert editing.board.routes[hand.page.about].spaces[1].angle != after[1].angle
    hand.key(27)
    hand.tap_city("soho")
    x, y = view.to_window(*view.handles()[0])
    city = editing.board.cities["soho"]
    hand.touch(x, y, (x - 10, y), (x - 40, y))
    assert editing.board.cities["soho"].x < city.x and editing.board.cities["soho"].y == pytest.approx(city.y, abs=1e-3)


def test_a_city_and_a_route_are_added(start: Any) -> None:
    hand: Driver = start(size=(960, 640), reader=FakeReader(Seen({}, {})))
    editing = at_the_bench(hand)
    view = hand.page.ids.board
    hand.tap("Add a city")
    hand.touch(*view.to_window(view.x + 60, view.y + 40))
    hand.type_into(hand.page.ids.name, "Far Rockaway")
    hand.tap("It is right")
    assert "far-rockaway" in editing.board.cities
    hand.tap_city("far-rockaway")
    hand.tap("Add a route from here")
    hand.tap_city("soho")
    hand.tap("Add this route")
    assert hand.page.about == "far-rockaway-soho"
    length = editing.board.routes["far-rockaway-soho"].length
    hand.tap_icon("plus")
    assert editing.board.routes["far-rockaway-soho"].length == length + 1
    hand.tap("Gray")
    hand.tap("Red")
    assert editing.board.routes["far-rockaway-soho"].color == "red"
    assert editing.faults() == []


def test_rules_are_those_of_a_known_board_with_numbers_of_ones_own(start: Any) -> None:
    hand: Driver = start(reader=FakeReader(Seen({}, {})))
    editing = at_the_bench(hand)
    hand.tap("On to the rules")
    hand.tap("Europe")
    assert editing.board.rules.stations == 3 and editing.board.rules.trains == 45
    line = next(w for w in hand.page.ids.lines.children if w.value_of == "trains")
    hand.tap(line.ids.stepper.children[0])
    assert editing.board.rules.trains == 46 and line.value == 46
    hand.key(ord("z"), "ctrl")
    assert line.value == 45


def test_a_piece_is_learnt_from_one_tap_on_the_photo(start: Any, tmp_path: Path) -> None:
    import cv2
    import numpy as np

    picture = np.full((400, 600, 3), 235, np.uint8)
    cv2.rectangle(picture, (100, 100), (180, 160), (40, 120, 230), -1)
    cv2.rectangle(picture, (400, 250), (480, 310), (190, 90, 20), -1)
    cv2.imwrite(str(tmp_path / "pieces.png"), picture)
    hand: Driver = start(size=(960, 640))
    editing = at_the_bench(hand)
    hand.app.show("pieces")
    hand.settle()
    hand.page.dropped(tmp_path / "pieces.png")
    hand.until(lambda: hand.page.ready)
    view = hand.page.ids.view

    def show(u: float, v: float) -> None:
        x, y, width, height = view.frame()
        hand.touch(x + u * width, y + (1 - v) * height)

    hand.tap("Orange")
    show(140 / 600, 130 / 400)
    hand.tap("Blue")
    show(440 / 600, 280 / 400)
    hand.until(lambda: len(hand.page.seen) == 2)
    hand.tap("On to a first try")
    assert set(editing.board.rules.colors) == {"orange", "blue"}
    assert editing.board.palette["orange"] == pytest.approx((230, 120, 40), abs=6)
    assert editing.board.palette["blue"] == pytest.approx((20, 90, 190), abs=6)


def test_a_board_in_the_making_survives_a_restart(start: Any) -> None:
    hand: Driver = start(reader=FakeReader(Seen({}, {})))
    at_the_bench(hand, ("soho",))
    hand.type_into(hand.page.ids.name, "Little Italy")
    hand.tap("It is right")
    hand.key(27)
    assert hand.page.name == "boards"
    again: Driver = start(reader=FakeReader(Seen({}, {})))
    again.tap("My boards")
    again.tap("Go on with My print")
    assert "little-italy" in again.app.workshop.editing.board.cities
    again.key(27)
    again.tap_icon("trash")
    again.tap("Discard")
    assert not again.sees("Not kept yet")


def test_a_board_is_deleted_with_undo(start: Any) -> None:
    hand: Driver = start(size=(960, 640))
    hand.tap("My boards")
    hand.tap_icon("share")
    parcel = next(hand.ports.folder.glob("*.railboard"))
    hand.page.dropped(parcel)
    hand.settle()
    hand.tap_icon("trash")
    assert hand.sees("None yet")
    hand.tap("Undo")
    assert not hand.sees("None yet")


def test_an_imported_board_without_a_photo_keeps_its_places(start: Any) -> None:
    hand: Driver = start(size=(960, 640))
    hand.tap("My boards")
    hand.page.share(load_board("new-york"))
    hand.page.dropped(next(hand.ports.folder.glob("*.railboard")))
    hand.settle()
    hand.tap_icon("pencil")
    editing = hand.app.workshop.editing
    hand.tap_route("central-park-lincoln-center")
    before = editing.raw
    hand.tap("Remove")
    assert hand.sees("only names, rules and pieces") and editing.raw == before
    hand.tap_city("soho")
    hand.type_into(hand.page.ids.name, "Aosho")
    hand.tap("It is right")
    hand.app.show("tryout")
    hand.settle()
    hand.tap("Keep this board")
    hand.until(lambda: hand.page.name == "boards", 30)
    kept = load_board(hand.app.store.folder / "boards" / "new-york-2")
    assert "aosho" in kept.cities


def test_a_board_that_was_begun_is_not_lost_to_another(start: Any) -> None:
    hand: Driver = start(reader=FakeReader(Seen({}, {})))
    at_the_bench(hand)
    hand.page.keep()
    hand.key(27)
    hand.tap("Add a board")
    assert hand.sees("My print is not kept yet")
    hand.key(27)
    hand.tap("Go on with My print")
    assert hand.page.name == "edit"


def test_a_board_not_found_is_shown_its_corners(start: Any, tmp_path: Path) -> None:
    import cv2
    import numpy as np

    noise = np.random.default_rng(3).integers(0, 255, (40, 60, 3), np.uint8)
    cv2.imwrite(str(tmp_path / "table.png"), cv2.resize(noise, (900, 600)))
    hand: Driver = start()
    hand.tap("My boards")
    hand.page._learn("new-york", "", tmp_path / "table.png")
    hand.until(lambda: hand.page.name == "corners" and hand.page.ready, 60)
    assert hand.page.given["onward"]["like"] == "new-york"

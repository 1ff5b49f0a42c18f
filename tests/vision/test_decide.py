"""From evidence to a board: routes as a whole, lanes together, rules as a nudge, honest doubt."""

from __future__ import annotations

import numpy as np
import pytest

from companion.board import Board, load_board
from companion.vision.decide import Verdict, decide
from companion.vision.spaces import Evidence

BOARD = load_board("europe")
COLORS = BOARD.rules.colors


def look(
    claims: dict[str, str],
    stations: dict[str, str] | None = None,
    board: Board = BOARD,
    sure: float = 0.98,
    odd: dict[tuple[str, int], dict[str | None, float]] | None = None,
    hidden: tuple[str, ...] = (),
    topped: dict[tuple[str, int], str] | None = None,
) -> Evidence:
    """Evidence of a photo that shows these claims.

    odd: spaces that look different; hidden: routes out of sight; topped: spaces with a station on their wagon
    """
    states = (None, *board.rules.colors)
    rows, seen, tops = [], [], []
    for route in board.routes.values():
        for index in range(route.length):
            shown = (odd or {}).get((route.id, index), {claims.get(route.id): sure})
            rest = (1 - sum(shown.values())) / (len(states) - len(shown))
            rows.append([shown.get(state, rest) for state in states])
            seen.append(route.id not in hidden)
            top = (topped or {}).get((route.id, index))
            tops.append([0.9996 if state == top else 0.0004 / len(board.rules.colors) for state in states])
    cities = []
    for city in board.cities:
        shown = {(stations or {}).get(city): 0.9995}
        cities.append([shown.get(state, 0.0005 / len(board.rules.colors)) for state in states])
    return Evidence(
        board.rules.colors,
        np.log(np.array(rows, np.float32)),
        np.log(np.array(cities, np.float32)),
        np.log(np.array(tops, np.float32)),
        np.array(seen),
        np.ones(len(cities), bool),
    )


def asked(verdict: Verdict) -> set[str]:
    return {doubt.id for doubt in verdict.doubts}


CLAIMS = {"brest-paris": "blue", "budapest-kyiv": "red", "edinburgh-london-1": "green", "petrograd-stockholm": "black"}


def test_what_plainly_lies_there_is_read_without_doubt() -> None:
    verdict = decide(BOARD, [look(CLAIMS, {"roma": "red"})])
    assert verdict.claims == CLAIMS
    assert verdict.stations == {"roma": "red"}
    assert verdict.doubts == ()


def test_an_empty_board_is_empty() -> None:
    verdict = decide(BOARD, [look({})])
    assert (verdict.claims, verdict.stations, verdict.doubts) == ({}, {}, ())


@pytest.mark.parametrize("shown", [{None: 0.97}, {"yellow": 0.97}])
def test_one_odd_space_does_not_veto_its_route(shown: dict[str | None, float]) -> None:
    verdict = decide(BOARD, [look(CLAIMS, odd={("budapest-kyiv", 2): shown})])
    assert verdict.claims == CLAIMS
    assert asked(verdict) == set()


def test_a_route_torn_in_two_is_asked_about() -> None:
    odd: dict[tuple[str, int], dict[str | None, float]] = {("brest-paris", i): {None: 0.97} for i in (0, 1)}
    verdict = decide(BOARD, [look(CLAIMS, odd=odd)])
    assert "brest-paris" in asked(verdict)


def test_weak_evidence_is_asked_about_with_the_runner_up() -> None:
    odd = {("amsterdam-bruxelles", 0): {"blue": 0.6, None: 0.38}}
    verdict = decide(BOARD, [look(CLAIMS, odd=odd)], ["blue", "red", "green", "black"])
    doubt = verdict.doubts[0]
    assert doubt.id == "amsterdam-bruxelles"
    assert {option for option, _ in doubt.options[:2]} == {"blue", None}
    assert sum(chance for _, chance in doubt.options) <= 1.001


def test_a_wagon_leaning_into_the_next_lane_stays_with_its_route() -> None:
    claims = {"edinburgh-london-1": "green"}
    odd: dict[tuple[str, int], dict[str | None, float]] = {
        ("edinburgh-london-1", 2): {None: 0.9},
        ("edinburgh-london-2", 2): {"green": 0.9},
    }
    verdict = decide(BOARD, [look(claims, odd=odd)])
    assert verdict.claims == claims


def test_one_hand_on_both_lanes_is_unlikely_but_not_impossible() -> None:
    both = {"edinburgh-london-1": "green", "edinburgh-london-2": "green"}
    assert decide(BOARD, [look(both, sure=0.999)]).claims == both
    odd: dict[tuple[str, int], dict[str | None, float]] = {
        ("edinburgh-london-2", i): {"green": 0.5, "blue": 0.45} for i in range(4)
    }
    verdict = decide(BOARD, [look({"edinburgh-london-1": "green"}, odd=odd)])
    assert verdict.claims["edinburgh-london-2"] == "blue"


def test_colours_not_at_the_table_are_not_read() -> None:
    odd: dict[tuple[str, int], dict[str | None, float]] = {("amsterdam-bruxelles", 0): {"yellow": 0.7, "blue": 0.25}}
    assert decide(BOARD, [look({}, odd=odd)], ["blue", "red"]).claims == {"amsterdam-bruxelles": "blue"}


def test_what_is_out_of_sight_is_asked_about() -> None:
    verdict = decide(BOARD, [look(CLAIMS, hidden=("brest-paris",))])
    assert asked(verdict) == {"brest-paris"}


def test_a_second_photo_settles_what_the_first_could_not_see() -> None:
    verdict = decide(BOARD, [look(CLAIMS, hidden=("brest-paris",)), look(CLAIMS)])
    assert verdict.claims == CLAIMS
    assert asked(verdict) == set()


def test_a_station_on_a_wagon_borrows_its_route_and_its_city_is_asked_for() -> None:
    verdict = decide(BOARD, [look(CLAIMS, {"paris": "green"}, topped={("brest-paris", 1): "red"})])
    assert (verdict.claims, verdict.borrowing) == (CLAIMS, {"brest-paris": "red"})
    assert [(doubt.kind, doubt.id, doubt.options[1][0]) for doubt in verdict.doubts] == [("city", "brest", "red")]


def test_nobody_borrows_an_own_route_or_an_empty_one() -> None:
    topped = {("brest-paris", 1): "blue", ("barcelona-madrid", 0): "red"}
    verdict = decide(BOARD, [look(CLAIMS, topped=topped)])
    assert (verdict.borrowing, verdict.doubts) == ({}, ())


def test_boards_without_stations_have_none() -> None:
    board = load_board("usa")
    evidence = look({"boston-new-york-1": "red"}, {"denver": "red"}, board)
    assert decide(board, [evidence]).stations == {}


def test_three_lanes_are_judged_together() -> None:
    board = load_board("marklin")
    claims = {"dusseldorf-koln-1": "red", "dusseldorf-koln-2": "black", "dusseldorf-koln-3": "white"}
    assert decide(board, [look(claims, board=board)]).claims == claims

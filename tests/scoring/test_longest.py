"""The longest path against a plain search of every walk."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.board import Board, Route, load_board
from companion.scoring import longest_walk
from tests.brute import longest
from tests.games import grown, raw_map

MAPS = ["europe", "marklin", "new-york", "usa"]


def check_walk(board: Board, routes: list[Route]) -> int:
    """The walk must be one a finger can trace, over these routes, each once, as long as it says."""
    walk = longest_walk(routes)
    assert len(set(walk.routes)) == len(walk.routes)
    assert {*walk.routes} <= {route.id for route in routes}
    assert sum(board.routes[r].length for r in walk.routes) == walk.length
    if walk.routes:
        assert len(walk.cities) == len(walk.routes) + 1
    for route_id, here, there in zip(walk.routes, walk.cities, walk.cities[1:], strict=False):
        assert {here, there} == set(board.routes[route_id].ends)
    return walk.length


@pytest.mark.parametrize("map_id", MAPS)
@given(seed=st.integers(0, 2**32), size=st.integers(0, 13))
@settings(max_examples=120, deadline=None)
def test_matches_brute_force_on_networks_of_the_board(map_id: str, seed: int, size: int) -> None:
    raw, _ = raw_map(map_id)
    board = load_board(map_id)
    mine = grown(raw, random.Random(seed), size, set(), 200)
    expected = longest([r for r in raw["routes"] if r["id"] in mine])
    assert check_walk(board, [board.routes[r] for r in mine]) == expected


@given(
    ends=st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(1, 8)).filter(lambda e: e[0] != e[1]), max_size=11
    )
)
@settings(max_examples=400, deadline=None)
def test_matches_brute_force_on_any_graph(ends: list[tuple[int, int, int]]) -> None:
    routes = [Route(f"r{i}", str(a), str(b), n, "gray", "normal", ()) for i, (a, b, n) in enumerate(ends)]
    raw = [{"id": r.id, "a": r.a, "b": r.b, "length": r.length} for r in routes]
    assert longest_walk(routes).length == longest(raw)


@pytest.mark.parametrize("map_id", MAPS)
def test_one_player_may_own_the_whole_board(map_id: str) -> None:
    board = load_board(map_id)
    assert check_walk(board, list(board.routes.values())) > 0.8 * len(board.spaces)


def test_a_loop_with_a_tail_is_walked_whole() -> None:
    routes = [Route(i, i[0], i[1], n, "gray", "normal", ()) for i, n in (("ab", 4), ("bc", 3), ("ac", 2), ("ad", 1))]
    walk = longest_walk(routes)
    assert walk.length == 10 and {walk.cities[0], walk.cities[-1]} == {"a", "d"}


def test_no_routes_no_path() -> None:
    assert longest_walk([]).length == 0

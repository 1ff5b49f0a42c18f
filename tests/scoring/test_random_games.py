"""Whole games on all boards against the second scorer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.game import parse_game
from companion.scoring import score
from tests.brute import totals
from tests.games import random_game, raw_map


@pytest.mark.parametrize("map_id", ["europe", "marklin", "new-york", "usa"])
@given(seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_every_line_matches_the_second_scorer(map_id: str, seed: int) -> None:
    raw = random_game(map_id, seed)
    board, game = parse_game(raw)
    result = score(board, game)
    assert {s.color: dict(s.breakdown) for s in result.players} == totals(*raw_map(map_id), raw)
    for standing in result.players:
        assert standing.total == sum(standing.breakdown.values())
        for ticket in standing.tickets:
            assert ticket.met == bool(ticket.path)
    best = max(s.total for s in result.players)
    assert all(s.total == best for s in result.players if s.color in result.winners)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_a_loan_is_an_opponents_route_at_its_station(seed: int) -> None:
    board, game = parse_game(random_game("europe", seed))
    for standing in score(board, game).players:
        for loan in standing.loans:
            assert standing.color in game.stations[loan.city]
            if loan.route:
                assert loan.city in board.routes[loan.route].ends
                assert loan.owner == game.claims[loan.route] != standing.color
                assert loan.wins

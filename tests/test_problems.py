"""What breaks a rule is reported and still scored."""

from __future__ import annotations

from typing import Any

import pytest

from companion.board import load_board
from companion.game import parse_game
from companion.scoring import score
from companion.scoring.problems import TEXTS


def codes(**changes: Any) -> list[str]:
    raw: dict[str, Any] = {
        "map": "europe",
        "players": [{"name": "Ana", "color": "blue"}, {"name": "Ben", "color": "red"}],
        "claims": {},
        **changes,
    }
    result = score(*parse_game(raw))
    assert len(result.players) == len(raw["players"])
    for problem in result.problems:
        assert "{" not in problem.text
    return [problem.code for problem in result.problems]


def seats(*hands: list[Any], **extras: int) -> list[dict[str, Any]]:
    colors = ("blue", "red", "green", "yellow", "black")
    return [
        {"name": color.title(), "color": color, "tickets": hand, "extras": extras}
        for color, hand in zip(colors, hands, strict=False)
    ]


BLUE_BOARD = dict.fromkeys(load_board("europe").routes, "blue")
CASES: list[tuple[dict[str, Any], str]] = [
    ({"claims": {"petrograd-stockholm": "blue", **dict.fromkeys(list(BLUE_BOARD)[:16], "blue")}}, "too-many-trains"),
    ({"claims": {"berlin-frankfurt-1": "blue", "berlin-frankfurt-2": "blue"}}, "both-lanes"),
    ({"claims": {"berlin-frankfurt-1": "blue", "berlin-frankfurt-2": "red"}}, "closed-lane"),
    ({"stations": dict.fromkeys(["roma", "paris", "wien", "kyiv"], "red")}, "too-many-stations"),
    ({"stations": {"roma": ["red", "blue"]}}, "two-buildings"),
    ({"stations": {"roma": "red"}, "depots": {"roma": "blue"}}, "two-buildings"),
    ({"map": "usa", "stations": {"denver": "red"}}, "no-stations"),
    ({"options": ["depots"], "players": seats([], [], depots_left=6)}, "too-many-depots"),
    ({"options": ["depots"]}, "not-entered"),
    ({"claims": {"atlantis-paris": "blue"}}, "unknown-route"),
    ({"stations": {"atlantis": "blue"}}, "unknown-city"),
    ({"players": seats(["kobenhavn-london"], [])}, "unknown-ticket"),
    ({"variant": "gigantic"}, "unknown-variant"),
    ({"options": ["dragons"]}, "unknown-option"),
    ({"players": seats([], [], gold=3)}, "unknown-extra"),
    ({"players": seats(["brest-venezia"], ["brest-venezia"])}, "duplicate-ticket"),
    ({"players": seats(["athina-roma"], [])}, "outside-deck"),
    ({"variant": "big-cities", "players": seats(["athina-edinburgh"], [])}, "outside-deck"),
    ({"claims": {"brest-paris": "green"}}, "stranger"),
    ({"stations": {"roma": "blue"}, "players": seats([], [], stations_left=1)}, "stations-disagree"),
    ({"players": seats([])}, "too-many-players"),
]


@pytest.mark.parametrize(("changes", "code"), CASES, ids=[f"{code}-{n}" for n, (_, code) in enumerate(CASES)])
def test_problem(changes: dict[str, Any], code: str) -> None:
    assert code in codes(**changes)


def test_every_problem_has_a_case() -> None:
    assert {code for _, code in CASES} == set(TEXTS)


def test_a_lawful_game_has_none() -> None:
    assert codes(claims={"berlin-frankfurt-1": "blue"}, stations={"roma": "red"}, players=seats(["brest-venezia"], [])) == []
    four = {"berlin-frankfurt-1": "blue", "berlin-frankfurt-2": "red"}
    assert codes(claims=four, players=seats([], [], [], [])) == []


def test_two_lanes_in_new_york_are_closed_for_two_players_only() -> None:
    both = {"brooklyn-chinatown-1": "blue", "brooklyn-chinatown-2": "white"}
    players = [{"name": c, "color": c} for c in ("blue", "white", "yellow")]
    assert codes(map="new-york", claims=both, players=players[:2]) == ["closed-lane"]
    assert codes(map="new-york", claims=both, players=players) == []


def test_a_station_in_every_city_is_still_scored_best() -> None:
    """Against the rules, but finite: with a station everywhere, whatever the opponents connect is connected."""
    board = load_board("europe")
    claims = dict.fromkeys(board.routes, "red")
    hand = [t.id for t in board.tickets.values() if t.set == "europe"]
    raw = {
        "map": "europe",
        "players": [{"name": "Ana", "color": "blue", "tickets": hand}, {"name": "Ben", "color": "red"}],
        "claims": claims,
        "stations": dict.fromkeys(board.cities, "blue"),
    }
    ana = score(*parse_game(raw)).players[0]
    assert not ana.failed


def test_stations_left_can_be_entered_when_none_were_seen() -> None:
    raw = {"map": "europe", "players": seats([], [], stations_left=1), "claims": {}}
    standing = score(*parse_game(raw)).players[0]
    assert standing.breakdown["stations"] == 4
    assert standing.stations_built == 2

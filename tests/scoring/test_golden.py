"""Games worked by hand, one an edition and one a tie-break."""

from __future__ import annotations

from typing import Any

import pytest

from companion.game import parse_game
from companion.scoring import Result, score


def play(map_id: str, players: dict[str, list[Any]], claims: dict[str, str], **more: Any) -> Result:
    """Score a game given as `colour: tickets` and `colour: "route route"`."""
    extras = more.pop("extras", {})
    raw = {
        "map": map_id,
        "players": [
            {"name": color.title(), "color": color, "tickets": tickets, "extras": extras.get(color, {})}
            for color, tickets in players.items()
        ],
        "claims": {route: color for color, routes in claims.items() for route in routes.split()},
        **more,
    }
    return score(*parse_game(raw))


def ticket(a: str, b: str, points: int) -> dict[str, Any]:
    return {"a": a, "b": b, "points": points}


def lines(result: Result) -> list[dict[str, int]]:
    return [dict(standing.breakdown) for standing in result.players]


def test_europe() -> None:
    result = play(
        "europe",
        {
            "blue": ["edinburgh-paris", "madrid-zurich", ticket("edinburgh", "barcelona", 11)],
            "red": ["barcelona-munchen", ticket("madrid", "marseille", 9)],
        },
        {
            "blue": "edinburgh-london-1 dieppe-london-1 dieppe-paris paris-zurich marseille-zurich",
            "red": "barcelona-marseille barcelona-pamplona madrid-pamplona-1 roma-venezia",
        },
        stations={"marseille": "blue"},
    )
    # blue: 7+2+1+4+2 routes; 7+11-8 tickets; two stations left; 12 trains in one path. red: 7+2+4+2; 9-8; three left; 9.
    assert lines(result) == [
        {"routes": 16, "tickets": 10, "stations": 8, "longest": 10},
        {"routes": 15, "tickets": 1, "stations": 12, "longest": 0},
    ]
    blue, red = result.players
    assert [s.total for s in result.players] == [44, 28] and [s.rank for s in result.players] == [1, 2]
    assert blue.completed == ("edinburgh-paris", "barcelona-edinburgh") and blue.failed == ("madrid-zurich",)
    assert blue.loans[0].route == "barcelona-marseille" and blue.loans[0].wins == ("barcelona-edinburgh",)
    assert blue.longest.length == 12 and blue.longest.cities[0] in ("edinburgh", "marseille")
    assert red.longest.length == 9
    assert blue.tickets[0].path == ("edinburgh-london-1", "dieppe-london-1", "dieppe-paris")
    assert result.winners == ("blue",) and result.decided_by == "points" and not result.problems


def test_a_station_takes_the_points_not_the_number_of_tickets() -> None:
    """Paris can reach Zürich (one ticket of 10) or Bruxelles (two tickets of 4): points come first."""
    result = play(
        "europe",
        {
            "blue": [ticket("paris", "zurich", 10), ticket("paris", "bruxelles", 4), ticket("dieppe", "bruxelles", 4)],
            "red": [],
        },
        {"blue": "dieppe-paris", "red": "paris-zurich bruxelles-paris-1"},
        stations={"paris": "blue"},
    )
    assert result.players[0].loans[0].route == "paris-zurich"
    assert result.players[0].breakdown["tickets"] == 10 - 4 - 4


def test_a_station_takes_more_tickets_when_the_points_are_level() -> None:
    result = play(
        "europe",
        {
            "blue": [ticket("paris", "zurich", 8), ticket("paris", "bruxelles", 4), ticket("dieppe", "bruxelles", 4)],
            "red": [],
        },
        {"blue": "dieppe-paris", "red": "paris-zurich bruxelles-paris-1"},
        stations={"paris": "blue"},
    )
    assert result.players[0].loans[0].route == "bruxelles-paris-1"


def test_an_unclaimed_route_cannot_be_borrowed_and_a_borrowed_one_lengthens_no_path() -> None:
    result = play(
        "europe",
        {"blue": [ticket("paris", "zurich", 3), ticket("brest", "paris", 3)], "red": []},
        {"blue": "dieppe-paris", "red": "brest-paris"},
        stations={"paris": "blue"},
    )
    assert result.players[0].completed == ("brest-paris",)
    assert result.players[0].longest.length == 1 and result.players[1].breakdown["longest"] == 10


def test_two_players_may_borrow_the_same_route() -> None:
    result = play(
        "europe",
        {"blue": [ticket("roma", "venezia", 5)], "green": [ticket("roma", "venezia", 5)], "red": []},
        {"red": "roma-venezia"},
        stations={"roma": "blue", "venezia": "green"},
    )
    assert [s.breakdown["tickets"] for s in result.players] == [5, 5, 0]


EVEN = {"blue": "amsterdam-london dieppe-london-1", "red": "barcelona-madrid barcelona-pamplona"}


@pytest.mark.parametrize(
    ("hands", "claims", "stations", "winners", "decided_by"),
    [
        (
            {
                "blue": [ticket("amsterdam", "london", 2), ticket("dieppe", "london", 2)],
                "red": [ticket("madrid", "pamplona", 4)],
            },
            EVEN,
            {},
            ("blue",),
            "tickets",
        ),
        (
            {"blue": [ticket("amsterdam", "london", 2)], "red": [ticket("madrid", "pamplona", 6)]},
            EVEN,
            {"roma": "red"},
            ("blue",),
            "stations",
        ),
        (
            {"blue": [ticket("amsterdam", "london", 2)], "red": [ticket("madrid", "barcelona", 12)]},
            {"blue": EVEN["blue"], "red": "barcelona-madrid roma-venezia"},
            {},
            ("blue",),
            "longest",
        ),
        ({"blue": [], "red": []}, EVEN, {}, ("blue", "red"), "shared"),
    ],
)
def test_europe_tie_breaks(hands: Any, claims: Any, stations: Any, winners: Any, decided_by: str) -> None:
    result = play("europe", hands, claims, stations=stations)
    assert result.players[0].total == result.players[1].total
    assert (result.winners, result.decided_by) == (winners, decided_by)


def test_marklin() -> None:
    result = play(
        "marklin",
        {
            "red": [ticket("danemark", "hamburg", 4), ticket("freiburg", "lindau", 3)],
            "white": ["berlin-leipzig", "berlin-chemnitz"],
            "purple": ["hamburg-rostock"],
        },
        {
            "red": "danemark-2-kiel hamburg-kiel-1 freiburg-schweiz-2 lindau-schweiz-3",
            "white": "berlin-leipzig chemnitz-leipzig berlin-hamburg-1",
            "purple": "hamburg-schwerin",
        },
        extras={"red": {"goods": 14}, "white": {"goods": 0}, "purple": {"goods": 9}},
    )
    # Switzerland's end points do not meet, so red misses Freiburg-Lindau. White: 7+2+18 routes, 4+6 tickets, most tickets.
    assert lines(result) == [
        {"routes": 8, "tickets": 1, "most_tickets": 0, "goods": 14},
        {"routes": 27, "tickets": 10, "most_tickets": 10, "goods": 0},
        {"routes": 2, "tickets": -4, "most_tickets": 0, "goods": 9},
    ]
    assert result.winners == ("white",) and [s.rank for s in result.players] == [2, 1, 3]


def test_marklin_ties_on_tickets_all_score_and_goods_break_the_tie() -> None:
    result = play(
        "marklin",
        {"red": [ticket("kiel", "hamburg", 2)], "black": [ticket("ulm", "lindau", 5)]},
        {"red": "hamburg-kiel-1", "black": "lindau-ulm"},
        extras={"red": {"goods": 5}, "black": {"goods": 2}},
    )
    assert [s.breakdown["most_tickets"] for s in result.players] == [10, 10]
    assert [s.total for s in result.players] == [19, 19]
    assert (result.winners, result.decided_by) == (("red",), "goods")


def test_the_later_germany_box_gives_fifteen_and_has_no_goods() -> None:
    result = play(
        "marklin",
        {"red": [ticket("kiel", "hamburg", 2)], "black": []},
        {"red": "hamburg-kiel-1"},
        variant="germany",
    )
    assert lines(result)[0] == {"routes": 2, "tickets": 2, "most_tickets": 15}


def test_new_york() -> None:
    result = play(
        "new-york",
        {"blue": ["chelsea-wall-street", "brooklyn-chelsea"], "white": ["central-park-midtown-west"]},
        {"blue": "chelsea-soho soho-wall-street", "white": "central-park-times-square-1 midtown-west-times-square"},
    )
    # blue touches Chelsea and Wall Street; white Central Park and Times Square (Midtown West and Soho are no attractions).
    assert lines(result) == [
        {"routes": 9, "tickets": -2, "attractions": 2},
        {"routes": 3, "tickets": 3, "attractions": 2},
    ]
    assert result.winners == ("blue",)


def test_new_york_tie_breaks() -> None:
    claims = {"blue": "chelsea-midtown-west", "yellow": "soho-wall-street"}
    tickets = {"blue": [ticket("chelsea", "midtown-west", 0)], "yellow": []}
    result = play("new-york", tickets, claims)
    assert (result.winners, result.decided_by) == (("blue",), "tickets")
    result = play("new-york", {"blue": [], "yellow": []}, claims)
    assert (result.winners, result.decided_by) == (("blue", "yellow"), "shared")


def test_usa() -> None:
    result = play(
        "usa",
        {"yellow": ["denver-el-paso", "calgary-phoenix"], "black": ["new-york-seattle"]},
        {
            "yellow": "denver-santa-fe el-paso-santa-fe el-paso-phoenix phoenix-santa-fe",
            "black": "helena-seattle boston-new-york-1",
        },
    )
    # yellow may pass Santa Fe twice: 2+2+3+3 trains. black: one route of 6, one of 2.
    assert lines(result) == [
        {"routes": 12, "tickets": -9, "longest": 10},
        {"routes": 17, "tickets": -22, "longest": 0},
    ]
    assert result.players[0].longest.length == 10 and result.winners == ("yellow",)


def test_usa_longest_path_breaks_the_tie() -> None:
    claims = {"red": "boston-new-york-1 boston-montreal-1", "blue": "dallas-little-rock las-vegas-los-angeles"}
    hands = {"red": [ticket("boston", "montreal", 1)], "blue": [ticket("dallas", "little-rock", 11)]}
    result = play("usa", hands, claims)
    assert (result.winners, result.decided_by) == (("red",), "longest")


def test_depots_are_an_option_on_any_board_and_zero_wins_nothing() -> None:
    claims = {"blue": "boston-new-york-1", "red": "dallas-little-rock"}
    left = {"blue": {"depots_left": 2}, "red": {"depots_left": 2}}
    result = play("usa", {"blue": [], "red": []}, claims, options=["depots"], extras=left)
    assert [s.breakdown["depots"] for s in result.players] == [10, 10]
    none = {"blue": {"depots_left": 0}, "red": {"depots_left": 0}}
    result = play("usa", {"blue": [], "red": []}, claims, options=["depots"], extras=none)
    assert [s.breakdown["depots"] for s in result.players] == [0, 0]


def test_bonuses_whose_best_is_zero_go_to_nobody() -> None:
    assert lines(play("usa", {"blue": [], "red": []}, {}))[0] == {"routes": 0, "tickets": 0, "longest": 0}
    nothing = {"red": {"goods": 0}, "black": {"goods": 0}}
    result = play("marklin", {"red": ["mannheim-stuttgart"], "black": []}, {}, extras=nothing)
    assert [s.breakdown["most_tickets"] for s in result.players] == [0, 0]


def test_players_on_the_same_keys_share_a_rank() -> None:
    claims = {"blue": "helena-seattle", "red": "boston-new-york-1", "green": "dallas-little-rock"}
    result = play("usa", {"green": [], "blue": [], "red": []}, claims)
    assert [s.rank for s in result.players] == [2, 1, 2]

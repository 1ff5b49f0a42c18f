"""From evidence about spaces and cities to the most likely board, with honest doubt.

A route is wholly one player's or empty, so its spaces are judged together. Parallel lanes are judged together too: a wagon
may lean into the next lane, so a pair of spaces is also explained by its two colours changing places. The rules weigh in
(one lane a player, one lane at a small table, so many pieces in a box), but as a nudge: what plainly lies there wins.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.board import Board, Route
from companion.vision.spaces import Evidence

Array = NDArray[np.float64]

STRAY = 0.003
"""How often a space shows something other than its route's state: a station on a wagon, a stray card, a slip of the eye."""
LEAN = 0.005
"""How often a wagon leans so far into the next lane that the two change places."""
KINSHIP = 0.75
"""Spaces of a route share light, print and player, so n of them count as n ** KINSHIP independent witnesses."""
SAME_HAND = 0.01
CLOSED_LANE = 0.1
RARE_COLOR = 0.05
OVER_BOX = 0.2
STATION_PRIOR = 0.3
TOP_PRIOR = 0.2
"""How readily a station is seen on a wagon: at the end some tables move each onto the route it borrows."""
SURE = 0.97
"""A route or city whose best option is less likely than this is asked about."""
SURE_ON_ITS_COLOR = 0.985
"""The same where the question is whether a piece lies on a print of its own colour: the eye errs there most."""
DISSENT = 0.5
"""There, a single space that gives the route's best reading less than this is enough to ask."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something a person should look at: the options with their probabilities, best first; None is empty."""

    kind: str
    id: str
    options: tuple[tuple[str | None, float], ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The most likely board and what is doubtful about it.

    borrowing: routes that carry another player's station on a wagon, with that player's colour
    """

    claims: Mapping[str, str]
    stations: Mapping[str, str]
    borrowing: Mapping[str, str]
    doubts: tuple[Doubt, ...]


def decide(board: Board, evidence: Sequence[Evidence], players: Sequence[str] | None = None) -> Verdict:
    """The most likely board, given what one or several photos of it showed."""
    colors = evidence[0].colors
    allowed = np.array([color in (players or board.rules.colors) for color in colors])
    seats = len(players) if players else 0
    spaces, seen = _combined([(e.spaces, e.seen) for e in evidence], allowed)
    cities, seen_cities = _combined([(e.cities, e.seen_cities) for e in evidence], allowed)
    prior = np.log(np.array([0.5, *(0.5 / max(allowed.sum(), 1) * allowed + 1e-12)]))
    routes = _routes(board, spaces, prior, seats)
    prior = prior + _table_prior(board, routes, colors, players is not None)
    routes = _routes(board, spaces, prior, seats)
    first = 0
    doubts: list[Doubt] = []
    claims: dict[str, str] = {}
    for route in board.routes.values():
        chance = routes[route.id]
        best = int(chance.argmax())
        if best:
            claims[route.id] = colors[best - 1]
        rows = slice(first, first + route.length)
        first += route.length
        if seen[rows].mean() < 0.5 or _doubtful(route, chance, spaces[rows], colors):
            doubts.append(Doubt("route", route.id, _options(chance, colors)))
    stations: dict[str, str] = {}
    if board.rules.stations:
        chances = _stations(cities, allowed)
        for number, city in enumerate(board.cities):
            best = int(chances[number].argmax())
            if best:
                stations[city] = colors[best - 1]
            if chances[number, best] < SURE or (not seen_cities[number] and len(evidence) == 1):
                doubts.append(Doubt("city", city, _options(chances[number], colors)))
    borrowing = _borrowing(board, evidence, claims, allowed)
    for route_id, color in borrowing.items():
        # Its station stood at one of the route's ends before, and nobody can see any more at which.
        ends = [end for end in board.routes[route_id].ends if end not in stations]
        asked = {doubt.id for doubt in doubts}
        doubts += [Doubt("city", end, ((None, 0.5), (color, 0.5))) for end in ends if end not in asked]
    doubts.sort(key=lambda doubt: doubt.options[0][1])
    return Verdict(claims, stations, borrowing, tuple(doubts))


def _borrowing(
    board: Board, evidence: Sequence[Evidence], claims: Mapping[str, str], allowed: NDArray[np.bool_]
) -> dict[str, str]:
    """The claimed routes on which another player's station stands, and whose it is."""
    if not board.rules.stations:
        return {}
    colors = evidence[0].colors
    tops, _ = _combined([(e.tops, e.seen) for e in evidence], allowed)
    tops[:, 0] += np.log(1 - TOP_PRIOR)
    tops[:, 1:] += np.log(TOP_PRIOR)
    first = 0
    found: dict[str, str] = {}
    for route in board.routes.values():
        rows = np.array([_normal(row) for row in tops[first : first + route.length]])
        first += route.length
        if route.id in claims:
            rows[:, 1 + colors.index(claims[route.id])] = 0.0
            space, state = np.unravel_index(int(rows[:, 1:].argmax()), rows[:, 1:].shape)
            if rows[space, 1 + state] > 0.5:
                found[route.id] = colors[state]
    return found


def _combined(
    looks: Sequence[tuple[NDArray[np.float32], NDArray[np.bool_]]], allowed: NDArray[np.bool_]
) -> tuple[Array, Array]:
    """Log-likelihoods (N, 1 + C) summed over the photos in which each thing was seen, and whether any saw it (N,)."""
    total = np.zeros(looks[0][0].shape)
    seen = np.zeros(len(total), bool)
    for logs, visible in looks:
        total += np.where(visible[:, None], np.maximum(logs, -12.0), 0.0)
        seen |= visible
    total[:, 1:] = np.where(allowed, total[:, 1:], -60.0)
    return total, seen.astype(np.float64)


def _routes(board: Board, spaces: Array, prior: Array, seats: int) -> dict[str, Array]:
    """The probabilities (1 + C) of empty and each colour for every route."""
    start: dict[str, int] = {}
    first = 0
    for route in board.routes.values():
        start[route.id] = first
        first += route.length
    chances: dict[str, Array] = {}
    for route in board.routes.values():
        lanes = board.lanes.get(route.ends, (route,))
        if route is lanes[0]:
            rows = [spaces[start[lane.id] : start[lane.id] + lane.length] for lane in lanes]
            chances |= zip((lane.id for lane in lanes), _judge(lanes, rows, prior, board, seats), strict=True)
    return chances


def _judge(lanes: Sequence[Route], rows: Sequence[Array], prior: Array, board: Board, seats: int) -> list[Array]:
    """The probabilities of each lane, from all lanes of a route together."""
    states = len(prior)
    if len(lanes) == 1 or len({lane.length for lane in lanes}) > 1:
        return [_normal(prior + _kin(_frank(lane))) for lane in rows]
    frank = [_frank(lane) for lane in rows]
    combos = np.array(list(itertools.product(range(states), repeat=len(lanes))))
    weight = prior[combos].sum(axis=1) + _lane_rule(combos, board, seats)
    straight = sum(frank[lane][:, combos[:, lane]] for lane in range(len(lanes)))
    told = straight + np.log(1 - LEAN * (len(lanes) - 1))
    for left, right in zip(range(len(lanes)), range(1, len(lanes)), strict=False):
        swapped = combos.copy()
        swapped[:, [left, right]] = combos[:, [right, left]]
        leaning = sum(frank[lane][:, swapped[:, lane]] for lane in range(len(lanes)))
        told = np.logaddexp(told, leaning + np.log(LEAN))
    chance = _normal(weight + _kin(told))
    return [np.array([chance[combos[:, lane] == state].sum() for state in range(states)]) for lane in range(len(lanes))]


def _frank(row: Array) -> Array:
    """Log-likelihoods (n, states) that allow for a stray space: no single one can veto a route."""
    peak = row.max(axis=1, keepdims=True)
    share = np.exp(row - peak)
    share /= share.sum(axis=1, keepdims=True)
    return np.asarray(np.log((1 - STRAY) * share + STRAY / row.shape[1]))


def _kin(told: Array) -> Array:
    return np.asarray(told.sum(axis=0) * len(told) ** (KINSHIP - 1))


def _lane_rule(combos: Array, board: Board, seats: int) -> Array:
    """The nudge of the rules for every combination of lane owners (K, lanes)."""
    nudge = np.zeros(len(combos))
    for number, combo in enumerate(combos):
        owners = [state for state in combo if state]
        if len(set(owners)) < len(owners):
            nudge[number] += np.log(SAME_HAND)
        elif len(owners) > 1 and 0 < seats <= board.rules.single_lane_up_to:
            nudge[number] += np.log(CLOSED_LANE)
    return nudge


def _table_prior(board: Board, routes: Mapping[str, Array], colors: Sequence[str], seated: bool) -> Array:
    """The nudge of the whole table: a colour hardly seen is likely not in play, one beyond its box is overstated."""
    nudge = np.zeros(1 + len(colors))
    for state in range(1, 1 + len(colors)):
        trains = sum(float(routes[route.id][state]) * route.length for route in board.routes.values())
        surest = max(float(chance[state]) for chance in routes.values())
        if not seated and surest < 0.999 and trains < 6:
            nudge[state] += np.log(RARE_COLOR)
        if trains > board.rules.trains + 5:
            nudge[state] += np.log(OVER_BOX)
    return nudge


def _stations(cities: Array, allowed: NDArray[np.bool_]) -> Array:
    """The probabilities (cities, 1 + C) of no station and each colour."""
    share = STATION_PRIOR / max(int(allowed.sum()), 1)
    prior = np.log(np.array([1 - STATION_PRIOR, *(share * allowed + 1e-12)]))
    return np.array([_normal(prior + row) for row in cities]).reshape(-1, 1 + len(allowed))


def _doubtful(route: Route, chance: Array, row: Array, colors: Sequence[str]) -> bool:
    """Whether a route should be asked about.

    It is when its best reading is not likely enough, or when at least a third of its spaces plainly show something else.
    """
    second, best = np.argsort(chance)[-2:]
    share = np.exp(row - row.max(axis=1, keepdims=True))
    share = (share / share.sum(axis=1, keepdims=True))[:, best]
    if (share < 0.1).sum() * 3 >= len(row):
        return True
    if min(second, best) == 0 and _blends_in(colors[max(second, best) - 1], route.color):
        return bool(chance[best] < SURE_ON_ITS_COLOR or share.min() < DISSENT)
    return bool(chance[best] < SURE)


def _blends_in(piece: str, printed: str) -> bool:
    """Whether a piece looks much like the bare print beneath it."""
    return piece == printed or (piece, printed) in {("purple", "pink"), ("white", "gray")}


def _normal(logs: Array) -> Array:
    chance = np.exp(logs - logs.max())
    return np.asarray(chance / chance.sum())


def _options(chance: Array, colors: Sequence[str]) -> tuple[tuple[str | None, float], ...]:
    """The best options, at least two, at most four."""
    names = (None, *colors)
    order = np.argsort(-chance)
    kept = [i for n, i in enumerate(order) if n < 2 or (n < 4 and chance[i] > 0.02)]
    return tuple((names[i], round(float(chance[i]), 4)) for i in kept)

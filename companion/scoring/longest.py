"""The longest continuous path, exact.

A path that may pass a city again but never use a train twice is a connected set of routes in which at most two cities
have an odd number of route ends (Euler). So we look for the heaviest such set. The routes are decided one after the
other, in an order that keeps the *frontier* (cities with some routes decided and some not) small. All that matters of
the past is, for each frontier city, whether its count is odd and which piece of the path it belongs to.

The search is best-first, and its estimate for the routes still to be decided is the exact optimum of the same question
without the demand that the set be connected, which needs only the parities. Dropping a demand can only raise the best
value, so the estimate never falls short of the truth, and the first whole path taken from the queue is a longest one.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from companion.board import Route

Edge = tuple[str, str, int, str]
"""One route: its two cities, its length, its id."""


@dataclass(frozen=True, slots=True)
class Walk:
    """A continuous path: its length in trains, its routes in order and the cities it passes, in order."""

    length: int = 0
    routes: tuple[str, ...] = ()
    cities: tuple[str, ...] = ()


def longest_walk(routes: Iterable[Route]) -> Walk:
    """The longest path through these routes, no train used twice; the empty walk if there are none."""
    edges = [(route.a, route.b, route.length, route.id) for route in routes]
    best = Walk()
    for component in sorted(_components(edges), key=_weight, reverse=True):
        if _weight(component) <= best.length:
            break
        chosen = _heaviest_trail(component, best.length)
        if chosen:
            best = _walk(chosen)
    return best


def _weight(edges: Iterable[Edge]) -> int:
    return sum(edge[2] for edge in edges)


def _components(edges: list[Edge]) -> list[list[Edge]]:
    """The edges, grouped by the network they belong to."""
    root: dict[str, str] = {}

    def find(city: str) -> str:
        while root.setdefault(city, city) != city:
            root[city] = city = root[root[city]]
        return city

    for a, b, _, _ in edges:
        root[find(a)] = find(b)
    groups: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        groups[find(edge[0])].append(edge)
    return list(groups.values())


def _ordered(edges: list[Edge]) -> list[Edge]:
    """The edges in an order that keeps few cities open at a time: always close the city that is cheapest to close."""
    at: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        at[edge[0]].append(edge)
        at[edge[1]].append(edge)
    order: list[Edge] = []
    done: set[str] = set()
    opened: dict[str, int] = {}
    while len(order) < len(edges):
        choices = [city for city in opened if opened[city] >= 0] or [c for c in at if c not in opened]
        city = min(
            choices,
            key=lambda c: (
                len({x for e in at[c] if e[3] not in done for x in e[:2] if x not in opened}),
                opened.get(c, len(order)),
                c,
            ),
        )
        opened.setdefault(city, len(order))
        for edge in sorted(
            (e for e in at[city] if e[3] not in done), key=lambda e: e[0] not in opened or e[1] not in opened
        ):
            order.append(edge)
            done.add(edge[3])
            opened.setdefault(edge[0], len(order))
            opened.setdefault(edge[1], len(order))
        opened[city] = -1
    return order


class _Plan:
    """The order of decisions, with every city as a bit, and the optimum of the unconnected question from any point on."""

    def __init__(self, edges: list[Edge]) -> None:
        self.edges = _ordered(edges)
        cities = list(dict.fromkeys(city for edge in self.edges for city in edge[:2]))
        bit = {city: index for index, city in enumerate(cities)}
        self.ends = [(bit[a], bit[b]) for a, b, _, _ in self.edges]
        last = {}
        for index, (a, b) in enumerate(self.ends):
            last[a] = last[b] = index
        self.closing = [tuple(c for c in dict.fromkeys(ends) if last[c] == i) for i, ends in enumerate(self.ends)]
        self.closed_bits = [sum(1 << c for c in closing) for closing in self.closing]
        self.flips = [(1 << a) ^ (1 << b) for a, b in self.ends]
        self.weights = [edge[2] for edge in self.edges]
        self._best: list[dict[int, int]] = [{} for _ in range(len(self.edges) + 1)]

    def bound(self, index: int, odd: int, spare: int) -> int:
        """The most that edges from `index` on can add if only `spare` more cities may close with an odd count."""
        if index == len(self.edges):
            return 0
        memo = self._best[index]
        key = odd * 3 + spare
        known = memo.get(key)
        if known is not None:
            return known
        best = -1
        closed = self.closed_bits[index]
        for parity, gain in ((odd ^ self.flips[index], self.weights[index]), (odd, 0)):
            left = spare - (parity & closed).bit_count()
            if left >= 0:
                rest = self.bound(index + 1, parity & ~closed, left)
                if rest >= 0 and gain + rest > best:
                    best = gain + rest
        memo[key] = best
        return best


def _heaviest_trail(edges: list[Edge], beat: int) -> list[Edge]:
    """The heaviest connected set of edges with at most two odd cities, or nothing if none is heavier than `beat`."""
    plan = _Plan(edges)
    total = len(plan.edges)
    # (minus the most it can reach, minus the step, gained, odd cities, spare odd ends, piece of each open city, chosen)
    start = plan.bound(0, 0, 2)
    queue: list[tuple[int, int, int, int, int, tuple[tuple[int, int], ...], int]] = [(-start, 0, 0, 0, 2, (), 0)]
    seen: dict[tuple[int, int, int, tuple[tuple[int, int], ...]], int] = {}
    while queue:
        reach, step, gained, odd, spare, pieces, chosen = heapq.heappop(queue)
        if -reach <= beat:
            return []
        index = -step
        if index == total:
            return [edge for i, edge in enumerate(plan.edges) if chosen >> i & 1]
        for take in (True, False):
            parity = odd ^ plan.flips[index] if take else odd
            left = spare - (parity & plan.closed_bits[index]).bit_count()
            if left < 0:
                continue
            joined = _join(pieces, *plan.ends[index]) if take else pieces
            after, ended = _close(joined, plan.closing[index])
            if ended and after:
                continue  # a finished piece and another one: they can never meet
            gain = gained + plan.weights[index] * take
            mask = chosen | (1 << index) if take else chosen
            if ended:
                heapq.heappush(queue, (-gain, -total, gain, 0, left, (), mask))
                continue
            parity &= ~plan.closed_bits[index]
            state = (index + 1, parity, left, after)
            if seen.get(state, -1) >= gain:
                continue
            rest = plan.bound(index + 1, parity, left)
            if rest < 0 or (not after and not rest):
                continue
            seen[state] = gain
            heapq.heappush(queue, (-(gain + rest), -(index + 1), gain, parity, left, after, mask))
    return []


def _join(pieces: tuple[tuple[int, int], ...], a: int, b: int) -> tuple[tuple[int, int], ...]:
    """The pieces of the path after taking an edge from a to b; a piece is named by its lowest open city."""
    names = dict(pieces)
    pa, pb = names.get(a, a), names.get(b, b)
    low, high = (pa, pb) if pa < pb else (pb, pa)
    names[a] = names[b] = low
    return tuple(sorted((city, low if piece == high else piece) for city, piece in names.items()))


def _close(pieces: tuple[tuple[int, int], ...], closing: tuple[int, ...]) -> tuple[tuple[tuple[int, int], ...], bool]:
    """The pieces once these cities leave the frontier, renamed, and whether a piece has no open city left."""
    if not closing or not pieces:
        return pieces, False
    kept = [(city, piece) for city, piece in pieces if city not in closing]
    if len(kept) == len(pieces):
        return pieces, False
    ended = len({piece for _, piece in pieces}) > len({piece for _, piece in kept})
    lowest: dict[int, int] = {}
    for city, piece in kept:
        lowest.setdefault(piece, city)
    return tuple((city, lowest[piece]) for city, piece in kept), ended


def _walk(edges: list[Edge]) -> Walk:
    """The edges of a trail in the order one travels them (Hierholzer)."""
    at: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        at[edge[0]].append(edge)
        at[edge[1]].append(edge)
    start = min((city for city in at if len(at[city]) % 2), default=min(at))
    used: set[str] = set()
    stack: list[tuple[str, str | None]] = [(start, None)]
    cities: list[str] = []
    routes: list[str] = []
    while stack:
        city, came_by = stack[-1]
        while at[city] and at[city][-1][3] in used:
            at[city].pop()
        if at[city]:
            a, b, _, route = at[city].pop()
            used.add(route)
            stack.append((b if city == a else a, route))
        else:
            stack.pop()
            cities.append(city)
            if came_by is not None:
                routes.append(came_by)
    return Walk(_weight(edges), tuple(routes), tuple(cities))

"""Connections: which tickets a network meets, by which path, and the best use of its stations."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from companion.board import Board, Route, Ticket

Node = str
"""A city, or one end of one route at a country: nothing passes through a country, so each such end stands alone."""


def nodes_of(board: Board, route: Route) -> tuple[Node, Node]:
    """The two nodes that a route joins."""
    a, b = (end if board.cities[end].country is None else f"{end}/{route.id}" for end in route.ends)
    return a, b


class Network:
    """A player's routes, their own and borrowed ones, and what they connect."""

    def __init__(self, board: Board, routes: Iterable[Route]) -> None:
        self.board = board
        self.near: dict[Node, list[tuple[Node, Route]]] = defaultdict(list)
        self.ends: dict[str, set[Node]] = defaultdict(set)
        for route in routes:
            a, b = nodes_of(board, route)
            self.near[a].append((b, route))
            self.near[b].append((a, route))
            self.ends[route.a].add(a)
            self.ends[route.b].add(b)

    def nodes(self, place: str) -> set[Node]:
        """The nodes of the network at which a ticket to this place is met."""
        return {node for city in self.board.places.get(place, ()) for node in self.ends.get(city, ())}

    def path(self, a: str, b: str, cost: Callable[[Route], int] | None = None) -> tuple[str, ...] | None:
        """The ids of the routes on the shortest connection between two places, or None; `cost` measures otherwise."""
        goals = self.nodes(b)
        queue: list[tuple[int, int, Node, tuple[str, ...]]] = [(0, 0, node, ()) for node in sorted(self.nodes(a))]
        seen: set[Node] = set()
        while queue and goals:
            distance, _, node, path = heapq.heappop(queue)
            if node in goals:
                return path
            if node in seen:
                continue
            seen.add(node)
            for onward, route in self.near[node]:
                if onward not in seen:
                    further = distance + (cost(route) if cost else route.length)
                    heapq.heappush(queue, (further, len(path) + 1, onward, (*path, route.id)))
        return None

    def labels(self) -> dict[Node, int]:
        """A number for every node, the same for nodes that are connected."""
        labels: dict[Node, int] = {}
        number = -1
        for start in self.near:
            if start in labels:
                continue
            number += 1
            labels[start] = number
            stack = [start]
            while stack:
                for onward, _ in self.near[stack.pop()]:
                    if onward not in labels:
                        labels[onward] = number
                        stack.append(onward)
        return labels


def shortest_distance(board: Board, a: str, b: str) -> int:
    """The fewest spaces between two places on the empty board: the proposed value of a write-in ticket."""
    path = Network(board, board.routes.values()).path(a, b)
    return sum(board.routes[route].length for route in path or ())


def missing_link(board: Board, own: Collection[str], taken: Collection[str], a: str, b: str) -> tuple[str, ...]:
    """What a network lacks to join two places: the fewest spaces of free routes, or of taken ones where nothing is free."""
    blocked = sum(route.length for route in board.routes.values())

    def cost(route: Route) -> int:
        return 0 if route.id in own else route.length + blocked * (route.id in taken)

    path = Network(board, board.routes.values()).path(a, b, cost) or ()
    return tuple(route for route in path if route not in own)


@dataclass(frozen=True, slots=True)
class Offer:
    """A station and the routes it may borrow."""

    city: str
    routes: tuple[Route, ...]


def best_loans(board: Board, own: Sequence[Route], offers: Sequence[Offer], tickets: Sequence[Ticket]) -> dict[str, Route]:
    """The route each station borrows: the most ticket points, then the most tickets; a useless station borrows none.

    Only what a choice connects matters, so the search runs over the groups of connected cities. Every way to choose is
    either tried, or leads to the same groups as one that was, or cannot beat the best even if all stations still open
    could borrow everything they touch at once.
    """
    search = _Search(board, own, offers, tickets)
    if not search.open_tickets:
        return {}
    search.run(0, search.start, ())
    return search.without_idle()


class _Search:
    def __init__(self, board: Board, own: Sequence[Route], offers: Sequence[Offer], tickets: Sequence[Ticket]) -> None:
        network = Network(board, own)
        label = network.labels()
        choices: list[dict[tuple[int, int], Route]] = []
        nodes_at: dict[str, set[Node]] = defaultdict(set, {city: set(nodes) for city, nodes in network.ends.items()})
        for offer in offers:
            joins: dict[tuple[int, int], Route] = {}
            for route in sorted(offer.routes, key=lambda r: (r.length, r.id)):
                a, b = nodes_of(board, route)
                nodes_at[route.a].add(a)
                nodes_at[route.b].add(b)
                for node in (a, b):
                    if node not in label:
                        label[node] = 1 + max(label.values(), default=-1)
                low, high = sorted((label[a], label[b]))
                if low != high:
                    joins.setdefault((low, high), route)
            choices.append(joins)
        self.start = tuple(range(1 + max(label.values(), default=0)))
        everything = _merge(self.start, [pair for joins in choices for pair in joins])
        self.open_tickets: list[tuple[frozenset[int], frozenset[int], int]] = []
        for ticket in tickets:
            ends = [
                frozenset(label[n] for city in board.places[place] for n in nodes_at.get(city, ()) if n in label)
                for place in (ticket.a, ticket.b)
            ]
            if not _met(self.start, *ends) and _met(everything, *ends):
                self.open_tickets.append((ends[0], ends[1], ticket.points))
        useful = self._useful(choices)
        self.steps = [
            (offer.city, {pair: route for pair, route in joins.items() if pair in useful})
            for offer, joins in zip(offers, choices, strict=True)
        ]
        self.steps = [step for step in self.steps if step[1]]
        self.best: tuple[int, int] = (0, 0)
        self.best_loans: tuple[tuple[str, tuple[int, int]], ...] = ()
        self.seen: set[tuple[int, tuple[int, ...]]] = set()

    def _useful(self, choices: Sequence[Mapping[tuple[int, int], Route]]) -> set[tuple[int, int]]:
        """The joins that can lie between the ends of some open ticket: dead ends are cut back again and again."""
        wanted = {n for a, b, _ in self.open_tickets for n in a | b}
        pairs = {pair for joins in choices for pair in joins}
        while True:
            degree: dict[int, int] = defaultdict(int)
            for a, b in pairs:
                degree[a] += 1
                degree[b] += 1
            kept = {(a, b) for a, b in pairs if all(degree[n] > 1 or n in wanted for n in (a, b))}
            if kept == pairs:
                return pairs
            pairs = kept

    def value(self, groups: tuple[int, ...]) -> tuple[int, int]:
        met = [points for a, b, points in self.open_tickets if _met(groups, a, b)]
        return sum(met), len(met)

    def run(self, step: int, groups: tuple[int, ...], loans: tuple[tuple[str, tuple[int, int]], ...]) -> None:
        if (step, groups) in self.seen:
            return
        self.seen.add((step, groups))
        value = self.value(groups)
        if value > self.best:
            self.best, self.best_loans = value, loans
        if step == len(self.steps):
            return
        hope = _merge(groups, [pair for _, joins in self.steps[step:] for pair in joins])
        if self.value(hope) <= self.best:
            return
        city, joins = self.steps[step]
        for pair in joins:
            merged = _merge(groups, [pair])
            if merged != groups:
                self.run(step + 1, merged, (*loans, (city, pair)))
        self.run(step + 1, groups, loans)

    def without_idle(self) -> dict[str, Route]:
        """The best loans, less those that win nothing."""
        loans = dict(self.best_loans)
        for city in list(loans):
            rest = [pair for other, pair in loans.items() if other != city]
            if self.value(_merge(self.start, rest)) == self.best:
                del loans[city]
        joins = dict(self.steps)
        return {city: joins[city][pair] for city, pair in loans.items()}


def _merge(groups: tuple[int, ...], pairs: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """The groups after joining each pair; a group is named by its lowest member."""
    merged = list(groups)
    for a, b in pairs:
        low, high = sorted((merged[a], merged[b]))
        if low != high:
            merged = [low if name == high else name for name in merged]
    return tuple(merged)


def _met(groups: tuple[int, ...], a: frozenset[int], b: frozenset[int]) -> bool:
    if len(a) == 1 and len(b) == 1:
        return groups[min(a)] == groups[min(b)]
    return not {groups[n] for n in a}.isdisjoint({groups[n] for n in b})

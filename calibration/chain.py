"""Chains spaces into rows: each space's end meets the next one's, in one colour."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.rectangles import Rectangles

Floats = NDArray[np.float64]

_MOST_APART = 26.0


@dataclass(frozen=True)
class Links:
    """Pairs of space ends that may join: first and second (K, 2) as space and end (0 or 1), costs (K,), cheapest first."""

    pairs: NDArray[np.intp]
    costs: Floats


def ends_of(found: Rectangles, length: float) -> tuple[Floats, Floats]:
    """Both ends' middles (N, 2, 2) and the ways out of them (N, 2, 2)."""
    turn = np.radians(found.angles)
    way = np.column_stack([np.cos(turn), np.sin(turn)])
    ways = np.stack([-way, way], axis=1)
    return found.centres[:, None] + ways * length / 2, ways


def possible_links(found: Rectangles, tints: Floats, length: float, width: float, cities: Floats | None = None) -> Links:
    """The joints between spaces that lie end to end."""
    spots, ways = ends_of(found, length)
    flat, out = spots.reshape(-1, 2), ways.reshape(-1, 2)
    gap = np.linalg.norm(flat[:, None] - flat[None], axis=2)
    one, other = np.nonzero(np.triu(gap < 1.25 * width, 1))
    apart = one // 2 != other // 2
    one, other = one[apart], other[apart]
    a, b = one // 2, other // 2
    turn = np.degrees(np.arccos(np.clip(-(out[one] * out[other]).sum(axis=1), -1, 1)))
    tint = np.linalg.norm((tints[a] - tints[b]) * np.array([0.5, 1, 1]), axis=1)
    # Ends that overlap, so that the spaces would lie on each other, are no joint.
    inward = ((flat[other] - flat[one]) * out[one]).sum(axis=1)
    middle = np.linalg.norm(found.centres[a] - found.centres[b], axis=1)
    far = gap[one, other] / width
    cost = far * 0.8 + (turn / 70) ** 2 + (tint / 16) ** 2 + np.maximum(0, -inward / width - 0.2)
    good = (turn < 110) & (tint < _MOST_APART) & (middle > 0.62 * length) & (cost < 2.6)
    if cities is not None and len(cities):
        between = (flat[one] + flat[other]) / 2
        nearest = np.linalg.norm(between[:, None] - cities[None], axis=2).min(axis=1)
        good &= nearest > 0.8 * width
    order = np.argsort(cost[good])
    return Links(np.column_stack([one[good], other[good]])[order], cost[good][order])


def supported(found: Rectangles, tints: Floats, length: float, width: float) -> Floats:
    """Each rectangle's score, raised by what fits on to its ends."""
    links = possible_links(found, tints, length, width)
    help_ = np.zeros((len(found), 2))
    for (one, other), cost in zip(links.pairs, links.costs, strict=True):
        worth = max(0.0, 1 - cost / 2.2)
        for mine, theirs in ((one, other), (other, one)):
            value = worth * min(1.0, found.scores[theirs // 2] / 0.7)
            help_[mine // 2, mine % 2] = max(help_[mine // 2, mine % 2], value)
    return np.asarray(found.scores + 0.16 * help_.sum(axis=1))


def without_crossings(found: Rectangles, value: Floats, length: float, width: float) -> NDArray[np.intp]:
    """The indices that remain when, of rectangles that overlap notably, only the best is kept."""
    order = np.argsort(-value)
    boxes = [
        ((float(x), float(y)), (0.9 * length, 0.9 * width), float(t))
        for (x, y), t in zip(found.centres, found.angles, strict=True)
    ]
    kept: list[int] = []
    for index in order:
        near = [k for k in kept if np.linalg.norm(found.centres[k] - found.centres[index]) < length]
        if all(_overlap(boxes[index], boxes[k]) < 0.22 * 0.81 * length * width for k in near):
            kept.append(int(index))
    return np.array(kept, np.intp)


def _overlap(one: cv2.typing.RotatedRect, other: cv2.typing.RotatedRect) -> float:
    kind, shape = cv2.rotatedRectangleIntersection(one, other)
    return float(cv2.contourArea(shape)) if kind and shape is not None else 0.0


def rows_of(count: int, links: Links) -> list[list[tuple[int, int]]]:
    """Rows of (space, end it is entered by), each end joined at most once, the cheapest joints first."""
    joined: dict[int, int] = {}
    family = list(range(count))

    def root(n: int) -> int:
        while family[n] != n:
            n = family[n]
        return n

    for one, other in links.pairs:
        a, b = int(one), int(other)
        if a in joined or b in joined or root(a // 2) == root(b // 2):
            continue
        joined[a], joined[b] = b, a
        family[root(a // 2)] = root(b // 2)
    rows: list[list[tuple[int, int]]] = []
    seen: set[int] = set()
    for space in range(count):
        for enter in (0, 1):
            if space in seen or 2 * space + enter in joined:
                continue
            row, here = [], 2 * space + enter
            while True:
                row.append((here // 2, here % 2))
                seen.add(here // 2)
                leave = here ^ 1
                if leave not in joined:
                    break
                here = joined[leave]
            rows.append(row)
    return rows

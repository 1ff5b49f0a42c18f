"""Chains spaces into rows between cities: each end of a space meets the next one's, or a city."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.rectangles import Rectangles

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_MOST_APART = 34.0
_MOST_COST = 2.6


@dataclass(frozen=True)
class Joints:
    """What may join, cheapest first: pairs (K, 2) of ends (2 * space + side), or of an end and a city; costs (K,)."""

    pairs: Indices
    costs: Floats


def ends_of(found: Rectangles, length: float) -> tuple[Floats, Floats]:
    """Both ends' middles (2N, 2) and the ways out of them (2N, 2): end 2k and 2k + 1 belong to space k."""
    turn = np.radians(found.angles)
    way = np.column_stack([np.cos(turn), np.sin(turn)])
    ways = np.stack([-way, way], axis=1)
    return (found.centres[:, None] + ways * length / 2).reshape(-1, 2), ways.reshape(-1, 2)


def links(found: Rectangles, tints: Floats, length: float, width: float, cities: Floats) -> Joints:
    """The joints between spaces that lie end to end, with no city between them."""
    spots, ways = ends_of(found, length)
    gap = np.linalg.norm(spots[:, None] - spots[None], axis=2)
    one, other = np.nonzero(np.triu(gap < 1.5 * width, 1))
    apart = one // 2 != other // 2
    one, other = one[apart], other[apart]
    a, b = one // 2, other // 2
    turn = np.degrees(np.arccos(np.clip(-(ways[one] * ways[other]).sum(axis=1), -1, 1)))
    tint = np.linalg.norm((tints[a] - tints[b]) * np.array([0.5, 1, 1]), axis=1)
    # Ends that overlap, so that the spaces would lie on each other, are no joint.
    inward = ((spots[other] - spots[one]) * ways[one]).sum(axis=1)
    middle = np.linalg.norm(found.centres[a] - found.centres[b], axis=1)
    cost = 0.8 * gap[one, other] / width + (turn / 80) ** 2 + (tint / 16) ** 2 + np.maximum(0, -inward / width - 0.2)
    good = (turn < 110) & (tint < _MOST_APART) & (middle > 0.62 * length) & (cost < _MOST_COST)
    if len(cities):
        between = (spots[one] + spots[other]) / 2
        good &= np.linalg.norm(between[:, None] - cities[None], axis=2).min(axis=1) > 0.8 * width
    order = np.argsort(cost[good])
    return Joints(np.column_stack([one[good], other[good]])[order], cost[good][order])


def stops(found: Rectangles, length: float, width: float, cities: Floats, sure: Floats, reach: float = 2.9) -> Joints:
    """Which ends may stop at which cities: ahead of the space, at most `reach` widths away."""
    spots, ways = ends_of(found, length)
    gap = cities[None] - spots[:, None]
    ahead = (gap * ways[:, None]).sum(axis=2) / width
    aside = np.abs(gap[..., 0] * ways[:, None, 1] - gap[..., 1] * ways[:, None, 0]) / width
    far = np.hypot(ahead, aside)
    fits = (ahead > -0.45) & (far < reach) & (aside < 1.25 + 0.45 * np.maximum(ahead, 0))
    ends, places = np.nonzero(fits)
    cost = (far[ends, places] / 1.9) ** 2 + 0.25 * aside[ends, places] + 0.6 * (1 - sure[places])
    order = np.argsort(cost)
    return Joints(np.column_stack([ends, places])[order], cost[order])


def without_crossings(found: Rectangles, length: float, width: float) -> Indices:
    """The indices that remain when, of rectangles that overlap notably, only the surest is kept."""
    boxes = [
        ((float(x), float(y)), (0.9 * length, 0.9 * width), float(t))
        for (x, y), t in zip(found.centres, found.angles, strict=True)
    ]
    kept: list[int] = []
    for index in np.argsort(-found.scores):
        near = [k for k in kept if np.linalg.norm(found.centres[k] - found.centres[index]) < length]
        if all(_overlap(boxes[index], boxes[k]) < 0.28 * 0.81 * length * width for k in near):
            kept.append(int(index))
    return np.array(kept, np.intp)


def _overlap(one: cv2.typing.RotatedRect, other: cv2.typing.RotatedRect) -> float:
    kind, shape = cv2.rotatedRectangleIntersection(one, other)
    return float(cv2.contourArea(shape)) if kind and shape is not None else 0.0


def join(count: int, between: Joints, at_cities: Joints) -> tuple[dict[int, int], dict[int, int]]:
    """Every end of `count` spaces joined at most once, cheapest first: to another end, or to a city.

    Gives for an end the end that it meets, and for an end the city where it stops.
    """
    meets: dict[int, int] = {}
    stop: dict[int, int] = {}
    family = list(range(count))

    def root(n: int) -> int:
        while family[n] != n:
            n = family[n]
        return n

    offers = [(float(c), 0, int(a), int(b)) for (a, b), c in zip(between.pairs, between.costs, strict=True)]
    offers += [(float(c), 1, int(a), int(b)) for (a, b), c in zip(at_cities.pairs, at_cities.costs, strict=True)]
    for _, at_city, one, other in sorted(offers):
        if one in meets or one in stop:
            continue
        if at_city:
            # A row that starts at a city does not end there.
            if stop.get(_far_end(one, meets)) != other:
                stop[one] = other
        elif other not in meets and other not in stop and root(one // 2) != root(other // 2):
            ends = stop.get(_far_end(one, meets)), stop.get(_far_end(other, meets))
            if ends[0] is None or ends[0] != ends[1]:
                meets[one], meets[other] = other, one
                family[root(one // 2)] = root(other // 2)
    return meets, stop


def _far_end(end: int, meets: dict[int, int]) -> int:
    """The other end of the row that this end belongs to."""
    here = end ^ 1
    while here in meets:
        here = meets[here] ^ 1
    return here


def rows_of(count: int, meets: dict[int, int]) -> list[list[int]]:
    """Rows as the ends by which each space is entered."""
    rows: list[list[int]] = []
    seen: set[int] = set()
    for end in range(2 * count):
        if end // 2 in seen or end in meets:
            continue
        row, here = [], end
        while True:
            row.append(here)
            seen.add(here // 2)
            if here ^ 1 not in meets:
                break
            here = meets[here ^ 1]
        rows.append(row)
    return rows

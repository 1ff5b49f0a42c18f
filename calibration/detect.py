"""Finds the network of a board never seen: spaces, city discs, and the routes between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.chain import ends_of, possible_links, rows_of, supported, without_crossings
from calibration.discs import find_discs
from calibration.rectangles import Rectangles
from calibration.scan import Scan
from calibration.snap import Layout, interior, settle
from companion.errors import CalibrationError

Floats = NDArray[np.float64]

_LIKELY = 0.15
_POSSIBLE = 0.05


@dataclass(frozen=True)
class Row:
    """A route as found: the numbers of its two cities, its spaces (N, 3) x, y, angle in pixels, its tint, how sure."""

    a: int
    b: int
    spaces: Floats
    tint: Floats
    sure: float


@dataclass(frozen=True)
class Found:
    """A board's network in pixels of the scan: cities (C, 2), how sure (C,), and rows of spaces."""

    cities: Floats
    city_sure: Floats
    rows: tuple[Row, ...]


def find_network(looked: Scan) -> Found:
    """Spaces chained into routes between city discs."""
    length, width = looked.length, looked.width
    spaces, tints, likely = likely_spaces(looked)
    if len(spaces) < 12:
        raise CalibrationError(
            "Too few spaces were found; take a sharper photo of the whole empty board, from straight above."
        )
    # Cities are settled by the likely spaces alone; the less likely may then fill what lies between two of them.
    firm = likely > _LIKELY
    strong, strong_tints, strong_likely = spaces.pick(firm), tints[firm], likely[firm]
    rows = rows_of(len(strong), possible_links(strong, strong_tints, length, width))
    rows = [row for row in rows if len(row) > 1 or strong_likely[row[0][0]] > 0.6]
    ends, ways, _ = _row_ends(rows, strong, length)
    discs, value, _ = find_discs(looked.ground, ends, ways, width)
    rows = rows_of(len(strong), possible_links(strong, strong_tints, length, width, discs[value > 0.7]))
    rows = [row for row in rows if float(np.mean(strong_likely[[s for s, _ in row]])) > (0.45 if len(row) < 2 else 0.3)]
    ends, ways, _ = _row_ends(rows, strong, length)
    cities, sure = _choose(ends, ways, discs, value, width)
    rows = rows_of(len(spaces), possible_links(spaces, tints, length, width, cities))
    rows = [row for row in rows if float(np.mean(likely[[s for s, _ in row]])) > (0.25 if len(row) < 2 else 0.14)]
    ends, ways, owner = _row_ends(rows, spaces, length)
    served = _serve(ends, ways, cities, sure, width)
    found = []
    for number, row in enumerate(rows):
        a, b = (int(served[k]) for k in np.flatnonzero(owner == number))
        if a < 0 or b < 0 or a == b:
            continue
        chosen = [space for space, _ in row]
        placed = np.column_stack([spaces.centres[chosen], spaces.angles[chosen]])
        if a > b:
            a, b, placed = b, a, placed[::-1]
        certainty = float(np.mean(likely[chosen]) * min(sure[a], sure[b], 1.0) ** 0.5)
        found.append(Row(a, b, placed, np.median(tints[chosen], axis=0), certainty))
    if len(found) < 3:
        raise CalibrationError(
            "Too few routes were found; take a sharper photo of the whole empty board, from straight above."
        )
    return _settled(looked, _tidy(cities, sure, found))


def likely_spaces(looked: Scan) -> tuple[Rectangles, Floats, Floats]:
    """The rectangles that are probably spaces, their tints (N, 3) and how likely each is (N,)."""
    length, width = looked.length, looked.width
    found = looked.found.pick(looked.found.scores > 0.42)
    tints = interior(looked.ground, found.centres, found.angles, length, width)
    value = supported(found, tints, length, width)
    kept = without_crossings(found, value, length, width)
    found, tints, value = found.pick(kept), tints[kept], value[kept]
    usual = float(np.median(value[:100]))
    good = value > 0.62 * usual
    found, tints, value = found.pick(good), tints[good], value[good]
    top = value > 0.95 * np.median(value[: max(1, len(value) // 4)])
    apart = np.linalg.norm((tints[:, None] - tints[None, top]) * np.array([0.5, 1, 1]), axis=2)
    company = (np.exp(-0.5 * (apart / 5) ** 2) * value[top]).sum(axis=1)
    normal = np.column_stack([-np.sin(np.radians(found.angles)), np.cos(np.radians(found.angles))])
    beside = [
        np.linalg.norm(
            interior(looked.ground, found.centres + side * width * normal, found.angles, length, 0.3 * width) - tints, axis=1
        )
        for side in (-1.05, 1.05)
    ]
    # Weights fitted on printed and drawn boards; each board was judged with those of the others.
    odds = 15.0 * value / usual + 6.6 * found.scores / usual - 17.4
    odds += 0.79 * np.maximum(np.log(company + 0.1), 0.9) + 0.14 * np.log(np.minimum(*beside) + 1)
    likely = 1 / (1 + np.exp(-odds))
    good = likely > _POSSIBLE
    return found.pick(good), tints[good], likely[good]


def _row_ends(
    rows: list[list[tuple[int, int]]], spaces: Rectangles, length: float
) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Both ends (E, 2) of every row, the ways out of them (E, 2), and which row each belongs to (E,)."""
    spots, ways = ends_of(spaces, length)
    places = [(row[0][0], row[0][1]) for row in rows], [(row[-1][0], row[-1][1] ^ 1) for row in rows]
    both = [pair for two in zip(*places, strict=True) for pair in two]
    index = np.array(both, np.intp).reshape(-1, 2)
    return spots[index[:, 0], index[:, 1]], ways[index[:, 0], index[:, 1]], np.repeat(np.arange(len(rows)), 2)


def _worth(ends: Floats, ways: Floats, discs: Floats, value: Floats, width: float) -> Floats:
    """How well each disc suits each end (E, D): near, ahead and sure."""
    gap = discs[None] - ends[:, None]
    ahead = (gap * ways[:, None]).sum(axis=2) / width
    aside = np.abs(gap[..., 0] * ways[:, None, 1] - gap[..., 1] * ways[:, None, 0]) / width
    far = np.hypot(ahead, aside)
    fits = (ahead > -0.5) & (far < 2.9) & (aside < 1.15 + 0.45 * np.maximum(ahead, 0))
    return np.asarray(np.where(fits, np.exp(-((far / 2.0) ** 2)) * value[None] ** 2, 0.0))


def _choose(ends: Floats, ways: Floats, discs: Floats, value: Floats, width: float) -> tuple[Floats, Floats]:
    """The discs that rows of spaces lead to, each taken while it serves ends that no better one does."""
    chosen: list[int] = []
    left = _worth(ends, ways, discs, value, width)
    while len(discs):
        total = left.sum(axis=0) * value**2
        best = int(np.argmax(total))
        if total[best] < 0.08:
            break
        chosen.append(best)
        left[left[:, best] > 0] = 0
        left[:, np.linalg.norm(discs - discs[best], axis=1) < 1.7 * width] = 0
    return discs[chosen], value[chosen]


def _serve(ends: Floats, ways: Floats, cities: Floats, sure: Floats, width: float) -> NDArray[np.intp]:
    """The city of every end (E,), -1 for none."""
    worth = _worth(ends, ways, cities, sure, width)
    if not worth.size:
        return np.full(len(ends), -1, np.intp)
    return np.where(worth.max(axis=1) > 0, worth.argmax(axis=1), -1).astype(np.intp)


def _tidy(cities: Floats, sure: Floats, rows: list[Row]) -> Found:
    """Only cities that a route reaches; of more than three routes between two cities, the surest three."""
    kept: list[Row] = []
    for row in sorted(rows, key=lambda row: -row.sure):
        if sum((row.a, row.b) == (other.a, other.b) for other in kept) < 3:
            kept.append(row)
    used = sorted({end for row in kept for end in (row.a, row.b)})
    number = {city: k for k, city in enumerate(used)}
    renamed = tuple(Row(number[r.a], number[r.b], r.spaces, r.tint, r.sure) for r in kept)
    return Found(cities[used], sure[used], renamed)


def _settled(looked: Scan, found: Found) -> Found:
    """Every space moved onto its print."""
    joined = np.concatenate([row.spaces for row in found.rows])
    routes = np.repeat(np.arange(len(found.rows)), [len(row.spaces) for row in found.rows]).astype(np.intp)
    layout = Layout(joined[:, :2], joined[:, 2], routes, routes.astype(str))
    none = np.zeros((len(joined), 2))
    settled = settle(looked.ground, layout, looked.length, looked.width, none, np.ones(len(joined)))
    moved = np.column_stack([settled.spots, settled.angles])
    rows = [Row(r.a, r.b, moved[routes == k], r.tint, r.sure) for k, r in enumerate(found.rows)]
    return Found(found.cities, found.city_sure, tuple(rows))

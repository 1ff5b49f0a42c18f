"""Finds the network of a board never seen: spaces, cities, and the routes between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.chain import Joints, ends_of, join, links, rows_of, stops, without_crossings
from calibration.rectangles import Rectangles
from calibration.scan import Scan
from calibration.snap import interior
from companion.errors import CalibrationError

Floats = NDArray[np.float64]

_LEAST_SPACE, _LEAST_CITY = 0.15, 0.2
_FIRM_ROW = 0.88
_FAR_CITY = 4.2
_PLAINLY, _MANY = 4, 0.33


@dataclass(frozen=True)
class Row:
    """A route as found: the numbers of its two cities, its spaces (N, 3) x, y, angle in pixels, its tint, kind, how sure."""

    a: int
    b: int
    spaces: Floats
    tint: Floats
    kind: str
    sure: float


@dataclass(frozen=True)
class Found:
    """A board's network in pixels of the scan: cities (C, 2), how sure (C,), and rows of spaces."""

    cities: Floats
    city_sure: Floats
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class _Seen:
    """Spaces that may be part of the network, with their tints (N, 3) and kinds' shares (N,)."""

    spaces: Rectangles
    tints: Floats
    tunnel: Floats
    engine: Floats
    piece: Floats

    def pick(self, keep: NDArray[np.intp]) -> _Seen:
        return _Seen(self.spaces.pick(keep), self.tints[keep], self.tunnel[keep], self.engine[keep], self.piece[keep])


def find_network(looked: Scan) -> Found:
    """Spaces chained into routes between cities."""
    length, width = looked.length, looked.width
    seen = _likely(looked)
    if len(seen.spaces) < 12:
        raise CalibrationError(
            "Too few spaces were found; take a sharper photo of the whole empty board, from straight above."
        )
    cities, sure = _likely_cities(looked)
    usual = float(np.median(seen.spaces.scores[seen.spaces.scores > 0.4 * seen.spaces.scores.max()]))
    for _ in range(3):
        meets, stop = _joined(seen, cities, sure, length, width)
        rows = rows_of(len(seen.spaces), meets)
        good = [row for row in rows if _belongs(row, seen, stop, sure, usual)]
        kept = np.array(sorted(end // 2 for row in good for end in row), np.intp)
        if len(kept) == len(seen.spaces):
            break
        seen = seen.pick(kept)
        if len(kept) < 12:
            raise CalibrationError(
                "Too few spaces were found; take a sharper photo of the whole empty board, from straight above."
            )
    _check_empty(rows, seen)
    loose = [end for row in rows for end in (row[0], row[-1] ^ 1) if end not in stop]
    cities, sure, stop = _with_implied(seen, cities, sure, stop, loose, length, width)
    found = [made for row in rows if (made := _row(row, seen, stop, sure)) is not None]
    if len(found) < 3:
        raise CalibrationError(
            "Too few routes were found; take a sharper photo of the whole empty board, from straight above."
        )
    return _tidy(cities, sure, found)


def _likely(looked: Scan) -> _Seen:
    marks = looked.marks
    good = np.flatnonzero(marks.spaces.scores > _LEAST_SPACE)
    kept = good[without_crossings(marks.spaces.pick(good), looked.length, looked.width)]
    spaces = marks.spaces.pick(kept)
    tints = interior(looked.ground, spaces.centres, spaces.angles, looked.length, looked.width)
    return _Seen(spaces, tints, marks.tunnel[kept], marks.engine[kept], marks.piece[kept])


def _likely_cities(looked: Scan) -> tuple[Floats, Floats]:
    """The cities marked, the surer one of any two that lie on each other."""
    kept: list[int] = []
    spots, scores = looked.marks.cities, looked.marks.city_scores
    for index in np.flatnonzero(scores > _LEAST_CITY):
        if all(np.linalg.norm(spots[index] - spots[other]) > 1.0 * looked.width for other in kept):
            kept.append(int(index))
    return spots[kept], np.clip(scores[kept] / 0.7, 0, 1)


def _joined(seen: _Seen, cities: Floats, sure: Floats, length: float, width: float) -> tuple[dict[int, int], dict[int, int]]:
    between = links(seen.spaces, seen.tints, length, width, cities[sure > 0.5])
    at_cities = (
        stops(seen.spaces, length, width, cities, sure) if len(cities) else Joints(np.zeros((0, 2), np.intp), np.zeros(0))
    )
    return join(len(seen.spaces), between, at_cities)


def _belongs(row: list[int], seen: _Seen, stop: dict[int, int], sure: Floats, usual: float) -> bool:
    """Whether a row is part of the network: plainly seen beside what is usual on this board, and between two cities."""
    score = float(np.mean(seen.spaces.scores[[end // 2 for end in row]])) / usual
    reached = sum(float(sure[stop[end]]) for end in (row[0], row[-1] ^ 1) if end in stop)
    return score + 0.15 * reached + 0.03 * min(len(row), 4) > _FIRM_ROW


def _check_empty(rows: list[list[int]], seen: _Seen) -> None:
    """Refuse a board with pieces on it: whole rows that look like pieces, plainly or in great number."""
    covered = np.array([float(np.median(seen.piece[[end // 2 for end in row]])) for row in rows])
    if (covered > 0.8).sum() > max(_PLAINLY, 0.08 * len(rows)) or (covered > 0.5).mean() > _MANY:
        count = max(1, int((covered > 0.5).sum()))
        raise CalibrationError(
            "The board is not empty: pieces seem to lie on {count} routes; clear it and try again.", count=count
        )


def _with_implied(
    seen: _Seen, cities: Floats, sure: Floats, stop: dict[int, int], loose: list[int], length: float, width: float
) -> tuple[Floats, Floats, dict[int, int]]:
    """Cities added where rows end and none is marked: rows that end together share one."""
    spots, ways = ends_of(seen.spaces, length)
    sure_ones = np.flatnonzero(sure > 0.6)
    for end, city in stops(seen.spaces, length, width, cities[sure_ones], sure[sure_ones], _FAR_CITY).pairs:
        if int(end) in loose:
            stop = stop | {int(end): int(sure_ones[city])}
            loose = [one for one in loose if one != end]
    added: list[Floats] = []
    members: list[list[int]] = []
    for end in loose:
        place = spots[end] + 0.5 * width * ways[end]
        near = [k for k, spot in enumerate(added) if np.linalg.norm(spot - place) < 1.2 * width]
        if near:
            members[near[0]].append(end)
            added[near[0]] = np.mean([spots[one] + 0.5 * width * ways[one] for one in members[near[0]]], axis=0)
        else:
            added.append(place)
            members.append([end])
    stop = stop | {end: len(cities) + k for k, ends in enumerate(members) for end in ends}
    if added:
        cities, sure = np.concatenate([cities, added]), np.concatenate([sure, np.full(len(added), 0.2)])
    return cities, sure, stop


def _row(row: list[int], seen: _Seen, stop: dict[int, int], sure: Floats) -> Row | None:
    a, b = stop.get(row[0]), stop.get(row[-1] ^ 1)
    if a is None or b is None or a == b:
        return None
    if a > b:
        a, b, row = b, a, [end ^ 1 for end in reversed(row)]
    chosen = [end // 2 for end in row]
    spaces = seen.spaces.pick(np.array(chosen))
    certainty = float(np.clip(np.mean(spaces.scores) / 0.5, 0, 1) * min(sure[a], sure[b]) ** 0.5)
    tunnel, ferry = float(np.median(seen.tunnel[chosen])) > 0.5, float(np.max(seen.engine[chosen])) > 0.5
    kind = "tunnel" if tunnel else "ferry" if ferry else "normal"
    return Row(
        a, b, np.column_stack([spaces.centres, spaces.angles]), np.median(seen.tints[chosen], axis=0), kind, certainty
    )


def _tidy(cities: Floats, sure: Floats, rows: list[Row]) -> Found:
    """Only cities that a route reaches; of more than three routes between two cities, the surest three."""
    kept: list[Row] = []
    for row in sorted(rows, key=lambda row: -row.sure):
        if sum((row.a, row.b) == (other.a, other.b) for other in kept) < 3:
            kept.append(row)
    used = sorted({end for row in kept for end in (row.a, row.b)})
    number = {city: k for k, city in enumerate(used)}
    renamed = tuple(Row(number[r.a], number[r.b], r.spaces, r.tint, r.kind, r.sure) for r in kept)
    return Found(cities[used], sure[used], renamed)

"""Spaces chained into rows between cities, and the frame a camera saw."""

from __future__ import annotations

import numpy as np

from calibration.chain import join, links, rows_of, stops
from calibration.frame import seen_aspect
from calibration.rectangles import Rectangles


def _row(y: float, count: int) -> Rectangles:
    centres = np.array([[40.0 + 36 * k, y] for k in range(count)])
    return Rectangles(centres, np.zeros(count), np.ones(count))


def test_two_lanes_between_two_cities_stay_two_rows() -> None:
    upper, lower = _row(100, 4), _row(115, 4)
    found = Rectangles(np.concatenate([upper.centres, lower.centres]), np.zeros(8), np.ones(8))
    tints = np.repeat([[50.0, 40, 30], [60.0, -30, 40]], 4, axis=0)
    cities = np.array([[12.0, 107], [176.0, 107]])
    meets, stop = join(8, links(found, tints, 33, 13, cities), stops(found, 33, 13, cities, np.ones(2)))
    rows = rows_of(8, meets)
    assert sorted(sorted(end // 2 for end in row) for row in rows) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert {stop[end] for row in rows for end in (row[0], row[-1] ^ 1)} == {0, 1}


def test_a_city_between_two_rows_parts_them() -> None:
    found = _row(100, 4)
    city = np.array([[94.0, 100]])
    meets, _ = join(4, links(found, np.zeros((4, 3)), 33, 13, city), stops(found, 33, 13, city, np.ones(1)))
    assert sorted(len(row) for row in rows_of(4, meets)) == [2, 2]


def test_the_proportions_of_a_slanted_board_are_told() -> None:
    corners = np.array([[-0.75, -0.5, 0], [0.75, -0.5, 0], [0.75, 0.5, 0], [-0.75, 0.5, 0]])
    lean, turn = np.radians(30), np.radians(12)
    spin = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    tilt = np.array([[1, 0, 0], [0, np.cos(lean), -np.sin(lean)], [0, np.sin(lean), np.cos(lean)]])
    seen = corners @ (tilt @ spin).T + [0, 0, 2.5]
    pixels = seen[:, :2] / seen[:, 2:] * 1600 + [1000, 750]
    assert abs(seen_aspect(pixels, (2000, 1500)) - 1.5) < 0.01

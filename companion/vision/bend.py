"""How a board bends away from a flat one in a photo: folds, warped panels and the lens."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_OPENCV: Any = cv2
"""OpenCV without its type stubs, which do not allow an absent matrix."""

_LONG_NODES = 13
_SHORT_NODES = 9


@dataclass(frozen=True)
class Bend:
    """A smooth field of shifts over the board: nodes (rows, columns, 2) in photo pixels."""

    nodes: Array

    @classmethod
    def flat(cls) -> Bend:
        return cls(np.zeros((2, 2, 2)))

    def at(self, points: Array) -> Array:
        """The shift (N, 2) in pixels at board fractions (N, 2)."""
        cells, weights = _blend(points, self.nodes.shape[0], self.nodes.shape[1])
        return np.asarray((self.nodes.reshape(-1, 2)[cells] * weights[..., None]).sum(axis=1))


def fit_bend(points: Array, shifts: Array, trust: Array, aspect: float, stiffness: float = 1.0) -> tuple[Bend, Array]:
    """The bend that explains the shifts (N, 2) seen at board fractions (N, 2), and each sighting's final weight (N,).

    Stray sightings lose their weight. Where nothing is seen, the field continues gently towards no shift.
    """
    rows, columns = (_SHORT_NODES, _LONG_NODES) if aspect >= 1 else (_LONG_NODES, _SHORT_NODES)
    cells, blend = _blend(points, rows, columns)
    count = rows * columns
    # A point touches four nodes, so the system is added up pair by pair: a matrix of all points would be nearly all noughts.
    pairs = (cells[:, :, None] * count + cells[:, None, :]).ravel()
    products = blend[:, :, None] * blend[:, None, :]
    smooth = _stiffness(rows, columns) * stiffness + np.eye(count) * 0.02
    weights = trust.copy()
    field: Array = np.zeros((count, 2))
    for _ in range(4):
        pull = np.bincount(pairs, (products * weights[:, None, None]).ravel(), count * count).reshape(count, count)
        pulled = blend[..., None] * (shifts * weights[:, None])[:, None]
        aim = np.stack([np.bincount(cells.ravel(), pulled[..., axis].ravel(), count) for axis in (0, 1)], 1)
        field = np.asarray(np.linalg.solve(pull + smooth, aim), np.float64)
        miss = np.linalg.norm(shifts - (field[cells] * blend[..., None]).sum(1), axis=1) * np.sqrt(trust)
        spread = max(1.0, 2.0 * float(np.median(miss)))
        weights = trust * np.clip(1 - (miss / (2.5 * spread)) ** 2, 0, 1) ** 2
    return Bend(field.reshape(rows, columns, 2)), weights


def _blend(points: Array, rows: int, columns: int) -> tuple[NDArray[np.intp], Array]:
    """The four nodes around each point, and their bilinear weights."""
    across = np.clip(points[:, 0], -0.02, 1.02) * (columns - 1)
    down = np.clip(points[:, 1], -0.02, 1.02) * (rows - 1)
    left = np.clip(np.floor(across), 0, columns - 2).astype(np.intp)
    top = np.clip(np.floor(down), 0, rows - 2).astype(np.intp)
    u, v = across - left, down - top
    corner = top * columns + left
    cells = np.column_stack([corner, corner + 1, corner + columns, corner + columns + 1])
    weights = np.column_stack([(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v])
    return cells, weights


@functools.lru_cache(maxsize=4)
def _stiffness(rows: int, columns: int) -> Array:
    """The penalty on curvature: second differences along, across and over the diagonal."""
    index = np.arange(rows * columns).reshape(rows, columns)
    lines = []
    for a, b, c in (
        (index[:, :-2], index[:, 1:-1], index[:, 2:]),
        (index[:-2], index[1:-1], index[2:]),
    ):
        line = np.zeros((a.size, rows * columns))
        each = np.arange(a.size)
        line[each, a.ravel()], line[each, b.ravel()], line[each, c.ravel()] = 1, -2, 1
        lines.append(line)
    a, b, c, d = index[:-1, :-1], index[:-1, 1:], index[1:, :-1], index[1:, 1:]
    line = np.zeros((a.size, rows * columns))
    each = np.arange(a.size)
    line[each, a.ravel()], line[each, d.ravel()] = 1, 1
    line[each, b.ravel()], line[each, c.ravel()] = -1, -1
    lines.append(line)
    stacked = np.vstack(lines)
    return np.asarray(_OPENCV.gemm(stacked, stacked, 1.0, None, 0.0, flags=cv2.GEMM_1_T))

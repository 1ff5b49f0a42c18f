"""Finds the printed spaces of a board: small rectangles of one size, at any angle, outlined and plain inside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Grid = NDArray[np.float32]
Pixels = NDArray[np.uint8]

TURNS = 36
"""How many directions are tried: one every five degrees."""


@dataclass(frozen=True)
class Rectangles:
    """Rectangles that may be spaces, the surest first.

    centres: (N, 2) pixels; angles: (N,) degrees of the long side, y down; scores: (N,)
    """

    centres: Floats
    angles: Floats
    scores: Floats

    def __len__(self) -> int:
        return len(self.scores)

    def pick(self, keep: NDArray[np.intp] | NDArray[np.bool_]) -> Rectangles:
        return Rectangles(self.centres[keep], self.angles[keep], self.scores[keep])


def edge_ground(flat: Pixels) -> Grid:
    """The picture as it is searched for edges: (height, width, 3) Lab, colour weighted up, fine grain taken out."""
    lab = cv2.cvtColor(flat.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    return np.asarray(cv2.GaussianBlur(lab * np.array([1.0, 1.3, 1.3], np.float32), (0, 0), 0.8), np.float32)


def find_rectangles(
    ground: Grid, length: float, width: float, least: float, angles: Iterable[float] | None = None
) -> Rectangles:
    """Every rectangle of this size (pixels) whose four sides show, and not much else within."""
    centres: list[Floats] = []
    turns: list[Floats] = []
    scores: list[Floats] = []
    for angle in np.arange(TURNS) * 180 / TURNS if angles is None else angles:
        turned, back = _turned(ground, float(angle))
        score = outlined(turned, length, width)
        spots = _peaks(score, least, max(2, round(width * 0.3)))
        points = np.column_stack([spots[1], spots[0]]).astype(np.float64)
        points = points @ back[:, :2].T + back[:, 2]
        inside = (points >= 0).all(axis=1) & (points[:, 0] < ground.shape[1]) & (points[:, 1] < ground.shape[0])
        centres.append(points[inside])
        scores.append(score[spots][inside].astype(np.float64))
        turns.append(np.full(int(inside.sum()), float(angle)))
    found = Rectangles(np.concatenate(centres), np.concatenate(turns), np.concatenate(scores))
    return without_overlaps(found.pick(np.argsort(-found.scores)), length, width)


def _turned(ground: Grid, angle: float) -> tuple[Grid, Floats]:
    """The picture turned so that sides at `angle` run level, and the affine (2, 3) back."""
    height, wide = ground.shape[:2]
    radians = np.radians(angle)
    turn = np.array([[np.cos(radians), np.sin(radians)], [-np.sin(radians), np.cos(radians)]])
    corners = np.array([[0, 0], [wide, 0], [wide, height], [0, height]]) @ turn.T
    low, high = corners.min(axis=0), corners.max(axis=0)
    there = np.column_stack([turn, -low])
    size = int(np.ceil(high[0] - low[0])), int(np.ceil(high[1] - low[1]))
    turned = cv2.warpAffine(ground, there, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(turned, np.float32), np.asarray(cv2.invertAffineTransform(there), np.float64)


def outlined(turned: Grid, length: float, width: float, slack: float = 1.0) -> Grid:
    """How well a level rectangle around each pixel is outlined on all four sides; `slack` forgives sides a little off."""
    level = straight_edges(turned, 1, max(3, round(length * 0.8) | 1))
    upright = straight_edges(turned, 0, max(3, round(width * 0.7) | 1))
    up, left = width / 2, length / 2
    slack_up, slack_left = round(slack * max(1, width * 0.09)), round(slack * max(1, width * 0.12))
    level = np.asarray(cv2.dilate(level, np.ones((2 * slack_up + 1, 1), np.uint8)), np.float32)
    upright = np.asarray(cv2.dilate(upright, np.ones((1, 2 * slack_left + 1), np.uint8)), np.float32)
    top, bottom = _moved(level, 0, -up), _moved(level, 0, up)
    start, end = _moved(upright, -left, 0), _moved(upright, left, 0)
    long_sides = np.minimum(top, bottom) + 0.3 * np.maximum(top, bottom)
    short_sides = np.minimum(start, end) + 0.3 * np.maximum(start, end)
    inner = (max(3, round(length * 0.7) | 1), max(3, round(width * 0.5) | 1))
    mean = cv2.boxFilter(turned, -1, inner)
    spread = cv2.subtract(cv2.boxFilter(cv2.multiply(turned, turned), -1, inner), cv2.multiply(mean, mean))
    spread = cv2.sqrt(np.maximum(spread, 0))
    spread = cv2.transform(spread, np.ones((1, 3), np.float32))
    shown = np.sqrt(_soft(long_sides) * _soft(short_sides))
    return np.asarray(shown - 0.012 * np.minimum(spread, 30), np.float32)


def _soft(value: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """An edge's strength from 0 to 1: beyond the plainly visible, more counts little."""
    return np.asarray(value / (value + 6.0))


def straight_edges(turned: Grid, axis: int, reach: int) -> Grid:
    """The strength of a straight edge of this length through each pixel: steps that agree along it add up."""
    kernel = np.array([-1, -1, 0, 1, 1], np.float32) / 2
    none = np.ones(1, np.float32)
    steps = cv2.sepFilter2D(turned, -1, *((none, kernel) if axis == 1 else (kernel, none)))
    along = cv2.blur(steps, (reach, 1) if axis == 1 else (1, reach))
    first, second, third = cv2.split(np.abs(along))
    return np.asarray(cv2.max(cv2.max(first, second), third), np.float32)


def _moved(grid: Grid, dx: float, dy: float) -> Grid:
    """What lies at (x + dx, y + dy), for every pixel."""
    shift = np.array([[1, 0, -dx], [0, 1, -dy]])
    size = grid.shape[1], grid.shape[0]
    return np.asarray(cv2.warpAffine(grid, shift, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT), np.float32)


def _peaks(score: Grid, least: float, reach: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    highest = cv2.dilate(score, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8))
    rows, columns = np.nonzero((score >= highest) & (score > least))
    return rows, columns


def without_overlaps(found: Rectangles, length: float, width: float) -> Rectangles:
    """The best of every pile of rectangles that cover each other; expects the surest first."""
    if not len(found):
        return found
    along = np.column_stack([np.cos(np.radians(found.angles)), np.sin(np.radians(found.angles))])
    alive = np.ones(len(found), bool)
    for index in range(len(found)):
        if not alive[index]:
            continue
        gap = found.centres[index + 1 :] - found.centres[index]
        u, v = gap @ along[index], gap @ np.array([-along[index, 1], along[index, 0]])
        alive[index + 1 :] &= ~((np.abs(u) < 0.72 * length) & (np.abs(v) < 0.72 * width))
    return found.pick(alive)

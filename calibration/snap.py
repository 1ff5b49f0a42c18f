"""Lets every space and city settle on what is printed under it, its neighbours keeping it honest."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.rectangles import Grid, Rectangles
from calibration.register import match_spots

Floats = NDArray[np.float64]

_NEAR = 0.05
"""How far neighbours steady each other, as a share of the board's long side."""


@dataclass(frozen=True)
class Settled:
    """Spaces where they are printed: spots (N, 2) pixels, angles (N,) degrees, sure (N,) 0 to 1."""

    spots: Floats
    angles: Floats
    sure: Floats


@dataclass(frozen=True)
class Layout:
    """What is known of the spaces: predicted spots (N, 2) and angles (N,), route numbers (N,)."""

    spots: Floats
    angles: Floats
    routes: NDArray[np.intp]


def settle(layout: Layout, found: Rectangles, width: float, long_side: float) -> Settled:
    """Every space moved onto the rectangle that is printed there; where none is, its neighbours tell."""
    field = np.zeros_like(layout.spots)
    shifts, trust = field, np.zeros(len(field))
    matched = np.full(len(field), -1, np.intp)
    for reach in (1.1, 0.9, 0.75, 0.75):
        matched = match_spots(layout.spots + field, layout.angles, found, width, reach)
        on = matched >= 0
        shifts, trust = field.copy(), np.zeros(len(field))
        shifts[on], trust[on] = found.centres[matched[on]] - layout.spots[on], found.scores[matched[on]]
        field = smooth(layout, shifts, trust, long_side)
    on = matched >= 0
    away = np.linalg.norm(shifts - field, axis=1) / width
    # Where little is to be seen, and one space alone strays, the neighbours are believed.
    believe = np.where(on, np.clip(trust / 0.4, 0, 1) * np.clip(1.4 - away, 0.2, 1.0), 0.0)
    spots = layout.spots + field + (shifts - field) * believe[:, None]
    turn = np.zeros(len(field))
    turn[on] = (found.angles[matched[on]] - layout.angles[on] + 90) % 180 - 90
    return Settled(
        spots, (layout.angles + 0.5 * turn * believe) % 180, np.clip(trust / 0.6, 0, 1) * np.clip(1.2 - away, 0, 1)
    )


def smooth(layout: Layout, shifts: Floats, trust: Floats, long_side: float) -> Floats:
    """For every space the shift its neighbours agree on, itself left out; those of its own route count most."""
    gap = np.linalg.norm(layout.spots[:, None] - layout.spots[None], axis=2) / (_NEAR * long_side)
    weight = np.exp(-0.5 * gap**2) * trust[None] + 1e-9
    weight *= np.where(layout.routes[:, None] == layout.routes[None], 3.0, 1.0)
    np.fill_diagonal(weight, 0.25 * trust)
    field = weight @ shifts / weight.sum(axis=1, keepdims=True)
    for _ in range(4):
        off = np.linalg.norm(shifts[None] - field[:, None], axis=2)
        scale = 1.5 + np.median(off[weight > 0.3]) if (weight > 0.3).any() else 2.0
        steady = weight / (1 + (off / scale) ** 2)
        field = steady @ shifts / steady.sum(axis=1, keepdims=True)
    return np.asarray(field)


def interior(ground: Grid, spots: Floats, angles: Floats, length: float, width: float) -> Floats:
    """The median colour (N, 3) within each space."""
    u, v = (a.ravel() for a in np.meshgrid(np.linspace(-0.36, 0.36, 9) * length, np.linspace(-0.28, 0.28, 5) * width))
    c, s = np.cos(np.radians(angles))[:, None], np.sin(np.radians(angles))[:, None]
    x, y = spots[:, :1] + u * c - v * s, spots[:, 1:] + u * s + v * c
    seen = cv2.remap(ground, x.astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(np.median(seen, axis=1), np.float64)


def settle_cities(ground: Grid, spots: Floats, width: float) -> tuple[Floats, Floats]:
    """Cities (N, 2) moved onto their printed discs, and how alike each looks to the others (N,).

    All discs of a board are one drawing: what they share is learned from all of them and found again at each.
    """
    half, window = round(1.1 * width), max(2, round(0.55 * width))
    moved = spots.copy()
    alike = np.zeros(len(spots))
    for _ in range(3):
        cuts = [_cut(ground, spot, half) for spot in moved]
        common = np.asarray(np.median(cuts, axis=0), np.float32)
        offset = _symmetry(common, round(0.4 * width))
        common = np.asarray(np.median([_cut(ground, spot + offset, half) for spot in moved], axis=0), np.float32)
        for k, spot in enumerate(spots):
            wide = _cut(ground, spot, half + window)
            match = cv2.matchTemplate(wide, common, cv2.TM_CCOEFF_NORMED)
            v, u = np.mgrid[-window : window + 1, -window : window + 1]
            value = match - 0.25 * (u * u + v * v) / window**2
            row, column = np.unravel_index(int(np.argmax(value)), value.shape)
            alike[k] = match[row, column]
            moved[k] = spot + (np.array([column, row]) - window if alike[k] > 0.35 else offset)
    return moved, alike


def _cut(ground: Grid, spot: Floats, half: int) -> Grid:
    u, v = np.meshgrid(np.arange(-half, half + 1.0), np.arange(-half, half + 1.0))
    x, y = (spot[0] + u).astype(np.float32), (spot[1] + v).astype(np.float32)
    return np.asarray(cv2.remap(ground, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)


def _symmetry(picture: Grid, reach: int) -> Floats:
    """The middle of the roundest thing in a square cut-out, from its centre."""
    half = picture.shape[0] // 2
    best, offset = -np.inf, np.zeros(2)
    size = half - reach
    for dy in range(-reach, reach + 1):
        for dx in range(-reach, reach + 1):
            part = picture[half + dy - size : half + dy + size + 1, half + dx - size : half + dx + size + 1]
            off = float(np.abs(part - part[::-1, ::-1]).mean() + np.abs(part - np.rot90(part)).mean())
            worth = -off - 0.3 * np.hypot(dx, dy) / reach
            if worth > best:
                best, offset = worth, np.array([dx, dy], np.float64)
    return offset

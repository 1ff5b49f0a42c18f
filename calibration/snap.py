"""Lets every space and city settle on what is printed under it, its neighbours keeping it honest."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.rectangles import Grid, outlined

Floats = NDArray[np.float64]

_TURNS = (-9.0, -6.0, -3.0, 0.0, 3.0, 6.0, 9.0)
_COLUMNS = 24
_NEAR = 0.05
"""How far neighbours steady each other, as a share of the board's long side."""


@dataclass(frozen=True)
class Settled:
    """Spaces where they are printed: spots (N, 2) pixels, angles (N,) degrees, sure (N,) 0 to 1, moved (N,) widths."""

    spots: Floats
    angles: Floats
    sure: Floats
    moved: Floats


@dataclass(frozen=True)
class Layout:
    """What is known of the spaces: predicted spots (N, 2) and angles (N,), route numbers (N,), printed colours (N,)."""

    spots: Floats
    angles: Floats
    routes: NDArray[np.intp]
    colors: NDArray[np.str_]


def settle(ground: Grid, layout: Layout, length: float, width: float, first: Floats, trust: Floats) -> Settled:
    """Move every space onto its print.

    first: (N, 2) the shifts that a first look suggests, trust: (N,) how much each is worth
    """
    shifts, sure = first, trust
    turn = np.zeros(len(first))
    field = smooth(layout, shifts, sure, max(ground.shape[:2]))
    for window, slack in ((0.75, 1.0), (0.5, 0.6), (0.38, 0.0)):
        tints = _tints(ground, layout.spots + field, layout.angles, layout.colors, length, width)
        found, turn, sure = _look(ground, layout, field, tints, length, width, window, slack)
        shifts = field + found
        field = smooth(layout, shifts, sure, max(ground.shape[:2]))
    away = np.linalg.norm(shifts - field, axis=1) / width
    # Where little is to be seen, or one space alone strays, the neighbours are believed.
    believe = np.clip((sure - 0.25) / 0.3, 0, 1) * np.clip(1.3 - away, 0.2, 0.9)
    spots = layout.spots + field + (shifts - field) * believe[:, None]
    return Settled(spots, (layout.angles + turn * believe) % 180, sure * np.clip(1.2 - away, 0, 1), away)


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


def _tints(
    ground: Grid, spots: Floats, angles: Floats, colors: NDArray[np.str_], length: float, width: float
) -> dict[str, NDArray[np.float32]]:
    """What each printed colour looks like here: the median over its spaces."""
    inside = interior(ground, spots, angles, length, width)
    return {str(name): np.median(inside[colors == name], axis=0).astype(np.float32) for name in np.unique(colors)}


def interior(ground: Grid, spots: Floats, angles: Floats, length: float, width: float) -> Floats:
    """The median colour (N, 3) within each space."""
    u, v = (a.ravel() for a in np.meshgrid(np.linspace(-0.36, 0.36, 9) * length, np.linspace(-0.28, 0.28, 5) * width))
    c, s = np.cos(np.radians(angles))[:, None], np.sin(np.radians(angles))[:, None]
    x, y = spots[:, :1] + u * c - v * s, spots[:, 1:] + u * s + v * c
    seen = cv2.remap(ground, x.astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(np.median(seen, axis=1), np.float64)


def _look(
    ground: Grid,
    layout: Layout,
    field: Floats,
    tints: dict[str, NDArray[np.float32]],
    length: float,
    width: float,
    window: float,
    slack: float,
) -> tuple[Floats, Floats, Floats]:
    """Where within a window (in widths) each space shows best: shifts (N, 2), turns (N,), scores (N,)."""
    reach_u, reach_v = int(np.ceil(1.1 * window * width)), int(np.ceil(window * width))
    pad_u, pad_v = int(np.ceil(length / 2 + 3)), int(np.ceil(width / 2 + 3))
    u, v = np.meshgrid(np.arange(-reach_u, reach_u + 1), np.arange(-reach_v, reach_v + 1))
    prior = 0.16 * ((u / (1.1 * window * width)) ** 2 + (v / (window * width)) ** 2)
    own = np.array([tints[str(name)] for name in layout.colors])
    weights = np.array([0.4, 1, 1], np.float32)
    volume = []
    inner = (max(3, round(length * 0.6) | 1), max(3, round(width * 0.5) | 1))
    for turn in _TURNS:
        mosaic, cell = _mosaic(ground, layout.spots + field, layout.angles + turn, reach_u + pad_u, reach_v + pad_v)
        score = _tiles(outlined(mosaic, length, width, slack), cell, len(own), pad_u, pad_v)
        tint = _tiles(np.asarray(cv2.boxFilter(mosaic, -1, inner), np.float32), cell, len(own), pad_u, pad_v)
        apart = np.linalg.norm((tint - own[:, None, None]) * weights, axis=3)
        volume.append(score - 0.007 * np.minimum(apart, 40) - prior - 0.05 * (turn / 9) ** 2)
    total = np.stack(volume, axis=1)
    flat = total.reshape(len(own), -1)
    best = flat.argmax(axis=1)
    which, row, column = np.unravel_index(best, total.shape[1:])
    shifts, turns = np.zeros((len(own), 2)), np.array(_TURNS)[which]
    for k in range(len(own)):
        # The middle of the crest, not its highest grain.
        plane = total[k, which[k]]
        crest = np.clip(plane - (plane[row[k], column[k]] - 0.04), 0, None)
        crest[(np.abs(u - u[row[k], column[k]]) > 0.2 * width) | (np.abs(v - v[row[k], column[k]]) > 0.2 * width)] = 0
        across, down = float((crest * u).sum() / crest.sum()), float((crest * v).sum() / crest.sum())
        angle = np.radians(layout.angles[k] + turns[k])
        shifts[k] = across * np.cos(angle) - down * np.sin(angle), across * np.sin(angle) + down * np.cos(angle)
    return shifts, turns, np.clip(flat[np.arange(len(own)), best], 0, 1)


def _mosaic(ground: Grid, spots: Floats, angles: Floats, half_u: int, half_v: int) -> tuple[Grid, tuple[int, int]]:
    """Cut-outs along each space, side by side in one picture, and the size of one."""
    cell = 2 * half_u + 1, 2 * half_v + 1
    rows = -(-len(spots) // _COLUMNS)
    u, v = np.meshgrid(np.arange(-half_u, half_u + 1), np.arange(-half_v, half_v + 1))
    x = np.zeros((rows * cell[1], _COLUMNS * cell[0]), np.float32)
    y = np.zeros_like(x)
    for k, (spot, angle) in enumerate(zip(spots, np.radians(angles), strict=True)):
        part = _part(k, cell)
        x[part] = spot[0] + u * np.cos(angle) - v * np.sin(angle)
        y[part] = spot[1] + u * np.sin(angle) + v * np.cos(angle)
    return np.asarray(cv2.remap(ground, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32), cell


def _part(number: int, cell: tuple[int, int]) -> tuple[slice, slice]:
    row, column = divmod(number, _COLUMNS)
    return slice(row * cell[1], (row + 1) * cell[1]), slice(column * cell[0], (column + 1) * cell[0])


def _tiles(mosaic: Grid, cell: tuple[int, int], count: int, pad_u: int, pad_v: int) -> Grid:
    """The cut-outs of a mosaic one by one, without their padding."""
    tiles = [mosaic[_part(k, cell)][pad_v : cell[1] - pad_v, pad_u : cell[0] - pad_u] for k in range(count)]
    return np.stack(tiles)


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

"""Finds a board's city discs: round things of one size, alike, where rows of spaces end."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.rectangles import Grid

Floats = NDArray[np.float64]


def roundness(ground: Grid, radius: float) -> Grid:
    """How much of a circle of this radius (pixels) shows around each pixel: edges vote along their slope."""
    across, down = (cv2.Sobel(ground, cv2.CV_32F, a, 1 - a, scale=0.25) for a in (1, 0))
    slope = np.sqrt(across * across + down * down)
    channel = slope.argmax(axis=2)[..., None]
    gx, gy = (np.take_along_axis(part, channel, axis=2)[..., 0] for part in (across, down))
    strength = np.hypot(gx, gy)
    rows, columns = np.nonzero(strength > 5)
    way_x, way_y = gx[rows, columns] / strength[rows, columns], gy[rows, columns] / strength[rows, columns]
    weight = np.minimum(strength[rows, columns], 20) / 20
    height, width = strength.shape
    best = np.zeros((height, width), np.float32)
    for sign in (-1, 1):
        x = np.round(columns + sign * radius * way_x).astype(np.intp)
        y = np.round(rows + sign * radius * way_y).astype(np.intp)
        on = (x >= 0) & (y >= 0) & (x < width) & (y < height)
        votes = np.bincount(y[on] * width + x[on], weight[on], height * width).reshape(height, width).astype(np.float32)
        best = np.maximum(best, cv2.GaussianBlur(votes, (0, 0), 1.0 + 0.05 * radius))
    return np.asarray(best / radius, np.float32)


def find_discs(ground: Grid, ends: Floats, ways: Floats, width: float) -> tuple[Floats, Floats, float]:
    """Cities (N, 2), how sure each is (N,), and their radius; from the ends (E, 2) of rows and their ways out (E, 2)."""
    total = np.zeros(ground.shape[:2], np.float32)
    shares: list[tuple[float, float]] = []
    for radius in np.array([0.36, 0.44, 0.54, 0.66, 0.8, 0.97]) * width:
        shown = roundness(ground, float(radius))
        _, strength = _peaks(shown, float(radius))
        ranked = -np.sort(-strength)
        if len(ranked) < 40:
            continue
        # The radius counts by how far the board's roundest few stand out from the crowd.
        usual = float(ranked[min(25, len(ranked) // 4)])
        stand_out = usual / float(ranked[min(130, len(ranked) - 1)]) - 1
        total += min(stand_out, 3.0) ** 2 * shown / usual
        shares.append((stand_out, float(radius)))
    radius = max(shares)[1] if shares else 0.6 * width
    spots, strength = _peaks(total, 0.6 * width)
    expected = ends + 0.8 * width * ways
    gap = np.linalg.norm(spots[:, None] - expected[None], axis=2)
    served = (gap < 1.3 * width).sum(axis=1)
    led_to = np.sort(strength[served >= 2])[::-1]
    usual = float(led_to[: max(6, len(led_to) // 4)].mean()) if len(led_to) else float(strength.max(initial=1e-6))
    shown_share = strength / max(usual, 1e-6)
    alike = _likeness(ground, spots, spots[(served >= 2) & (shown_share > 0.6)], max(radius, 0.55 * width))
    value = 0.5 * np.clip(shown_share, 0, 1.2) + 0.5 * np.clip(alike, 0, 1)
    keep = (value > 0.42) & ((served >= 1) | (value > 0.75))
    order = np.flatnonzero(keep)[np.argsort(-value[keep])]
    chosen: list[int] = []
    for index in order:
        if all(np.linalg.norm(spots[index] - spots[other]) > 1.3 * width for other in chosen):
            chosen.append(int(index))
    return spots[chosen], np.clip(value[chosen], 0, 1), radius


def _values(grid: cv2.typing.MatLike, points: Floats) -> Floats:
    x = np.clip(np.round(points[:, 0]), 0, grid.shape[1] - 1).astype(np.intp)
    y = np.clip(np.round(points[:, 1]), 0, grid.shape[0] - 1).astype(np.intp)
    return np.asarray(grid[y, x], np.float64)


def _peaks(shown: Grid, radius: float) -> tuple[Floats, Floats]:
    reach = 2 * round(radius) + 1
    top = cv2.dilate(shown, np.ones((reach, reach), np.uint8))
    level = np.quantile(shown, 0.97)
    rows, columns = np.nonzero((shown >= top) & (shown > level))
    return np.column_stack([columns, rows]).astype(np.float64), shown[rows, columns].astype(np.float64)


def _likeness(ground: Grid, spots: Floats, first: Floats, radius: float) -> Floats:
    """How much each spot looks like the usual disc among the first (up to three kinds of disc)."""
    half = max(3, round(0.9 * radius))
    pad = half + 2
    rim = np.asarray(cv2.copyMakeBorder(ground, pad, pad, pad, pad, cv2.BORDER_REPLICATE), np.float32)

    def cut(spot: Floats, grow: int = 0) -> Grid:
        x, y = round(spot[0]) + pad, round(spot[1]) + pad
        return rim[y - half - grow : y + half + grow + 1, x - half - grow : x + half + grow + 1]

    if not len(first):
        return np.zeros(len(spots))
    cuts = np.array([cut(spot).ravel() for spot in first])
    flat = cuts - cuts.mean(axis=1, keepdims=True)
    flat /= np.linalg.norm(flat, axis=1, keepdims=True) + 1e-6
    alike = flat @ flat.T
    usual = []
    left = np.ones(len(first), bool)
    for _ in range(3):
        if not left.any():
            break
        centre = int(np.argmax(np.where(left, (alike * left > 0.6).sum(axis=1) + alike.mean(axis=1), -9)))
        group = left & (alike[centre] > 0.6)
        if group.sum() < max(2, 0.08 * len(first)):
            break
        usual.append(np.median(cuts[group], axis=0).reshape(2 * half + 1, 2 * half + 1, 3).astype(np.float32))
        left &= ~group
    found = np.zeros(len(spots))
    for kind in usual:
        for k, spot in enumerate(spots):
            found[k] = max(found[k], float(cv2.matchTemplate(cut(spot, 2), kind, cv2.TM_CCOEFF_NORMED).max()))
    return found

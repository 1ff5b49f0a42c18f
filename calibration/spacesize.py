"""Measures how large a board's spaces are, before any of them is known: the size that most plain patches share."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.rectangles import straight_edges

Floats = NDArray[np.float64]
Grid = NDArray[np.float32]

LEAST_WIDTH, MOST_WIDTH = 0.0075, 0.036
"""A space's width as a share of the board's long side."""
_LEAST_STRETCH, _MOST_STRETCH = 1.55, 4.6


def plain_patches(ground: Grid) -> Floats:
    """Patches without an edge inside that fill a rectangle: (N, 5) x, y, length, width, angle in degrees."""
    long_side = max(ground.shape[:2])
    across, down = (cv2.Sobel(ground, cv2.CV_32F, a, 1 - a, scale=0.25) for a in (1, 0))
    slope = np.sqrt((across * across + down * down).sum(axis=2))
    found: list[tuple[float, ...]] = []
    for cut in (4.0, 6.5, 10.0, 15.0):
        contours, _ = cv2.findContours((slope < cut).astype(np.uint8), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
        for contour in contours:
            if len(contour) < 3.0 * LEAST_WIDTH * long_side or len(contour) > 12 * MOST_WIDTH * long_side:
                continue
            (x, y), (one, other), angle = cv2.minAreaRect(contour)
            if one < other:
                one, other, angle = other, one, angle + 90
            if other < 0.5 * LEAST_WIDTH * long_side or not _LEAST_STRETCH <= (one + 2) / (other + 2) <= _MOST_STRETCH + 1:
                continue
            if cv2.contourArea(contour) > 0.8 * one * other and other + 2 < MOST_WIDTH * long_side:
                # The slope around an edge is two pixels wide on either side.
                found.append((x, y, one + 2.5, other + 2.5, angle % 180))
    return np.array(found).reshape(-1, 5)


def space_sizes(ground: Grid, most: int = 2) -> list[tuple[float, float]]:
    """The likeliest lengths and widths of a space in pixels, the most common first."""
    patches = plain_patches(ground)
    if len(patches) < 8:
        return []
    # A score track's fields lie along the rim and would outvote the spaces.
    share = patches[:, :2] / np.array([ground.shape[1], ground.shape[0]])
    inner = ((share > 0.05) & (share < 0.95)).all(axis=1)
    patches = patches[inner] if inner.sum() >= 8 else patches
    logs = np.log(patches[:, 2:4])
    # A pair of neighbouring patches at one spot and cut counts once: thin them by place and size.
    votes = np.exp(-0.5 * (((logs[:, None] - logs[None]) / 0.07) ** 2).sum(axis=2)).sum(axis=1)
    sizes: list[tuple[float, float]] = []
    open_ = np.ones(len(patches), bool)
    while open_.any() and len(sizes) < most:
        best = int(np.argmax(np.where(open_, votes, -1)))
        near = (np.abs(logs - logs[best]) < 0.1).all(axis=1)
        length, width = np.exp(np.median(logs[near], axis=0))
        sizes.append((float(length), float(width)))
        open_ &= (np.abs(logs - logs[best]) > 0.22).any(axis=1)
    return sizes


def edge_profiles(ground: Grid, patches: Floats, length: float, width: float) -> tuple[Floats, Floats, Floats, Floats]:
    """How strongly edges show at each distance from the patches' middles: (distances, strengths) along and across."""
    reach_u, reach_v = int(np.ceil(length * 0.85)), int(np.ceil(width * 1.3))
    u, v = np.meshgrid(np.arange(-reach_u, reach_u + 1), np.arange(-reach_v, reach_v + 1))
    along, across = [], []
    for x, y, _, _, angle in patches:
        c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
        spots = np.stack([x + u * c - v * s, y + u * s + v * c], axis=-1).astype(np.float32)
        cut = np.asarray(cv2.remap(ground, spots, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)
        level = straight_edges(cut, 1, max(3, round(length * 0.7) | 1))[:, reach_u]
        upright = straight_edges(cut, 0, max(3, round(width * 0.6) | 1))[reach_v]
        across.append(np.minimum(level[reach_v:], level[reach_v::-1]))
        along.append(np.minimum(upright[reach_u:], upright[reach_u::-1]))
    return (
        np.arange(reach_u + 1.0),
        np.mean(np.array(along) / (np.array(along) + 6), axis=0),
        np.arange(reach_v + 1.0),
        np.mean(np.array(across) / (np.array(across) + 6), axis=0),
    )


def measured_size(ground: Grid, length: float, width: float) -> tuple[float, float]:
    """A space's length and width between the edges that show best around patches of about this size."""
    patches = plain_patches(ground)
    alike = (np.abs(np.log(patches[:, 2] / length)) < 0.15) & (np.abs(np.log(patches[:, 3] / width)) < 0.2)
    if alike.sum() < 5:
        return length, width
    far, along, wide, across = edge_profiles(ground, patches[alike][:150], length, width)
    return _crest(far, along, 0.38 * length), _crest(wide, across, 0.35 * width)


def _crest(distances: Floats, strengths: Floats, least: float) -> float:
    """Twice the distance in the middle of the strongest crest."""
    strengths = np.where(distances < least, 0, strengths)
    top = int(np.argmax(strengths))
    low = high = top
    while low > 0 and strengths[low - 1] > 0.92 * strengths[top]:
        low -= 1
    while high + 1 < len(strengths) and strengths[high + 1] > 0.92 * strengths[top]:
        high += 1
    return 2 * float(np.average(distances[low : high + 1], weights=strengths[low : high + 1]))

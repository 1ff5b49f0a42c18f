"""Lays a known network over the rectangles found on a print, without knowing the print."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.rectangles import Rectangles

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_SCALES = np.arange(0.76, 1.17, 0.03)
_FEWEST = 12


@dataclass(frozen=True)
class Network:
    """A network's spaces: points (N, 2) as fractions of its frame, angles (N,) in degrees, the frame's aspect."""

    points: Floats
    angles: Floats
    aspect: float

    def turned(self) -> Network:
        """The same network upside down."""
        return Network(1 - self.points, self.angles, self.aspect)


@dataclass(frozen=True)
class Fit:
    """A network laid over rectangles.

    warp: (3, 3) from fractions of the network's frame to pixels
    matched: (N,) index of each space's rectangle, -1 where there is none
    share: the share of spaces that found one, the doubtful ones weighing less
    """

    warp: Floats
    matched: Indices
    share: float

    def project(self, points: Floats) -> Floats:
        return project(self.warp, points)


def project(warp: Floats, points: Floats) -> Floats:
    """Points (N, 2) through a homography."""
    spread = np.column_stack([points, np.ones(len(points))]) @ warp.T
    return np.asarray(spread[:, :2] / spread[:, 2:], np.float64)


def turned_angles(warp: Floats, points: Floats, angles: Floats, aspect: float) -> Floats:
    """Directions at points of the frame, in degrees, as they appear after the warp."""
    step = 1e-4
    way = np.column_stack([np.cos(np.radians(angles)), np.sin(np.radians(angles)) * aspect]) * step
    moved = project(warp, points + way) - project(warp, points - way)
    return np.asarray(np.degrees(np.arctan2(moved[:, 1], moved[:, 0])) % 180)


def lay_over(network: Network, found: Rectangles, size: tuple[int, int], length: float, width: float) -> Fit | None:
    """The best fit of a network to the rectangles of a flat picture (size in pixels), the right way up."""
    # Only the best rectangles vote for the first guess: the network has as many as it has spaces.
    voters = found.pick(np.arange(min(len(found), 2 * len(network.points))))
    guesses = _first_guesses(network, voters, size, width)
    found = found.pick(np.arange(min(len(found), 4 * len(network.points))))
    fits = [fit for guess in guesses if (fit := _settled(network, found, guess, length, width)) is not None]
    return max(fits, key=lambda fit: fit.share, default=None)


def _first_guesses(network: Network, found: Rectangles, size: tuple[int, int], width: float) -> list[Floats]:
    """Scales and shifts (as warps) under which most rectangles meet a space of their direction."""
    wide, high = size
    gap = np.abs((network.angles[:, None] - found.angles[None] + 90) % 180 - 90)
    spaces, rectangles = np.nonzero(gap < 13)
    weights = found.scores[rectangles]
    cell = 1.2 * width
    reach = 0.17
    bins = [int(2 * reach * side / cell) for side in (wide, high)]
    tried: list[tuple[float, Floats]] = []
    for across in _SCALES:
        for down in _SCALES:
            if abs(np.log(across / down)) > 0.14:
                continue
            scale = np.array([across * wide, down * high])
            centred = (network.points - 0.5) * scale + np.array([wide, high]) / 2
            shift = found.centres[rectangles] - centred[spaces]
            column = ((shift[:, 0] + reach * wide) / cell).astype(np.intp)
            row = ((shift[:, 1] + reach * high) / cell).astype(np.intp)
            ok = (column >= 0) & (column < bins[0]) & (row >= 0) & (row < bins[1])
            votes = np.bincount(row[ok] * bins[0] + column[ok], weights[ok], bins[0] * bins[1]).reshape(bins[1], bins[0])
            votes = np.asarray(cv2.GaussianBlur(votes, (3, 3), 0.7), np.float64)
            peak = np.unravel_index(int(np.argmax(votes)), votes.shape)
            offset = (np.array([peak[1], peak[0]]) + 0.5) * cell - reach * np.array([wide, high])
            start = np.array([wide, high]) / 2 - 0.5 * scale + offset
            warp = np.array([[scale[0], 0, start[0]], [0, scale[1], start[1]], [0, 0, 1]])
            tried.append((float(votes.max()), warp))
    tried.sort(key=lambda pair: -pair[0])
    return [warp for _, warp in tried[:4]]


def _settled(network: Network, found: Rectangles, warp: Floats, length: float, width: float) -> Fit | None:
    """The guess tightened round by round: matched, fitted, matched more strictly."""
    matched = np.full(len(network.points), -1, np.intp)
    for reach, model in (
        (2.2, "affine"),
        (1.8, "affine"),
        (1.4, "affine"),
        (1.1, "full"),
        (0.9, "full"),
        (0.7, "full"),
        (0.7, "full"),
    ):
        matched = match(network, found, warp, length, width, reach)
        on = matched >= 0
        if on.sum() < _FEWEST:
            return None
        source, target = network.points[on], found.centres[matched[on]]
        if model == "affine":
            solved, _ = cv2.estimateAffine2D(source, target, method=cv2.RANSAC, ransacReprojThreshold=reach * width)
            if solved is None:
                return None
            warp = np.vstack([solved, [0, 0, 1]])
        else:
            solved, _ = cv2.findHomography(source, target, cv2.RANSAC, reach * width)
            if solved is None:
                return None
            warp = np.asarray(solved, np.float64)
    matched = match(network, found, warp, length, width, 0.7)
    worth = np.where(matched >= 0, np.minimum(found.scores[matched] / np.median(found.scores[: len(matched)]), 1.0), 0.0)
    return Fit(warp, matched, float(worth.mean()))


def match(network: Network, found: Rectangles, warp: Floats, length: float, width: float, reach: float) -> Indices:
    """For every space the best rectangle near where the warp puts it, -1 for none; no rectangle serves twice."""
    spots = project(warp, network.points)
    angles = turned_angles(warp, network.points, network.angles, network.aspect)
    return match_spots(spots, angles, found, width, reach)


def match_spots(spots: Floats, angles: Floats, found: Rectangles, width: float, reach: float) -> Indices:
    """For every spot (N, 2) with its angle (N,) the best rectangle within `reach` widths, -1 for none."""
    gap = found.centres[None] - spots[:, None]
    c, s = np.cos(np.radians(angles))[:, None], np.sin(np.radians(angles))[:, None]
    along, across = gap[..., 0] * c + gap[..., 1] * s, gap[..., 1] * c - gap[..., 0] * s
    turn = np.abs((found.angles[None] - angles[:, None] + 90) % 180 - 90)
    far = np.hypot(along / 1.3, across) / (reach * width)
    value = found.scores[None] - 0.35 * far**2 - 0.1 * (turn / 15) ** 2
    value[(far > 1) | (turn > 18)] = -1
    matched = np.full(len(spots), -1, np.intp)
    taken = np.zeros(len(found), bool)
    for index in np.argsort(-value.max(axis=1)):
        best = int(np.argmax(np.where(taken, -1, value[index])))
        if value[index, best] > 0 and not taken[best]:
            matched[index] = best
            taken[best] = True
    return matched

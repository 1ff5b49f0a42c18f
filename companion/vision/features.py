"""Keypoints of a picture, and their matches with a board's signature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.signature import Signature

Floats = NDArray[np.float32]
Indices = NDArray[np.intp]

_OPENCV: Any = cv2
"""OpenCV without its type stubs, which lack part of it."""

_RATIO = 0.84
_SAME_PLACE = 0.02
_FARTHEST = 330.0
_MOST_TURN = 35.0
_MOST_ZOOM = 0.6


@dataclass(frozen=True)
class Features:
    """SIFT keypoints of one picture.

    points: (M, 2) and sizes: (M,) in pixels; angles: (M,) in degrees; descriptors: (M, 128)
    """

    points: Floats
    sizes: Floats
    angles: Floats
    descriptors: Floats

    def __len__(self) -> int:
        return len(self.points)


def find_features(grey: NDArray[np.uint8], most: int) -> Features:
    """The `most` strongest keypoints of a grey picture."""
    sift = _OPENCV.SIFT_create(nfeatures=most, contrastThreshold=0.02, enable_precise_upscale=True)
    keypoints, descriptors = sift.detectAndCompute(grey, None)
    if descriptors is None or not len(keypoints):
        empty = np.zeros(0, np.float32)
        return Features(np.zeros((0, 2), np.float32), empty, empty, np.zeros((0, 128), np.float32))
    table = np.array([(k.pt[0], k.pt[1], k.size, k.angle) for k in keypoints], np.float32)
    return Features(table[:, :2], table[:, 2], table[:, 3], np.asarray(descriptors, np.float32))


def match_freely(features: Features, signature: Signature) -> tuple[Indices, Indices]:
    """Matches without any idea where the board lies: indices of features and of the signature, the clearest first."""
    if len(features) < 4:
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    known = signature.descriptors.astype(np.float32)
    found = features.descriptors
    squares = (known**2).sum(axis=1) - 2 * _OPENCV.gemm(found, known, 1.0, None, 0.0, flags=cv2.GEMM_2_T)
    own = (found**2).sum(axis=1)
    rows = np.arange(len(found))
    best = squares.argmin(axis=1)
    nearest = np.sqrt(np.maximum(squares[rows, best] + own, 0))
    rival = np.sqrt(np.maximum(_rivals(squares, best, signature) + own, 0))
    ratio = nearest / np.maximum(rival, 1e-6)
    kept = np.flatnonzero((ratio < _RATIO) & (nearest < _FARTHEST))
    kept = kept[np.argsort(ratio[kept])]
    return kept, best[kept]


def _rivals(squares: Floats, best: Indices, signature: Signature) -> Floats:
    """The smallest distance of each row beyond the best spot: a spot may be described several times. Spoils `squares`."""
    spots = signature.points * np.array([1, 1 / signature.aspect], np.float32)
    rows = np.arange(len(squares))
    rivals = np.zeros(len(squares), np.float32)
    seconds = best.copy()
    for _ in range(4):
        squares[rows, seconds[rows]] = np.inf
        seconds[rows] = squares[rows].argmin(axis=1) if len(rows) < len(squares) else squares.argmin(axis=1)
        rivals[rows] = squares[rows, seconds[rows]]
        same = np.linalg.norm(spots[seconds[rows]] - spots[best[rows]], axis=1) < _SAME_PLACE
        rows = rows[same]
        if not len(rows):
            break
    return rivals


def match_near(
    features: Features,
    signature: Signature,
    expected: NDArray[np.float64],
    zoom: NDArray[np.float64],
    turn: NDArray[np.float64],
    radius: float,
) -> tuple[Indices, Indices]:
    """Matches of signature keypoints with features close to where each is expected.

    expected (N, 2) pixels; zoom (N,) pixels per board width at that spot; turn (N,) the expected keypoint angle there.
    """
    pairs_known, pairs_found = neighbours(expected, features.points.astype(np.float64), radius)
    if not len(pairs_known):
        return pairs_found, pairs_known
    size_gap = np.abs(np.log(features.sizes[pairs_found] / (signature.sizes[pairs_known] * zoom[pairs_known])))
    angle_gap = np.abs((features.angles[pairs_found] - turn[pairs_known] + 180) % 360 - 180)
    alike = (size_gap < _MOST_ZOOM) & (angle_gap < _MOST_TURN)
    pairs_known, pairs_found = pairs_known[alike], pairs_found[alike]
    gaps = signature.descriptors[pairs_known].astype(np.float32) - features.descriptors[pairs_found]
    distance = np.sqrt((gaps**2).sum(axis=1))
    close = distance < _FARTHEST
    pairs_known, pairs_found, distance = pairs_known[close], pairs_found[close], distance[close]
    order = np.argsort(distance, kind="stable")
    pairs_known, pairs_found = pairs_known[order], pairs_found[order]
    _, first = np.unique(pairs_found, return_index=True)
    pairs_known, pairs_found = pairs_known[np.sort(first)], pairs_found[np.sort(first)]
    _, first = np.unique(pairs_known, return_index=True)
    return pairs_found[first], pairs_known[first]


def neighbours(wanted: NDArray[np.float64], points: NDArray[np.float64], radius: float) -> tuple[Indices, Indices]:
    """All pairs (index of wanted, index of point) at most `radius` apart."""
    low = points.min(axis=0) - radius if len(points) else np.zeros(2)
    cells = np.floor((points - low) / radius).astype(np.int64) + 1
    columns = int(cells[:, 0].max(initial=0)) + 3
    ids = cells[:, 1] * columns + cells[:, 0]
    order = np.argsort(ids, kind="stable")
    sorted_ids = ids[order]
    rows = int(cells[:, 1].max(initial=0)) + 2
    home = np.floor((wanted - low) / radius) + 1
    inside = np.flatnonzero((home >= 0).all(axis=1) & (home[:, 0] < columns) & (home[:, 1] <= rows))
    home = home[inside].astype(np.int64)
    known_parts, found_parts = [], []
    for step in (-1, 0, 1):
        base = (home[:, 1] + step) * columns + home[:, 0]
        start = np.searchsorted(sorted_ids, base - 1, side="left")
        stop = np.searchsorted(sorted_ids, base + 1, side="right")
        count = stop - start
        total = int(count.sum())
        offset = np.arange(total) - np.repeat(np.cumsum(count) - count, count)
        found_parts.append(order[np.repeat(start, count) + offset])
        known_parts.append(np.repeat(inside, count))
    known, found = np.concatenate(known_parts), np.concatenate(found_parts)
    near = ((wanted[known] - points[found]) ** 2).sum(axis=1) <= radius * radius
    return known[near], found[near]

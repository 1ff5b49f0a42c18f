"""Makes a board's signature from straight-above pictures of the empty board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import LocateError
from companion.vision.features import Features, find_features, neighbours
from companion.vision.signature import Signature

KEYPOINTS = 3200
_LONG_SIDES = (940, 760, 600)
_SLANTS = ((0.0, 1.0), *((turn, 0.72) for turn in (0.0, 45.0, 90.0, 135.0)))
_CELLS = 14
_FEWEST = 200


def flatten(pixels: NDArray[np.uint8], corners: NDArray[np.float64], aspect: float, long_side: int) -> NDArray[np.uint8]:
    """The board between its four corners (top left, top right, bottom right, bottom left), seen from straight above."""
    width, height = _size(aspect, long_side)
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]]) - 0.5
    warp = cv2.getPerspectiveTransform(np.float32(corners), np.float32(target))
    shrink = float(max(np.ptp(corners[:, 0]), np.ptp(corners[:, 1]))) / long_side
    if shrink > 1.5:
        pixels = np.asarray(cv2.GaussianBlur(pixels, (0, 0), 0.35 * shrink), np.uint8)
    flat = cv2.warpPerspective(pixels, warp, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, np.uint8)


def make_signature(
    flats: Sequence[NDArray[np.uint8]],
    aspect: float,
    figures: dict[str, NDArray[np.generic]] | None = None,
    keypoints: int = KEYPOINTS,
) -> Signature:
    """A signature from one or more straight-above pictures (BGR) of the same empty board.

    The board is looked at as phones will see it, from several distances and slants. What is found again in
    most of these views is kept, spread evenly over the board.
    """
    seen: list[Features] = []
    for flat in flats:
        grey = np.asarray(cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY), np.uint8)
        seen += [_on_board(find_features(view, 6000), warp, aspect) for view, warp in _views(grey, aspect)]
    if sum(map(len, seen)) < _FEWEST:
        raise LocateError("The picture of the empty board shows too little detail; take a sharper, brighter one.")
    points = np.concatenate([one.points for one in seen])
    sizes = np.concatenate([one.sizes for one in seen])
    angles = np.concatenate([one.angles for one in seen])
    descriptors = np.concatenate([one.descriptors for one in seen])
    view_of = np.repeat(np.arange(len(seen)), [len(one) for one in seen])
    chosen = _choose(Features(points, sizes, angles, descriptors), view_of, aspect, keypoints)
    fractions = points[chosen] * np.array([1, aspect], np.float32)
    stored = np.clip(np.round(descriptors[chosen]), 0, 255).astype(np.uint8)
    return Signature(aspect, fractions, sizes[chosen], angles[chosen], stored, figures or {})


def _size(aspect: float, long_side: int) -> tuple[int, int]:
    return (long_side, round(long_side / aspect)) if aspect >= 1 else (round(long_side * aspect), long_side)


def _views(grey: NDArray[np.uint8], aspect: float) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.float64]]]:
    """The board from several distances and slants, each with the affine (2, 3) from view pixels to board widths."""
    for long_side in _LONG_SIDES:
        width, height = _size(aspect, long_side)
        plain = np.asarray(cv2.resize(grey, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
        for turn, squeeze in _SLANTS:
            view, there = _slanted(plain, turn, squeeze)
            back = np.asarray(cv2.invertAffineTransform(there), np.float64)
            back[:, 2] += 0.5
            yield view, back / np.array([[width], [height * aspect]])


def _slanted(plain: NDArray[np.uint8], turn: float, squeeze: float) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """A picture turned, then squeezed upwards as a slanted view squeezes it."""
    height, width = plain.shape
    if squeeze == 1.0:
        return plain, np.array([[1.0, 0, 0], [0, 1, 0]])
    angle = np.radians(turn)
    rotate = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    # Slanted pictures are taken from farther away along one axis only: enlarge a little to keep the mean scale.
    linear = np.diag([1.0, squeeze]) @ rotate * squeeze**-0.25
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]]) @ linear.T
    low, high = corners.min(axis=0), corners.max(axis=0)
    there = np.column_stack([linear, -low])
    blurred = cv2.GaussianBlur(plain, (0, 0), 0.5)
    across, down = (int(n) for n in np.ceil(high - low))
    view = cv2.warpAffine(blurred, there, (across, down), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(view, np.uint8), there


def _on_board(features: Features, warp: NDArray[np.float64], aspect: float) -> Features:
    """Features of a view as seen on the board: points and sizes in board widths, those off the board left out."""
    points = features.points @ warp[:, :2].T + warp[:, 2]
    radians = np.radians(features.angles)
    arms = np.column_stack([np.cos(radians), np.sin(radians)]) @ warp[:, :2].T
    angles = np.degrees(np.arctan2(arms[:, 1], arms[:, 0])) % 360
    sizes = features.sizes * np.sqrt(abs(np.linalg.det(warp[:, :2])))
    edge = 0.004
    on = (points > edge).all(axis=1) & (points[:, 0] < 1 - edge) & (points[:, 1] < 1 / aspect - edge)
    return Features(
        points[on].astype(np.float32), sizes[on].astype(np.float32), angles[on].astype(np.float32), features.descriptors[on]
    )


def _choose(sighted: Features, view_of: NDArray[np.intp], aspect: float, wanted: int) -> NDArray[np.intp]:
    """The sightings confirmed by the most other views, evenly spread, each spot's look kept once."""
    first, second = _confirmations(sighted, view_of)
    count = len(sighted)
    support = np.zeros(count)
    pair_of_views = np.unique(np.column_stack([first, view_of[second]]), axis=0)
    np.add.at(support, pair_of_views[:, 0], 1.0)
    start = np.searchsorted(first, np.arange(count + 1))
    across = np.clip((sighted.points[:, 0] * _CELLS).astype(int), 0, _CELLS - 1)
    rows = max(1, round(_CELLS / aspect))
    down = np.clip((sighted.points[:, 1] * aspect * rows).astype(int), 0, rows - 1)
    cell = down * _CELLS + across
    room = np.full(_CELLS * rows, int(np.ceil(1.15 * wanted / (_CELLS * rows))))
    gone = np.zeros(count, bool)
    chosen: list[int] = []
    late: list[int] = []
    for index in np.argsort(-support, kind="stable"):
        if gone[index] or support[index] < 1:
            continue
        gone[second[start[index] : start[index + 1]]] = True
        if room[cell[index]] > 0:
            room[cell[index]] -= 1
            chosen.append(int(index))
        else:
            late.append(int(index))
        if len(chosen) == wanted:
            break
    return np.array((chosen + late)[:wanted], np.intp)


def _confirmations(sighted: Features, view_of: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of sightings in different views that show the same spot in the same way, ordered by the first."""
    first, second = neighbours(sighted.points.astype(np.float64), sighted.points.astype(np.float64), 0.0035)
    size_gap = np.abs(np.log(sighted.sizes[first] / sighted.sizes[second]))
    angle_gap = np.abs((sighted.angles[first] - sighted.angles[second] + 180) % 360 - 180)
    alike = (view_of[first] != view_of[second]) & (size_gap < 0.35) & (angle_gap < 20)
    first, second = first[alike], second[alike]
    close = np.zeros(len(first), bool)
    for begin in range(0, len(first), 200_000):
        part = slice(begin, begin + 200_000)
        gaps = sighted.descriptors[first[part]] - sighted.descriptors[second[part]]
        close[part] = (gaps**2).sum(axis=1) < 230.0**2
    first, second = first[close], second[close]
    order = np.argsort(first, kind="stable")
    return first[order], second[order]

"""The first look at a straightened board: how large its spaces are, and where rectangles of that size lie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.rectangles import Grid, Pixels, Rectangles, edge_ground, find_rectangles
from calibration.signature import flatten
from calibration.spacesize import measured_size, space_sizes
from companion.errors import CalibrationError

Floats = NDArray[np.float64]
Progress = Callable[[str], None]

LONG_SIDE = 1200
SPACE_WIDTH = 12.0
"""Spaces are looked for at about this many pixels across."""
_LEAST_SCORE = 0.3


@dataclass(frozen=True)
class Scan:
    """A straightened board with the rectangles found on it.

    corners: (4, 2) photo pixels of the frame that was straightened; ground: its Lab picture
    length, width: pixels of a space on it
    """

    corners: Floats
    ground: Grid
    length: float
    width: float
    found: Rectangles

    @property
    def size(self) -> tuple[int, int]:
        return self.ground.shape[1], self.ground.shape[0]

    @property
    def to_photo(self) -> Floats:
        """(3, 3) from pixels of the straightened board to the photo's."""
        wide, high = self.size
        edges = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32) - np.float32(0.5)
        return np.asarray(cv2.getPerspectiveTransform(edges, self.corners.astype(np.float32)), np.float64)


def scan(pixels: Pixels, corners: Floats, aspect: float, expected: tuple[float, float] | None = None) -> Scan | None:
    """Look at the board between four corners; None when nothing on it repeats like spaces do.

    expected: a space's length and width, as shares of the frame's width and height, where the network is known
    """
    flat = flatten(pixels, corners, aspect, LONG_SIDE)
    ground = edge_ground(flat)
    sizes = space_sizes(ground, 4)
    if not sizes:
        return None
    if expected is not None:
        wanted = np.log([expected[0] * ground.shape[1], expected[1] * ground.shape[0] * 0.8])
        sizes.sort(key=lambda size: float(np.abs(np.log(size) - wanted).max()) > 0.45)
    length, width = measured_size(ground, *sizes[0])
    shrink = SPACE_WIDTH / width
    if shrink < 0.96:
        flat = np.asarray(cv2.resize(flat, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), np.uint8)
        ground = edge_ground(flat)
        length, width = length * shrink, width * shrink
    return Scan(corners, ground, length, width, find_rectangles(ground, length, width, _LEAST_SCORE))


def sharpness(pixels: Pixels) -> float:
    """How much softer blurring makes the sharpest edges: above 2 for a sharp picture, towards 1 for a blurred one."""
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), np.float32)
    slope, again = _slope(grey), _slope(np.asarray(cv2.GaussianBlur(grey, (0, 0), 2.0), np.float32))
    strong = slope > max(8.0, float(np.quantile(slope, 0.97)))
    if strong.sum() < 200:
        return 1.0
    return float(np.median(slope[strong] / np.maximum(again[strong], 1.0)))


def check_sharp(pixels: Pixels, least: float = 1.18) -> None:
    """Refuse a picture that is blurred all over."""
    if sharpness(pixels) < least:
        raise CalibrationError("The photo is too blurred to find the spaces; hold still, tap to focus and take another.")


def _slope(grey: NDArray[np.float32]) -> NDArray[np.float32]:
    across, down = (cv2.Sobel(grey, cv2.CV_32F, a, 1 - a, scale=0.25) for a in (1, 0))
    return np.asarray(cv2.magnitude(across, down), np.float32)

"""The first look at a straightened board: what is marked on it, and how large its spaces are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.finder import Marks, look_at_any_scale, scaled
from calibration.rectangles import Grid, Pixels, Rectangles, edge_ground
from calibration.signature import flatten
from companion.errors import CalibrationError

Floats = NDArray[np.float64]
Progress = Callable[[str], None]

LONG_SIDE = 1600
_FEWEST = 8.0
_USUAL_SIDE = 2000


@dataclass(frozen=True)
class Scan:
    """A straightened board with what was found on it.

    corners: (4, 2) photo pixels of the frame that was straightened; ground: its Lab picture
    length, width: pixels of a space on it
    """

    corners: Floats
    ground: Grid
    length: float
    width: float
    marks: Marks

    @property
    def found(self) -> Rectangles:
        return self.marks.spaces

    @property
    def size(self) -> tuple[int, int]:
        return self.ground.shape[1], self.ground.shape[0]

    @property
    def to_photo(self) -> Floats:
        """(3, 3) from pixels of the straightened board to the photo's."""
        wide, high = self.size
        edges = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32) - np.float32(0.5)
        return np.asarray(cv2.getPerspectiveTransform(edges, self.corners.astype(np.float32)), np.float64)


def scan(pixels: Pixels, corners: Floats, aspect: float) -> Scan | None:
    """Look at the board between four corners; None when it shows no spaces."""
    flat = flatten(pixels, corners, aspect, LONG_SIDE)
    marks, share = look_at_any_scale(flat)
    if marks.strength < _FEWEST:
        return None
    return Scan(corners, edge_ground(scaled(flat, share)), *marks.size, marks)


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
    shrink = max(pixels.shape[:2]) / _USUAL_SIDE
    if shrink > 1.3:
        pixels = scaled(pixels, 1 / shrink)
    if sharpness(pixels) < least:
        raise CalibrationError("The photo is too blurred to find the spaces; hold still, tap to focus and take another.")


def _slope(grey: NDArray[np.float32]) -> NDArray[np.float32]:
    across, down = (cv2.Sobel(grey, cv2.CV_32F, a, 1 - a, scale=0.25) for a in (1, 0))
    return np.asarray(cv2.magnitude(across, down), np.float32)

"""Finds the printed spaces of a board: small rectangles of one size, at any angle, outlined and plain inside."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Grid = NDArray[np.float32]
Pixels = NDArray[np.uint8]


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

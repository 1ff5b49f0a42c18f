"""The camera's pose over the board, so that a piece's top is looked for where it appears."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TYPICAL_FOCAL = 0.76
"""Focal length of a phone's main camera as a share of the picture's long side (67 degrees)."""

_FOCAL_SPREAD = 0.22
_ORTHOGONALITY_NOISE = 0.012


@dataclass(frozen=True)
class View:
    """Where the camera stood.

    homography: (3, 3), board millimetres (x right, y down) to photo pixels
    rise: (3,), what one millimetre of height adds to the homogeneous photo point
    focal: focal length in photo pixels
    tilt: degrees between the camera's axis and the board's normal
    distance: millimetres from the camera to the board's middle
    """

    homography: NDArray[np.float64]
    rise: NDArray[np.float64]
    focal: float
    tilt: float
    distance: float

    def project(self, points_mm: NDArray[np.float64], height_mm: float = 0.0) -> NDArray[np.float64]:
        """Photo pixels (N, 2) of board points (N, 2) in millimetres, raised by `height_mm`."""
        homogeneous = np.column_stack([points_mm, np.ones(len(points_mm))]) @ self.homography.T
        homogeneous = homogeneous + height_mm * self.rise
        return np.asarray(homogeneous[:, :2] / homogeneous[:, 2:])


def view_from(
    homography: NDArray[np.float64],
    board_mm: tuple[float, float],
    photo_size: tuple[int, int],
    focal_hint: float | None = None,
) -> View:
    """The pose behind a homography from board millimetres to pixels of a photo of (width, height).

    The focal length is the one that best makes the board's axes perpendicular and equally long, held near a
    phone's usual one: a view from straight above says nothing about it.
    """
    width, height = photo_size
    centred = np.array([[1, 0, -(width - 1) / 2], [0, 1, -(height - 1) / 2], [0, 0, 1]]) @ homography
    usual = focal_hint or TYPICAL_FOCAL * max(width, height)
    candidates = usual * np.exp(np.linspace(-1.2, 1.2, 241))
    first = _rays(centred[:, 0], candidates)
    second = _rays(centred[:, 1], candidates)
    length_1, length_2 = np.linalg.norm(first, axis=1), np.linalg.norm(second, axis=1)
    skew = (first * second).sum(axis=1) / (length_1 * length_2)
    stretch = 2 * (length_1 - length_2) / (length_1 + length_2)
    cost = (skew**2 + stretch**2) / _ORTHOGONALITY_NOISE**2 + (np.log(candidates / usual) / _FOCAL_SPREAD) ** 2
    focal = float(candidates[int(np.argmin(cost))])

    axes = np.array([1 / focal, 1 / focal, 1.0])[:, None] * centred
    middle = axes @ np.array([board_mm[0] / 2, board_mm[1] / 2, 1.0])
    if middle[2] < 0:
        axes, middle = -axes, -middle
    scale = (np.linalg.norm(axes[:, 0]) + np.linalg.norm(axes[:, 1])) / 2
    axis_x, axis_y = axes[:, 0] / scale, axes[:, 1] / scale
    into_table = np.cross(axis_x, axis_y)
    into_table /= np.linalg.norm(into_table)
    middle = middle / scale
    distance = float(np.linalg.norm(middle))
    tilt = float(np.degrees(np.arccos(np.clip(into_table[2], -1, 1))))
    back = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])
    sign = 1.0 if (homography @ np.array([board_mm[0] / 2, board_mm[1] / 2, 1.0]))[2] > 0 else -1.0
    rise = sign * scale * (back @ -into_table)
    return View(homography, rise, focal, tilt, distance)


def _rays(column: NDArray[np.float64], focals: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.column_stack([column[0] / focals, column[1] / focals, np.full(len(focals), column[2])])

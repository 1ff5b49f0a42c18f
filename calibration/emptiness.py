"""Whether a board is empty: pieces stand out from the colours their route is printed in."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.rectangles import Pixels
from calibration.snap import interior
from companion.board import Board
from companion.errors import CalibrationError

_FAR = 24.0
_MOST_STRANGE = 1


def strange_routes(flat: Pixels, board: Board) -> list[str]:
    """Routes whose spaces all look unlike the other spaces of their printed colour."""
    lab = np.asarray(cv2.cvtColor(flat.astype(np.float32) / 255, cv2.COLOR_BGR2LAB), np.float32)
    size = np.array([flat.shape[1], flat.shape[0]])
    spots = np.array([[s.x, s.y] for s in board.spaces]) * size - 0.5
    angles = np.array([s.angle for s in board.spaces])
    seen = interior(lab, spots, angles, board.space_size[0] * size[0] * 0.8, board.space_size[1] * size[1] * 0.8)
    colors = np.array([route.color for route in board.routes.values() for _ in route.spaces])
    far = np.zeros(len(seen))
    # Light varies over a photo, so lightness counts less than hue.
    weights = np.array([0.5, 1.0, 1.0])
    for name in np.unique(colors):
        mine: NDArray[np.float64] = seen[colors == name]
        far[colors == name] = np.linalg.norm((mine - np.median(mine, axis=0)) * weights, axis=1)
    strange, number = [], 0
    for route in board.routes.values():
        own = far[number : number + len(route.spaces)]
        number += len(route.spaces)
        if float(np.median(own)) > _FAR:
            strange.append(route.id)
    return strange


def check_empty(flat: Pixels, board: Board) -> None:
    """Refuse a board with pieces on it."""
    strange = strange_routes(flat, board)
    if len(strange) > _MOST_STRANGE:
        named = board.route_name(strange[0])
        raise CalibrationError(
            "The board is not empty: pieces seem to lie on {route} and {count} other routes; clear it.",
            route=named,
            count=len(strange) - 1,
        )

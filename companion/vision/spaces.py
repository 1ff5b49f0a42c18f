"""What lies on every space and on every city: evidence from one photo."""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Board
from companion.errors import BoardError
from companion.vision import patches
from companion.vision.light import Light, fit_light
from companion.vision.signature import Signature

COLORS = ("blue", "green", "black", "yellow", "red", "white", "purple")
"""The colours the networks know by name, in the order of their outputs after `empty`."""
IGNORED = len(COLORS) + 1
"""Label of a piece in a colour that has no output of its own."""

WEIGHTS = Path(__file__).resolve().parent / "weights"


@dataclass(frozen=True)
class Evidence:
    """How likely every colour is on every space and city, from one photo.

    colors: the C colours asked for
    spaces: (S, 1 + C) float32, log-probabilities; column 0 is empty. Spaces come in the order of the board's routes.
    cities: (K, 1 + C) float32, the same for stations on cities
    seen, seen_cities: (S,) and (K,) bool, whether the place is inside the picture
    """

    colors: tuple[str, ...]
    spaces: NDArray[np.float32]
    cities: NDArray[np.float32]
    seen: NDArray[np.bool_]
    seen_cities: NDArray[np.bool_]


def light_of(
    photo: NDArray[np.uint8], placement: patches.Placement, frame: patches.Frame, figures: Mapping[str, NDArray[Any]]
) -> Light:
    """The photo's light, from the ground between the routes."""
    points = patches.ground_points(frame)
    seen = patches.measure_ground(photo, placement, frame)
    inside = in_picture(photo, placement.project(points), 3)
    wanted = np.asarray(figures["ground_colors"], np.float32)
    clear = wanted.any(1)
    return fit_light(seen, wanted, points, (clear & inside).astype(np.float64))


def in_picture(photo: NDArray[np.uint8], pixels: NDArray[np.floating[Any]], margin: float) -> NDArray[np.bool_]:
    """Which pixels (N, 2) lie in the photo, at least `margin` from its edge."""
    high = np.array([photo.shape[1], photo.shape[0]]) - 1 - margin
    return np.asarray(((pixels >= margin) & (pixels <= high)).all(1))


def evidence(
    photo: NDArray[np.uint8],
    placement: patches.Placement,
    board: Board,
    signature: Signature,
    colors: Sequence[str],
    weights: Path = WEIGHTS,
) -> Evidence:
    """What one upright photo (h, w, 3, BGR) says about every space and city, for the colours that may occur."""
    figures = _checked(signature, board)
    frame = patches.Frame.of(board)
    light = light_of(photo, placement, frame, figures)
    asked = tuple(colors)

    corners = patches.project_corners(patches.space_corners(frame), placement, patches.WAGON_MIDDLE_MM)
    ground = np.asarray(placement.project(frame.spaces[:, :2]), np.float32)
    soft = patches.shrunk_for(photo, corners, patches.SPACE_PATCH)
    wagons = light.correct(patches.cut(soft, corners, patches.SPACE_PATCH), frame.spaces[:, :2])
    shift = patches.print_shift(corners, ground, patches.SPACE_PATCH)
    regions = patches.region_map(frame, patches.MOST_SHIFT)
    painted = patches.paint(regions, figures["space_colors"], shift)
    logits = _run_twice(weights / "spaces.onnx", _stacked(wagons, painted))

    around = patches.project_corners(patches.city_corners(frame), placement, patches.STATION_MIDDLE_MM)
    centre = np.asarray(placement.project(frame.cities), np.float32)
    stations = light.correct(patches.cut(soft, around, patches.CITY_PATCH), frame.cities)
    lean = patches.print_shift(around, centre, patches.CITY_PATCH)
    rings = patches.ring_map(patches.MOST_SHIFT)
    rings_painted = patches.paint(rings, figures["city_colors"], lean)
    city_logits = _run_twice(weights / "cities.onnx", _stacked(stations, rings_painted))

    return Evidence(
        asked,
        _log_probabilities(logits, wagons, board, asked),
        _log_probabilities(city_logits, stations, board, asked),
        in_picture(photo, ground, 4),
        in_picture(photo, centre, 4),
    )


def _checked(signature: Signature, board: Board) -> Mapping[str, NDArray[Any]]:
    """The print's figures, if they are this board's."""
    points = patches.ground_points(patches.Frame.of(board))
    shapes = {
        "space_colors": (len(board.spaces), patches.REGIONS, 4),
        "city_colors": (len(board.cities), 3, 4),
        "ground_colors": (len(points), 3),
    }
    for name, shape in shapes.items():
        figure = signature.figures.get(name)
        if figure is None or figure.shape != shape or figure.dtype != np.uint8:
            raise BoardError(
                "The signature of {board} does not fit its spaces; calibrate the board again.", board=board.name
            )
    return signature.figures


def _stacked(pixels: NDArray[np.uint8], painted: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Network input (N, 7, h, w), 0 for mid-grey, from patches (N, h, w, 3) and the painted print (N, h, w, 4)."""
    count, height, width = pixels.shape[:3]
    stacked = np.empty((count, 7, height, width), np.float32)
    # Flipping the top bit and reading the byte as signed takes away 128.
    stacked[:, :3] = (pixels ^ 128).view(np.int8).transpose(0, 3, 1, 2)
    stacked[:, 3:] = (painted ^ 128).view(np.int8).transpose(0, 3, 1, 2)
    return stacked


@functools.lru_cache(maxsize=4)
def _net(path: Path) -> cv2.dnn.Net:
    return cv2.dnn.readNetFromONNX(str(path))


_LOCK = threading.Lock()
_AT_ONCE = 64
_PLAIN = 0.97
"""A place whose best answer is less likely than this is looked at again."""
_AGAIN = 48
"""So many places at most are looked at again: time is short."""


def _run(path: Path, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Logits (N, 9): empty, the known colours, something lies here."""
    with _LOCK:
        net = _net(path)
        logits = []
        for start in range(0, len(inputs), _AT_ONCE):
            net.setInput(inputs[start : start + _AT_ONCE])
            logits.append(net.forward().copy())
    return np.concatenate(logits) if logits else np.zeros((0, 2 + len(COLORS)), np.float32)


def _run_twice(path: Path, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
    """The same logits, where the doubtful are looked at again mirrored along, across and both, and the views averaged."""
    logits = _run(path, inputs)
    best = _normal(logits[:, :-1]).max(1)
    doubtful = np.argsort(best)[:_AGAIN]
    doubtful = doubtful[best[doubtful] < np.log(_PLAIN)]
    if len(doubtful) == 0:
        return logits
    some = inputs[doubtful]
    views = [logits[doubtful]]
    for turned in (some[:, :, :, ::-1], some[:, :, ::-1], some[:, :, ::-1, ::-1]):
        views.append(_run(path, np.ascontiguousarray(turned)))
    logits[doubtful] = np.mean(views, axis=0)
    return logits


def _log_probabilities(
    logits: NDArray[np.float32], pixels: NDArray[np.uint8], board: Board, asked: tuple[str, ...]
) -> NDArray[np.float32]:
    """Log-probabilities (N, 1 + C) of empty and of the colours asked for."""
    names = ["purple" if color == "pink" else color for color in asked]
    if all(name in COLORS for name in names):
        columns = [0] + [1 + COLORS.index(name) for name in names]
        return _normal(logits[:, columns])
    # A colour without an output of its own: the network says whether something lies there, the palette says what.
    taken = logits[:, -1:].astype(np.float64)
    shares = _palette_shares(pixels, board, asked)
    together = np.concatenate([-np.logaddexp(0, taken), shares - np.logaddexp(0, -taken)], 1)
    return _normal(together.astype(np.float32))


def _palette_shares(pixels: NDArray[np.uint8], board: Board, asked: tuple[str, ...]) -> NDArray[np.float64]:
    """Log-shares (N, C) of the colours asked for, from the colour in the middle of each patch."""
    palette = np.array([board.palette.get(color, (128, 128, 128)) for color in asked], np.uint8)
    wanted = cv2.cvtColor(palette[None, :, ::-1], cv2.COLOR_BGR2LAB)[0].astype(np.float64)
    height, width = pixels.shape[1:3]
    middle = pixels[:, height // 2 - 4 : height // 2 + 4, width // 2 - 10 : width // 2 + 10].reshape(len(pixels), -1, 3)
    typical = np.median(middle, 1).astype(np.uint8)
    seen = cv2.cvtColor(typical[None], cv2.COLOR_BGR2LAB)[0].astype(np.float64)
    apart = (((seen[:, None] - wanted) * (0.5, 1, 1)) ** 2).sum(2)
    return np.asarray(_normal((-apart / (2 * 14.0**2)).astype(np.float32)), np.float64)


def _normal(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Log-probabilities of logits, row by row."""
    high = logits - logits.max(1, keepdims=True)
    return np.asarray(high - np.log(np.exp(high).sum(1, keepdims=True)), np.float32)

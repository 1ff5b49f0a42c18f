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
from companion.vision.light import Light, fit_light, veil_over
from companion.vision.likeness import BESIDE_A_PALETTE, likeness
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
    tops: (S, 1 + C) float32, the same for stations that stand on a wagon of a space
    seen, seen_cities: (S,) and (K,) bool, whether the place is inside the picture and not under a card or a hand
    """

    colors: tuple[str, ...]
    spaces: NDArray[np.float32]
    cities: NDArray[np.float32]
    tops: NDArray[np.float32]
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
    printed = figures.get("darkest")
    veil = None if printed is None else veil_over(patches.darkest(photo, placement), printed)
    return fit_light(seen, wanted, points, (clear & inside).astype(np.float64), veil)


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
    sight = _Sight(photo, placement, frame, light_of(photo, placement, frame, figures), figures, weights)
    asked = tuple(colors)
    logits, seen, hidden, topped = sight.spaces()
    spaces = _log_probabilities(logits, _middles(seen), board, asked)
    if not _named(asked):
        spaces = _normal(spaces + likeness(spaces, seen, figures["space_colors"], BESIDE_A_PALETTE))
    tops = _tops(spaces, topped if board.rules.stations else np.full_like(topped, -20.0))
    stations, roofs = sight.cities() if board.rules.stations else _nothing(len(frame.cities))
    return Evidence(
        asked,
        _under_tops(spaces, tops),
        _log_probabilities(stations, roofs, board, asked),
        tops,
        in_picture(photo, placement.project(frame.spaces[:, :2]), 4) & (hidden < _HIDDEN),
        in_picture(photo, placement.project(frame.cities), 4),
    )


def _tops(spaces: NDArray[np.float32], topped: NDArray[np.float32]) -> NDArray[np.float32]:
    """Log-probabilities (S, 1 + C) of no station and of one of each colour on the wagons, from the logit of any (S,)."""
    color = _normal(spaces[:, 1:]) - np.logaddexp(0, -topped)[:, None]
    return np.concatenate([-np.logaddexp(0, topped)[:, None], color], 1, dtype=np.float32)


def _under_tops(spaces: NDArray[np.float32], tops: NDArray[np.float32]) -> NDArray[np.float32]:
    """The evidence about the wagons, knowing that under a station any colour of wagon may be."""
    any_wagon = np.concatenate([[-20.0], np.full(spaces.shape[1] - 1, -np.log(spaces.shape[1] - 1))])
    bare = tops[:, :1]
    return np.asarray(np.logaddexp(spaces + bare, any_wagon + np.log(1e-12 - np.expm1(bare))), np.float32)


@dataclass(frozen=True)
class _Sight:
    """A placed photo and all it takes to look at places of its board."""

    photo: NDArray[np.uint8]
    placement: patches.Placement
    frame: patches.Frame
    light: Light
    figures: Mapping[str, NDArray[Any]]
    weights: Path

    def spaces(self) -> tuple[NDArray[np.float32], NDArray[np.uint8], NDArray[np.float32], NDArray[np.float32]]:
        """A glance at each space, a closer look at the doubtful.

        Logits (S, 9), the patches looked at, and the logits (S,) that something hides it, and that a station tops its wagon.
        """
        everywhere = np.arange(len(self.frame.spaces))
        raw, seen, inputs = self._wagons(everywhere, patches.GLANCE_PATCH)
        told = _run(self.weights / "glance.onnx", inputs)
        logits, hidden, topped = told[:, :-2], np.where(_blown_out(raw), np.inf, told[:, -2]), told[:, -1]
        closer = _doubtful(logits, _SURE_GLANCE, _CLOSER)
        closer = closer[(hidden[closer] < _HIDDEN) & (topped[closer] < 0)]
        if len(closer):
            _, _, inputs = self._wagons(closer, patches.SPACE_PATCH)
            logits[closer] = _run_turned(self.weights / "spaces.onnx", inputs)
        logits[:, :-1] += likeness(logits[:, :-1], seen, self.figures["space_colors"])
        return logits, seen, hidden, topped

    def cities(self) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        """The same of all cities."""
        corners = patches.project_corners(patches.city_corners(self.frame), self.placement, patches.STATION_MIDDLE_MM)
        regions = patches.ring_map(patches.MOST_SHIFT)
        figures = self.figures["city_colors"]
        _, seen, inputs = self._look(corners, patches.CITY_PATCH, self.frame.cities, regions, figures)
        return _run_turned(self.weights / "cities.onnx", inputs), _middles(seen)

    def _wagons(
        self, which: NDArray[np.intp], patch: tuple[int, int]
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.float32]]:
        places = patches.space_corners(self.frame, patch)[which]
        corners = patches.project_corners(places, self.placement, patches.WAGON_MIDDLE_MM)
        regions = patches.region_map(self.frame, patches.MOST_SHIFT, patch)
        figures = self.figures["space_colors"][which]
        return self._look(corners, patch, self.frame.spaces[which, :2], regions, figures)

    def _look(
        self,
        corners: NDArray[np.float32],
        patch: tuple[int, int],
        places: NDArray[np.float64],
        regions: NDArray[np.uint8],
        figures: NDArray[np.uint8],
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.float32]]:
        """Patches (N, h, w, 3) as they are and in the print's light, and the network input (N, 7, h, w) made of them."""
        raw = patches.cut_softly(self.photo, corners, patch)
        seen = self.light.correct(raw, places)
        ground = np.asarray(self.placement.project(places), np.float32)
        shift = patches.print_shift(corners, ground, patch)
        return raw, seen, _stacked(seen, patches.paint(regions, figures, shift))


def _blown_out(raw: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which patches (N, h, w, 3) a lamp's glare has turned white for the most part."""
    return np.asarray((raw.min(axis=3) > 243).mean(axis=(1, 2)) > 0.4)


def _nothing(count: int) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """Logits and colours of places where nothing can stand."""
    logits = np.full((count, 2 + len(COLORS)), -20.0, np.float32)
    logits[:, 0] = 20.0
    return logits, np.zeros((count, 3), np.uint8)


def _checked(signature: Signature, board: Board) -> Mapping[str, NDArray[Any]]:
    """The print's figures, if they are this board's."""
    points = patches.ground_points(patches.Frame.of(board))
    shapes: dict[str, tuple[int, ...]] = {
        "space_colors": (len(board.spaces), patches.REGIONS, 4),
        "city_colors": (len(board.cities), 3, 4),
        "ground_colors": (len(points), 3),
    }
    if "darkest" in signature.figures:  # signatures made before it was measured lack it
        shapes["darkest"] = (3,)
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


_HIDDEN = 1.0
"""Logit above which something that is no piece is taken to hide a space."""
_LOCK = threading.Lock()
_AT_ONCE = 64
_SURE_GLANCE = 0.995
"""A space whose best answer at a glance is less likely than this gets a closer look."""
_CLOSER = 112
"""So many spaces at most get one: time is short."""
_PLAIN = 0.97
"""A place whose best answer is less likely than this even then is looked at again, turned round."""
_AGAIN = 32


def _run(path: Path, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Logits (N, 9): empty, the known colours, something lies here."""
    with _LOCK:
        net = _net(path)
        logits = []
        for start in range(0, len(inputs), _AT_ONCE):
            net.setInput(inputs[start : start + _AT_ONCE])
            logits.append(net.forward().copy())
    return np.concatenate(logits)


def _doubtful(logits: NDArray[np.float32], sure: float, most: int) -> NDArray[np.intp]:
    """The places, `most` at the most, whose best answer is less likely than `sure`: the least likely first."""
    best = _normal(logits[:, :-1]).max(1)
    order = np.argsort(best)[:most]
    return np.asarray(order[best[order] < np.log(sure)], np.intp)


def _run_turned(path: Path, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Logits (N, 9), where the doubtful are looked at again mirrored along, across and both, and the views averaged."""
    logits = _run(path, inputs)
    again = _doubtful(logits, _PLAIN, _AGAIN)
    if len(again):
        some = inputs[again]
        turned = np.concatenate([some[:, :, :, ::-1], some[:, :, ::-1], some[:, :, ::-1, ::-1]])
        views = _run(path, np.ascontiguousarray(turned)).reshape(3, len(again), -1)
        logits[again] = (logits[again] + views.sum(0)) / 4
    return logits


def _named(asked: Sequence[str]) -> list[str]:
    """The colours asked for by the networks' own names, or nothing if these do not know them all."""
    names = ["purple" if color == "pink" else color for color in asked]
    return names if all(name in COLORS for name in names) else []


def _log_probabilities(
    logits: NDArray[np.float32], typical: NDArray[np.uint8], board: Board, asked: tuple[str, ...]
) -> NDArray[np.float32]:
    """Log-probabilities (N, 1 + C) of empty and of the colours asked for."""
    if names := _named(asked):
        return _normal(logits[:, [0] + [1 + COLORS.index(name) for name in names]])
    # A colour without an output of its own: the network says whether something lies there, the palette says what.
    taken = logits[:, -1:].astype(np.float64)
    shares = _palette_shares(typical, board, asked)
    together = np.concatenate([-np.logaddexp(0, taken), shares - np.logaddexp(0, -taken)], 1)
    return _normal(together.astype(np.float32))


def _middles(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The typical colour (N, 3) in the middle of every patch (N, h, w, 3), where a piece's roof would be."""
    height, width = pixels.shape[1:3]
    rows, columns = slice(5 * height // 12, 7 * height // 12), slice(11 * width // 32, 21 * width // 32)
    middle = pixels[:, rows, columns].reshape(len(pixels), -1, 3)
    return np.asarray(np.median(middle, 1), np.uint8)


def _palette_shares(typical: NDArray[np.uint8], board: Board, asked: tuple[str, ...]) -> NDArray[np.float64]:
    """Log-shares (N, C) of the colours asked for, from the colour in the middle of each patch."""
    palette = np.array([board.palette.get(color, (128, 128, 128)) for color in asked], np.uint8)
    wanted = cv2.cvtColor(palette[None, :, ::-1], cv2.COLOR_BGR2LAB)[0].astype(np.float64)
    seen = cv2.cvtColor(typical[None], cv2.COLOR_BGR2LAB)[0].astype(np.float64)
    apart = (((seen[:, None] - wanted) * (0.5, 1, 1)) ** 2).sum(2)
    return np.asarray(_normal((-apart / (2 * 14.0**2)).astype(np.float32)), np.float64)


def _normal(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Log-probabilities of logits, row by row."""
    high = logits - logits.max(1, keepdims=True)
    return np.asarray(high - np.log(np.exp(high).sum(1, keepdims=True)), np.float32)

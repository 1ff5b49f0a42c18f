"""Marks spaces and cities on the straightened picture of any board, with a small network trained on invented boards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.rectangles import Pixels, Rectangles

Floats = NDArray[np.float64]
Grid = NDArray[np.float32]

SPACE, CITY, TURN, OFF, SIZE, TUNNEL, ENGINE, PIECE, WORDS, CITY_OFF = 0, 1, 2, 4, 6, 8, 9, 10, 11, 12
CHANNELS = 14
STRIDE = 4
WIDE = 13.0
"""A space's width in pixels as the network knows it best."""
STRETCH = 2.5
"""A usual space is so many times as long as it is wide."""
WEIGHTS = Path(__file__).parent / "weights" / "finder.onnx"
_SIDES = (560, 800, 1140)
_LEAST = 0.12


@dataclass(frozen=True)
class Marks:
    """What the network sees on a picture, in its pixels.

    spaces: the rectangles; sizes: (N, 2) length and width; tunnel, engine, piece: (N,) how likely each is
    cities: (C, 2); city_scores: (C,); words: (height / 4, width / 4) how likely letters stand there
    """

    spaces: Rectangles
    sizes: Floats
    tunnel: Floats
    engine: Floats
    piece: Floats
    cities: Floats
    city_scores: Floats
    words: Grid

    @property
    def strength(self) -> float:
        """How much of a board shows: at the wrong scale much looks a little like a space, but nothing plainly."""
        return float(self.spaces.scores[self.spaces.scores > 0.6].sum())

    def scaled(self, share: float) -> Marks:
        """The same marks on a picture this much larger."""
        spaces = Rectangles((self.spaces.centres + 0.5) * share - 0.5, self.spaces.angles, self.spaces.scores)
        return replace(self, spaces=spaces, sizes=self.sizes * share, cities=(self.cities + 0.5) * share - 0.5)

    @property
    def size(self) -> tuple[float, float]:
        """A space's usual length and width."""
        good = self.spaces.scores > 0.4
        length, width = np.median(self.sizes[good] if good.any() else self.sizes, axis=0)
        return float(length), float(width)


@lru_cache(maxsize=1)
def _network(path: Path) -> cv2.dnn.Net:
    return cv2.dnn.readNetFromONNX(str(path))


def look(picture: Pixels) -> Marks:
    """Everything marked on a picture whose spaces are about WIDE pixels across."""
    height, width = picture.shape[:2]
    tall, wide = -(-height // 8) * 8, -(-width // 8) * 8
    padded = cv2.copyMakeBorder(picture, 0, tall - height, 0, wide - width, cv2.BORDER_REPLICATE)
    net = _network(WEIGHTS)
    net.setInput(np.ascontiguousarray(padded.transpose(2, 0, 1)[None], np.float32) - 128)
    seen = np.asarray(net.forward(), np.float32)[0]
    rows, columns, scores = _peaks(seen[SPACE])
    at = seen[:, rows, columns].astype(np.float64)
    centres = _pixels(np.column_stack([columns + at[OFF], rows + at[OFF + 1]]))
    angles = np.degrees(np.arctan2(at[TURN + 1], at[TURN]) / 2) % 180
    sizes = np.column_stack([STRETCH * WIDE * np.exp(at[SIZE]), WIDE * np.exp(at[SIZE + 1])])
    city_rows, city_columns, city_scores = _peaks(seen[CITY])
    off = seen[CITY_OFF : CITY_OFF + 2, city_rows, city_columns].astype(np.float64)
    return Marks(
        Rectangles(centres, angles, scores),
        sizes,
        _share(at[TUNNEL]),
        _share(at[ENGINE]),
        _share(at[PIECE]),
        _pixels(np.column_stack([city_columns + off[0], city_rows + off[1]])),
        city_scores,
        _share(seen[WORDS]).astype(np.float32),
    )


def look_at_any_scale(picture: Pixels, sides: Sequence[int] = _SIDES) -> tuple[Marks, float]:
    """What is marked where spaces are of the right size for the network, and by how much the picture was scaled for it.

    sides: the picture's long side in pixels, as tried
    """
    side = max(picture.shape[:2])
    tried = [(look(scaled(picture, long_side / side)), long_side / side) for long_side in sides]
    seen, share = max(tried, key=lambda one: one[0].strength)
    if seen.strength:
        share = float(np.clip(WIDE / seen.size[1] * share, 0.7 * sides[0] / side, 1.6 * sides[-1] / side))
        seen = look(scaled(picture, share))
    return seen, share


def scaled(picture: Pixels, share: float) -> Pixels:
    way = cv2.INTER_AREA if share < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(picture, None, fx=share, fy=share, interpolation=way), np.uint8)


def _peaks(logits: Grid) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Rows, columns and scores of what stands out, the surest first."""
    shown = _share(logits)
    top = np.asarray(cv2.dilate(shown.astype(np.float32), np.ones((3, 3), np.uint8)), np.float32)
    rows, columns = np.nonzero((shown.astype(np.float32) >= top) & (shown > _LEAST))
    order = np.argsort(-shown[rows, columns])
    rows, columns = rows[order], columns[order]
    return rows, columns, shown[rows, columns]


def _share(logits: NDArray[np.floating]) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30).astype(np.float64))))


def _pixels(cells: Floats) -> Floats:
    return np.asarray(cells * STRIDE + (STRIDE - 1) / 2)

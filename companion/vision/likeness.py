"""What the pieces and the print look like in this very photo, learned from the places that are plain to see.

Forty wagons of a colour lie on a full board, in one light and before one camera. A place the networks are unsure of is
compared with them, and with the empty spaces of the same print: that settles many a black wagon on black.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Trust:
    """How much a likeness counts beside the first opinion, and how likely an answer must be to serve as an example."""

    weight: float
    plain: float


BESIDE_NETWORKS = Trust(0.3, 0.9)
BESIDE_A_PALETTE = Trust(1.0, 0.8)
"""A colour known only from a palette has one shade to its name; the photo's own pieces tell far more."""
_FEWEST = 6
"""So many examples are needed to know what a colour looks like."""
_OFFSETS = np.arange(-3.0, 4.0)
"""A wagon is looked for so many rows of a patch of 24 off its space's middle: people lay them crookedly."""
_ASTRAY = 2.0
"""By how many rows it typically is."""
_USUAL = np.diag(np.square([7.0, 5.0, 5.0, 4.0]))
"""How much looks of a kind vary, before examples tell; it counts as much as so many of them:"""
_USUAL_COUNTS = 8.0
_ALIKE = 12.0
"""Prints so far apart in colour still tell about each other."""
_TAILS = 4.0
_FAR = 8.0
_UNKNOWN = 2.0
"""A colour without examples is taken to fit this much less well than the best."""


def likeness(
    logits: NDArray[np.float32], seen: NDArray[np.uint8], figures: NDArray[np.uint8], trust: Trust = BESIDE_NETWORKS
) -> NDArray[np.float32]:
    """What to add to the logits (S, 1 + C) of empty and each colour.

    seen: (S, h, w, 3) patches along the spaces, in the print's light; figures: (S, R, 4) of the empty print
    """
    chance = np.exp(logits - logits.max(1, keepdims=True))
    chance /= chance.sum(1, keepdims=True)
    answer, plain = chance.argmax(1), chance.max(1) > trust.plain
    looks = _looks(seen)
    fit = np.full(logits.shape, np.nan)
    if (plain & (answer == 0)).sum() >= _FEWEST:
        fit[:, 0] = _fit_of_empty(looks[:, len(_OFFSETS) // 2], _printed(figures), plain & (answer == 0))
    for color in range(1, logits.shape[1]):
        examples = plain & (answer == color)
        if examples.sum() >= _FEWEST:
            fit[:, color] = _fit_of_piece(looks, looks[examples])
    if np.isnan(fit).all():
        return np.zeros_like(logits)
    best = np.nanmax(fit, axis=1, keepdims=True)
    fit = np.where(np.isnan(fit), best - _UNKNOWN, fit)
    return np.asarray(trust.weight * np.maximum(fit - best, -_FAR), np.float32)


def _looks(seen: NDArray[np.uint8]) -> Array:
    """Mean Lab colour and spread of lightness (S, offsets, 4) of narrow bands along every patch."""
    count, height, width = seen.shape[:3]
    middle = np.ascontiguousarray(seen[:, :, width * 10 // 32 : width * 22 // 32])
    lab = _lab(middle.reshape(count * height, -1, 3)).reshape(count, height, -1, 3)
    row = height / 24
    bands = []
    for offset in _OFFSETS:
        centre = (height - 1) / 2 + offset * row
        first, last = int(np.ceil(centre - 1.5 * row)), int(np.floor(centre + 1.5 * row))
        band = lab[:, first : last + 1].reshape(count, -1, 3)
        bands.append(np.concatenate([band.mean(1), band[..., 0].std(1)[:, None]], 1))
    return np.stack(bands, 1).astype(np.float64)


def _printed(figures: NDArray[np.uint8]) -> Array:
    """The same (S, 4) as the empty print's figures tell it."""
    space = figures[:, :3].astype(np.float32).mean(1)
    return np.concatenate([_lab(space[:, None, :3])[:, 0], space[:, 3:] * (100 / 255)], 1).astype(np.float64)


def _lab(bgr: NDArray[np.generic]) -> NDArray[np.float32]:
    return np.asarray(cv2.cvtColor(bgr.astype(np.float32) / 255, cv2.COLOR_BGR2LAB), np.float32)


@dataclass(frozen=True)
class _Kind:
    """Looks (..., 4) of one kind of thing: a bell with long tails."""

    middle: Array
    spread: Array

    @classmethod
    def of(cls, apart: Array, middle: Array) -> _Kind:
        """The kind whose examples lie `apart` (N, 4) from its middle."""
        spread = (apart.T @ apart + _USUAL_COUNTS * _USUAL) / (len(apart) + _USUAL_COUNTS)
        return cls(middle, spread)

    def fit(self, looks: Array) -> Array:
        """The logarithm of how well looks (..., 4) fit, but for a constant."""
        apart = looks - self.middle
        distance = np.einsum("...i,ij,...j->...", apart, np.linalg.inv(self.spread), apart)
        tails = -(_TAILS + 4) / 2 * np.log1p(distance / _TAILS)
        return np.asarray(tails - 0.5 * np.linalg.slogdet(self.spread)[1])


def _fit_of_empty(looks: Array, printed: Array, examples: NDArray[np.bool_]) -> Array:
    """How well every look (S, 4) fits the bare print there, as the empty spaces of like print show it."""
    apart = looks - printed
    gap = ((printed[:, None, :3] - printed[None, examples, :3]) ** 2).sum(2)
    alike = np.exp(-gap / (2 * _ALIKE**2))
    usual = np.median(apart[examples], 0)
    expected = (alike @ apart[examples] + usual) / (alike.sum(1, keepdims=True) + 1)
    left = apart - expected
    return _Kind.of(left[examples], np.zeros(4)).fit(left)


def _fit_of_piece(looks: Array, examples: Array) -> Array:
    """How well every place (S, offsets, 4) fits a kind of piece wherever it lies across the place, from examples of it."""
    astray = -((_OFFSETS / _ASTRAY) ** 2) / 2
    kind = _Kind(np.median(examples[:, len(_OFFSETS) // 2], 0), _USUAL)
    for _ in range(2):
        where = (kind.fit(examples) + astray).argmax(1)
        found = examples[np.arange(len(examples)), where]
        middle = np.median(found, 0)
        kind = _Kind.of(found - middle, middle)
    return np.asarray((kind.fit(looks) + astray).max(1))

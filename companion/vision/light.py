"""This photo's light against the light the empty print was measured in."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

_FLOOR = 6.0
"""Added before taking logarithms, so that dark pixels and a little stray light do not run away."""
_BLACKEST = 35.0
"""How light the darkest hundredth of any board may look without a veil of stray light over it."""
_SOFT = 0.10
_ROUNDS = 8
_REACH = 0.10
"""How far, in board widths, the light's unevenness is followed."""


@dataclass(frozen=True)
class Light:
    """Turns photo colours into the colours of the print's own picture: a power and a smooth gain per channel.

    veil: (3,), stray light that lies over everything, taken away first
    power: (3,); terms: (6, 3) of the gain in x and y
    points: (G, 2), weights: (G,), left: (G, 3): what the smooth gain misses, and where
    """

    veil: NDArray[np.float64]
    power: NDArray[np.float64]
    terms: NDArray[np.float64]
    points: NDArray[np.float64]
    weights: NDArray[np.float64]
    left: NDArray[np.float64]

    def gain(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """The logarithm of the gain (N, 3) at places (N, 2) of the board."""
        gap = ((places[:, None] - self.points[None]) ** 2).sum(2)
        near = np.exp(-gap / (2 * _REACH**2)) * self.weights
        local = near @ self.left / (near.sum(1, keepdims=True) + 1.5)
        return np.asarray(_terms(places) @ self.terms + local)

    def correct(self, patches: NDArray[np.uint8], places: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Patches (N, h, w, 3) at places (N, 2) as they would look in the print's light."""
        levels = np.log(np.maximum(np.arange(256) - self.veil[:, None], 0) + _FLOOR)
        table = np.exp(self.gain(places)[:, :, None] + self.power[:, None] * levels) - _FLOOR
        lookup = np.clip(np.round(table), 0, 255).astype(np.uint8)
        out = np.empty_like(patches)
        for patch, levels_of, corrected in zip(patches, lookup.transpose(0, 2, 1), out, strict=True):
            cv2.LUT(patch, np.ascontiguousarray(levels_of)[None], corrected)
        return out


def plain_light() -> Light:
    """A light that changes nothing."""
    return Light(np.zeros(3), np.ones(3), np.zeros((6, 3)), np.zeros((1, 2)), np.zeros(1), np.zeros((1, 3)))


def _terms(places: NDArray[np.float64]) -> NDArray[np.float64]:
    x, y = places[:, 0] - 0.5, places[:, 1] - 0.5
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], 1)


def veil_over(darkest: NDArray[np.float64], printed: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The stray light (3,) in a photo whose darkest hundredth looks like this (3,), though it is printed like that (3,)."""
    return np.asarray(np.maximum(darkest - np.maximum(printed, _BLACKEST), 0))


def fit_light(
    seen: NDArray[np.float32],
    wanted: NDArray[np.float32],
    places: NDArray[np.float64],
    weights: NDArray[np.float64],
    veil: NDArray[np.float64] | None = None,
) -> Light:
    """The light that turns colours seen (N, 3) into those wanted (N, 3), trusting the places that agree.

    weights: (N,), how likely each place is uncovered before looking
    """
    if weights.sum() < 20:
        return plain_light()
    veil = np.zeros(3) if veil is None else veil
    x = np.log(np.maximum(seen - veil, 0) + _FLOOR)
    y = np.log(wanted.astype(np.float64) + _FLOOR)
    base = _terms(places)
    trust = weights.copy()
    power = np.ones(3)
    terms = np.zeros((base.shape[1], 3))
    # Start from the weighted median gain: a least-squares start is pulled away by covered places.
    terms[0] = [_median((y - x)[:, channel], weights) for channel in range(3)]
    for step in range(_ROUNDS + 1):
        if step:
            for channel in range(3):
                columns = np.column_stack([x[:, channel], base])
                pull = np.diag([30.0, 1e-3, 1, 1, 4, 4, 4]) * (0.02 * weights.sum() / 100)
                left = columns.T @ (trust[:, None] * columns) + pull
                right = columns.T @ (trust * y[:, channel]) + pull[:, 0]
                solved = np.linalg.solve(left, right)
                power[channel], terms[:, channel] = solved[0], solved[1:]
        missed = y - x * power - base @ terms
        error = np.abs(missed).max(1)
        scale = max(_SOFT, 1.5 * _median(error, weights)) * (2.0 if step < 3 else 1.0)
        trust = weights / (1 + (error / scale) ** 2) ** 2
    keep = trust > 0.05 * weights.max()
    return Light(veil, power, terms, places[keep], trust[keep] / weights.max(), missed[keep])


def _median(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(total, total[-1] / 2)])

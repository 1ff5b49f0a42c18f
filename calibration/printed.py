"""Names the colours that routes are printed in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_TYPICAL = {
    "gray": (62.0, 0.0, 0.0),
    "white": (88.0, 0.0, 3.0),
    "black": (22.0, 0.0, 0.0),
    "red": (40.0, 52.0, 34.0),
    "orange": (62.0, 38.0, 58.0),
    "yellow": (82.0, 2.0, 70.0),
    "green": (56.0, -32.0, 44.0),
    "blue": (45.0, -2.0, -44.0),
    "purple": (55.0, 36.0, -22.0),
    "brown": (38.0, 18.0, 28.0),
}
"""What printed colours usually look like, as Lab."""


def printed_colors(tints: Floats, lengths: NDArray[np.intp]) -> tuple[list[str], Floats]:
    """A name for each route's tint (R, 3, Lab) and how sure it is (R,); the light's own tint is taken out first."""
    tints = tints.copy()
    chroma = np.hypot(tints[:, 1], tints[:, 2])
    # Grey is the commonest: the palest third of the routes shows the colour of the light.
    pale = chroma <= np.quantile(np.repeat(chroma, lengths), 0.3)
    tints[:, 1:] -= np.median(tints[pale, 1:], axis=0) if pale.any() else 0
    bright = np.quantile(tints[:, 0], 0.97)
    tints[:, 0] *= np.clip(88 / max(bright, 1.0), 0.7, 1.6)
    names = list(_TYPICAL)
    typical = np.array([_TYPICAL[name] for name in names])
    apart = np.array([[_apart(tint, one) for one in typical] for tint in tints])
    best = np.sort(apart, axis=1)
    sure = np.clip((best[:, 1] - best[:, 0]) / (best[:, 1] + 1e-6) * 2, 0, 1)
    return [names[k] for k in apart.argmin(axis=1)], sure


def _apart(one: Floats, other: Floats) -> float:
    """How different two colours look: hue counts most, lightness only among greys."""
    chroma, usual = float(np.hypot(*one[1:])), float(np.hypot(*other[1:]))
    turn = np.arctan2(one[2], one[1]) - np.arctan2(other[2], other[1])
    hue = 2 * np.sqrt(chroma * usual) * abs(np.sin(turn / 2))
    light = 0.7 if max(chroma, usual) < 14 else 0.35
    return float(np.hypot(np.hypot(hue * 1.3, 0.6 * (chroma - usual)), light * (one[0] - other[0])))

"""Names the colours that routes are printed in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_HUES = {
    "red": (20.0, 54.0, 41.0),
    "orange": (54.0, 83.0, 60.0),
    "yellow": (83.0, 107.0, 83.0),
    "green": (107.0, 195.0, 57.0),
    "blue": (195.0, 300.0, 43.0),
    "purple": (300.0, 380.0, 56.0),
}
"""Where a printed colour's hue usually lies, in degrees of Lab, and how light it is in full light."""
_GREYS = {"black": 22.0, "gray": 60.0, "white": 88.0}
_BORDERS = ((28.0, 46.0), (68.0, 82.0))
"""Between black and grey, and between grey and white, the border is looked for within these."""
_COLOURFUL = 9.0


def printed_colors(tints: Floats, lengths: NDArray[np.intp], places: Floats) -> tuple[list[str], Floats]:
    """A name for each route's tint (R, 3, Lab) and how sure it is (R,).

    lengths: (R,) spaces; places: (R, 2) where the route lies, in shares of the board. What the light did, its tint and how
    it falls off over the board, is taken out first.
    """
    tints = tints.copy()
    grey, level = _neutral(tints, lengths)
    # A dark print throws back less of the light's tint.
    tints[:, 1:] -= grey * np.clip(tints[:, :1] / max(level, 1.0), 0.2, 1.2)
    names, sure = _named(tints)
    for _ in range(2):
        names, sure = _named(np.column_stack([tints[:, 0] / _light(tints[:, 0], names, places), tints[:, 1:]]))
    return names, sure


def _neutral(tints: Floats, lengths: NDArray[np.intp]) -> tuple[Floats, float]:
    """What grey looks like here, its tint and lightness: the usual of the palest routes."""
    neutral, level = np.zeros(2), 60.0
    for share in (0.35, 0.25, 0.25):
        chroma = np.linalg.norm(tints[:, 1:] - neutral, axis=1)
        pale = chroma <= np.quantile(np.repeat(chroma, lengths), share)
        level, *neutral = np.median(tints[pale], axis=0)
    return np.asarray(neutral), float(level)


def _light(lightness: Floats, names: list[str], places: Floats) -> Floats:
    """How light each place of the board is, as a smooth share: routes of one colour are alike in even light."""
    named = np.array(names)
    share = np.zeros(len(lightness))
    for name in set(names):
        mine = named == name
        share[mine] = np.log(np.maximum(lightness[mine], 1) / max(1.0, float(np.median(lightness[mine]))))
    counts = named != "black"
    x, y = (places - 0.5).T
    bend = np.column_stack([np.ones_like(x), x, y, x * x, x * y, y * y])
    # Weak pulls towards even light keep few routes from bending it wildly.
    pull = np.diag([0.0, 0.3, 0.3, 1.0, 1.0, 1.0])
    fit = np.linalg.solve(
        bend[counts].T @ bend[counts] + pull + 1e-6 * np.eye(6), bend[counts].T @ np.clip(share[counts], -0.4, 0.4)
    )
    return np.asarray(np.exp(np.clip(bend @ fit, -0.5, 0.5)))


def _named(tints: Floats) -> tuple[list[str], Floats]:
    chroma, hue = np.hypot(tints[:, 1], tints[:, 2]), np.degrees(np.arctan2(tints[:, 2], tints[:, 1])) % 360
    least = max(_COLOURFUL, 0.2 * float(np.quantile(chroma, 0.85)))
    colourful = chroma > least
    names = np.full(len(tints), "gray", dtype="U8")
    sure = np.clip(np.abs(chroma - least) / least, 0, 1)
    for name, (low, high, _) in _HUES.items():
        turned = (hue - low) % 360
        mine = colourful & (turned < high - low)
        names[mine] = name
        sure[mine] = np.minimum(sure[mine], np.clip(np.minimum(turned, high - low - turned)[mine] / 6, 0, 1))
    bright = [tints[names == name, 0] / usual for name, (_, _, usual) in _HUES.items() if (names == name).any()]
    full = float(np.median([np.median(one) for one in bright])) if len(bright) > 1 else float(tints[:, 0].max()) / 88
    light = tints[:, 0] / max(full, 0.05)
    _brown(names, light, chroma)
    dark, pale = (_widest_gap(light[~colourful], *border) for border in _BORDERS)
    names[~colourful & (light < dark)] = "black"
    names[~colourful & (light > pale)] = "white"
    edge = np.minimum(np.abs(light - dark), np.abs(light - pale))
    sure[~colourful] = np.minimum(sure, np.clip(edge / 6, 0, 1))[~colourful]
    return [str(name) for name in names], sure


def _brown(names: NDArray[np.str_], light: Floats, chroma: Floats) -> None:
    """What is orange in hue but plainly darker and duller than the board's other orange is brown."""
    orange = names == "orange"
    if orange.sum() < 2:
        return
    bright, strong = float(light[orange].max()), float(chroma[orange].max())
    names[orange & (light < 0.68 * bright) & (chroma < 0.75 * strong)] = "brown"


def _widest_gap(values: Floats, low: float, high: float) -> float:
    """The middle of the widest gap between values that reaches into low to high."""
    steps = np.sort(np.concatenate([[low - 4, high + 4], values[(values > low - 4) & (values < high + 4)]]))
    gaps = np.diff(steps)
    best = int(np.argmax(gaps))
    return float(np.clip((steps[best] + steps[best + 1]) / 2, low, high))

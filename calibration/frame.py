"""Finds a board's edges around the spaces seen on it: lines that part what is printed from the table."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.finder import Marks, look_at_any_scale
from calibration.outline import Outline, meet, refine_outline, whole_picture
from calibration.rectangles import Pixels
from companion.errors import CalibrationError

Floats = NDArray[np.float64]

_LONG_SIDE = 900
_PHOTO_SIDES = (560, 800, 1140, 1600)
_FARTHEST = 0.32
"""How far beyond its outermost spaces a board may reach, as a share of the spaces' own extent."""
_STEEPEST = 0.33
_STEPS = 110
CUT_OFF = "Part of the board is cut off; take a photo that shows all four corners."
_AT_EDGE, _CUT = 1.2, 3
"""So many spaces within so many widths of the photo's rim: the board goes on beyond it."""
PLAIN = 1.05
"""What an edge between a board and a table is worth at least; lines printed on a board fall short of it."""
_AT_RIM = 0.62
"""What the photo's own rim is worth as an edge: less than a plain edge, more than a doubtful one."""


def marks_in(pixels: Pixels) -> Marks | None:
    """Everything marked on the photo as it is, in its pixels; None when it shows no spaces."""
    seen, share = look_at_any_scale(pixels, _PHOTO_SIDES)
    return seen.scaled(1 / share) if seen.strength > 6 else None


def outline_of(pixels: Pixels, marks: Marks) -> Outline | None:
    """The board's outline around what is marked on a photo, clockwise from its top left as seen.

    The fewer doubtful marks are let in, the less clutter beside the board is taken for a part of it, and the more of the
    board may be missed: the edges that show best tell which was right.
    """
    size = np.array([pixels.shape[1], pixels.shape[0]])
    sure = marks.spaces.centres[marks.spaces.scores > 0.5]
    if (np.minimum(sure, size - sure).min(axis=1) < _AT_EDGE * marks.size[1]).sum() >= _CUT:
        raise CalibrationError(CUT_OFF)
    tried: list[Outline] = []
    for least, reach in ((0.4, 4.0), (0.55, 3.2)):
        places = _together(marks.spaces.centres[marks.spaces.scores > least], reach)
        if len(places) >= 6 and (found := _outline_around(pixels, places)) is not None:
            tried.append(found)
    return max(tried, key=lambda outline: outline.clear, default=None)


def _outline_around(pixels: Pixels, places: Floats) -> Outline | None:
    shrink = max(pixels.shape[:2]) / _LONG_SIDE
    size = round(pixels.shape[1] / shrink), round(pixels.shape[0] / shrink)
    small = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
    lab = np.asarray(cv2.cvtColor(small.astype(np.float32) / 255, cv2.COLOR_BGR2LAB), np.float32)
    inner = ((places + 0.5) / shrink - 0.5).astype(np.float32)
    inner = np.asarray(cv2.convexHull(inner)[:, 0], np.float32)
    base = np.asarray(cv2.boxPoints(cv2.minAreaRect(inner)), np.float64)
    if cv2.contourArea(base.astype(np.float32), oriented=True) < 0:
        base = base[::-1]
    base = np.roll(base, -int(np.argmin(base.sum(axis=1))), axis=0)
    busy = cv2.GaussianBlur(np.abs(cv2.Laplacian(cv2.GaussianBlur(lab, (0, 0), 1.0), cv2.CV_32F)).sum(axis=2), (0, 0), 1.5)
    sides = [_side(lab, np.asarray(busy, np.float32), inner, base, k) for k in range(4)]
    at_rim = [side for side in sides if side[2]]
    if 0 < len(at_rim) < 4 and min(worth for _, worth, rim in sides if not rim) > PLAIN:
        raise CalibrationError(CUT_OFF)
    corners = [meet(sides[k - 1][0][0], sides[k - 1][0][1], *sides[k][0][::-1]) for k in range(4)]
    if any(corner is None for corner in corners):
        return None
    clear = float(0.5 * np.mean([worth for _, worth, _ in sides]) + 0.5 * min(worth for _, worth, _ in sides))
    found = (np.array(corners) + 0.5) * shrink - 0.5
    whole = whole_picture(pixels).corners
    close = float(np.abs(found - whole).max()) < 0.03 * max(pixels.shape)
    if clear < (PLAIN if close else 0.96) and _fills(pixels, places):
        return Outline(whole, clear, True)
    refined = refine_outline(pixels, found, 0.005)
    return Outline(refined.corners if refined is not None else found, clear)


def _fills(pixels: Pixels, places: Floats) -> bool:
    """Whether the spaces fill the picture, so that it may be a board from edge to edge."""
    size = np.array([pixels.shape[1], pixels.shape[0]])
    return bool((places.min(axis=0) < 0.2 * size).all() and (places.max(axis=0) > 0.8 * size).all())


def _together(places: Floats, reach: float) -> Floats:
    """The largest company among the places: those that lie alone, or apart from most, are no part of the board."""
    gaps = np.linalg.norm(places[:, None] - places[None], axis=2)
    usual = float(np.median(np.sort(gaps, axis=1)[:, 1:4]))
    close = gaps < reach * usual
    close[close.sum(axis=1) < 5] = False
    close &= close.T
    left = np.ones(len(places), bool)
    best = np.zeros(len(places), bool)
    while left.sum() > best.sum():
        group = np.zeros(len(places), bool)
        group[int(np.argmax(left))] = True
        while (grown := close[group].any(axis=0) | group).sum() > group.sum():
            group = grown
        best = max(best, group, key=np.count_nonzero)
        left &= ~group
    return places[best]


def _side(
    lab: NDArray[np.float32], busy: NDArray[np.float32], inner: NDArray[np.float32], base: Floats, k: int
) -> tuple[tuple[Floats, Floats], float, bool]:
    """One edge as two points, what it is worth (how much of it shows, how much calmer it is beyond), if it is the rim."""
    start, end = base[k], base[(k + 1) % 4]
    long = float(np.linalg.norm(end - start))
    way = (end - start) / long
    normal = np.array([way[1], -way[0]])
    across = float(np.linalg.norm(base[(k + 2) % 4] - end))
    depth = np.arange(-_FARTHEST * across, _FARTHEST * max(across, 0.6 * long) + 14)
    along, ahead = (inner - start) @ way / long, (inner - start) @ normal - depth[0]
    steps = np.linspace(-0.02, 1.02, _STEPS)
    spots = (start + steps[:, None] * (end - start))[:, None] + depth[None, :, None] * normal
    sampled = spots.astype(np.float32)
    seen = np.asarray(cv2.remap(lab, sampled, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float64)
    calm = np.asarray(cv2.remap(busy, sampled, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float64)
    jump = np.zeros(seen.shape[:2])
    jump[:, 2:-2] = np.linalg.norm(seen[:, 4:] + seen[:, 3:-1] - seen[:, 1:-3] - seen[:, :-4], axis=2) / 2
    shown = np.asarray(cv2.dilate((jump > 6).astype(np.uint8), np.ones((1, 3), np.uint8)), np.float64)
    strong = np.asarray(cv2.dilate(np.minimum(jump, 30).astype(np.float32), np.ones((1, 3), np.uint8)), np.float64) / 30
    out = (spots < 1).any(axis=2) | (spots[..., 0] > lab.shape[1] - 2) | (spots[..., 1] > lab.shape[0] - 2)
    total = np.concatenate([np.zeros((_STEPS, 1)), np.cumsum(calm, axis=1)], axis=1)
    outer = np.concatenate([np.zeros((_STEPS, 1)), np.cumsum(~out, axis=1)], axis=1)

    near = np.arange(len(depth))
    before, after = np.clip(near - 12, 0, None), np.clip(near + 13, None, len(depth))
    inside = (total[:, np.clip(near - 2, 0, None)] - total[:, before]) / np.maximum(np.clip(near - 2, 0, None) - before, 1)
    beyond = (total[:, after] - total[:, np.clip(near + 3, None, len(depth))]) / np.maximum(
        after - np.clip(near + 3, None, len(depth)), 1
    )
    there = (outer[:, after] - outer[:, np.clip(near + 3, None, len(depth))]) > 4
    calmer = np.clip(np.log2((inside + 2) / (beyond + 2)), -1, 1.5) * there

    best: tuple[float, int, int, bool] = (-9.0, 0, 0, False)
    most = int(_STEEPEST * long)
    t, share = np.arange(_STEPS), np.clip(steps, 0, 1)
    ways = np.arange(-most, most + 1, 3)
    for first in range(0, len(depth) - 8, 2):
        seconds = first + ways
        seconds = seconds[(seconds >= 0) & (seconds < len(depth) - 8)]
        # The board's spaces all lie on its own side of the edge.
        seconds = seconds[(ahead - first - (seconds[:, None] - first) * along < 0).all(axis=1)]
        if not len(seconds):
            continue
        lines = np.round(first + (seconds[:, None] - first) * share).astype(np.intp)
        off = out[t, lines].mean(axis=1)
        worth = (
            0.7 * shown[t, lines].mean(axis=1) + 0.3 * strong[t, lines].mean(axis=1) + 0.4 * calmer[t, lines].mean(axis=1)
        )
        worth = np.where(off > 0.5, _AT_RIM - 0.2 * np.abs(seconds - first) / max(most, 1), worth - off)
        # Of lines at the photo's rim, the innermost is the rim itself.
        worth = worth - 0.02 * (first + seconds) / 2 / len(depth)
        top = int(np.argmax(worth))
        if worth[top] > best[0]:
            best = float(worth[top]), first, int(seconds[top]), bool(off[top] > 0.5)
    a, b = start + depth[best[1]] * normal, end + depth[best[2]] * normal
    return (a, b), best[0], best[3]


def seen_aspect(corners: Floats, size: tuple[int, int]) -> float:
    """Width divided by height of the flat rectangle that a camera sees as these corners of a photo of this size."""
    middle = np.array(size) / 2
    m1, m2, m4, m3 = (np.array([x, y, 1.0]) for x, y in corners - middle)
    # After Zhang and He, Whiteboard scanning and image enhancement: the two sides' directions in space.
    k2 = float(np.cross(m1, m4) @ m3 / (np.cross(m2, m4) @ m3))
    k3 = float(np.cross(m1, m4) @ m2 / (np.cross(m3, m4) @ m2))
    across, down = k2 * m2 - m1, k3 * m3 - m1
    usual = 0.78 * max(size)
    focal = usual
    if min(abs(down[2]), abs(across[2])) > 1e-9:
        square = -(down[0] * across[0] + down[1] * across[1]) / (down[2] * across[2])
        if square > 0:
            focal = float(np.clip(np.sqrt(square), 0.6 * usual, 1.8 * usual))
    scale = np.array([1 / focal, 1 / focal, 1.0])
    return float(np.linalg.norm(across * scale) / np.linalg.norm(down * scale))

"""Finds the board's outline in a photo: four straight edges between the board and the table."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Pixels = NDArray[np.uint8]

_LONG_SIDE = 900
_STRIP = 0.02


@dataclass(frozen=True)
class Outline:
    """Where a board may lie.

    corners: (4, 2) photo pixels, clockwise as seen, starting at the one nearest the photo's top left
    clear: 0 to 1, how much of the edge really shows
    whole: the picture shows the board and nothing else
    """

    corners: Floats
    clear: float
    whole: bool = False


def whole_picture(pixels: Pixels) -> Outline:
    """The outline of a picture that is the board, edge to edge."""
    height, width = pixels.shape[:2]
    return Outline(np.array([[0, 0], [width, 0], [width, height], [0, height]]) - 0.5, 1.0, True)


def find_outlines(pixels: Pixels, most: int = 3) -> list[Outline]:
    """The plausible outlines, the likeliest first."""
    shrink = max(pixels.shape[:2]) / _LONG_SIDE
    size = round(pixels.shape[1] / shrink), round(pixels.shape[0] / shrink)
    small = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
    lab = np.asarray(cv2.GaussianBlur(_lab(small), (0, 0), 1.0), np.float32)
    whole = whole_picture(small)
    rough = [*_stands_out(lab), *_from_lines(small)]
    found = [refined for quad in rough if (refined := _refined(lab, quad)) is not None]
    found.sort(key=lambda outline: -_worth(outline, small.shape))
    different: list[Outline] = []
    for outline in found:
        if all(np.abs(outline.corners - other.corners).max() > 0.012 * _LONG_SIDE for other in different):
            different.append(outline)
    different = different[:most]
    fills = not different or _nearly(different[0], whole)
    ordered = [whole, *different] if fills else [*different, whole]
    return [Outline((one.corners + 0.5) * shrink - 0.5, one.clear, one.whole) for one in ordered]


def refine_outline(pixels: Pixels, corners: Floats, reach: float = 0.018) -> Outline | None:
    """The edges that show near four expected corners (kept in their order), or None; `reach` as a share of the photo."""
    shrink = max(pixels.shape[:2]) / _LONG_SIDE
    size = round(pixels.shape[1] / shrink), round(pixels.shape[0] / shrink)
    small = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
    lab = np.asarray(cv2.GaussianBlur(_lab(small), (0, 0), 1.0), np.float32)
    found = _refined(lab, (corners + 0.5) / shrink - 0.5, reach)
    if found is None:
        return None
    moved = (found.corners + 0.5) * shrink - 0.5
    nearest = min(range(4), key=lambda k: float(np.linalg.norm(np.roll(moved, k, axis=0) - corners)))
    return Outline(np.roll(moved, nearest, axis=0), found.clear)


def edges_around(pixels: Pixels, expected: Floats, places: Floats, reach: float = 0.16) -> Outline | None:
    """The board's edges when only its rough frame is known: the outermost clear line on each side of all places."""
    shrink = max(pixels.shape[:2]) / _LONG_SIDE
    size = round(pixels.shape[1] / shrink), round(pixels.shape[0] / shrink)
    small = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
    lab = np.asarray(cv2.GaussianBlur(_lab(small), (0, 0), 1.0), np.float32)
    quad, inner = (expected + 0.5) / shrink - 0.5, (places + 0.5) / shrink - 0.5
    middle = quad.mean(axis=0)
    lines, clear = [], []
    for k in range(4):
        start, end = quad[k], quad[(k + 1) % 4]
        way = (end - start) / np.linalg.norm(end - start)
        normal = np.array([way[1], -way[0]])
        normal = normal if normal @ (start - middle) > 0 else -normal
        least = float(((inner - start) @ normal).max())
        across = float(np.abs((start - middle) @ normal))
        tried = []
        for offset in np.arange(max(least, -0.14 * across), reach * across, 2.0):
            line, share = _edge_line(lab, start + offset * normal, end + offset * normal, 3.0)
            tried.append((share, float(offset), line))
        if not tried:
            return None
        best = max(share for share, _, _ in tried)
        good = [one for one in tried if one[0] >= 0.75 * best and one[0] > 0.3]
        if not good:
            return None
        # Lines a table adds lie farther out and are rarely as clear; the frame's own inner lines lie farther in.
        share, _, line = max(good, key=lambda one: one[0] + 0.35 * one[1] / across)
        lines.append(line)
        clear.append(share)
    corners = [_cross(lines[k - 1], lines[k]) for k in range(4)]
    if any(c is None for c in corners):
        return None
    refined = refine_outline(pixels, (np.array(corners) + 0.5) * shrink - 0.5, 0.004)
    return refined or Outline((np.array(corners) + 0.5) * shrink - 0.5, float(np.mean(clear)))


def _lab(pixels: Pixels) -> NDArray[np.float32]:
    return np.asarray(cv2.cvtColor(pixels.astype(np.float32) / 255, cv2.COLOR_BGR2LAB), np.float32)


def _worth(outline: Outline, shape: tuple[int, ...]) -> float:
    area = cv2.contourArea(outline.corners.astype(np.float32)) / (shape[0] * shape[1])
    return outline.clear + 0.35 * float(np.sqrt(area))


def _nearly(outline: Outline, whole: Outline) -> bool:
    """Whether the outline is only the frame printed on a picture that is all board."""
    gap = np.abs(outline.corners - whole.corners).max(axis=0) / np.ptp(whole.corners, axis=0)
    return bool((gap < 0.075).all())


def _stands_out(lab: NDArray[np.float32]) -> list[Floats]:
    """Quadrilaterals around what differs from the picture's rim."""
    height, width = lab.shape[:2]
    strip = max(3, round(_STRIP * max(height, width)))
    rim = np.ones((height, width), bool)
    rim[strip:-strip, strip:-strip] = False
    samples = lab[rim][:: max(1, int(rim.sum()) // 3000)].copy()
    quads: list[Floats] = []
    for kinds in (2, 5):
        criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 20, 0.5)
        cv2.setRNGSeed(1)
        _, _, means = cv2.kmeans(samples, kinds, np.empty(0, np.int32), criteria, 2, cv2.KMEANS_PP_CENTERS)
        # Light falls off across a table: lightness tells less than hue.
        weights = np.array([0.5, 1.2, 1.2], np.float32)
        apart = np.min([np.linalg.norm((lab - mean) * weights, axis=2) for mean in np.asarray(means)], axis=0)
        level = np.clip(apart * 4, 0, 255).astype(np.uint8)
        otsu, _ = cv2.threshold(level, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
        for cut in (otsu * 0.6, otsu):
            quads += _quads_of((level > cut).astype(np.uint8))
    return quads


def _quads_of(mask: Pixels) -> list[Floats]:
    reach = max(3, round(0.012 * max(mask.shape)))
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    joined = cv2.morphologyEx(
        cv2.copyMakeBorder(mask, reach, reach, reach, reach, cv2.BORDER_CONSTANT, value=[0]), cv2.MORPH_CLOSE, disc
    )
    joined = cv2.morphologyEx(joined, cv2.MORPH_OPEN, disc)[reach:-reach, reach:-reach]
    contours, _ = cv2.findContours(joined, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    quads = []
    for contour in sorted(contours, key=cv2.contourArea, reverse=True)[:2]:
        if cv2.contourArea(contour) > 0.1 * mask.size:
            quads.append(_four_sides(cv2.convexHull(contour)[:, 0].astype(np.float64)))
    return quads


def _four_sides(hull: Floats) -> Floats:
    """The quadrilateral around a hull: sides are dropped, the cheapest first, until four are left."""
    quad = cv2.approxPolyDP(hull.astype(np.float32)[:, None], 0.004 * max(np.ptp(hull, axis=0)), True)[:, 0].astype(
        np.float64
    )
    while len(quad) > 4:
        best: tuple[float, Floats] | None = None
        for k in range(len(quad)):
            a, b, c, d = (quad[(k + step) % len(quad)] for step in (-1, 0, 1, 2))
            corner = meet(a, b, d, c)
            if corner is None or (corner - b) @ (b - a) < 0:
                continue
            added = _area(b, corner, c)
            if best is None or added < best[0]:
                best = added, np.array([*(quad[(k + step) % len(quad)] for step in range(2, len(quad))), corner])
        if best is None:
            break
        quad = best[1]
    return quad if len(quad) == 4 else np.asarray(cv2.boxPoints(cv2.minAreaRect(hull.astype(np.float32))), np.float64)


def _area(a: Floats, b: Floats, c: Floats) -> float:
    return abs(float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))) / 2


def meet(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats | None:
    """Where the line through a and b meets the line through c and d."""
    ways = np.column_stack([b - a, c - d])
    if abs(np.linalg.det(ways)) < 1e-6:
        return None
    step = np.linalg.solve(ways, c - a)
    return np.asarray(a + step[0] * (b - a), np.float64)


def _from_lines(small: Pixels) -> list[Floats]:
    """Quadrilaterals between long straight edges."""
    edges = cv2.Canny(cv2.GaussianBlur(small, (0, 0), 1.2), 30, 90)
    long_side = max(small.shape)
    segments = cv2.HoughLinesP(edges, 1, np.pi / 360, 70, minLineLength=0.18 * long_side, maxLineGap=0.02 * long_side)
    if segments is None:
        return []
    lines = segments.reshape(-1, 4).astype(np.float64)
    lines = _outermost(lines, small.shape)
    quads: list[Floats] = []
    steep = np.abs(np.degrees(np.arctan2(lines[:, 3] - lines[:, 1], lines[:, 2] - lines[:, 0])))
    for first, third in combinations(range(len(lines)), 2):
        if _gap(steep[first], steep[third]) > 25:
            continue
        across = [k for k in range(len(lines)) if _gap(steep[first], steep[k]) > 50]
        for second, fourth in combinations(across, 2):
            corners = [
                _cross(lines[i], lines[j]) for i, j in ((first, second), (second, third), (third, fourth), (fourth, first))
            ]
            if all(c is not None for c in corners):
                quads.append(np.array(corners))
    sized = [(cv2.contourArea(q.astype(np.float32)), q) for q in quads if _plausible(q, small.shape)]
    sized.sort(key=lambda pair: -pair[0])
    return [quad for _, quad in sized[:12]]


def _gap(one: float, other: float) -> float:
    return float(abs((one - other + 90) % 180 - 90))


def _cross(one: Floats, other: Floats) -> Floats | None:
    return meet(one[:2], one[2:], other[:2], other[2:])


def _outermost(lines: Floats, shape: tuple[int, ...]) -> Floats:
    """The farthest few lines on each side of the picture's middle."""
    middle = np.array([shape[1] / 2, shape[0] / 2])
    way = lines[:, 2:] - lines[:, :2]
    length = np.linalg.norm(way, axis=1)
    normal = np.column_stack([way[:, 1], -way[:, 0]]) / length[:, None]
    reach = ((lines[:, :2] - middle) * normal).sum(axis=1)
    normal[reach < 0] *= -1
    side = np.round(np.degrees(np.arctan2(normal[:, 1], normal[:, 0])) / 90).astype(int) % 4
    kept: list[int] = []
    for number in range(4):
        mine = [int(i) for i in np.argsort(-length) if side[i] == number and abs(reach[i]) > 0.15 * min(shape[:2])]
        chosen: list[int] = []
        for index in mine:
            if all(abs(abs(reach[index]) - abs(reach[other])) > 0.008 * max(shape) for other in chosen):
                chosen.append(index)
        kept += sorted(chosen, key=lambda i: -abs(reach[i]))[:5]
    return lines[kept]


def _plausible(quad: Floats, shape: tuple[int, ...]) -> bool:
    area = cv2.contourArea(quad.astype(np.float32))
    margin = 0.03 * max(shape[:2])
    inside = (quad > -margin).all() and (quad[:, 0] < shape[1] + margin).all() and (quad[:, 1] < shape[0] + margin).all()
    if area < 0.12 * shape[0] * shape[1] or not inside or not cv2.isContourConvex(quad.astype(np.float32)):
        return False
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    return bool(sides.max() / sides.min() < 3 and min(sides[0] / sides[2], sides[2] / sides[0]) > 0.5)


def _refined(lab: NDArray[np.float32], quad: Floats, first: float = 0.018) -> Outline | None:
    """The quadrilateral with each side moved onto the edge that shows there."""
    if not _plausible(quad, lab.shape):
        return None
    if cv2.contourArea(quad.astype(np.float32), oriented=True) < 0:
        quad = quad[::-1]
    quad = np.roll(quad, -int(np.argmin(quad.sum(axis=1))), axis=0)
    clear: list[float] = []
    for reach in (first, min(first, 0.007)):
        fitted = [_edge_line(lab, quad[k], quad[(k + 1) % 4], reach * max(lab.shape)) for k in range(4)]
        lines = [line for line, _ in fitted]
        clear = [share for _, share in fitted]
        corners = [_cross(lines[k - 1], lines[k]) for k in range(4)]
        if any(c is None for c in corners):
            return None
        quad = np.array(corners)
    if not _plausible(quad, lab.shape):
        return None
    return Outline(quad, float(0.5 * np.mean(clear) + 0.5 * min(clear)))


def _edge_line(lab: NDArray[np.float32], start: Floats, end: Floats, reach: float) -> tuple[Floats, float]:
    """The straight edge nearest a side, as its two ends, and the share of the side along which it shows."""
    way = (end - start) / np.linalg.norm(end - start)
    normal = np.array([way[1], -way[0]])
    steps = np.linspace(0.03, 0.97, 90)[:, None]
    depth = np.arange(-np.ceil(reach) - 3, np.ceil(reach) + 4)
    spots = (start + steps * (end - start))[:, None] + depth[None, :, None] * normal
    seen = np.asarray(
        cv2.remap(lab, spots.astype(np.float32), None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float64
    )
    jump = np.linalg.norm(seen[:, 5:] + seen[:, 4:-1] - seen[:, 1:-4] - seen[:, :-5], axis=2) / 2
    middle = depth[2:-3] + 0.5
    jump = jump * (1 - 0.3 * np.abs(middle) / (reach + 4))
    where = middle[jump.argmax(axis=1)]
    strong = jump.max(axis=1) > 5
    best, most = (0.0, 0.0), 0
    rng = np.random.default_rng(3)
    line = steps[:, 0] * np.linalg.norm(end - start)
    spots_ok = np.flatnonzero(strong)
    for _ in range(120):
        if len(spots_ok) < 8:
            break
        i, j = rng.choice(spots_ok, 2, replace=False)
        if abs(line[i] - line[j]) < 0.2 * line[-1]:
            continue
        tilt = (where[j] - where[i]) / (line[j] - line[i])
        count = int(((np.abs(where - where[i] - tilt * (line - line[i])) < 1.6) & strong).sum())
        if count > most:
            best, most = (float(tilt), float(where[i] - tilt * line[i])), count
    if most >= 8:
        near = (np.abs(where - best[1] - best[0] * line) < 1.6) & strong
        tilt, shift = np.polyfit(line[near], where[near], 1)
        best = float(tilt), float(shift)
    ends = [start + t * way + (best[1] + best[0] * t) * normal for t in (0.0, float(np.linalg.norm(end - start)))]
    return np.concatenate(ends), most / len(steps)

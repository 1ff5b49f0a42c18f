"""Cuts one small, upright picture per space or city out of a photo, and measures a print in the same places.

A space's patch lies along the space and is wider than it, so that both flanks and both ends are seen. It is cut in a
plane above the board, at the middle of a piece's height: from any side, a wagon of this space lies in its middle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Board

SPACE_PATCH = (64, 48)
"""Width and height of a space's patch in pixels."""
GLANCE_PATCH = (32, 24)
"""The same in coarser pixels, for a first glance at every space."""
SPACE_SPAN = 1.5
"""Length of a space's patch in lengths of a space."""
WAGON_MIDDLE_MM = 5.0

CITY_PATCH = (48, 48)
CITY_SPAN_MM = 40.0
STATION_MIDDLE_MM = 6.0

REGIONS = 11
"""Three thirds each of the space, of its left and of its right flank; then both ends."""
GROUND_ALONG = 30
"""Ground figures are measured on a grid with so many points along the board's longer side."""
MOST_SHIFT = 14
"""The farthest, in patch pixels, that the print is followed under a slanted view."""


class Placement(Protocol):
    """Where the board lies in a photo."""

    def project(self, points: NDArray[np.float64], height_mm: float = 0.0) -> NDArray[np.float64]: ...


@dataclass(frozen=True)
class Frame:
    """A board's sizes and places as arrays.

    size: board width and height in millimetres; space: length and width of a space in millimetres
    spaces: (S, 3) fractions of width and height, degrees; cities: (K, 2) fractions
    """

    size: tuple[float, float]
    space: tuple[float, float]
    spaces: NDArray[np.float64]
    cities: NDArray[np.float64]

    @classmethod
    def of(cls, board: Board) -> Frame:
        size = (board.width_mm, board.width_mm / board.aspect)
        space = (board.space_size[0] * size[0], board.space_size[1] * size[1])
        spaces = np.array([(s.x, s.y, s.angle) for s in board.spaces], np.float64).reshape(-1, 3)
        cities = np.array([(c.x, c.y) for c in board.cities.values()], np.float64).reshape(-1, 2)
        return cls(size, space, spaces, cities)


@dataclass(frozen=True)
class FlatPlacement:
    """The placement of a picture that shows the whole board from straight above, edge to edge."""

    width: int
    height: int

    def project(self, points: NDArray[np.float64], height_mm: float = 0.0) -> NDArray[np.float64]:
        return np.asarray(points * (self.width, self.height) - 0.5)


def space_corners(frame: Frame, patch: tuple[int, int] = SPACE_PATCH, span: float = SPACE_SPAN) -> NDArray[np.float64]:
    """Where the corner pixels (S, 4, 2) of every space's patch lie, as fractions: clockwise from the top left.

    span: the patch's length in lengths of a space
    """
    step = span * frame.space[0] / patch[0]
    angle = np.radians(frame.spaces[:, 2])
    return _corners(frame, frame.spaces[:, :2], angle, patch, step)


def city_corners(frame: Frame, patch: tuple[int, int] = CITY_PATCH) -> NDArray[np.float64]:
    """The same (K, 4, 2) for the cities' patches, which stand upright."""
    return _corners(frame, frame.cities, np.zeros(len(frame.cities)), patch, CITY_SPAN_MM / CITY_PATCH[0])


def _corners(
    frame: Frame, centres: NDArray[np.float64], angle: NDArray[np.float64], patch: tuple[int, int], step: float
) -> NDArray[np.float64]:
    half = np.array([(patch[0] - 1) / 2, (patch[1] - 1) / 2]) * step
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64) * half
    turn = np.stack([np.stack([np.cos(angle), np.sin(angle)], -1), np.stack([-np.sin(angle), np.cos(angle)], -1)], 1)
    offsets = np.einsum("ij,njk->nik", signs, turn)
    return np.asarray(centres[:, None] + offsets / np.array(frame.size))


def project_corners(corners: NDArray[np.float64], placement: Placement, height_mm: float) -> NDArray[np.float32]:
    """Photo pixels (N, 4, 2) of patch corners (N, 4, 2)."""
    flat = placement.project(corners.reshape(-1, 2), height_mm)
    return np.asarray(flat, np.float32).reshape(-1, 4, 2)


def cut(photo: NDArray[np.uint8], corners: NDArray[np.float32], patch: tuple[int, int]) -> NDArray[np.uint8]:
    """Patches (N, height, width, 3) whose corner pixels lie at `corners` (N, 4, 2) of the photo."""
    width, height = patch
    count = len(corners)
    u = np.linspace(0, 1, width, dtype=np.float32)
    v = np.linspace(0, 1, height, dtype=np.float32)[:, None]
    weights = np.stack([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v]).reshape(4, -1)
    rows_at_once = max(1, 32000 // height)
    pieces = []
    for start in range(0, count, rows_at_once):
        some = corners[start : start + rows_at_once]
        x = (some[:, :, 0] @ weights).reshape(-1, width)
        y = (some[:, :, 1] @ weights).reshape(-1, width)
        pieces.append(cv2.remap(photo, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
    if not pieces:
        return np.zeros((0, height, width, 3), np.uint8)
    return np.asarray(np.concatenate(pieces), np.uint8).reshape(count, height, width, 3)


def cut_softly(photo: NDArray[np.uint8], corners: NDArray[np.float32], patch: tuple[int, int]) -> NDArray[np.uint8]:
    """The same, from a smaller copy of a photo with far more pixels than the patches, so that cutting does not alias."""
    if len(corners) == 0:
        return cut(photo, corners, patch)
    long_side = np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)
    fold = int(float(np.median(long_side)) / (patch[0] - 1) / 1.4)
    if fold < 2:
        return cut(photo, corners, patch)
    height, width = (side // fold for side in photo.shape[:2])
    small = cv2.resize(photo[: height * fold, : width * fold], (width, height), interpolation=cv2.INTER_AREA)
    return cut(np.asarray(small, np.uint8), np.asarray((corners + 0.5) / fold - 0.5, np.float32), patch)


def region_map(frame: Frame, margin: int = 0, patch: tuple[int, int] = SPACE_PATCH) -> NDArray[np.uint8]:
    """Which region of a space every pixel of its patch belongs to, for a patch enlarged by `margin` on all sides."""
    width, height = patch
    step = SPACE_SPAN * frame.space[0] / width
    u = (np.arange(-margin, width + margin) - (width - 1) / 2) * step / frame.space[0]
    v = ((np.arange(-margin, height + margin) - (height - 1) / 2) * step / frame.space[1])[:, None]
    third = np.clip(np.floor(u * 3 + 1.5), 0, 2)
    regions = np.where(np.abs(v) <= 0.5, third, np.where(v < 0, 3 + third, 6 + third))
    regions = np.where(np.abs(u) > 0.5, np.where(u < 0, 9, 10), regions)
    return np.asarray(regions, np.uint8)


def ground_points(frame: Frame) -> NDArray[np.float64]:
    """A grid of points (G, 2) over the board."""
    columns, rows = (max(2, round(GROUND_ALONG * side / max(frame.size))) for side in frame.size)
    x, y = np.meshgrid((np.arange(columns) + 0.5) / columns, (np.arange(rows) + 0.5) / rows)
    return np.stack([x.ravel(), y.ravel()], -1)


def clear_ground(frame: Frame) -> NDArray[np.bool_]:
    """Which ground points (G,) lie clear of all spaces and cities."""
    points = ground_points(frame)
    size = np.array(frame.size)
    apart = (points[:, None] - frame.spaces[None, :, :2]) * size
    angle = np.radians(frame.spaces[:, 2])
    along = np.abs(apart[..., 0] * np.cos(angle) + apart[..., 1] * np.sin(angle))
    across = np.abs(apart[..., 1] * np.cos(angle) - apart[..., 0] * np.sin(angle))
    near = (along < frame.space[0] * 0.5 + 8) & (across < frame.space[1] * 0.5 + 8)
    gap = np.linalg.norm((points[:, None] - frame.cities[None]) * size, axis=2)
    return np.asarray(~near.any(1) & ~(gap < 16).any(1))


def _ground_corners(frame: Frame) -> NDArray[np.float64]:
    points = ground_points(frame)
    return _corners(frame, points, np.zeros(len(points)), (5, 5), 2.0)


def measure_ground(photo: NDArray[np.uint8], placement: Placement, frame: Frame) -> NDArray[np.float32]:
    """Mean colours (G, 3) of small squares around the ground points."""
    corners = project_corners(_ground_corners(frame), placement, 0.0)
    return np.asarray(cut(photo, corners, (5, 5)).reshape(-1, 25, 3).mean(1), np.float32)


def darkest(photo: NDArray[np.uint8], placement: Placement) -> NDArray[np.float64]:
    """The colour (3,) that a hundredth of the board's pixels are darker than, channel by channel."""
    fractions = np.linspace(0.02, 0.98, 75)
    spots = placement.project(np.stack(np.meshgrid(fractions, fractions), -1).reshape(-1, 2))
    inside = ((spots >= 0) & (spots <= np.array([photo.shape[1], photo.shape[0]]) - 1)).all(1)
    columns, rows = np.round(spots[inside]).astype(np.intp).T
    return np.percentile(photo[rows, columns], 1, axis=0) if len(rows) else np.zeros(3)


def measure_regions(patches: NDArray[np.uint8], regions: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Mean colour and spread (S, REGIONS, 4) of every region of patches (S, h, w, 3)."""
    pixels = patches.reshape(len(patches), -1, 3).astype(np.float32)
    flat = regions.ravel()
    figures = np.zeros((len(patches), REGIONS, 4), np.float32)
    for region in range(REGIONS):
        inside = pixels[:, flat == region]
        figures[:, region, :3] = inside.mean(1)
        figures[:, region, 3] = inside.std(1).mean(1)
    return figures


def measure_print(flat: NDArray[np.uint8], board: Board) -> dict[str, NDArray[np.generic]]:
    """The figures of an empty print that evidence needs, from a picture of the whole board from straight above.

    space_colors: (S, REGIONS, 4) uint8, mean blue, green, red and spread; city_colors: (K, 3, 4) the same for the inner
    disc, the ring and the surroundings of every city; ground_colors: (G, 3), nought where pieces may lie; darkest: (3,)
    """
    frame = Frame.of(board)
    placement = FlatPlacement(flat.shape[1], flat.shape[0])
    corners = project_corners(space_corners(frame), placement, 0.0)
    patches = cut_softly(flat, corners, SPACE_PATCH)
    around = project_corners(city_corners(frame), placement, 0.0)
    cities = cut_softly(flat, around, CITY_PATCH)
    return {
        "space_colors": _rounded(measure_regions(patches, region_map(frame))),
        "city_colors": _rounded(measure_rings(cities)),
        "ground_colors": _rounded(measure_ground(flat, placement, frame) * clear_ground(frame)[:, None]),
        "darkest": _rounded(darkest(flat, placement)),
    }


def ring_map(margin: int = 0) -> NDArray[np.uint8]:
    """Which ring of a city every pixel of its patch belongs to: 0 disc, 1 ring, 2 surroundings."""
    width, height = CITY_PATCH
    step = CITY_SPAN_MM / width
    x = (np.arange(-margin, width + margin) - (width - 1) / 2) * step
    y = ((np.arange(-margin, height + margin) - (height - 1) / 2) * step)[:, None]
    radius = np.hypot(x, y)
    return np.asarray((radius > 5.5).astype(np.uint8) + (radius > 11), np.uint8)


def measure_rings(patches: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Mean colour and spread (K, 3, 4) of the rings of city patches."""
    pixels = patches.reshape(len(patches), -1, 3).astype(np.float32)
    flat = ring_map().ravel()
    figures = np.zeros((len(patches), 3, 4), np.float32)
    for ring in range(3):
        inside = pixels[:, flat == ring]
        figures[:, ring, :3] = inside.mean(1)
        figures[:, ring, 3] = inside.std(1).mean(1)
    return figures


def _rounded(figures: NDArray[np.floating[Any]]) -> NDArray[np.generic]:
    return np.clip(np.round(figures), 0, 255).astype(np.uint8)


def print_shift(corners: NDArray[np.float32], ground: NDArray[np.float32], patch: tuple[int, int]) -> NDArray[np.float32]:
    """How far (N, 2), in patch pixels, the print under a piece lies from the patch's middle.

    corners: (N, 4, 2) photo pixels of the patches; ground: (N, 2) photo pixels of the places on the board itself.
    """
    middle = corners.mean(1)
    right = (corners[:, 1] + corners[:, 2] - corners[:, 0] - corners[:, 3]) / (2 * (patch[0] - 1))
    down = (corners[:, 3] + corners[:, 2] - corners[:, 0] - corners[:, 1]) / (2 * (patch[1] - 1))
    area = right[:, 0] * down[:, 1] - right[:, 1] * down[:, 0]
    area = np.where(np.abs(area) < 1e-9, 1e-9, area)
    gap = ground - middle
    x = (gap[:, 0] * down[:, 1] - gap[:, 1] * down[:, 0]) / area
    y = (right[:, 0] * gap[:, 1] - right[:, 1] * gap[:, 0]) / area
    return np.asarray(np.clip(np.stack([x, y], 1), -MOST_SHIFT, MOST_SHIFT), np.float32)


def paint(regions: NDArray[np.uint8], figures: NDArray[np.uint8], shift: NDArray[np.float32]) -> NDArray[np.uint8]:
    """The print as its figures tell it: (N, h, w, 4) from a region map enlarged by MOST_SHIFT and figures (N, R, 4)."""
    height, width = (side - 2 * MOST_SHIFT for side in regions.shape)
    left, up = np.round(shift).astype(np.intp).T
    rows = (MOST_SHIFT - up)[:, None] + np.arange(height)
    columns = (MOST_SHIFT - left)[:, None] + np.arange(width)
    region = regions[rows[:, :, None], columns[:, None, :]]
    whole = np.ascontiguousarray(figures).view(np.uint32)[..., 0]  # a region's four bytes move as one
    painted = whole[np.arange(len(figures))[:, None, None], region]
    return np.asarray(painted[..., None].view(np.uint8), np.uint8)

"""A known network laid over another print: the same cities and routes, other artwork, another frame."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frame import CUT_OFF, PLAIN, marks_in, outline_of
from calibration.outline import Outline, edges_around, find_outlines, refine_outline, whole_picture
from calibration.rectangles import Pixels, Rectangles, edge_ground
from calibration.register import Fit, Network, lay_over, project, turned_angles
from calibration.scan import Progress, Scan, check_sharp, scan, sharpness
from calibration.signature import flatten
from calibration.snap import Layout, settle, settle_cities, smooth
from companion.board import Board
from companion.errors import CalibrationError, Sentence
from companion.vision.photo import Photo

Floats = NDArray[np.float64]

FLAT_LONG_SIDE = 1500
_ENOUGH, _LEAST = 0.72, 0.5
_SAME_FRAME = 0.01
_SAME_PRINT = 0.4


@dataclass(frozen=True)
class Alignment:
    """A board's network where this print has it.

    flat: the print from straight above; corners: (4, 2) working pixels of the photo; aspect, width_mm: its frame
    spaces: (S, 3) x, y, angle; space_sure: (S,); cities: (C, 2); city_sure: (C,), in the order of the known board
    """

    flat: Pixels
    corners: Floats
    aspect: float
    width_mm: float
    space_size: tuple[float, float]
    spaces: Floats
    space_sure: Floats
    cities: Floats
    city_sure: Floats
    scan: Scan


def align(photo: Photo, board: Board, corners: Floats | None, progress: Progress) -> Alignment:
    """Find the board's network in a photo of an empty print; corners are working pixels, as printed."""
    check_sharp(photo.pixels)
    network = Network(np.array([[s.x, s.y] for s in board.spaces]), np.array([s.angle for s in board.spaces]), board.aspect)
    if corners is None:
        progress("Looking for the board")
        outlines = _outlines(photo)
    else:
        outlines = [Outline(corners, 1.0)]
    looked, fit, outline = _best_fit(photo, network, outlines, corners is not None, progress)
    final, same = (corners, False) if corners is not None else _frame(photo, board, looked, fit, outline)
    progress("Settling every space on its print")
    return _settled(photo, board, network, looked, fit, np.asarray(final), same or corners is not None)


def _outlines(photo: Photo) -> list[Outline]:
    """Where the board may lie: around the spaces seen on the photo, then wherever four edges show."""
    marks = marks_in(photo.pixels)
    try:
        around = outline_of(photo.pixels, marks) if marks is not None else None
    except CalibrationError:  # cut off, or a printed line taken for an edge; the network itself will tell
        around = None
    return [*([around] if around is not None else []), *find_outlines(photo.pixels)]


def _best_fit(
    photo: Photo, network: Network, outlines: list[Outline], given: bool, progress: Progress
) -> tuple[Scan, Fit, Outline]:
    """The outline and the way up under which most of the network is found."""
    best: tuple[Scan, Fit, Outline] | None = None
    for outline, first in _ways(outlines, network.aspect, given):
        progress("Looking for spaces")
        looked = scan(photo.pixels, first, network.aspect)
        if looked is None:
            continue
        for turned in (False,) if given else (False, True):
            laid = network.turned() if turned else network
            fit = lay_over(laid, looked.found, looked.size, looked.length, looked.width)
            if fit is None:
                continue
            if turned:
                fit = replace(fit, warp=fit.warp @ np.array([[-1.0, 0, 1], [0, -1, 1], [0, 0, 1]]))
            if best is None or fit.share > best[1].share:
                best = looked, fit, outline
        if best is not None and best[1].share > _ENOUGH:
            break
    if best is None or best[1].share < _LEAST:
        raise CalibrationError(_why_not(photo, best[1].share if best else 0.0, given))
    return best


def _ways(outlines: list[Outline], aspect: float, given: bool) -> list[tuple[Outline, Floats]]:
    """Each outline with the corner that may be the printed top left one; half turns are tried later."""
    if given:
        return [(outlines[0], outlines[0].corners)]
    likely: list[tuple[Outline, Floats]] = []
    unlikely: list[tuple[Outline, Floats]] = []
    for outline in outlines:
        sides = np.linalg.norm(np.roll(outline.corners, -1, axis=0) - outline.corners, axis=1)
        ratio = (sides[0] + sides[2]) / (sides[1] + sides[3])
        level, upright = (outline, outline.corners), (outline, np.roll(outline.corners, -1, axis=0))
        stands = abs(np.log(ratio / aspect)) > abs(np.log(1 / ratio / aspect))
        likely.append(upright if stands else level)
        if abs(np.log(ratio)) < 0.25:
            unlikely.append(level if stands else upright)
    return likely + unlikely


def _why_not(photo: Photo, share: float, given: bool) -> Sentence:
    if sharpness(photo.pixels) < 1.35:
        return Sentence("The photo is too blurred to find the spaces; hold still, tap to focus and take another.")
    if share > 0.3:
        return Sentence(
            "Only part of the network was found: show the whole empty board, without pieces or glare on it, and try again."
        )
    if given:
        return Sentence(
            "The board's network was not found between these corners; check their order and that it is this board."
        )
    return Sentence("The board's network was not found; show the whole empty board from above, or give its corners.")


def _frame(photo: Photo, board: Board, looked: Scan, fit: Fit, outline: Outline) -> tuple[Floats, bool]:
    """The print's corners in the photo, and whether its frame is the known board's."""
    to_photo = looked.to_photo @ fit.warp
    known = project(to_photo, np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]))
    reach = float(np.linalg.norm(known[2] - known[0]))
    places = project(to_photo, _places(board))
    width, height = photo.size
    if ((places < -0.5) | (places > np.array([width, height]) - 0.5)).any():
        raise CalibrationError(CUT_OFF)
    whole = whole_picture(photo.pixels)
    if float(_apart(whole.corners, known).max()) < _SAME_FRAME * reach:
        return _turned_like(whole.corners, known), True
    near = refine_outline(photo.pixels, known, 0.003)
    fits = _stray(looked, fit, board) < 0.75 * _SAME_PRINT
    shows = near is not None and near.clear > 0.4 and float(_apart(near.corners, known).max()) < 1.5 * _SAME_FRAME * reach
    around = edges_around(photo.pixels, known, places, 0.1)
    goes_on = any(_goes_on(photo.pixels, one, known) for one in (outline, around) if one is not None)
    if fits and shows and not goes_on:
        # The edge is seen to a few millimetres, through folds and the board's thickness; the network fits closer.
        return known, True
    if outline.clear > PLAIN and not outline.whole and _contains(outline.corners, places):
        return _turned_like(outline.corners, known), False
    if outline.whole and _contains(whole.corners, places):
        return _turned_like(whole.corners, known), False
    found = around if goes_on and around is not None else edges_around(photo.pixels, known, places)
    if found is None:
        raise CalibrationError("The board's edges were not found; give its four corners.")
    return found.corners, float(np.linalg.norm(found.corners - known, axis=1).max()) < _SAME_FRAME * reach


def _goes_on(pixels: Pixels, outline: Outline, known: Floats) -> bool:
    """Whether the print goes on beyond the known frame, up to the outline: what lies between is as busy as a board."""
    if outline.whole or float(_apart(outline.corners, known).max()) < 2 * _SAME_FRAME * np.linalg.norm(known[2] - known[0]):
        return False
    inner, outer = np.zeros(pixels.shape[:2], np.uint8), np.zeros(pixels.shape[:2], np.uint8)
    middle = known.mean(axis=0)
    cv2.fillConvexPoly(inner, np.round(middle + (known - middle) * 1.01).astype(np.int32), 255)
    cv2.fillConvexPoly(outer, np.round(outline.corners).astype(np.int32), 255)
    ring, board = (outer > 0) & (inner == 0), inner > 0
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), np.float32)
    busy = np.abs(cv2.Laplacian(cv2.GaussianBlur(grey, (0, 0), 1.2), cv2.CV_32F))
    if ring.sum() < 0.02 * board.sum():
        return False
    return float(busy[ring].mean()) > 0.6 * float(busy[board].mean())


def _places(board: Board) -> Floats:
    """Every space and city (N, 2)."""
    spaces, cities = [[s.x, s.y] for s in board.spaces], [[c.x, c.y] for c in board.cities.values()]
    return np.array(spaces + cities)


def _stray(looked: Scan, fit: Fit, board: Board) -> float:
    """How far, in widths of a space, this print's spaces stray from the known ones under one homography."""
    on = fit.matched >= 0
    points = np.array([[space.x, space.y] for space in board.spaces])[on]
    off = np.linalg.norm(looked.found.centres[fit.matched[on]] - fit.project(points), axis=1)
    return float(np.quantile(off, 0.9)) / looked.width


def _apart(one: Floats, other: Floats) -> Floats:
    turned = _turned_like(one, other)
    return np.asarray(np.linalg.norm(turned - other, axis=1))


def _turned_like(corners: Floats, like: Floats) -> Floats:
    """The corners starting at the one that lies nearest to the other's first."""
    return min((np.roll(corners, k, axis=0) for k in range(4)), key=lambda c: float(np.linalg.norm(c - like)))


def _contains(corners: Floats, places: Floats) -> bool:
    shape = corners.astype(np.float32)
    return all(cv2.pointPolygonTest(shape, (float(x), float(y)), False) >= 0 for x, y in places)


def _settled(
    photo: Photo, board: Board, network: Network, looked: Scan, fit: Fit, corners: Floats, same_frame: bool
) -> Alignment:
    """Every space and city on its print, in the final frame."""
    to_frame = _to_unit(corners) @ looked.to_photo
    warp = to_frame @ fit.warp
    stretch = _stretch(warp)
    aspect = board.aspect if same_frame else board.aspect * stretch[1] / stretch[0]
    flat = flatten(photo.pixels, corners, aspect, FLAT_LONG_SIDE)
    ground = edge_ground(flat)
    size = np.array([flat.shape[1], flat.shape[0]], np.float64)
    to_flat = np.array([[size[0], 0, -0.5], [0, size[1], -0.5], [0, 0, 1]])
    # How much larger a space is on this flat picture than where it was found.
    scale = float(np.sqrt(abs(np.linalg.det((to_flat @ warp)[:2, :2])) / abs(np.linalg.det(fit.warp[:2, :2]))))
    spots = project(to_flat @ warp, network.points)
    angles = turned_angles(to_flat @ warp, network.points, network.angles, network.aspect)
    routes = np.array([number for number, route in enumerate(board.routes.values()) for _ in route.spaces], np.intp)
    layout = Layout(spots, angles, routes)
    width = looked.width * scale
    # Looked at once more in its own frame, the print shows its spaces undistorted.
    again = scan(photo.pixels, corners, aspect) or looked
    settled = settle(layout, _moved(again, to_flat @ _to_unit(corners) @ again.to_photo), width, max(size))
    city_first = project(to_flat @ warp, np.array([[c.x, c.y] for c in board.cities.values()]))
    city_first = city_first + _carried(layout, settled.spots - spots, settled.sure, city_first, max(size))
    cities, alike = settle_cities(ground, city_first, width)
    space_at, city_at = (settled.spots + 0.5) / size, (cities + 0.5) / size
    space_size = board.space_size[0] * stretch[0], board.space_size[1] * stretch[1]
    if same_frame:
        space_at, city_at = _averaged(board, network, space_at, city_at, size)
        space_size = board.space_size
    space_at, city_at = np.clip(space_at, 0, 1), np.clip(city_at, 0, 1)
    return Alignment(
        flat=flat,
        corners=corners,
        aspect=float(aspect),
        width_mm=float(board.width_mm if same_frame else board.width_mm / stretch[0]),
        space_size=(float(space_size[0]), float(space_size[1])),
        spaces=np.column_stack([space_at, settled.angles]),
        space_sure=settled.sure,
        cities=city_at,
        city_sure=np.clip(alike / 0.6, 0, 1),
        scan=looked,
    )


def _moved(looked: Scan, warp: Floats) -> Rectangles:
    """What was found on the scan, on another picture."""
    found = looked.found
    turned = turned_angles(warp, found.centres, found.angles, 1.0)
    return Rectangles(project(warp, found.centres), turned, found.scores)


def _averaged(board: Board, network: Network, spaces: Floats, cities: Floats, size: Floats) -> tuple[Floats, Floats]:
    """Two measurements of one print averaged: this photo's and the known map's, when they plainly agree."""
    width = board.space_size[1] * size[1]
    off = np.linalg.norm((spaces - network.points) * size, axis=1) / width
    if float(np.quantile(off, 0.95)) > _SAME_PRINT:
        return spaces, cities
    known = np.array([[c.x, c.y] for c in board.cities.values()])
    city_off = np.linalg.norm((cities - known) * size, axis=1) / width
    blend, city_blend = np.where(off < 1.2 * _SAME_PRINT, 0.5, 0.0), np.where(city_off < 0.6, 0.5, 0.0)
    return spaces + (network.points - spaces) * blend[:, None], cities + (known - cities) * city_blend[:, None]


def _carried(layout: Layout, shifts: Floats, trust: Floats, places: Floats, long_side: float) -> Floats:
    """How far the spaces around each place have moved."""
    count = len(places)
    joined = Layout(
        np.concatenate([layout.spots, places]),
        np.concatenate([layout.angles, np.zeros(count)]),
        np.concatenate([layout.routes, np.arange(-count, 0)]),
    )
    moved = smooth(
        joined, np.concatenate([shifts, np.zeros((count, 2))]), np.concatenate([trust, np.zeros(count)]), long_side
    )
    return moved[-count:]


def _to_unit(corners: Floats) -> Floats:
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    return np.asarray(cv2.getPerspectiveTransform(corners.astype(np.float32), unit), np.float64)


def _stretch(warp: Floats) -> Floats:
    """How much the known frame's width and height grow in the new frame, around the middle."""
    middle = np.array([[0.5, 0.5]])
    step = 0.42
    right, below = np.array([[step, 0.0]]), np.array([[0.0, step]])
    across = project(warp, middle + right) - project(warp, middle - right)
    down = project(warp, middle + below) - project(warp, middle - below)
    return np.array([np.linalg.norm(across), np.linalg.norm(down)]) / (2 * step)

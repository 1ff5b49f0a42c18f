"""Where the board lies in a photo: found by its signature, or from four given corners, then refined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Board
from companion.errors import LocateError, Sentence
from companion.vision.bend import Bend, fit_bend
from companion.vision.features import Features, find_features, match_freely, match_near
from companion.vision.photo import Photo
from companion.vision.signature import Signature
from companion.vision.view import View, view_from

Array = NDArray[np.float64]

UNIT_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])

_TRIES = ((540, 1600), (1280, 4000))
"""Long side in pixels and number of keypoints of each try; the second only when the first is not sure."""

_SURE_ENOUGH = 0.5
_SEEN_ENOUGH = 0.6
_RIM = 0.05
_DARK = 28.0
_BLURRED = 14.0
_EDGES = {
    "left": Sentence("its left edge"),
    "top": Sentence("its top edge"),
    "right": Sentence("its right edge"),
    "bottom": Sentence("its bottom edge"),
}
_UNREADABLE = 0.12
"""Sharpness of a board's picture below which its pieces cannot be told apart: a blur of about a millimetre and a half."""


@dataclass(frozen=True)
class Placement:
    """Where a board lies in the working photo.

    view: the camera's pose, board millimetres to photo pixels
    bend: what folds, warped panels and the lens add to it
    size: the photo's width and height in pixels
    sure: 0 to 1; how much of the print that should be in view was recognised in its place
    found: how many keypoints of the print were recognised; 0 when only given corners speak
    error_mm: the median distance between where keypoints are and where the placement puts them
    recognition: what `sure` was judged by
    """

    aspect: float
    width_mm: float
    view: View
    bend: Bend
    size: tuple[int, int]
    sure: float
    found: int = 0
    error_mm: float = 0.0
    recognition: Recognition | None = None

    def project(self, points: Array, height_mm: float = 0.0) -> Array:
        """Photo pixels (N, 2) of board fractions (N, 2), at a height above the board."""
        points = np.asarray(points, np.float64).reshape(-1, 2)
        return self.view.project(self._millimetres(points), height_mm) + self.bend.at(points)

    def unproject(self, pixels: Array) -> Array:
        """Board fractions (N, 2) of photo pixels (N, 2) on the board's surface."""
        pixels = np.asarray(pixels, np.float64).reshape(-1, 2)
        back = np.linalg.inv(self.view.homography)
        points = np.zeros_like(pixels)
        for _ in range(3):
            flat = np.column_stack([pixels - self.bend.at(points), np.ones(len(pixels))]) @ back.T
            points = flat[:, :2] / flat[:, 2:] / [self.width_mm, self.width_mm / self.aspect]
        return np.asarray(points)

    @property
    def corners(self) -> Array:
        """The board's corners (4, 2) in photo pixels: top left, top right, bottom right, bottom left as printed."""
        return self.project(UNIT_CORNERS)

    def visible(self, points: Array, margin: float = 0.0) -> NDArray[np.bool_]:
        """Which board fractions (N, 2) are inside the picture, at least `margin` pixels from its edge."""
        pixels = self.project(points)
        low, high = np.array([margin, margin]), np.array(self.size) - 1 - margin
        return np.asarray(((pixels >= low) & (pixels <= high)).all(axis=1))

    @property
    def cut_edges(self) -> tuple[str, ...]:
        """The edges of the printed board that lie wholly outside the picture: left, right, top, bottom."""
        along = np.linspace(0.0, 1.0, 11)
        zero, one = np.zeros(11), np.ones(11)
        edges = {"left": (zero, along), "right": (one, along), "top": (along, zero), "bottom": (along, one)}
        return tuple(name for name, sides in edges.items() if not self.visible(np.column_stack(sides), margin=-8.0).any())

    def _millimetres(self, points: Array) -> Array:
        return np.asarray(points * np.array([self.width_mm, self.width_mm / self.aspect]))


def locate(photo: Photo, board: Board, signature: Signature, corners: Array | None = None) -> Placement:
    """The board's place in the photo; raises LocateError, with the reason, rather than guess.

    corners: (4, 2) in pixels of the full upright photo, in the order of the printed board's own corners.
    """
    grey = np.asarray(cv2.cvtColor(photo.pixels, cv2.COLOR_BGR2GRAY), np.uint8)
    if corners is not None:
        return _from_corners(photo, grey, board, signature, np.asarray(corners, np.float64))
    best: Placement | None = None
    for long_side, most in _TRIES:
        shrink = max(1.0, max(grey.shape) / long_side)
        features = _features(grey, shrink, most)
        start = _first_guess(features, signature, shrink)
        if start is not None:
            placed = _settle(features, signature, board, start, photo.size, shrink)
            if placed is not None and (best is None or placed.sure > best.sure):
                best = placed
        if best is not None and best.sure >= 0.8:
            break
    partial = _why_partial(best) if best is not None and best.sure > 0.2 else None
    if best is None or best.sure < _SURE_ENOUGH or partial:
        raise LocateError(partial or _why_not(grey))
    if _sharpness(grey, best) < _UNREADABLE:
        raise LocateError("The photo is too blurred to read the board; hold the phone still and take another.")
    return best


def _sharpness(grey: NDArray[np.uint8], placed: Placement) -> float:
    """How steep the steepest edges in the board's middle are, at a pixel per millimetre, as a share of its contrast."""
    middle = placed.project(0.5 + 0.6 * (UNIT_CORNERS - 0.5))
    low = np.clip(np.floor(middle.min(axis=0)), 0, None).astype(int)
    high = np.ceil(middle.max(axis=0)).astype(int)
    part = grey[low[1] : high[1], low[0] : high[0]]
    zoom = 0.6 * placed.width_mm / float(np.linalg.norm(middle[1] - middle[0]))
    small = cv2.resize(part, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA) if zoom < 1 else part
    darkest, lightest = np.percentile(small[::3, ::3], (2, 98))
    edges = np.abs(cv2.Laplacian(small, cv2.CV_16S)).ravel()
    steep = int(np.searchsorted(np.cumsum(np.bincount(edges)), 0.995 * len(edges)))
    return steep / max(float(lightest - darkest), 20.0)


def _features(grey: NDArray[np.uint8], shrink: float, most: int) -> Features:
    """Features of the shrunken picture, in pixels of the whole one."""
    if shrink > 1.0:
        size = (round(grey.shape[1] / shrink), round(grey.shape[0] / shrink))
        small = np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)
    else:
        small = grey
    found = find_features(_stretched(small), most)
    zoom = np.array([grey.shape[1] / small.shape[1], grey.shape[0] / small.shape[0]], np.float32)
    return Features((found.points + 0.5) * zoom - 0.5, found.sizes * zoom[0], found.angles, found.descriptors)


def _stretched(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A dim or flat picture with its contrast restored: keypoints are found by contrast."""
    low, high = np.percentile(grey[::4, ::4], (2, 98))
    if high - low > 110 or high - low < 6:
        return grey
    return np.asarray(np.clip((grey.astype(np.float32) - low) * (150.0 / (high - low)), 0, 255), np.uint8)


def _first_guess(features: Features, signature: Signature, shrink: float) -> Array | None:
    """The homography (board fractions to pixels) most free matches agree on, or nothing."""
    found, known = match_freely(features, signature)
    if len(found) < 8:
        return None
    turn = (features.angles[found] - signature.angles[known]) % 360
    zoom = np.log(features.sizes[found] / signature.sizes[known])
    keep = _agreeing(turn, zoom)
    if keep.sum() < 8:
        return None
    source, target = signature.points[known[keep]].astype(np.float64), features.points[found[keep]].astype(np.float64)
    homography, _ = cv2.findHomography(source, target, cv2.USAC_MAGSAC, 4.0 * shrink, maxIters=3000, confidence=0.9999)
    return None if homography is None else np.asarray(homography, np.float64)


def _agreeing(turn: NDArray[np.float32], zoom: NDArray[np.float32]) -> NDArray[np.bool_]:
    """The matches that turn and zoom alike: a board seen at a slant still turns and zooms nearly as one."""
    best, votes = np.zeros(len(turn), bool), -1
    for way in range(0, 360, 15):
        facing = np.abs((turn - way + 180) % 360 - 180) < 32
        if facing.sum() <= votes:
            continue
        middle = np.median(zoom[facing])
        for centre in (middle - 0.5, middle, middle + 0.5):
            agree = facing & (np.abs(zoom - centre) < 0.7)
            if agree.sum() > votes:
                best, votes = agree, int(agree.sum())
    return best


def _settle(
    features: Features,
    signature: Signature,
    board: Board,
    start: Array,
    size: tuple[int, int],
    shrink: float,
    radii: tuple[float, ...] = (10.0, 4.0),
) -> Placement | None:
    """Refines a first homography with ever closer matches, or says that it does not hold."""
    homography = start
    points = signature.points.astype(np.float64)
    if not _plausible(homography, board, size):
        return None
    bend = Bend.flat()
    for radius in radii:
        expected, zoom, turn = _forecast(homography, signature, board.aspect)
        expected = expected + bend.at(points)
        found, known = match_near(features, signature, expected, zoom, turn, radius * shrink)
        if len(found) < 12:
            return None
        target = features.points[found].astype(np.float64)
        if radius > 9:
            refined, _ = cv2.findHomography(points[known], target, cv2.USAC_MAGSAC, 3.0 * shrink, maxIters=500)
            if refined is None or not _plausible(np.asarray(refined), board, size):
                return None
            homography = np.asarray(refined, np.float64)
        shifts = target - _apply(homography, points[known])
        # A keypoint's place is known to about a tenth of its size, and no better than a third of a pixel.
        noise = np.sqrt((0.5 * shrink) ** 2 + (0.08 * features.sizes[found]) ** 2)
        trust = (1.0 / noise**2).astype(np.float64)
        bend, weights = fit_bend(points[known], shifts, trust, board.aspect, stiffness=20.0 / shrink**2)
    kept = weights > 0
    recognition = _recognised(features, signature, expected, zoom, turn, points[known][kept], size, shrink)
    miss = np.linalg.norm(shifts - bend.at(points[known]), axis=1)[kept]
    px_per_mm = float(np.median(zoom)) / board.width_mm
    return Placement(
        aspect=board.aspect,
        width_mm=board.width_mm,
        view=_view(homography, board, size),
        bend=bend,
        size=size,
        sure=recognition.sure,
        found=int(kept.sum()),
        error_mm=float(np.median(miss)) / px_per_mm,
        recognition=recognition,
    )


@dataclass(frozen=True)
class Recognition:
    """How much of the print was recognised where a placement puts it.

    hits: keypoints recognised in their place
    chance: how many are recognised by accident when the print is looked for beside its place
    parts: share of the whole board's 24 parts, its rim left out, in which the print was recognised
    seen: share of the board that is inside the picture
    """

    hits: int
    chance: float
    parts: float
    seen: float

    @property
    def sure(self) -> float:
        """0 to 1: below a half, the placement may be an accident or another print."""
        beyond_chance = self.hits - 2.0 * self.chance
        return float(np.clip(min(beyond_chance / 80, self.parts / (0.8 * max(self.seen, 0.3))), 0, 1))


def _recognised(
    features: Features,
    signature: Signature,
    expected: Array,
    zoom: Array,
    turn: Array,
    hits: Array,
    size: tuple[int, int],
    shrink: float,
) -> Recognition:
    """Counts keypoints recognised in place, against those recognised when the print is looked for elsewhere."""
    elsewhere = []
    for way in (0.5, 3.6):
        shift = 24.0 * shrink * np.array([np.cos(way), np.sin(way)])
        found, _ = match_near(features, signature, expected + shift, zoom, turn, 4.0 * shrink)
        elsewhere.append(len(found))
    inside = ((expected >= 0) & (expected <= np.array(size) - 1)).all(axis=1)
    visible = _tally(signature.points[inside].astype(np.float64), signature.aspect)
    total = _tally(signature.points.astype(np.float64), signature.aspect)
    recognised = (visible >= 0.5 * total) & (_tally(hits, signature.aspect) >= 3)
    return Recognition(
        hits=len(hits),
        chance=float(np.mean(elsewhere)),
        parts=float(recognised.mean()),
        seen=float(inside.mean()),
    )


def _tally(points: Array, aspect: float) -> Array:
    """How many board fractions fall in each of the board's 24 parts.

    The rim does not count: boards of one family share their score track, and only what it frames tells them apart.
    """
    across, down = (6, 4) if aspect >= 1 else (4, 6)
    rim = np.array([_RIM, _RIM * aspect] if aspect >= 1 else [_RIM / aspect, _RIM])
    spots = (points - rim) / (1 - 2 * rim)
    spots = spots[((spots >= 0) & (spots < 1)).all(axis=1)]
    parts = (spots[:, 1] * down).astype(int) * across + (spots[:, 0] * across).astype(int)
    return np.bincount(parts, minlength=across * down).astype(np.float64)


def _forecast(homography: Array, signature: Signature, aspect: float) -> tuple[Array, Array, Array]:
    """Where each keypoint of the print should appear (N, 2), how large a board width is there (N,), and its angle (N,)."""
    points = signature.points.astype(np.float64)
    here = _apply(homography, points)
    step = 1e-4
    along = (_apply(homography, points + np.array([step, 0.0])) - here) / step
    across = (_apply(homography, points + np.array([0.0, step * aspect])) - here) / step
    zoom = np.sqrt(np.abs(along[:, 0] * across[:, 1] - along[:, 1] * across[:, 0]))
    radians = np.radians(signature.angles.astype(np.float64))
    arm = along * np.cos(radians)[:, None] + across * np.sin(radians)[:, None]
    return here, zoom, np.degrees(np.arctan2(arm[:, 1], arm[:, 0]))


def _apply(homography: Array, points: Array) -> Array:
    flat = np.column_stack([points, np.ones(len(points))]) @ homography.T
    return np.asarray(flat[:, :2] / flat[:, 2:])


def _plausible(homography: Array, board: Board, size: tuple[int, int]) -> bool:
    """Whether a homography could be a photo of the board: in front of the camera, face up, not absurdly slanted."""
    depth = np.column_stack([UNIT_CORNERS, np.ones(4)]) @ homography[2]
    if not np.isfinite(homography).all() or (depth * depth[0] <= 0).any():
        return False
    if max(abs(depth)) / min(abs(depth)) > 4:
        return False
    quad = _apply(homography, UNIT_CORNERS)
    sides = np.roll(quad, -1, axis=0) - quad
    turns = sides[:, 0] * np.roll(sides[:, 1], -1) - sides[:, 1] * np.roll(sides[:, 0], -1)
    if not (turns > 0).all():
        return False
    area = cv2.contourArea(quad.astype(np.float32))
    return bool(area > 0.04 * size[0] * size[1])


def _from_corners(photo: Photo, grey: NDArray[np.uint8], board: Board, signature: Signature, corners: Array) -> Placement:
    """A placement from four given corners, refined where the print is recognised."""
    if corners.shape != (4, 2) or not np.isfinite(corners).all():
        raise LocateError("Give four corners, each as x,y in pixels of the upright photo.")
    quad = photo.from_full(corners)
    start = np.asarray(cv2.getPerspectiveTransform(np.float32(UNIT_CORNERS), np.float32(quad)), np.float64)
    if not _plausible(start, board, photo.size):
        raise LocateError(
            "These corners cannot be the board's; give its top left, top right, bottom right and bottom left as printed."
        )
    long_side, most = _TRIES[0]
    shrink = max(1.0, max(grey.shape) / long_side)
    features = _features(grey, shrink, most)
    placed = _settle(features, signature, board, start, photo.size, shrink, radii=(30.0, 10.0, 4.0))
    if placed is not None and placed.sure >= _SURE_ENOUGH:
        strayed = np.linalg.norm(placed.corners - quad, axis=1).max() / np.linalg.norm(quad[2] - quad[0])
        if strayed < 0.06:
            return placed
    return Placement(board.aspect, board.width_mm, _view(start, board, photo.size), Bend.flat(), photo.size, sure=0.5)


def _view(homography: Array, board: Board, size: tuple[int, int]) -> View:
    """The camera's pose for a homography from board fractions to pixels."""
    to_fractions = np.diag([1 / board.width_mm, board.aspect / board.width_mm, 1.0])
    return view_from(homography @ to_fractions, (board.width_mm, board.width_mm / board.aspect), size)


def _listed(edges: Sequence[str]) -> Sentence | None:
    """The names of edges, one after the other."""
    rest = _listed(edges[1:]) if edges else None
    if not edges or rest is None:
        return _EDGES[edges[0]] if edges else None
    return Sentence("{first}, {rest}", first=_EDGES[edges[0]], rest=rest)


def _why_partial(placed: Placement) -> Sentence | None:
    """Why a board found in part is not enough, or nothing if it is."""
    if placed.recognition is None:
        return None
    if placed.recognition.seen < _SEEN_ENOUGH:
        edges = _listed(placed.cut_edges)
        if edges is None:
            return Sentence("Only part of the board is in the picture; take the photo from farther away.")
        return Sentence("The board is cut off ({edges}); take the photo from farther away.", edges=edges)
    if placed.sure < _SURE_ENOUGH and placed.recognition.hits > 60 + 4 * placed.recognition.chance:
        return Sentence("Only part of the board can be recognised; clear what covers it, or give the board's corners.")
    return None


def _why_not(grey: NDArray[np.uint8]) -> Sentence:
    """The likeliest reason why no board was found."""
    small = cv2.resize(grey, None, fx=(k := 800 / max(grey.shape)), fy=k, interpolation=cv2.INTER_AREA)
    if float(np.percentile(small, 90)) < _DARK:
        return Sentence("The photo is too dark to find the board; take it with more light, or give the board's corners.")
    edges = float(np.percentile(np.abs(cv2.Laplacian(small, cv2.CV_32F)), 99.5))
    if 1.0 < edges < _BLURRED:
        return Sentence("The photo is too blurred to find the board; hold the phone still, or give the board's corners.")
    return Sentence(
        "No board of this map was found in the photo; check the map, take it from above, or give the board's corners."
    )

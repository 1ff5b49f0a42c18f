"""A table to photograph: a drawn board, laid somewhere, seen by a camera whose pose is known."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.signature import flatten, make_signature
from companion.art import Style, draw_board
from companion.board import Board, load_board
from companion.vision.photo import Photo
from companion.vision.signature import Signature

Array = NDArray[np.float64]
Pixels = NDArray[np.uint8]

SHARED = Path(__file__).resolve().parents[3] / "shared" / "photos"


@functools.lru_cache(maxsize=4)
def print_of(map_id: str) -> Pixels:
    """The drawn board from straight above."""
    return draw_board(load_board(map_id), 1400 if load_board(map_id).aspect > 1 else 950, Style(seed=11))


@functools.lru_cache(maxsize=4)
def signature_of(map_id: str) -> Signature:
    """The signature of the drawn board."""
    flat, board = print_of(map_id), load_board(map_id)
    height, width = flat.shape[:2]
    edges = np.array([[0, 0], [width, 0], [width, height], [0, height]]) - 0.5
    return make_signature([flatten(flat, edges, board.aspect, 1200)], board.aspect)


@dataclass(frozen=True)
class Camera:
    """A pinhole camera over the board: board millimetres (x right, y down, z up) to pixels."""

    matrix: Array

    def see(self, board: Board, points: Array, height_mm: float = 0.0) -> Array:
        """Pixels (N, 2) of board fractions (N, 2)."""
        flat = points * [board.width_mm, board.width_mm / board.aspect]
        there = np.column_stack([flat, np.full(len(flat), height_mm), np.ones(len(flat))]) @ self.matrix.T
        return np.asarray(there[:, :2] / there[:, 2:])


def camera_at(
    board: Board, tilt: float, turn: float, size: tuple[int, int] = (1600, 1200), focal: float = 0.76, far: float = 1.25
) -> Camera:
    """A camera that looks at the board's middle, tilted and turned by degrees."""
    lens = focal * max(size)
    intrinsic = np.array([[lens, 0, (size[0] - 1) / 2], [0, lens, (size[1] - 1) / 2], [0, 0, 1]])
    t, r = np.radians(tilt), np.radians(turn)
    lean = np.array([[1, 0, 0], [0, np.cos(t), -np.sin(t)], [0, np.sin(t), np.cos(t)]])
    spin = np.array([[np.cos(r), -np.sin(r), 0], [np.sin(r), np.cos(r), 0], [0, 0, 1]])
    # Board millimetres have y down and z up; the camera's own z goes into the scene.
    rotate = lean @ spin @ np.diag([1.0, 1.0, -1.0])
    middle = np.array([board.width_mm / 2, board.width_mm / board.aspect / 2, 0])
    distance = far * focal * max(board.width_mm, board.width_mm / board.aspect)
    shift = np.array([0, 0, distance]) - rotate @ middle
    return Camera(intrinsic @ np.column_stack([rotate, shift]))


def photograph(map_id: str, camera: Camera, size: tuple[int, int] = (1600, 1200), seed: int = 1, bend: float = 0.0) -> Photo:
    """The drawn board on a blotched table, with light falling off and noise; `bend` lifts its folds, in pixels."""
    board, flat = load_board(map_id), print_of(map_id)
    rng = np.random.default_rng(seed)
    height, width = flat.shape[:2]
    corners = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    source = (corners * [width, height] - 0.5).astype(np.float32)
    warp = cv2.getPerspectiveTransform(source, camera.see(board, corners).astype(np.float32))
    blotches = rng.integers(60, 200, (12, 16, 3)).astype(np.uint8)
    table = cv2.resize(blotches, size, interpolation=cv2.INTER_CUBIC)
    seen = cv2.warpPerspective(flat, warp, size, dst=table, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_TRANSPARENT)
    if bend:
        down, across = np.mgrid[0 : size[1], 0 : size[0]].astype(np.float32)
        away = bent(np.column_stack([across.ravel(), down.ravel()]).astype(np.float64), bend, size)
        left, top = (np.ascontiguousarray(n.reshape(size[1], size[0]), np.float32) for n in away.T)
        seen = cv2.remap(seen, left, top, cv2.INTER_LINEAR)
    light = np.linspace(0.75, 1.1, size[0])[None, :, None]
    noisy = seen.astype(np.float64) * light + rng.normal(0, 4, seen.shape)
    pixels = np.clip(noisy, 0, 255).astype(np.uint8)
    return Photo(pixels, 1.0, size)


def bent(pixels: Array, amount: float, size: tuple[int, int]) -> Array:
    """Where a lens or a fold takes a pixel from: a smooth wave over the picture."""
    wave = np.sin(pixels[:, ::-1] / np.array(size[::-1]) * np.pi * 2.0)
    return np.asarray(pixels + amount * wave)


def unbent(pixels: Array, amount: float, size: tuple[int, int]) -> Array:
    """Where a pixel of the flat picture is seen after the bend."""
    seen = pixels.copy()
    for _ in range(8):
        seen = pixels - (bent(seen, amount, size) - seen)
    return np.asarray(seen)


def space_points(board: Board) -> Array:
    """The middles of all spaces as board fractions (N, 2)."""
    return np.array([[space.x, space.y] for space in board.spaces])

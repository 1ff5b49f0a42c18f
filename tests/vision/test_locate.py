"""The board is found wherever it lies, and nothing else is taken for it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.board import bundled_maps, load_board
from companion.errors import LocateError
from companion.vision.bend import Bend
from companion.vision.locate import UNIT_CORNERS, Placement, locate
from companion.vision.photo import Photo, read_photo
from companion.vision.signature import Signature
from tests.vision.table import (
    SHARED,
    Array,
    camera_at,
    photograph,
    print_of,
    signature_of,
    space_points,
    unbent,
)

SIZE = (1600, 1200)


def misplaced_mm(placed: Placement, map_id: str, truth: Array) -> Array:
    """How far each space is from where it really is, in board millimetres near its place."""
    board = load_board(map_id)
    points = space_points(board)
    seen = placed.unproject(truth)
    shape = np.array([board.width_mm, board.width_mm / board.aspect])
    return np.asarray(np.linalg.norm((seen - points) * shape, axis=1))


@pytest.mark.parametrize(
    ("map_id", "tilt", "turn"),
    [
        ("europe", 0, 0),
        ("europe", 20, 180),
        ("europe", 45, 95),
        ("europe", 30, 271),
        ("new-york", 35, 12),
        ("new-york", 45, 200),
    ],
)
def test_finds_the_board_from_any_side(map_id: str, tilt: float, turn: float) -> None:
    board = load_board(map_id)
    camera = camera_at(board, tilt, turn)
    placed = locate(photograph(map_id, camera), board, signature_of(map_id))
    off = misplaced_mm(placed, map_id, camera.see(board, space_points(board)))
    assert placed.sure > 0.9
    assert np.median(off) < 0.5 and off.max() < 1.5
    assert np.abs(placed.corners - camera.see(board, UNIT_CORNERS)).max() < 4


def test_finds_the_pose_and_the_tops_of_wagons() -> None:
    board = load_board("europe")
    camera = camera_at(board, 30, 40)
    placed = locate(photograph("europe", camera), board, signature_of("europe"))
    assert placed.view.tilt == pytest.approx(30, abs=2)
    points = space_points(board)
    tops = camera.see(board, points, 9.0)
    rise = np.linalg.norm(tops - camera.see(board, points), axis=1)
    missed = np.linalg.norm(placed.project(points, 9.0) - tops, axis=1)
    assert rise.max() > 8 and missed.max() < 2.5


def test_follows_a_bent_board() -> None:
    board, amount = load_board("europe"), 8.0
    camera = camera_at(board, 15, 0)
    placed = locate(photograph("europe", camera, bend=amount), board, signature_of("europe"))
    truth = unbent(camera.see(board, space_points(board)), amount, SIZE)
    off = misplaced_mm(placed, "europe", truth)
    stiff = misplaced_mm(dataclasses.replace(placed, bend=Bend.flat()), "europe", truth)
    assert np.median(off) < 0.5 and np.percentile(off, 95) < 1.2
    assert np.percentile(stiff, 95) > 2


def test_small_and_large_photos_agree() -> None:
    board = load_board("europe")
    photo = photograph("europe", camera_at(board, 25, 90))
    small = Photo(np.asarray(cv2.resize(photo.pixels, (800, 600), interpolation=cv2.INTER_AREA), np.uint8), 2.0, SIZE)
    placed, again = (locate(one, board, signature_of("europe")) for one in (photo, small))
    assert np.abs(placed.corners - small.to_full(again.corners)).max() < 3


def test_project_and_unproject_are_inverse() -> None:
    board = load_board("europe")
    placed = locate(photograph("europe", camera_at(board, 35, 120), bend=4.0), board, signature_of("europe"))
    points = space_points(board)
    assert np.abs(placed.unproject(placed.project(points)) - points).max() < 2e-4


@pytest.mark.parametrize("cut", ["left", "top"])
def test_a_cut_board_is_placed_and_says_what_is_missing(cut: str) -> None:
    board = load_board("europe")
    camera = camera_at(board, 5, 0, far=1.05)
    whole = photograph("europe", camera)
    gone = np.array([300, 0] if cut == "left" else [0, 300])
    pixels = np.ascontiguousarray(whole.pixels[gone[1] :, gone[0] :])
    placed = locate(Photo(pixels, 1.0, (pixels.shape[1], pixels.shape[0])), board, signature_of("europe"))
    assert placed.cut_edges == (cut,)
    points = space_points(board)
    visible = placed.visible(points)
    assert 0.6 < visible.mean() < 0.97
    off = np.linalg.norm(placed.project(points) - (camera.see(board, points) - gone), axis=1)
    assert off[visible].max() < 3


def test_a_card_over_the_board_leaves_the_rest_in_place() -> None:
    board = load_board("europe")
    camera = camera_at(board, 10, 0)
    photo = photograph("europe", camera)
    cv2.rectangle(photo.pixels, (500, 300), (900, 800), (40, 90, 200), -1)
    placed = locate(photo, board, signature_of("europe"))
    off = misplaced_mm(placed, "europe", camera.see(board, space_points(board)))
    assert off.max() < 2.5


def test_a_dim_photo_is_still_found() -> None:
    board = load_board("europe")
    photo = photograph("europe", camera_at(board, 20, 0))
    dim = Photo((photo.pixels * 0.12).astype(np.uint8), 1.0, SIZE)
    assert locate(dim, board, signature_of("europe")).sure > 0.8


def nonsense(kind: str) -> NDArray[np.uint8]:
    rng = np.random.default_rng(4)
    board = load_board("europe")
    photo = photograph("europe", camera_at(board, 5, 0, far=1.0)).pixels
    pictures: dict[str, Callable[[], NDArray[Any]]] = {
        "black": lambda: np.zeros((900, 1200, 3), np.uint8),
        "noise": lambda: rng.integers(0, 256, (900, 1200, 3)).astype(np.uint8),
        "table": lambda: np.asarray(
            cv2.resize(rng.integers(0, 256, (30, 40, 3)).astype(np.uint8), (1200, 900), interpolation=cv2.INTER_CUBIC)
        ),
        "other board": lambda: photograph("usa", camera_at(load_board("usa"), 10, 0)).pixels,
        "half a board": lambda: np.ascontiguousarray(photo[:, 830:]),
        "mirrored": lambda: np.ascontiguousarray(photo[:, ::-1]),
        "blurred": lambda: np.asarray(cv2.GaussianBlur(photo, (0, 0), 25), np.uint8),
    }
    return np.asarray(pictures[kind](), np.uint8)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("black", "too dark"),
        ("noise", "No board"),
        ("table", "No board|too blurred"),
        ("other board", "No board"),
        ("half a board", "its left edge"),
        ("mirrored", "No board"),
        ("blurred", "too blurred"),
    ],
)
def test_refuses_what_is_no_board(kind: str, reason: str) -> None:
    pixels = nonsense(kind)
    photo = Photo(pixels, 1.0, (pixels.shape[1], pixels.shape[0]))
    with pytest.raises(LocateError, match=reason):
        locate(photo, load_board("europe"), signature_of("europe"))


def test_given_corners_are_refined_by_the_print() -> None:
    board = load_board("europe")
    camera = camera_at(board, 20, 180)
    truth = camera.see(board, UNIT_CORNERS)
    rough = truth + np.array([[9, -7], [-8, 6], [7, 9], [-6, -9]])
    placed = locate(photograph("europe", camera), board, signature_of("europe"), corners=rough)
    assert np.abs(placed.corners - truth).max() < 3


def test_given_corners_stand_alone_where_the_print_is_unknown() -> None:
    board = load_board("europe")
    camera = camera_at(board, 20, 0)
    corners = camera.see(board, UNIT_CORNERS)
    photo = Photo(np.full((1200, 1600, 3), 128, np.uint8), 1.0, SIZE)
    placed = locate(photo, board, signature_of("europe"), corners=corners)
    assert placed.found == 0 and placed.sure <= 0.5
    assert np.abs(placed.corners - corners).max() < 0.01


def test_given_corners_are_in_pixels_of_the_full_photo() -> None:
    board = load_board("europe")
    camera = camera_at(board, 20, 0)
    half = Photo(np.full((600, 800, 3), 128, np.uint8), 2.0, SIZE)
    placed = locate(half, board, signature_of("europe"), corners=camera.see(board, UNIT_CORNERS))
    assert np.abs(half.to_full(placed.corners) - camera.see(board, UNIT_CORNERS)).max() < 0.01


@pytest.mark.parametrize(
    "corners",
    [
        [[0, 0], [100, 0], [100, 100]],
        [[0, 0], [0, 0], [0, 0], [0, 0]],
        [[10, 10], [10, 900], [1500, 900], [1500, 10]],
        [[10, 10], [1500, 900], [1500, 10], [10, 900]],
        [[float("nan"), 0], [900, 0], [900, 900], [0, 900]],
    ],
)
def test_impossible_corners_are_refused(corners: list[list[float]]) -> None:
    photo = Photo(print_of("europe"), 1.0, (1400, 933))
    with pytest.raises(LocateError, match="corners"):
        locate(photo, load_board("europe"), signature_of("europe"), corners=np.array(corners, np.float64))


REAL = sorted(SHARED.glob("*/*.jpg"))


@pytest.mark.skipif(not REAL, reason="the measuring photos are not here")
@pytest.mark.parametrize("path", REAL, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_finds_every_measuring_photo(path: Path) -> None:
    board = load_board(path.parent.name)
    signature = Signature.load(bundled_maps() / board.id / "signature.npz")
    photo = read_photo(path)
    placed = locate(photo, board, signature)
    assert placed.sure > 0.9 and placed.error_mm < 1.5
    assert placed.visible(space_points(board)).all()

"""A signature holds the right numbers, survives the disk, and a damaged file is told apart."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration.signature import flatten, make_signature
from companion.board import bundled_maps, load_board
from companion.errors import BoardError, LocateError
from companion.vision.signature import Signature
from tests.vision.table import print_of, signature_of


def test_keypoints_are_many_and_spread() -> None:
    signature = signature_of("europe")
    assert 1500 <= len(signature.points) <= 3200
    counts, _, _ = np.histogram2d(signature.points[:, 0], signature.points[:, 1], bins=(6, 4), range=((0, 1), (0, 1)))
    assert counts.min() > 15
    assert signature.points.min() > 0 and signature.points.max() < 1
    assert signature.descriptors.dtype == np.uint8


def test_the_same_print_gives_the_same_signature() -> None:
    again = signature_of.__wrapped__("europe")
    assert np.array_equal(again.points, signature_of("europe").points)
    assert np.array_equal(again.descriptors, signature_of("europe").descriptors)


def test_survives_the_disk(tmp_path: Path) -> None:
    figures: dict[str, Any] = {"space_colours": np.arange(12, dtype=np.float32).reshape(4, 3)}
    signature = dataclasses.replace(signature_of("europe"), figures=figures)
    path = tmp_path / "signature.npz"
    signature.save(path)
    back = Signature.load(path)
    assert path.stat().st_size < 600_000
    assert np.abs(back.points - signature.points).max() < 1e-4
    assert np.array_equal(back.descriptors, signature.descriptors)
    assert np.allclose(back.sizes, signature.sizes, rtol=1e-3) and np.allclose(back.angles, signature.angles, atol=0.3)
    assert np.array_equal(back.figures["space_colours"], figures["space_colours"])
    assert back.aspect == signature.aspect


def stored(**changes: Any) -> dict[str, Any]:
    count = 50
    arrays: dict[str, Any] = {
        "format": np.int32(1),
        "aspect": np.float64(1.5),
        "points": np.full((count, 2), 30000, np.int32),
        "sizes": np.full(count, 0.01, np.float16),
        "angles": np.zeros(count, np.float16),
        "descriptors": np.zeros((count, 128), np.uint8),
    }
    return {name: value for name, value in (arrays | changes).items() if value is not None}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"descriptors": np.zeros((50, 64), np.uint8)}, "do not fit"),
        ({"points": np.zeros((0, 2), np.int32)}, "do not fit"),
        ({"sizes": np.zeros(50, np.float16)}, "impossible"),
        ({"sizes": np.full(50, np.nan, np.float16)}, "impossible"),
        ({"points": np.full((50, 2), 9_000_000, np.int32)}, "impossible"),
        ({"aspect": np.float64(0)}, "impossible"),
        ({"descriptors": np.zeros((50, 128), np.float32)}, "impossible"),
        ({"format": np.int32(99)}, "another version"),
        ({"aspect": None}, "cannot be read"),
        ({"points": np.array([{"a": 1}])}, "cannot be read"),
        ({"figure_huge": np.zeros(4_000_000)}, "too large"),
    ],
)
def test_damaged_files_are_refused(changes: dict[str, Any], reason: str, tmp_path: Path) -> None:
    path = tmp_path / "signature.npz"
    np.savez_compressed(path, **stored(**changes))
    with pytest.raises(BoardError, match=reason):
        Signature.load(path)


def test_a_whole_stored_file_loads(tmp_path: Path) -> None:
    path = tmp_path / "signature.npz"
    np.savez_compressed(path, **stored())
    assert len(Signature.load(path).points) == 50


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04" + bytes(40), bytes(3_000_000)])
def test_other_files_are_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "signature.npz"
    path.write_bytes(content)
    with pytest.raises(BoardError):
        Signature.load(path)
    with pytest.raises(BoardError):
        Signature.load(tmp_path / "missing.npz")


def test_a_blank_picture_gives_no_signature() -> None:
    with pytest.raises(LocateError, match="too little detail"):
        make_signature([np.full((800, 1200, 3), 200, np.uint8)], 1.5)


def test_flatten_takes_the_board_out_of_a_photo() -> None:
    flat = print_of("europe")
    height, width = flat.shape[:2]
    turned = np.ascontiguousarray(flat[::-1, ::-1])
    corners = np.array([[width, height], [0, height], [0, 0], [width, 0]]) - 0.5
    back = flatten(turned, corners, 1.5, width)
    assert np.abs(back[:, :width].astype(int) - flat[: back.shape[0]]).mean() < 3


@pytest.mark.parametrize("map_id", ["europe", "usa", "marklin", "new-york"])
def test_bundled_signatures_fit_their_boards(map_id: str) -> None:
    path = bundled_maps() / map_id / "signature.npz"
    signature = Signature.load(path)
    assert path.stat().st_size < 600_000
    assert signature.aspect == pytest.approx(load_board(map_id).aspect)
    assert len(signature.points) > 2000

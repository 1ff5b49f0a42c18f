"""A known network on prints this project draws: other art, another frame, moved spaces, any way up."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.calibrate import calibrate_like, overlay
from companion.art import draw_board
from companion.board import folder_faults, load_board
from companion.cli import main
from companion.errors import CalibrationError
from companion.vision.photo import read_photo
from companion.vision.signature import Signature
from tests.drawn import STYLES, Pixels, photograph, reprint


def _saved(pixels: Pixels, path: Path) -> Path:
    cv2.imwrite(str(path), pixels)
    return path


def _quiet(stage: str) -> None:
    pass


MISSED = pytest.mark.xfail(
    cv2.__version__.startswith("4."), reason="OpenCV 4 takes a line of the print for this tilted board's lower edge"
)


@pytest.mark.parametrize(
    ("style", "crop", "bend", "tilt", "turn"),
    [
        ("plain", 0.0, 0.0, 0.0, 0.0),
        ("night", 0.015, 0.4, 20.0, 175.0),
        pytest.param("meadow", -0.03, 0.4, 30.0, 10.0, marks=MISSED),
    ],
)
def test_every_space_lands_on_its_print(
    tmp_path: Path, style: str, crop: float, bend: float, tilt: float, turn: float
) -> None:
    known = load_board("new-york")
    other = reprint(known, 5, crop, bend, bend / 2)
    drawn = draw_board(other, 1000, STYLES[style])
    photo = photograph(drawn, 5, tilt=tilt, turn=turn)[0] if tilt else drawn
    made = calibrate_like(_saved(photo, tmp_path / "photo.jpg"), known, tmp_path / "map", None, _quiet)
    truth = np.array([[s.x * other.aspect, s.y] for s in other.spaces])
    found = np.array([[s.x * other.aspect, s.y] for s in made.board.spaces])
    off = np.linalg.norm(truth - found, axis=1) / other.space_size[1]
    assert np.mean(off < 0.25) >= 0.98
    assert off.max() < 0.5
    assert folder_faults(tmp_path / "map") == []
    signature = Signature.load(tmp_path / "map" / "signature.npz")
    assert {"space_colors", "city_colors"} <= set(signature.figures)
    assert overlay(made, 800).shape[1] == 800


def test_given_corners_are_kept(tmp_path: Path) -> None:
    known = load_board("new-york")
    photo, corners = photograph(draw_board(known, 1000, STYLES["desert"]), 8, tilt=25.0, turn=90.0)
    path = _saved(photo, tmp_path / "photo.jpg")
    made = calibrate_like(path, known, tmp_path / "map", corners, _quiet)
    off = [np.hypot((a.x - b.x) * known.aspect, a.y - b.y) for a, b in zip(made.board.spaces, known.spaces, strict=True)]
    assert max(off) < 0.25 * known.space_size[1]


def test_refusals_leave_nothing_behind(tmp_path: Path) -> None:
    known = load_board("new-york")
    drawn = draw_board(known, 900, STYLES["plain"])
    pieces = drawn.copy()
    for route in list(known.routes.values())[::2]:
        for space in route.spaces:
            spot = (space.x * 900, space.y * 900 / known.aspect)
            box = cv2.boxPoints((spot, (72.0, 26.0), space.angle)).astype(np.int32)
            cv2.fillConvexPoly(pieces, box, (30, 200, 240) if route.color != "yellow" else (160, 40, 30))
    bad = {
        "blurred": (cv2.GaussianBlur(drawn, (0, 0), 7), "blurred"),
        "noise": (np.random.default_rng(1).integers(0, 255, (900, 700, 3)).astype(np.uint8), "not found"),
        "played": (pieces, "empty|pieces"),
        "cut": (drawn[: drawn.shape[0] // 2], "cut off|part|not found"),
    }
    for name, (pixels, why) in bad.items():
        path = _saved(np.asarray(pixels, np.uint8), tmp_path / f"{name}.png")
        with pytest.raises(CalibrationError, match=why):
            calibrate_like(path, known, tmp_path / "out" / name, None, _quiet)
    assert not list((tmp_path / "out").glob("*")) if (tmp_path / "out").exists() else True


def test_the_command_says_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thing").write_text("x")
    photo = _saved(draw_board(load_board("new-york"), 500), tmp_path / "photo.png")
    assert main(["calibrate", str(photo), "--like", "new-york", "--out", str(tmp_path / "full")]) == 1
    assert main(["calibrate", str(tmp_path / "none.jpg"), "--like", "usa", "--out", str(tmp_path / "o")]) == 1
    assert len(capsys.readouterr().err.strip().splitlines()) == 2
    assert not (tmp_path / "o").exists()
    assert read_photo(photo).size[0] == 500

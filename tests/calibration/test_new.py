"""A board never seen, drawn by this project: its spaces, cities, routes and names."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.calibrate import calibrate_new
from calibration.letters import can_read
from calibration.printed import printed_colors
from companion.art import INKS, draw_board
from companion.board import folder_faults, load_board
from companion.errors import CalibrationError
from tests.drawn import STYLES, photograph


def test_a_drawn_board_is_drafted(tmp_path: Path) -> None:
    truth = load_board("new-york")
    path = tmp_path / "empty.png"
    cv2.imwrite(str(path), draw_board(truth, 1000, STYLES["plain"]))
    stages: list[str] = []
    made = calibrate_new(path, "My Island", load_board("usa"), tmp_path / "map", None, stages.append).board
    assert folder_faults(tmp_path / "map") == []
    assert made.id == "my-island" and made.rules.trains == 45 and len(stages) >= 4
    cities = np.array([[c.x * truth.aspect, c.y] for c in truth.cities.values()])
    found = np.array([[c.x * truth.aspect, c.y] for c in made.cities.values()])
    assert np.mean(np.linalg.norm(cities[:, None] - found[None], axis=2).min(axis=1) < 0.5 * truth.space_size[1]) > 0.9
    spaces = np.array([[s.x * truth.aspect, s.y] for s in truth.spaces])
    placed = np.array([[s.x * truth.aspect, s.y] for s in made.spaces])
    assert np.mean(np.linalg.norm(spaces[:, None] - placed[None], axis=2).min(axis=1) < 0.5 * truth.space_size[1]) > 0.8
    if can_read():
        read = {city.name.casefold() for city in made.cities.values()}
        assert sum(city.name.casefold() in read for city in truth.cities.values()) >= 7


def test_printed_colors_are_named_under_warm_light() -> None:
    names = [name for name in INKS if name not in ("pink", "brown")]
    bgr = np.array([INKS[name] for name in names for _ in range(2)] + [INKS["gray"]] * 8, np.float32) / 255
    warm = (bgr * np.array([0.85, 0.97, 1.0], np.float32)).reshape(-1, 1, 3)
    lab = cv2.cvtColor(warm, cv2.COLOR_BGR2LAB).reshape(-1, 3).astype(np.float64)
    told, sure = printed_colors(lab, np.full(len(lab), 3, np.intp), np.full((len(lab), 2), 0.5))
    assert told[:-8:2] == names
    assert set(told[-8:]) == {"gray"} and sure.shape == (len(lab),)


def test_a_picture_without_spaces_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "stripes.png"
    cv2.imwrite(
        str(path), np.tile(np.repeat(np.array([[[40, 90, 160], [200, 190, 20]]], np.uint8), 20, axis=1), (600, 20, 1))
    )
    with pytest.raises(CalibrationError):
        calibrate_new(path, "Nothing", load_board("usa"), tmp_path / "map", None, lambda stage: None)
    assert not (tmp_path / "map").exists()


def test_a_board_with_pieces_on_it_is_refused(tmp_path: Path) -> None:
    board = load_board("new-york")
    picture = draw_board(board, 1000, STYLES["plain"])
    for number, route in enumerate(list(board.routes.values())[::2]):
        for space in route.spaces:
            spot = np.array([space.x * 1000, space.y * 1000 / board.aspect])
            ink = np.array([40.0, 50, 200] if number % 4 else [190.0, 90, 30])
            layers = [(np.array([2.0, 4]), 0.15, 1.1), *((np.array([0.5, -1.2]) * k, 0.5, 1.0) for k in range(8))]
            for step, share, grow in (*layers, (np.array([4.0, -9.6]), 1.0, 1.0)):
                box = cv2.boxPoints(((spot + step).tolist(), (84.0 * grow, 25.0 * grow), space.angle + 2)).astype(np.int32)
                cv2.fillConvexPoly(picture, box, (ink * share).tolist(), cv2.LINE_AA)
            shine = cv2.boxPoints(((spot + np.array([4.0, -9.6])).tolist(), (76.0, 10.0), space.angle + 2)).astype(np.int32)
            cv2.fillConvexPoly(picture, shine, (ink * 0.9 + 50).tolist(), cv2.LINE_AA)
    path = tmp_path / "played.png"
    cv2.imwrite(str(path), picture)
    with pytest.raises(CalibrationError, match="not empty"):
        calibrate_new(path, "Played", load_board("usa"), tmp_path / "map", None, lambda stage: None)
    assert not (tmp_path / "map").exists()


def test_blurred_and_cut_off_boards_are_refused(tmp_path: Path) -> None:
    board = load_board("new-york")
    drawn = draw_board(board, 1000, STYLES["plain"])
    photo, _ = photograph(drawn, 4, tilt=15.0, turn=0.0)
    for name, pixels, why in (
        ("blurred", cv2.GaussianBlur(photo, (0, 0), 8), "blurred"),
        ("cut", photo[:, : photo.shape[1] // 2], "cut off"),
    ):
        path = tmp_path / f"{name}.png"
        cv2.imwrite(str(path), pixels)
        with pytest.raises(CalibrationError, match=why):
            calibrate_new(path, "Bad", load_board("usa"), tmp_path / name, None, lambda stage: None)
        assert not (tmp_path / name).exists()

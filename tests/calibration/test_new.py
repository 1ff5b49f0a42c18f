"""A board never seen, drawn by this project: its spaces, cities, routes and names."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.calibrate import calibrate_new
from calibration.names import can_read
from calibration.printed import printed_colors
from companion.art import INKS, draw_board
from companion.board import folder_faults, load_board
from companion.errors import CalibrationError
from tests.drawn import STYLES


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
    told, sure = printed_colors(lab, np.full(len(lab), 3, np.intp))
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

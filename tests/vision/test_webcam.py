"""Frames while one aims, then one photo in full; and what is said when there is no camera, or no more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.errors import PhotoError
from companion.vision import webcam


class FakeCapture:
    """A camera that sees a number of frames, each brighter than the last, and then nothing."""

    def __init__(self, frames: int, size: tuple[int, int] = (1920, 1080)) -> None:
        self.frames, self.size, self.released = frames, size, False
        self.count = 0

    def read(self) -> tuple[bool, Any]:
        self.count += 1
        seen = np.full((self.size[1], self.size[0], 3), min(10 * self.count, 250), np.uint8)
        return self.count <= self.frames, seen

    def release(self) -> None:
        self.released = True


def test_frames_are_small_and_the_photo_is_whole(tmp_path: Path) -> None:
    camera = FakeCapture(99)
    shown: list[Any] = []
    out = webcam.watch(camera, lambda: len(shown) == 4, tmp_path / "board.jpg", shown.append)
    assert [frame.shape for frame in shown] == [(540, 960, 3)] * 4
    kept = np.asarray(cv2.imread(str(out)))
    assert kept.shape == (1080, 1920, 3) and abs(int(kept.mean()) - 40) <= 2
    assert camera.released


def test_a_small_camera_is_not_enlarged(tmp_path: Path) -> None:
    shown: list[Any] = []
    webcam.watch(FakeCapture(9, (320, 240)), lambda: True, tmp_path / "board.jpg", shown.append)
    assert shown[0].shape == (240, 320, 3)


def test_a_camera_that_falls_silent_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webcam, "PATIENCE", 0.2)
    camera = FakeCapture(2)
    with pytest.raises(PhotoError, match="has stopped"):
        webcam.watch(camera, lambda: False, tmp_path / "board.jpg", lambda frame: None)
    assert camera.released


def test_calling_it_off_frees_the_camera(tmp_path: Path) -> None:
    camera = FakeCapture(99)

    def enough(frame: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        webcam.watch(camera, lambda: False, tmp_path / "board.jpg", enough)
    assert camera.released


def test_no_camera_is_said_in_a_sentence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(PhotoError, match="No webcam answers"):
        webcam.open_webcam(str(tmp_path / "none.avi"))
    assert capfd.readouterr().err == ""

"""Pieces learned from a photo."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from calibration.palette import learn_palette, set_palette
from companion.board import bundled_maps, load_board
from companion.errors import CalibrationError
from companion.vision.photo import Photo


def test_pieces_are_learned(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    pixels = np.full((600, 800, 3), 150, np.uint8)
    looks = {"magenta": (200, 40, 150), "brown": (110, 70, 40), "silver": (170, 172, 176)}
    spots = {"magenta": (100.0, 100.0), "brown": (300.0, 200.0), "silver": (500.0, 400.0)}
    for name, (x, y) in spots.items():
        pixels[int(y) - 6 : int(y) + 6, int(x) - 14 : int(x) + 14] = looks[name][::-1]
    noisy = np.clip(pixels + rng.normal(0, 5, pixels.shape), 0, 255).astype(np.uint8)
    palette = learn_palette(Photo(noisy, 1.0, (800, 600)), {name: [spot] for name, spot in spots.items()})
    for name, rgb in palette.items():
        assert max(abs(a - b) for a, b in zip(rgb, looks[name], strict=True)) < 12
    folder = tmp_path / "map"
    folder.mkdir()
    for name in ("board.json", "tickets.json", "signature.npz"):
        shutil.copy(bundled_maps() / "new-york" / name, folder / name)
    set_palette(folder, palette)
    assert load_board(folder).rules.colors == ("magenta", "brown", "silver")
    with pytest.raises(CalibrationError):
        learn_palette(Photo(noisy, 1.0, (800, 600)), {"red": [(5000.0, 2.0)]})

"""Learns what each player's pieces look like, from a photo in which someone points at one of each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.editing import Rgb, with_pieces
from companion.board import folder_faults
from companion.check import ID
from companion.errors import BoardError, CalibrationError
from companion.vision.photo import Photo

Floats = NDArray[np.float64]

_REACH = 0.011
"""How far from the point a piece is expected to reach, as a share of the photo's long side."""


def piece_color(photo: Photo, point: tuple[float, float]) -> Rgb:
    """The colour (red, green, blue) of the piece at a point of the full upright photo.

    A piece has a bright top, darker sides and glints: the commonest colour around the point is taken, not the mean.
    """
    x, y = photo.from_full(np.array([point], np.float64))[0]
    width, height = photo.size
    if not (0 <= x < width and 0 <= y < height):
        raise CalibrationError("The point {x:.0f},{y:.0f} lies outside the photo; point at a piece.", x=point[0], y=point[1])
    reach = max(4, round(_REACH * max(width, height)))
    left, top = max(0, round(x) - reach), max(0, round(y) - reach)
    part = photo.pixels[top : round(y) + reach + 1, left : round(x) + reach + 1]
    lab = np.asarray(cv2.cvtColor(part.astype(np.float32) / 255, cv2.COLOR_BGR2LAB), np.float64).reshape(-1, 3)
    rows, columns = np.mgrid[0 : part.shape[0], 0 : part.shape[1]]
    near = np.exp(-(((columns - (x - left)) ** 2 + (rows - (y - top)) ** 2) / (0.5 * reach**2))).ravel()
    seed = np.average(lab, axis=0, weights=near**4)
    for _ in range(6):
        # Lightness varies over a piece; its hue hardly does.
        off = np.linalg.norm((lab - seed) * np.array([0.5, 1, 1]), axis=1)
        weight = near * np.exp(-0.5 * (off / 9) ** 2)
        seed = np.average(lab, axis=0, weights=weight + 1e-9)
    rgb = cv2.cvtColor(seed.astype(np.float32).reshape(1, 1, 3), cv2.COLOR_LAB2RGB)[0, 0] * 255
    red, green, blue = (int(np.clip(round(float(c)), 0, 255)) for c in rgb)
    return red, green, blue


def learn_palette(photo: Photo, pieces: Mapping[str, list[tuple[float, float]]]) -> dict[str, Rgb]:
    """The palette of a box: for each named colour the median over the pieces pointed at."""
    palette: dict[str, Rgb] = {}
    for name, points in pieces.items():
        if not ID.fullmatch(name):
            raise CalibrationError("'{name}' is no name for a colour; use lower-case letters and hyphens.", name=name[:40])
        if not points:
            raise CalibrationError("Point at a {name} piece.", name=name)
        seen = np.median([piece_color(photo, point) for point in points], axis=0)
        palette[name] = int(seen[0]), int(seen[1]), int(seen[2])
    return palette


def set_palette(folder: Path, palette: Mapping[str, Rgb]) -> None:
    """Give a map folder these pieces: they become its players' colours. All or nothing."""
    path = folder / "board.json"
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        raw = with_pieces(raw, palette)
        before = path.read_bytes()
        draft = folder / ".board.json.part"
        draft.write_text(json.dumps(raw, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        draft.replace(path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BoardError("{folder} is not a map folder that can be changed; choose another.", folder=folder) from error
    faults = folder_faults(folder)
    if faults:
        path.write_bytes(before)
        raise BoardError("These pieces do not suit the board; point at others: {fault}", tuple(faults), fault=faults[0])

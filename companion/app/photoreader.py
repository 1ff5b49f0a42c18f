"""What is done at the reader's desk: companion.vision, with pictures in the form the screen wants."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.app.aside import Progress
from companion.app.reader import Order, Picture, Seen
from companion.draft import Doubt
from companion.errors import CompanionError
from companion.vision import read as vision
from companion.vision.memory import give_back
from companion.vision.overlay import closeup, save_picture, straightened
from companion.vision.photo import read_photo

BOARD_WIDTH = 1600
LEAST_SIDE = 90
"""No picture is shown smaller than this."""


def read(order: Order, folder: Path, progress: Progress) -> Seen:
    """Read the photos and keep an upright copy of each in `folder`, without what else its file tells."""
    board = order.board
    given = np.array(order.corners, np.float64) if order.corners else None
    reading = vision.read(order.photos, board, order.players, given, progress)
    give_back()
    progress("show")
    first = reading.sights[0]
    width = BOARD_WIDTH if board.aspect >= 1 else round(BOARD_WIDTH * board.aspect)
    kept = tuple(_keep(path, sight.photo.pixels, folder) for path, sight in zip(order.photos, reading.sights, strict=True))
    corners = first.placement.corners
    return Seen(
        claims=reading.claims,
        stations=reading.stations,
        doubts=tuple(Doubt(d.kind, d.id, d.options) for d in reading.uncertain),
        corners=tuple(
            (float(x), float(y)) for x, y in (first.photo.to_full(corners) if kept[0] == order.photos[0] else corners)
        ),
        board_picture=picture_of(straightened(first.photo, first.placement, board, width)),
        closeups={d.id: picture_of(closeup(first.photo, first.placement, board, d.id)) for d in reading.uncertain},
        kept=kept,
        borrowing=reading.borrowing,
    )


def upright(photo: Path, _: Progress) -> Picture:
    """A photo as it is shown to have its corners pointed out."""
    opened = read_photo(photo)
    return picture_of(opened.pixels, opened.scale)


def picture_of(pixels: NDArray[np.uint8], scale: float = 1.0) -> Picture:
    """Pixels (height, width, 3), blue first, for the screen, with the smaller sizes it may be drawn at."""
    rgb = np.ascontiguousarray(pixels[..., ::-1])
    height, width = rgb.shape[:2]
    smaller = []
    part = rgb
    while min(part.shape[:2]) >= 2 * LEAST_SIDE:
        size = part.shape[1] // 2, part.shape[0] // 2
        part = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
        smaller.append(part.tobytes())
    return Picture(width, height, rgb.tobytes(), scale, tuple(smaller))


def _keep(path: Path, pixels: NDArray[np.uint8], folder: Path) -> Path:
    """A private copy: upright pixels only, so neither place nor time nor camera stay in it."""
    if path.parent == folder:
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        number = 1
        while (copy := folder / f"{number}.jpg").exists():
            number += 1
    except OSError:
        return path
    try:
        save_picture(pixels, copy)
    except CompanionError:  # a full disk must not cost the reading
        copy.unlink(missing_ok=True)
        return path
    return copy

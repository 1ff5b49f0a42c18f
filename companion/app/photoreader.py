"""The real reader behind the app's door: companion.vision, with pictures in the form the screen wants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.app.reader import Corners, Picture, Seen
from companion.board import Board
from companion.draft import Doubt
from companion.vision.memory import give_back
from companion.vision.overlay import closeup, save_picture, straightened
from companion.vision.photo import read_photo
from companion.vision.read import read

BOARD_WIDTH = 1600


class PhotoReader:
    """Reads photos with the bundled networks; keeps an upright copy of each, without what else its file tells."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(
        self,
        photos: Sequence[Path],
        board: Board,
        players: Sequence[str],
        corners: Corners | None,
        progress: Callable[[str], None],
    ) -> Seen:
        given = np.array(corners, np.float64) if corners else None
        reading = read(photos, board, players, given, progress)
        give_back()
        progress("show")
        first = reading.sights[0]
        width = BOARD_WIDTH if board.aspect >= 1 else round(BOARD_WIDTH * board.aspect)
        return Seen(
            claims=reading.claims,
            stations=reading.stations,
            doubts=tuple(Doubt(d.kind, d.id, d.options) for d in reading.uncertain),
            corners=tuple((float(x), float(y)) for x, y in reading.corners),
            board_picture=picture_of(straightened(first.photo, first.placement, board, width)),
            closeups={d.id: picture_of(closeup(first.photo, first.placement, board, d.id)) for d in reading.uncertain},
            kept=tuple(self._keep(path, sight.photo.pixels) for path, sight in zip(photos, reading.sights, strict=True)),
        )

    def upright(self, photo: Path) -> Picture:
        opened = read_photo(photo)
        return picture_of(opened.pixels, opened.scale)

    def _keep(self, path: Path, pixels: NDArray[np.uint8]) -> Path:
        """A private copy: upright pixels only, so neither place nor time nor camera stay in it."""
        if path.parent == self.folder:
            return path
        self.folder.mkdir(parents=True, exist_ok=True)
        number = 1
        while (copy := self.folder / f"{number}.jpg").exists():
            number += 1
        save_picture(pixels, copy)
        return copy


def picture_of(pixels: NDArray[np.uint8], scale: float = 1.0) -> Picture:
    height, width = pixels.shape[:2]
    return Picture(width, height, np.ascontiguousarray(pixels[..., ::-1]).tobytes(), scale)

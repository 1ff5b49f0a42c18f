"""Makes the signatures of the bundled boards: python -m calibration.bundled PHOTOS [MAP ...]

PHOTOS holds a folder a board with its pictures of the empty board. The first is the whole board seen from straight
above, edge to edge; the others are ordinary photos, found with the first and straightened.
"""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.signature import flatten, make_signature
from companion.board import Board, bundled_maps, load_board
from companion.vision.locate import Placement, locate
from companion.vision.patches import measure_print
from companion.vision.photo import Photo, read_photo

EMPTIES = {
    "europe": ("empty.jpg",),
    "usa": ("empty-rectified.jpg", "empty.jpg"),
    "marklin": ("empty-flat.jpg",),
    "new-york": ("empty-flat.jpg",),
}
FLAT_LONG_SIDE = 1500


def main(arguments: list[str]) -> int:
    if not arguments:
        print(__doc__)
        return 2
    photos = Path(arguments[0])
    for map_id in arguments[1:] or EMPTIES:
        board = load_board(map_id)
        flats = straightened([read_photo(photos / map_id / name) for name in EMPTIES[map_id]], board)
        path = bundled_maps() / map_id / "signature.npz"
        signature = make_signature(flats, board.aspect, measure_print(flats[0], board))
        signature.save(path)
        print(f"{map_id}: {len(signature.points)} keypoints, {path.stat().st_size // 1000} kB")
    return 0


def straightened(photos: list[Photo], board: Board) -> list[NDArray[np.uint8]]:
    """Empty boards seen from straight above: the first photo is so already, the rest are found by its print."""
    whole, *others = photos
    width, height = whole.size
    edges = np.array([[0, 0], [width, 0], [width, height], [0, height]]) - 0.5
    flats = [flatten(whole.pixels, edges, board.aspect, FLAT_LONG_SIDE)]
    if others:
        first = make_signature(flats, board.aspect)
        flats += [straighten(photo, locate(photo, board, first), board.aspect) for photo in others]
    return flats


def straighten(photo: Photo, placed: Placement, aspect: float) -> NDArray[np.uint8]:
    """The board as it lies in a photo, seen from straight above, its bends taken out."""
    width = FLAT_LONG_SIDE if aspect >= 1 else round(FLAT_LONG_SIDE * aspect)
    height = round(width / aspect)
    across, down = np.meshgrid((np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / height)
    spots = placed.project(np.column_stack([across.ravel(), down.ravel()])).astype(np.float32).reshape(height, width, 2)
    left, top = np.ascontiguousarray(spots[..., 0]), np.ascontiguousarray(spots[..., 1])
    return np.asarray(cv2.remap(photo.pixels, left, top, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Words drawn into a picture, with a halo that keeps them legible on any ground."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

_HAS_UNICODE = int(cv2.__version__.split(".")[0]) >= 5
_PLAIN = str.maketrans({"ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE", "ß": "ss", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D"})
FACES = {
    "plain": cv2.FONT_HERSHEY_SIMPLEX,
    "bold": cv2.FONT_HERSHEY_DUPLEX,
    "serif": cv2.FONT_HERSHEY_COMPLEX,
    "slanted": cv2.FONT_HERSHEY_SCRIPT_SIMPLEX if _HAS_UNICODE else cv2.FONT_HERSHEY_COMPLEX | cv2.FONT_ITALIC,
}


@dataclass(frozen=True)
class Word:
    """A drawn word: its ink as (height, width) uint8, cut to the letters."""

    ink: NDArray[np.uint8]

    @property
    def size(self) -> tuple[int, int]:
        return self.ink.shape[1], self.ink.shape[0]


def plain(text: str) -> str:
    """The text with the letters of the English alphabet alone."""
    spread = unicodedata.normalize("NFD", text.translate(_PLAIN))
    return "".join(letter for letter in spread if not unicodedata.combining(letter)).encode("ascii", "replace").decode()


def draw_word(text: str, height: float, face: str = "bold") -> Word:
    """The text with capitals about `height` pixels tall; accents are left out where OpenCV cannot draw them."""
    shown = text if _HAS_UNICODE else plain(text)
    font = FACES[face]
    scale = height / 21.0
    stroke = max(1, round(height / (9 if face == "bold" else 12)))
    (width, tall), under = cv2.getTextSize(shown, font, scale, stroke)
    pad = round(height) + 4
    canvas = np.zeros((tall + under + 2 * pad, int(1.2 * width) + 2 * pad), np.uint8)
    cv2.putText(canvas, shown, (pad, pad + tall), font, scale, 255, stroke, cv2.LINE_AA)
    rows, columns = np.flatnonzero(canvas.any(axis=1)), np.flatnonzero(canvas.any(axis=0))
    if not len(rows):
        return Word(np.zeros((1, 1), np.uint8))
    return Word(np.ascontiguousarray(canvas[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]))


def put_word(
    picture: NDArray[np.uint8],
    word: Word,
    centre: tuple[float, float],
    color: tuple[int, int, int],
    halo: tuple[int, int, int] | None = None,
    halo_width: int = 0,
) -> None:
    """Lay a word over the picture around its centre; what does not fit is cut off."""
    width, height = word.size
    pad = halo_width + 2
    ink = cv2.copyMakeBorder(word.ink, pad, pad, pad, pad, cv2.BORDER_CONSTANT, value=[0])
    left, top = round(centre[0] - width / 2) - pad, round(centre[1] - height / 2) - pad
    if halo is not None and halo_width:
        disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * halo_width + 1, 2 * halo_width + 1))
        _lay(picture, cv2.GaussianBlur(cv2.dilate(ink, disc), (0, 0), max(0.5, halo_width / 4)), left, top, halo)
    _lay(picture, ink, left, top, color)


def _lay(picture: NDArray[np.uint8], ink: cv2.typing.MatLike, left: int, top: int, color: tuple[int, int, int]) -> None:
    rows, columns = ink.shape[:2]
    x0, y0 = max(0, left), max(0, top)
    x1, y1 = min(picture.shape[1], left + columns), min(picture.shape[0], top + rows)
    if x0 >= x1 or y0 >= y1:
        return
    cover = ink[y0 - top : y1 - top, x0 - left : x1 - left, None].astype(np.float32) / 255
    part = picture[y0:y1, x0:x1]
    part[:] = np.round(part * (1 - cover) + np.array(color, np.float32) * cover).astype(np.uint8)

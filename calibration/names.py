"""Reads city names off a straightened board with Tesseract, where it is installed."""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.rectangles import Pixels

Floats = NDArray[np.float64]

# Two readers share the work already; more threads within one only wait for each other.
os.environ.setdefault("OMP_THREAD_LIMIT", "1")

_LETTERS = re.compile(r"[^\W\d_][^\W_.'’-]*(?:[.'’-][^\W\d_]+)*\.?")


@dataclass(frozen=True)
class Word:
    """A word on the board: its box in pixels and how sure the reader is (0 to 1)."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    sure: float


def can_read() -> bool:
    """Whether Tesseract is there."""
    try:
        import pytesseract

        pytesseract.get_tesseract_version()
    except Exception:  # missing module, missing program, or a program that does not start
        return False
    return True


def words_in(picture: Pixels, zoom: float, layout: int = 11) -> list[Word]:
    """The words of a picture, enlarged by `zoom` for reading."""
    import pytesseract

    large = cv2.resize(picture, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_CUBIC)
    try:
        read: dict[str, list[Any]] = pytesseract.image_to_data(
            large, config=f"--psm {layout}", output_type=pytesseract.Output.DICT, timeout=20
        )
    except (RuntimeError, pytesseract.TesseractError, OSError):
        return []
    words = []
    for k, text in enumerate(read["text"]):
        found = _LETTERS.search(str(text))
        if found and len(found.group()) >= 2 and float(read["conf"][k]) > 10:
            box = [float(read[side][k]) / zoom for side in ("left", "top", "width", "height")]
            words.append(Word(found.group(), box[0], box[1], box[0] + box[2], box[1] + box[3], float(read["conf"][k]) / 100))
    return words


def upright_score(picture: Pixels) -> float:
    """How much legible text a picture holds this way up."""
    return sum(word.sure * len(word.text) for word in words_in(picture, 1.0) if len(word.text) >= 4 and word.sure > 0.6)


def without_spaces(flat: Pixels, boxes: list[NDArray[np.int32]]) -> Pixels:
    """The picture with these boxes painted over in the colour around them, so that only ground and names are left."""
    mask = np.zeros(flat.shape[:2], np.uint8)
    cv2.fillPoly(mask, boxes, 255)
    keep = (mask == 0).astype(np.float32)
    small = max(1, round(max(flat.shape) / 300))
    size = flat.shape[1] // small, flat.shape[0] // small
    weight = cv2.GaussianBlur(cv2.resize(keep, size, interpolation=cv2.INTER_AREA), (0, 0), 4)
    color = cv2.GaussianBlur(cv2.resize(flat * keep[..., None], size, interpolation=cv2.INTER_AREA), (0, 0), 4)
    around = cv2.resize(color / np.maximum(weight, 1e-3)[..., None], (flat.shape[1], flat.shape[0]))
    return np.where(mask[..., None] > 0, around, flat).astype(np.uint8)


def read_names(clean: Pixels, cities: Floats, width: float) -> list[tuple[str, float]]:
    """For every city (N, 2) its printed name and how sure it is; an empty name where none was legible."""
    zoom = float(np.clip(44 / width, 1.0, 4.0))
    half = np.array([7.5 * width, 3.6 * width])

    def around(city: Floats) -> list[Word]:
        low = np.maximum(city - half, 0).astype(int)
        high = np.minimum(city + half, [clean.shape[1], clean.shape[0]]).astype(int)
        part = np.ascontiguousarray(clean[low[1] : high[1], low[0] : high[0]])
        grey = np.asarray(cv2.cvtColor(part, cv2.COLOR_BGR2GRAY), np.uint8)
        seen = words_in(grey, zoom)
        return [Word(w.text, w.left + low[0], w.top + low[1], w.right + low[0], w.bottom + low[1], w.sure) for w in seen]

    with ThreadPoolExecutor(2) as pool:
        read = list(pool.map(around, cities))
    names: list[tuple[str, float]] = []
    for number, words in enumerate(read):
        names.append(_name([word for word in words if _nearest(word, cities) == number], cities[number], width))
    return names


def _nearest(word: Word, cities: Floats) -> int:
    return int(np.argmin([_gap(word, city) for city in cities]))


def _gap(word: Word, city: Floats) -> float:
    dx = max(word.left - city[0], 0, city[0] - word.right)
    dy = max(word.top - city[1], 0, city[1] - word.bottom)
    return float(np.hypot(dx, dy))


def _name(words: list[Word], city: Floats, width: float) -> tuple[str, float]:
    """The words beside a city as one name: the likeliest word, and those that stand with it in the same size."""
    tall = [w for w in words if 0.25 * width < w.bottom - w.top < 1.8 * width and _gap(w, city) < 2.2 * width]
    tall = [w for w in tall if len(w.text) >= 3 and w.sure > 0.25]
    if not tall:
        return "", 0.0
    first = max(tall, key=lambda w: w.sure * min(len(w.text), 6) - 0.8 * _gap(w, city) / width)
    height = first.bottom - first.top
    together = [first]
    for word in sorted(tall, key=lambda w: _gap(w, city)):
        alike = 0.65 < (word.bottom - word.top) / height < 1.5 and word.sure > 0.45
        beside = any(_close(word, other, height) for other in together)
        if word is not first and alike and beside and len(together) < 4:
            together.append(word)
    together.sort(key=lambda w: (round((w.top - first.top) / height), w.left))
    return " ".join(w.text for w in together), float(np.mean([w.sure for w in together]))


def _close(one: Word, other: Word, height: float) -> bool:
    across = max(one.left - other.right, other.left - one.right, 0)
    down = max(one.top - other.bottom, other.top - one.bottom, 0)
    same_line = abs(one.top - other.top) < 0.5 * height
    return (same_line and across < 1.2 * height) or (down < 0.7 * height and across == 0)

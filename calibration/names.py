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
    grey = np.asarray(cv2.cvtColor(clean, cv2.COLOR_BGR2GRAY), np.uint8)
    zoom = float(np.clip(30 / width, 1.0, 2.5))
    best: list[tuple[str, float]] = [("", 0.0)] * len(cities)
    for plain in (grey, 255 - grey):
        paper = np.asarray(cv2.medianBlur(plain, min(255, 2 * round(2.2 * width) + 1)), np.uint8)
        level = np.clip(plain.astype(np.float32) / np.maximum(paper, 30) * 215, 0, 255).astype(np.uint8)
        lines = [line for line in _lines(plain, paper, cities, width) if min(_gap(line, c) for c in cities) < 3.2 * width]
        with ThreadPoolExecutor(2) as pool:
            whole = [pool.submit(words_in, picture, zoom) for picture in (clean if plain is grey else plain, level)]
            read = list(pool.map(lambda line: _read_line(level, line, width), lines))  # noqa: B023 - mapped before the next round
        seen = _distinct([word for words in (*(job.result() for job in whole), *read) for word in words])
        for number, city in enumerate(cities):
            found = _name([word for word in seen if _nearest(word, cities) == number], seen, city, width)
            if found[1] * len(found[0]) > best[number][1] * len(best[number][0]):
                best[number] = found
        if sum(sure > 0.5 for _, sure in best) > 0.3 * len(cities):
            break
    return best


def _distinct(words: list[Word]) -> list[Word]:
    """Of several readings of one place, the surest and longest."""
    kept: list[Word] = []
    for word in sorted(words, key=lambda w: -w.sure * min(len(w.text), 8)):
        if all(_shared(word, other) < 0.35 for other in kept):
            kept.append(word)
    return kept


def _shared(one: Word, other: Word) -> float:
    """The share of the smaller word's box that both cover."""
    across = min(one.right, other.right) - max(one.left, other.left)
    down = min(one.bottom, other.bottom) - max(one.top, other.top)
    least = min((w.right - w.left) * (w.bottom - w.top) for w in (one, other))
    return max(0.0, across) * max(0.0, down) / max(least, 1.0)


def _lines(grey: Pixels, paper: Pixels, cities: Floats, width: float) -> list[Word]:
    """Where letters of a likely size stand in a row, as words without a text yet."""
    ink = (paper.astype(np.int16) - grey > 38).astype(np.uint8)
    for x, y in cities:
        cv2.circle(ink, (round(x), round(y)), round(0.8 * width), 0, -1)
    count, marks, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    wide, tall = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]
    letter = (
        (tall > 0.28 * width) & (tall < 1.25 * width) & (wide < 4.5 * width) & (stats[:, cv2.CC_STAT_AREA] > 0.03 * width**2)
    )
    letter[0] = False
    letters = letter[marks].astype(np.uint8) if count else ink
    joined = cv2.morphologyEx(letters, cv2.MORPH_CLOSE, np.ones((1, 2 * round(0.32 * width) + 1), np.uint8))
    _, _, rows, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    lines = []
    for left, top, across, down, area in rows[1:]:
        if across > 1.0 * width and 0.3 * width < down < 1.5 * width and area > 0.25 * across * down:
            lines.append(Word("", float(left), float(top), float(left + across), float(top + down), 0.0))
    return lines


def _read_line(level: Pixels, line: Word, width: float) -> list[Word]:
    """The words of one line of letters."""
    pad = 0.3 * width
    left, top = max(0, int(line.left - pad)), max(0, int(line.top - pad))
    part = np.ascontiguousarray(level[top : int(line.bottom + pad) + 1, left : int(line.right + pad) + 1])
    zoom = float(np.clip(40 / max(line.bottom - line.top, 4.0), 1.0, 6.0))
    framed = np.asarray(cv2.copyMakeBorder(part, 6, 6, 6, 6, cv2.BORDER_CONSTANT, value=[225]), np.uint8)
    seen = words_in(framed, zoom, 7)
    return [Word(w.text, w.left + left - 6, w.top + top - 6, w.right + left - 6, w.bottom + top - 6, w.sure) for w in seen]


def _nearest(word: Word, cities: Floats) -> int:
    return int(np.argmin([_gap(word, city) for city in cities]))


def _gap(word: Word, city: Floats) -> float:
    dx = max(word.left - city[0], 0, city[0] - word.right)
    dy = max(word.top - city[1], 0, city[1] - word.bottom)
    return float(np.hypot(dx, dy))


def _name(words: list[Word], everywhere: list[Word], city: Floats, width: float) -> tuple[str, float]:
    """The words beside a city as one name: the likeliest word, and those that stand with it."""
    near = [w for w in words if 0.25 * width < w.bottom - w.top < 2.2 * width and _gap(w, city) < 3.6 * width]
    near = [w for w in near if len(w.text) >= 2 and w.sure > 0.25]
    if not near:
        return "", 0.0
    first = max(near, key=lambda w: w.sure * min(len(w.text), 6) - 0.8 * _gap(w, city) / width)
    if len(first.text) < 3:
        return "", 0.0
    together = [first]
    for _ in range(3):
        for word in everywhere:
            stands_with = any(_close(word, other, width) for other in together)
            if word not in together and word.sure > 0.45 and stands_with and len(together) < 4:
                together.append(word)
    lines: list[list[Word]] = []
    for word in sorted(together, key=lambda w: w.top + w.bottom):
        if lines and _same_line(word, lines[-1][0]):
            lines[-1].append(word)
        else:
            lines.append([word])
    ordered = [word for line in lines for word in sorted(line, key=lambda w: w.left)]
    return " ".join(w.text.rstrip(".") if len(w.text) > 4 else w.text for w in ordered), float(
        np.mean([w.sure for w in ordered])
    )


def _same_line(one: Word, other: Word) -> bool:
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    return shared > 0.5 * min(one.bottom - one.top, other.bottom - other.top)


def _close(one: Word, other: Word, width: float) -> bool:
    across = max(one.left - other.right, other.left - one.right)
    down = max(one.top - other.bottom, other.top - one.bottom)
    return (_same_line(one, other) and across < 0.9 * width) or (down < 0.5 * width and across < -0.4 * width)

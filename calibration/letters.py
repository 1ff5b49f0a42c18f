"""Runs Tesseract over many pictures of one line each, in a few calls."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.rectangles import Pixels

# Two readers share the work already; more threads within one only wait for each other.
os.environ.setdefault("OMP_THREAD_LIMIT", "1")

_WORD = re.compile(r"[^\W\d_][^\W_.'’-]*(?:[.'’-][^\W\d_]+)*\.?")
_LETTERS = re.compile(r"[^\W\d_](?:[^\W\d_]|[.'’-](?=[^\W\d_]))*\.?")
_PATIENCE = 25.0


def can_read() -> bool:
    """Whether Tesseract is there."""
    try:
        import pytesseract

        pytesseract.get_tesseract_version()
    except Exception:  # missing module, missing program, or a program that does not start
        return False
    return True


@lru_cache(maxsize=1)
def languages() -> tuple[str, ...]:
    """The alphabets to read with: Latin letters with their accents and the old German ones, where they are installed."""
    import pytesseract

    try:
        there = set(pytesseract.get_languages())
    except Exception:  # as above
        there = set()
    chosen = [next((name for name in ("Latin", "script/Latin", "deu", "fra") if name in there), "eng")]
    chosen += [name for name in ("Fraktur", "script/Fraktur", "frk") if name in there][:1]
    return tuple(chosen)


@dataclass(frozen=True)
class Word:
    """A word in a picture: its box in pixels and how sure the reader is (0 to 1)."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    sure: float


def words_in(picture: Pixels, zoom: float, layout: int = 11) -> list[Word]:
    """The words of a whole picture, enlarged by `zoom` for reading."""
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
        found = _WORD.search(str(text))
        if found and len(found.group()) >= 2 and float(read["conf"][k]) > 10:
            box = [float(read[side][k]) / zoom for side in ("left", "top", "width", "height")]
            words.append(Word(found.group(), box[0], box[1], box[0] + box[2], box[1] + box[3], float(read["conf"][k]) / 100))
    return words


def read_lines(jobs: Sequence[tuple[str, Sequence[Pixels]]]) -> list[list[tuple[str, float]]]:
    """For every job (a language and pictures of a line each) the text of each picture and how sure it is, 0 to 1."""
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda job: _read(*job), jobs))


def _read(language: str, pictures: Sequence[Pixels]) -> list[tuple[str, float]]:
    import pytesseract

    if not pictures:
        return []
    with tempfile.TemporaryDirectory(prefix="letters-") as scratch:
        names = []
        for number, picture in enumerate(pictures):
            names.append(f"{scratch}/{number:04d}.png")
            cv2.imwrite(names[-1], picture, [cv2.IMWRITE_PNG_COMPRESSION, 1])
        (Path(scratch) / "lines.txt").write_text("\n".join(names) + "\n", encoding="utf-8")
        try:
            read: dict[str, list[Any]] = pytesseract.image_to_data(
                f"{scratch}/lines.txt",
                lang=language,
                config="--psm 7",
                output_type=pytesseract.Output.DICT,
                timeout=_PATIENCE,
            )
        except (RuntimeError, pytesseract.TesseractError, OSError):
            return [("", 0.0)] * len(pictures)
    words: list[list[tuple[str, float]]] = [[] for _ in pictures]
    for page, text, sure in zip(read["page_num"], read["text"], read["conf"], strict=True):
        found = max(_LETTERS.findall(str(text)), key=len, default="")
        if found and float(sure) > 0:
            words[int(page) - 1].append((found, float(sure) / 100))
    return [_joined(line) for line in words]


def _joined(words: list[tuple[str, float]]) -> tuple[str, float]:
    """The words of a line as one text; specks read as a letter or two at its ends are left out."""
    words = [word for word in words if len(word[0]) > 1 or word[1] > 0.8]
    for end in (0, -1):
        while len(words) > 1 and len(words[end][0]) <= 3 and (words[end][1] < 0.75 or words[end][0].islower()):
            words.pop(end)
    if not words:
        return "", 0.0
    sure = float(np.average([sure for _, sure in words], weights=[len(text) for text, _ in words]))
    return " ".join(text.rstrip(".") if len(text) > 4 else text for text, _ in words), sure

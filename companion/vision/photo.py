"""The one gate for pictures: a file or its bytes become upright pixels, or one clear sentence."""

from __future__ import annotations

import importlib
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import PhotoError
from companion.vision.header import Header, read_header

MOST_BYTES = 80_000_000
MOST_PIXELS = 120_000_000
MOST_HELD = 210_000_000
"""The most bytes a decoder may hold at once: those of a 52-megapixel picture that can only be decoded as a whole."""
MOST_HELD_ON_PHONE = 155_000_000
"""The same on a phone, where the screens live in the same process: 38 megapixels. An ordinary JPEG holds next to nothing."""
LEAST_SIDE = 200
MOST_SLENDER = 50
"""A picture this many times longer than wide shows no board."""
LONG_SIDE = 2600
"""The longest side of a working photo; larger pictures are shrunk."""

_SMALL_ENOUGH = 1700
_HUSHING = threading.RLock()
_REDUCED = {2: cv2.IMREAD_REDUCED_COLOR_2, 4: cv2.IMREAD_REDUCED_COLOR_4, 8: cv2.IMREAD_REDUCED_COLOR_8}
_TURNS = {3: cv2.ROTATE_180, 4: cv2.ROTATE_180, 5: cv2.ROTATE_90_CLOCKWISE, 6: cv2.ROTATE_90_CLOCKWISE}
_TURNS |= {7: cv2.ROTATE_90_COUNTERCLOCKWISE, 8: cv2.ROTATE_90_COUNTERCLOCKWISE}
_MIRRORED = (2, 4, 5, 7)


@dataclass(frozen=True)
class Photo:
    """A picture ready to be read.

    pixels: (height, width, 3) uint8, BGR, upright, its long side at most LONG_SIDE
    scale: pixels of the full upright picture per pixel of this one
    full_size: width and height of the full upright picture
    """

    pixels: NDArray[np.uint8]
    scale: float
    full_size: tuple[int, int]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the working pixels."""
        return self.pixels.shape[1], self.pixels.shape[0]

    def to_full(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Working pixels (N, 2) as pixels of the full upright picture."""
        return (points + 0.5) * self.scale - 0.5

    def from_full(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Pixels (N, 2) of the full upright picture as working pixels."""
        return (points + 0.5) / self.scale - 0.5


def read_photo(source: str | Path | bytes, long_side: int = LONG_SIDE) -> Photo:
    """A photo from a file's path or its bytes, larger ones shrunk to this long side; raises PhotoError."""
    data = source if isinstance(source, bytes) else _file_bytes(source)
    if not data:
        raise PhotoError("The file is empty; copy the picture again or take another.")
    if len(data) > MOST_BYTES:
        raise PhotoError("The picture is larger than {most} MB; give a smaller one.", most=MOST_BYTES // 1_000_000)
    header = read_header(data)
    if header.kind == "heic":
        return _heic(data, long_side)
    _check_size(header.width, header.height, header.held)
    pixels, factor = _decode(data, header, _SMALL_ENOUGH * long_side / LONG_SIDE)
    return _photo(_upright(pixels, header.orientation), factor, long_side)


def _file_bytes(source: str | Path) -> bytes:
    if isinstance(source, str) and "://" in source[:12]:
        raise PhotoError("A web address cannot be read; download the picture and give its file.")
    path = Path(source)
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise PhotoError("{name} is not a file; give a photo's file.", name=path.name or path)
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except FileNotFoundError as error:
        raise PhotoError("There is no file {name}; check the name.", name=path.name or path) from error
    except (OSError, ValueError) as error:
        raise PhotoError(
            "The file {name} cannot be opened; check its name and permissions.", name=path.name or path
        ) from error


def _check_size(width: int, height: int, held: float) -> None:
    """Refuse what is too large, too small or too slender; `held` are the decoder's bytes for each pixel."""
    room = MOST_HELD_ON_PHONE if "ANDROID_PRIVATE" in os.environ else MOST_HELD
    most = min(MOST_PIXELS, int(room / held)) if held else MOST_PIXELS
    if width * height > most:
        raise PhotoError("The picture has more than {most} megapixels; give a smaller one.", most=most // 1_000_000)
    if min(width, height) < LEAST_SIDE:
        raise PhotoError("The picture is only {width} x {height} pixels; give a larger one.", width=width, height=height)
    if max(width, height) > MOST_SLENDER * min(width, height):
        raise PhotoError("The picture is a narrow strip; give one that shows the whole board.")


def _decode(data: bytes, header: Header, small_enough: float) -> tuple[NDArray[np.uint8], float]:
    """The pixels as stored, and by how much they were shrunk: JPEGs while decoding, others by half before the next copy."""
    long_side = max(header.width, header.height)
    factors = _REDUCED if header.kind == "jpeg" else (2,)
    factor = max((n for n in factors if long_side / n >= small_enough), default=1)
    flags = _REDUCED.get(factor, cv2.IMREAD_COLOR) | cv2.IMREAD_IGNORE_ORIENTATION
    try:
        with hushed():
            pixels = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    except (cv2.error, MemoryError) as error:
        raise PhotoError("The picture cannot be decoded; copy it again or take another.") from error
    if pixels is None:
        raise PhotoError("The picture cannot be decoded; copy it again or take another.")
    return np.asarray(pixels, np.uint8), float(factor)


@contextmanager
def hushed() -> Iterator[None]:
    """Keep the decoders' own remarks off the terminal: what is wrong, we say ourselves."""
    with _HUSHING:
        try:
            kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
        except OSError:  # a program without a terminal
            yield
            return
        os.dup2(nowhere, 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            os.close(nowhere)


def _upright(pixels: NDArray[np.uint8], orientation: int) -> NDArray[np.uint8]:
    """The pixels turned, and mirrored, as their EXIF orientation asks."""
    if orientation in _TURNS:
        pixels = np.asarray(cv2.rotate(pixels, _TURNS[orientation]), np.uint8)
    if orientation in _MIRRORED:
        pixels = np.asarray(cv2.flip(pixels, 1), np.uint8)
    return pixels


def _photo(pixels: NDArray[np.uint8], factor: float, long_side: int) -> Photo:
    height, width = pixels.shape[:2]
    full = round(width * factor), round(height * factor)
    shrink = max(width, height) / long_side
    if shrink > 1:
        size = max(1, round(width / shrink)), max(1, round(height / shrink))
        pixels = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
        factor *= shrink
    return Photo(pixels, factor, full)


def _heic(data: bytes, long_side: int) -> Photo:
    """A HEIC picture, where its decoder is installed."""
    try:
        pillow_heif: Any = importlib.import_module("pillow_heif")
    except ImportError as error:
        raise PhotoError("HEIC pictures cannot be read here; save the photo as JPEG and try again.") from error
    try:
        container: Any = pillow_heif.open_heif(data, convert_hdr_to_8bit=True)
        width, height = container.size
        _check_size(width, height, 4)
        stored = np.asarray(container)
    except PhotoError:
        raise
    except Exception as error:  # the decoder raises whatever its C library reports
        raise PhotoError("The HEIC picture cannot be decoded; save it as JPEG and try again.") from error
    if stored.ndim == 2:
        return _photo(np.asarray(cv2.cvtColor(stored, cv2.COLOR_GRAY2BGR), np.uint8), 1.0, long_side)
    return _photo(np.ascontiguousarray(stored[..., 2::-1], np.uint8), 1.0, long_side)

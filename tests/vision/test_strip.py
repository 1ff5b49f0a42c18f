"""What is not picture is taken out of a picture's file, and the picture stays."""

from __future__ import annotations

import struct
import zlib

import cv2
import numpy as np
import pytest

from companion.errors import PhotoError
from companion.vision.photo import read_photo
from companion.vision.strip import orientation_block, stripped

PLACE = b"N 48 51 29 E 2 17 40"


def with_place(data: bytes, orientation: int = 1) -> bytes:
    """A picture's file with a place in its EXIF block, in a comment and after its end."""
    block = orientation_block(orientation) + PLACE
    if data[:2] == b"\xff\xd8":
        exif = b"Exif\0\0" + block
        comment = b"\xff\xfe" + struct.pack(">H", len(PLACE) + 2) + PLACE
        return data[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + comment + data[2:] + PLACE
    if data[:4] == b"RIFF":
        height, width = np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)).shape[:2]
        size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
        chunks = [b"VP8X" + struct.pack("<I", 10) + b"\x0c\0\0\0" + size, data[12:]]
        for name, body in ((b"EXIF", block), (b"XMP ", PLACE)):
            chunks.append(name + struct.pack("<I", len(body)) + body + b"\0" * (len(body) & 1))
        body = b"WEBP" + b"".join(chunks)
        return b"RIFF" + struct.pack("<I", len(body)) + body
    parts = [data[:33]]
    for name, body in ((b"eXIf", block), (b"tEXt", b"Comment\0" + PLACE)):
        parts.append(struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)))
    return b"".join([*parts, data[33:], PLACE])


@pytest.mark.parametrize("orientation", [1, 3, 6, 7])
@pytest.mark.parametrize("ending", [".jpg", ".png", ".webp"])
def test_the_place_goes_and_the_picture_stays(ending: str, orientation: int) -> None:
    picture = np.random.default_rng(2).integers(0, 255, (240, 320, 3), np.uint8)
    data = with_place(bytes(cv2.imencode(ending, picture)[1]), orientation)
    clean = stripped(data)
    assert PLACE in data and PLACE not in clean
    before, after = read_photo(data), read_photo(clean)
    assert np.array_equal(before.pixels, after.pixels)
    assert after.size == ((240, 320) if orientation in (6, 7) else (320, 240))
    assert stripped(clean) == clean


def test_progressive_scans_are_all_kept() -> None:
    picture = cv2.GaussianBlur(np.random.default_rng(3).integers(0, 255, (300, 300, 3), np.uint8), (0, 0), 5)
    data = bytes(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_PROGRESSIVE, 1])[1])
    assert np.array_equal(read_photo(stripped(with_place(data))).pixels, read_photo(data).pixels)


@pytest.mark.parametrize("damage", [b"", b"\xff\xd8\xff", b"\xff\xd8\xff\xe1\xff\xff", b"RIFF0000WEBP", b"BM"])
def test_damaged_files_are_told_of(damage: bytes) -> None:
    with pytest.raises(PhotoError):
        stripped(damage)

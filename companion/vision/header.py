"""What a picture file says of itself before it is decoded: its kind, size and orientation."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass

from companion.errors import PhotoError

_DAMAGED = "The picture is damaged; copy it again or take another."
_MOST_SEGMENTS = 2000
_MOST_SCANS = 100
_HEIF_BRANDS = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1", b"avif")
_FRAME_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_FILL = re.compile(rb"\xff+")
_NEXT_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_WHOLE = 4
"""Bytes held for each pixel of a picture that is decoded as a whole, a smaller copy included."""
_MOVING = 12
"""The same for an animation, whose decoder keeps several pictures."""


@dataclass(frozen=True)
class Header:
    """kind: jpeg, png, webp or heic; width and height in pixels as stored; orientation: 1 to 8 as in EXIF.

    held: about how many bytes the decoder must hold at once, for each pixel
    """

    kind: str
    width: int
    height: int
    orientation: int = 1
    held: float = 0


def read_header(data: bytes) -> Header:
    """The header of a picture, by its content; raises PhotoError if it is not one we take."""
    try:
        if data[:3] == b"\xff\xd8\xff":
            return _jpeg(data)
        if data[:8] == b"\x89PNG\r\n\x1a\n":
            return _png(data)
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _webp(data)
    except (struct.error, IndexError) as error:
        raise PhotoError(_DAMAGED) from error
    if data[4:8] == b"ftyp" and data[8:12] in _HEIF_BRANDS:
        return Header("heic", 0, 0)
    raise PhotoError("This file is not a picture that can be read; give a JPEG, PNG or WebP photo.")


def _jpeg(data: bytes) -> Header:
    orientation, at = 1, 2
    for _ in range(_MOST_SEGMENTS):
        filled = _FILL.match(data, at)
        if filled is None:
            raise PhotoError(_DAMAGED)
        at = filled.end() - 1
        marker = data[at + 1]
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:
            at += 2
            continue
        (length,) = struct.unpack_from(">H", data, at + 2)
        if length < 2:
            raise PhotoError(_DAMAGED)
        if marker == 0xE1 and data[at + 4 : at + 10] == b"Exif\0\0":
            orientation = exif_orientation(data[at + 10 : at + 2 + length])
        if marker in _FRAME_MARKERS:
            height, width, count = struct.unpack_from(">HHB", data, at + 5)
            scans = _scans(data, at + 2 + length)
            held = _coefficients(data[at + 10 : at + 10 + 3 * count]) if scans > 1 else 0
            return Header("jpeg", width, height, orientation, held)
        if marker in (0xD9, 0xDA):
            break
        at += 2 + length
    raise PhotoError(_DAMAGED)


def _scans(data: bytes, at: int) -> int:
    """How many scans a JPEG has; one whose end is missing or that repeats its scans to keep the decoder busy is refused."""
    scans = 0
    for _ in range(_MOST_SEGMENTS):
        found = _NEXT_MARKER.search(data, at)
        if found is None:
            break
        marker, at = data[found.start() + 1], found.end()
        if marker == 0xD9:
            return scans
        scans += marker == 0xDA
        if scans > _MOST_SCANS:
            raise PhotoError(_DAMAGED)
        if marker not in (0x01, 0xD8):
            at += int(struct.unpack_from(">H", data, at)[0])
    raise PhotoError("The picture is incomplete; copy it again or take another.")


def _coefficients(parts: bytes) -> float:
    """Bytes for each pixel of a JPEG in several scans, which is held whole until the last of them."""
    samplings = [(pair >> 4, pair & 15) for pair in parts[1::3]]
    finest = max((wide for wide, _ in samplings), default=1) * max((high for _, high in samplings), default=1)
    return 2 * sum(wide * high for wide, high in samplings) / max(1, finest)


def _png(data: bytes) -> Header:
    if data[12:16] != b"IHDR":
        raise PhotoError(_DAMAGED)
    width, height = struct.unpack_from(">II", data, 16)
    orientation, held, at = 1, _WHOLE, 8
    for _ in range(_MOST_SEGMENTS):
        if at + 8 > len(data):
            raise PhotoError("The picture is incomplete; copy it again or take another.")
        (length,) = struct.unpack_from(">I", data, at)
        name = data[at + 4 : at + 8]
        if name == b"eXIf":
            orientation = exif_orientation(data[at + 8 : at + 8 + min(length, 65536)])
        if name == b"acTL":
            held = _MOVING
        if name == b"IEND":
            break
        at += 12 + length
    return Header("png", width, height, orientation, held)


def _webp(data: bytes) -> Header:
    width = height = 0
    orientation, held, at = 1, _WHOLE, 12
    for _ in range(_MOST_SEGMENTS):
        if at + 8 > len(data):
            break
        name, length = struct.unpack_from("<4sI", data, at)
        body = at + 8
        if body + length > len(data) + 1:
            raise PhotoError("The picture is incomplete; copy it again or take another.")
        if name == b"VP8X":
            width = 1 + int.from_bytes(data[body + 4 : body + 7], "little")
            height = 1 + int.from_bytes(data[body + 7 : body + 10], "little")
        elif name == b"VP8 " and not width:
            width, height = (n & 0x3FFF for n in struct.unpack_from("<HH", data, body + 6))
        elif name == b"VP8L" and not width:
            (bits,) = struct.unpack_from("<I", data, body + 1)
            width, height = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        elif name in (b"ANIM", b"ANMF"):
            held = _MOVING
        elif name == b"EXIF":
            block = data[body : body + min(length, 65536)]
            orientation = exif_orientation(block.removeprefix(b"Exif\0\0"))
        at = body + length + (length & 1)
    if not width:
        raise PhotoError(_DAMAGED)
    return Header("webp", width, height, orientation, held)


def exif_orientation(block: bytes) -> int:
    """The orientation (1 to 8) in a TIFF-formed EXIF block; 1 when it holds none or nonsense."""
    order = {b"II": "<", b"MM": ">"}.get(block[:2])
    if order is None or len(block) < 8:
        return 1
    try:
        (start,) = struct.unpack_from(order + "I", block, 4)
        (entries,) = struct.unpack_from(order + "H", block, start)
        for entry in range(min(entries, 200)):
            tag, form, count, value = struct.unpack_from(order + "HHIH", block, start + 2 + 12 * entry)
            if tag == 0x0112 and form == 3 and count == 1:
                return value if 1 <= value <= 8 else 1
    except struct.error:
        return 1
    return 1

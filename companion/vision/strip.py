"""Takes out of a picture file what is not picture: place, time, camera, previews, comments. The pixels stay as they are."""

from __future__ import annotations

import re
import struct

from companion.errors import PhotoError
from companion.vision.header import read_header

_KEPT_SEGMENTS = (0xE0, 0xEE)
"""JFIF and Adobe's colour mark: without them the colours would be read wrongly."""
_KEPT_PNG = (b"IHDR", b"PLTE", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"IDAT", b"IEND")
_KEPT_WEBP = (b"VP8 ", b"VP8L", b"ALPH", b"VP8X")
_MARKER = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]")
_MOST_CHUNKS = 50_000
"""Far more than any picture has; the rest of one that has more is left behind."""
_DAMAGED = "The picture is damaged; copy it again or take another."


def stripped(data: bytes) -> bytes:
    """The same picture with nothing beside its pixels but how it is turned; raises PhotoError.

    HEIC files come back as they are: what was in them is dropped when the upright copy is made.
    """
    header = read_header(data)
    try:
        if header.kind == "jpeg":
            return _jpeg(data, header.orientation)
        if header.kind == "png":
            return _png(data, header.orientation)
        if header.kind == "webp":
            return _webp(data, header.orientation)
    except (struct.error, IndexError) as error:
        raise PhotoError(_DAMAGED) from error
    return data


def orientation_block(orientation: int) -> bytes:
    """An EXIF block that says how the picture is turned, and nothing else."""
    return b"MM\0*\0\0\0\x08" + struct.pack(">HHHIHHI", 1, 0x0112, 3, 1, orientation, 0, 0)


def _jpeg(data: bytes, orientation: int) -> bytes:
    parts = [b"\xff\xd8"]
    if orientation != 1:
        block = b"Exif\0\0" + orientation_block(orientation)
        parts.append(b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block)
    at = 2
    while True:
        found = _MARKER.search(data, at)
        if found is None:
            raise PhotoError("The picture is incomplete; copy it again or take another.")
        at = found.start()
        marker = data[at + 1]
        if marker == 0xD9:  # whatever follows the picture's end, such as a film of the moment, is left behind
            return b"".join([*parts, b"\xff\xd9"])
        if marker in (0x01, 0xD8):
            at += 2
            continue
        (length,) = struct.unpack_from(">H", data, at + 2)
        end = at + 2 + max(2, length)
        if marker == 0xDA:
            follows = _MARKER.search(data, end)
            end = follows.start() if follows else len(data)
        if marker in _KEPT_SEGMENTS or not (0xE0 <= marker <= 0xEF or marker == 0xFE):
            parts.append(data[at:end])
        at = end


def _png(data: bytes, orientation: int) -> bytes:
    import zlib

    parts, at = [data[:8]], 8
    for _ in range(_MOST_CHUNKS):
        if at + 12 > len(data):
            break
        (length,) = struct.unpack_from(">I", data, at)
        name = data[at + 4 : at + 8]
        if name in _KEPT_PNG:
            parts.append(data[at : at + 12 + length])
        if name == b"IHDR" and orientation != 1:
            body = b"eXIf" + orientation_block(orientation)
            parts.append(struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body)))
        if name == b"IEND":
            break
        at += 12 + length
    return b"".join(parts)


def _webp(data: bytes, orientation: int) -> bytes:
    chunks: list[tuple[bytes, bytes]] = []
    at = 12
    for _ in range(_MOST_CHUNKS):
        if at + 8 > len(data):
            break
        name, length = struct.unpack_from("<4sI", data, at)
        if name in _KEPT_WEBP:
            chunks.append((name, data[at + 8 : at + 8 + length]))
        at += 8 + length + (length & 1)
    extended = next((body for name, body in chunks if name == b"VP8X"), None)
    if extended is not None:
        turned = 0x08 if orientation != 1 else 0
        flags = extended[0] & 0x10 | turned  # alpha stays; colour profile, EXIF, XMP and animation go
        chunks = [(name, bytes([flags]) + body[1:] if name == b"VP8X" else body) for name, body in chunks]
        if turned:
            chunks.append((b"EXIF", orientation_block(orientation)))
    body = b"WEBP" + b"".join(
        name + struct.pack("<I", len(chunk)) + chunk + b"\0" * (len(chunk) & 1) for name, chunk in chunks
    )
    return b"RIFF" + struct.pack("<I", len(body)) + body

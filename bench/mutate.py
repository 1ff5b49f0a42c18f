"""Damage for the fuzz runs: bit flips, truncations, splices and hostile values. The same seed makes the same damage."""

from __future__ import annotations

import copy
import random
import struct
from typing import Any

import cv2
import numpy as np

HOSTILE: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    10**400,
    1e308,
    float("inf"),
    float("nan"),
    "",
    "\ud800",
    "x" * 5000,
    "../../etc/passwd",
    "/etc/passwd",
    "__class__",
    [],
    {},
    [[[[[[]]]]]],
    {"a": {"a": {"a": None}}},
    [None] * 300,
)
MAGIC = (b"\xff\xd8\xff\xe0", b"\x89PNG\r\n\x1a\n", b"RIFF\xff\xff\xff\xffWEBP", b"\0\0\0\x18ftypheic", b"GIF89a", b"BM")


def pictures() -> list[bytes]:
    """Small pictures of every kind we take, and of some we do not."""
    rng = np.random.default_rng(5)
    picture = cv2.GaussianBlur(rng.integers(0, 255, (220, 260, 3), np.uint8), (0, 0), 3)
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    alpha = np.dstack([picture, grey])
    deep = picture.astype(np.uint16) * 257
    made = [
        cv2.imencode(".jpg", picture)[1],
        cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_PROGRESSIVE, 1, cv2.IMWRITE_JPEG_RST_INTERVAL, 4])[1],
        cv2.imencode(".jpg", grey)[1],
        cv2.imencode(".png", picture)[1],
        cv2.imencode(".png", alpha)[1],
        cv2.imencode(".png", deep)[1],
        cv2.imencode(".png", (grey > 128).astype(np.uint8) * 255, [cv2.IMWRITE_PNG_BILEVEL, 1])[1],
        cv2.imencode(".webp", picture, [cv2.IMWRITE_WEBP_QUALITY, 80])[1],
        cv2.imencode(".webp", alpha, [cv2.IMWRITE_WEBP_QUALITY, 101])[1],
    ]
    from companion.vision.strip import orientation_block

    first = bytes(made[0])
    exif = b"Exif\0\0" + orientation_block(6) + b"\0" * 300
    turned = first[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + first[2:]
    return [*(bytes(m) for m in made), turned]


def damaged(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """The bytes after one to four strokes of bad luck."""
    hurt = bytearray(data)
    gentle = rng.random() < 0.5
    kinds = (0, 1, 5) if gentle else range(8)
    for _ in range(rng.randint(1, 4)):
        if not hurt:
            break
        at = rng.randrange(len(hurt)) if rng.random() < (0.95 if gentle else 0.5) else rng.randrange(min(len(hurt), 200))
        kind = rng.choice(kinds)
        if kind == 0:
            hurt[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            hurt[at : at + rng.choice((1, 2, 4))] = bytes(rng.randrange(256) for _ in range(rng.choice((1, 2, 4))))
        elif kind == 2:
            del hurt[at:]
        elif kind == 3:
            hurt[: len(MAGIC[0])] = rng.choice(MAGIC)
        elif kind == 4:
            other = rng.choice(others)
            cut = rng.randrange(len(other))
            hurt[at:] = other[cut:]
        elif kind == 5:
            hurt[at : at + 4] = rng.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x7f\xff\xff\xff", b"\xff\xff\0\0"))
        elif kind == 6:
            hurt[at:at] = bytes(hurt[at : at + rng.randrange(1, 400)]) * rng.choice((1, 2, 50))
        else:
            del hurt[at : at + rng.randrange(1, 400)]
    return bytes(hurt)


def hostile(raw: Any, rng: random.Random) -> Any:
    """A JSON value with one to three of its parts replaced, dropped, doubled or renamed."""
    raw = copy.deepcopy(raw)
    for _ in range(rng.randint(1, 3)):
        home, key = _somewhere(raw, rng)
        if home is None:
            return copy.deepcopy(rng.choice(HOSTILE))
        kind = rng.randrange(5)
        if kind == 0:
            del home[key]
        elif kind == 1 and isinstance(home, dict):
            home[str(rng.choice(HOSTILE))] = home.pop(key)
        elif kind == 2 and isinstance(home, list):
            home.insert(0, home[key])
        else:
            home[key] = copy.deepcopy(rng.choice(HOSTILE))
    return raw


def _somewhere(raw: Any, rng: random.Random) -> tuple[Any, Any]:
    """A random container in the value and a key of it, near the top as often as deep inside."""
    home: Any = None
    key: Any = None
    inner = raw
    while isinstance(inner, (dict, list)) and inner:
        home, key = inner, rng.choice(list(inner)) if isinstance(inner, dict) else rng.randrange(len(inner))
        if rng.random() < 0.3:
            break
        inner = home[key]
    return home, key

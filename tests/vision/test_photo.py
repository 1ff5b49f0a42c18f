"""Every kind of file becomes upright pixels or one clear sentence."""

from __future__ import annotations

import os
import random
import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.errors import PhotoError
from companion.vision import photo as gate
from companion.vision.header import exif_orientation, read_header
from companion.vision.photo import LONG_SIDE, Photo, read_photo

RED, GREEN, BLUE, BLACK = (0, 0, 255), (0, 255, 0), (255, 0, 0), (0, 0, 0)


def flag(width: int = 400, height: int = 300) -> NDArray[np.uint8]:
    """Red at the top left, blue at the top right, green at the bottom left, black elsewhere."""
    picture = np.zeros((height, width, 3), np.uint8)
    third, half = height // 3, width // 3
    picture[:third, :half], picture[:third, -half:], picture[-third:, :half] = RED, BLUE, GREEN
    return picture


def encoded(kind: str, picture: NDArray[np.generic]) -> bytes:
    return bytes(cv2.imencode(kind, np.asarray(picture))[1])


def exif(orientation: int, order: str = "<") -> bytes:
    mark = b"II" if order == "<" else b"MM"
    entry = struct.pack(order + "HHIHH", 0x0112, 3, 1, orientation, 0)
    return mark + struct.pack(order + "HIH", 42, 8, 1) + entry + bytes(4)


def jpeg_turned(orientation: int, picture: NDArray[np.uint8], order: str = "<") -> bytes:
    data, block = encoded(".jpg", picture), b"Exif\0\0" + exif(orientation, order)
    return data[:2] + b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block + data[2:]


def corner_colours(photo: Photo) -> list[str]:
    """What stands in the top left, top right, bottom right and bottom left."""
    names = {RED: "red", GREEN: "green", BLUE: "blue", BLACK: "black"}
    spots = [photo.pixels[y, x] for y, x in ((30, 30), (30, -30), (-30, -30), (-30, 30))]
    return [names[tuple(int(channel > 128) * 255 for channel in spot)] for spot in spots]  # type: ignore[index]


UPRIGHT = ["red", "blue", "black", "green"]


@pytest.mark.parametrize("kind", [".jpg", ".png", ".webp"])
def test_plain_pictures(kind: str, tmp_path: Path) -> None:
    data = encoded(kind, flag())
    path = tmp_path / "photo.dat"
    path.write_bytes(data)
    for source in (data, path, str(path)):
        photo = read_photo(source)
        assert photo.size == photo.full_size == (400, 300)
        assert photo.scale == 1.0 and photo.pixels.dtype == np.uint8
        assert corner_colours(photo) == UPRIGHT


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(
    ("orientation", "corners"),
    [
        (1, ["red", "blue", "black", "green"]),
        (2, ["blue", "red", "green", "black"]),
        (3, ["black", "green", "red", "blue"]),
        (4, ["green", "black", "blue", "red"]),
        (5, ["red", "green", "black", "blue"]),
        (6, ["green", "red", "blue", "black"]),
        (7, ["black", "blue", "red", "green"]),
        (8, ["blue", "black", "green", "red"]),
        (9, ["red", "blue", "black", "green"]),
    ],
)
def test_exif_orientation(orientation: int, corners: list[str], order: str) -> None:
    photo = read_photo(jpeg_turned(orientation, flag(), order))
    assert corner_colours(photo) == corners
    assert photo.size == ((300, 400) if 5 <= orientation <= 8 else (400, 300))


def test_png_orientation_chunk() -> None:
    data, block = encoded(".png", flag()), exif(6)
    crc = zlib.crc32(b"eXIf" + block)
    chunk = struct.pack(">I", len(block)) + b"eXIf" + block + struct.pack(">I", crc)
    assert corner_colours(read_photo(data[:33] + chunk + data[33:])) == ["green", "red", "blue", "black"]


@pytest.mark.parametrize(
    ("full", "factor"), [((1600, 1200), 1), ((3400, 300), 2), ((4000, 3000), 2), ((7000, 500), 4), ((14000, 300), 8)]
)
def test_large_jpegs_shrink_while_decoding(full: tuple[int, int], factor: int) -> None:
    photo = read_photo(encoded(".jpg", flag(*full)))
    assert photo.scale == factor
    assert photo.size == (full[0] // factor, -(-full[1] // factor))
    there = np.array([[10.0, 20.0], [full[0] - 1, full[1] - 1]])
    assert np.allclose(photo.to_full(photo.from_full(there)), there)


@pytest.mark.parametrize(
    ("full", "size", "scale"), [((3300, 1500), (LONG_SIDE, 1182), 33 / 26), ((3900, 1500), (1950, 750), 2)]
)
def test_large_pngs_shrink_too(full: tuple[int, int], size: tuple[int, int], scale: float) -> None:
    photo = read_photo(encoded(".png", flag(*full)))
    assert photo.size == size and photo.full_size == full and photo.scale == pytest.approx(scale)


@pytest.mark.parametrize(
    "data",
    [
        encoded(".png", flag()[..., 0]),
        encoded(".jpg", flag()[..., 0]),
        encoded(".png", flag().astype(np.uint16) * 257),
        encoded(".png", np.dstack([flag(), flag()[..., :1]])),
        encoded(".webp", np.dstack([flag(), np.full((300, 400), 255, np.uint8)])),
    ],
    ids=["grey png", "grey jpeg", "16 bit", "alpha png", "alpha webp"],
)
def test_other_depths_become_plain_colour(data: bytes) -> None:
    photo = read_photo(data)
    assert photo.pixels.shape == (300, 400, 3) and photo.pixels.dtype == np.uint8


def bomb(kind: str) -> bytes:
    """A small file that claims a huge picture."""
    data = bytearray(encoded(kind, flag()))
    if kind == ".png":
        data[16:24] = struct.pack(">II", 60000, 60000)
    else:
        at = data.find(b"\xff\xc0")
        data[at + 5 : at + 9] = struct.pack(">HH", 60000, 60000)
    return bytes(data)


def many_scans() -> bytes:
    data = encoded(".jpg", flag())
    return data[:-2] + b"\xff\xda\x00\x02" * 300 + data[-2:]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"hello, this is no picture" * 40, "not a picture"),
        (b"GIF89a" + bytes(300), "not a picture"),
        (b"BM" + bytes(300), "not a picture"),
        (b"%PDF-1.7" + bytes(300), "not a picture"),
        (encoded(".png", flag(400, 90)), "400 x 90"),
        (bomb(".png"), "megapixels"),
        (bomb(".jpg"), "megapixels"),
        (many_scans(), "damaged"),
        (b"\xff\xd8\xff" + bytes(50), "damaged"),
        (b"\xff\xd8\xff\xe0\x00\x00", "damaged"),
        (b"\x89PNG\r\n\x1a\n" + bytes(60), "damaged"),
        (b"RIFF\x10\0\0\0WEBP" + bytes(8), "damaged"),
    ],
)
def test_what_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(PhotoError, match=reason):
        read_photo(data)


@pytest.mark.parametrize("kind", [".jpg", ".png", ".webp"])
def test_truncated_files_are_refused(kind: str) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (300, 400, 3)).astype(np.uint8)
    data = encoded(kind, noise)
    for share in (0.001, 0.01, 0.3, 0.9, 0.99):
        with pytest.raises(PhotoError):
            read_photo(data[: int(len(data) * share)])


def test_places_that_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(PhotoError, match="not a file"):
        read_photo(tmp_path)
    with pytest.raises(PhotoError, match="no file"):
        read_photo(tmp_path / "missing.jpg")
    with pytest.raises(PhotoError, match="web address"):
        read_photo("https://example.org/board.jpg")
    with pytest.raises(PhotoError, match="cannot be opened"):
        read_photo("a\0b")
    with pytest.raises(PhotoError, match="cannot be opened"):
        read_photo("x" * 5000)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.jpg"
    os.mkfifo(pipe)
    with pytest.raises(PhotoError, match="not a file"):
        read_photo(pipe)


def test_a_huge_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "MOST_BYTES", 1000)
    path = tmp_path / "huge.jpg"
    path.write_bytes(encoded(".jpg", flag()))
    with pytest.raises(PhotoError, match="larger than"):
        read_photo(path)


def test_heic_without_its_decoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pillow_heif", None)
    with pytest.raises(PhotoError, match="save the photo as JPEG"):
        read_photo(b"\0\0\0\x18ftypheic" + bytes(100))


@pytest.mark.parametrize("kind", [".jpg", ".png", ".webp"])
def test_damaged_bytes_never_crash(kind: str) -> None:
    rng = random.Random(2)
    whole = encoded(kind, cv2.GaussianBlur(flag(), (0, 0), 9))
    for _ in range(120):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 5)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            photo = read_photo(bytes(data))
        except PhotoError:
            continue
        assert photo.pixels.ndim == 3


@pytest.mark.parametrize("block", [b"", b"II", b"II*\0" + b"\xff" * 4, b"MM\0*" + bytes(4), exif(77), exif(0)])
def test_broken_exif_means_upright(block: bytes) -> None:
    assert exif_orientation(block) == 1


def test_header_knows_the_size_before_decoding() -> None:
    for kind in (".jpg", ".png", ".webp"):
        header = read_header(encoded(kind, flag(640, 480)))
        assert (header.width, header.height) == (640, 480)

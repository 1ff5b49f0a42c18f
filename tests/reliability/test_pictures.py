"""Every odd picture a person may have gets a decent picture or one clear sentence."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import time
import zlib
from contextlib import suppress
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.cli import main
from companion.errors import PhotoError
from companion.vision.header import read_header
from companion.vision.photo import read_photo
from companion.vision.strip import stripped

PICTURE = cv2.GaussianBlur(np.random.default_rng(4).integers(0, 255, (300, 400, 3), np.uint8), (0, 0), 2)


def encoded(ending: str, pixels: NDArray[np.generic], *flags: int) -> bytes:
    return bytes(cv2.imencode(ending, pixels, list(flags))[1])


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(width: int, height: int, depth: int, color: int, rows: bytes, *more: bytes) -> bytes:
    """A PNG written by hand, for the kinds that OpenCV does not write."""
    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + b"".join(more)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


GREY = cv2.cvtColor(PICTURE, cv2.COLOR_BGR2GRAY)
PALETTE = chunk(b"PLTE", bytes(v for i in range(256) for v in (i, 255 - i, 128)))
ROWS = b"".join(b"\0" + row.tobytes() for row in GREY)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(encoded(".jpg", GREY), id="grey"),
        pytest.param(encoded(".jpg", PICTURE, cv2.IMWRITE_JPEG_PROGRESSIVE, 1), id="progressive"),
        pytest.param(encoded(".png", PICTURE.astype(np.uint16) * 257), id="16 bits"),
        pytest.param(encoded(".png", np.dstack([PICTURE, GREY])), id="alpha"),
        pytest.param(png(400, 300, 8, 3, ROWS, PALETTE), id="palette"),
        pytest.param(png(400, 300, 8, 0, ROWS, chunk(b"eXIf", b"MM\0*" + b"\0" * 5_000_000)), id="5 MB of EXIF"),
        pytest.param(encoded(".webp", PICTURE), id="webp"),
        pytest.param(encoded(".webp", np.dstack([PICTURE, GREY]), cv2.IMWRITE_WEBP_QUALITY, 101), id="webp, alpha"),
    ],
)
def test_odd_pictures_are_read(data: bytes) -> None:
    photo = read_photo(data)
    assert photo.size == (400, 300) and photo.pixels.dtype == np.uint8 and photo.pixels.shape[2] == 3
    assert photo.pixels.std() > 5


def test_animations_give_their_first_picture_or_a_sentence() -> None:
    for ending in (".webp", ".png"):
        if not hasattr(cv2, "imencodeanimation"):
            pytest.skip("this OpenCV writes no animations")
        moving = cv2.Animation()
        moving.frames = [PICTURE, 255 - PICTURE]
        moving.durations = [100, 100]
        data = bytes(cv2.imencodeanimation(ending, moving)[1])
        try:
            first = read_photo(data)
        except PhotoError:
            continue
        assert first.size == (400, 300)


@pytest.mark.parametrize(
    ("data", "word"),
    [
        pytest.param(b"", "empty", id="zero bytes"),
        pytest.param(b"\xff\xd8\xff", ".", id="three bytes"),
        pytest.param(encoded(".jpg", PICTURE)[:-900], "incomplete", id="truncated"),
        pytest.param(encoded(".png", PICTURE)[:-5000], ".", id="truncated png"),
        pytest.param(encoded(".webp", PICTURE)[:-500], ".", id="truncated webp"),
        pytest.param(encoded(".png", PICTURE[:1, :1]), "larger", id="1 x 1"),
        pytest.param(encoded(".png", np.zeros((60000, 1, 3), np.uint8)), "larger", id="1 x 60000"),
        pytest.param(encoded(".png", np.zeros((12000, 210, 3), np.uint8)), "strip", id="210 x 12000"),
        pytest.param(png(30000, 30000, 8, 0, b"\0" * 10), "megapixels", id="lies: 900 megapixels"),
        pytest.param(png(7000, 7000, 8, 2, b"\0" * 10), ".", id="lies: 49 megapixels of nothing"),
        pytest.param(encoded(".bmp", PICTURE), "JPEG", id="bmp"),
        pytest.param(b"GIF89a" + b"\0" * 300, "JPEG", id="gif"),
        pytest.param(b"<svg xmlns='http://www.w3.org/2000/svg'/>", "JPEG", id="svg"),
        pytest.param(b"%PDF-1.7", "JPEG", id="pdf"),
        pytest.param(b"\0\0\0\x18ftypheic" + b"\0" * 100, "JPEG", id="heic"),
    ],
)
def test_the_rest_gets_a_sentence(data: bytes, word: str) -> None:
    with pytest.raises(PhotoError, match=word) as told:
        read_photo(data)
    assert str(told.value).endswith(".") and "\n" not in str(told.value)


def cmyk() -> bytes:
    """A JPEG of four components and Adobe's mark: a grey one's single scan, its data repeated for each component."""
    grey = encoded(".jpg", np.full((304, 400), 90, np.uint8))
    frame, scan = grey.index(b"\xff\xc0"), grey.index(b"\xff\xda")
    tables, data = grey[frame + 13 : scan], grey[scan + 10 : -2]
    parts = b"".join(bytes((number, 0x11, 0)) for number in range(1, 5))
    head = b"\xff\xc0" + struct.pack(">HBHHB", 20, 8, 304, 400, 4) + parts
    scans = b"".join(b"\xff\xda" + struct.pack(">HBBBBBB", 8, 1, number, 0, 0, 63, 0) + data for number in range(1, 5))
    adobe = b"\xff\xee" + struct.pack(">H", 14) + b"Adobe\0\x64\0\0\0\0\0"
    return grey[:2] + adobe + grey[2:frame] + head + tables + scans + b"\xff\xd9"


def test_a_cmyk_jpeg_is_read() -> None:
    photo = read_photo(cmyk())
    assert photo.size == (400, 304) and photo.pixels.std() < 3
    cut = bytearray(encoded(".jpg", GREY))
    cut[cut.index(b"\xff\xc0") + 9] = 4  # says four components, and has one
    with pytest.raises(PhotoError):
        read_photo(bytes(cut))


def progressive(width: int, height: int, sampling: int, scans: int = 2) -> bytes:
    """A JPEG in several scans that says it is this large; only its header is ever looked at."""
    start = bytes.fromhex("ffd8")
    parts = bytes((1, sampling, 0, 2, 0x11, 0, 3, 0x11, 0))
    frame = b"\xff\xc2" + struct.pack(">HBHHB", 17, 8, height, width, 3) + parts
    comment = b"\xff\xfe" + struct.pack(">H", 6) + b"\xff\xd9\xff\xda"
    scan = b"\xff\xda" + struct.pack(">HBBBBBB", 8, 1, 1, 0, 0, 63, 0) + b"\x12\xff\x00\xff\xd0\x34"
    return start + frame + comment + scan * scans + b"\xff\xd9"


def moving(ending: str, side: int) -> bytes:
    """An animation by its header."""
    if ending == ".png":
        return png(side, side, 8, 2, b"", chunk(b"acTL", struct.pack(">II", 2, 0)))
    size = (side - 1).to_bytes(3, "little")
    body = b"VP8X" + struct.pack("<I", 10) + b"\x02\0\0\0" + size + size + b"ANIM" + struct.pack("<I", 6) + b"\0" * 6
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body


@pytest.mark.parametrize(
    ("data", "word"),
    [
        pytest.param(progressive(10900, 10900, 0x11), "35 megapixels", id="progressive, 119 megapixels"),
        pytest.param(progressive(8165, 6124, 0x11), "35 megapixels", id="progressive, full colour, 50 megapixels"),
        pytest.param(progressive(9000, 9000, 0x22), "70 megapixels", id="progressive, 81 megapixels"),
        pytest.param(progressive(800, 600, 0x22, 150), "damaged", id="150 scans"),
        pytest.param(moving(".png", 5000), "17 megapixels", id="moving png"),
        pytest.param(moving(".webp", 5000), "17 megapixels", id="moving webp"),
        pytest.param(png(8000, 8000, 8, 2, b""), "52 megapixels", id="png, 64 megapixels"),
    ],
)
def test_what_its_decoder_would_have_to_hold_is_counted(data: bytes, word: str) -> None:
    """Several scans, an animation or a PNG take far more memory than the same pixels in an ordinary JPEG."""
    with pytest.raises(PhotoError, match=word):
        read_photo(data)


def test_a_phone_has_less_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """There the screens live in the same process; what its own camera makes, an ordinary JPEG, is read at any size."""
    monkeypatch.setenv("ANDROID_PRIVATE", "/data/user/0/app/files")
    with pytest.raises(PhotoError, match="38 megapixels"):
        read_photo(png(7000, 7000, 8, 2, b""))
    with pytest.raises(PhotoError, match="51 megapixels"):
        read_photo(progressive(7500, 7500, 0x22))


FLOOD = 20_000_000


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\xff\xd8" + b"\xff" * FLOOD, id="fill bytes"),
        pytest.param(b"\xff\xd8" + b"\xff\x01" * (FLOOD // 2), id="markers"),
        pytest.param(b"\xff\xd8" + b"\xff\xfe\0\2" * (FLOOD // 4), id="empty comments"),
        pytest.param(encoded(".jpg", PICTURE)[:-2] + b"\xff\0" * (FLOOD // 2) + b"\xff\xd9", id="a scan without end"),
        pytest.param(
            encoded(".png", PICTURE)[:33] + chunk(b"abCd", b"") * (FLOOD // 12) + encoded(".png", PICTURE)[33:], id="chunks"
        ),
        pytest.param(png(400, 300, 8, 0, ROWS, chunk(b"zTXt", b"x\0\0" + zlib.compress(bytes(FLOOD * 5)))), id="zip bomb"),
    ],
)
def test_a_flood_of_nothing_is_over_soon(data: bytes) -> None:
    for gate in (read_header, stripped, read_photo):
        began = time.process_time()
        with suppress(PhotoError):
            gate(data)
        assert time.process_time() - began < 1.5, "seconds for 20 MB: a file may have 80"


def test_a_photo_with_another_behind_it_is_an_ordinary_one() -> None:
    """Phones append a second JPEG for their bright screens: its scan is not one of the first."""
    photo = encoded(".jpg", PICTURE)
    assert read_header(photo + photo).held == 0 and read_header(progressive(800, 600, 0x22)).held == 3


def test_what_is_no_file_is_told_of(tmp_path: Path) -> None:
    pipe, link, loop = tmp_path / "pipe.jpg", tmp_path / "link.jpg", tmp_path / "loop.jpg"
    os.mkfifo(pipe)
    link.symlink_to("/dev/zero")
    loop.symlink_to(loop)
    names = (
        tmp_path,
        pipe,
        link,
        loop,
        tmp_path / "gone.jpg",
        "https://example.org/a.jpg",
        "content://a/1",
        "\0",
        "x" * 5000,
    )
    for source in names:
        with pytest.raises(PhotoError):
            read_photo(source)


def test_size_is_capped_before_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    huge = tmp_path / "huge.jpg"
    with huge.open("wb") as file:
        file.write(b"\xff\xd8\xff\xe1")
        file.truncate(90_000_000)
    with pytest.raises(PhotoError, match="larger than 80 MB"):
        read_photo(huge)


def test_limits_are_set_before_opencv_loads(tmp_path: Path) -> None:
    """A picture of more pixels than we allow is refused by OpenCV itself too, whoever asks it."""
    (tmp_path / "bomb.png").write_bytes(png(20000, 20000, 8, 0, b"\0"))
    code = "import companion.vision.photo, cv2, sys; print(cv2.imread(sys.argv[1]))"
    ran = subprocess.run([sys.executable, "-c", code, tmp_path / "bomb.png"], capture_output=True, text=True, check=False)
    assert "CV_IO_MAX_IMAGE_PIXELS" in ran.stderr, "refused by its size, not for its missing data"


@pytest.mark.parametrize("damage", ["flip", "crc"])
def test_the_command_says_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str], damage: str) -> None:
    """The decoders' own remarks stay off the terminal."""
    data = bytearray(encoded(".png", PICTURE))
    data[len(data) // 2] ^= 0xFF
    if damage == "crc":
        data[29] ^= 0xFF
    (tmp_path / "a.png").write_bytes(data)
    assert main(["read", str(tmp_path / "a.png"), "--map", "europe"]) == 1
    assert len(capfd.readouterr().err.splitlines()) == 1

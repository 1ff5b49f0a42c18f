"""Camera, photo picker and share sheet against a fake of the Java that they call."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.app.android import AndroidPorts
from companion.app.ports import Answer, DesktopPorts
from companion.board import load_board
from companion.boards import pack, unpack
from companion.errors import BoardError, PhotoError, StoreError
from companion.vision.photo import read_photo
from tests.android.fakejava import Intent, Phone, lent_file
from tests.vision.test_strip import PLACE, with_place

OK, CANCELLED = -1, 0


class Waiting:
    """Takes the answer of a port, from whatever thread it comes."""

    def __init__(self) -> None:
        self._came = threading.Event()
        self._answer: Answer = None

    def __call__(self, answer: Answer) -> None:
        self._answer = answer
        self._came.set()

    @property
    def answer(self) -> Answer:
        assert self._came.wait(5), "no answer came"
        return self._answer


def jpeg() -> bytes:
    picture = np.random.default_rng(1).integers(0, 255, (300, 400, 3), np.uint8)
    return with_place(bytes(cv2.imencode(".jpg", picture)[1]), orientation=6)


@pytest.fixture
def phone(tmp_path: Path) -> Phone:
    return Phone(files=tmp_path)


@pytest.fixture
def ports(phone: Phone, tmp_path: Path) -> AndroidPorts:
    return AndroidPorts(tmp_path / "photos", phone)


def test_the_camera_writes_into_a_file_of_ours(phone: Phone, ports: AndroidPorts) -> None:
    got = Waiting()
    ports.take_photo(got)
    intent, number = phone.asked[-1]
    address = intent.extras["output"]
    assert intent.action == "android.media.action.IMAGE_CAPTURE"
    assert address.startswith("content://org.example.rails.files/"), "a file:// address would crash the app"
    assert intent.flags & Intent.FLAG_GRANT_WRITE_URI_PERMISSION and intent.clip == ("clip", address)
    (ports.incoming / "camera.jpg").write_bytes(jpeg())
    phone.answer(OK, number=number)
    path = got.answer
    assert isinstance(path, Path)
    assert PLACE not in path.read_bytes(), "the place must not be kept"
    assert read_photo(path).size == (300, 400), "upright"
    assert not (ports.incoming / "camera.jpg").exists()


def test_a_cancelled_camera_leaves_nothing(phone: Phone, ports: AndroidPorts) -> None:
    got = Waiting()
    ports.take_photo(got)
    (ports.incoming / "camera.jpg").write_bytes(b"half a pho")
    phone.answer(CANCELLED)
    assert got.answer is None
    assert list(ports.incoming.iterdir()) == []


@pytest.mark.parametrize("left", [None, b"", b"not a picture", jpeg()[:900]])
def test_a_camera_that_says_ok_but_brings_no_picture(phone: Phone, ports: AndroidPorts, left: bytes | None) -> None:
    got = Waiting()
    ports.take_photo(got)
    if left is not None:
        (ports.incoming / "camera.jpg").write_bytes(left)
    phone.answer(OK)
    assert isinstance(got.answer, PhotoError)


@pytest.mark.parametrize("ask", [AndroidPorts.take_photo, AndroidPorts.pick_photo])
def test_refusal_is_told_and_the_next_try_works(
    phone: Phone, ports: AndroidPorts, ask: Callable[[AndroidPorts, Waiting], None]
) -> None:
    got, phone.refuse = Waiting(), True
    ask(ports, got)
    assert isinstance(got.answer, PhotoError) and "instead" in str(got.answer)
    got, phone.refuse = Waiting(), False
    ask(ports, got)
    phone.answer(CANCELLED)
    assert got.answer is None


@pytest.mark.parametrize(
    ("level", "action"), [(36, "PICK_IMAGES"), (33, "PICK_IMAGES"), (32, "OPEN_DOCUMENT"), (24, "OPEN_DOC")]
)
def test_the_picker_of_each_android(tmp_path: Path, level: int, action: str) -> None:
    phone = Phone(level)
    ports = AndroidPorts(tmp_path, phone)
    got = Waiting()
    ports.pick_photo(got)
    intent = phone.asked[-1][0]
    assert action in intent.action and intent.kind == "image/*"
    phone.opens = lambda address: lent_file(jpeg())
    phone.answer(OK, Intent(data="content://media/1"))
    path = got.answer
    assert isinstance(path, Path) and PLACE not in path.read_bytes()
    assert read_photo(path).size == (300, 400)


def test_what_the_picker_may_answer(phone: Phone, ports: AndroidPorts, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(address: object) -> object:
        raise phone.error("FileNotFoundException")

    chosen = Intent(data="content://media/1")
    monkeypatch.setattr("companion.app.android.MOST_BYTES", 100_000_000)
    for answered, opens in (
        (None, None),  # OK without an intent
        (Intent(), None),  # an intent without a photo
        (chosen, lambda address: None),  # a provider that has nothing
        (chosen, gone),  # a photo deleted meanwhile
        (chosen, lambda address: lent_file(b"")),
        (chosen, lambda address: lent_file(b"GIF89a, not taken")),
        (chosen, lambda address: lent_file(b"\0\0\0\x18ftypheic" + bytes(100))),
    ):
        got = Waiting()
        ports.pick_photo(got)
        if opens:
            phone.opens = opens
        phone.answer(OK, answered)
        assert isinstance(got.answer, PhotoError)
    assert not list(ports.incoming.glob("*.photo")), "nothing is kept of what is not taken"
    monkeypatch.setattr("companion.app.android.MOST_BYTES", 1000)
    got = Waiting()
    ports.pick_photo(got)
    phone.opens = lambda address: lent_file(jpeg())
    phone.answer(OK, chosen)
    assert "larger" in str(got.answer)


def test_answers_to_others_are_not_ours(phone: Phone, ports: AndroidPorts) -> None:
    phone.answer(OK, Intent(), number=1)
    phone.answer(OK, Intent(), number=7101)


def test_a_photo_that_came_while_we_were_closed_is_found(phone: Phone, tmp_path: Path) -> None:
    AndroidPorts(tmp_path / "photos", phone).take_photo(Waiting())
    (tmp_path / "photos" / "incoming" / "camera.jpg").write_bytes(jpeg())
    started_again = AndroidPorts(tmp_path / "photos", Phone(files=tmp_path))
    path = started_again.waiting_photo()
    assert path is not None and read_photo(path).size == (300, 400)
    assert started_again.waiting_photo() is None, "once"


def test_a_result_goes_to_the_share_sheet(phone: Phone, ports: AndroidPorts) -> None:
    path = ports.save_file("../Europe 2026/11.png", b"\x89PNG")
    chooser, _ = phone.asked[-1]
    intent = chooser.inner
    assert intent is not None and intent.action.endswith("SEND") and intent.kind == "image/png"
    assert path.parent == ports.outgoing and path.read_bytes() == b"\x89PNG"
    assert intent.extras[Intent.EXTRA_STREAM].startswith("content://")
    assert intent.flags == Intent.FLAG_GRANT_READ_URI_PERMISSION, "others may read the file, not change it"
    ports.copy_text("Ana won")
    sent = phone.asked[-1][0].inner
    assert sent is not None and sent.extras[Intent.EXTRA_TEXT] == "Ana won" and sent.kind == "text/plain"


def test_sharing_that_is_refused_is_told(phone: Phone, ports: AndroidPorts, tmp_path: Path) -> None:
    phone.refuse = True
    with pytest.raises(StoreError, match="install an app"):
        ports.copy_text("Ana won")
    with pytest.raises(StoreError):
        ports.save_file("a.csv", b"1")
    phone.refuse, phone.files = False, tmp_path / "elsewhere"
    with pytest.raises(StoreError):
        ports.save_file("a.csv", b"1")


def test_bars_and_cutouts_are_kept_clear(tmp_path: Path) -> None:
    assert AndroidPorts(tmp_path, Phone(36)).insets() == (0, 80, 0, 48)
    assert AndroidPorts(tmp_path, Phone(28)).insets() == (0, 60, 0, 40)
    assert DesktopPorts().insets() == (0, 0, 0, 0)


def test_a_phone_without_a_camera_does_not_offer_one(tmp_path: Path) -> None:
    assert AndroidPorts(tmp_path, Phone()).has_camera
    assert not AndroidPorts(tmp_path, Phone(camera=False)).has_camera


def test_a_shared_board_is_picked_as_it_is(phone: Phone, ports: AndroidPorts) -> None:
    parcel = pack(load_board("new-york"))
    got = Waiting()
    ports.pick_board(got)
    intent = phone.asked[-1][0]
    assert "OPEN_DOCUMENT" in intent.action and intent.kind == "*/*" and intent.categories
    phone.opens = lambda address: lent_file(parcel)
    phone.answer(OK, Intent(data="content://downloads/1"))
    assert isinstance(got.answer, Path) and got.answer.read_bytes() == parcel
    assert unpack(got.answer, ports.incoming.parent / "boards").name == "New York"


def test_a_board_that_does_not_come_is_told_of(phone: Phone, ports: AndroidPorts) -> None:
    for result, answered in ((CANCELLED, None), (OK, None), (OK, Intent(data="content://downloads/1"))):
        got = Waiting()
        ports.pick_board(got)
        phone.answer(result, answered)
        assert got.answer is None if result == CANCELLED else isinstance(got.answer, BoardError)
    phone.refuse = True
    got = Waiting()
    ports.pick_board(got)
    assert isinstance(got.answer, BoardError)


def test_leaving_the_first_screen_waits_in_the_background(phone: Phone, ports: AndroidPorts) -> None:
    ports.leave()
    assert phone.behind
    phone.refuse = True
    ports.leave()


def test_yesterdays_copies_are_tidied_up(phone: Phone, tmp_path: Path) -> None:
    old = [tmp_path / "photos" / name for name in ("incoming/1.photo", "outgoing/result.png")]
    fresh = [tmp_path / "photos" / name for name in ("incoming/2.photo", "incoming/camera.jpg")]
    for path in (*old, *fresh):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    for path in (*old, fresh[1]):
        os.utime(path, (0, 0))
    AndroidPorts(tmp_path / "photos", phone)
    assert not any(path.exists() for path in old) and all(path.exists() for path in fresh)

"""The phone's side of the ports: the system's camera, photo picker and share sheet, asked by Intent through pyjnius.

No permission is needed for any of it. The camera app writes into a file of ours, lent to it as a content address; the
picker lends us the one photo that was chosen; the share sheet is lent the file to send. Every Java call is in this file.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from companion.app.aside import Desk
from companion.app.ports import Answer
from companion.app.webcam import Webcam
from companion.boards import ENDING
from companion.errors import BoardError, CompanionError, PhotoError, StoreError
from companion.store import write_bytes

CAMERA, PICKER, FILES = 7101, 7102, 7103
"""Our numbers for the three questions, by which the answers are told apart."""
MOST_BYTES = 80_000_000
PICK_IMAGES_FROM = 33
"""The first API level with the system's photo picker; before, the document picker does the same."""
KINDS = {".png": "image/png", ".csv": "text/csv", ".json": "application/json", ".txt": "text/plain"}
KINDS |= {".jpg": "image/jpeg", ".zip": "application/zip", ENDING: "application/zip"}


class Java(Protocol):
    """What we need of Java. The real one is `PhoneJava`; tests bring a fake."""

    error: type[Exception]
    activity: Any

    def cls(self, name: str) -> Any: ...

    def cast(self, name: str, thing: Any) -> Any: ...

    def on_result(self, answer: Callable[[int, int, Any], None]) -> None: ...


class PhoneJava:
    """Java on a real phone."""

    def __init__(self) -> None:
        import jnius
        from android import activity as events

        self.error: type[Exception] = jnius.JavaException
        self.activity: Any = jnius.autoclass("org.kivy.android.PythonActivity").mActivity
        self._jnius, self._events = jnius, events

    def cls(self, name: str) -> Any:
        return self._jnius.autoclass(name)

    def cast(self, name: str, thing: Any) -> Any:
        return self._jnius.cast(name, thing)

    def on_result(self, answer: Callable[[int, int, Any], None]) -> None:
        self._events.bind(on_activity_result=answer)


class AndroidPorts:
    """A phone. `folder` is private; `incoming` holds what camera and picker gave, `outgoing` what was shared."""

    browses = False
    has_webcam = False
    shares = True

    def __init__(self, folder: Path, java: Java | None = None) -> None:
        self.java: Java = java or PhoneJava()
        self.incoming, self.outgoing = folder / "incoming", folder / "outgoing"
        self._asked: dict[int, Callable[[Answer], None]] = {}
        name = self.java.cls  # classes are looked up here, on the main thread: other threads cannot find all of them
        self._intent, self._file, self._uri = name("android.content.Intent"), name("java.io.File"), name("android.net.Uri")
        self._media, self._clip = name("android.provider.MediaStore"), name("android.content.ClipData")
        self._provider, self._string = name("androidx.core.content.FileProvider"), name("java.lang.String")
        self._level = int(name("android.os.Build$VERSION").SDK_INT)
        self.has_camera = bool(self.java.activity.getPackageManager().hasSystemFeature("android.hardware.camera.any"))
        self.java.on_result(self._answered)
        self._tidy()

    def _tidy(self) -> None:
        """Photos are copied on when they are read, and what was shared has been sent: yesterday's files can go."""
        for folder in (self.incoming, self.outgoing):
            for path in folder.glob("*"):
                with suppress(OSError):
                    if path.name != "camera.jpg" and time.time() - path.stat().st_mtime > 86400:
                        path.unlink()

    # a photo comes in

    def take_photo(self, done: Callable[[Answer], None]) -> None:
        """Ask the system's camera for a photo, in a file of ours."""
        shot = self.incoming / "camera.jpg"
        try:
            self.incoming.mkdir(parents=True, exist_ok=True)
            shot.unlink(missing_ok=True)
            address = self._address(shot)
            intent = self._intent(self._media.ACTION_IMAGE_CAPTURE)
            intent.putExtra(self._media.EXTRA_OUTPUT, self.java.cast("android.os.Parcelable", address))
            self._lend(intent, address, writing=True)
            self._ask(CAMERA, intent, done)
        except (OSError, self.java.error):
            self._refused(CAMERA, done, PhotoError("The camera could not be opened; choose a photo instead."))

    def pick_photo(self, done: Callable[[Answer], None]) -> None:
        """Ask the person for one photo, with the system's own picker."""
        try:
            if self._level >= PICK_IMAGES_FROM:
                intent = self._intent(self._media.ACTION_PICK_IMAGES)
            else:
                intent = self._intent(self._intent.ACTION_OPEN_DOCUMENT)
                intent.addCategory(self._intent.CATEGORY_OPENABLE)
            intent.setType("image/*")
            self._ask(PICKER, intent, done)
        except self.java.error:
            self._refused(PICKER, done, PhotoError("The photos could not be opened; take one with the camera instead."))

    def webcam(self, desk: Desk, folder: Path) -> Webcam:
        """Never asked for: a phone's camera has an app of its own."""
        raise PhotoError("There is no webcam on a phone; take a photo instead.")

    def pick_board(self, done: Callable[[Answer], None]) -> None:
        """Ask the person for the file of a shared board, wherever it lies."""
        try:
            intent = self._intent(self._intent.ACTION_OPEN_DOCUMENT)
            intent.addCategory(self._intent.CATEGORY_OPENABLE)
            intent.setType("*/*")  # no system knows our ending
            self._ask(FILES, intent, done)
        except self.java.error:
            self._refused(FILES, done, BoardError("The files could not be opened; install an app that shows files."))

    def waiting_photo(self) -> Path | None:
        """A photo that the camera delivered after the system had closed us to make room for it."""
        shot = self.incoming / "camera.jpg"
        try:
            if self._asked or not shot.is_file() or not shot.stat().st_size:
                return None
            kept = self._cleaned(shot.read_bytes())
            shot.unlink(missing_ok=True)
            return kept
        except (OSError, CompanionError):
            return None

    def _ask(self, number: int, intent: Any, done: Callable[[Answer], None]) -> None:
        self._asked[number] = done
        self.java.activity.startActivityForResult(intent, number)

    def _refused(self, number: int, done: Callable[[Answer], None], error: CompanionError) -> None:
        self._asked.pop(number, None)
        done(error)

    def _answered(self, number: int, result: int, intent: Any) -> None:
        """Called by Java on its own thread with what camera or picker had to say."""
        done = self._asked.pop(number, None)
        if done is None:
            return
        if result != self.java.cls("android.app.Activity").RESULT_OK:
            if number == CAMERA:
                (self.incoming / "camera.jpg").unlink(missing_ok=True)
            done(None)
            return
        lost = (
            BoardError("This file cannot be opened; choose another.")
            if number == FILES
            else PhotoError("This photo cannot be opened; choose another.")
        )
        try:
            handle = None if number == CAMERA else self._opened(intent, lost)
        except (CompanionError, self.java.error) as error:
            done(error if isinstance(error, CompanionError) else lost)
            return
        keep = self._kept_board if number == FILES else self._cleaned
        threading.Thread(target=self._bring, args=(handle, keep, lost, done), name="incoming", daemon=True).start()

    def _opened(self, intent: Any, lost: CompanionError) -> int:
        """A handle of the file that was picked: read by us, whatever app or cloud it lies in."""
        address = intent.getData() if intent is not None else None
        lent = self.java.activity.getContentResolver().openFileDescriptor(address, "r") if address is not None else None
        if lent is None:
            raise lost
        return int(lent.detachFd())

    def _bring(
        self, handle: int | None, keep: Callable[[bytes], Path], lost: CompanionError, done: Callable[[Answer], None]
    ) -> None:
        """Copy the file to private storage. No Java on this thread."""
        shot = self.incoming / "camera.jpg"
        try:
            with os.fdopen(handle, "rb") if handle is not None else shot.open("rb") as lent:
                data = lent.read(MOST_BYTES + 1)
            if len(data) > MOST_BYTES:
                raise PhotoError("The picture is larger than {most} MB; give a smaller one.", most=MOST_BYTES // 1_000_000)
            kept = keep(data)
            if handle is None:
                shot.unlink(missing_ok=True)
            done(kept)
        except CompanionError as error:
            done(error)
        except OSError:
            done(lost)

    def _kept_board(self, data: bytes) -> Path:
        path = self.incoming / f"shared{ENDING}"
        write_bytes(path, data)
        return path

    def _cleaned(self, data: bytes) -> Path:
        """Keep a photo without its place and time."""
        from companion.vision.header import read_header
        from companion.vision.strip import stripped

        if not data:
            raise PhotoError("The file is empty; copy the picture again or take another.")
        if read_header(data).kind == "heic":  # no decoder here, and its place could not be taken out
            raise PhotoError("HEIC pictures cannot be read here; save the photo as JPEG and try again.")
        number = 1
        while (path := self.incoming / f"{number}.photo").exists():
            number += 1
        write_bytes(path, stripped(data))
        return path

    # a result goes out

    def copy_text(self, text: str) -> None:
        """Offer a text to the share sheet."""
        intent = self._intent(self._intent.ACTION_SEND)
        intent.setType("text/plain")
        intent.putExtra(self._intent.EXTRA_TEXT, self._words(text))
        self._choose(intent)

    def save_file(self, name: str, data: bytes) -> Path:
        """Keep a file under this name and offer it to the share sheet; raises StoreError."""
        path = self.outgoing / (re.sub(r"[^\w .-]", "_", name).lstrip(".")[-80:] or "result")
        write_bytes(path, data)
        self.reveal(path)
        return path

    def reveal(self, path: Path) -> None:
        """Offer a kept file to the share sheet again."""
        intent = self._intent(self._intent.ACTION_SEND)
        intent.setType(KINDS.get(path.suffix.lower(), "application/octet-stream"))
        try:
            address = self._address(path)
        except self.java.error as error:
            raise StoreError("Nothing on this phone can take the result; install an app that can.") from error
        intent.putExtra(self._intent.EXTRA_STREAM, self.java.cast("android.os.Parcelable", address))
        self._lend(intent, address, writing=False)
        self._choose(intent)

    def _choose(self, intent: Any) -> None:
        try:
            self.java.activity.startActivity(self._intent.createChooser(intent, self._words("Rail Companion")))
        except self.java.error as error:
            raise StoreError("Nothing on this phone can take the result; install an app that can.") from error

    def _address(self, path: Path) -> Any:
        """The content address under which another app may reach this one file of ours."""
        authority = f"{self.java.activity.getPackageName()}.files"
        return self._provider.getUriForFile(self.java.activity, authority, self._file(str(path)))

    def _lend(self, intent: Any, address: Any, writing: bool) -> None:
        """Let whoever answers the intent use the address; the clip carries the right along to older systems."""
        flags = self._intent.FLAG_GRANT_READ_URI_PERMISSION
        if writing:
            flags |= self._intent.FLAG_GRANT_WRITE_URI_PERMISSION
        intent.addFlags(flags)
        intent.setClipData(self._clip.newRawUri(self._words(""), address))

    def _words(self, text: str) -> Any:
        return self.java.cast("java.lang.CharSequence", self._string(text))

    # the screen

    def start_folder(self) -> Path:
        return self.incoming

    def insets(self) -> tuple[int, int, int, int]:
        """Pixels at the left, top, right and bottom that system bars and cut-outs cover."""
        try:
            seen = self.java.activity.getWindow().getDecorView().getRootWindowInsets()
            if seen is None:
                return 0, 0, 0, 0
            if self._level >= 30:
                kinds = self.java.cls("android.view.WindowInsets$Type")
                edges = seen.getInsets(kinds.systemBars() | kinds.displayCutout())
                return int(edges.left), int(edges.top), int(edges.right), int(edges.bottom)
            left, top = seen.getSystemWindowInsetLeft(), seen.getSystemWindowInsetTop()
            return int(left), int(top), int(seen.getSystemWindowInsetRight()), int(seen.getSystemWindowInsetBottom())
        except self.java.error:
            return 0, 0, 0, 0

    def leave(self) -> None:
        """A step back from the first screen: the phone shows what was there before, and we wait in the background."""
        with suppress(self.java.error):
            self.java.activity.moveTaskToBack(True)

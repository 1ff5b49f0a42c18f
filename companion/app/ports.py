"""Doors to the machine: where a photo comes from and where a result goes. The desktop side; android.py has the phone's."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from companion.app.aside import Desk
from companion.app.webcam import DeskWebcam, Webcam
from companion.errors import CompanionError
from companion.store import write_bytes

PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".heic", ".bmp", ".tif", ".tiff")


Answer = Path | CompanionError | None


class Ports(Protocol):
    """What the app asks of the machine.

    To `done` goes the path of a photo or file, None when the person changed their mind, or the error that kept it away.
    """

    browses: bool
    """Whether the app itself shows the list of files, as on a desktop."""
    has_camera: bool
    has_webcam: bool
    """Whether a camera may be at hand that shows what it sees in our own window."""
    shares: bool
    """Whether results go to a share sheet of the system, which then says itself what became of them."""

    def take_photo(self, done: Callable[[Answer], None]) -> None: ...

    def pick_photo(self, done: Callable[[Answer], None]) -> None: ...

    def pick_board(self, done: Callable[[Answer], None]) -> None: ...

    def webcam(self, desk: Desk, folder: Path) -> Webcam: ...

    def waiting_photo(self) -> Path | None: ...

    def start_folder(self) -> Path: ...

    def copy_text(self, text: str) -> None: ...

    def save_file(self, name: str, data: bytes) -> Path: ...

    def reveal(self, path: Path) -> None: ...

    def insets(self) -> tuple[int, int, int, int]: ...

    def leave(self) -> None: ...


class DesktopPorts:
    """A computer: files come from folders, results go to Documents and the clipboard."""

    browses = True
    has_camera = False
    has_webcam = True
    shares = False

    def take_photo(self, done: Callable[[Answer], None]) -> None:
        done(None)

    def pick_photo(self, done: Callable[[Answer], None]) -> None:
        done(None)

    def pick_board(self, done: Callable[[Answer], None]) -> None:
        done(None)

    def webcam(self, desk: Desk, folder: Path) -> Webcam:
        return DeskWebcam(desk, folder)

    def waiting_photo(self) -> Path | None:
        return None

    def start_folder(self) -> Path:
        home = Path.home()
        return next((f for f in (home / "Pictures", home / "Downloads") if f.is_dir()), home)

    def copy_text(self, text: str) -> None:
        from kivy.core.clipboard import Clipboard

        Clipboard.copy(text)

    def save_file(self, name: str, data: bytes) -> Path:
        """Keep a file in Documents/Rail Companion, under a name that is still free; raises StoreError."""
        chosen = os.environ.get("COMPANION_SHARE")
        if chosen:
            folder = Path(chosen)
        else:
            from platformdirs import user_documents_path

            folder = user_documents_path() / "Rail Companion"
        stem, dot, ending = re.sub(r"[^\w .-]", "_", name).rpartition(".")
        path = folder / f"{stem}{dot}{ending}"
        number = 1
        while path.exists():
            number += 1
            path = folder / f"{stem} {number}{dot}{ending}"
        write_bytes(path, data)
        return path

    def reveal(self, path: Path) -> None:
        """Open the folder of a file in the system's own window, where there is one."""
        opener = {"darwin": "open", "win32": "explorer"}.get(sys.platform, "xdg-open")
        try:
            subprocess.Popen([opener, str(path.parent)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except OSError:
            return

    def insets(self) -> tuple[int, int, int, int]:
        """Pixels at the left, top, right and bottom that the system draws over: none in a window."""
        return 0, 0, 0, 0

    def leave(self) -> None:
        """A step back from the first screen: a window stays."""


def ports_for_this_machine(folder: Path) -> Ports:
    """The ports to a phone or a computer; `folder` is private to the app."""
    if "ANDROID_PRIVATE" in os.environ:
        from companion.app.android import AndroidPorts

        return AndroidPorts(folder)
    return DesktopPorts()

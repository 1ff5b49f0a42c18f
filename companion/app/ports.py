"""Doors to the machine: where a photo comes from and where a result goes. A desktop side; tests bring their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from companion.store import write_bytes

PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".heic", ".bmp", ".tif", ".tiff")


class Ports(Protocol):
    """What the app asks of the machine. A photo's path, or None when the person changed their mind, goes to `done`."""

    browses: bool
    """Whether the app itself shows the list of files, as on a desktop."""
    has_camera: bool

    def take_photo(self, done: Callable[[Path | None], None]) -> None: ...

    def pick_photo(self, done: Callable[[Path | None], None]) -> None: ...

    def start_folder(self) -> Path: ...

    def copy_text(self, text: str) -> None: ...

    def save_file(self, name: str, data: bytes) -> Path: ...

    def reveal(self, path: Path) -> None: ...


class DesktopPorts:
    """A computer: files come from folders, results go to Documents and the clipboard."""

    browses = True
    has_camera = False

    def take_photo(self, done: Callable[[Path | None], None]) -> None:
        done(None)

    def pick_photo(self, done: Callable[[Path | None], None]) -> None:
        done(None)

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


def ports_for_this_machine() -> Ports:
    return DesktopPorts()

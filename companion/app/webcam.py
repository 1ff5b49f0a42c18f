"""The webcam's desk side: it is opened where the reader works, so that the screen only ever draws."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from companion.app.aside import Desk, Job
from companion.app.reader import Picture
from companion.errors import CompanionError


class Webcam(Protocol):
    """A camera with a live picture. `frame` is told every picture, `done` the photo that was taken, or the error."""

    def start(self, frame: Callable[[Picture], None], done: Callable[[Path | CompanionError], None]) -> None: ...

    def take(self) -> None: ...

    def stop(self) -> None: ...


class DeskWebcam:
    """The machine's own camera; COMPANION_WEBCAM names another by its number or address."""

    def __init__(self, desk: Desk, folder: Path) -> None:
        self._desk, self._folder = desk, folder
        self._wish = folder / ".take"
        self._job: Job | None = None

    def start(self, frame: Callable[[Picture], None], done: Callable[[Path | CompanionError], None]) -> None:
        with suppress(OSError):
            self._wish.unlink()
        otherwise = CompanionError("The webcam has stopped; plug it in again, or choose a picture instead.")
        told: Any = frame
        self._job = Job(
            lambda progress: self._desk.do("companion.app.webcam:watch", self._folder, self._wish, progress=progress),
            self._desk.stop,
            told,
            done,
            otherwise,
        )

    def take(self) -> None:
        """Ask for the photo; the other process looks for this wish after every frame."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._wish.touch()

    def stop(self) -> None:
        if self._job is not None:
            self._job.stop()


def watch(folder: Path, wish: Path, show: Callable[[Picture], None]) -> Path:
    """At the desk: frames to the screen until the wish is there, then the photo."""
    from companion.app.photoreader import picture_of
    from companion.vision import webcam

    camera = webcam.open_webcam(os.environ.get("COMPANION_WEBCAM", "0"))
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while (out := folder / f"webcam-{number}.jpg").exists():
        number += 1
    return webcam.watch(camera, wish.exists, out, lambda pixels: show(picture_of(pixels)))

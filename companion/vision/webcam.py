"""A camera at the table: frames while one aims, then one photo in full."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import PhotoError
from companion.vision.overlay import save_picture
from companion.vision.photo import hushed

Pixels = NDArray[np.uint8]

SHOWN_WIDTH = 960
"""Frames are shown at most this wide; the photo keeps all it has."""
PAUSE = 1 / 15
PATIENCE = 3.0
"""Seconds without a frame after which a camera counts as gone."""
LARGEST = (3840, 2160)


class Capture(Protocol):
    """What we ask of cv2.VideoCapture."""

    def read(self) -> tuple[bool, Pixels]: ...

    def release(self) -> None: ...


def open_webcam(source: str = "0") -> Capture:
    """A camera by its number, or a stream by its address, at the finest it offers; raises PhotoError."""
    with hushed():
        camera = cv2.VideoCapture(int(source) if source.isdigit() else source)
        if not camera.isOpened():
            raise PhotoError("No webcam answers; plug one in, close what else uses it, or choose a picture instead.")
        if source.isdigit():
            camera.set(cv2.CAP_PROP_FRAME_WIDTH, LARGEST[0])
            camera.set(cv2.CAP_PROP_FRAME_HEIGHT, LARGEST[1])
    opened: Capture = camera
    return opened


def watch(camera: Capture, wanted: Callable[[], bool], out: Path, show: Callable[[Pixels], None]) -> Path:
    """Show frames until a photo is wanted, then keep the latest in full; `show` may raise to stop."""
    last = time.monotonic()
    latest: Pixels | None = None
    try:
        while True:
            began = time.monotonic()
            good, frame = camera.read()
            if good:
                last, latest = began, frame
                show(_shown(frame))
            elif began - last > PATIENCE:
                raise PhotoError("The webcam has stopped; plug it in again, or choose a picture instead.")
            if latest is not None and wanted():
                save_picture(latest, out)
                return out
            time.sleep(max(0.0, began + PAUSE - time.monotonic()))
    finally:
        camera.release()


def _shown(frame: Pixels) -> Pixels:
    shrink = min(1.0, SHOWN_WIDTH / frame.shape[1])
    return np.asarray(cv2.resize(frame, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), np.uint8)

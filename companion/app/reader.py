"""The door to the photo reader: what the app asks of it, and what it gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from companion.app.aside import Desk, Job, Progress
from companion.board import Board
from companion.draft import Doubt
from companion.errors import CompanionError, LocateError

Corners = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Picture:
    """Pixels for the screen: rows from the top, three bytes a pixel, red first; `scale` times smaller than the photo.

    smaller: the same picture at half the size, a quarter and so on
    """

    width: int
    height: int
    rgb: bytes
    scale: float = 1.0
    smaller: tuple[bytes, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Order:
    """Photos of one board, to be read as one; `corners` are the first one's."""

    photos: tuple[Path, ...]
    board: Board
    players: tuple[str, ...]
    corners: Corners | None = None


@dataclass(frozen=True)
class Seen:
    """What a photo shows, and the straightened board to check it against."""

    claims: Mapping[str, str]
    stations: Mapping[str, str]
    doubts: tuple[Doubt, ...] = ()
    corners: tuple[tuple[float, float], ...] = ()
    """Those of the board in the first photo, in pixels of its kept copy."""
    board_picture: Picture | None = None
    closeups: Mapping[str, Picture] = field(default_factory=dict)
    kept: tuple[Path, ...] = ()
    """Private copies of the photos, to combine with another one later."""
    borrowing: Mapping[str, str] = field(default_factory=dict)
    """Routes on which a station was seen standing on a wagon, with the station's colour."""


class Reader(Protocol):
    """Reads photos; `progress` is called with each stage and may raise to stop the work."""

    def warm(self) -> None: ...

    def read(self, order: Order, progress: Progress) -> Seen: ...

    def upright(self, photo: Path) -> Picture: ...

    def stop(self) -> None: ...


class DeskReader:
    """The real reader, at a desk away from the screen; numpy and OpenCV are loaded there."""

    def __init__(self, desk: Desk, folder: Path) -> None:
        self._desk, self._folder = desk, folder

    def warm(self) -> None:
        self._desk.warm()

    def read(self, order: Order, progress: Progress) -> Seen:
        seen: Seen = self._desk.do("companion.app.photoreader:read", order, self._folder, progress=progress)
        return seen

    def upright(self, photo: Path) -> Picture:
        picture: Picture = self._desk.do("companion.app.photoreader:upright", photo, progress=lambda stage: None)
        return picture

    def stop(self) -> None:
        self._desk.stop()


def read_aside(reader: Reader, order: Order, stage: Progress, done: Callable[[Seen | CompanionError], None]) -> Job:
    """Read photos off the screen's thread."""
    otherwise = CompanionError("The photo could not be read: try another, or tap the routes by hand.")
    return Job(lambda progress: reader.read(order, progress), reader.stop, stage, done, otherwise)


def open_aside(reader: Reader, photo: Path, done: Callable[[Picture | CompanionError], None]) -> Job:
    """Open a photo off the screen's thread, to show it."""
    otherwise = CompanionError("The photo could not be opened: try another.")
    return Job(lambda progress: reader.upright(photo), reader.stop, lambda stage: None, done, otherwise)


def is_lost(error: Any) -> bool:
    """Whether the reader failed because it did not find the board, so that its corners can be shown to it."""
    return isinstance(error, LocateError)

"""The door to the photo reader: what the app asks of it, the work off the screen's thread, and how to stop it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from companion.board import Board
from companion.draft import Doubt
from companion.errors import CompanionError, LocateError

if TYPE_CHECKING:
    from companion.app.photoreader import PhotoReader

Corners = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Picture:
    """Pixels for the screen: rows from the top, three bytes a pixel, red first; `scale` times smaller than the photo."""

    width: int
    height: int
    rgb: bytes
    scale: float = 1.0


@dataclass(frozen=True)
class Seen:
    """What a photo shows, and the straightened board to check it against."""

    claims: Mapping[str, str]
    stations: Mapping[str, str]
    doubts: tuple[Doubt, ...] = ()
    corners: tuple[tuple[float, float], ...] = ()
    board_picture: Picture | None = None
    closeups: Mapping[str, Picture] = field(default_factory=dict)
    kept: tuple[Path, ...] = ()
    """Private copies of the photos, to combine with another one later."""


class Reader(Protocol):
    """Reads photos of one board as one; `progress` is called with each stage and may raise to stop the work."""

    def read(
        self,
        photos: Sequence[Path],
        board: Board,
        players: Sequence[str],
        corners: Corners | None,
        progress: Callable[[str], None],
    ) -> Seen: ...

    def upright(self, photo: Path) -> Picture: ...

    def warm(self) -> None: ...


class Stopped(Exception):  # noqa: N818 - a wish, not an error
    """Raised inside the work when the person called it off."""


@dataclass
class Reading:
    """A reading on its way. `done` is called on the reading thread with what was seen, or with the error."""

    reader: Reader
    photos: Sequence[Path]
    board: Board
    players: Sequence[str]
    corners: Corners | None
    stage: Callable[[str], None]
    done: Callable[[Seen | CompanionError], None]
    stopped: bool = False

    def start(self) -> Reading:
        threading.Thread(target=self._work, name="reader", daemon=True).start()
        return self

    def stop(self) -> None:
        self.stopped = True

    def _progress(self, name: str) -> None:
        if self.stopped:
            raise Stopped
        self.stage(name)

    def _work(self) -> None:
        try:
            seen: Seen | CompanionError = self.reader.read(
                self.photos, self.board, self.players, self.corners, self._progress
            )
        except Stopped:
            return
        except CompanionError as error:
            seen = error
        except Exception:  # a reading must never take the evening's game down with it
            seen = CompanionError("The photo could not be read: try another, or tap the routes by hand.")
        if not self.stopped:
            self.done(seen)


class LazyReader:
    """The real reader, loaded with the first photo: numpy and OpenCV must not delay the first screen."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._real: PhotoReader | None = None
        self._loading = threading.Lock()

    def warm(self) -> None:
        """Load everything on a thread of its own, while the person is still at the table."""
        threading.Thread(target=self._reader, name="warming", daemon=True).start()

    def _reader(self) -> PhotoReader:
        with self._loading:
            if self._real is None:
                from companion.app.photoreader import PhotoReader

                self._real = PhotoReader(self._folder)
            return self._real

    def read(
        self,
        photos: Sequence[Path],
        board: Board,
        players: Sequence[str],
        corners: Corners | None,
        progress: Callable[[str], None],
    ) -> Seen:
        return self._reader().read(photos, board, players, corners, progress)

    def upright(self, photo: Path) -> Picture:
        return self._reader().upright(photo)


def is_lost(error: Any) -> bool:
    """Whether the reader failed because it did not find the board, so that its corners can be shown to it."""
    return isinstance(error, LocateError)

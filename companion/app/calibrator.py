"""The door to the calibration: an empty board's photo becomes a board of one's own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from companion.app.reader import Picture
from companion.board import Board, load_board
from companion.errors import CompanionError


@dataclass(frozen=True)
class Learned:
    """A board as it was found, its straightened photo, and the ids a person should look at."""

    board: Board
    folder: Path
    picture: Picture
    unsure: tuple[str, ...]


def learn(
    photo: Path,
    like: str,
    new: str,
    out: Path,
    corners: Sequence[tuple[float, float]] | None,
    progress: Callable[[str], None],
) -> Learned:
    """Learn another print of a known board or, with a name in `new`, a board never seen, with the rules of `like`."""
    import numpy as np

    from calibration.calibrate import calibrate_like, calibrate_new
    from companion.app.photoreader import picture_of

    given = np.array(corners, np.float64) if corners else None
    if new:
        made = calibrate_new(photo, new, load_board(like), out, given, progress)
    else:
        made = calibrate_like(photo, load_board(like), out, given, progress)
    return Learned(load_board(out), out, picture_of(made.flat), tuple(made.unsure))


def learn_aside(
    photo: Path,
    like: str,
    new: str,
    out: Path,
    corners: Sequence[tuple[float, float]] | None,
    progress: Callable[[str], None],
    done: Callable[[Learned | CompanionError], None],
) -> None:
    """The same on a thread of its own."""

    def work() -> None:
        try:
            done(learn(photo, like, new, out, corners, progress))
        except CompanionError as error:
            done(error)
        except Exception:  # learning a board must never take the app down
            done(CompanionError("The board could not be learnt from this photo: try another."))

    threading.Thread(target=work, name="calibrator", daemon=True).start()

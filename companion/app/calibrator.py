"""The door to the calibration: an empty board's photo becomes a board of one's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibration.editing import Editing, Rgb, from_form
from companion.app.aside import Desk, Job, Progress
from companion.app.reader import Corners, Order, Picture, Seen
from companion.board import Board, load_board
from companion.errors import CompanionError


@dataclass(frozen=True)
class Lesson:
    """Another print of the board `like` or, with a name in `new`, a board never seen that has the rules of `like`."""

    photo: Path
    like: str
    new: str
    out: Path
    corners: Corners | None = None


@dataclass(frozen=True)
class Learned:
    """A board as it was found, its straightened photo, and the ids a person should look at."""

    board: Board
    folder: Path
    picture: Picture
    unsure: tuple[str, ...]


def learn(lesson: Lesson, progress: Progress) -> Learned:
    """Learn a board; raises CompanionError."""
    import numpy as np

    from calibration.calibrate import calibrate_like, calibrate_new
    from calibration.keep import keep_photo
    from companion.app.photoreader import picture_of

    known, out = load_board(lesson.like), lesson.out
    given = np.array(lesson.corners, np.float64) if lesson.corners else None
    if lesson.new:
        made = calibrate_new(lesson.photo, lesson.new, known, out, given, progress)
    else:
        made = calibrate_like(lesson.photo, known, out, given, progress)
    keep_photo(made.flat, out)
    return Learned(load_board(out), out, picture_of(made.flat), tuple(made.unsure))


def learn_aside(desk: Desk, lesson: Lesson, stage: Progress, done: Callable[[Learned | CompanionError], None]) -> Job:
    """Learn a board off the screen's thread."""
    otherwise = CompanionError("The board could not be learnt from this photo: try another.")
    task = "companion.app.calibrator:learn"
    return Job(lambda progress: desk.do(task, lesson, progress=progress), desk.stop, stage, done, otherwise)


@dataclass(frozen=True)
class Edited:
    """A board in the making with where its files are: `folder` as it was learnt, its photo if there is one."""

    form: dict[str, Any]
    folder: Path
    photo: Path | None

    @property
    def editing(self) -> Editing:
        return from_form(self.form)


def keep(edited: Edited, boards: Path, _: Progress) -> Path:
    """Give an edited board its place among the person's own; returns its folder."""
    from calibration.keep import keep as keep_board

    return keep_board(edited.editing, edited.photo, edited.folder, boards)


def try_out(edited: Edited, photo: Path, progress: Progress) -> Seen:
    """Read a photo of a game with a board that is still in the making."""
    import tempfile

    from calibration.keep import write_edited
    from companion.app.photoreader import read

    progress("measure")
    with tempfile.TemporaryDirectory(prefix=".trying-", dir=edited.folder.parent) as place:
        folder = Path(place) / "board"
        write_edited(edited.editing, edited.photo, edited.folder, folder)
        board = load_board(folder)
        return read(Order((photo,), board, board.rules.colors), Path(place), progress)


def piece_at(photo: Path, spot: tuple[float, float], _: Progress) -> Rgb:
    """The colour of the piece at a point of a photo, given in shares of its width and height."""
    from calibration.palette import piece_color
    from companion.vision.photo import read_photo

    opened = read_photo(photo)
    width, height = opened.full_size
    return piece_color(opened, (spot[0] * width, spot[1] * height))


def at_desk(desk: Desk, task: str, *args: Any, stage: Progress, done: Callable[[Any], None]) -> Job:
    """One of the above off the screen's thread."""
    otherwise = CompanionError("That did not work: go back and try again.")
    name = f"companion.app.calibrator:{task}"
    return Job(lambda progress: desk.do(name, *args, progress=progress), desk.stop, stage, done, otherwise)

"""The door to the calibration: an empty board's photo becomes a board of one's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from companion.app.aside import Desk, Job, Progress
from companion.app.reader import Corners, Picture
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
    from companion.app.photoreader import picture_of

    known, out = load_board(lesson.like), lesson.out
    given = np.array(lesson.corners, np.float64) if lesson.corners else None
    if lesson.new:
        made = calibrate_new(lesson.photo, lesson.new, known, out, given, progress)
    else:
        made = calibrate_like(lesson.photo, known, out, given, progress)
    return Learned(load_board(out), out, picture_of(made.flat), tuple(made.unsure))


def learn_aside(desk: Desk, lesson: Lesson, stage: Progress, done: Callable[[Learned | CompanionError], None]) -> Job:
    """Learn a board off the screen's thread."""
    otherwise = CompanionError("The board could not be learnt from this photo: try another.")
    task = "companion.app.calibrator:learn"
    return Job(lambda progress: desk.do(task, lesson, progress=progress), desk.stop, stage, done, otherwise)

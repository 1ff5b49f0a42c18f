"""Everything that can go wrong in a way a person can mend.

CompanionError
    BoardError      a map folder is missing, broken or breaks the format
    GameError       a game file is missing, broken or does not fit its board
    PhotoError      a picture cannot be opened, or is not one we take
    LocateError     the board was not found in the photo, or not surely enough
    StoreError      a game cannot be saved, or a saved one cannot be opened
    CalibrationError  a photo of an empty board cannot be turned into a map
"""

from __future__ import annotations

import errno
from typing import Any


class Sentence(str):
    """Words for a person, kept with their {gaps} and what fills them, so that they can be said in another language."""

    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, /, **values: object) -> Sentence:
        told = super().__new__(cls, template.format(**values) if values else template)
        told.template, told.values = template, values
        return told


def reason(error: OSError) -> Sentence:
    """Why the system refused, in words that can be translated."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return Sentence("the disk is full")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Sentence("that is not allowed")
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENAMETOOLONG):
        return Sentence("there is no such place")
    return Sentence("the system refused")


class CompanionError(Exception):
    """Raised with one sentence that says what happened and what to do next; its {gaps} are filled with `values`."""

    def __init__(self, sentence: str, **values: object) -> None:
        self.said = sentence if isinstance(sentence, Sentence) else Sentence(sentence, **values)
        super().__init__(str(self.said))


class BoardError(CompanionError):
    """Raised when a map folder cannot be loaded; `faults` lists all that is wrong with it."""

    def __init__(self, sentence: str, faults: tuple[str, ...] = (), **values: object) -> None:
        super().__init__(sentence, **values)
        self.faults = faults


class GameError(CompanionError):
    """Raised when a game file cannot be understood."""


class PhotoError(CompanionError):
    """Raised when a picture cannot be opened."""


class LocateError(CompanionError):
    """Raised when the board cannot be placed in the photo with certainty."""


class StoreError(CompanionError):
    """Raised when a game cannot be saved or a saved one cannot be opened."""


class CalibrationError(CompanionError):
    """Raised when a board cannot be learned from a photo: blurred, cut off, or not empty."""

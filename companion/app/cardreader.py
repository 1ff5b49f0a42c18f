"""Reads a photo of ticket cards with Tesseract, where it is installed; it never is on a phone."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from companion.app.aside import Desk, Job, Progress
from companion.board import Board, Ticket
from companion.cards import SeenWord, propose
from companion.errors import CompanionError


def can_read_cards() -> bool:
    """Whether a photo of cards can be offered at all."""
    if "ANDROID_PRIVATE" in os.environ:
        return False
    return shutil.which("tesseract") is not None and importlib.util.find_spec("pytesseract") is not None


def read_cards(photo: Path, board: Board, deck: list[Ticket], _: Progress) -> list[Ticket]:
    """The tickets that a photo seems to show, whichever way up it is; raises CompanionError."""
    import numpy as np

    from calibration.letters import words_in
    from companion.vision.photo import read_photo

    pixels = read_photo(photo).pixels
    best: list[Ticket] = []
    for turns in range(4):
        turned = np.ascontiguousarray(np.rot90(pixels, turns))
        side = max(turned.shape[:2])
        words = [
            SeenWord(w.text, (w.left + w.right) / 2 / side, (w.top + w.bottom) / 2 / side)
            for w in words_in(turned, min(1.5, 2600 / side))
        ]
        found = propose(board, deck, words)
        if len(found) > len(best):
            best = found
        if turns == 0 and found:
            break
    return best


def read_cards_aside(
    desk: Desk, photo: Path, board: Board, deck: list[Ticket], done: Callable[[list[Ticket] | CompanionError], None]
) -> Job:
    """The same off the screen's thread."""
    otherwise = CompanionError("The cards could not be read: tap them instead.")
    task = "companion.app.cardreader:read_cards"
    return Job(
        lambda progress: desk.do(task, photo, board, deck, progress=progress), desk.stop, lambda stage: None, done, otherwise
    )

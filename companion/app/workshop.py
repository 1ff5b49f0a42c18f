"""Where a board in the making lies: kept at every change, taken up again after a kill, gone when it is kept for good."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from calibration.editing import Editing, from_form
from companion.app.saver import Saver
from companion.board import Board
from companion.errors import BoardError, CompanionError
from companion.store import write_bytes

DRAFT = ".draft"
CHANGES = "changes.json"
PHOTO = "photo.jpg"


class Workshop:
    """One board at a time, in a hidden folder among the person's own boards."""

    def __init__(self, boards: Path, trouble: Callable[[CompanionError], None], put_aside: Callable[[Path], None]) -> None:
        self.boards = boards
        self.folder = boards / DRAFT
        self._put_aside = put_aside
        self.editing: Editing | None = None
        self._saver = Saver(self, trouble)

    @property
    def photo(self) -> Path | None:
        """The straightened photo of the empty board, if there is one."""
        path = self.folder / PHOTO
        return path if path.is_file() else None

    def waiting(self) -> Editing | None:
        """The board that was left unfinished, if any; if what was changed cannot be read, as it was learnt."""
        self._saver.flush()
        if (self.folder / CHANGES).is_file():
            try:
                return from_form(self._stored(CHANGES))
            except OSError:
                return None
            except (ValueError, TypeError, KeyError, RecursionError, BoardError):
                self._put_aside(self.folder / CHANGES)
        try:
            return from_form(Editing(self._stored("board.json"), self._stored("tickets.json")).to_form())
        except OSError:
            return None
        except (ValueError, TypeError, KeyError, RecursionError, BoardError):
            self._put_aside(self.folder / "board.json")
            return None

    def _stored(self, name: str) -> Any:
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    def take_up(self) -> bool:
        """Go on with the board that was left unfinished."""
        self.editing = self.waiting()
        return self.editing is not None

    def begin(self, learnt: Path, rules_of: str) -> None:
        """A board was just learnt, with the rules of a known one: its folder becomes the one that is worked on."""
        self.drop()
        learnt.rename(self.folder)
        if self.take_up() and self.editing is not None:
            self.editing.raw["rules_of"] = rules_of
            self.keep()

    def reopen(self, board: Board) -> None:
        """Work on a copy of one of the person's own boards."""
        assert board.folder is not None
        self.drop()
        shutil.copytree(board.folder, self.folder)
        self.take_up()
        if self.editing is not None:
            self.editing.goal = board.folder.name
            self.keep()

    def keep(self) -> None:
        """Save the board as it is now."""
        if self.editing is not None:
            self._saver.keep(CHANGES, self.editing.to_form())

    def write(self, name: str, form: Mapping[str, Any]) -> None:
        """The saver's hand: called on its thread."""
        write_bytes(self.folder / name, json.dumps(form, ensure_ascii=False).encode())

    def drop(self) -> None:
        """Clear the bench."""
        self.editing = None
        self._saver.flush()
        with suppress(OSError):
            shutil.rmtree(self.folder)

    def flush(self) -> None:
        self._saver.flush()

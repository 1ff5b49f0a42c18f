"""Calibrate: an empty board's photo becomes a board of one's own, looked at before it is kept."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from uuid import uuid4

from kivy.clock import mainthread
from kivy.properties import BooleanProperty, StringProperty

from companion.app.calibrator import Learned, Lesson, learn_aside
from companion.app.reader import is_lost
from companion.app.screens.boards import counts
from companion.app.widgets import load_kv
from companion.app.widgets.page import Page
from companion.app.widgets.picture import Shot
from companion.app.words import _, error_text, said, several
from companion.boards import free_place
from companion.errors import CompanionError, reason


class CalibratePage(Page):
    """What was found, drawn over the photo."""

    busy = BooleanProperty(True)
    stage = StringProperty("")
    found = StringProperty("")
    unsure = StringProperty("")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.learned: Learned | None = None
        self.stage = _("Opening the photo")
        self.folder = self.app.store.folder / "boards"
        self.work = self.folder / f".learning-{uuid4().hex[:6]}"
        self.out = self.work / _("my print")
        given = self.given
        lesson = Lesson(Path(given["photo"]), given["like"], given["new"], self.out, given.get("corners"))
        self.job = learn_aside(self.app.desk, lesson, self._stage, self._done)

    @mainthread
    def _stage(self, name: str) -> None:
        self.stage = _(name)

    @mainthread
    def _done(self, learned: Learned | CompanionError) -> None:
        if self.app.page is not self:
            shutil.rmtree(self.work, ignore_errors=True)
            return
        self.busy = False
        if isinstance(learned, CompanionError):
            shutil.rmtree(self.work, ignore_errors=True)
            if is_lost(learned) and not self.given.get("corners"):
                onward = {key: self.given[key] for key in ("photo", "like", "new")}
                self.app.show("corners", photos=[self.given["photo"]], why=error_text(learned), onward=onward)
            else:
                self.app.show("boards", "right")
                self.app.tell(error_text(learned))
            return
        self.learned = learned
        view = self.ids.board
        view.board, view.bare = learned.board, True
        view.photo = Shot(learned.picture)
        view.asked = learned.unsure
        self.found = counts(learned.board)
        count = len(learned.unsure)
        self.unsure = several(
            "{count} place is uncertain: look at it.", "{count} places are uncertain: look at them.", count
        )
        if not count:
            self.unsure = ""

    def keep_it(self) -> None:
        """Give the board its own folder."""
        if self.learned is None:
            return
        goal = free_place(self.folder, self.learned.board.id)
        try:
            self.learned.folder.rename(goal)
        except OSError as error:
            self.app.tell(_("The board could not be kept ({reason}): free some space.", reason=said(reason(error))))
            return
        self.learned = None
        shutil.rmtree(self.work, ignore_errors=True)
        self.app.show("boards", "right")
        self.app.tell(_("The board is kept. It can be chosen at the next table."))

    def enter(self) -> bool:
        self.keep_it()
        return True

    def back(self) -> bool:
        self.job.stop()
        shutil.rmtree(self.work, ignore_errors=True)
        self.app.show("boards", "right")
        return True


load_kv(__file__)
Screen = CalibratePage

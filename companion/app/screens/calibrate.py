"""Calibrate: an empty board's photo becomes a board of one's own."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from uuid import uuid4

from kivy.clock import mainthread
from kivy.properties import BooleanProperty, StringProperty

from companion.app.calibrator import Learned, Lesson, learn_aside
from companion.app.widgets import load_kv
from companion.app.widgets.page import Page
from companion.app.words import _, error_text, said
from companion.errors import CalibrationError, CompanionError, LocateError, reason


class CalibratePage(Page):
    """The board is being learnt; what was found is looked at on the next screen."""

    busy = BooleanProperty(True)
    stage = StringProperty("")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
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
            if isinstance(learned, LocateError | CalibrationError) and not self.given.get("corners"):
                onward = {key: self.given[key] for key in ("photo", "like", "new")}
                self.app.show("corners", photos=[self.given["photo"]], why=error_text(learned), onward=onward)
            else:
                self.app.show("boards", "right")
                self.app.tell(error_text(learned))
            return
        try:
            self.app.workshop.begin(learned.folder, self.given["like"])
        except OSError as error:
            self.app.tell(said(reason(error)))
        shutil.rmtree(self.work, ignore_errors=True)
        self.app.show("edit" if self.app.workshop.editing else "boards")

    def back(self) -> bool:
        self.job.stop()
        shutil.rmtree(self.work, ignore_errors=True)
        self.app.show("boards", "right")
        return True


load_kv(__file__)
Screen = CalibratePage

"""Try-out: read a photo of a game with the new board before it is kept."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from kivy.clock import Clock, mainthread
from kivy.properties import BooleanProperty, StringProperty

from companion.app.aside import Job
from companion.app.calibrator import Edited, at_desk
from companion.app.reader import Seen
from companion.app.screens.boards import counts
from companion.app.screens.edit import BenchPage
from companion.app.screens.photo import stage_text
from companion.app.widgets import load_kv
from companion.app.widgets.browser import pick_photo
from companion.app.widgets.picture import Shot
from companion.app.words import _, and_list, color_name, error_text, several
from companion.errors import CompanionError


class TryoutPage(BenchPage):
    """What the reader makes of a game on this board."""

    busy = BooleanProperty(False)
    stage = StringProperty("")
    said = StringProperty("")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._job: Job | None = None
        self.ids.board.board = self.editing.board
        Clock.schedule_once(lambda *_: self.ids.board.fill(), 0)
        self.said = f"{self.editing.raw['name']}: {counts(self.editing.board)}."

    def edited(self) -> Edited:
        workshop = self.app.workshop
        return Edited(self.editing.to_form(), workshop.folder, workshop.photo)

    def pick(self) -> None:
        pick_photo(self.app, self.try_on)

    def dropped(self, path: Path) -> None:
        if not self.busy:
            self.try_on(path)

    def try_on(self, photo: Path) -> None:
        self.busy, self.stage = True, _("Measuring the print")
        self._job = at_desk(self.app.desk, "try_out", self.edited(), photo, stage=self._stage, done=self._tried)

    @mainthread
    def _stage(self, name: str) -> None:
        if name != "measure":
            self.stage = stage_text(name)

    @mainthread
    def _tried(self, seen: Seen | CompanionError) -> None:
        if self.app.page is not self:
            return
        self.busy = False
        if isinstance(seen, CompanionError):
            self.said = error_text(seen)
            return
        view = self.ids.board
        view.photo = Shot(seen.board_picture) if seen.board_picture else None
        view.claims, view.asked = seen.claims, tuple(d.id for d in seen.doubts)
        owners = Counter(seen.claims.values())
        told = [f"{color_name(color)} {count}" for color, count in owners.most_common()]
        self.said = several("{count} route is taken", "{count} routes are taken", len(seen.claims))
        self.said += f": {and_list(told)}. " if told else ". "
        self.said += several("{count} doubt.", "{count} doubts.", len(seen.doubts))

    def keep_it(self) -> None:
        """Give the board its place among the person's own."""
        if self.busy:
            return
        self.busy, self.stage = True, _("Measuring the print")
        boards = self.app.workshop.boards
        self._job = at_desk(self.app.desk, "keep", self.edited(), boards, stage=lambda stage: None, done=self._kept)

    @mainthread
    def _kept(self, folder: Path | CompanionError) -> None:
        self.busy = False
        if isinstance(folder, CompanionError):
            self.app.tell(error_text(folder))
            return
        self.app.workshop.drop()
        self.app.show("boards", "right")
        self.app.tell(_("The board is kept. It can be chosen at the next table."))

    def stop(self) -> None:
        if self._job:
            self._job.stop()
        self.busy = False

    def enter(self) -> bool:
        self.keep_it()
        return True

    def back(self) -> bool:
        if self.busy:
            self.stop()
        else:
            self.app.show("pieces", "right")
        return True


load_kv(__file__)
Screen = TryoutPage

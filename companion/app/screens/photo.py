"""Photo: show the board to the reader, or skip it and tap by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kivy.clock import mainthread
from kivy.properties import BooleanProperty, NumericProperty, StringProperty

from companion.app.aside import Job
from companion.app.ports import Answer
from companion.app.reader import Order, Seen, is_lost, read_aside
from companion.app.widgets import load_kv
from companion.app.widgets.browser import Browser
from companion.app.widgets.page import Page
from companion.app.words import _, error_text
from companion.errors import CompanionError

STAGES = ("load", "locate", "read", "decide")


def stage_text(name: str) -> str:
    """What the reader is doing, for the person who waits."""
    return {
        "load": _("Opening the photo"),
        "locate": _("Finding the board"),
        "read": _("Looking at every space"),
        "decide": _("Weighing the evidence"),
        "show": _("Straightening the picture"),
    }.get(name, name)


class PhotoPage(Page):
    """Camera, file, drop, or by hand."""

    step = StringProperty("photo")
    busy = BooleanProperty(False)
    stage = StringProperty("")
    share = NumericProperty(0.0)
    hint = StringProperty("")
    sample = StringProperty("")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._reading: Job | None = None
        hints = [
            _("Stand over the middle of the long side and hold the phone flat above the board."),
            _("All four corners in view."),
        ]
        hints.append(_("Even light, no flash."))
        if self.draft.board.rules.stations:
            hints.append(_("Leave stations on their cities."))
        self.hint = "\n".join(f"•  {line}" for line in hints)
        self.more = bool(self.given.get("more"))
        self.sample = str(self.given.get("sample", ""))
        self.app.reader.warm()
        if self.given.get("photos"):
            self.read([Path(p) for p in self.given["photos"]], self.given.get("corners"))
        elif self.given.get("take"):
            self.take(Path(self.given["take"]))
        elif (waiting := self.app.ports.waiting_photo()) is not None:
            self.take(waiting)

    def choose(self) -> None:
        ports = self.app.ports
        if ports.browses:
            self.app.open_layer(Browser(ports.start_folder(), self.take))
        else:
            ports.pick_photo(self._got)

    def photograph(self) -> None:
        self.app.ports.take_photo(self._got)

    def webcam(self) -> None:
        self.app.show("webcam", more=self.more)

    @mainthread
    def _got(self, answer: Answer) -> None:
        if isinstance(answer, CompanionError):
            self.app.tell(error_text(answer))
        elif answer is not None:
            self.take(answer)

    def dropped(self, path: Path) -> None:
        if not self.busy:
            self.take(path)

    def take(self, path: Path) -> None:
        """Read this photo, together with earlier ones when another look was asked for."""
        if self.more:
            self.read([*(Path(p) for p in self.draft.photos), path], self.draft.corners or None)
        else:
            self.read([path])

    def read(self, photos: list[Path], corners: Any = None) -> None:
        self.busy, self.share = True, 0.0
        self.stage = stage_text("load")
        colors = tuple(p.color for p in self.draft.game.players)
        order = Order(tuple(photos), self.draft.board, colors, corners)
        self._reading = read_aside(self.app.reader, order, self._stage, lambda seen: self._done(order, seen))

    @mainthread
    def _stage(self, name: str) -> None:
        self.stage = stage_text(name)
        if name in STAGES:
            self.share = (STAGES.index(name) + 1) / (len(STAGES) + 1)

    @mainthread
    def _done(self, order: Order, seen: Seen | CompanionError) -> None:
        if self._reading is None or self._reading.stopped or self.app.page is not self:
            return
        self.busy = False
        if isinstance(seen, CompanionError):
            if is_lost(seen):
                self.app.show("corners", photos=[str(p) for p in order.photos], why=error_text(seen))
            else:
                self.app.tell(error_text(seen))
            return
        self.draft.photos = tuple(str(p) for p in seen.kept or order.photos)
        self.draft.corners = seen.corners if order.corners else ()
        self.draft.take(seen.claims, seen.stations, seen.doubts, self.more)
        if not self.more:
            self.draft.forget_history()
        self.app.seen = seen
        self.app.keep()
        self.app.step_on()

    def stop(self) -> None:
        """Call the reading off."""
        if self._reading:
            self._reading.stop()
        self.busy = False

    def by_hand(self) -> None:
        self.stop()
        self.app.step_on()

    def read_sample(self) -> None:
        self.take(Path(self.sample))

    def enter(self) -> bool:
        if self.busy:
            return True
        if self.sample:
            self.read_sample()
        else:
            self.choose()
        return True

    def back(self) -> bool:
        if self.busy:
            self.stop()
            return True
        if self.more:
            self.app.show("review", "right")
            return True
        return super().back()


load_kv(__file__)
Screen = PhotoPage

"""Result: the score revealed line by line, then the winner, and every line says why."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kivy.animation import Animation
from kivy.clock import Clock
from kivy.metrics import dp
from kivy.properties import BooleanProperty, ListProperty, NumericProperty, ObjectProperty, StringProperty
from kivy.uix.label import Label

from companion.app.sound import ring_bell
from companion.app.theme import theme
from companion.app.verdict import as_csv, as_text, headline, line_name, reason
from companion.app.widgets import load_kv
from companion.app.widgets.basics import Layer, Note, Row, Stack, Tap, Txt
from companion.app.widgets.page import Page
from companion.app.words import _, error_text, problem_text
from companion.errors import CompanionError
from companion.game import game_to_raw
from companion.scoring.final import result_to_raw

PAUSE = 0.6
"""Seconds between two lines of the sheet."""


class ScoreBar(Stack):
    """A player's bar, growing as the lines are read out."""

    name = StringProperty("")
    color = StringProperty("")
    board: Any = ObjectProperty(None, allownone=True)
    value = NumericProperty(0.0)
    most = NumericProperty(1.0)
    first = BooleanProperty(False)


class SheetRow(Tap):
    """A line of the sheet: its name and a number for each player."""

    line = StringProperty("")
    title = StringProperty("")
    numbers = ListProperty([])
    total = BooleanProperty(False)

    def on_kv_post(self, _: Any) -> None:
        for number in self.numbers:
            cell = Label(text=str(number), font_name=theme.number_font, color=theme.ink)
            cell.font_size = theme.title * (1.15 if self.total else 0.92)
            self.ids.cells.add_widget(cell)


class ResultPage(Page):
    """Who won, and why."""

    step = StringProperty("result")
    headline = StringProperty("")
    reason = StringProperty("")
    revealed = BooleanProperty(False)
    problems = StringProperty("")
    aside = BooleanProperty(False)
    """Whether the sheet stands beside the verdict, as on a phone on its side."""

    def on_size(self, *_: Any) -> None:
        super().on_size()
        self.aside = self.short and self.wide

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.draft.finished = True
        self.result = self.app.result()
        self.lines = list(self.result.players[0].breakdown)
        self.headline_text, self.reason_text = headline(self.result), reason(self.result)
        self._at = 0
        sums = [sum(list(s.breakdown.values())[: i + 1]) for s in self.result.players for i in range(len(self.lines))]
        most = max(1, *sums)
        for standing in self.result.players:
            bar = ScoreBar(name=standing.name, color=standing.color, board=self.draft.board, most=most)
            self.ids.bars.add_widget(bar)
            self.ids.badges.add_widget(NameTag(name=standing.name, color=standing.color, board=self.draft.board))
        self.bars = list(reversed(self.ids.bars.children))
        count = len(self.result.problems)
        self.problems = (
            "" if not count else problem_text(self.result.problems[0]) + (f"  (+{count - 1})" if count > 1 else "")
        )
        if self.given.get("revealed") or not theme.motion:
            self.reveal_all()
        else:
            Clock.schedule_once(self._reveal_next, PAUSE)

    # the reveal

    def _reveal_next(self, *_: Any) -> None:
        if self.revealed or self.app.page is not self:
            return
        if self._at < len(self.lines):
            self._show_line(True)
            Clock.schedule_once(self._reveal_next, PAUSE)
        else:
            self._finish(True)

    def _show_line(self, moving: bool) -> None:
        line = self.lines[self._at]
        self._at += 1
        row = SheetRow(line=line, title=line_name(line), numbers=[s.breakdown[line] for s in self.result.players])
        row.bind(on_release=lambda r: self.why(r.line))
        self.ids.sheet.add_widget(row)
        for bar, standing in zip(self.bars, self.result.players, strict=True):
            so_far = sum(standing.breakdown[done] for done in self.lines[: self._at])
            if moving:
                Animation(value=so_far, d=PAUSE * 0.7, t="out_quad").start(bar)
            else:
                bar.value = so_far
        if moving:
            row.opacity = 0
            Animation(opacity=1, d=0.25).start(row)

    def _finish(self, moving: bool) -> None:
        total = SheetRow(title=_("Total"), numbers=[s.total for s in self.result.players], total=True)
        self.ids.sheet.add_widget(total)
        for bar, standing in zip(self.bars, self.result.players, strict=True):
            bar.first = standing.rank == 1
        self.headline, self.reason = self.headline_text, self.reason_text
        self.revealed = True
        if moving:
            self.ids.verdict.opacity = 0
            Animation(opacity=1, d=0.4).start(self.ids.verdict)
            if self.app.settings.sound:
                ring_bell()

    def reveal_all(self) -> None:
        """Show the rest at once, for those who cannot wait."""
        if self.revealed:
            return
        for bar in self.bars:
            Animation.cancel_all(bar, "value")
        for row in self.ids.sheet.children:
            Animation.cancel_all(row, "opacity")
            row.opacity = 1
        while self._at < len(self.lines):
            self._show_line(False)
        for bar, standing in zip(self.bars, self.result.players, strict=True):
            bar.value = standing.total
        self._finish(False)

    def on_touch_up(self, touch: Any) -> bool:
        if not self.revealed and self.collide_point(*touch.pos) and touch.y < self.height - dp(60):
            self.reveal_all()
            return True
        handled: bool = super().on_touch_up(touch)
        return handled

    def enter(self) -> bool:
        if self.revealed:
            self.home()
        else:
            self.reveal_all()
        return True

    # why, and away

    def why(self, line: str) -> None:
        if self.revealed:
            self.app.show("why", line=line)

    def all_problems(self) -> None:
        layer = Layer(title=_("Please check"))
        for problem in self.result.problems:
            layer.add(Txt(text=f"•  {problem_text(problem)}"))
        layer.add(Note(text=_("The game is scored as it lies, whatever the rules say.")))
        self.app.open_layer(layer)

    def home(self) -> None:
        self.app.draft = None
        self.app.show("home", "right")

    def share(self) -> None:
        layer = Layer(title=_("Share the result"))
        for title, note, icon, act in (
            (_("Picture"), _("The sheet as an image"), "picture", self.share_picture),
            (_("Text"), _("Copied, ready to paste into a message"), "pencil", self.share_text),
            (_("Spreadsheet"), _("A CSV file"), "book", self.share_csv),
            (_("For other programs"), _("The whole game as JSON"), "folder", self.share_json),
        ):
            row = Row(title=title, note=note, icon=icon)
            row.bind(on_release=lambda _, act=act: self._share_as(layer, act))
            layer.add(row)
        self.app.open_layer(layer)

    def _share_as(self, layer: Layer, act: Callable[[], None]) -> None:
        layer.close()
        act()

    def _name(self, ending: str) -> str:
        return f"{self.draft.board.name} {self.draft.created[:10]}.{ending}"

    def _save(self, ending: str, data: bytes) -> None:
        try:
            path = self.app.ports.save_file(self._name(ending), data)
        except CompanionError as error:
            self.app.tell(error_text(error))
            return
        if self.app.ports.shares:
            return
        self.app.tell(_("Saved as {path}", path=str(path)), _("Show"), lambda: self.app.ports.reveal(path))

    def share_text(self) -> None:
        try:
            self.app.ports.copy_text(as_text(self.draft.board, self.draft.game, self.result))
        except CompanionError as error:
            self.app.tell(error_text(error))
            return
        if not self.app.ports.shares:
            self.app.tell(_("The result is on the clipboard."))

    def share_csv(self) -> None:
        self._save("csv", as_csv(self.result).encode("utf-8-sig"))

    def share_json(self) -> None:
        whole = {"game": game_to_raw(self.draft.game), "result": result_to_raw(self.result)}
        self._save("json", json.dumps(whole, ensure_ascii=False, indent=1).encode("utf-8"))

    def share_picture(self) -> None:
        beside: Path = self.app.store.folder / "shared.png"
        self.ids.whole.export_to_png(str(beside))
        try:
            data = beside.read_bytes()
            beside.unlink()
        except OSError:
            self.app.tell(_("The picture could not be made."))
            return
        self._save("png", data)

    def back(self) -> bool:
        self.app.step_back()
        return True


class NameTag(Stack):
    """A player's badge over their column."""

    name = StringProperty("")
    color = StringProperty("")
    board: Any = ObjectProperty(None, allownone=True)


load_kv(__file__)
Screen = ResultPage

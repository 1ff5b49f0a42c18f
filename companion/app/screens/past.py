"""Past games: the list, and how everyone has fared over time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from kivy.properties import ListProperty, ObjectProperty, StringProperty

from companion.app.screens.home import board_name
from companion.app.widgets import load_kv
from companion.app.widgets.basics import Card, Chip, Note, Tap
from companion.app.widgets.page import Page
from companion.app.words import _, and_list, error_text, several
from companion.errors import CompanionError
from companion.history import Record, records
from companion.store import Entry

MOST_SHOWN = 60


class GameRow(Tap):
    """One game of the past."""

    title = StringProperty("")
    note = StringProperty("")
    when = StringProperty("")
    entry: Any = ObjectProperty(None, allownone=True)
    page: Any = ObjectProperty(None, allownone=True)


class RecordCard(Card):
    """One person's record."""

    name = StringProperty("")
    color = StringProperty("")
    line = StringProperty("")
    totals = ListProperty([])


class PastPage(Page):
    """Games and people."""

    view = StringProperty("games")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._shown = MOST_SHOWN
        for value, text in (("games", _("Games")), ("people", _("Players"))):
            chip = Chip(text=text, value=value, on=value == self.view)
            chip.bind(on_release=lambda c: self.show_view(c.value))
            self.ids.views.add_widget(chip)
        self.refresh()

    def show_view(self, view: str) -> None:
        self.view = view
        for chip in self.ids.views.children:
            chip.on = chip.value == view
        self.refresh()

    def refresh(self) -> None:
        self.app.saver.flush()
        self.entries = sorted(self.app.store.entries(), key=lambda entry: entry.created, reverse=True)
        self.ids.list.clear_widgets()
        if not self.entries:
            self.ids.list.add_widget(
                Note(text=_("No games yet. The first one you score will be listed here."), halign="center")
            )
        elif self.view == "games":
            for entry in self.entries[: self._shown]:
                self.ids.list.add_widget(self._row(entry))
            more = len(self.entries) - self._shown
            if more > 0:
                chip = Chip(text=several("{count} older game", "{count} older games", more))
                chip.bind(on_release=lambda *_: self._more())
                self.ids.list.add_widget(chip)
        else:
            found = records(self.entries)
            for record in found:
                self.ids.list.add_widget(_record_card(record))
            if not found:
                self.ids.list.add_widget(Note(text=_("Finish a game to see how everyone fares."), halign="center"))

    def _more(self) -> None:
        self._shown += MOST_SHOWN * 5
        self.refresh()

    def _row(self, entry: Entry) -> GameRow:
        row = GameRow(entry=entry, page=self, when=day(entry.created))
        row.title = board_name(entry.map)
        if entry.scores:
            winners = [s.name for s in entry.scores if s.rank == 1]
            row.note = ", ".join(f"{s.name} {s.total}" for s in sorted(entry.scores, key=lambda s: s.rank))
            row.title = f"{board_name(entry.map)}: {and_list(winners)}"
        else:
            row.note = f"{and_list([name for name, __ in entry.players])} ({_('not finished')})"
        return row

    def reopen(self, row: GameRow) -> None:
        entry: Entry = row.entry
        self.app.open_game(entry.id)

    def delete(self, row: GameRow) -> None:
        entry: Entry = row.entry
        self.app.saver.forget(entry.id)
        if self.app.draft and self.app.draft.id == entry.id:
            self.app.draft = None
        try:
            bring_back = self.app.store.delete(entry.id)
        except CompanionError as error:
            self.app.tell(error_text(error))
            return
        self.refresh()
        self.app.tell(_("The game is deleted."), _("Undo"), lambda: self._undo(bring_back))

    def _undo(self, bring_back: Callable[[], None]) -> None:
        bring_back()
        if self.app.page is self:
            self.refresh()


def day(moment: str) -> str:
    """The day of a saved moment, as people write it."""
    try:
        return datetime.fromisoformat(moment).astimezone().strftime("%d.%m.%Y")
    except ValueError:
        return moment[:10]


def _record_card(record: Record) -> RecordCard:
    line = ", ".join(
        (
            several("{count} game", "{count} games", record.games),
            several("{count} win", "{count} wins", record.wins),
            _("{mean} on average", mean=round(record.mean)),
            _("best {best}", best=record.best),
        )
    )
    return RecordCard(name=record.name, color=record.color, line=line, totals=list(record.totals))


load_kv(__file__)
Screen = PastPage

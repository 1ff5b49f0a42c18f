"""Home: score a game, or go on with the one left open."""

from __future__ import annotations

from typing import Any

from kivy.clock import Clock
from kivy.properties import BooleanProperty, ObjectProperty, StringProperty

from companion.app.widgets import load_kv
from companion.app.widgets.page import Page
from companion.app.words import _, and_list, several
from companion.board import load_board
from companion.errors import CompanionError
from companion.store import Entry


class HomePage(Page):
    """The first thing one sees."""

    left_open: Any = ObjectProperty(None, allownone=True)
    left_title = StringProperty("")
    left_note = StringProperty("")
    past_note = StringProperty("")
    new_here = BooleanProperty(False)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._look()

    def _look(self) -> None:
        self.app.saver.flush()
        entries = self.app.store.entries()
        open_ones = [e for e in entries if not e.finished]
        self.left_open = open_ones[0] if open_ones else None
        if self.left_open:
            self.left_title = _("Go on with {board}", board=board_name(self.left_open.map))
            self.left_note = and_list([name for name, __ in self.left_open.players])
        self.new_here = not entries
        done = len(entries) - len(open_ones)
        self.past_note = several("{count} game", "{count} games", done) if done else _("The first one will be listed here")
        if self.app.store.set_aside:
            names = ", ".join(self.app.store.set_aside)
            self.app.store.set_aside.clear()
            told = _("A saved game could not be read and was set aside: {names}", names=names)
            Clock.schedule_once(lambda *_: self.app.tell(told), 0.3)
        elif self.app.store.newly_newer():
            told = _("Games saved by a newer version of Rail Companion are not shown; update the app to open them.")
            Clock.schedule_once(lambda *_: self.app.tell(told), 0.3)

    def resume(self) -> None:
        entry: Entry = self.left_open
        self.app.open_game(entry.id)

    def enter(self) -> bool:
        if self.left_open:
            self.resume()
        else:
            self.app.start_game()
        return True

    def back(self) -> bool:
        return False


def board_name(map_id: str) -> str:
    """A board's name, even when its folder has gone."""
    try:
        return load_board(map_id).name
    except CompanionError:
        return map_id.rsplit("/", 1)[-1]


load_kv(__file__)
Screen = HomePage

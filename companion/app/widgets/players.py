"""The players in a row: colour, name, trains on the board and left."""

from __future__ import annotations

from typing import Any

from kivy.properties import BooleanProperty, NumericProperty, ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.app.widgets import load_kv
from companion.app.widgets.basics import Tap


class PlayerTab(Tap):
    """One player; `on` when taps on the board are theirs. `stations` is how many stand on the board, where there are any."""

    name = StringProperty("")
    piece = StringProperty("")
    board: Any = ObjectProperty(None, allownone=True)
    count = NumericProperty(0)
    most = NumericProperty(45)
    note = StringProperty("")
    stations = StringProperty("")
    on = BooleanProperty(False)
    wrong = BooleanProperty(False)


class PlayerStrip(BoxLayout):
    """A tab for each player. `chosen` is the colour whose turn it is, or nothing."""

    chosen = StringProperty("")
    __events__ = ("on_choose",)

    def fill(self, tabs: list[PlayerTab]) -> None:
        self.clear_widgets()
        for tab in tabs:
            tab.bind(on_release=lambda t: self.dispatch("on_choose", t.piece))
            self.add_widget(tab)

    def tab(self, color: str) -> PlayerTab:
        found: PlayerTab = next(t for t in self.children if t.piece == color)
        return found

    def on_choose(self, color: str) -> None:
        """A tab was pressed."""


load_kv(__file__)

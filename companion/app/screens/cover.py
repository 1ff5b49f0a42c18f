"""A cover between players, so that nobody sees another's tickets."""

from __future__ import annotations

from typing import Any

from kivy.properties import StringProperty

from companion.app.widgets import load_kv
from companion.app.widgets.page import Page
from companion.app.words import _


class CoverPage(Page):
    """Pass the phone on."""

    step = StringProperty("tickets")
    who = StringProperty("")
    color = StringProperty("")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        player = self.draft.game.players[self.draft.turn]
        self.who, self.color = player.name, player.color
        self.said = _("Tickets")

    def go(self) -> None:
        self.draft.forget_history()
        self.app.show("tickets")

    def enter(self) -> bool:
        self.go()
        return True

    def back(self) -> bool:
        if self.draft.turn > 0:
            self.draft.turn -= 1
            self.app.show("cover", "right")
        else:
            self.app.step_back()
        return True


load_kv(__file__)
Screen = CoverPage

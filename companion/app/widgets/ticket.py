"""A ticket that looks like a ticket."""

from __future__ import annotations

from typing import Any

from kivy.animation import Animation
from kivy.properties import BooleanProperty, NumericProperty, ObjectProperty, StringProperty

from companion.app.theme import theme
from companion.app.widgets import load_kv
from companion.app.widgets.basics import Tap


class TicketCard(Tap):
    """Two places and a number; `held` by the player, `met` when their network joins the places."""

    a = StringProperty("")
    b = StringProperty("")
    points = NumericProperty(0)
    held = BooleanProperty(False)
    met = BooleanProperty(False)
    failed = BooleanProperty(False)
    long = BooleanProperty(False)
    punch = NumericProperty(0)
    card: Any = ObjectProperty(None, allownone=True)

    def on_met(self, *_: Any) -> None:
        """A met ticket is punched."""
        Animation.cancel_all(self, "punch")
        if self.met and theme.motion:
            self.punch = 0
            Animation(punch=1, d=0.28, t="out_back").start(self)
        else:
            self.punch = float(self.met)


load_kv(__file__)

"""A choice of owner: a colour with its symbol and name, or empty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kivy.properties import BooleanProperty, ObjectProperty, StringProperty

from companion.app.widgets import load_kv
from companion.app.widgets.basics import Tap


class OwnerRow(Tap):
    """`piece` is a colour, or "" for empty."""

    piece = StringProperty("")
    title = StringProperty("")
    board: Any = ObjectProperty(None, allownone=True)
    on = BooleanProperty(False)

    def __init__(self, press_: Callable[[str], None], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._press = press_

    def on_release(self) -> None:
        self._press(self.piece)


load_kv(__file__)

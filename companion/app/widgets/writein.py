"""A sheet to write in a ticket that no deck holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kivy.properties import NumericProperty, ObjectProperty

from companion.app.finding import places_like
from companion.app.widgets import load_kv
from companion.app.widgets.basics import Chip, Layer, Stack
from companion.app.words import _
from companion.board import Board, Ticket
from companion.game import write_in
from companion.scoring import shortest_distance


class PlaceField(Stack):
    """A place, found by typing; `place` is its id once one was chosen."""

    board: Any = ObjectProperty(None, allownone=True)
    place = ObjectProperty(None, allownone=True)

    def typed(self) -> None:
        field, found = self.ids.field, self.ids.found
        if self.place and field.text != self.board.place_name(self.place):
            self.place = None
        found.clear_widgets()
        if self.place or self.board is None:
            return
        for place in places_like(self.board, field.text):
            chip = Chip(text=self.board.place_name(place), value=place)
            chip.bind(on_release=lambda c: self.choose(c.value))
            found.add_widget(chip)

    def choose(self, place: str) -> None:
        self.place = place
        self.ids.field.text = self.board.place_name(place)
        self.ids.found.clear_widgets()


class WriteInForm(Stack):
    """Two places and a number; the number proposed is the shortest distance."""

    board: Any = ObjectProperty(None, allownone=True)
    points = NumericProperty(0)

    def propose(self) -> None:
        a, b = self.ids.a.place, self.ids.b.place
        ready = bool(a and b and a != b)
        self.ids.add.disabled = not ready
        if ready:
            self.points = shortest_distance(self.board, a, b)


class WriteIn(Layer):
    """The sheet; `done` gets the ticket."""

    def __init__(self, board: Board, done: Callable[[Ticket], None], **kwargs: Any) -> None:
        super().__init__(title=_("Write in a ticket"), **kwargs)
        self._done = done
        self.board = board
        self.form = WriteInForm(board=board)
        self.form.ids.add.bind(on_release=lambda *_: self.finish())
        self.add(self.form)

    def finish(self) -> None:
        ticket = write_in(self.board, self.form.ids.a.place, self.form.ids.b.place, int(self.form.ids.points.value))
        self.close()
        self._done(ticket)


load_kv(__file__)

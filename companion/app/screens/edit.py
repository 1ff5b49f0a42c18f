"""Edit: what was found, drawn over the photo of the board, put right by hand; what is unsure comes first."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kivy.clock import Clock, mainthread
from kivy.properties import BooleanProperty, NumericProperty, StringProperty

from calibration.editing import MOST_LENGTH, Editing
from companion.app.reader import Picture, open_aside
from companion.app.screens.boards import counts
from companion.app.widgets import load_kv
from companion.app.widgets.basics import Layer, MainButton, Note, Stepper
from companion.app.widgets.ownerrow import OwnerRow
from companion.app.widgets.page import Page
from companion.app.widgets.picture import Shot
from companion.app.words import _, color_name, error_text
from companion.check import KINDS, PRINTED
from companion.errors import BoardError, CompanionError

TURN = 5
"""Degrees by which one tap turns a space."""


class BenchPage(Page):
    """A screen of the walk that a new board takes; the board lies in the workshop."""

    @property
    def editing(self) -> Editing:
        editing = self.app.workshop.editing
        assert editing is not None
        return editing

    def keep(self) -> None:
        self.app.workshop.keep()

    def refresh(self) -> None:
        """Show the board as it is now."""

    def change(self, act: Callable[[], Any]) -> Any:
        """Do something to the board, keep it and show it; what cannot be is told."""
        try:
            done = act()
        except BoardError as error:
            self.app.tell(error_text(error))
            return None
        self.keep()
        self.refresh()
        return done

    def undo(self) -> bool:
        self.change(self.editing.undo)
        return True

    def redo(self) -> bool:
        self.change(self.editing.redo)
        return True


class EditPage(BenchPage):
    """Cities and routes over the photo."""

    about = StringProperty("")
    title = StringProperty("")
    detail = StringProperty("")
    is_city = BooleanProperty(False)
    doubtful = BooleanProperty(False)
    say = StringProperty("")
    found = StringProperty("")
    left = NumericProperty(0)
    length = NumericProperty(1)
    printed = StringProperty("")
    kind = StringProperty("")
    picked = NumericProperty(-1)
    linking = StringProperty("")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._later: set[str] = set()
        view = self.ids.board
        view.bare = True
        view.bind(
            on_route=lambda _, routes: self.choose(routes[0]),
            on_city=lambda _, city, routes: self.tap_city(city),
            on_nothing=lambda *_: self.choose(""),
            on_moved=lambda _, number, x, y: self.move(number, x, y),
            on_grip=lambda _, number: self.pick(number),
            on_spot=lambda _, x, y: self.place(x, y),
        )
        self.refresh()
        photo = self.app.workshop.photo
        self.fixed = photo is None and bool(self.editing.goal)
        if photo is not None:
            open_aside(self.app.reader, Path(photo), self._opened)
        Clock.schedule_once(lambda *_: self.next_doubt(), 0)

    @mainthread
    def _opened(self, picture: Picture | CompanionError) -> None:
        if isinstance(picture, Picture):
            self.ids.board.photo = Shot(picture)

    # what is shown

    def refresh(self) -> None:
        board, view = self.editing.board, self.ids.board
        unsure = self.editing.unsure()
        view.board, view.asked = board, tuple(unsure)
        self.left, self.found = len(unsure), counts(board)
        self.ids.undo.disabled = not self.editing.can_undo
        self.ids.redo.disabled = not self.editing.can_redo
        if self.about and self.about not in board.cities and self.about not in board.routes:
            self.about = ""
        self._describe()

    def _describe(self) -> None:
        board, view = self.editing.board, self.ids.board
        self.is_city = self.about in board.cities
        self.doubtful = self.about in self.editing.unsure()
        view.chosen, view.picked = self.about, self.picked
        if self.linking:
            self.say = _("Tap the city at the other end.")
        elif view.placing:
            self.say = _("Tap where the city lies.")
        else:
            self.say = _("Tap a route or a city to change it. Drag to move, pinch to enlarge.")
        if self.is_city:
            city = board.cities[self.about]
            self.title = city.name
            self.ids.name.text = city.name if self.editing.is_named(self.about) else ""
            self.ids.name.hint_text = _("What is this city called?")
            self.detail = _("Drag it to its place if it lies beside it.")
        elif self.about:
            route = board.routes[self.about]
            self.title, self.length = board.route_name(self.about), route.length
            self.printed, self.kind = color_name(route.color).capitalize(), kind_name(route.kind)
            self.detail = _("Drag every space to its place on the board.")
        if self.linking:
            self.detail = self.say

    def choose(self, about: str) -> None:
        """Take a route or a city in hand, or nothing."""
        self.linking, self.ids.board.placing = "", False
        self.about, self.picked = about, -1
        self._describe()

    def next_doubt(self) -> None:
        """The next thing the calibration is unsure of, if any is left."""
        waiting = [about for about in self.editing.unsure() if about not in self._later]
        self.choose(waiting[0] if waiting else "")
        view = self.ids.board
        if not waiting:
            view.fill()
        elif self.is_city:
            view.look_at(cities=[self.about], most=3.5)
        else:
            view.look_at(routes=[self.about], cities=self.editing.board.routes[self.about].ends, most=3.5)

    def change(self, act: Callable[[], Any]) -> Any:
        """What lies where stays as it is when there is no photo to measure it on."""
        places = _places(self.editing.raw)
        done = super().change(act)
        if self.fixed and _places(self.editing.raw) != places:
            super().change(self.editing.undo)
            self.app.tell(_("Without the board's photo only names, rules and pieces can be changed."))
            return None
        return done

    # what can be done

    def right(self) -> None:
        """It is right as it is, with the name that was typed."""
        about, name = self.about, self.ids.name.text.strip()
        if self.is_city and not name:
            self.app.tell(_("What is this city called?"))
            return
        if self.is_city and name != self.editing.board.cities[about].name:
            self.change(lambda: self.editing.rename_city(about, name))
        else:
            self.change(lambda: self.editing.confirm(about))
        self.next_doubt()

    def skip(self) -> None:
        self._later.add(self.about)
        self.next_doubt()

    def remove(self) -> None:
        about = self.about
        name = self.title
        act = self.editing.remove_city if self.is_city else self.editing.remove_route
        if self.change(lambda: act(about) or True):
            self.next_doubt()
            self.app.tell(_("{name} is removed.", name=name), _("Undo"), self.undo)

    def move(self, number: int, x: float, y: float) -> None:
        about = self.about
        if self.is_city:
            self.change(lambda: self.editing.move_city(about, x, y))
        else:
            self.change(lambda: self.editing.move_space(about, number, x, y))

    def pick(self, number: int) -> None:
        self.picked = -1 if number == self.picked or self.is_city else number
        self._describe()

    def turn(self, by: int) -> None:
        about = self.about
        self.change(lambda: self.editing.turn_space(about, self.picked, by * TURN))

    def set_length(self, length: int) -> None:
        about = self.about
        self.picked = -1
        self.change(lambda: self.editing.set_length(about, length))

    def next_kind(self) -> None:
        about, kinds = self.about, list(KINDS)
        kind = kinds[(kinds.index(self.editing.board.routes[about].kind) + 1) % len(kinds)]
        self.change(lambda: self.editing.set_kind(about, kind))

    def ask_color(self) -> None:
        layer = Layer(title=_("Printed in which colour?"))
        about, now = self.about, self.editing.board.routes[self.about].color

        def chosen(color: str) -> None:
            layer.close()
            self.change(lambda: self.editing.set_color(about, color))

        for color in PRINTED:
            layer.add(OwnerRow(piece=color, title=color_name(color).capitalize(), on=color == now, press_=chosen))
        self.app.open_layer(layer)

    # adding

    def add_city(self) -> None:
        self.choose("")
        self.ids.board.placing = True
        self._describe()

    def place(self, x: float, y: float) -> None:
        about = self.change(lambda: self.editing.add_city(x, y))
        self.choose(about or "")

    def link(self) -> None:
        """Begin a route at the city in hand; the next city tapped is its other end."""
        self.linking = self.about
        self._describe()

    def tap_city(self, city: str) -> None:
        if self.linking and city != self.linking:
            self._ask_length(self.linking, city)
        else:
            self.choose(city)

    def _ask_length(self, a: str, b: str) -> None:
        board = self.editing.board
        layer = Layer(title=f"{board.place_name(a)}-{board.place_name(b)}")
        layer.add(Note(text=_("How many spaces?")))
        stepper = Stepper(least=1, most=MOST_LENGTH, value=self._likely_length(a, b))
        layer.add(stepper)
        button = MainButton(text=_("Add this route"), icon="plus")

        def add(*_: Any) -> None:
            layer.close()
            self.choose(self.change(lambda: self.editing.add_route(a, b, int(stepper.value))) or "")

        button.bind(on_release=add)
        layer.add(button)
        self.app.open_layer(layer)

    def _likely_length(self, a: str, b: str) -> int:
        board = self.editing.board
        one, two = board.cities[a], board.cities[b]
        away = math.hypot(one.x - two.x, (one.y - two.y) / board.aspect)
        return min(max(1, round(away / board.space_size[0] / 1.1 - 0.3)), 6)

    # on and back

    def done(self) -> None:
        self.app.show("rules")

    def enter(self) -> bool:
        if self.about:
            self.right()
        else:
            self.done()
        return True

    def back(self) -> bool:
        if self.linking or self.ids.board.placing:
            self.choose(self.linking)
        elif self.about:
            self.choose("")
        else:
            self.app.show("boards", "right")
        return True


def _places(raw: Mapping[str, Any]) -> tuple[Any, ...]:
    """Where everything lies, whatever it is called."""
    spaces = sorted(tuple(space) for route in raw["routes"] for space in route["spaces"])
    return sorted((city["x"], city["y"]) for city in raw["cities"]), spaces


def kind_name(kind: str) -> str:
    return {"normal": _("Plain route"), "tunnel": _("Tunnel"), "ferry": _("Ferry")}[kind]


load_kv(__file__)
Screen = EditPage

"""Text, buttons, cards and fields in our look."""

from __future__ import annotations

from typing import Any

from kivy.animation import Animation
from kivy.core.text import Label as CoreLabel
from kivy.properties import BooleanProperty, ListProperty, NumericProperty, ObjectProperty, StringProperty
from kivy.uix.behaviors import ButtonBehavior
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.floatlayout import FloatLayout
from kivy.uix.gridlayout import GridLayout
from kivy.uix.label import Label
from kivy.uix.scrollview import ScrollView
from kivy.uix.textinput import TextInput
from kivy.uix.widget import Widget

from companion.app.theme import theme
from companion.app.widgets import load_kv


class Txt(Label):
    """A line or paragraph that takes the height it needs."""


class Title(Txt):
    """A screen's or card's name, in the serif."""


class Note(Txt):
    """Small print."""


class Numeral(Label):
    """A large number."""


class Icon(Widget):
    """One of our pictures, in any colour."""

    name = StringProperty("")
    source = StringProperty("")
    color = ListProperty([0, 0, 0, 1])


class Tap(ButtonBehavior, BoxLayout):
    """Anything that can be pressed; it darkens a little while it is."""

    pressed = NumericProperty(0)

    def on_state(self, _: Any, state: str) -> None:
        Animation.cancel_all(self, "pressed")
        if state == "down":
            self.pressed = 1
        else:
            Animation(pressed=0, d=0.18 * theme.motion).start(self)


class TextButton(Tap):
    """A button that says what it does, with a picture just before the words."""

    text = StringProperty("")
    icon = StringProperty("")
    words = NumericProperty(0)

    def on_text(self, *_: Any) -> None:
        self.words = CoreLabel(font_name=theme.bold_font, font_size=theme.body).get_extents(self.text)[0]


class MainButton(TextButton):
    """The one thing to do on a screen."""


class QuietButton(TextButton):
    """Something else one may do."""

    color = ListProperty([])


class IconButton(ButtonBehavior, Widget):
    """A picture to press; `hint` says what it does."""

    name = StringProperty("")
    hint = StringProperty("")
    color = ListProperty([])


class Chip(Tap):
    """A choice that is either on or off."""

    text = StringProperty("")
    on = BooleanProperty(False)
    value: Any = ObjectProperty(None, allownone=True)


class Row(Tap):
    """A line of a list that leads somewhere."""

    title = StringProperty("")
    note = StringProperty("")
    icon = StringProperty("")


class Card(BoxLayout):
    """A sheet of lighter paper."""


class Stack(BoxLayout):
    """Things under one another, as tall as they are together."""


class Fold(Stack):
    """Things that are only there while it is open."""

    open = BooleanProperty(True)

    def __init__(self, **kwargs: Any) -> None:
        self._kept: list[Widget] = []
        super().__init__(**kwargs)

    def add_widget(self, widget: Widget, *args: Any, **kwargs: Any) -> None:
        if self.open:
            super().add_widget(widget, *args, **kwargs)
        else:
            self._kept.append(widget)

    def on_open(self, *_: Any) -> None:
        if self.open:
            kept, self._kept = self._kept, []
            for widget in kept:
                super().add_widget(widget)
        else:
            self._kept = list(reversed(self.children))
            self.clear_widgets()


class Flow(GridLayout):
    """Equal cells that fill the width: as many columns as fit."""

    cell = NumericProperty(160)


class Scroller(ScrollView):
    """A page that scrolls when it must."""


class Field(TextInput):
    """One line to type in."""


class Badge(Widget):
    """A player's colour with its symbol."""

    piece = StringProperty("")
    board: Any = ObjectProperty(None, allownone=True)


class Toggle(ButtonBehavior, Widget):
    """On or off."""

    on = BooleanProperty(False)
    spot = NumericProperty(0)

    def on_on(self, *_: Any) -> None:
        Animation(spot=float(self.on), d=0.15 * theme.motion).start(self)


class Stepper(BoxLayout):
    """A small whole number with a minus and a plus."""

    value = NumericProperty(0)
    least = NumericProperty(0)
    most = NumericProperty(99)
    shown = StringProperty("")
    __events__ = ("on_changed",)

    def add(self, by: int) -> None:
        wanted = min(max(self.value + by, self.least), self.most)
        if wanted != self.value or self.shown == "–":
            self.value = wanted
            self.dispatch("on_changed", int(wanted))

    def on_changed(self, _: int) -> None:
        """The person chose another number."""


class Layer(FloatLayout):
    """A sheet over the screen; touching beside it, or going back, closes it."""

    closable = BooleanProperty(True)
    wide_width = NumericProperty(520)
    title = StringProperty("")

    def add(self, widget: Widget) -> None:
        self.ids.body.add_widget(widget)

    def close(self, *_: Any) -> None:
        if self.parent:
            self.parent.remove_widget(self)

    def on_touch_down(self, touch: Any) -> bool:
        if not self.ids.sheet.collide_point(*touch.pos):
            if self.closable:
                self.close()
            return True
        super().on_touch_down(touch)
        return True

    def on_touch_move(self, touch: Any) -> bool:
        super().on_touch_move(touch)
        return True

    def on_touch_up(self, touch: Any) -> bool:
        super().on_touch_up(touch)
        return True


class Toast(Tap):
    """A sentence that comes, may offer one thing to do, and goes."""

    text = StringProperty("")
    action = StringProperty("")
    done: Any = ObjectProperty(None, allownone=True)


load_kv(__file__)

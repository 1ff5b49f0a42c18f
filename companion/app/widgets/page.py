"""What every screen shares: a head with the way back, the line of the walk, and the keys."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kivy.app import App
from kivy.properties import BooleanProperty, ListProperty, NumericProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.screenmanager import Screen
from kivy.uix.widget import Widget

from companion.app.widgets import load_kv
from companion.app.words import _
from companion.draft import STEPS

if TYPE_CHECKING:
    from companion.app.application import RailApp
    from companion.draft import Draft


def walk_names() -> dict[str, str]:
    """The steps of the walk by their names."""
    names = (_("Table"), _("Photo"), _("Board"), _("Tickets"), _("Extras"), _("Result"))
    return dict(zip(STEPS, names, strict=True))


class Head(BoxLayout):
    """Title, way back, and room for a few things to do."""

    title = StringProperty("")
    step = StringProperty("")
    roomy = BooleanProperty(True)

    def add_widget(self, widget: Widget, *args: Any, **kwargs: Any) -> None:
        """What a screen puts in the head goes to the right of the title."""
        if type(widget) is BoxLayout:
            super().add_widget(widget, *args, **kwargs)
        else:
            self.ids.side.add_widget(widget)


class WalkLine(Widget):
    """The walk as a railway line: a stop for every step, brass up to where we are."""

    step = StringProperty("")
    share = NumericProperty(0)
    stops = ListProperty([])

    def on_step(self, *_: Any) -> None:
        asked = App.get_running_app().extras_asked()
        steps = [s for s in STEPS if s != "extras" or asked or self.step == "extras"]
        at = steps.index(self.step) if self.step in steps else 0
        self.share = at / (len(steps) - 1)
        self.stops = [i / (len(steps) - 1) for i in range(len(steps))]
        self.bind(pos=self._draw, size=self._draw)
        self._draw()

    def _draw(self, *_: Any) -> None:
        from kivy.graphics import Color, Rectangle, SmoothLine
        from kivy.metrics import dp

        from companion.app.theme import theme

        self.canvas.clear()
        if not self.stops:
            return
        left, right, y = self.x + dp(7), self.right - dp(7), self.center_y
        with self.canvas:
            Color(*theme.line)
            SmoothLine(points=[left, y, right, y], width=dp(1.2))
            Color(*theme.brass)
            if self.share:
                SmoothLine(points=[left, y, left + (right - left) * self.share, y], width=dp(1.4))
            for stop in self.stops:
                x = left + (right - left) * stop
                here = abs(stop - self.share) < 1e-6
                size = dp(12) if here else dp(8)
                Color(*(theme.brass if stop <= self.share + 1e-6 else theme.line))
                Rectangle(source=theme.art("dot"), pos=(x - size / 2, y - size / 2), size=(size, size))
                if here:
                    Color(*theme.paper)
                    Rectangle(source=theme.art("dot"), pos=(x - dp(3), y - dp(3)), size=(dp(6), dp(6)))


class Page(Screen):
    """A screen. `wide` and `short` tell how the window lies; `given` is what it was built with."""

    step = StringProperty("")
    wide = BooleanProperty(False)
    short = BooleanProperty(False)

    def __init__(self, name: str = "", **given: Any) -> None:
        self.given = given
        for key, value in given.items():
            setattr(self, f"given_{key}", value)
        super().__init__(name=name)

    def on_size(self, *_: Any) -> None:
        from kivy.metrics import dp

        self.short = self.height < dp(480)
        self.wide = self.width > self.height * 1.1 and self.width >= dp(560)

    @property
    def app(self) -> RailApp:
        running: RailApp = App.get_running_app()
        return running

    @property
    def draft(self) -> Draft:
        draft = self.app.draft
        assert draft is not None
        return draft

    def back(self) -> bool:
        if self.step:
            self.app.step_back()
        else:
            self.app.show("home", "right")
        return True

    def enter(self) -> bool:
        """Enter does the screen's one thing."""
        return False

    def undo(self) -> bool:
        return False

    def redo(self) -> bool:
        return False

    def dropped(self, path: Path) -> None:
        """A file was dropped on the window."""


load_kv(__file__)

"""A person's totals over time."""

from __future__ import annotations

from typing import Any

from kivy.clock import Clock
from kivy.core.text import Label as CoreLabel
from kivy.graphics import Color, Rectangle, SmoothLine
from kivy.metrics import dp
from kivy.properties import ListProperty, StringProperty
from kivy.uix.widget import Widget

from companion.app.theme import theme


class Plot(Widget):
    """A line through every game's total, the best one named."""

    totals = ListProperty([])
    color = StringProperty("")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.size_hint_y = None
        self.height = dp(84)
        redraw = Clock.create_trigger(self._draw, -1)
        self.bind(pos=redraw, size=redraw, totals=redraw, color=redraw)

    def _draw(self, *_: Any) -> None:
        self.canvas.clear()
        if not self.totals or self.width < dp(40):
            return
        low, high = min(0, *self.totals), max(1, *self.totals)
        left, right = self.x + dp(34), self.right - dp(10)
        base, top = self.y + dp(10), self.top - dp(14)
        step = (right - left) / max(1, len(self.totals) - 1)
        points = [(left + i * step, base + (top - base) * (t - low) / (high - low)) for i, t in enumerate(self.totals)]
        with self.canvas:
            Color(*theme.line)
            SmoothLine(points=[left, base, right, base], width=1)
            SmoothLine(points=[left, top, right, top], width=1)
            Color(1, 1, 1, 1)
            for value, y in ((high, top), (low, base)):
                label = CoreLabel(text=str(value), font_name=theme.text_font, font_size=theme.tiny, color=theme.muted)
                label.refresh()
                width, height = label.texture.size
                Rectangle(texture=label.texture, pos=(left - width - dp(6), y - height / 2), size=(width, height))
            Color(*theme.faint(theme.ink, 0.5))
            if len(points) > 1:
                SmoothLine(points=[v for p in points for v in p], width=dp(1.2))
            for x, y in points[-200:]:
                Color(*theme.faint(theme.ink, 0.6))
                Rectangle(source=theme.art("dot"), pos=(x - dp(4.5), y - dp(4.5)), size=(dp(9), dp(9)))
                Color(*theme.piece(self.color))
                Rectangle(source=theme.art("dot"), pos=(x - dp(3.6), y - dp(3.6)), size=(dp(7.2), dp(7.2)))

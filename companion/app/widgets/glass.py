"""A magnifying glass, for what a finger hides."""

from __future__ import annotations

from kivy.graphics import Color, Ellipse, Line, Rectangle, StencilPop, StencilPush, StencilUnUse, StencilUse
from kivy.metrics import dp

from companion.app.theme import theme
from companion.app.widgets.picture import Shot

ACROSS = 140
GROW = 3.0


def draw_glass(
    shot: Shot,
    frame: tuple[float, float, float, float],
    at: tuple[float, float],
    middle: tuple[float, float],
    grow: float = GROW,
) -> None:
    """Draw a round glass into the canvas that is open, with a cross where it looks.

    frame: where the photo lies in the window (x, y, width, height); at: the point looked at; middle: the glass's own
    """
    x, y, width, height = frame
    across = dp(ACROSS)
    corner = middle[0] - across / 2, middle[1] - across / 2
    StencilPush()
    Ellipse(pos=corner, size=(across, across))
    StencilUse()
    Color(*theme.sunk)
    Rectangle(pos=corner, size=(across, across))
    Color(1, 1, 1, 1)
    left, low = middle[0] - (at[0] - x) * grow, middle[1] - (at[1] - y) * grow
    Rectangle(texture=shot.at(width * grow), pos=(left, low), size=(width * grow, height * grow))
    StencilUnUse()
    Ellipse(pos=corner, size=(across, across))
    StencilPop()
    Color(*theme.brass)
    Line(circle=(*middle, across / 2), width=dp(1.4))
    Line(points=[middle[0] - dp(14), middle[1], middle[0] + dp(14), middle[1]], width=1)
    Line(points=[middle[0], middle[1] - dp(14), middle[0], middle[1] + dp(14)], width=1)

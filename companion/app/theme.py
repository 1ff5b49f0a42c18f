"""How the app looks, in one place: colours, type and sizes. Warm paper, dark ink, one brass accent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kivy.metrics import dp, sp
from kivy.utils import get_color_from_hex

from companion.board import Board

HERE = Path(__file__).resolve().parent
Color = list[float]

LIGHT = {
    "paper": "#F3EADA",
    "card": "#FCF7EC",
    "sunk": "#E9DDC8",
    "ink": "#2A2320",
    "muted": "#6F6153",
    "line": "#D8C9AE",
    "brass": "#8F6518",
    "on_brass": "#FFF9EC",
    "good": "#3A6B47",
    "good_card": "#E3ECD8",
    "bad": "#9C3628",
    "bad_card": "#F3DDD0",
    "shade": "#2A232088",
    "field": "#EFE5D0",
}
DARK = {
    "paper": "#1B1714",
    "card": "#272019",
    "sunk": "#14110F",
    "ink": "#F1E7D7",
    "muted": "#B3A48F",
    "line": "#463B30",
    "brass": "#D3A650",
    "on_brass": "#1B1714",
    "good": "#9CC79F",
    "good_card": "#26352A",
    "bad": "#E79A85",
    "bad_card": "#3D2620",
    "shade": "#000000AA",
    "field": "#221C17",
}
PIECES = {
    "blue": "#2B67B5",
    "red": "#C6322E",
    "green": "#2F8A56",
    "yellow": "#E9BC2C",
    "black": "#2C2B2F",
    "white": "#F4F0E6",
    "purple": "#7C4CA3",
    "orange": "#DB7A2A",
    "pink": "#D277A0",
    "gray": "#9A958C",
}
SAFE_PIECES = PIECES | {
    "blue": "#0072B2",
    "red": "#D55E00",
    "green": "#009E73",
    "yellow": "#F0E442",
    "black": "#111111",
    "purple": "#CC79A7",
    "orange": "#E69F00",
}
"""The Okabe-Ito colours, which people with any common colour blindness tell apart."""
SYMBOLS = {
    "blue": "circle",
    "red": "diamond",
    "green": "triangle",
    "yellow": "square",
    "black": "cross",
    "white": "ring",
    "purple": "star",
}


@dataclass(frozen=True)
class Look:
    """What a person may choose about the look."""

    dark: bool = False
    safe_colors: bool = False
    large: bool = False


class Theme:
    """The colours and sizes in use; `wear` changes them all at once, before screens are built anew."""

    paper: Color
    card: Color
    sunk: Color
    ink: Color
    muted: Color
    line: Color
    brass: Color
    on_brass: Color
    good: Color
    good_card: Color
    bad: Color
    bad_card: Color
    shade: Color
    field: Color

    title_font = str(HERE / "fonts" / "EBGaramond12-Regular.otf")
    italic_font = str(HERE / "fonts" / "EBGaramond12-Italic.otf")
    number_font = str(HERE / "fonts" / "LinLibertine_DR.otf")
    text_font = str(HERE / "fonts" / "Lato-Regular.ttf")
    bold_font = str(HERE / "fonts" / "Lato-Bold.ttf")

    def __init__(self) -> None:
        self.motion = 1.0
        self.wear(Look())

    def wear(self, look: Look) -> None:
        self.look = look
        for name, value in (DARK if look.dark else LIGHT).items():
            setattr(self, name, get_color_from_hex(value))
        grow = 1.25 if look.large else 1.0
        self.tiny = sp(12) * grow
        self.small = sp(14) * grow
        self.body = sp(16) * grow
        self.big = sp(20) * grow
        self.title = sp(25) * grow
        self.huge = sp(38) * grow
        self.target = max(dp(48), dp(30) + self.body)
        self.gap = dp(12)
        self.edge = dp(16)
        self.round = dp(10)

    def art(self, name: str) -> str:
        """The path of one of our own pictures."""
        return str(HERE / "art" / f"{name}.png")

    def piece(self, color: str, board: Board | None = None) -> Color:
        """The colour in which a player's pieces are shown."""
        known = (SAFE_PIECES if self.look.safe_colors else PIECES).get(color)
        if known:
            return list(get_color_from_hex(known))
        rgb = board.palette.get(color, (150, 150, 150)) if board else (150, 150, 150)
        return [*(value / 255 for value in rgb), 1.0]

    def on_piece(self, color: str, board: Board | None = None) -> Color:
        """Ink or paper, whichever can be read on that colour."""
        red, green, blue, _ = self.piece(color, board)
        light = 0.299 * red + 0.587 * green + 0.114 * blue
        return [0.13, 0.11, 0.1, 1] if light > 0.56 else [1, 0.98, 0.94, 1]

    def symbol(self, color: str) -> str:
        """The picture of the symbol that goes with a colour."""
        return self.art(f"symbol-{SYMBOLS.get(color, 'hexagon')}")

    def faint(self, color: Color, alpha: float) -> Color:
        return [*color[:3], alpha]


theme = Theme()

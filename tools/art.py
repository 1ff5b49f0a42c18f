"""Draws the app's own pictures: icons, the players' symbols and the pieces. Run it after changing a shape.

Every picture is white on nothing, so that the app can give it any colour.
"""

from __future__ import annotations

import math
import wave
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.uint8]
Points = Sequence[tuple[float, float]]

OUT = Path(__file__).resolve().parent.parent / "companion" / "app" / "art"
FINE = 8
"""Shapes are drawn this many times larger, then shrunk, so that their edges are smooth."""


class Sheet:
    """A square to draw on, from (0, 0) at the top left to (24, 24)."""

    def __init__(self, size: int = 96, width: float = 24.0, height: float = 24.0) -> None:
        self.scale = size * FINE / 24.0
        self.size = size * width / 24.0, size * height / 24.0
        self.mask: Mask = np.zeros((round(height * self.scale), round(width * self.scale)), np.uint8)

    def _px(self, points: Points) -> NDArray[np.int32]:
        return np.round(np.array(points, np.float64) * self.scale).astype(np.int32)

    def shape(self, points: Points, ink: int = 255) -> Sheet:
        cv2.fillPoly(self.mask, [self._px(points)], ink)
        return self

    def line(self, points: Points, width: float = 2.0, closed: bool = False) -> Sheet:
        dots = self._px(points)
        cv2.polylines(self.mask, [dots], closed, 255, round(width * self.scale))
        for x, y in dots:
            cv2.circle(self.mask, (int(x), int(y)), round(width * self.scale / 2), 255, -1)
        return self

    def disc(self, x: float, y: float, radius: float, ink: int = 255) -> Sheet:
        cv2.circle(self.mask, (round(x * self.scale), round(y * self.scale)), round(radius * self.scale), ink, -1)
        return self

    def ring(self, x: float, y: float, radius: float, width: float = 2.0) -> Sheet:
        centre = round(x * self.scale), round(y * self.scale)
        cv2.circle(self.mask, centre, round(radius * self.scale), 255, round(width * self.scale))
        return self

    def arc(self, x: float, y: float, radius: float, start: float, end: float, width: float = 2.0) -> Sheet:
        steps = [math.radians(start + (end - start) * i / 40) for i in range(41)]
        return self.line([(x + radius * math.cos(a), y + radius * math.sin(a)) for a in steps], width)

    def box(self, x: float, y: float, width: float, height: float, round_by: float, ink: int = 255) -> Sheet:
        r = round_by
        self.shape([(x + r, y), (x + width - r, y), (x + width - r, y + height), (x + r, y + height)], ink)
        self.shape([(x, y + r), (x + width, y + r), (x + width, y + height - r), (x, y + height - r)], ink)
        for cx in (x + r, x + width - r):
            for cy in (y + r, y + height - r):
                self.disc(cx, cy, r, ink)
        return self

    def save(self, name: str) -> None:
        size = round(self.size[0]), round(self.size[1])
        alpha = cv2.resize(self.mask, size, interpolation=cv2.INTER_AREA)
        picture = np.full((*alpha.shape, 4), 255, np.uint8)
        picture[..., 3] = alpha
        cv2.imwrite(str(OUT / f"{name}.png"), picture, [cv2.IMWRITE_PNG_COMPRESSION, 9])


def polygon(corners: int, radius: float, turn: float = -90.0, inner: float | None = None) -> Points:
    """A regular polygon around the middle; with `inner`, a star."""
    count = corners * (2 if inner else 1)
    out = []
    for i in range(count):
        r = inner if inner and i % 2 else radius
        angle = math.radians(turn + 360 * i / count)
        out.append((12 + r * math.cos(angle), 12 + r * math.sin(angle)))
    return out


def gear(s: Sheet) -> Sheet:
    for i in range(8):
        a = math.radians(45 * i)
        s.line([(12 + 6 * math.cos(a), 12 + 6 * math.sin(a)), (12 + 8.6 * math.cos(a), 12 + 8.6 * math.sin(a))], 3.2)
    return s.disc(12, 12, 7).disc(12, 12, 3, 0)


ICONS: dict[str, Callable[[Sheet], Sheet]] = {
    "back": lambda s: s.line([(15, 5), (8, 12), (15, 19)], 2.4),
    "next": lambda s: s.line([(9, 5), (16, 12), (9, 19)], 2.4),
    "close": lambda s: s.line([(6, 6), (18, 18)], 2.4).line([(18, 6), (6, 18)], 2.4),
    "check": lambda s: s.line([(5, 12.5), (10, 17.5), (19, 7)], 2.8),
    "plus": lambda s: s.line([(12, 5), (12, 19)], 2.4).line([(5, 12), (19, 12)], 2.4),
    "minus": lambda s: s.line([(5, 12), (19, 12)], 2.4),
    "undo": lambda s: s.arc(12.5, 13.5, 6, -150, 120, 2.2).shape([(3.6, 11.2), (11.4, 11.4), (6.2, 5.2)]),
    "redo": lambda s: s.arc(11.5, 13.5, 6, -30, -300, 2.2).shape([(20.4, 11.2), (12.6, 11.4), (17.8, 5.2)]),
    "search": lambda s: s.ring(10.5, 10.5, 6, 2.2).line([(15, 15), (20, 20)], 2.6),
    "gear": gear,
    "camera": lambda s: s.box(3, 7, 18, 13, 2.4).box(8, 4, 8, 5, 1.4).disc(12, 13.5, 4.6, 0).disc(12, 13.5, 3),
    "picture": lambda s: (
        s.box(3, 4, 18, 16, 2)
        .box(5, 6, 14, 12, 0.8, 0)
        .shape([(5, 18), (10, 10.5), (14, 15), (16, 13), (19, 18)])
        .disc(15.5, 9.5, 1.6)
    ),
    "hand": lambda s: (
        s.box(10, 3, 3.4, 13, 1.7)
        .box(13.6, 8.4, 3, 8, 1.5)
        .box(16.6, 9.6, 2.8, 8, 1.4)
        .shape([(10, 12), (19.4, 12.5), (19.2, 17), (17, 21), (11.5, 21), (5.2, 14.8), (6.4, 13), (8, 13.2), (10, 15)])
    ),
    "share": lambda s: (
        s.line([(12, 3.5), (12, 14)], 2.2)
        .line([(8, 7.5), (12, 3.5), (16, 7.5)], 2.2)
        .line([(8, 10.5), (5, 10.5), (5, 20), (19, 20), (19, 10.5), (16, 10.5)], 2.2)
    ),
    "trash": lambda s: (
        s.line([(4.5, 7), (19.5, 7)], 2)
        .line([(9.5, 6.5), (9.5, 4), (14.5, 4), (14.5, 6.5)], 1.8)
        .line([(6.5, 7.5), (7.5, 20), (16.5, 20), (17.5, 7.5)], 2)
        .line([(10.3, 10.5), (10.6, 17)], 1.6)
        .line([(13.7, 10.5), (13.4, 17)], 1.6)
    ),
    "pencil": lambda s: s.shape([(4, 20), (5, 15.4), (15.6, 4.8), (19.2, 8.4), (8.6, 19)]),
    "map": lambda s: (
        s.line([(4, 6), (9.3, 4), (14.7, 6), (20, 4), (20, 18), (14.7, 20), (9.3, 18), (4, 20)], 1.9, True)
        .line([(9.3, 4), (9.3, 18)], 1.7)
        .line([(14.7, 6), (14.7, 20)], 1.7)
    ),
    "book": lambda s: (
        s.box(5, 3.5, 14, 17, 1.6)
        .box(7.4, 5.4, 9.4, 13, 0.4, 0)
        .line([(9.5, 9), (14.8, 9)], 1.6)
        .line([(9.5, 12.5), (14.8, 12.5)], 1.6)
    ),
    "ticket": lambda s: (
        s.box(2.5, 6, 19, 12, 1.6).disc(2.5, 12, 2.4, 0).disc(21.5, 12, 2.4, 0).line([(15.5, 8), (15.5, 8)], 1.2)
    ),
    "warning": lambda s: s.shape([(12, 3), (22, 20.5), (2, 20.5)]).box(10.9, 9, 2.2, 6, 1, 0).disc(12, 17.7, 1.3, 0),
    "question": lambda s: (
        s.arc(12, 9, 4.4, -175, 45, 2.4).line([(15.2, 12), (12, 14.6), (12, 15.6)], 2.4).disc(12, 19.6, 1.6)
    ),
    "folder": lambda s: s.box(3, 6.5, 18, 13, 1.6).box(3, 4.5, 8, 5, 1.4),
    "trophy": lambda s: (
        s.shape([(7, 3.5), (17, 3.5), (16, 12), (13.5, 14), (10.5, 14), (8, 12)])
        .line([(7, 5.5), (3.8, 5.5), (4.6, 9.6), (8, 11)], 1.6)
        .line([(17, 5.5), (20.2, 5.5), (19.4, 9.6), (16, 11)], 1.6)
        .box(11, 13.5, 2, 4, 0.4)
        .box(7.5, 17.4, 9, 3, 0.8)
    ),
    "train": lambda s: (
        s.box(3, 8, 12, 8, 1.2)
        .box(12.5, 4, 7.5, 12, 1.2)
        .box(14.4, 6, 3.8, 3.8, 0.5, 0)
        .box(5, 4, 2.6, 5, 0.6)
        .disc(7, 18, 2.4)
        .disc(16, 17.6, 2.8)
    ),
}

SYMBOLS: dict[str, Callable[[Sheet], Sheet]] = {
    "circle": lambda s: s.disc(12, 12, 8),
    "diamond": lambda s: s.shape(polygon(4, 10)),
    "triangle": lambda s: s.shape([(12, 2.6), (21.6, 19.6), (2.4, 19.6)]),
    "square": lambda s: s.shape([(4.5, 4.5), (19.5, 4.5), (19.5, 19.5), (4.5, 19.5)]),
    "cross": lambda s: s.line([(5.6, 5.6), (18.4, 18.4)], 5).line([(18.4, 5.6), (5.6, 18.4)], 5),
    "ring": lambda s: s.ring(12, 12, 7, 4),
    "star": lambda s: s.shape(polygon(5, 11, inner=4.6)),
    "hexagon": lambda s: s.shape(polygon(6, 9.4)),
}


def pieces() -> None:
    """A wagon, the outline of a space, a city, a station, a depot, a ticket's punched hole."""
    Sheet(128, 24, 12).box(0.4, 0.4, 23.2, 11.2, 2.6).save("wagon")
    rim = Sheet(128, 24, 12).box(0.3, 0.3, 23.4, 11.4, 2.8)
    rim.box(1.7, 1.7, 20.6, 8.6, 1.6, 0).save("rim")
    gloss = Sheet(128, 24, 12).box(2.4, 2.2, 19.2, 3.2, 1.4, 150)
    gloss.save("gloss")
    Sheet(64).disc(12, 12, 11.4).save("dot")
    Sheet(64).ring(12, 12, 10, 2.6).save("halo")
    house = [(12, 1.6), (22, 9), (22, 22.4), (2, 22.4), (2, 9)]
    Sheet(96).shape(house).save("station")
    Sheet(96).line(house, 1.8, True).save("station-rim")
    glow = np.zeros((64, 64, 4), np.uint8)
    y, x = np.mgrid[0:64, 0:64]
    glow[..., :3] = 255
    glow[..., 3] = 255 * np.clip(1 - np.hypot(x - 31.5, y - 31.5) / 32, 0, 1) ** 1.6
    cv2.imwrite(str(OUT / "glow.png"), glow)


def app_icon(size: int) -> NDArray[np.uint8]:
    """The app's face: a brass ring, a track and a locomotive on dark ink."""
    paper, brass, ink = (220, 236, 244), (76, 162, 208), (32, 35, 43)
    picture = np.full((size, size, 3), ink, np.uint8)
    layers = [
        (Sheet(size).ring(12, 12, 9.4, 0.7), brass),
        (Sheet(size).line([(4.8, 16.6), (19.2, 16.6)], 0.5), brass),
    ]
    train = Sheet(size).box(6.2, 9.4, 7.4, 4.4, 0.7).box(12.4, 6.8, 4.6, 7, 0.7).box(13.5, 8, 2.3, 2.2, 0.3, 0)
    train.box(7.4, 7.2, 1.5, 3, 0.3).disc(8.6, 14.7, 1.35).disc(14.6, 14.4, 1.65)
    for sheet, color in [*layers, (train, paper)]:
        alpha = cv2.resize(sheet.mask, (size, size), interpolation=cv2.INTER_AREA)[..., None] / 255.0
        picture = (picture * (1 - alpha) + np.array(color) * alpha).astype(np.uint8)
    return picture


def bell(path: Path, rate: int = 22050) -> None:
    """A station bell, two strokes, in our own few lines of sound."""
    time = np.arange(int(rate * 1.6)) / rate
    sound = np.zeros_like(time)
    for start in (0.0, 0.32):
        since = np.clip(time - start, 0, None)
        for tone, loud, fade in ((880, 1.0, 3.2), (1320, 0.5, 4.5), (2217, 0.35, 7.0), (3520, 0.15, 11.0)):
            sound += (time >= start) * loud * np.exp(-fade * since) * np.sin(2 * np.pi * tone * since)
    samples = (sound / np.abs(sound).max() * 0.5 * 32767).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    for name, draw in ICONS.items():
        draw(Sheet(72)).save(f"icon-{name}")
    for name, draw in SYMBOLS.items():
        draw(Sheet(64)).save(f"symbol-{name}")
    pieces()
    bell(OUT / "bell.wav")
    cv2.imwrite(str(OUT / "app.png"), app_icon(512), [cv2.IMWRITE_PNG_COMPRESSION, 9])


if __name__ == "__main__":
    main()

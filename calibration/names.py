"""Reads city names off a straightened board: lines of letters near cities, read with Tesseract, mended with a gazetteer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.gazetteer import folded, likeness, mended
from calibration.letters import languages, read_lines
from calibration.rectangles import Grid, Pixels

Floats = NDArray[np.float64]

_CUTS = (0.12, 0.2, 0.32, 0.45)
_JOINS = (0.2, 0.36)
"""How far apart letters of one line may stand, in widths of a space."""
_REACH = 3.4
"""How far from its city a name may begin, in widths of a space."""
_TALL = 42
_RING = 0.95
_SAMPLE = 16
_LIKELY, _MARGIN = 0.4, 0.2
"""Letters stand where the network is so sure of them, and within so many widths of a space."""


@dataclass
class Line:
    """A line of letters: its box in pixels, and what was read there with how sure it is."""

    left: float
    top: float
    right: float
    bottom: float
    readings: list[tuple[str, float]] = field(default_factory=list)
    parts: int = 1

    def gap(self, spot: Floats) -> float:
        dx = max(self.left - spot[0], 0.0, spot[0] - self.right)
        dy = max(self.top - spot[1], 0.0, spot[1] - self.bottom)
        return float(np.hypot(dx, dy))


@dataclass(frozen=True)
class Page:
    """A board prepared for reading.

    grey: the board as it is; ink: how dark each pixel is beside its ground, -1 to 1, spaces and cities left out
    words: how likely letters stand there
    """

    grey: Pixels
    ink: Grid
    words: Grid
    cities: Floats
    width: float

    def turned(self, turns: int) -> Page:
        """The page after quarter turns clockwise."""
        cities = self.cities
        height, wide = self.ink.shape
        for _ in range(turns % 4):
            cities = np.column_stack([height - 1 - cities[:, 1], cities[:, 0]])
            height, wide = wide, height
        grey = np.ascontiguousarray(np.rot90(self.grey, -turns))
        ink, words = (np.ascontiguousarray(np.rot90(grid, -turns)) for grid in (self.ink, self.words))
        return Page(grey, ink, words, cities, self.width)

    def inverted(self) -> Page:
        return replace(self, grey=np.asarray(255 - self.grey, np.uint8), ink=-self.ink)

    @cached_property
    def lettered(self) -> Grid:
        """The ink where letters are likely, and around."""
        reach = 2 * round(_MARGIN * self.width) + 1
        near = cv2.dilate((self.words > _LIKELY).astype(np.uint8), np.ones((reach, reach), np.uint8))
        return np.asarray(self.ink * near, np.float32)

    def likely(self, line: Line) -> float:
        """How likely letters stand in a box."""
        part = self.words[int(line.top) : int(line.bottom) + 1, int(line.left) : int(line.right) + 1]
        return float(part.mean()) if part.size else 0.0


def page_of(flat: Pixels, boxes: list[NDArray[np.int32]], cities: Floats, width: float, words: Grid) -> Page:
    """A straightened board made ready; boxes are its spaces, words of any size how likely letters stand there."""
    grey = np.asarray(cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY), np.uint8)
    half = cv2.resize(grey, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    around = cv2.medianBlur(half, min(255, 2 * round(1.1 * width) + 1))
    paper = np.asarray(cv2.resize(around, (grey.shape[1], grey.shape[0])), np.float32)
    ink = (paper - grey) / np.maximum(paper, 40)
    mask = np.zeros(grey.shape, np.uint8)
    cv2.fillPoly(mask, boxes, 255)
    for x, y in cities:
        cv2.circle(mask, (round(x), round(y)), round(0.62 * width), 255, -1)
    ink[mask > 0] = 0
    likely = np.asarray(cv2.resize(words, (grey.shape[1], grey.shape[0])), np.float32)
    return Page(grey, np.asarray(ink, np.float32), likely, cities, width)


def way_up(page: Page, turns: tuple[int, ...]) -> tuple[int, bool]:
    """By how many quarter turns, and whether in light letters on dark ground, most of the page can be read."""
    ways = [(turn, light) for turn in turns for light in (False, True)]
    pictures: list[Pixels] = []
    owner: list[int] = []
    for turn, light in ways:
        if turn > 1 and turn - 2 in turns:
            continue
        seen = page.turned(turn)
        seen = seen.inverted() if light else seen
        lines = sorted(find_lines(seen, _CUTS[:2], _JOINS[:1]), key=lambda line: -_promise(line, seen))[:_SAMPLE]
        for half in (0, 2) if turn + 2 in turns else (0,):
            pictures += [np.ascontiguousarray(np.rot90(_picture(seen, line), half)) for line in lines]
            owner += [ways.index((turn + half, light))] * len(lines)
    worth = np.zeros(len(ways))
    for read in read_lines([(language, pictures) for language in languages()]):
        for number, (text, sure) in zip(owner, read, strict=True):
            worth[number] += max(0.0, sure - 0.4) * len(folded(text)) if len(folded(text)) >= 4 else 0
    return ways[int(np.argmax(worth))]


def _promise(line: Line, page: Page) -> float:
    """How likely a line is a name, before it is read: long, and close to a city."""
    long = min((line.right - line.left) / max(line.bottom - line.top, 1), 8)
    return long + 6 * page.likely(line) - 0.8 * min(line.gap(city) for city in page.cities) / page.width


def find_lines(page: Page, cuts: tuple[float, ...] = _CUTS, joins: tuple[float, ...] = _JOINS) -> list[Line]:
    """Where letters of a likely size stand in a row near a city, at any of several strengths of ink."""
    width = page.width
    lines: list[Line] = []
    bare = page.ink.copy()
    for x, y in page.cities:
        cv2.circle(bare, (round(x), round(y)), round(_RING * width), 0, -1)
    # Letters that touch the ring around a city are seen without it, those within it only with it.
    looks = [*((page.ink, cut) for cut in cuts), (bare, cuts[1]), *((page.lettered, cut) for cut in cuts[1:])]
    for ink, cut in looks:
        _, marks, stats, _ = cv2.connectedComponentsWithStats((ink > cut).astype(np.uint8), connectivity=8)
        wide, tall, area = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT], stats[:, cv2.CC_STAT_AREA]
        letter = (tall > 0.22 * width) & (tall < 1.15 * width) & (wide < 5 * width) & (area > 0.02 * width**2)
        letter[0] = False
        letters = letter[marks].astype(np.uint8)
        for join in joins:
            joined = cv2.morphologyEx(letters, cv2.MORPH_CLOSE, np.ones((1, 2 * round(join * width) + 1), np.uint8))
            _, _, rows, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
            for left, top, across, down, filled in rows[1:]:
                if across > 0.9 * width and 0.26 * width < down < 1.35 * width and filled > 0.2 * across * down:
                    line = Line(float(left), float(top), float(left + across), float(top + down))
                    if min(line.gap(city) for city in page.cities) < _REACH * width:
                        lines.append(line)
    return _distinct([*lines, *_marked(page)])


def _marked(page: Page) -> list[Line]:
    """Where the network marks a whole line of letters."""
    width = page.width
    _, _, stats, _ = cv2.connectedComponentsWithStats((page.words > 0.6).astype(np.uint8), connectivity=4)
    lines = []
    for left, top, across, down, filled in stats[1:]:
        if across > max(1.2 * width, 1.3 * down) and 0.4 * width < down < 2.2 * width and filled > 0.5 * across * down:
            line = Line(float(left), float(top), float(left + across), float(top + down))
            if min(line.gap(city) for city in page.cities) < _REACH * width:
                lines.append(line)
    return lines


def _distinct(lines: list[Line]) -> list[Line]:
    """Lines without those that are nearly the same box."""
    kept: list[Line] = []
    for line in lines:
        tall = line.bottom - line.top
        if all(
            max(abs(line.left - o.left), abs(line.right - o.right), abs(line.top - o.top), abs(line.bottom - o.bottom))
            > 0.15 * tall
            for o in kept
        ):
            kept.append(line)
    return kept


def _picture(page: Page, line: Line, look: str = "plain") -> Pixels:
    """The line as black letters on white, of the height that is read best.

    look: "plain"; "bold" for letters alone, black or white; "dark" for the darkest ink; "raw" as it is printed
    """
    pad = round(0.22 * page.width)
    rows = slice(max(0, int(line.top) - pad), int(line.bottom) + pad)
    columns = slice(max(0, int(line.left) - pad), int(line.right) + pad)
    tall = 1.3 * _TALL if look == "raw" else _TALL
    grey = page.grey[rows, columns] if look == "raw" else _inked(page, rows, columns, look)
    zoom = float(np.clip(tall / (line.bottom - line.top), 0.5, 5.0))
    large = cv2.resize(grey, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_CUBIC if zoom > 1 else cv2.INTER_AREA)
    if look == "raw":
        return np.asarray(cv2.copyMakeBorder(large, 10, 10, 10, 10, cv2.BORDER_REPLICATE), np.uint8)
    if look == "bold":
        _, large = cv2.threshold(large, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
        large = cv2.GaussianBlur(large, (0, 0), 0.8)
    return np.asarray(cv2.copyMakeBorder(large, 10, 10, 10, 10, cv2.BORDER_CONSTANT, value=[240]), np.uint8)


def _inked(page: Page, rows: slice, columns: slice, look: str) -> Pixels:
    """Part of the page without its ground."""
    part = (page.lettered if look == "bold" else page.ink)[rows, columns]
    if look == "bold":
        # Small letters are soft: their strokes are drawn apart again.
        part = part + 1.2 * (part - cv2.GaussianBlur(part, (0, 0), 0.1 * page.width))
    # Pale letters are as black as dark ones, once their ground is gone.
    black = max(0.2, float(np.quantile(part, 0.96)))
    share = part / black - 0.06
    if look == "dark":
        share = np.maximum(share, 0) ** 1.6
    return np.asarray(np.clip(250 - 240 * share, 0, 245), np.uint8)


def read_names(page: Page) -> list[tuple[str, float]]:
    """For every city its printed name and how sure it is; an empty name where none was legible."""
    lines = sorted(find_lines(page), key=lambda line: -_promise(line, page))[: max(100, 6 * len(page.cities))]
    first, *others = languages()
    looks = [(first, "plain"), (first, "bold"), (first, "raw"), *((other, "dark") for other in others)]
    jobs = [(language, [_picture(page, line, look) for line in lines]) for language, look in looks]
    for read in read_lines(jobs):
        for line, (text, sure) in zip(lines, read, strict=True):
            if len(folded(text)) >= 3 and sure > 0.1:
                line.readings.append((text, sure))
    lines = [line for line in lines if line.readings]
    return _chosen([*lines, *_stacked(lines, page)], page)


def _stacked(lines: list[Line], page: Page) -> list[Line]:
    """Names in two or three lines, or in words that stand apart: lines of one city, close to each other, joined."""
    width = page.width
    firm = [line for line in lines if max(sure for _, sure in line.readings) > 0.4]
    city = {id(line): int(np.argmin([line.gap(spot) for spot in page.cities])) for line in firm}
    joined: list[Line] = []
    for _ in range(2):
        parts = [*firm, *joined]
        for upper in parts:
            for lower in firm:
                if city[id(upper)] != city[id(lower)]:
                    continue
                across = min(upper.right, lower.right) - max(upper.left, lower.left)
                tall = min(upper.bottom - upper.top, lower.bottom - lower.top)
                below = -0.35 * tall < lower.top - upper.bottom < 0.55 * width and across > 0.3 * width
                level = abs(upper.top + upper.bottom - lower.top - lower.bottom) < 0.7 * tall
                beside = level and 0 < lower.left - upper.right < 0.9 * width
                if below or beside:
                    joined.append(_pair(upper, lower))
                    city[id(joined[-1])] = city[id(upper)]
        joined = _distinct(joined)[:400]
    return joined


def _pair(one: Line, other: Line) -> Line:
    first = sorted(one.readings, key=lambda r: -r[1])[:3]
    second = sorted(other.readings, key=lambda r: -r[1])[:3]
    readings = [(f"{a} {b}", min(s, t) * 0.97) for a, s in first for b, t in second]
    return Line(
        min(one.left, other.left),
        min(one.top, other.top),
        max(one.right, other.right),
        max(one.bottom, other.bottom),
        readings,
        one.parts + other.parts,
    )


def _chosen(phrases: list[Line], page: Page) -> list[tuple[str, float]]:
    """To each city the phrase that suits it best, each part of the board read once."""
    near = [[p for p in phrases if p.gap(city) < _REACH * page.width] for city in page.cities]
    texts = [[text for phrase in mine for text, _ in phrase.readings] for mine in near]
    towns = mended(texts, page.cities, float(max(page.ink.shape)))
    offers: list[tuple[float, int, Line, str, float]] = []
    for number, (city, mine, (town, _)) in enumerate(zip(page.cities, near, towns, strict=True)):
        for phrase in mine:
            text, sure = _agreed(phrase.readings)
            far = 0.16 * phrase.gap(city) / page.width
            # Two lines that both read well belong together.
            more = 0.15 * (phrase.parts - 1) if sure > 0.6 else -0.2 * (phrase.parts - 1)
            offers.append((sure * min(len(folded(text)), 5) / 5 + more - far, number, phrase, text, sure))
            if town:
                alike = max(_alike(text, town) for text, _ in phrase.readings)
                if alike > 0.55:
                    upper = sum(text.isupper() for text, _ in phrase.readings) * 2 > len(phrase.readings)
                    offers.append(
                        (1.2 * alike + 0.3 - far + 0.01 * len(town), number, phrase, town.upper() if upper else town, alike)
                    )
    names: list[tuple[str, float]] = [("", 0.0)] * len(page.cities)
    taken: list[Line] = []
    for worth, number, phrase, text, sure in sorted(offers, key=lambda offer: -offer[0]):
        if worth < 0.18 or names[number][0] or len(folded(text)) < 3:
            continue
        if all(_shared(phrase, other) < 0.3 for other in taken):
            names[number] = text, sure
            taken.append(phrase)
    return names


def _alike(text: str, town: str) -> float:
    return likeness(folded(text), folded(town))


def _agreed(readings: list[tuple[str, float]]) -> tuple[str, float]:
    """The reading that is sure and that others share."""

    def worth(reading: tuple[str, float]) -> float:
        same = sum(folded(other) == folded(reading[0]) for other, _ in readings)
        return reading[1] * min(len(folded(reading[0])), 7) / 7 + 0.25 * (same - 1)

    text, _ = max(readings, key=worth)
    same = [sure for other, sure in readings if folded(other) == folded(text)]
    return text, min(1.0, max(same) + 0.1 * (len(same) - 1))


def _shared(one: Line, other: Line) -> float:
    """The share of the smaller box that both cover."""
    across = min(one.right, other.right) - max(one.left, other.left)
    down = min(one.bottom, other.bottom) - max(one.top, other.top)
    least = min((line.right - line.left) * (line.bottom - line.top) for line in (one, other))
    return max(0.0, across) * max(0.0, down) / max(least, 1.0)

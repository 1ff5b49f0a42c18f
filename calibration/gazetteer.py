"""Mends city names with the world's towns: what is nearly a town's name, and lies where that town would, is that town.

Boards are maps. The names read without a fault tell which part of the world is printed, and how it is laid on the board;
every other town can then be expected at its place. The towns are GeoNames' (Creative Commons Attribution 4.0).
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.lettering import plain

Floats = NDArray[np.float64]

PLACES = Path(__file__).parent / "places.tsv.gz"
_NEAR = 0.09
"""How far a town may be drawn from where the map has it, as a share of the board's long side."""
_NAMESAKES = 4
_MOST_SEEDS = 160
_LARGE = 6000
"""The first so many towns are large ones."""
_FEWEST = 4
_LIKE = ["cgoqdce", "oda0", "ilt1jfry", "uvwy", "nmhru", "bhkr", "sz5", "fptre", "ceo", "aeo", "eltf"]


@dataclass(frozen=True)
class Towns:
    """names: those of each town, its own first; keys: the same, folded; places: (N, 2) longitude and Mercator's latitude."""

    names: list[list[str]]
    keys: list[list[str]]
    places: Floats
    by_name: dict[str, list[int]]


@lru_cache(maxsize=1)
def towns() -> Towns:
    """The world's towns, the largest first; none where the list is missing."""
    names: list[list[str]] = []
    keys: list[list[str]] = []
    places: list[tuple[float, float]] = []
    by_name: dict[str, list[int]] = {}
    try:
        lines = gzip.decompress(PLACES.read_bytes()).decode().splitlines()
    except (OSError, ValueError):
        lines = []
    for number, line in enumerate(lines):
        known, latitude, longitude = line.split("\t")
        names.append(known.split("|"))
        keys.append([folded(name) for name in names[-1]])
        places.append((float(longitude), float(latitude)))
        for key in set(keys[-1]):
            by_name.setdefault(key, []).append(number)
    spots = np.array(places).reshape(-1, 2)
    spots[:, 1] = np.degrees(np.log(np.tan(np.pi / 4 + np.radians(np.clip(spots[:, 1], -80, 80)) / 2)))
    return Towns(names, keys, spots, by_name)


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """A name as it is compared: small letters of the English alphabet alone."""
    return "".join(letter for letter in plain(text).lower() if "a" <= letter <= "z")


def mended(readings: Sequence[Sequence[str]], cities: Floats, long_side: float) -> list[tuple[str, float]]:
    """For each city (N, 2) and what was read beside it, the town it must be and how alike they are; "" for none."""
    laid = _layout(readings, cities, long_side)
    if laid is None:
        return [("", 0.0)] * len(cities)
    known = towns()
    expected = np.column_stack([known.places, np.ones(len(known.places))]) @ laid.warp
    accents = _accents(readings)
    found = []
    for number, (texts, city) in enumerate(zip(readings, cities, strict=True)):
        off = np.linalg.norm(expected + laid.strayed(number, city, long_side) - city, axis=1) / long_side
        close = np.flatnonzero(off < 1.6 * _NEAR)
        near = [(int(town), name) for town in close for name in known.names[town]]
        keys = [key for town in close for key in known.keys[town]]
        bags = _bags(keys)
        best, worth = ("", 0.0), 0.0
        for text in {folded(text) for text in _dotted(texts) if len(folded(text)) >= 3}:
            # Only names made of nearly the same letters are worth a closer look.
            apart = np.abs(bags - _bags([text])).sum(axis=1) / np.maximum(bags.sum(axis=1), len(text))
            for k in np.argsort(apart)[:12]:
                town, name = near[k]
                alike = likeness(text, keys[k]) - 0.1 * max(0.0, float(off[town]) / _NEAR - 0.5)
                # A short name is like many a smudge; a board's cities are the large towns, by the names they have there.
                own = keys[k] == known.keys[town][0]
                value = alike * (1 - 1.2 / len(keys[k])) - 0.03 * np.log10(town + 10) + 0.06 * own
                large = town < _LARGE and off[town] < _NEAR
                if alike > _least_alike(len(keys[k])) - 0.13 * large and value > worth:
                    best, worth = (_spelled(town, name, texts, accents), alike), value
        found.append(best)
    return found


def _least_alike(letters: int) -> float:
    return 0.95 if letters <= 4 else 0.72 if letters <= 6 else 0.62


def _bags(keys: Sequence[str]) -> Floats:
    """How often each letter occurs in each text (N, 26)."""
    bags = np.zeros((len(keys), 26))
    for row, key in zip(bags, keys, strict=True):
        for letter in key:
            row[ord(letter) - 97] += 1
    return bags


def _dotted(texts: Sequence[str]) -> list[str]:
    """The texts, and what they would be if ü was read as ii."""
    return [*texts, *(text.replace("ii", "ü") for text in texts if "ii" in text)]


def _accents(readings: Sequence[Sequence[str]]) -> bool:
    """Whether names are printed with accents here: two towns were read so."""
    known = towns()
    accented = [
        number
        for number, texts in enumerate(readings)
        for text in _dotted(texts)
        if not text.isascii() and len(folded(text)) >= 5 and folded(text) in known.by_name
    ]
    return len(set(accented)) >= 2


def _spelled(town: int, name: str, texts: Sequence[str], accents: bool) -> str:
    """Of the town's names that differ in accents alone, the one that was read, its own, or else the plainest."""
    names = towns().names[town]
    same = [other for other in names if folded(other) == folded(name)]
    read = [text.casefold() for text in texts if folded(text) == folded(name)]
    # Accents are lost in small print more often than they are made up.
    if accents and names[0] in same and not any(not text.isascii() for text in read):
        return names[0]
    return max(same, key=lambda other: (read.count(other.casefold()), -sum(not letter.isascii() for letter in other)))


@dataclass(frozen=True)
class _Laid:
    """How the world is laid on a board.

    warp: (3, 2) from longitude, latitude, 1 to pixels; owner: (K,) numbers of the cities it was told by; spots: (K, 2) where
    they lie; stray: (K, 2) how far from where the warp has them
    """

    warp: Floats
    owner: NDArray[np.intp]
    spots: Floats
    stray: Floats

    def strayed(self, number: int, city: Floats, long_side: float) -> Floats:
        """How far things around a city lie from where the warp has them, as its neighbours tell: maps are bent to fit."""
        far = np.linalg.norm(self.spots - city, axis=1) / long_side
        weight = np.exp(-0.5 * (far / 0.12) ** 2) * (self.owner != number)
        return np.asarray((weight @ self.stray) / (weight.sum() + 0.5))


def _layout(readings: Sequence[Sequence[str]], cities: Floats, long_side: float) -> _Laid | None:
    """How the world is laid on the board; None where no part of it fits."""
    known = towns()
    seeds = []
    for number, texts in enumerate(readings):
        numbers = {t for text in texts if len(folded(text)) >= 5 for t in known.by_name.get(folded(text), [])[:_NAMESAKES]}
        seeds += [(number, town) for town in numbers]
    if len({number for number, _ in seeds}) < _FEWEST:
        return None
    seeds = sorted(seeds, key=lambda seed: seed[1])[:_MOST_SEEDS]
    owner, place = np.array([n for n, _ in seeds]), known.places[[t for _, t in seeds]]
    spots = cities[owner]
    best: tuple[int, Floats] | None = None
    for i, j in combinations(range(len(seeds)), 2):
        world, board = place[j] - place[i], spots[j] - spots[i]
        if owner[i] == owner[j] or min(abs(world)) < 0.15 or min(abs(board)) < 0.05 * long_side:
            continue
        scale = board / world
        # North is up and east is right; a printed map is stretched a little at most.
        if scale[0] <= 0 or scale[1] >= 0 or not 0.55 < -scale[0] / scale[1] < 1.8:
            continue
        fits = np.abs((place - place[i]) * scale + spots[i] - spots).max(axis=1) < _NEAR * long_side
        count = len(set(owner[fits]))
        if best is None or count > best[0]:
            best = count, fits
    if best is None or best[0] < max(_FEWEST, 0.4 * len({number for number, _ in seeds})):
        return None
    fits = best[1]
    layout = np.zeros((3, 2))
    for _ in range(4):
        world = np.column_stack([place[fits], np.ones(int(fits.sum()))])
        layout = np.linalg.lstsq(world, spots[fits], rcond=None)[0]
        off = np.linalg.norm(np.column_stack([place, np.ones(len(place))]) @ layout - spots, axis=1)
        fits = off < _NEAR * long_side
        if len(set(owner[fits])) < _FEWEST:
            return None
    stray = spots[fits] - np.column_stack([place[fits], np.ones(int(fits.sum()))]) @ layout
    return _Laid(layout, owner[fits], spots[fits], stray)


@lru_cache(maxsize=65536)
def likeness(read: str, name: str) -> float:
    """How alike two folded names are, 0 to 1; letters that look alike count half."""
    if abs(len(read) - len(name)) > max(2, 0.4 * len(name)):
        return 0.0
    row = [0.9 * k for k in range(len(name) + 1)]
    for i, a in enumerate(read, 1):
        before, row = row, [0.9 * i]
        for j, b in enumerate(name, 1):
            swap = 0.0 if a == b else 0.5 if any(a in group and b in group for group in _LIKE) else 1.0
            row.append(min(before[j] + 0.9, row[-1] + 0.9, before[j - 1] + swap))
    return 1 - row[-1] / max(len(name), len(read), 1)

"""Invents boards for the finder of spaces: random networks in random art, so that no real board is needed to train it.

Everything varies: how spaces are outlined, filled and textured, what cities and names look like, and what else is
printed that is no space: score tracks, legends, cards, streets, drawings, words.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]

WIDE = 22.0
"""A space's width in pixels of the finished picture."""
_FINE = 2
INKS = {
    "black": (48, 45, 45),
    "white": (228, 232, 232),
    "red": (45, 45, 190),
    "blue": (190, 115, 40),
    "green": (60, 160, 110),
    "yellow": (50, 210, 240),
    "orange": (50, 140, 230),
    "purple": (180, 115, 180),
}
FONTS = [str(path) for path in sorted(Path("/usr/share/fonts").rglob("*.[to]tf"))]
_FIRST = "ber lin ham burg ro ma pa ris wien mos kva lon don os lo".split()  # noqa: SIM905
_SECOND = "kra kow za greb to kyo chi ca go dal las den ver san ta".split()  # noqa: SIM905
_SYLLABLES = [*_FIRST, *_SECOND]


@dataclass
class Route:
    """A row of spaces (N, 3) x, y, angle in pixels, between two cities."""

    spaces: Floats
    color: str
    kind: str


@dataclass
class Invented:
    """A drawn board: its picture, its space size in pixels, and where everything on it is."""

    picture: Picture
    length: float
    width: float
    routes: list[Route] = field(default_factory=list)
    cities: list[tuple[float, float]] = field(default_factory=list)
    words: list[Floats] = field(default_factory=list)
    pieces: list[tuple[float, float]] = field(default_factory=list)

    def labels(self) -> dict[str, Floats]:
        """spaces (S, 6): x, y, angle, tunnel, engine, piece; cities (C, 2); words (W, 4, 2)."""
        covered = {(round(x, 2), round(y, 2)) for x, y in self.pieces}
        rows = []
        for route in self.routes:
            middle = len(route.spaces) // 2
            for number, (x, y, angle) in enumerate(route.spaces):
                engine = route.kind == "ferry" and (number == middle or (number == 0 and len(route.spaces) > 2))
                piece = (round(x, 2), round(y, 2)) in covered
                rows.append((x, y, angle, route.kind == "tunnel", engine, piece))
        words = np.array(self.words).reshape(-1, 4, 2)
        return {"spaces": np.array(rows, np.float64), "cities": np.array(self.cities, np.float64), "words": words}


def invent(seed: int, with_pieces: bool = False) -> Invented:
    """A board of no publisher."""
    rng, dice = random.Random(seed), np.random.default_rng(seed)
    wide = WIDE * _FINE
    long = wide * rng.uniform(1.9, 3.3)
    side = wide / rng.uniform(0.0125, 0.022)
    stretch = rng.choice([1.5, 1.5, 1.3, 1.0, 0.67])
    width, height = (round(side), round(side / stretch)) if stretch >= 1 else (round(side * stretch), round(side))
    rim = rng.uniform(0.02, 0.06) * side
    made = Invented(np.zeros((height, width, 3), np.uint8), long, wide)
    _network(made, rng, (width, height), rim)
    made.picture = _land(rng, dice, width, height)
    _clutter(made.picture, rng, wide)
    _frame(made.picture, rng, rim, wide)
    over = made.picture.copy()
    _Spaces(rng, long, wide).draw(over, made)
    cover = rng.choice([1.0, 1.0, rng.uniform(0.7, 1.0)])
    made.picture = np.asarray(cv2.addWeighted(over, cover, made.picture, 1 - cover, 0), np.uint8)
    _draw_cities(made, rng, wide)
    _draw_names(made, rng, wide)
    if with_pieces:
        _pieces(made, rng)
    _folds(made.picture, rng)
    return _shrunk(made)


def _shrunk(made: Invented) -> Invented:
    share = 1 / _FINE
    picture = np.asarray(cv2.resize(made.picture, None, fx=share, fy=share, interpolation=cv2.INTER_AREA), np.uint8)
    scale = np.array([share, share, 1])
    return Invented(
        picture,
        made.length * share,
        made.width * share,
        [Route(route.spaces * scale, route.color, route.kind) for route in made.routes],
        [(x * share, y * share) for x, y in made.cities],
        [word * share for word in made.words],
        [(x * share, y * share) for x, y in made.pieces],
    )


def _network(made: Invented, rng: random.Random, size: tuple[int, int], rim: float) -> None:
    """Cities strewn at random, and routes between neighbours that cross nothing."""
    long, wide = made.length, made.width
    low, high = np.array([rim, rim]) + 1.2 * wide, np.array(size) - rim - 1.2 * wide
    apart = long * rng.uniform(1.5, 2.6)
    for _ in range(2500):
        spot = np.array([rng.uniform(low[0], high[0]), rng.uniform(low[1], high[1])])
        if all(np.hypot(spot[0] - x, spot[1] - y) > apart * rng.uniform(1, 1.6) for x, y in made.cities):
            made.cities.append((float(spot[0]), float(spot[1])))
    cities = np.array(made.cities)
    taken = np.zeros((size[1], size[0]), np.uint8)
    for x, y in made.cities:
        cv2.circle(taken, (round(x), round(y)), round(0.5 * wide), 255, -1)
    pairs = [(i, j) for i in range(len(cities)) for j in range(i)]
    pairs.sort(key=lambda pair: float(np.linalg.norm(cities[pair[0]] - cities[pair[1]])) * rng.uniform(0.7, 1.3))
    tunnels, ferries, grey = rng.random() < 0.55, rng.random() < 0.5, rng.uniform(0.1, 0.6)
    gap = long * rng.choice([0.02, 0.05, 0.08, 0.12, 0.2])
    beside = wide * rng.uniform(1.0, 1.25)
    doubles = rng.uniform(0.1, 0.5)
    reached: dict[int, int] = {}
    for i, j in pairs:
        distance = float(np.linalg.norm(cities[i] - cities[j]))
        if distance > 9 * (long + gap) or reached.get(i, 0) > 5 or reached.get(j, 0) > 5 or rng.random() < 0.12:
            continue
        lanes = rng.choice([2, 2, 2, 3]) if rng.random() < doubles else 1
        row = _row(cities[i], cities[j], long, gap, rng.uniform(0.45, 0.9) * wide, rng)
        if row is None:
            continue
        kind = "tunnel" if tunnels and rng.random() < 0.3 else "normal"
        rows = [_beside(row, (k - (lanes - 1) / 2) * beside) for k in range(lanes)]
        bend = np.abs(np.diff(row[:, 2], append=row[-1, 2]))
        if lanes > 1 and np.any(np.minimum(bend, 180 - bend) > 25):
            rows = rows[:1]
        joined = np.concatenate(rows)
        inside = (joined[:, :2] > low - 0.4 * wide).all() and (joined[:, :2] < high + 0.4 * wide).all()
        if not inside or not _free(taken, joined, long, wide):
            continue
        both = rng.random() < grey
        for one in rows:
            color = "gray" if both else rng.choice(sorted(INKS))
            ferry = ferries and color == "gray" and kind == "normal" and rng.random() < 0.4
            made.routes.append(Route(one, color, "ferry" if ferry else kind))
        reached[i], reached[j] = reached.get(i, 0) + 1, reached.get(j, 0) + 1
    made.cities = [city for k, city in enumerate(made.cities) if k in reached]


def _row(a: Floats, b: Floats, long: float, gap: float, clear: float, rng: random.Random) -> Floats | None:
    """Spaces along a bow, or around a corner, from one city to another."""
    chord = float(np.linalg.norm(b - a))
    count = int((chord - 2 * clear + gap) / (long + gap))
    if count < 1:
        return None
    bow = rng.choice([0.0, 0.0, rng.uniform(-0.35, 0.35), rng.uniform(-0.2, 0.2)])
    across = np.array([a[1] - b[1], b[0] - a[0]])
    if rng.random() < 0.12 and count >= 2:
        knee = (a + b) / 2 + across * rng.choice([-1, 1]) * rng.uniform(0.2, 0.5) + (b - a) * rng.uniform(-0.2, 0.2)
        t = np.linspace(0, 1, 150)[:, None]
        line = np.concatenate([a + (knee - a) * t, knee + (b - knee) * t[1:]])
    else:
        t = np.linspace(0, 1, 300)[:, None]
        line = (1 - t) ** 2 * a + 2 * t * (1 - t) * ((a + b) / 2 + across * bow) + t**2 * b
    steps = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    count = int((steps[-1] - 2 * clear + gap) / (long + gap))
    if count < 1 or count > 9:
        return None
    spare = steps[-1] - count * (long + gap) + gap
    first = spare / 2
    rows = []
    for k in range(count):
        start = first + k * (long + gap)
        p, q = (np.array([np.interp(s, steps, line[:, n]) for n in (0, 1)]) for s in (start, start + long))
        rows.append([*((p + q) / 2), np.degrees(np.arctan2(q[1] - p[1], q[0] - p[0])) % 180])
    return np.array(rows)


def _beside(row: Floats, off: float) -> Floats:
    way = (
        row[-1, :2] - row[0, :2]
        if len(row) > 1
        else np.array([np.cos(np.radians(row[0, 2])), np.sin(np.radians(row[0, 2]))])
    )
    turn = np.radians(row[:, 2])
    normal = np.column_stack([-np.sin(turn), np.cos(turn)])
    side = np.sign(np.column_stack([np.cos(turn), np.sin(turn)]) @ way + 1e-9)
    return np.column_stack([row[:, :2] + off * normal * side[:, None], row[:, 2]])


def _free(taken: Picture, rows: Floats, long: float, wide: float) -> bool:
    mask = np.zeros_like(taken)
    for x, y, angle in rows:
        cv2.fillPoly(mask, [_box((x, y), (long * 0.98, wide * 1.08), angle).astype(np.int32) // 8], 255)
    if np.count_nonzero(cv2.bitwise_and(taken, mask)) > 0.03 * wide * long:
        return False
    cv2.bitwise_or(taken, mask, taken)
    return True


def _box(centre: tuple[float, float] | Floats, size: tuple[float, float], angle: float) -> NDArray[np.int32]:
    """The corners of a turned rectangle in eighths of a pixel."""
    return np.asarray(np.round(cv2.boxPoints(((float(centre[0]), float(centre[1])), size, angle)) * 8), np.int32)


def _noise(dice: np.random.Generator, width: int, height: int, scale: float, octaves: int) -> NDArray[np.float32]:
    total = np.zeros((height, width), np.float32)
    for octave in range(octaves):
        cells = max(2, int(scale * 2**octave))
        coarse = dice.normal(0, 1, (cells * height // width + 2, cells + 2)).astype(np.float32)
        total += cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC) / 2 ** (octave * 0.9)
    return total


def _land(rng: random.Random, dice: np.random.Generator, width: int, height: int) -> Picture:
    tints = dice.uniform(70, 245, (4, 3))
    if rng.random() < 0.6:
        # Most boards are printed on pale, yellowish or bluish paper.
        tints = np.clip(dice.normal((170, 200, 215), (35, 25, 25), (4, 3)), 40, 250)
    if rng.random() < 0.15:
        tints *= 0.45
    shape = _noise(dice, width, height, rng.uniform(2, 7), 6)
    picture = np.empty((height, width, 3), np.float32)
    levels = np.quantile(shape[::8, ::8], [0.3, 0.55, 0.8])
    zones = np.digitize(shape, levels)
    picture[:] = tints[zones]
    soft = rng.uniform(0.5, 12)
    picture = cv2.GaussianBlur(picture, (0, 0), soft)
    picture += (_noise(dice, width, height, rng.uniform(8, 40), 5) * rng.uniform(1, 12))[..., None]
    picture += dice.normal(0, rng.uniform(0, 9), (height, width, 1)).astype(np.float32)
    if rng.random() < 0.6:
        edge = cv2.morphologyEx(zones.astype(np.uint8), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > 0
        picture[cv2.dilate(edge.astype(np.uint8), np.ones((rng.randint(1, 5),) * 2, np.uint8)) > 0] *= rng.uniform(0.3, 0.9)
    if rng.random() < 0.3:
        fine = _noise(dice, width, height, rng.uniform(30, 70), 4)
        strokes = np.abs(np.sin(fine * rng.uniform(3, 9))) < 0.12
        picture[strokes] *= rng.uniform(0.55, 0.9)
    return np.ascontiguousarray(np.clip(picture, 0, 255).astype(np.uint8))


def _ink(rng: random.Random) -> tuple[int, int, int]:
    return rng.randrange(256), rng.randrange(256), rng.randrange(256)


def _letters(picture: Picture, text: str, spot: tuple[float, float], color: tuple[int, ...], font: str, size: float) -> None:
    cv2.putText(
        picture, text, (round(spot[0]), round(spot[1])), tuple(map(int, color)), cv2.FontFace(font), max(6, round(size))
    )


def _name(rng: random.Random) -> str:
    word = "".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(1, 4))).capitalize()
    word = word.replace("o", "ö", 1) if rng.random() < 0.1 else word
    return f"{word} {rng.choice(_SYLLABLES).capitalize()}" if rng.random() < 0.2 else word


def _clutter(picture: Picture, rng: random.Random, wide: float) -> None:
    """Streets, cards, drawings and words."""
    height, width = picture.shape[:2]
    if rng.random() < 0.25:
        _streets(picture, rng, wide)
    for _ in range(rng.randint(0, 10)):
        _card(picture, rng, wide)
    for _ in range(rng.randint(0, 90)):
        spot = np.array([rng.randrange(width), rng.randrange(height)])
        ink = tuple(int(c) for c in picture[spot[1], spot[0]] * rng.uniform(0.3, 0.9)) if rng.random() < 0.7 else _ink(rng)
        kind, line = rng.random(), rng.randint(1, 6)
        if kind < 0.3:
            steps = np.cumsum(
                np.random.default_rng(rng.randrange(10**6)).normal(0, 0.5 * wide, (rng.randint(2, 30), 2)), axis=0
            )
            cv2.polylines(picture, [np.round(spot + steps).astype(np.int32)], rng.random() < 0.3, ink, line, cv2.LINE_AA)
        elif kind < 0.5:
            end = spot + np.array([rng.randint(-400, 400), rng.randint(-400, 400)])
            cv2.line(picture, tuple(map(int, spot)), tuple(map(int, end)), ink, line, cv2.LINE_AA)
        elif kind < 0.7:
            axes = (round(wide * rng.uniform(0.2, 2.5)), round(wide * rng.uniform(0.2, 2.5)))
            cv2.ellipse(
                picture, tuple(map(int, spot)), axes, rng.uniform(0, 180), 0, 360, ink, rng.choice([2, 3, -1]), cv2.LINE_AA
            )
        elif kind < 0.85:
            size = (wide * rng.uniform(0.2, 4), wide * rng.uniform(0.2, 4))
            cv2.polylines(picture, [_box(spot, size, rng.uniform(0, 180))], True, ink, line, cv2.LINE_AA, 3)
        else:
            _letters(picture, _name(rng), spot, ink, rng.choice(FONTS), wide * rng.uniform(0.5, 4))
    for _ in range(rng.randint(0, 2)):
        _legend(picture, rng, wide)


def _streets(picture: Picture, rng: random.Random, wide: float) -> None:
    height, width = picture.shape[:2]
    turn, pitch, ink = rng.uniform(0, 90), wide * rng.uniform(1.2, 3.5), _ink(rng)
    reach = max(width, height)
    line = rng.randint(2, round(0.35 * wide))
    for way, step in ((turn, pitch), (turn + 90, pitch * rng.uniform(0.5, 2.5))):
        along = np.array([np.cos(np.radians(way)), np.sin(np.radians(way))])
        across = np.array([-along[1], along[0]])
        middle = np.array([width, height]) / 2
        for k in np.arange(-reach, reach, step):
            a, b = (middle + across * k + along * side * reach for side in (-1, 1))
            cv2.line(picture, (round(a[0]), round(a[1])), (round(b[0]), round(b[1])), ink, line, cv2.LINE_AA)


def _card(picture: Picture, rng: random.Random, wide: float) -> None:
    """A ticket, stamp or badge lying about."""
    height, width = picture.shape[:2]
    spot = (rng.uniform(0, width), rng.uniform(0, height))
    size, turn, ink = (wide * rng.uniform(2, 9), wide * rng.uniform(2, 7)), rng.uniform(-40, 40), _ink(rng)
    cv2.fillPoly(picture, [_box(spot, size, turn)], ink, cv2.LINE_AA, 3)
    for grow in (1.0, 0.85):
        if rng.random() < 0.6:
            cv2.polylines(
                picture,
                [_box(spot, (size[0] * grow, size[1] * grow), turn)],
                True,
                _ink(rng),
                rng.randint(1, 5),
                cv2.LINE_AA,
                3,
            )
    if rng.random() < 0.6:
        _letters(
            picture, _name(rng), (spot[0] - size[0] / 3, spot[1]), _ink(rng), rng.choice(FONTS), wide * rng.uniform(0.5, 1.5)
        )


def _legend(picture: Picture, rng: random.Random, wide: float) -> None:
    """The table of points: rows of little trains."""
    height, width = picture.shape[:2]
    spot = np.array([rng.uniform(0.05, 0.7) * width, rng.uniform(0.05, 0.8) * height])
    pitch, ink = wide * rng.uniform(0.5, 1.1), tuple(int(c * rng.uniform(0.2, 0.8)) for c in (200, 200, 200))
    rows, size = rng.randint(4, 8), wide * rng.uniform(0.25, 0.8)
    box = np.array([spot - wide, spot + np.array([8 * size * 2.4 + 3 * wide, rows * pitch + wide])])
    cv2.rectangle(picture, *(tuple(map(int, p)) for p in box), _ink(rng), rng.choice([3, -1]))
    font = rng.choice(FONTS)
    for k in range(rows):
        _letters(picture, str(k + 1), (spot[0] - 0.7 * wide, spot[1] + (k + 0.4) * pitch), ink, font, 0.7 * pitch)
        for n in range(k + 1):
            centre = spot + np.array([size * 2.4 * (n + 0.5), k * pitch])
            cv2.fillPoly(picture, [_box(centre, (size * 2.1, size * 0.8), 0)], ink, cv2.LINE_AA, 3)


def _frame(picture: Picture, rng: random.Random, rim: float, wide: float) -> None:
    """A plain rim, or a score track of square, round or upright fields."""
    height, width = picture.shape[:2]
    kind = rng.random()
    if kind < 0.25:
        return
    ground, fill, ink = _ink(rng), _ink(rng), _ink(rng)
    cv2.rectangle(picture, (0, 0), (width, height), ground, round(2 * rim))
    line = (round(rim), round(rim)), (round(width - rim), round(height - rim))
    cv2.rectangle(picture, *line, _ink(rng), rng.randint(1, 8))
    if kind < 0.4:
        return
    shape, font = rng.choice(["square", "round", "wide"]), rng.choice(FONTS)
    count_x, count_y = (rng.randint(18, 40), rng.randint(10, 30))
    edge = rng.randint(1, 6)
    for count, level in ((count_x, True), (count_y, False)):
        pitch = (width if level else height) / count
        for k in range(count):
            for far in (False, True):
                along, across = (k + 0.5) * pitch, (rim / 2 if not far else (height if level else width) - rim / 2)
                centre = (along, across) if level else (across, along)
                reach = (0.42 * pitch, 0.4 * rim) if level else (0.4 * rim, 0.42 * pitch)
                if shape == "round":
                    cv2.circle(picture, (round(centre[0]), round(centre[1])), round(min(reach)), fill, -1, cv2.LINE_AA)
                    cv2.circle(picture, (round(centre[0]), round(centre[1])), round(min(reach)), ink, edge, cv2.LINE_AA)
                else:
                    size = (2 * min(reach),) * 2 if shape == "square" else (2 * reach[0], 2 * reach[1])
                    cv2.fillPoly(picture, [_box(centre, size, 0)], fill, cv2.LINE_AA, 3)
                    cv2.polylines(picture, [_box(centre, size, 0)], True, ink, edge, cv2.LINE_AA, 3)
                _letters(picture, str(k), (centre[0] - 0.25 * rim, centre[1] + 0.2 * rim), ink, font, 0.5 * rim)


class _Spaces:
    """One board's way of printing spaces."""

    def __init__(self, rng: random.Random, long: float, wide: float) -> None:
        self.rng, self.long, self.wide = rng, long, wide
        shift = rng.uniform(0, 30)
        self.inks = {
            name: np.clip(np.array(ink) * rng.uniform(0.75, 1.1) + [rng.uniform(-shift, shift) for _ in range(3)], 5, 250)
            for name, ink in INKS.items()
        }
        level = rng.uniform(100, 200)
        self.inks["gray"] = np.clip(level + np.array([rng.uniform(-14, 14) for _ in range(3)]), 5, 250)
        self.edge = max(1, round(wide * rng.uniform(0.03, 0.12)))
        self.rim = rng.choice([(30, 30, 30), (25, 35, 50), (60, 70, 90), (120, 130, 140), (235, 235, 230), None])
        self.bed = wide * rng.choice([0, 0, rng.uniform(0.08, 0.35)])
        self.bed_ink = rng.choice([(235, 240, 240), (200, 215, 225), (110, 150, 180), (40, 40, 45)])
        self.round = wide * rng.choice([0, 0, 0.1, 0.25])
        self.inside = rng.choice(["plain", "plain", "stripes", "sleepers", "frame", "bevel", "inset", "wagon"])
        self.grey_inside = rng.choice([self.inside, "stripes", "frame", "plain"])
        self.shadow = rng.random() < 0.3
        self.grain = rng.choice([0, rng.uniform(2, 12)])
        self.symbols = rng.random() < 0.6
        self.bumps = rng.choice(["bumps", "dashes", "thick", "jagged"])

    def draw(self, canvas: Picture, made: Invented) -> None:
        if self.shadow:
            off = self.wide * np.array([0.08, 0.1])
            for x, y, angle in np.concatenate([route.spaces for route in made.routes]):
                dark = [int(c) for c in canvas[min(int(y), canvas.shape[0] - 1), min(int(x), canvas.shape[1] - 1)] * 0.5]
                cv2.fillPoly(canvas, [_box((x + off[0], y + off[1]), (self.long, self.wide), angle)], dark, cv2.LINE_AA, 3)
        for route in made.routes:
            if self.bed and route.kind != "tunnel":
                for x, y, angle in route.spaces:
                    size = (self.long + 2 * self.bed, self.wide + 2 * self.bed)
                    cv2.fillPoly(canvas, [_box((x, y), size, angle)], self.bed_ink, cv2.LINE_AA, 3)
        labels = made.labels()["spaces"]
        number = 0
        for route in made.routes:
            for x, y, angle in route.spaces:
                if route.kind == "tunnel":
                    self._tunnel(canvas, (x, y), angle)
                self._space(canvas, (x, y), angle, route.color)
                if labels[number, 4]:
                    self._engine(canvas, (x, y), angle)
                number += 1

    def _space(self, canvas: Picture, centre: tuple[float, float], angle: float, color: str) -> None:
        ink = self.inks[color] * self.rng.uniform(0.94, 1.06)
        long, wide = self.long, self.wide
        if self.round:
            self._rounded(canvas, centre, (long, wide), angle, self.rim or ink)
            self._rounded(canvas, centre, (long - 2 * self.edge, wide - 2 * self.edge), angle, ink)
        else:
            cv2.fillPoly(canvas, [_box(centre, (long, wide), angle)], tuple(map(float, self.rim or ink)), cv2.LINE_AA, 3)
            cv2.fillPoly(
                canvas,
                [_box(centre, (long - 2 * self.edge, wide - 2 * self.edge), angle)],
                tuple(map(float, ink)),
                cv2.LINE_AA,
                3,
            )
        self._fill(canvas, centre, angle, ink, self.grey_inside if color == "gray" else self.inside)
        if self.symbols and color != "gray":
            sides = 3 + sorted(INKS).index(color) % 5
            turns = 2 * np.pi * np.arange(sides) / sides + np.radians(angle)
            points = np.array(centre) + self.wide * 0.2 * np.column_stack([np.cos(turns), np.sin(turns)])
            mark = ink * 0.7 if ink.sum() > 250 else ink * 0.7 + 60
            cv2.polylines(canvas, [np.round(points * 8).astype(np.int32)], True, tuple(map(float, mark)), 3, cv2.LINE_AA, 3)

    def _rounded(
        self, canvas: Picture, centre: tuple[float, float], size: tuple[float, float], angle: float, ink: object
    ) -> None:
        tone = tuple(map(float, np.asarray(ink, np.float64)))
        r = self.round
        for grow in ((0, -2 * r), (-2 * r, 0)):
            cv2.fillPoly(canvas, [_box(centre, (size[0] + grow[0], size[1] + grow[1]), angle)], tone, cv2.LINE_AA, 3)
        for corner in cv2.boxPoints(((float(centre[0]), float(centre[1])), (size[0] - 2 * r, size[1] - 2 * r), angle)):
            cv2.circle(canvas, (round(corner[0] * 8), round(corner[1] * 8)), round(r * 8), tone, -1, cv2.LINE_AA, 3)

    def _fill(self, canvas: Picture, centre: tuple[float, float], angle: float, ink: Floats, style: str) -> None:
        along = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
        across = np.array([-along[1], along[0]])
        dark, light = tuple(map(float, ink * 0.75)), tuple(map(float, np.clip(ink * 0.8 + 55, 0, 255)))

        def bar(u: float, v: float, size: tuple[float, float], tone: tuple[float, ...]) -> None:
            spot = np.array(centre) + along * u * self.long + across * v * self.wide
            cv2.fillPoly(canvas, [_box(spot, (size[0] * self.long, size[1] * self.wide), angle)], tone, cv2.LINE_AA, 3)

        if style == "stripes":
            for v in np.linspace(-0.3, 0.3, 4):
                bar(0, v, (0.84, 0.05), dark if v < 0 else light)
        elif style == "sleepers":
            for u in np.linspace(-0.4, 0.4, 9):
                bar(u, 0, (0.03, 0.75), dark)
        elif style == "frame":
            box = _box(centre, (0.86 * self.long, 0.66 * self.wide), angle)
            cv2.polylines(canvas, [box], True, dark, 2, cv2.LINE_AA, 3)
        elif style == "bevel":
            bar(0, -0.36, (0.92, 0.1), light)
            bar(0, 0.36, (0.92, 0.1), dark)
        elif style == "inset":
            bar(0, 0, (0.8, 0.5), light)
        elif style == "wagon":
            bar(0, 0, (0.7, 0.36), dark)
            for u in (-0.25, 0, 0.25):
                bar(u, -0.05, (0.12, 0.14), light)

    def _tunnel(self, canvas: Picture, centre: tuple[float, float], angle: float) -> None:
        grow = 0.16 * self.wide
        size = self.long + 1.2 * grow, self.wide + 2 * grow
        ink = (30, 32, 36)
        if self.bumps == "thick":
            cv2.fillPoly(canvas, [_box(centre, size, angle)], ink, cv2.LINE_AA, 3)
            return
        corners = cv2.boxPoints(((float(centre[0]), float(centre[1])), (self.long + grow, self.wide + grow), angle))
        for k in range(4):
            a, b = corners[k], corners[(k + 1) % 4]
            parts = max(3, round(float(np.linalg.norm(b - a)) / (0.32 * self.wide)))
            for n in range(parts):
                p, q = a + (b - a) * n / parts, a + (b - a) * (n + (0.6 if self.bumps == "dashes" else 1)) / parts
                if self.bumps == "bumps":
                    cv2.circle(canvas, (round(p[0]), round(p[1])), round(0.14 * self.wide), ink, -1, cv2.LINE_AA)
                elif self.bumps == "dashes":
                    cv2.line(
                        canvas, tuple(map(round, p.tolist())), tuple(map(round, q.tolist())), ink, round(0.26 * self.wide)
                    )
                else:
                    tip = (p + q) / 2 + ((p + q) / 2 - np.array(centre)) / np.linalg.norm(
                        (p + q) / 2 - np.array(centre)
                    ) * 0.14 * self.wide
                    cv2.fillPoly(canvas, [np.round(np.array([p, q, tip]) * 8).astype(np.int32)], ink, cv2.LINE_AA, 3)
        cv2.fillPoly(canvas, [_box(centre, (self.long + grow, self.wide + grow), angle)], ink, cv2.LINE_AA, 3)

    def _engine(self, canvas: Picture, centre: tuple[float, float], angle: float) -> None:
        """A ferry's little engine."""
        along = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
        across = np.array([-along[1], along[0]])
        ink = (25, 22, 22)

        def block(x: float, y: float, w: float, h: float) -> None:
            spot = np.array(centre) + along * x * self.wide + across * y * self.wide
            cv2.fillPoly(canvas, [_box(spot, (w * self.wide, h * self.wide), angle)], ink, cv2.LINE_AA, 3)

        block(0, 0.05, 1.3, 0.3)
        block(-0.4, -0.1, 0.4, 0.5)
        block(0.35, -0.2, 0.14, 0.25)
        for x in (-0.45, -0.05, 0.35):
            spot = np.array(centre) + along * x * self.wide + across * 0.25 * self.wide
            cv2.circle(canvas, (round(spot[0]), round(spot[1])), round(0.12 * self.wide), ink, -1, cv2.LINE_AA)


def _draw_cities(made: Invented, rng: random.Random, wide: float) -> None:
    radius = wide * rng.uniform(0.34, 0.85)
    rings = [(1.0, _ink(rng))]
    for share in sorted((rng.uniform(0.4, 0.95) for _ in range(rng.randint(0, 3))), reverse=True):
        rings.append((share, _ink(rng)))
    if rng.random() < 0.5:
        rings = [(1.0, (30, 40, 60)), (0.85, (90, 140, 200)), (0.6, (40, 60, 200) if rng.random() < 0.5 else _ink(rng))]
    glint, halo, digit = rng.random() < 0.5, rng.random() < 0.3, rng.random() < 0.15
    flags = rng.random() < 0.3
    font = rng.choice(FONTS)
    for x, y in made.cities:
        spot = (round(x), round(y))
        if flags and rng.random() < 0.25:
            # Some boards end routes at a small flag instead.
            small = max(4, round(wide * rng.uniform(0.25, 0.4)))
            cv2.circle(made.picture, spot, small, (235, 235, 235), -1, cv2.LINE_AA)
            cv2.ellipse(made.picture, spot, (small, small), rng.choice([0, 90]), 0, 180, _ink(rng), -1, cv2.LINE_AA)
            cv2.circle(made.picture, spot, small, (60, 70, 80), 2, cv2.LINE_AA)
            continue
        if halo and rng.random() < 0.5:
            over = made.picture.copy()
            cv2.circle(over, spot, round(radius * rng.uniform(1.5, 2.4)), rings[0][1], -1, cv2.LINE_AA)
            cv2.addWeighted(over, 0.25, made.picture, 0.75, 0, made.picture)
        for share, ink in rings:
            cv2.circle(made.picture, spot, max(2, round(radius * share)), ink, -1, cv2.LINE_AA)
        if glint:
            cv2.circle(
                made.picture,
                (round(x - 0.2 * radius), round(y - 0.2 * radius)),
                round(0.2 * radius),
                (235, 240, 250),
                -1,
                cv2.LINE_AA,
            )
        if digit:
            _letters(made.picture, "1", (x - 0.25 * radius, y + 0.35 * radius), (240, 240, 240), font, radius)


def _draw_names(made: Invented, rng: random.Random, wide: float) -> None:
    font = cv2.FontFace(rng.choice(FONTS))
    size, upper = round(wide * rng.uniform(0.55, 1.15)), rng.random() < 0.4
    ink, halo = rng.choice([((30, 25, 25), None), ((30, 30, 60), (225, 235, 240)), ((245, 245, 245), (30, 30, 30))])
    spaces = np.concatenate([route.spaces for route in made.routes])
    for x, y in made.cities:
        text = _name(rng).upper() if upper else _name(rng)
        box = cv2.getTextSize((0, 0), text, (0, 0), font, size)
        w, h = float(box[2]), float(box[3])
        if w < 4 or w > 14 * wide:
            continue
        best, least = None, np.inf
        for dx, dy in (
            (0.9 * wide, 0),
            (-0.9 * wide - w, 0),
            (-w / 2, -1.5 * wide),
            (-w / 2, 1.5 * wide),
            (0.3 * wide, 1.2 * wide),
            (-w, -1.2 * wide),
        ):
            left, middle = x + dx, y + dy
            near = (np.abs(spaces[:, 0] - left - w / 2) < w / 2 + wide) & (
                np.abs(spaces[:, 1] - middle) < h / 2 + 0.6 * wide
            )
            bad = near.sum() + (0 if 0 < left < made.picture.shape[1] - w else 9)
            if bad < least:
                best, least = (left, middle), float(bad)
        if best is None or least > 4:
            continue
        spot = (round(best[0]), round(best[1] + 0.35 * size))
        if halo is not None:
            for step in ((-3, 0), (3, 0), (0, -3), (0, 3), (2, 2), (-2, -2), (2, -2), (-2, 2)):
                cv2.putText(made.picture, text, (spot[0] + step[0], spot[1] + step[1]), halo, font, size)
        cv2.putText(made.picture, text, spot, ink, font, size)
        left, top = best[0], best[1] - 0.5 * size
        made.words.append(np.array([[left, top], [left + w, top], [left + w, top + size], [left, top + size]]))


def _pieces(made: Invented, rng: random.Random) -> None:
    """Wagons on some routes: boxes seen a little from the side, with a shadow, never quite straight."""
    lean = np.array([rng.uniform(-0.3, 0.3), rng.uniform(-0.45, 0.1)]) * made.width
    grow = rng.uniform(0.9, 1.05), rng.uniform(0.7, 0.95)
    players = [
        np.array(INKS[name]) * rng.uniform(0.7, 1.1) for name in rng.sample(["red", "blue", "green", "yellow", "black"], 5)
    ]
    share = rng.uniform(0.15, 0.9)
    for route in made.routes:
        if rng.random() > share:
            continue
        ink = rng.choice(players)
        for x, y, angle in route.spaces:
            turn = angle + rng.gauss(0, 3)
            spot = np.array([x, y]) + np.array([rng.gauss(0, 0.06), rng.gauss(0, 0.06)]) * made.width
            size = (made.length * grow[0], made.width * grow[1])
            over = made.picture.copy()
            cv2.fillPoly(
                over, [_box(spot - 0.5 * lean, (size[0] * 1.05, size[1] * 1.15), turn)], (15, 15, 15), cv2.LINE_AA, 3
            )
            cv2.addWeighted(over, 0.5, made.picture, 0.5, 0, made.picture)
            for k in range(9):
                tone = tuple(map(float, np.clip(ink * (0.5 if k < 8 else 1.0), 0, 255)))
                cv2.fillPoly(made.picture, [_box(spot + lean * k / 8, size, turn)], tone, cv2.LINE_AA, 3)
            shine = tuple(map(float, np.clip(ink * 0.9 + rng.uniform(10, 70), 0, 255)))
            cv2.fillPoly(
                made.picture,
                [_box(spot + lean, (size[0] * 0.9, size[1] * rng.uniform(0.2, 0.6)), turn)],
                shine,
                cv2.LINE_AA,
                3,
            )
            made.pieces.append((float(x), float(y)))


def _folds(picture: Picture, rng: random.Random) -> None:
    height, width = picture.shape[:2]
    if rng.random() < 0.5:
        for k in range(1, rng.choice([2, 3, 4])):
            x = round(width * k / rng.choice([2, 3, 4]))
            cv2.line(picture, (x, 0), (x, height), tuple(int(c) for c in _ink(rng)), 2)
        cv2.line(picture, (0, height // 2), (width, height // 2), (200, 210, 215), 2)

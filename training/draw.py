"""Draws boards of no publisher: known geometry, mirrored at random, in invented colours and styles.

They keep the networks from leaning on one artwork.
"""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Board
from training.data import drawn_board, load_raw

LONG_SIDE = 2600
INKS = {
    "black": (48, 45, 45),
    "white": (220, 225, 225),
    "red": (45, 50, 190),
    "blue": (190, 110, 50),
    "green": (60, 160, 110),
    "yellow": (60, 210, 235),
    "orange": (60, 145, 225),
    "purple": (180, 120, 180),
    "gray": (150, 150, 150),
}
Picture = NDArray[np.uint8]


def draw_board(number: int, folder: Path) -> tuple[Board, str, str]:
    """A new board: itself, its picture's path and its facts' path."""
    rng = random.Random(777 + number)
    facts = _mirrored(rng)
    width, height = facts["size"]
    scale = LONG_SIDE / max(width, height)
    picture = _land(number, rng, round(width * scale), round(height * scale))
    picture = _spaces(picture, facts, rng, scale / 1000)
    _cities(picture, facts, rng, scale / 1000)
    _border(picture, rng)
    stem = folder / f"board-{number:03d}"
    cv2.imwrite(str(stem.with_suffix(".jpg")), picture, [cv2.IMWRITE_JPEG_QUALITY, 93])
    facts_path = stem.with_suffix(".facts")
    facts_path.write_text(json.dumps({"map": f"drawn-{number}", **facts}))
    board = drawn_board({"map": f"drawn-{number}", **facts})
    return board, str(stem.with_suffix(".jpg").resolve()), str(facts_path.resolve())


def _mirrored(rng: random.Random) -> dict[str, Any]:
    """A bundled network, flipped either way, every route in a new colour."""
    raw = copy.deepcopy(dict(load_raw(rng.choice(["europe", "usa", "marklin"]))))
    sideways, upside = rng.random() < 0.5, rng.random() < 0.5

    def flip(x: float, y: float) -> tuple[float, float]:
        return (1 - x if sideways else x), (1 - y if upside else y)

    for city in raw["cities"]:
        city["x"], city["y"] = flip(city["x"], city["y"])
    for route in raw["routes"]:
        route["color"] = rng.choice(sorted(INKS))
        turned = -1 if sideways != upside else 1
        route["spaces"] = [[*flip(x, y), turned * angle % 180] for x, y, angle in route["spaces"]]
    width = raw["frame"]["width_mm"] / 1000
    size = [width, width / raw["frame"]["aspect"]]
    length = min(raw["space_size"][0] * width * 1000, rng.uniform(24.5, 27.5))
    space_size = [length / 1000 / width, rng.uniform(8.5, 10.5) / 1000 / size[1]]
    return {"size": size, "space_size": space_size, "cities": raw["cities"], "routes": raw["routes"]}


def _land(number: int, rng: random.Random, width: int, height: int) -> Picture:
    """Land and sea with paper noise, coast lines and stray drawings."""
    dice = np.random.default_rng(number)

    def noise(scale: float, octaves: int) -> NDArray[np.float32]:
        total = np.zeros((height, width), np.float32)
        for octave in range(octaves):
            cells = max(2, int(scale * 2**octave))
            coarse = dice.normal(0, 1, (cells * height // width + 2, cells + 2)).astype(np.float32)
            total += cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC) / 2**octave
        return total

    land, sea = dice.uniform(90, 240, 3), dice.uniform(60, 240, 3)
    shape = noise(rng.uniform(3, 8), 4)
    share = 1 / (1 + np.exp(-np.clip(shape * rng.uniform(3, 40), -50, 50)))[..., None]
    paper = noise(12, 5)[..., None] * rng.uniform(2, 14) + dice.normal(0, rng.uniform(0, 8), (height, width, 1))
    picture = land * share + sea * (1 - share) + paper
    picture[np.abs(shape) < 0.02 * rng.uniform(0, 3)] *= rng.uniform(0.3, 0.9)
    canvas = np.ascontiguousarray(np.clip(picture, 0, 255).astype(np.uint8))
    for _ in range(rng.randint(0, 120)):
        spot = (rng.randrange(width), rng.randrange(height))
        ink = tuple(rng.randrange(256) for _ in range(3))
        kind = rng.random()
        if kind < 0.4:
            end = (spot[0] + rng.randint(-200, 200), spot[1] + rng.randint(-200, 200))
            cv2.line(canvas, spot, end, ink, rng.randint(1, 5), cv2.LINE_AA)
        elif kind < 0.7:
            axes = (rng.randint(5, 70), rng.randint(5, 70))
            cv2.ellipse(canvas, spot, axes, rng.uniform(0, 180), 0, 360, ink, rng.choice([1, 2, 3, -1]), cv2.LINE_AA)
        else:
            text = "RAILWAYS"[: rng.randint(2, 8)]
            cv2.putText(
                canvas, text, spot, cv2.FONT_HERSHEY_COMPLEX, rng.uniform(0.5, 2), ink, rng.randint(1, 3), cv2.LINE_AA
            )
    return canvas


def _spaces(picture: Picture, facts: dict[str, Any], rng: random.Random, mm: float) -> Picture:
    """The spaces in one of four styles: plain, inset, sleepers, framed. `mm` is a millimetre in pixels."""
    height, width = picture.shape[:2]
    inks = {name: [min(255, max(0, c + rng.uniform(-35, 35))) for c in ink] for name, ink in INKS.items()}
    long, wide = facts["space_size"][0] * width, facts["space_size"][1] * height
    style, line = rng.randrange(4), rng.randint(1, 4)
    rim = rng.choice([(30, 30, 30), (90, 80, 70), (235, 235, 230)])
    over = picture.copy()
    for route in facts["routes"]:
        ink = inks[route["color"]]
        for x, y, angle in route["spaces"]:
            centre = (x * width, y * height)
            outline = _box(centre, (long, wide), angle)
            cv2.fillPoly(over, [outline], ink, cv2.LINE_AA, 3)
            if style == 1:
                lighter = [min(255, c * 1.2 + 15) for c in ink]
                cv2.fillPoly(over, [_box(centre, (long * 0.8, wide * 0.5), angle)], lighter, cv2.LINE_AA, 3)
            elif style == 2:
                along = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
                for step in range(-4, 5):
                    sleeper = tuple(np.array(centre) + along * step * long / 9.5)
                    cv2.fillPoly(over, [_box(sleeper, (mm, wide * 0.8), angle)], [c * 0.75 for c in ink], cv2.LINE_AA, 3)
            elif style == 3:
                inner = _box(centre, (long * 0.85, wide * 0.7), angle)
                cv2.polylines(over, [inner], True, [c * 0.6 for c in ink], 2, cv2.LINE_AA, 3)
            thick = line + 3 if route["kind"] == "tunnel" else line
            cv2.polylines(over, [outline], True, rim, thick, cv2.LINE_AA, 3)
    cover = rng.uniform(0.55, 1)
    return np.asarray(cv2.addWeighted(over, cover, picture, 1 - cover, 0), np.uint8)


def _box(centre: tuple[float, ...], size: tuple[float, float], angle: float) -> NDArray[np.int32]:
    """The corners of a turned rectangle in eighths of a pixel."""
    corners = cv2.boxPoints(((float(centre[0]), float(centre[1])), size, angle))
    return np.asarray(np.round(corners * 8), np.int32)


def _cities(picture: Picture, facts: dict[str, Any], rng: random.Random, mm: float) -> None:
    height, width = picture.shape[:2]
    ink = tuple(rng.randrange(256) for _ in range(3))
    radius = rng.uniform(4, 7) * mm
    for city in facts["cities"]:
        spot = (int(city["x"] * width), int(city["y"] * height))
        cv2.circle(picture, spot, int(radius), ink, -1, cv2.LINE_AA)
        cv2.circle(picture, spot, int(radius), (20, 20, 20), 2, cv2.LINE_AA)
        name = city["name"].encode("ascii", "ignore").decode().upper()
        beside = (spot[0] + rng.randint(-60, 20), spot[1] + rng.choice([-1, 1]) * int(9 * mm))
        cv2.putText(picture, name, beside, cv2.FONT_HERSHEY_COMPLEX, 0.8, (20, 20, 20), 2, cv2.LINE_AA)


def _border(picture: Picture, rng: random.Random) -> None:
    height, width = picture.shape[:2]
    thick = int(rng.uniform(0.025, 0.04) * width)
    half = thick // 2
    ink = tuple(rng.randrange(200) for _ in range(3))
    cv2.rectangle(picture, (half, half), (width - half, height - half), ink, thick)
    for step in range(1, 30):
        x, y = step * width // 30, step * height // 30
        for spot in ((x, half), (x, height - half), (half, y), (width - half, y)):
            place = (spot[0] - 15, spot[1] + 10)
            cv2.putText(
                picture, str(rng.randrange(100)), place, cv2.FONT_HERSHEY_SIMPLEX, 0.8, (190, 220, 230), 2, cv2.LINE_AA
            )

"""Draws the tables of render jobs in a second each: flat-shaded solids, soft shadows, glare. Many and varied, if less real.

    python -m training.sketch JOBS/*.json
    python -m training.develop --with ../shared/render JOBS/*.json

It writes what training/render.py writes, so everything after it is the same.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from training.render import COLUMNS, HEIGHTS_MM, ROWS

Array = NDArray[np.float64]
MM = 0.001


@dataclass(frozen=True)
class Part:
    """A convex solid: corners (N, 3) in metres, faces as rings of corner indices seen from outside.

    tone: how much lighter or darker than the piece it belongs to; a recess is a dark film
    """

    corners: Array
    faces: tuple[tuple[int, ...], ...]
    tone: float = 1.0

    def moved(self, turn: Array, place: Array) -> Part:
        return Part(self.corners @ turn.T + place, self.faces, self.tone)


@dataclass(frozen=True)
class Lamp:
    """Light from one side: a direction to it (3,), its colour (3,) as blue, green, red, and how blurred its shadows are."""

    direction: Array
    color: Array
    softness: float


class Camera:
    """A phone above the table that has the whole board in its picture."""

    def __init__(self, rng: np.random.Generator, size: tuple[float, float], tilt: float, res: tuple[int, int]) -> None:
        self.res = res
        self.focal = res[0] / 2 / math.tan(math.radians(rng.uniform(62, 72)) / 2)
        side = math.radians(rng.choice([0, 0, 90, 180, 270]) + rng.uniform(-12, 12) - 90)
        lean = math.radians(tilt)
        backward = np.array([math.sin(lean) * math.cos(side), math.sin(lean) * math.sin(side), math.cos(lean)])
        right = np.array([-math.sin(side), math.cos(side), 0.0])
        self.axes = np.stack([right, np.cross(right, backward), -backward])
        corners = np.array([(x * size[0] / 2, y * size[1] / 2, 0) for x in (-1, 1) for y in (-1, 1)])
        margin = rng.uniform(0.0, 0.06)
        self.middle = np.array([res[0] / 2, res[1] / 2])
        distance, target = 0.35, np.zeros(3)
        for _ in range(400):
            self.place = target + distance * backward
            seen = self.project(corners) / res
            low, high = seen.min(0), seen.max(0)
            off = (low + high) / 2 - 0.5
            target = target + (right * off[0] - np.cross(backward, right) * off[1]) * distance * 0.4 * [1, 1, 0]
            if low.min() > margin and high.max() < 1 - margin:
                break
            distance *= 1.012

    def project(self, points: Array) -> Array:
        seen = (points - self.place) @ self.axes.T
        return np.asarray(seen[:, :2] / seen[:, 2:] * self.focal + self.middle)


def prism(profile: list[tuple[float, float]], length: float, along: float = 0.0) -> Part:
    """A profile (across, up), counter-clockwise seen from the far end, drawn out along a length."""
    count = len(profile)
    ends = [(along + sign * length / 2, y, z) for sign in (-1, 1) for y, z in profile]
    sides = tuple((i, i + count, (i + 1) % count + count, (i + 1) % count) for i in range(count))
    return Part(np.array(ends), (tuple(range(count)), tuple(range(2 * count - 1, count - 1, -1)), *sides))


def block(wide: float, low: float, high: float, length: float, along: float = 0.0, tone: float = 1.0) -> Part:
    solid = prism([(-wide, low), (wide, low), (wide, high), (-wide, high)], length, along)
    return Part(solid.corners, solid.faces, tone)


def coach(rng: np.random.Generator, length: float, width: float) -> list[Part]:
    """A passenger coach: a flat top with a sunken field, and raised skylights in it."""
    top, half = rng.uniform(7, 9.5) * MM, width / 2
    deep, film = rng.uniform(0.45, 0.85), 0.05 * MM
    parts = [block(half, 0, rng.uniform(1, 4) * MM, length), block(half * 0.93, MM, top, length * rng.uniform(0.9, 1))]
    parts.append(block(half * rng.uniform(0.5, 0.75), top, top + film, length * rng.uniform(0.7, 0.86), tone=deep))
    lights = int(rng.integers(1, 4))
    for light in range(lights):
        along = length * 0.66 * ((light + 0.5) / lights - 0.5)
        parts.append(block(half * 0.3, top, top + 0.5 * MM, length * 0.6 / lights, along, rng.uniform(0.9, 1.2)))
    return parts


def boxcar(rng: np.random.Generator, length: float, width: float) -> list[Part]:
    """A goods wagon with ribs and a rounded or flatter roof."""
    top, half = rng.uniform(7.5, 10) * MM, width / 2
    shoulder = top - rng.uniform(0.8, 3) * MM
    body = half * rng.uniform(0.82, 0.98)
    roof = [(body * 0.65, (shoulder + 2 * top) / 3), (0, top), (-body * 0.65, (shoulder + 2 * top) / 3)]
    parts = [block(half, 0, 2 * MM, length)]
    parts.append(
        prism(
            [(-body, 2 * MM), (body, 2 * MM), (body, shoulder), *roof, (-body, shoulder)], length * rng.uniform(0.86, 0.97)
        )
    )
    ribs = int(rng.integers(0, 8))
    for rib in range(ribs):
        parts.append(block(half * 0.99, 1.8 * MM, shoulder * 0.98, 0.6 * MM, length * (-0.4 + 0.8 * (rib + 0.5) / ribs)))
    if rng.random() < 0.6:
        parts.append(block(rng.uniform(0.5, 1.2) * MM, top * 0.95, top + 0.6 * MM, length * 0.85))
    return parts


def taxi(length: float, width: float) -> list[Part]:
    half = width / 2
    cabin = [(-0.84 * half, 3.5 * MM), (0.84 * half, 3.5 * MM), (0.68 * half, 7 * MM), (-0.68 * half, 7 * MM)]
    return [block(half, 0, 3.5 * MM, length), prism(cabin, length * 0.5), block(MM, 7 * MM, 8 * MM, 3 * MM)]


def station() -> list[Part]:
    half = 6.5 * MM
    roof = [(-1.05 * half, 7 * MM), (1.05 * half, 7 * MM), (0, 11 * MM)]
    tower = [(-2.5 * MM, 0), (2.5 * MM, 0), (2.5 * MM, 15 * MM), (0, 18 * MM), (-2.5 * MM, 15 * MM)]
    return [block(half, 0, 7 * MM, 2 * half), prism(roof, 2 * half), prism(tower, 5 * MM, half * 0.5)]


def sketch(job: dict[str, Any]) -> None:
    """Writes OUT.png and OUT.png.cam.json."""
    rng = np.random.default_rng(job["seed"])
    width, height = job["board_size"]
    camera = Camera(rng, (width, height), job["tilt"], tuple(job["res"]))
    lamps = [_lamp(rng, job["hard"]) for _ in range(rng.integers(1, 4))]
    around = np.full(3, rng.uniform(0.3, 0.75)) * np.exp(rng.normal(0, 0.06, 3))
    flat = around + sum(lamp.color * lamp.direction[2] for lamp in lamps)
    picture = _ground(rng, job, camera) * flat
    pieces = _pieces(rng, job)
    for lamp in lamps:
        picture *= 1 - (1 - _reached(pieces, lamp, camera)) * lamp.color * lamp.direction[2] / flat
    canvas = np.clip(_gamma(picture) * 255, 0, 255).astype(np.uint8)
    for parts, color in sorted(pieces, key=lambda piece: -_distance(piece[0], camera)):
        gloss = rng.uniform(0.1, 0.6)
        for part in parts:
            _draw(canvas, part, np.minimum(color * part.tone, 1), gloss, lamps, around, camera)
    canvas = _glare(rng, canvas, lamps, camera, job["hard"])
    cv2.imwrite(job["out"], canvas.astype(np.uint16) * 257)
    grids = {str(mm): camera.project(_grid(width, height, mm * MM)).round(3).tolist() for mm in HEIGHTS_MM}
    corners = camera.project(np.array([(x * width / 2, y * height / 2, 0) for x, y in ((-1, 1), (1, 1), (1, -1), (-1, -1))]))
    told = {"corners": corners.tolist(), "grid": [COLUMNS, ROWS], "grids": grids}
    Path(job["out"] + ".cam.json").write_text(json.dumps(told))


def _linear(color: Any) -> Array:
    """Red, green, blue as blue, green, red of light."""
    return np.asarray((np.asarray(color, float)[::-1] / 255) ** 2.2)


def _gamma(light: Array) -> Array:
    return np.asarray(np.clip(light, 0, 1) ** (1 / 2.2))


def _lamp(rng: np.random.Generator, hard: bool) -> Lamp:
    side, lean = rng.uniform(0, 2 * math.pi), math.radians(rng.uniform(5, 60))
    direction = np.array([math.sin(lean) * math.cos(side), math.sin(lean) * math.sin(side), math.cos(lean)])
    color = rng.uniform(0.15, 0.6) * np.exp(rng.normal(0, 0.12) * np.array([-1, 0, 1]))
    return Lamp(direction, color, rng.uniform(0.3, 1.2) if hard else rng.uniform(1.5, 6))


def _ground(rng: np.random.Generator, job: dict[str, Any], camera: Camera) -> Array:
    """The table, cards around the board, and the board's print, all as reflected light (h, w, 3)."""
    columns, rows = camera.res
    base = _linear((rng.uniform(30, 230) + rng.normal(0, 25, 3)).clip(0, 255))
    grain = cv2.resize(rng.normal(1, 0.25, (rng.integers(8, 60), rng.integers(8, 60))), (columns, rows))
    picture = base * grain.clip(0.3, 2)[..., None]
    width, height = job["board_size"]
    for _ in range(rng.integers(3, 10)):
        around = rng.uniform(0, 2 * math.pi)
        middle = np.array([math.cos(around) * (width / 2 + 0.09), math.sin(around) * (height / 2 + 0.09)]).clip(
            [-width / 2 - 0.09, -height / 2 - 0.09], [width / 2 + 0.09, height / 2 + 0.09]
        )
        card = cv2.boxPoints((middle.tolist(), (0.044, 0.068), rng.uniform(0, 360)))
        outline = camera.project(np.column_stack([card, np.zeros(4)]))
        cv2.fillConvexPoly(picture, np.int32(outline), _linear(rng.uniform(30, 240, 3)).tolist())
    texture = cv2.imread(job["texture"])
    shrink = 2400 / max(texture.shape)
    if shrink < 1:
        texture = cv2.resize(texture, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    corners = np.array([(-width / 2, height / 2, 0), (width / 2, height / 2, 0), (width / 2, -height / 2, 0)])
    corners = np.vstack([corners, (-width / 2, -height / 2, 0)])
    across, down = texture.shape[1], texture.shape[0]
    frame = np.array([(0, 0), (across, 0), (across, down), (0, down)], np.float32) - 0.5
    move = cv2.getPerspectiveTransform(frame, camera.project(corners).astype(np.float32) - 0.5)
    fold = max(1, round(0.7 * across / np.ptp(camera.project(corners)[:, 0])))
    soft = cv2.GaussianBlur(texture, (0, 0), 0.35 * fold) if fold > 1 else texture
    laid = cv2.warpPerspective((soft / 255) ** 2.2, move, camera.res, flags=cv2.INTER_LINEAR)
    inside = cv2.warpPerspective(np.ones((down, across)), move, camera.res)[..., None]
    return np.asarray(picture * (1 - inside) + laid * inside)


def _pieces(rng: np.random.Generator, job: dict[str, Any]) -> list[tuple[list[Part], Array]]:
    """All solids on the board with their colours."""
    width, height = job["board_size"]
    jitter = job["jitter"]
    length, wide = job["wagon_size"]
    wagon = coach if rng.random() < 0.5 else boxcar
    shape = taxi(length, wide) if job["wagon"] == "taxi" else wagon(rng, length, wide)
    house = station()
    disc = [(6 * MM * math.cos(k * math.pi / 6), 6 * MM * math.sin(k * math.pi / 6)) for k in range(12)]
    marker = Part(prism(disc, 9 * MM, 4.5 * MM).corners[:, [1, 2, 0]], prism(disc, 9 * MM).faces)
    tones = {
        name: _linear(np.clip(np.array(tone) + rng.uniform(-10, 10, 3), 0, 255)) for name, tone in job["colors"].items()
    }
    pieces = []
    for spot in job["spaces"]:
        angle = -spot["angle"]
        along, across = (
            spot.get("along", 0) + rng.normal(0, 0.0009 * jitter),
            spot.get("across", 0) + rng.normal(0, 0.0009 * jitter),
        )
        place = np.array([(spot["u"] - 0.5) * width, (0.5 - spot["v"]) * height, 0.0])
        place[:2] += (math.cos(angle) * along - math.sin(angle) * across, math.sin(angle) * along + math.cos(angle) * across)
        turn = _about_z(angle + rng.normal(0, math.radians(3) * jitter))
        if spot.get("side"):
            turn = turn @ np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
            place[2] += wide / 2
        pieces.append(([part.moved(turn, place) for part in shape], tones[spot["color"]]))
    for spot in job["stations"]:
        place = np.array([(spot["u"] - 0.5) * width, (0.5 - spot["v"]) * height, spot.get("z", 0.0)])
        place[:2] += rng.normal(0, 0.0012 * jitter, 2)
        turn = _about_z(rng.uniform(0, 2 * math.pi))
        pieces.append(([part.moved(turn, place) for part in house], tones[spot["color"]]))
    for spot in job["markers"]:
        place = np.array([(spot["u"] - 0.5) * width, (0.5 - spot["v"]) * height, 0.0])
        pieces.append(([marker.moved(np.eye(3), place)], tones[spot["color"]]))
    return pieces


def _about_z(angle: float) -> Array:
    cos, sin = math.cos(angle), math.sin(angle)
    return np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1.0]])


def _distance(parts: list[Part], camera: Camera) -> float:
    low = parts[0].corners.mean(0)
    return float(np.linalg.norm(low * [1, 1, 0] - camera.place)) - 3 * float(low[2])


def _reached(pieces: list[tuple[list[Part], Array]], lamp: Lamp, camera: Camera) -> Array:
    """How much of the lamp's light (h, w, 1) reaches every spot of the board."""
    mask = np.zeros((camera.res[1], camera.res[0]), np.uint8)
    slant = lamp.direction[:2] / lamp.direction[2]
    for parts, _ in pieces:
        corners = np.vstack([part.corners for part in parts])
        fallen = np.column_stack([corners[:, :2] - corners[:, 2:] * slant, np.zeros(len(corners))])
        outline = cv2.convexHull(camera.project(fallen).astype(np.float32))
        cv2.fillConvexPoly(mask, np.int32(outline * 16), 255, cv2.LINE_AA, 4)
    soft = cv2.GaussianBlur(mask, (0, 0), lamp.softness * camera.res[0] / 1400)
    return np.asarray(1 - soft[..., None] / 255.0)


def _draw(
    canvas: NDArray[np.uint8], part: Part, color: Array, gloss: float, lamps: list[Lamp], around: Array, camera: Camera
) -> None:
    """The faces of a solid that look towards the camera, each in one shade."""
    seen = camera.project(part.corners)
    for face in part.faces:
        a, b, c = part.corners[list(face[:3])]
        normal = np.cross(b - a, c - b)
        normal /= np.linalg.norm(normal) + 1e-12
        towards = camera.place - a
        if normal @ towards <= 0:
            continue
        towards = towards / np.linalg.norm(towards)
        light = color * around * (0.75 + 0.25 * normal[2])
        for lamp in lamps:
            light = light + color * lamp.color * max(0.0, float(normal @ lamp.direction))
            middle = lamp.direction + towards
            shine = max(0.0, float(normal @ middle) / float(np.linalg.norm(middle))) ** 40
            light = light + gloss * shine * lamp.color
        shade = (_gamma(light) * 255).tolist()
        cv2.fillConvexPoly(canvas, np.int32(np.round(seen[list(face)] * 16)), shade, cv2.LINE_AA, 4)


def _glare(
    rng: np.random.Generator, canvas: NDArray[np.uint8], lamps: list[Lamp], camera: Camera, hard: bool
) -> NDArray[np.uint8]:
    """Lamps mirrored in the board's varnish."""
    picture = canvas.astype(np.float32)
    rows, columns = np.mgrid[: canvas.shape[0], : canvas.shape[1]].astype(np.float32)
    for lamp in lamps:
        if rng.random() < 0.6:
            continue
        spot = camera.project(np.append(rng.uniform(-0.4, 0.4, 2), 0.0)[None])[0]
        reach = rng.uniform(0.03, 0.12 if hard else 0.35) * camera.res[0]
        veil = (
            np.exp(-((columns - spot[0]) ** 2 + (rows - spot[1]) ** 2) / (2 * reach**2))
            * rng.uniform(8, 60)
            * (2 if hard else 1)
        )
        picture += veil[..., None] * (lamp.color / lamp.color.max()).astype(np.float32)
    return np.clip(picture, 0, 255).astype(np.uint8)


def _grid(width: float, height: float, up: float) -> Array:
    x, y = np.meshgrid(np.linspace(-width / 2, width / 2, COLUMNS), np.linspace(height / 2, -height / 2, ROWS))
    return np.column_stack([x.ravel(), y.ravel(), np.full(x.size, up)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", nargs="+", type=Path)
    for path in parser.parse_args().jobs:
        job = json.loads(path.read_text())
        if not Path(job["out"]).with_suffix(".jpg").exists():
            sketch(job)


if __name__ == "__main__":
    main()

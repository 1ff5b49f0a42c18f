"""Turns a network found on a board never seen into the two files of a map folder."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.detect import Found, find_network
from calibration.editing import slug
from calibration.names import can_read, read_names, upright_score, without_spaces
from calibration.outline import Outline, edges_around, find_outlines
from calibration.printed import printed_colors
from calibration.rectangles import Pixels
from calibration.register import project
from calibration.scan import Progress, Scan, check_sharp, scan
from calibration.signature import flatten
from companion.errors import CalibrationError
from companion.vision.photo import Photo

Floats = NDArray[np.float64]

FLAT_LONG_SIDE = 1500
_LONGER = {7: 18, 8: 21, 9: 27}
_USUAL_SPACE_MM = 26.0


def invent(
    photo: Photo, name: str, rules: dict[str, Any], corners: Floats | None, progress: Progress
) -> tuple[dict[str, Any], Pixels]:
    """A draft of board.json for an unknown board, and its picture from straight above."""
    check_sharp(photo.pixels)
    progress("Looking for the board")
    looked = _look(photo, corners, progress)
    progress("Chaining spaces into routes")
    found = find_network(looked)
    turns = 0
    if corners is None and can_read():
        progress("Turning the board the right way up")
        turns = _upright(photo, looked)
    flat, cities, rows, width = _turned(photo, looked, found, turns)
    labels: list[tuple[str, float]] = [("", 0.0)] * len(cities)
    if can_read():
        progress("Reading city names")
        length = looked.length * width / looked.width
        labels = read_names(without_spaces(flat, _boxes(rows, length, width)), cities, width)
    return _draft(name, rules, looked, found, flat, cities, rows, labels, width), flat


def _look(photo: Photo, corners: Floats | None, progress: Progress) -> Scan:
    """The board straightened and searched for spaces; of several outlines the one that holds the most."""
    outlines = [Outline(corners, 1.0)] if corners is not None else find_outlines(photo.pixels)[:2]
    best: Scan | None = None
    for outline in outlines:
        progress("Looking for spaces")
        seen = scan(photo.pixels, outline.corners, _aspect(outline.corners))
        if seen is None:
            continue
        if corners is None and not outline.whole:
            seen = _reframed(photo, seen) or seen
        if best is None or _strength(seen) > 1.25 * _strength(best):
            best = seen
        if outline.clear > 0.5 or outline.whole:
            break
    if best is None:
        raise CalibrationError("No spaces were found; show the whole empty board from above, or give its corners.")
    return best


def _strength(seen: Scan) -> float:
    return float(np.sort(seen.found.scores)[-150:].sum())


def _reframed(photo: Photo, seen: Scan) -> Scan | None:
    """The scan again, with the board's edges looked for around the spaces, lest the outline be the table's."""
    good = seen.found.centres[: max(30, len(seen.found) // 6)]
    low, high = np.quantile(good, 0.01, axis=0), np.quantile(good, 0.99, axis=0)
    inner = np.array([low, [high[0], low[1]], high, [low[0], high[1]]])
    box = inner + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 4 * seen.width
    found = edges_around(photo.pixels, project(seen.to_photo, box), project(seen.to_photo, inner), 0.08)
    return scan(photo.pixels, found.corners, _aspect(found.corners)) if found is not None else None


def _aspect(corners: Floats) -> float:
    """Width divided by height of the rectangle seen as these corners, from its sides."""
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    across, down = float(np.sqrt(sides[0] * sides[2])), float(np.sqrt(sides[1] * sides[3]))
    return float(np.clip(across / down, 0.3, 3.3))


def _upright(photo: Photo, looked: Scan) -> int:
    """By how many quarter turns the board must be turned for its names to read."""
    wide, high = looked.size
    flat = flatten(photo.pixels, looked.corners, wide / high, 1500)
    scores = [upright_score(np.ascontiguousarray(np.rot90(flat, -turns))) for turns in range(4)]
    return int(np.argmax(scores)) if max(scores) > 1.3 * scores[0] else 0


def _turned(photo: Photo, looked: Scan, found: Found, turns: int) -> tuple[Pixels, Floats, list[Floats], float]:
    """The straightened picture the right way up, with cities, spaces and a space's width in its pixels."""
    wide, high = looked.size
    flat = flatten(photo.pixels, looked.corners, wide / high, FLAT_LONG_SIDE)
    scale = flat.shape[1] / wide
    cities = found.cities * scale
    rows = [np.column_stack([row.spaces[:, :2] * scale, row.spaces[:, 2]]) for row in found.rows]
    for _ in range(turns):
        height = flat.shape[0]
        flat = np.ascontiguousarray(np.rot90(flat, -1))
        cities = np.column_stack([height - 1 - cities[:, 1], cities[:, 0]])
        rows = [np.column_stack([height - 1 - row[:, 1], row[:, 0], (row[:, 2] + 90) % 180]) for row in rows]
    return flat, cities, rows, looked.width * scale


def _boxes(rows: list[Floats], length: float, width: float) -> list[NDArray[np.int32]]:
    spaces = np.concatenate(rows)
    return [np.asarray(cv2.boxPoints(((x, y), (1.12 * length, 1.35 * width), a)), np.int32) for x, y, a in spaces]


def _draft(
    name: str,
    rules: dict[str, Any],
    looked: Scan,
    found: Found,
    flat: Pixels,
    cities: Floats,
    rows: list[Floats],
    labels: list[tuple[str, float]],
    width: float,
) -> dict[str, Any]:
    """The board's file."""
    size = np.array([flat.shape[1], flat.shape[0]])
    ids = _ids(labels)
    length = looked.length * width / looked.width
    raw_cities: list[dict[str, Any]] = []
    for city_id, (label, sure), spot, disc in zip(ids, labels, (cities + 0.5) / size, found.city_sure, strict=True):
        shown = label.title() if label.isupper() else label
        raw_cities.append(
            {
                "id": city_id,
                "name": shown or city_id.replace("-", " ").title(),
                **({"printed": label} if label else {}),
                "x": round(float(np.clip(spot[0], 0, 1)), 5),
                "y": round(float(np.clip(spot[1], 0, 1)), 5),
                "sure": round(float(min(disc, sure if label else 0.2)), 2),
            }
        )
    colors, color_sure = printed_colors(
        np.array([row.tint for row in found.rows]) / np.array([1, 1.3, 1.3]), np.array([len(row) for row in rows], np.intp)
    )
    routes = [
        {
            "a": ids[row.a],
            "b": ids[row.b],
            "length": len(places),
            "color": color,
            "kind": "normal",
            "spaces": [[float(x), float(y), float(angle)] for x, y, angle in places],
            "sure": round(float(min(row.sure, 0.4 + 0.6 * certain)), 2),
        }
        for row, places, color, certain in zip(found.rows, rows, colors, color_sure, strict=True)
    ]
    lengths = {len(places) for places in rows}
    points = {
        **rules["rules"]["points"],
        **{str(n): _LONGER.get(n, 3 * n) for n in lengths if str(n) not in rules["rules"]["points"]},
    }
    return {
        "format": rules["format"],
        "map": slug(name, "my-board"),
        "name": name.strip()[:100] or "My board",
        "frame": {
            "aspect": round(float(size[0] / size[1]), 4),
            "width_mm": round(float(np.clip(_USUAL_SPACE_MM / length * size[0], 60, 4900))),
        },
        "space_size": [round(1.08 * length / float(size[0]), 5), round(1.25 * width / float(size[1]), 5)],
        "palette": rules["palette"],
        "missing": ["A draft from one photo: its names, routes and tickets want checking."],
        "rules": {**rules["rules"], "points": points},
        "cities": raw_cities,
        "routes": _named(routes, {c["id"]: (c["x"] * size[0], c["y"] * size[1]) for c in raw_cities}, size),
    }


def _ids(labels: list[tuple[str, float]]) -> list[str]:
    """An id a city, numbered where there is no name, and where a name occurs twice."""
    ids: list[str] = []
    for number, (label, _) in enumerate(labels, 1):
        city_id = slug(label, f"city-{number}")
        while city_id in ids:
            city_id = f"{city_id}-{number}"
        ids.append(city_id)
    return ids


def _named(
    routes: list[dict[str, Any]], places: dict[str, tuple[float, float]], size: NDArray[np.int_]
) -> list[dict[str, Any]]:
    """Routes with their ids: ends in order of the alphabet, lanes counted from the left."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for route in routes:
        if route["a"] > route["b"]:
            route["a"], route["b"], route["spaces"] = route["b"], route["a"], route["spaces"][::-1]
        groups.setdefault((route["a"], route["b"]), []).append(route)
    named = []
    for (a, b), lanes in sorted(groups.items()):
        way = np.array(places[b]) - np.array(places[a])

        def right(route: dict[str, Any], way: Floats = way, a: str = a) -> float:
            off = np.mean([space[:2] for space in route["spaces"]], axis=0) - np.array(places[a])
            return float(way[0] * off[1] - way[1] * off[0])

        for number, route in enumerate(sorted(lanes, key=right), 1):
            lane = {"lane": number} if len(lanes) > 1 else {}
            route["id"] = f"{a}-{b}" + (f"-{number}" if lane else "")
            route["spaces"] = [
                [
                    round(float(np.clip((x + 0.5) / size[0], 0, 1)), 5),
                    round(float(np.clip((y + 0.5) / size[1], 0, 1)), 5),
                    round(angle, 1),
                ]
                for x, y, angle in route["spaces"]
            ]
            named.append({"id": route["id"], **lane, **{key: value for key, value in route.items() if key != "id"}})
    return named

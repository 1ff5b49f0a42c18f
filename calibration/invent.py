"""Turns a network found on a board never seen into the two files of a map folder."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.detect import Found, find_network
from calibration.editing import slug
from calibration.frame import marks_in, outline_of, seen_aspect
from calibration.letters import can_read
from calibration.names import page_of, read_names, way_up
from calibration.printed import printed_colors
from calibration.rectangles import Pixels
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
    looked = _look(photo, corners, progress)
    progress("Chaining spaces into routes")
    found = find_network(looked)
    fine, share = _fine(photo, looked)
    labels: list[tuple[str, float]] = [("", 0.0)] * len(found.cities)
    turns = 0
    if can_read():
        progress("Turning the board the right way up")
        boxes = _boxes(found, looked, share)
        page = page_of(fine, boxes, (found.cities + 0.5) * share - 0.5, looked.width * share, looked.marks.words)
        turns, light = way_up(page, (0,) if corners is not None else (0, 1, 2, 3))
        progress("Reading city names")
        page = page.turned(turns)
        labels = read_names(page.inverted() if light else page)
    flat, cities, rows, width = _turned(photo, looked, found, turns)
    return _draft(name, rules, looked, found, flat, cities, rows, labels, width), flat


def _look(photo: Photo, corners: Floats | None, progress: Progress) -> Scan:
    """The board straightened and searched for spaces."""
    if corners is None:
        progress("Looking for the board")
        marks = marks_in(photo.pixels)
        outline = outline_of(photo.pixels, marks) if marks is not None else None
        corners = outline.corners if outline is not None else None
    if corners is not None:
        progress("Looking for spaces")
        aspect = float(np.clip(seen_aspect(corners, photo.size), 0.3, 3.3))
        if (seen := scan(photo.pixels, corners, aspect)) is not None:
            return seen
    raise CalibrationError("No spaces were found; show the whole empty board from above, or give its corners.")


def _fine(photo: Photo, looked: Scan) -> tuple[Pixels, float]:
    """The board straightened as large as the photo shows it, for its letters, and how much larger than the scan that is."""
    wide, high = looked.size
    sides = np.linalg.norm(np.roll(looked.corners, -1, axis=0) - looked.corners, axis=1)
    flat = flatten(photo.pixels, looked.corners, wide / high, int(np.clip(sides.max(), 2400, 3600)))
    return flat, flat.shape[1] / wide


def _turned(photo: Photo, looked: Scan, found: Found, turns: int) -> tuple[Pixels, Floats, list[Floats], float]:
    """The straightened picture the right way up, with cities, spaces and a space's width in its pixels."""
    wide, high = looked.size
    flat = flatten(photo.pixels, looked.corners, wide / high, FLAT_LONG_SIDE)
    scale = flat.shape[1] / wide
    cities = (found.cities + 0.5) * scale - 0.5
    rows = [np.column_stack([(row.spaces[:, :2] + 0.5) * scale - 0.5, row.spaces[:, 2]]) for row in found.rows]
    for _ in range(turns):
        height = flat.shape[0]
        flat = np.ascontiguousarray(np.rot90(flat, -1))
        cities = np.column_stack([height - 1 - cities[:, 1], cities[:, 0]])
        rows = [np.column_stack([height - 1 - row[:, 1], row[:, 0], (row[:, 2] + 90) % 180]) for row in rows]
    return flat, cities, rows, looked.width * scale


def _boxes(found: Found, looked: Scan, share: float) -> list[NDArray[np.int32]]:
    """Every space as a polygon of the enlarged picture."""
    # A little more than a space, for its outline.
    size = 1.02 * looked.length * share, 1.06 * looked.width * share
    spaces = np.concatenate([row.spaces for row in found.rows])
    spaces[:, :2] = (spaces[:, :2] + 0.5) * share - 0.5
    return [np.asarray(cv2.boxPoints(((x, y), size, angle)), np.int32) for x, y, angle in spaces]


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
        np.array([row.tint for row in found.rows]) / np.array([1, 1.3, 1.3]),
        np.array([len(row) for row in rows], np.intp),
        np.array([row[:, :2].mean(axis=0) for row in rows]) / size,
    )
    routes = [
        {
            "a": ids[row.a],
            "b": ids[row.b],
            "length": len(places),
            "color": color,
            "kind": row.kind,
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
        "space_size": [round(length / float(size[0]), 5), round(width / float(size[1]), 5)],
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

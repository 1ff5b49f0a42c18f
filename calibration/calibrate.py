"""From the photo of an empty board to a map folder: the whole walk, for the command and the app."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.align import Alignment, align
from calibration.editing import UNSURE, slug
from calibration.emptiness import check_empty
from calibration.folder import check_free, write_folder
from calibration.invent import invent
from calibration.rectangles import Pixels
from calibration.scan import Progress
from companion.art import space_corners
from companion.board import Board, board_from
from companion.errors import BoardError, CalibrationError
from companion.lettering import draw_word, put_word
from companion.vision.photo import read_photo

Floats = NDArray[np.float64]

FINE = 4000
"""The long side of a photo whose letters are read."""


@dataclass(frozen=True)
class Calibrated:
    """A finished calibration: the board, its straightened picture, and what a person should look at."""

    board: Board
    flat: Pixels
    unsure: tuple[str, ...]

    def summary(self) -> str:
        board = self.board
        lines = [f"{board.name}: {len(board.cities)} cities, {len(board.routes)} routes, {len(board.spaces)} spaces."]
        if self.unsure:
            lines.append(f"Please check {len(self.unsure)}: {', '.join(self.unsure)}.")
        else:
            lines.append("All of them are sure.")
        return "\n".join(lines) + "\n"


def calibrate_like(source: str | Path, known: Board, out: Path, corners: Floats | None, progress: Progress) -> Calibrated:
    """Learn another print of a known board; corners are pixels of the full upright photo, as printed."""
    check_free(out)
    photo = read_photo(source)
    aligned = align(photo, known, None if corners is None else photo.from_full(corners), progress)
    raw, cards = _files(known)
    raw = _with_geometry(raw, known, aligned)
    raw["map"] = slug(out.name, f"my-{known.id}")
    raw["name"] = known.name if raw["map"] == known.id else f"{known.name} ({out.name[:40]})"
    raw["like"] = known.id
    board = board_from(raw, cards)
    check_empty(aligned.flat, board)
    progress("Measuring the print")
    write_folder(out, raw, cards, aligned.flat)
    return Calibrated(board, aligned.flat, tuple(_doubts(raw)))


def calibrate_new(
    source: str | Path, name: str, rules: Board, out: Path, corners: Floats | None, progress: Progress
) -> Calibrated:
    """Draft the map of a board never seen, with the points and rules of a known one."""
    check_free(out)
    if not name.strip():
        raise CalibrationError("Give the new board a name, like --new 'My Island'.")
    photo = read_photo(source, FINE)
    known, _ = _files(rules)
    raw, flat = invent(photo, name, known, None if corners is None else photo.from_full(corners), progress)
    cards = {"variants": [_plain_variant()], "tickets": []}
    board = board_from(raw, cards)
    progress("Measuring the print")
    write_folder(out, raw, cards, flat)
    return Calibrated(board, flat, tuple(_doubts(raw)))


def _plain_variant() -> dict[str, Any]:
    setup = {"deal": [{"cards": "any", "count": 3}], "keep": 2, "draw": 3, "draw_keep": 1}
    return {"id": "classic", "name": "Classic", "deck": [{}], "setup": setup}


def _files(board: Board) -> tuple[dict[str, Any], dict[str, Any]]:
    if board.folder is None:
        raise BoardError("This board has no folder to copy its network from; choose another.")
    texts = [(board.folder / name).read_text(encoding="utf-8") for name in ("board.json", "tickets.json")]
    return json.loads(texts[0]), json.loads(texts[1])


def _with_geometry(raw: dict[str, Any], known: Board, aligned: Alignment) -> dict[str, Any]:
    """The known board's file with everything where this print has it."""
    raw = copy.deepcopy(raw)
    raw["frame"] = {**raw["frame"], "aspect": round(aligned.aspect, 4), "width_mm": round(aligned.width_mm, 1)}
    raw["space_size"] = [round(share, 5) for share in aligned.space_size]
    for city, (x, y), sure in zip(raw["cities"], aligned.cities, aligned.city_sure, strict=True):
        city.update(x=round(float(x), 5), y=round(float(y), 5), sure=round(float(sure), 2))
    number = 0
    for route in raw["routes"]:
        places = aligned.spaces[number : number + len(route["spaces"])]
        route["spaces"] = [[round(float(x), 5), round(float(y), 5), round(float(angle), 1)] for x, y, angle in places]
        route["sure"] = round(float(aligned.space_sure[number : number + len(places)].min()), 2)
        number += len(places)
    return raw


def _doubts(raw: dict[str, Any]) -> list[str]:
    """The cities and routes that a person should look at."""
    return [one["id"] for one in (*raw["cities"], *raw["routes"]) if one.get("sure", 1.0) < UNSURE]


def overlay(made: Calibrated, width: int = 1600) -> Pixels:
    """The straightened board with every space, city and name that was placed; doubts in red."""
    board = made.board
    height = round(width / board.aspect)
    picture = np.asarray(cv2.resize(made.flat, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    line = max(2, width // 700)
    for route in board.routes.values():
        color = (60, 60, 235) if route.id in made.unsure else (90, 220, 70)
        for space in route.spaces:
            box = np.round(space_corners(space, board, width)).astype(np.int32)
            cv2.polylines(picture, [box], True, (255, 255, 255), line + 2, cv2.LINE_AA)
            cv2.polylines(picture, [box], True, color, line, cv2.LINE_AA)
        ends = [[board.cities[end].x, board.cities[end].y] for end in route.ends]
        spots = [ends[0], *([space.x, space.y] for space in route.spaces), ends[1]]
        row = np.round(np.array(spots) * [width, height]).astype(np.int32)
        cv2.polylines(picture, [row], False, color, max(1, line // 2), cv2.LINE_AA)
    for city in board.cities.values():
        color = (60, 60, 235) if city.id in made.unsure else (200, 60, 160)
        spot = round(city.x * width), round(city.y * height)
        cv2.circle(picture, spot, width // 130, (255, 255, 255), line + 2, cv2.LINE_AA)
        cv2.circle(picture, spot, width // 130, color, line, cv2.LINE_AA)
        word = draw_word(city.name, width / 130)
        put_word(picture, word, (spot[0], spot[1] + width / 75), (40, 20, 20), (255, 255, 255), line + 1)
    return picture

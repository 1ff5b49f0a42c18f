"""Pictures of what was read: the straightened board with its owners drawn on, and close-ups of doubts."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.board import Board, Route
from companion.errors import CompanionError, reason
from companion.vision.locate import Placement
from companion.vision.photo import Photo
from companion.vision.read import Reading

Pixels = NDArray[np.uint8]

DOUBT = (60, 60, 235)
INK = (30, 25, 20)


def straightened(photo: Photo, placement: Placement, board: Board, width: int = 1600) -> Pixels:
    """The board in a photo as seen from straight above, `width` pixels wide."""
    height = round(width / board.aspect)
    return _window(photo, placement, (0.0, 0.0, 1.0, 1.0), (width, height))


def closeup(photo: Photo, placement: Placement, board: Board, thing: str, width: int = 480) -> Pixels:
    """The part of the photo around a route or city, straightened."""
    route = board.routes.get(thing)
    if route:
        spots = [(space.x, space.y) for space in route.spaces]
        spots += [(board.cities[end].x, board.cities[end].y) for end in route.ends]
    else:
        spots = [(board.cities[thing].x, board.cities[thing].y)]
    low, high = np.min(spots, axis=0), np.max(spots, axis=0)
    pad = np.array([25.0, 25.0 * board.aspect]) / board.width_mm
    box = (*np.maximum(low - pad, 0), *np.minimum(high + pad, 1))
    across, down = box[2] - box[0], (box[3] - box[1]) / board.aspect
    return _window(photo, placement, box, (width, max(1, round(width * down / across))))


def _window(photo: Photo, placement: Placement, box: tuple[float, ...], size: tuple[int, int]) -> Pixels:
    """A part of the board (left, top, right, bottom in fractions) as a picture of (width, height)."""
    width, height = size
    columns, rows = 48, 36
    across = box[0] + (box[2] - box[0]) * np.linspace(0, 1, columns)
    down = box[1] + (box[3] - box[1]) * np.linspace(0, 1, rows)
    grid = placement.project(np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2))
    spots = grid.reshape(rows, columns, 2).astype(np.float32)
    where_x = np.linspace(0, columns - 1, width, dtype=np.float32)
    where_y = np.linspace(0, rows - 1, height, dtype=np.float32)
    fine = cv2.remap(spots, *np.meshgrid(where_x, where_y), cv2.INTER_LINEAR)
    return np.asarray(cv2.remap(photo.pixels, fine, None, cv2.INTER_AREA), np.uint8)


def overlay(reading: Reading, board: Board, width: int = 1600) -> Pixels:
    """The straightened board with every claim and station drawn in its owner's colour, doubts ringed."""
    sight = reading.sights[0]
    picture = straightened(sight.photo, sight.placement, board, width)
    size = np.array([width, picture.shape[0]])
    thick = max(2, width // 500)
    for route_id, color in reading.claims.items():
        for box in _boxes(board, board.routes[route_id], size):
            cv2.polylines(picture, [box], True, (255, 255, 255), thick + 3, cv2.LINE_AA)
            cv2.polylines(picture, [box], True, _bgr(board, color), thick, cv2.LINE_AA)
    for city, color in reading.stations.items():
        spot = (np.array([board.cities[city].x, board.cities[city].y]) * size).round().astype(int)
        cv2.circle(picture, _point(spot), width // 70, (255, 255, 255), thick + 4, cv2.LINE_AA)
        cv2.circle(picture, _point(spot), width // 70, _bgr(board, color), thick + 1, cv2.LINE_AA)
    for number, doubt in enumerate(reading.uncertain, 1):
        _ring(picture, board, doubt.id, number, size)
    return picture


def save_picture(picture: Pixels, path: Path) -> None:
    """Write a picture; its name's ending says in which form."""
    try:
        good, data = cv2.imencode(path.suffix or ".png", picture)
    except cv2.error:
        good = False
    if not good:
        raise CompanionError("A picture cannot be saved as '{file}': use a name that ends in .png or .jpg.", file=path.name)
    try:
        path.write_bytes(data.tobytes())
    except OSError as error:
        raise CompanionError(
            "{path} cannot be written ({reason}); choose another place.", path=path, reason=reason(error)
        ) from error


def _boxes(board: Board, route: Route, size: NDArray[np.int_]) -> list[NDArray[np.int32]]:
    """The outline of each space of a route, in pixels."""
    half = np.array([board.space_size[0] * size[0], board.space_size[1] * size[1]]) / 2
    boxes = []
    for space in route.spaces:
        centre = np.array([space.x, space.y]) * size
        turn = np.radians(space.angle)
        along = np.array([np.cos(turn), np.sin(turn)]) * half[0]
        aside = np.array([-np.sin(turn), np.cos(turn)]) * half[1]
        corners = [centre + along + aside, centre + along - aside, centre - along - aside, centre - along + aside]
        boxes.append(np.round(corners).astype(np.int32))
    return boxes


def _ring(picture: Pixels, board: Board, thing: str, number: int, size: NDArray[np.int_]) -> None:
    """A numbered ring around a doubt."""
    route = board.routes.get(thing)
    places = route.spaces if route else (board.cities[thing],)
    spots = np.array([[place.x, place.y] for place in places]) * size
    centre, radius = cv2.minEnclosingCircle(spots.astype(np.float32))
    reach = round(radius + size[0] / 45)
    thick = max(2, size[0] // 500)
    middle = _point(np.round(centre).astype(int))
    cv2.circle(picture, middle, reach, (255, 255, 255), thick + 3, cv2.LINE_AA)
    cv2.circle(picture, middle, reach, DOUBT, thick, cv2.LINE_AA)
    label = (middle[0] + round(reach * 0.7), max(14, middle[1] - round(reach * 0.7)))
    cv2.circle(picture, label, size[0] // 90, DOUBT, -1, cv2.LINE_AA)
    text = str(number)
    scale = size[0] / 2400
    (wide, high), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, thick)
    origin = (label[0] - wide // 2, label[1] + high // 2)
    cv2.putText(picture, text, origin, cv2.FONT_HERSHEY_SIMPLEX, scale, (255, 255, 255), thick, cv2.LINE_AA)


def _bgr(board: Board, color: str) -> tuple[int, int, int]:
    red, green, blue = board.palette[color]
    return blue, green, red


def _point(spot: NDArray[np.int_]) -> tuple[int, int]:
    return int(spot[0]), int(spot[1])

"""Evidence on a board drawn here: no photo of a real one is needed."""

from __future__ import annotations

import dataclasses
import json

import cv2
import numpy as np
import pytest

from companion.board import Board, board_from, load_board
from companion.errors import BoardError
from companion.vision import patches
from companion.vision.light import fit_light
from companion.vision.signature import Signature
from companion.vision.spaces import Evidence, evidence, light_of

SIZE = (1500, 1000)
PIECES = {
    "blue": (160, 80, 30),
    "green": (60, 105, 20),
    "black": (32, 30, 30),
    "yellow": (40, 205, 240),
    "red": (40, 35, 190),
}


@pytest.fixture(scope="module")
def board() -> Board:
    """Europe's rules on a board with four straight routes."""
    folder = load_board("europe").folder
    assert folder is not None
    raw = json.loads((folder / "board.json").read_text(encoding="utf-8"))
    raw["cities"] = [
        {"id": name, "name": name.title(), "x": x, "y": y}
        for name, x, y in (("east", 0.8, 0.3), ("north", 0.5, 0.1), ("south", 0.5, 0.9), ("west", 0.2, 0.3))
    ]
    raw["routes"] = [
        _route("east-west-1", "red", [(0.3 + 0.037 * k, 0.30, 0.0) for k in range(4)]),
        _route("east-west-2", "gray", [(0.3 + 0.037 * k, 0.322, 0.0) for k in range(4)]),
        _route("north-south", "blue", [(0.7, 0.4 + 0.056 * k, 90.0) for k in range(4)]),
        _route("south-west", "yellow", [(0.3, 0.7, 30.0), (0.334, 0.73, 30.0)]),
    ]
    return board_from(raw, {"tickets": [], "variants": []})


def _route(route_id: str, color: str, spaces: list[tuple[float, float, float]]) -> dict[str, object]:
    a, b = route_id.split("-")[:2]
    return {"id": route_id, "a": a, "b": b, "length": len(spaces), "color": color, "kind": "normal", "spaces": spaces}


@pytest.fixture(scope="module")
def flat(board: Board) -> np.ndarray:
    """The empty print: land with a little texture, and the spaces."""
    rng = np.random.default_rng(3)
    coarse = rng.normal(0, 14, (30, 45, 3))
    smooth = np.add(cv2.resize(coarse, SIZE, interpolation=cv2.INTER_CUBIC), (150, 190, 205))
    land: np.ndarray = np.clip(smooth, 0, 255).astype(np.uint8)
    prints = {"red": (60, 70, 190), "gray": (150, 150, 150), "blue": (190, 130, 60), "yellow": (70, 205, 230)}
    for route in board.routes.values():
        for space in route.spaces:
            outline = _box(board, space.x, space.y, space.angle, 26.5, 9.5)
            cv2.fillPoly(land, [outline], prints[route.color], cv2.LINE_AA)
            cv2.polylines(land, [outline], True, (60, 60, 60), 1, cv2.LINE_AA)
    return land


def _box(board: Board, x: float, y: float, angle: float, long: float, wide: float) -> np.ndarray:
    scale = SIZE[0] / board.width_mm
    rectangle = ((x * SIZE[0], y * SIZE[1]), (long * scale, wide * scale), angle)
    return np.asarray(np.round(cv2.boxPoints(rectangle)), np.int32)


def _with_pieces(board: Board, flat: np.ndarray, claims: dict[str, str]) -> np.ndarray:
    """Wagons seen from straight above: a shadow, a dark rim, a body and a lighter roof line."""
    photo = flat.copy()
    for route_id, color in claims.items():
        body = np.array(PIECES[color], float)
        for space in board.routes[route_id].spaces:
            shadow = photo.copy()
            cv2.fillPoly(shadow, [_box(board, space.x, space.y, space.angle, 26.5, 10.5) + 3], (40, 40, 40), cv2.LINE_AA)
            photo = cv2.addWeighted(shadow, 0.5, photo, 0.5, 0)
            for long, wide, shade in ((24.8, 8.6, 0.7), (23, 7, 1.0), (21, 1.6, 1.25)):
                tone = tuple(float(v) for v in np.clip(body * shade + 4, 0, 255))
                cv2.fillPoly(photo, [_box(board, space.x, space.y, space.angle, long, wide)], tone, cv2.LINE_AA)
    return np.asarray(cv2.GaussianBlur(photo, (0, 0), 0.7), np.uint8)


@pytest.fixture(scope="module")
def signature(board: Board, flat: np.ndarray) -> Signature:
    figures = patches.measure_print(flat, board)
    one = np.full((1, 2), 0.5, np.float32)
    return Signature(1.5, one, one[:, 0], one[:, 0], np.zeros((1, 128), np.uint8), figures)


def _read(photo: np.ndarray, board: Board, signature: Signature, colors: tuple[str, ...] = tuple(PIECES)) -> Evidence:
    return evidence(photo, patches.FlatPlacement(*SIZE), board, signature, colors)


def test_a_patch_lies_along_its_space(board: Board) -> None:
    photo = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
    space = board.routes["south-west"].spaces[0]
    cv2.fillPoly(photo, [_box(board, space.x, space.y, space.angle, 24, 6)], (255, 255, 255))
    frame = patches.Frame.of(board)
    corners = patches.project_corners(patches.space_corners(frame), patches.FlatPlacement(*SIZE), 5.0)
    patch = patches.cut(photo, corners, patches.SPACE_PATCH)[board.spaces.index(space)][..., 0] > 128
    rows, columns = np.flatnonzero(patch.any(1)), np.flatnonzero(patch.any(0))
    assert abs(rows.mean() - 23.5) < 1 and abs(columns.mean() - 31.5) < 1
    assert len(columns) > 3 * len(rows)


def test_the_print_is_painted_where_a_slanted_view_shows_it() -> None:
    square = np.array([[[0, 0], [63, 0], [63, 47], [0, 47]]], np.float32)
    shift = patches.print_shift(square, np.array([[31.5 + 5, 23.5 - 3]], np.float32), (64, 48))
    assert shift[0] == pytest.approx([5, -3], abs=1e-4)
    regions = np.zeros((48 + 2 * patches.MOST_SHIFT, 64 + 2 * patches.MOST_SHIFT), np.uint8)
    regions[patches.MOST_SHIFT + 10, patches.MOST_SHIFT + 20] = 1
    figures = np.array([[[1, 1, 1, 1], [9, 9, 9, 9]]], np.uint8)
    assert patches.paint(regions, figures, shift)[0, 10 - 3, 20 + 5, 0] == 9


def test_the_light_is_taken_out(board: Board, flat: np.ndarray, signature: Signature) -> None:
    ramp = np.linspace(0.5, 1.0, SIZE[0])[None, :, None]
    warm = np.clip(flat * ramp * (0.6, 0.85, 1.0), 0, 255).astype(np.uint8)
    frame = patches.Frame.of(board)
    placement = patches.FlatPlacement(*SIZE)
    light = light_of(warm, placement, frame, signature.figures)
    corners = patches.project_corners(patches.space_corners(frame), placement, 0.0)
    places = frame.spaces[:, :2]
    wanted = patches.cut(flat, corners, patches.SPACE_PATCH).astype(int)
    before = np.abs(patches.cut(warm, corners, patches.SPACE_PATCH) - wanted).mean()
    after = np.abs(light.correct(patches.cut(warm, corners, patches.SPACE_PATCH), places) - wanted).mean()
    assert before > 40 and after < 6


def test_covered_ground_does_not_pull_the_light() -> None:
    rng = np.random.default_rng(1)
    places = rng.random((300, 2))
    wanted = rng.uniform(60, 220, (300, 3)).astype(np.float32)
    seen = wanted * 0.5
    seen[:90] = rng.uniform(0, 255, (90, 3))
    light = fit_light(seen.astype(np.float32), wanted, places, np.ones(300))
    grey = np.full((1, 1, 1, 3), 60, np.uint8)
    assert light.correct(grey, np.array([[0.5, 0.5]]))[0, 0, 0].tolist() == pytest.approx([120] * 3, abs=10)


def test_an_empty_board_is_empty(board: Board, flat: np.ndarray, signature: Signature) -> None:
    found = _read(flat, board, signature)
    assert found.spaces.shape == (14, 6) and found.cities.shape == (4, 6)
    assert found.seen.all() and found.seen_cities.all()
    assert (found.spaces.argmax(1) == 0).all() and (found.cities.argmax(1) == 0).all()
    assert np.exp(found.spaces).sum(1) == pytest.approx(1, abs=1e-4)


def test_pieces_are_seen_in_their_colours(board: Board, flat: np.ndarray, signature: Signature) -> None:
    claims = {"east-west-1": "black", "north-south": "yellow", "south-west": "red"}
    found = _read(_with_pieces(board, flat, claims), board, signature)
    wanted = [name for route in board.routes.values() for name in [claims.get(route.id)] * route.length]
    read = [(None, *found.colors)[column] for column in found.spaces.argmax(1)]
    assert sum(a != b for a, b in zip(read, wanted, strict=True)) <= 1


def test_a_place_outside_the_picture_is_not_seen(board: Board, flat: np.ndarray, signature: Signature) -> None:
    part = np.ascontiguousarray(flat[:, :900])
    found = _read(part, board, signature)
    assert found.seen[:8].all() and not found.seen[8:12].any() and found.seen[12:].all()


def test_a_place_under_a_card_is_not_seen(board: Board, flat: np.ndarray, signature: Signature) -> None:
    photo = flat.copy()
    cv2.fillPoly(photo, [_box(board, 0.7, 0.48, 0.0, 60.0, 130.0)], (120, 60, 90))
    found = _read(photo, board, signature)
    assert not found.seen[8:12].any() and found.seen[:8].all() and found.seen[12:].all()


def test_an_unknown_colour_is_told_by_the_palette(board: Board, flat: np.ndarray, signature: Signature) -> None:
    odd = dataclasses.replace(board, palette={"brown": (40, 35, 30), "lime": (240, 205, 40)})
    photo = _with_pieces(board, flat, {"east-west-2": "yellow"})
    found = evidence(photo, patches.FlatPlacement(*SIZE), odd, signature, ("brown", "lime"))
    assert (found.spaces[4:8].argmax(1) == 2).sum() >= 3


def test_a_veil_of_stray_light_is_taken_away(board: Board, flat: np.ndarray, signature: Signature) -> None:
    claims = {"east-west-1": "black", "north-south": "yellow", "south-west": "red"}
    hazy = np.clip(_with_pieces(board, flat, claims) * 0.5 + 90, 0, 255).astype(np.uint8)
    found = _read(hazy, board, signature)
    wanted = [name for route in board.routes.values() for name in [claims.get(route.id)] * route.length]
    read = [(None, *found.colors)[column] for column in found.spaces.argmax(1)]
    assert sum(a != b for a, b in zip(read, wanted, strict=True)) <= 2


def test_a_place_that_glare_has_whitened_is_not_seen(board: Board, flat: np.ndarray, signature: Signature) -> None:
    photo = flat.copy()
    cv2.circle(photo, (1050, 480), 170, (255, 255, 255), -1)
    found = _read(photo, board, signature)
    assert not found.seen[8:12].any() and found.seen[:8].all() and found.seen[12:].all()


@pytest.mark.parametrize("name", ["space_colors", "city_colors", "ground_colors", "darkest"])
def test_a_signature_of_another_board_is_refused(board: Board, flat: np.ndarray, signature: Signature, name: str) -> None:
    figures = {**signature.figures, name: np.zeros((3, 3), np.uint8)}
    with pytest.raises(BoardError):
        _read(flat, board, dataclasses.replace(signature, figures=figures))

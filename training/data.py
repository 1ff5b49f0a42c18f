"""Training material: photos and renders with truth, cut into patches by the very code that reads photos.

A source is a photo with its truth file. Every space and every city of it becomes one sample, cut larger than the
network's input so that each epoch can turn and shift it. Samples are cached as one .npz per source.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import pickle
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.board import Board, board_from, load_board
from companion.vision import patches
from companion.vision.light import Light, plain_light
from companion.vision.locate import locate
from companion.vision.photo import read_photo
from companion.vision.signature import Signature
from companion.vision.spaces import COLORS, IGNORED, light_of

MARGIN = 12
"""Pixels a cached patch is larger than the network's input, on every side."""
FLATS = {
    "europe": "europe/empty.jpg",
    "usa": "usa/empty-rectified.jpg",
    "marklin": "marklin/empty-flat.jpg",
    "new-york": "new-york/empty-flat.jpg",
}


@dataclass
class Samples:
    """Patches with what is known about them; all arrays have the same length.

    pixels: (N, h, w, 3) uint8 in the print's light; figures: (N, R, 4) uint8; shift: (N, 2) float32, of the print
    label: (N,) int, 0 empty, then COLORS, IGNORED for a piece of another colour; printed: (N,) int, the same for the print
    layout: (N,) int, which region map applies; source: (N,) int; place: (N,) int, index of space or city
    topped: (N,) bool, whether a station stands on the wagon; the label is the station's then
    """

    pixels: NDArray[np.uint8]
    figures: NDArray[np.uint8]
    shift: NDArray[np.float32]
    label: NDArray[np.int64]
    printed: NDArray[np.int64]
    layout: NDArray[np.int64]
    source: NDArray[np.int64]
    place: NDArray[np.int64]
    topped: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.label)

    def pick(self, which: NDArray[Any]) -> Samples:
        return Samples(*(getattr(self, field.name)[which] for field in dataclasses.fields(self)))


def join(parts: Iterable[Samples]) -> Samples:
    """All samples of several parts, in order."""
    listed = list(parts)
    names = [field.name for field in dataclasses.fields(Samples)]
    return Samples(*(np.concatenate([getattr(part, name) for part in listed]) for name in names))


class GridPlacement:
    """The exact placement of a render, known on a grid of board points at three heights."""

    def __init__(self, path: Path) -> None:
        stored = json.loads(path.read_text())
        self.columns, self.rows = stored["grid"]
        self.levels = {
            int(mm): np.array(points, np.float64).reshape(self.rows, self.columns, 2)
            for mm, points in stored["grids"].items()
        }

    def project(self, points: NDArray[np.float64], height_mm: float = 0.0) -> NDArray[np.float64]:
        low, high = (0, 5) if height_mm <= 5 else (5, 10)
        share = (height_mm - low) / 5
        return self._at(low, points) * (1 - share) + self._at(high, points) * share - 0.5

    def _at(self, level: int, points: NDArray[np.float64]) -> NDArray[np.float64]:
        grid = self.levels[level]
        x, y = points[:, 0] * (self.columns - 1), points[:, 1] * (self.rows - 1)
        i = np.clip(np.floor(x).astype(int), 0, self.columns - 2)
        j = np.clip(np.floor(y).astype(int), 0, self.rows - 2)
        a, b = (x - i)[:, None], (y - j)[:, None]
        top = grid[j, i] * (1 - a) + grid[j, i + 1] * a
        bottom = grid[j + 1, i] * (1 - a) + grid[j + 1, i + 1] * a
        return np.asarray(top * (1 - b) + bottom * b)


@dataclass(frozen=True)
class Source:
    """A photo with truth. `group` names the arrangement of pieces, so that one arrangement is held out as a whole."""

    name: str
    group: str
    photo: Path
    truth: Mapping[str, Any]
    flat: Path
    real: bool

    def board(self) -> Board:
        facts = self.truth.get("facts")
        return drawn_board(json.loads(Path(facts).read_text())) if facts else load_board(self.truth["map"])


def drawn_board(facts: Mapping[str, Any]) -> Board:
    """A board from a bare facts file with sizes, for boards drawn only for training."""
    raw = dict(load_raw("europe"))
    size = facts["size"]
    raw.update(
        map=facts["map"],
        name=facts["map"],
        frame={"aspect": size[0] / size[1], "width_mm": size[0] * 1000},
        space_size=facts["space_size"],
        cities=facts["cities"],
        routes=facts["routes"],
    )
    return board_from(raw, {"tickets": [], "variants": []})


def load_raw(map_id: str) -> Mapping[str, Any]:
    """A bundled board.json as it stands."""
    folder = load_board(map_id).folder
    assert folder is not None
    raw: Mapping[str, Any] = json.loads((folder / "board.json").read_text())
    return raw


def photo_sources(photos: Path) -> list[Source]:
    """The photos with truth of a folder with one folder per board."""
    sources = []
    for path in sorted(photos.glob("*/*.json")):
        truth = json.loads(path.read_text())
        name = f"{path.parent.name}/{path.stem}"
        group = f"{truth['map']}:" + json.dumps([truth["claims"], truth["stations"]], sort_keys=True)
        flat = photos / FLATS[truth["map"]]
        sources.append(Source(name, group, path.with_suffix(".jpg"), truth, flat, "render" not in path.stem))
    return sources


def render_sources(renders: Path) -> list[Source]:
    """The renders of a folder that carry a grid of exact points."""
    sources = []
    for path in sorted(renders.glob("*.grid.json")):
        stem = path.name.removesuffix(".grid.json")
        truth = json.loads((renders / f"{stem}.json").read_text())
        sources.append(Source(f"render/{stem}", stem, renders / f"{stem}.jpg", truth, Path(truth["texture"]), False))
    return sources


def color_index(color: str | None) -> int:
    """0 for nothing, 1.. for the canonical colours, IGNORED for any other."""
    if color is None:
        return 0
    color = {"pink": "purple"}.get(color, color)
    return COLORS.index(color) + 1 if color in COLORS else IGNORED


def space_samples(
    photo: NDArray[np.uint8],
    placement: patches.Placement,
    board: Board,
    figures: Mapping[str, NDArray[Any]],
    truth: Mapping[str, Any],
    light: Light,
) -> Samples:
    """One sample per space that lies in the picture."""
    frame = patches.Frame.of(board)
    patch = (patches.SPACE_PATCH[0] + 2 * MARGIN, patches.SPACE_PATCH[1] + 2 * MARGIN)
    span = patches.SPACE_SPAN * patch[0] / patches.SPACE_PATCH[0]
    corners = patches.project_corners(patches.space_corners(frame, patch, span), placement, patches.WAGON_MIDDLE_MM)
    ground = np.asarray(placement.project(frame.spaces[:, :2]), np.float32)
    pixels = light.correct(patches.cut_softly(photo, corners, patch), frame.spaces[:, :2])
    claims = truth["claims"]
    label, printed, topped = [], [], []
    for route in board.routes.values():
        on = [index == truth.get("borrowed_space", {}).get(route.id) for index in range(route.length)]
        claim, station = color_index(claims.get(route.id)), color_index(truth.get("borrowing", {}).get(route.id))
        label += [station if stands else claim for stands in on]
        printed += [color_index(route.color)] * route.length
        topped += on
    count = len(label)
    shift = patches.print_shift(corners, ground, patch)
    zeros = np.zeros(count, np.int64)
    every = Samples(
        pixels,
        np.asarray(figures["space_colors"], np.uint8),
        shift,
        np.array(label),
        np.array(printed),
        zeros,
        zeros.copy(),
        np.arange(count),
        np.array(topped, bool),
    )
    return every.pick(inside(photo, ground, 8))


def city_samples(
    photo: NDArray[np.uint8],
    placement: patches.Placement,
    board: Board,
    figures: Mapping[str, NDArray[Any]],
    truth: Mapping[str, Any],
    light: Light,
) -> Samples:
    """One sample per city that lies in the picture."""
    frame = patches.Frame.of(board)
    patch = (patches.CITY_PATCH[0] + 2 * MARGIN, patches.CITY_PATCH[1] + 2 * MARGIN)
    corners = patches.project_corners(patches.city_corners(frame, patch), placement, patches.STATION_MIDDLE_MM)
    ground = np.asarray(placement.project(frame.cities), np.float32)
    pixels = light.correct(patches.cut_softly(photo, corners, patch), frame.cities)
    stations = truth["stations"]
    label = np.array([color_index(stations.get(city)) for city in board.cities])
    zeros = np.zeros(len(label), np.int64)
    every = Samples(
        pixels,
        np.asarray(figures["city_colors"], np.uint8),
        patches.print_shift(corners, ground, patch),
        label,
        zeros,
        zeros.copy(),
        zeros.copy(),
        np.arange(len(label)),
        zeros.astype(bool),
    )
    return every.pick(inside(photo, ground, 8))


def inside(photo: NDArray[np.uint8], points: NDArray[np.float32], margin: float) -> NDArray[np.bool_]:
    """Which points (N, 2) lie in the picture, `margin` pixels from its edge."""
    height, width = photo.shape[:2]
    return np.asarray(
        (points[:, 0] > margin)
        & (points[:, 1] > margin)
        & (points[:, 0] < width - margin)
        & (points[:, 1] < height - margin)
    )


def source_samples(source: Source) -> tuple[Samples, Samples]:
    """The space and the city samples of a source."""
    board = source.board()
    photo = read_photo(source.photo)
    grid = source.photo.with_suffix(".grid.json")
    placement: patches.Placement
    if grid.exists():
        placement = GridPlacement(grid)
    else:
        assert board.folder is not None
        placement = locate(photo, board, Signature.load(board.folder / "signature.npz"))
    figures = patches.measure_print(read_photo(source.flat).pixels, board)
    light = light_of(photo.pixels, placement, patches.Frame.of(board), figures)
    return (
        space_samples(photo.pixels, placement, board, figures, source.truth, light),
        city_samples(photo.pixels, placement, board, figures, source.truth, light),
    )


def flat_samples(source: Source) -> tuple[Samples, Samples]:
    """The same of the picture the print was measured in: all empty."""
    board = source.board()
    flat = read_photo(source.flat).pixels
    figures = patches.measure_print(flat, board)
    placement = patches.FlatPlacement(flat.shape[1], flat.shape[0])
    nothing: dict[str, Any] = {"claims": {}, "stations": {}}
    return (
        space_samples(flat, placement, board, figures, nothing, plain_light()),
        city_samples(flat, placement, board, figures, nothing, plain_light()),
    )


def main() -> None:
    """Fills the cache with what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path, required=True)
    parser.add_argument("--renders", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    given = parser.parse_args()
    given.cache.mkdir(parents=True, exist_ok=True)
    sources = photo_sources(given.photos) + (render_sources(given.renders) if given.renders else [])
    for source in sources:
        path = given.cache / (source.name.replace("/", "_") + ".pkl")
        if not path.exists():
            spaces, cities = source_samples(source)
            path.write_bytes(pickle.dumps((spaces, cities)))
            print(source.name, np.bincount(spaces.label, minlength=IGNORED + 1), (cities.label > 0).sum(), flush=True)
        flat = given.cache / f"flat_{source.truth['map']}.pkl"
        if not flat.exists():
            flat.write_bytes(pickle.dumps(flat_samples(source)))
    (given.cache / "sources.pkl").write_bytes(pickle.dumps(sources))


if __name__ == "__main__":
    main()

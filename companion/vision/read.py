"""The whole walk from photos to a Reading, timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.board import Board
from companion.errors import BoardError
from companion.game import Game, Player
from companion.scoring.problems import Problem, problems_of
from companion.vision.decide import Doubt, decide
from companion.vision.locate import Placement, locate
from companion.vision.photo import Photo, read_photo
from companion.vision.signature import Signature
from companion.vision.spaces import WEIGHTS, Evidence, evidence

ON_THE_BOARD = {"too-many-trains", "both-lanes", "closed-lane", "too-many-stations", "two-buildings"}
"""The problems that a photo alone can show."""


@dataclass(frozen=True)
class Sight:
    """One photo with the board found in it and what was seen there."""

    photo: Photo
    placement: Placement
    evidence: Evidence


@dataclass(frozen=True)
class Reading:
    """What lies on the board, what is doubtful about it, and which rules it breaks.

    borrowing: routes with another player's station on a wagon, and its colour
    """

    map: str
    corners: NDArray[np.float64]
    claims: Mapping[str, str]
    stations: Mapping[str, str]
    borrowing: Mapping[str, str]
    uncertain: tuple[Doubt, ...]
    problems: tuple[Problem, ...]
    timings_ms: Mapping[str, float]
    sights: tuple[Sight, ...] = field(default=(), repr=False)


def read(
    photos: Sequence[str | Path | bytes],
    board: Board,
    players: Sequence[str] | None = None,
    corners: NDArray[np.float64] | None = None,
    progress: Callable[[str], None] | None = None,
    weights: Path | None = None,
) -> Reading:
    """Read one or several photos of the same board; `corners` are those of the first.

    progress: told the name of each stage as it begins; weights: a folder of other networks than the bundled ones
    """
    clock = _Clock(progress or (lambda stage: None))
    signature = load_signature(board)
    sights = []
    for number, source in enumerate(photos):
        with clock.stage("load"):
            photo = read_photo(source)
        with clock.stage("locate"):
            placement = locate(photo, board, signature, corners if number == 0 else None)
        with clock.stage("read"):
            seen = evidence(photo.pixels, placement, board, signature, board.rules.colors, weights or WEIGHTS)
            sights.append(Sight(photo, placement, seen))
    return conclude(board, sights, players, clock)


def conclude(
    board: Board, sights: Sequence[Sight], players: Sequence[str] | None = None, clock: _Clock | None = None
) -> Reading:
    """The reading of photos that were looked at already."""
    clock = clock or _Clock(lambda stage: None)
    with clock.stage("decide"):
        verdict = decide(board, [sight.evidence for sight in sights], players)
        seated = players or sorted({*verdict.claims.values(), *verdict.stations.values()})
        table = tuple(Player(color.capitalize(), color) for color in seated)
        stations = {city: (color,) for city, color in verdict.stations.items()}
        found = problems_of(board, Game(board.id, table, verdict.claims, stations))
    first = sights[0]
    return Reading(
        map=board.id,
        corners=first.photo.to_full(first.placement.corners),
        claims=verdict.claims,
        stations=verdict.stations,
        borrowing=verdict.borrowing,
        uncertain=verdict.doubts,
        problems=tuple(problem for problem in found if problem.code in ON_THE_BOARD),
        timings_ms=clock.times(),
        sights=tuple(sights),
    )


def load_signature(board: Board) -> Signature:
    """The signature in the board's own folder."""
    path = board.folder / "signature.npz" if board.folder else None
    if path is None or not path.is_file():
        raise BoardError("{board} has no signature yet: calibrate it with a photo of the empty board.", board=board.name)
    return Signature.load(path)


def reading_to_raw(reading: Reading) -> dict[str, Any]:
    """The JSON form of a reading."""
    return {
        "map": reading.map,
        "corners": [[round(float(x), 1), round(float(y), 1)] for x, y in reading.corners],
        "claims": dict(reading.claims),
        "stations": dict(reading.stations),
        "borrowing": dict(reading.borrowing),
        "uncertain": [
            {doubt.kind: doubt.id, "options": [[color, chance] for color, chance in doubt.options]}
            for doubt in reading.uncertain
        ],
        "problems": [{"code": problem.code, "text": problem.text} for problem in reading.problems],
        "timings_ms": {stage: round(took, 1) for stage, took in reading.timings_ms.items()},
    }


class _Clock:
    """Adds up the milliseconds of each stage, and tells when one begins."""

    def __init__(self, progress: Callable[[str], None]) -> None:
        self.progress = progress
        self.began = time.perf_counter()
        self.spent: dict[str, float] = {}

    def stage(self, name: str) -> _Stage:
        self.progress(name)
        return _Stage(self, name)

    def times(self) -> dict[str, float]:
        return {**self.spent, "total": (time.perf_counter() - self.began) * 1000}


class _Stage:
    def __init__(self, clock: _Clock, name: str) -> None:
        self.clock, self.name = clock, name

    def __enter__(self) -> None:
        self.began = time.perf_counter()

    def __exit__(self, *error: object) -> None:
        took = (time.perf_counter() - self.began) * 1000
        self.clock.spent[self.name] = self.clock.spent.get(self.name, 0.0) + took

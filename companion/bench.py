"""How right and how fast the reader is, on a folder of photos with truth beside them."""

from __future__ import annotations

import csv
import json
import math
import statistics
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TextIO

import cv2
import numpy as np

from companion.board import load_board
from companion.errors import CompanionError
from companion.vision.read import Reading, read

TRIES = 3
"""Everything is timed so often, and the best time counts: other programs use the machine too."""
LARGE = 12.0
"""Megapixels from which a photo counts as a phone's whole picture."""
STAGES = ("load", "locate", "read", "decide", "total")


@dataclass(frozen=True)
class Row:
    """One photo: how far the reading is from the truth, and what it took."""

    photo: str
    map: str
    perfect: int = 0
    wrong_routes: int = 0
    wrong_stations: int = 0
    silent: int = 0
    doubts: int = 0
    megapixels: float = 0.0
    load_ms: float = 0.0
    locate_ms: float = 0.0
    read_ms: float = 0.0
    decide_ms: float = 0.0
    total_ms: float = 0.0
    decode_ms: float = 0.0
    peak_mb: float = 0.0
    note: str = ""


def cases(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every photo NAME.jpg with a truth NAME.json beside it."""
    for truth in sorted(folder.rglob("*.json")):
        photo = truth.with_suffix(".jpg")
        if photo.is_file():
            known = json.loads(truth.read_text("utf-8"))
            if isinstance(known, dict) and {"map", "claims", "stations", "players"} <= known.keys():
                yield photo, known


def bench(folder: Path, out: TextIO, weights: Mapping[str, Path] | None = None) -> list[Row]:
    """Read every photo of a folder, write a row each, and return the rows.

    weights: for a photo's name (`europe/real-1`), the weights to read it with: those that never saw it.
    """
    if not folder.is_dir():
        raise CompanionError("There is no folder {folder}; check the name.", folder=folder)
    rows: list[Row] = []
    table = csv.writer(out, lineterminator="\n")
    table.writerow([column.name for column in fields(Row)])
    for photo, truth in cases(folder):
        row = _measure(photo, truth, weights or {})
        rows.append(row)
        table.writerow([f"{v:.1f}" if isinstance(v, float) else v for v in asdict(row).values()])
        out.flush()
    if not rows:
        raise CompanionError(
            "There is no photo with a truth beside it in {folder}; put NAME.jpg and NAME.json there.", folder=folder
        )
    return rows


def _measure(photo: Path, truth: Mapping[str, Any], weights: Mapping[str, Path]) -> Row:
    name = f"{photo.parent.name}/{photo.stem}"
    decode, pixels = _decode_ms(photo.read_bytes())
    board = load_board(truth["map"])
    try:
        tries = [read([photo], board, truth["players"] or None, weights=weights.get(name)) for _ in range(TRIES)]
        reading = min(tries, key=lambda told: told.timings_ms["total"])
    except CompanionError as error:
        return Row(
            photo=name,
            map=board.id,
            wrong_routes=len(truth["claims"]),
            wrong_stations=len(truth["stations"]),
            megapixels=pixels,
            decode_ms=decode,
            peak_mb=_peak_mb(),
            note=f"not read: {error}",
        )
    routes = _differences(reading.claims, truth["claims"])
    stations = _differences(reading.stations, truth["stations"])
    silent = silent_errors(reading, routes + stations)
    times = reading.timings_ms
    return Row(
        photo=name,
        map=board.id,
        perfect=int(not routes and not stations),
        wrong_routes=len(routes),
        wrong_stations=len(stations),
        silent=len(silent),
        doubts=len(reading.uncertain),
        megapixels=pixels,
        load_ms=times["load"],
        locate_ms=times["locate"],
        read_ms=times["read"],
        decide_ms=times["decide"],
        total_ms=times["total"],
        decode_ms=decode,
        peak_mb=_peak_mb(),
        note=" ".join(f"{key}{'!' if key in silent else ''}" for key in routes + stations),
    )


def _decode_ms(data: bytes) -> tuple[float, float]:
    """The milliseconds that decoding a picture whole takes at best, and its megapixels."""
    best = math.inf
    for _ in range(TRIES):
        began = time.perf_counter()
        pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        best = min(best, (time.perf_counter() - began) * 1000)
    return best, 0.0 if pixels is None else pixels.shape[0] * pixels.shape[1] / 1e6


def silent_errors(reading: Reading, wrong: Sequence[str]) -> list[str]:
    """What is wrong and was not asked about."""
    asked = {doubt.id for doubt in reading.uncertain}
    return [key for key in wrong if key not in asked]


def _differences(got: Mapping[str, str], want: Mapping[str, str]) -> list[str]:
    return sorted(key for key in got.keys() | want.keys() if got.get(key) != want.get(key))


def _peak_mb() -> float:
    """The most memory this process has used so far."""
    import resource  # not on every system that can read photos

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1_000_000 if sys.platform == "darwin" else 1000)


def summary(rows: Sequence[Row]) -> str:
    """The rows in a few lines: real photos, renders, empty boards, time."""
    groups = {
        "real photos": [r for r in rows if "/real" in r.photo],
        "renders": [r for r in rows if "/render" in r.photo],
        "empty boards": [r for r in rows if "/empty" in r.photo],
        "other photos": [r for r in rows if not any(word in r.photo for word in ("/real", "/render", "/empty"))],
    }
    lines = [f"{'':14}{'photos':>7}{'perfect':>9}{'wrong routes':>14}{'wrong stations':>16}{'silent':>8}{'doubts each':>13}"]
    for name, group in groups.items():
        if group:
            lines.append(
                f"{name:14}{len(group):7}{sum(r.perfect for r in group):9}{sum(r.wrong_routes for r in group):14}"
                f"{sum(r.wrong_stations for r in group):16}{sum(r.silent for r in group):8}"
                f"{sum(r.doubts for r in group) / len(group):13.1f}"
            )
    timed = [r for r in rows if r.total_ms]
    if timed:
        parts = ", ".join(f"{stage} {statistics.median(getattr(r, f'{stage}_ms') for r in timed):.0f}" for stage in STAGES)
        lines.append(f"median milliseconds: {parts}; peak memory {max(r.peak_mb for r in rows):.0f} MB")
        large = [r.total_ms / r.decode_ms for r in timed if r.megapixels >= LARGE]
        if large:
            lines.append(f"photos of {LARGE:.0f} megapixels and more: {statistics.median(large):.1f} times a full decode")
    return "\n".join(lines)


def left_out(folder: Path) -> dict[str, Path]:
    """For each photo the weights that never saw it, from the folder that training/ wrote."""
    try:
        folds = json.loads((folder / "folds.json").read_text("utf-8"))
        return {photo: folder / name for name, photos in folds.items() for photo in photos}
    except (OSError, ValueError, AttributeError) as error:
        raise CompanionError(
            "{folder} holds no folds.json of weights with the photos each never saw; see training/README.md.", folder=folder
        ) from error

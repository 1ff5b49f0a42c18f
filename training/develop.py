"""Develops finished renders as a phone would, and writes the truth and the grid of points beside each picture.

python -m training.develop --with ../shared/render JOBS/*.json
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
from pathlib import Path
from typing import Any

import cv2
import numpy as np


def lens_of(seed: int) -> float:
    """The lens bend that developing with this seed applies: its seventh random number."""
    rng = random.Random(seed * 7 + 1)
    for low, high in ((0.5, 1.0), (0.16, 0.27), (0, 0.3), (900, 6000), (0.0005, 0.003), (0, 0.12)):
        rng.uniform(low, high)
    return rng.uniform(-0.03, 0.03)


def bent(points: Any, seed: int, res: list[int]) -> np.ndarray:
    """Points (N, 2) of a render as they lie in the developed picture."""
    width, height = res
    camera = np.array([[width * 0.8, 0, width / 2], [0, width * 0.8, height / 2], [0, 0, 1]], np.float32)
    lens = np.array([lens_of(seed), 0, 0, 0], np.float32)
    return np.asarray(cv2.undistortPoints(np.array(points, np.float32)[:, None], camera, lens, P=camera)[:, 0])


def finish(job: dict[str, Any], develop: Any) -> None:
    """OUT.png becomes OUT.jpg with OUT.json and OUT.grid.json; the raw render is deleted."""
    raw = Path(job["out"])
    camera = json.loads(Path(f"{raw}.cam.json").read_text())
    corners = develop(str(raw), str(raw.with_suffix(".jpg")), job["seed"], camera["corners"])
    if not np.allclose(bent(camera["corners"], job["seed"], job["res"]), corners, atol=0.05):
        raise SystemExit("the renderer develops in another way than this grid knows")
    grids = {mm: np.round(bent(points, job["seed"], job["res"]), 2).tolist() for mm, points in camera["grids"].items()}
    raw.with_suffix(".json").write_text(json.dumps({**job["truth"], "tilt": job["tilt"], "corners": corners}))
    raw.with_suffix(".grid.json").write_text(json.dumps({"grid": camera["grid"], "grids": grids}))
    raw.unlink()
    Path(f"{raw}.cam.json").unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--with", dest="kit", type=Path, required=True, help="the folder of the renderer")
    parser.add_argument("jobs", nargs="+", type=Path)
    given = parser.parse_args()
    spec = importlib.util.spec_from_file_location("phone", given.kit / "develop.py")
    assert spec is not None and spec.loader is not None
    phone = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(phone)
    for path in given.jobs:
        job = json.loads(path.read_text())
        if Path(job["out"]).exists():
            finish(job, phone.develop)


if __name__ == "__main__":
    main()

"""A phone, as far as a computer can play one: python -m bench.phone [PHOTO MAP]

Pins this process to a single core, reads the sample (or the photo given) at 2, 12 and 50 megapixels as a JPEG, then at 50
as a progressive JPEG, a PNG and a WebP, and reports the time of every stage and the most memory it took, the pictures for
the screen included. `core ms` is what the core worked for one reading, whatever else it was busy with. Each is read in a
process of its own, three times; the fastest counts.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import time
from pathlib import Path
from typing import Any

CASES = ((2, "jpg"), (12, "jpg"), (50, "jpg"), (50, "progressive.jpg"), (50, "png"), (50, "webp"))


def enlarged(photo: Path, megapixels: int, kind: str = "jpg") -> bytes:
    """The photo with this many megapixels."""
    import cv2
    import numpy as np

    flags = {
        "jpg": [cv2.IMWRITE_JPEG_QUALITY, 90],
        "progressive.jpg": [cv2.IMWRITE_JPEG_QUALITY, 90, cv2.IMWRITE_JPEG_PROGRESSIVE, 1],
        "png": [cv2.IMWRITE_PNG_COMPRESSION, 3],
        "webp": [cv2.IMWRITE_WEBP_QUALITY, 85],
    }

    pixels = np.asarray(cv2.imread(str(photo)))
    factor = (megapixels * 1e6 / (pixels.shape[0] * pixels.shape[1])) ** 0.5
    larger = cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC)
    return bytes(cv2.imencode(f".{kind.split('.')[-1]}", larger, flags[kind])[1])


def _enlarge(photo: Path, megapixels: int, kind: str, out: Path) -> None:
    out.write_bytes(enlarged(photo, megapixels, kind))


def _read(photo: Path, map_id: str, own: bool, answers: Any) -> None:
    """A child: one core, one photo, three readings; the fastest counts."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import cv2
    import numpy as np

    cv2.setNumThreads(1)
    from companion.app import photoreader
    from companion.app.reader import Order
    from companion.board import load_board
    from companion.samples import load_sample
    from companion.vision.memory import give_back
    from companion.vision.read import read

    board = load_board(map_id) if own else load_sample(map_id).board
    timings = []
    for _ in range(3):
        began = time.process_time()
        timings.append({**read([photo], board).timings_ms, "cpu": 0.0})
        timings[-1]["cpu"] = (time.process_time() - began) * 1000
        give_back()  # as the app does
    photoreader.read(Order((photo,), board, tuple(board.rules.colors)), photo.parent / "kept", lambda stage: None)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    data = np.frombuffer(photo.read_bytes(), np.uint8)
    began = time.process_time()
    cv2.imdecode(data, cv2.IMREAD_COLOR)
    decode = (time.process_time() - began) * 1000
    best = {name: min(t[name] for t in timings) for name in timings[0]}
    answers.put((best, decode, peak))


def main() -> int:
    import tempfile

    from companion.samples import load_sample

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photo", nargs="?", type=Path)
    parser.add_argument("map", nargs="?", default="europe")
    args = parser.parse_args()
    photo: Path = args.photo or load_sample(args.map).photo
    context = multiprocessing.get_context("spawn")
    worst = 0.0
    print("megapixels                    load  locate    read  decide   total ms   core ms   decode ms   peak MB")
    with tempfile.TemporaryDirectory() as folder:
        for megapixels, kind in CASES:
            path = Path(folder) / f"{megapixels}.{kind}"
            maker = context.Process(target=_enlarge, args=(photo, megapixels, kind, path))
            maker.start()
            maker.join()
            answers = context.SimpleQueue()
            child = context.Process(target=_read, args=(path, args.map, bool(args.photo), answers))
            child.start()
            child.join()
            if child.exitcode:
                return 1
            best, decode, peak = answers.get()
            stages = "".join(f"{best[name]:8.0f}" for name in ("load", "locate", "read", "decide"))
            times = f"{best['total']:11.0f}   {best['cpu']:7.0f}   {decode:9.0f}"
            print(f"{megapixels:10d} {kind:16}{stages}{times}   {peak:7.0f}")
            worst = max(worst, peak)
    return 0 if worst < 400 else 1


if __name__ == "__main__":
    raise SystemExit(main())

"""The long run: python -m bench.longrun [--reads N] [--games N]

Reads the sample's photos again and again in one process and compares its memory after the hundredth and the last
reading; then lists a history of many games.
"""

from __future__ import annotations

import argparse
import gc
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median

from companion.draft import Draft
from companion.history import records
from companion.samples import load_sample
from companion.store import Score, Store

MAPS = ("europe", "marklin", "new-york")
GROWTH = 1.05


def memory_mb() -> float:
    """What this process holds in memory of its own; pages of files come and go as the system likes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    return 0.0


def read_again(count: int, after: int = 100) -> tuple[float, float, float]:
    """Memory after reading `after` times and at the end, each the median of the last 30, and seconds per reading."""
    from companion.vision.memory import give_back
    from companion.vision.read import read

    samples = [load_sample(name) for name in MAPS]
    early, began = 0.0, time.perf_counter()
    held: list[float] = []
    for number in range(1, count + 1):
        sample = samples[number % len(samples)]
        read([sample.photo], sample.board, [p.color for p in sample.game.players])
        gc.collect()
        give_back()  # as the app does after every photo
        held = [*held[-29:], memory_mb()]
        if number == min(after, count):
            early = median(held)
        if number % 100 == 0:
            print(f"  {number} readings, {median(held):.0f} MB", flush=True)
    return early, median(held), (time.perf_counter() - began) / count


def list_games(count: int) -> tuple[float, float]:
    """Seconds to list so many games, at the first time and again."""
    folder = Path(tempfile.mkdtemp())
    sample = load_sample()
    store = Store(folder)
    scores = tuple(Score(p.name, p.color, 90 + i, i + 1) for i, p in enumerate(sample.game.players))
    for number in range(count):
        store.save(Draft(sample.board, sample.game, id=f"game-{number}", finished=True), scores)
    store = Store(folder)
    began = time.perf_counter()
    entries = store.entries()
    records(entries)
    first = time.perf_counter() - began
    began = time.perf_counter()
    assert len(store.entries()) == count
    again = time.perf_counter() - began
    shutil.rmtree(folder)
    return first, again


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reads", type=int, default=1000)
    parser.add_argument("--games", type=int, default=1000)
    args = parser.parse_args()
    first, again = list_games(args.games)
    print(f"{args.games} games: listed in {first * 1000:.0f} ms at first, {again * 1000:.0f} ms again")
    early, late, each = read_again(args.reads)
    growth = f"{early:.0f} MB after the hundredth, {late:.0f} MB after the last ({late / early - 1:+.1%})"
    print(f"{args.reads} readings: {growth}, {each * 1000:.0f} ms each")
    return 0 if late <= early * GROWTH else 1


if __name__ == "__main__":
    raise SystemExit(main())

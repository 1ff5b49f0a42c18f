"""Hostile pictures and files by the thousand: python -m bench.fuzz pictures|files|guided [--count N] [--seed S]

Each case must end in a result or in one of our own errors. The work is done in child processes, so that a crash of a
decoder, a hang of more than five seconds or too much memory is seen and the case that caused it is named.
`guided` lets atheris look for new paths through the picture's header and the game's parser, where it is installed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.mutate import damaged, hostile, pictures
from companion.errors import CompanionError

for name in (
    "KIVY_NO_ARGS",
    "KIVY_NO_CONSOLELOG",
    "KIVY_NO_FILELOG",
    "KIVY_NO_CONFIG",
    "KIVY_METRICS_DENSITY",
    "KIVY_METRICS_FONTSCALE",
):
    os.environ.setdefault(name, "1")
os.environ.setdefault("KIVY_DPI", "96")  # so that nothing opens a window to ask

SLOWEST = 5.0
MOST_MB = 400
BATCH = 1000


@dataclass
class Tally:
    """How a run went."""

    ends: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slowest: float = 0.0
    peak_mb: float = 0.0


Case = Callable[[random.Random, Path], str]


def picture_case(seeds: list[bytes]) -> Case:
    """Damages a picture and takes it through the gate and through the stripping of its place."""
    from companion.vision.photo import read_photo
    from companion.vision.strip import stripped

    def run(rng: random.Random, folder: Path) -> str:
        data = damaged(rng.choice(seeds), seeds, rng)
        with suppress(CompanionError):
            stripped(data)
        try:
            photo = read_photo(data)
        except CompanionError:
            return "refused"
        assert photo.pixels.ndim == 3 and photo.pixels.dtype.name == "uint8" and max(photo.size) <= 2600
        return "read"

    return run


def file_case() -> Case:
    """Damages a game, a map folder, a signature, a shared board, a save or the settings, and opens it."""
    from companion.app.settings import parse_settings
    from companion.board import folder_faults, load_board
    from companion.boards import pack, unpack
    from companion.draft import Draft
    from companion.game import game_to_raw, load_game
    from companion.samples import load_sample
    from companion.scoring import score
    from companion.scoring.final import result_to_raw
    from companion.sheet import sheet
    from companion.store import Score, Store, save_form
    from companion.vision.signature import Signature

    sample = load_sample()
    game = game_to_raw(sample.game)
    save = save_form(Draft(sample.board, sample.game, id="game", changed="2026"), (Score("Ana", "blue", 100, 1),))
    first_save = {"format": 1, **save["draft"]}
    maps = Path(__file__).resolve().parent.parent / "maps"
    board = json.loads((maps / "new-york" / "board.json").read_text(encoding="utf-8"))
    cards = json.loads((maps / "new-york" / "tickets.json").read_text(encoding="utf-8"))
    shared = pack(load_board("new-york"))
    figures = (maps / "new-york" / "signature.npz").read_bytes()
    settings = {"format": 2, "settings": {"language": "de", "dark": True, "people": [["Ana", "blue"]], "map": "usa"}}

    def put(path: Path, raw: Any, rng: random.Random) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if rng.random() < 0.5:
            data = json.dumps(hostile(raw, rng)).encode("ascii")
        else:
            text = json.dumps(raw).encode("ascii")
            data = damaged(text, [text], rng)
        path.write_bytes(data)

    def play(folder: Path, rng: random.Random) -> str:
        put(folder / "game.json", game, rng)
        played, told = load_game(folder / "game.json")
        result = score(played, told)
        json.dumps(result_to_raw(result))
        sheet(played, told, result).encode("utf-8", "replace")
        return "scored"

    def lay(folder: Path, rng: random.Random) -> str:
        part = rng.randrange(2)
        put(folder / "board.json", board, rng) if part else (folder / "board.json").write_text(json.dumps(board))
        put(folder / "tickets.json", cards, rng) if not part else (folder / "tickets.json").write_text(json.dumps(cards))
        faults = folder_faults(folder)
        assert all(isinstance(fault, str) and len(fault) < 9000 for fault in faults)
        laid = load_board(str(folder))
        assert not faults and laid.routes
        return "laid"

    def sign(folder: Path, rng: random.Random) -> str:
        (folder / "signature.npz").write_bytes(damaged(figures, [figures], rng))
        Signature.load(folder / "signature.npz")
        return "signed"

    def open_again(folder: Path, rng: random.Random) -> str:
        put(folder / "games" / "game.json", rng.choice((save, first_save)), rng)
        kept = (folder / "games" / "game.json").read_bytes()
        store = Store(folder)
        entries = store.entries()
        try:
            store.load("game")
        except CompanionError:
            places = [*folder.glob("set-aside/*"), *folder.glob("games/*.json")]
            assert [p for p in places if p.read_bytes() == kept], "an unreadable save must be kept"
            raise
        return "opened" if entries else "opened, not listed"

    def receive(folder: Path, rng: random.Random) -> str:
        parcel = folder / "a.railboard"
        if rng.random() < 0.5:
            parcel.write_bytes(damaged(shared, [shared], rng))
        else:
            put(folder / "board.json", board, rng)
            with zipfile.ZipFile(parcel, "w", zipfile.ZIP_DEFLATED) as packed:
                names = ("board.json",) if rng.random() < 0.5 else ("../board.json", "/etc/board.json", "board.json")
                for name in names:
                    packed.writestr(name, (folder / "board.json").read_bytes())
                packed.writestr("tickets.json", json.dumps(cards))
        try:
            unpack(parcel, folder / "mine" / "boards")
        finally:
            assert {p.name for p in folder.iterdir()} <= {"a.railboard", "board.json", "mine"}, "nothing beside its folder"
            assert not list(folder.glob("mine/boards/.unpacking*")), "nothing half unpacked"
        return "received"

    def settle(folder: Path, rng: random.Random) -> str:
        put(folder / "settings.json", settings, rng)
        parse_settings(Store(folder).settings()).to_raw()
        return "set"

    kinds = (play, play, lay, sign, open_again, open_again, receive, receive, settle)

    def run(rng: random.Random, folder: Path) -> str:
        for old in folder.iterdir():
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        kind = rng.choice(kinds)
        try:
            return kind(folder, rng)
        except CompanionError as error:
            if not str(error) or "\n" in str(error):
                raise AssertionError("an error must be one sentence") from error
            return f"{kind.__name__}: refused"

    return run


def _batch(what: str, seed: int, start: int, count: int, told: Any, tallies: Any) -> None:
    """A child: runs its cases, and says before each which one it is at."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    case = picture_case(pictures()) if what == "pictures" else file_case()
    tally = Tally()
    for number in range(start, start + count):
        told.value = number
        signal.setitimer(signal.ITIMER_REAL, SLOWEST)
        began = time.perf_counter()
        try:
            tally.ends[case(random.Random(f"{seed}-{number}"), folder)] += 1
        except Exception:
            tally.faults.append(f"case {number}: {traceback.format_exc()}")
        tally.slowest = max(tally.slowest, time.perf_counter() - began)
    signal.setitimer(signal.ITIMER_REAL, 0)
    tally.peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    shutil.rmtree(folder, ignore_errors=True)
    tallies.put(tally)


def fuzz(what: str, count: int, seed: int) -> Tally:
    """Run this many cases, a thousand to a child."""
    context = multiprocessing.get_context("spawn")  # a forked child would count its parent's memory as its own
    whole = Tally()
    start = 0
    while start < count:
        tallies = context.SimpleQueue()
        told = context.Value("l", start)
        size = min(BATCH, count - start)
        child = context.Process(target=_batch, args=(what, seed, start, size, told, tallies))
        child.start()
        child.join()
        if child.exitcode == 0:
            part = tallies.get()
            whole.ends += part.ends
            whole.faults += part.faults
            whole.slowest = max(whole.slowest, part.slowest)
            whole.peak_mb = max(whole.peak_mb, part.peak_mb)
            start += size
        else:
            why = "hung" if child.exitcode == -signal.SIGALRM else f"ended the process ({child.exitcode})"
            whole.faults.append(f"case {told.value}: {why}")
            whole.ends["lost with a child"] += told.value - start
            start = told.value + 1
    if whole.peak_mb > MOST_MB:
        whole.faults.append(f"{whole.peak_mb:.0f} MB were used")
    return whole


def guided(seconds: int) -> int:
    """Coverage-guided: atheris looks for bytes that take new paths; any error but ours ends it with a report."""
    try:
        import atheris
    except ImportError:
        print("atheris is not installed: pip install atheris")
        return 1
    with atheris.instrument_imports(include=["companion"]):
        from companion.vision.header import read_header
        from companion.vision.strip import stripped

    def one(data: bytes) -> None:
        for gate in (read_header, stripped):
            try:
                gate(data)
            except CompanionError:
                continue

    corpus = Path(tempfile.mkdtemp())
    for number, seed in enumerate(pictures()):
        (corpus / str(number)).write_bytes(seed)
    atheris.Setup(
        ["fuzz", f"-max_total_time={seconds}", "-timeout=5", "-rss_limit_mb=400", "-max_len=60000", str(corpus)], one
    )
    atheris.Fuzz()
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("pictures", "files", "guided"))
    parser.add_argument("--count", type=int, default=20_000, help="cases, or seconds for `guided`")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.what == "guided":
        return guided(args.count)
    began = time.perf_counter()
    tally = fuzz(args.what, args.count, args.seed)
    ends = ", ".join(f"{number} {end}" for end, number in tally.ends.most_common())
    print(f"{args.count} mutated {args.what} in {time.perf_counter() - began:.0f} s: {ends}")
    print(f"faults {len(tally.faults)}, slowest {tally.slowest:.2f} s, peak memory {tally.peak_mb:.0f} MB")
    for fault in tally.faults[:20]:
        print(fault, file=sys.stderr)
    return 1 if tally.faults else 0


if __name__ == "__main__":
    raise SystemExit(main())

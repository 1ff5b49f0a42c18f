"""Kills in the middle of saving, and disks that are full: python -m bench.kills [--count N] [--disk-full N]

A child saves one game again and again, a little changed each time, and says which change it begins and which it has
finished. It is killed at a random moment. What the next start finds must be the last finished change or the one under way.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from companion.draft import Draft
from companion.errors import StoreError
from companion.samples import load_sample
from companion.store import Store

_SAID = struct.Struct("<cI")


def _draft(number: int) -> Draft:
    """The sample game, its first player renamed: large enough to be cut in the middle."""
    sample = load_sample()
    first, *others = sample.game.players
    game = replace(sample.game, players=(replace(first, name=f"Ana {number}"), *others))
    return Draft(sample.board, game, id="evening", doubts=())


def _number(store: Store) -> int:
    return int(store.load("evening").game.players[0].name.split()[1])


def kill_while_saving(folder: Path, rng: random.Random, start: int) -> tuple[int, int, int]:
    """One kill: the last change finished, the last begun, and what the next start finds."""
    ear, mouth = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ear)
        store, number = Store(folder), start
        draft = _draft(number)
        while True:
            number += 1
            first, *others = draft.game.players
            draft.game = replace(draft.game, players=(replace(first, name=f"Ana {number}"), *others))
            os.write(mouth, _SAID.pack(b"b", number))
            store.save(draft)
            os.write(mouth, _SAID.pack(b"f", number))
    os.close(mouth)
    time.sleep(rng.uniform(0.001, 0.06))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    said = b""
    while part := os.read(ear, 65536):
        said += part
    os.close(ear)
    begun = finished = start
    for at in range(0, len(said) - len(said) % _SAID.size, _SAID.size):
        what, number = _SAID.unpack_from(said, at)
        begun, finished = (number, finished) if what == b"b" else (begun, number)
    return finished, begun, _number(Store(folder))


def kills(count: int, seed: int = 1) -> Counter[str]:
    """Kill so many times, always in the same folder, as an unlucky year would."""
    rng = random.Random(seed)
    folder = Path(tempfile.mkdtemp())
    ends: Counter[str] = Counter()
    Store(folder).save(_draft(0))
    at = 0
    for _ in range(count):
        finished, begun, at = kill_while_saving(folder, rng, at)
        if at == finished == begun:
            ends["between saves"] += 1
        elif at == finished:
            ends["the state before"] += 1
        elif at == begun:
            ends["the state after"] += 1
        else:
            ends["LOST"] += 1
    shutil.rmtree(folder)
    return ends


def full_disk(count: int, seed: int = 1) -> Counter[str]:
    """Save while files may not grow beyond a random size; every time the last good state must still be there."""
    rng = random.Random(seed)
    folder = Path(tempfile.mkdtemp())
    ends: Counter[str] = Counter()
    store = Store(folder)
    store.save(_draft(0))
    size = (folder / "games" / "evening.json").stat().st_size
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    good = 0
    try:
        for number in range(1, count + 1):
            resource.setrlimit(resource.RLIMIT_FSIZE, (rng.randrange(0, size + size // 4), hard))
            try:
                store.save(_draft(number))
                good = number
                ends["saved"] += 1
            except StoreError:
                ends["refused in a sentence"] += 1
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            if _number(Store(folder)) != good or list((folder / "games").glob(".*.part")):
                ends["LOST"] += 1
    finally:
        signal.signal(signal.SIGXFSZ, old)
    shutil.rmtree(folder)
    return ends


def really_full_disk() -> str:
    """The same once on a small disk of its own, where we may mount one."""
    folder = Path(tempfile.mkdtemp())
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        folder.rmdir()
        return "not tried: no right to mount a small disk here"
    try:
        store = Store(folder)
        store.save(_draft(1))
        filler = os.open(folder / "filler", os.O_WRONLY | os.O_CREAT)
        with suppress(OSError):
            while os.write(filler, b"x" * 512):
                pass
        os.close(filler)
        try:
            store.save(_draft(2))
            return "the disk was not full"
        except StoreError as error:
            sentence = str(error).replace(str(folder), "FOLDER")
        return f"state kept: {_number(Store(folder)) == 1}; told: {sentence}"
    finally:
        subprocess.run(["umount", str(folder)], check=False)
        folder.rmdir()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--disk-full", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    killed, filled = kills(args.count, args.seed), full_disk(args.disk_full, args.seed)
    print(
        f"{args.count} kills: " + ", ".join(f"{n} {what}" for what, n in killed.most_common()) + f"; lost {killed['LOST']}"
    )
    print(
        f"{args.disk_full} saves on a full disk: "
        + ", ".join(f"{n} {w}" for w, n in filled.most_common())
        + f"; lost {filled['LOST']}"
    )
    print(f"a small disk, filled: {really_full_disk()}")
    return 1 if killed["LOST"] or filled["LOST"] else 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Whether the screen ever waits: python -m bench.frames [--times N] [--phone], on a display or under xvfb-run.

Opens the app, reads the bundled sample and reports the longest frame while the reader works, and then how long a cold
start takes until the first screen is drawn. Each try is a process of its own; the best counts, for what else the
machine does only adds to it. With --phone the reader works on a thread of the app, as it must on a phone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MOST_FRAME_MS = 100.0
MOST_START_S = 2.0


def _open(folder: str, phone: bool = False) -> Any:
    """The app in a window, its first screen not yet drawn."""
    from companion.app.launch import prepare

    prepare(Path(folder))
    from companion.app.application import RailApp
    from companion.app.aside import HereDesk
    from companion.app.reader import DeskReader

    reader = DeskReader(HereDesk(), Path(folder) / "photos") if phone else None
    app: Any = RailApp(Path(folder), reader)
    app._run_prepare()
    return app


def start(folder: str, began: float) -> dict[str, float]:
    """Seconds from the start of the process to the first screen on the display."""
    app = _open(folder)
    from kivy.base import EventLoop

    while app.page.size == [100, 100]:
        EventLoop.idle()
    EventLoop.idle()
    return {"start_s": time.time() - began, "cpu_s": time.process_time()}


def read(folder: str, phone: bool) -> dict[str, Any]:
    """The longest frame, in milliseconds, for each thing the reader was at."""
    app = _open(folder, phone)
    from kivy.base import EventLoop

    _run(EventLoop, 2.0, lambda: False)
    app.open_sample()
    _run(EventLoop, 0.7, lambda: False)
    still = _redrawn(EventLoop, app.page)
    frames: dict[str, float] = {}
    app.page.read_sample()
    began = time.perf_counter()
    while app.page.name == "photo" and app.page.busy and time.perf_counter() - began < 60:
        stage, took = app.page.stage, _frame(EventLoop)
        stage = stage if app.page.name == "photo" else "next screen"
        frames[stage] = max(frames.get(stage, 0.0), took)
    took = time.perf_counter() - began
    assert app.page.name == "review", "the sample was not read"
    next_screen = max(frames.pop("next screen"), _run(EventLoop, 1.0, lambda: False))
    return {"frames": frames, "worst_ms": max(frames.values()), "still_ms": still, "read_s": took, "next_ms": next_screen}


def _redrawn(loop: Any, page: Any) -> float:
    """The longest frame of a screen that is drawn anew all the time, with no reader at work."""
    worst, end = 0.0, time.perf_counter() + 1.5
    while time.perf_counter() < end:
        page.canvas.ask_update()
        worst = max(worst, _frame(loop))
    return worst


def _frame(loop: Any) -> float:
    began = time.perf_counter()
    loop.idle()
    loop.window.mainloop()  # what the window has received since
    return (time.perf_counter() - began) * 1000


def _run(loop: Any, seconds: float, true: Any) -> float:
    worst, end = 0.0, time.perf_counter() + seconds
    while time.perf_counter() < end and not true():
        worst = max(worst, _frame(loop))
    return worst


def attempt(what: str) -> dict[str, Any]:
    """One try: "read", "phone" or "start"."""
    with tempfile.TemporaryDirectory(prefix="companion-") as folder:
        told = subprocess.run(
            [sys.executable, "-m", "bench.frames", "--one", what, folder, str(time.time())],
            stdout=subprocess.PIPE,
            check=True,
            timeout=120,
        )
    answer: dict[str, Any] = json.loads(told.stdout.splitlines()[-1])
    return answer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--phone", action="store_true")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        what, folder, began = args.one
        print(json.dumps(start(folder, float(began)) if what == "start" else read(folder, what == "phone")), flush=True)
        os._exit(0)  # the window has nothing left to say
    reads = [attempt("phone" if args.phone else "read") for _ in range(args.times)]
    for one in reads:
        stages = ", ".join(f"{stage} {took:.0f}" for stage, took in one["frames"].items())
        print(f"longest frame {one['worst_ms']:.0f} ms in {one['read_s']:.2f} s of reading ({stages})")
        print(f"  {one['still_ms']:.0f} ms without a reader, {one['next_ms']:.0f} to open the next screen with its photo")
    opened = [attempt("start") for _ in range(args.times)]
    starts, work = sorted(one["start_s"] for one in opened), min(one["cpu_s"] for one in opened)
    worst = sorted(one["worst_ms"] for one in reads)
    print(f"longest frame while the reader works: {worst[0]:.0f} to {worst[-1]:.0f} ms (bar: {MOST_FRAME_MS:.0f})")
    print(f"first screen after: {starts[0]:.2f} to {starts[-1]:.2f} s, {work:.2f} of them work (bar: {MOST_START_S:.0f})")
    return 0 if worst[0] <= MOST_FRAME_MS and starts[0] <= MOST_START_S else 1


if __name__ == "__main__":
    sys.exit(main())

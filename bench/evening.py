"""The app left open: python -m bench.evening [--hours H] [--rounds N], on a display or under xvfb-run.

Plays an evening as fast as it goes. In every round a game is scored from the sample's photo, each screen is opened and
closed, the window is turned, the language changed; between rounds the app idles for its share of the frames that so many
hours have. Reports memory, live widgets and pending clock events along the way: none may grow.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.longrun import GROWTH, memory_mb

FRAMES = 60 * 3600
"""Frames an hour."""
SCREENS = ("review", "cover", "tickets", "extras", "result", "why", "past", "boards", "settings", "home")
GIVEN: dict[str, Any] = {"why": {"line": "longest"}}
SIZES = ((412, 892), (892, 412))
LANGUAGES = ("en", "fr", "de", "nl", "es")


class Recalling:
    """A reader that answers with what the real one once saw, so that the screens are what is measured."""

    def __init__(self, folder: Path) -> None:
        from companion.app import photoreader
        from companion.app.reader import Order
        from companion.samples import load_sample

        sample = load_sample()
        colors = tuple(player.color for player in sample.game.players)
        self.seen = photoreader.read(Order((sample.photo,), sample.board, colors), folder, lambda stage: None)

    def warm(self) -> None: ...

    def read(self, order: Any, progress: Any) -> Any:
        for stage in ("load", "locate", "read", "decide", "show"):
            progress(stage)
        return self.seen

    def upright(self, photo: Path) -> Any:
        return self.seen.board_picture

    def stop(self) -> None: ...


def opened(folder: Path) -> Any:
    from companion.app.launch import prepare

    prepare(folder)
    from kivy.config import Config

    Config.set("graphics", "maxfps", "0")
    Config.set("graphics", "width", str(SIZES[0][0]))
    Config.set("graphics", "height", str(SIZES[0][1]))
    from companion.app.application import RailApp

    app: Any = RailApp(folder, reader=Recalling(folder / "photos"))
    app._run_prepare()
    return app


def idle(frames: int) -> None:
    from kivy.base import EventLoop

    for _ in range(frames):
        EventLoop.idle()


def one_round(app: Any, number: int) -> None:
    """A game from its photo to the reason why, and every other screen."""
    from kivy.core.window import Window

    app.choose(language=LANGUAGES[number % len(LANGUAGES)])
    app.rebuild()
    app.open_sample()
    idle(4)
    app.page.read_sample()
    while app.page.name == "photo":
        idle(1)
    for name in SCREENS:
        app.show(name, **GIVEN.get(name, {}))
        idle(6)
        if name == "review":
            Window.size = SIZES[number % 2]
            idle(6)
    game, app.draft, app.seen = app.draft.id, None, None
    app.saver.forget(game)
    app.store.delete(game)


def held(app: Any) -> tuple[float, int, int]:
    """Memory in MB, live widgets, and events that the clock has still to call, after all that can go has gone."""
    from kivy.clock import Clock
    from kivy.uix.widget import Widget

    from companion.vision.memory import give_back

    until = time.monotonic() + 7.5  # the longest that a passing sentence stays
    while time.monotonic() < until:
        idle(20)
    gc.collect()
    give_back()
    widgets = sum(issubclass(type(thing), Widget) for thing in gc.get_objects())
    return memory_mb(), widgets, len(list(Clock.get_events()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=40)
    args = parser.parse_args()
    part = max(1, args.rounds // 10)
    began, measured = time.monotonic(), []
    with tempfile.TemporaryDirectory(prefix="companion-") as folder:
        app = opened(Path(folder))
        for number in range(1, args.rounds + 1):
            one_round(app, number)
            idle(round(args.hours * FRAMES / args.rounds))
            if number % part == 0:
                measured.append(held(app))
                memory, widgets, events = measured[-1]
                print(f"  {number} rounds: {memory:.0f} MB, {widgets} widgets, {events} events to come", flush=True)
        app.dispatch("on_stop")
    first, last = measured[0], measured[-1]
    frames = f"{args.hours * FRAMES:,.0f} frames ({args.hours:g} hours)"
    print(
        f"{args.rounds} games and {frames} in {(time.monotonic() - began) / 60:.0f} min: memory {first[0]:.0f} MB after a "
        f"tenth, {last[0]:.0f} MB at the end ({last[0] / first[0] - 1:+.1%}), widgets {first[1]} and {last[1]}, "
        f"events {first[2]} and {last[2]}"
    )
    sys.stdout.flush()
    steady = last[0] <= first[0] * GROWTH and last[1] <= first[1] * GROWTH and last[2] <= first[2] + 5
    os._exit(0 if steady else 1)  # the window has nothing left to say


if __name__ == "__main__":
    main()

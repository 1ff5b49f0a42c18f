"""Writes a picture of every screen, upright, on its side and on a desktop: python tools/screenshots.py [FOLDER [SIZE]]

The games shown are the bundled samples, on boards of our own drawing. Run it under a display, or with xvfb-run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2

ROOT = Path(__file__).resolve().parent.parent
SIZES = {"phone": (412, 892), "phone-landscape": (892, 412), "desktop": (1120, 760)}


class Camera:
    """The app in a window, and the button that takes its picture."""

    def __init__(self, folder: Path, size: str) -> None:
        self.size = size
        data = Path(tempfile.mkdtemp(prefix="companion-"))
        os.environ.update(KIVY_METRICS_DENSITY="1", LANG="en_GB.UTF-8")
        os.environ.pop("LC_ALL", None)
        from companion.app.launch import prepare

        prepare(data)
        from kivy.config import Config

        for side, length in zip(("width", "height"), SIZES[size], strict=True):
            Config.set("graphics", side, str(length))
        from companion.app.application import RailApp
        from companion.app.theme import theme

        theme.motion = 0.0
        self.folder = folder
        self.app: Any = RailApp(data)
        self.app._run_prepare()

    def settle(self, frames: int = 12) -> None:
        from kivy.base import EventLoop

        for _ in range(frames):
            EventLoop.idle()

    def until(self, true: Callable[[], Any]) -> None:
        end = time.monotonic() + 240
        while not true() and time.monotonic() < end:
            self.settle(1)
        self.settle()

    def take(self, name: str) -> None:
        from kivy.core.window import Window

        self.settle()
        raw = Path(Window.screenshot(name=str(self.folder / "shot.png")))
        picture = cv2.imread(str(raw))
        raw.unlink()
        cv2.imwrite(str(self.folder / f"{name}-{self.size}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 72])


def walk(camera: Camera) -> None:
    """Every screen of a game of Europe, then what differs on the other boards."""
    from companion.app.words import _
    from companion.samples import load_sample
    from companion.store import Score, Store

    app = camera.app
    sample = load_sample()
    camera.take("home")
    app.choose(people=tuple((p.name, p.color) for p in sample.game.players))
    app.start_game()
    camera.take("table")
    app.drop_draft()
    app.open_sample()
    camera.take("photo")
    app.page.read_sample()
    camera.until(lambda: app.page.name == "review")
    camera.take("review-doubt")
    app.draft.take(sample.game.claims, {c: s[0] for c, s in sample.game.stations.items()}, ())
    app.show("review")
    camera.settle()
    camera.take("review-photo")
    app.page.toggle_photo()
    camera.take("review-drawing")
    app.show("corners", photos=list(app.draft.photos))
    camera.until(lambda: app.page.ready)
    camera.take("corners")
    app.draft.turn = 1
    app.show("cover")
    camera.take("cover")
    app.show("tickets")
    camera.settle(40)
    camera.take("tickets")
    app.show("result")
    camera.take("result")
    app.show("why", line="longest")
    camera.take("why-longest")
    app.show("why", line="tickets", color="red")
    camera.take("why-tickets")
    marklin = load_sample("marklin")
    app.draft, app.seen = type(app.draft)(marklin.board, marklin.game), None
    app.show("extras")
    camera.take("extras-marklin")
    app.draft.step = "review"
    app.show("review")
    camera.take("review-marklin")
    for day, totals in enumerate(((104, 98, 121, 90), (118, 107, 99, 111), (96, 125, 102, 117), (110, 109, 103, 122)), 1):
        draft = type(app.draft)(sample.board, sample.game, created=f"2026-0{day}-1{day}T20:00:00+00:00", finished=True)
        order = sorted(totals, reverse=True)
        people = zip(sample.game.players, totals, strict=True)
        Store(app.store.folder).save(draft, tuple(Score(p.name, p.color, t, order.index(t) + 1) for p, t in people))
    app.show("past")
    camera.take("past-games")
    app.page.show_view("people")
    camera.take("past-players")
    learn(camera)
    app.show("webcam")
    camera.settle()
    app.page.ids.view.show(app.reader.upright(sample.photo))
    app.page.live, app.page.say = True, _("The whole board in the picture, all four corners.")
    camera.take("webcam")
    app.show("settings")
    camera.take("settings")
    app.choose(dark=True)
    app._wear()
    app.draft = type(app.draft)(sample.board, sample.game)
    app.show("result")
    camera.take("dark-result")
    app.show("tickets")
    camera.settle(40)
    camera.take("dark-tickets")
    app.show("home")
    camera.take("dark-home")


def learn(camera: Camera) -> None:
    """The walk of a board of one's own, on an empty board of our drawing, with a few things left unsure."""
    import json

    from companion.art import draw_board
    from companion.board import load_board
    from companion.samples import load_sample

    app, board = camera.app, load_board("new-york")
    bench = app.workshop.folder
    bench.mkdir(parents=True)
    raw = json.loads((board.folder / "board.json").read_text(encoding="utf-8"))
    (bench / "board.json").write_text(
        json.dumps({**raw, "map": "my-print", "name": "New York (my print)", "like": "new-york"})
    )
    (bench / "tickets.json").write_bytes((board.folder / "tickets.json").read_bytes())
    cv2.imwrite(str(bench / "photo.jpg"), draw_board(board, 1000))
    app.workshop.take_up()
    app.show("edit")
    camera.until(lambda: app.page.ids.board.photo is not None)
    editing = app.workshop.editing
    for kind, about in (("cities", "soho"), ("routes", "central-park-lincoln-center")):
        editing._with(kind, about, sure=0.2)
    app.page.refresh()
    app.page.next_doubt()
    camera.take("edit-city")
    app.page.skip()
    camera.take("edit-route")
    app.show("rules")
    camera.take("rules")
    app.show("pieces")
    app.page.open(load_sample("new-york").photo)
    camera.until(lambda: app.page.ready)
    camera.take("pieces")
    app.show("tryout")
    app.page.try_on(load_sample("new-york").photo)
    camera.until(lambda: not app.page.busy)
    camera.take("tryout")
    app.show("boards")
    camera.take("boards")


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    if len(sys.argv) > 2:
        walk(Camera(folder, sys.argv[2]))
        os._exit(0)  # the window has nothing left to say, and its threads may be at work
    for size in SIZES:
        subprocess.run([sys.executable, __file__, str(folder), size], check=True)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()

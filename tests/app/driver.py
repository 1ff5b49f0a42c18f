"""A hand for the tests: it finds what can be seen and touches it, as a person would."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from companion.app.ports import DesktopPorts
from companion.app.reader import Order, Picture, Seen
from companion.errors import CompanionError


class Driver:
    """The running app with a finger on it."""

    _numbers = itertools.count(1)

    def __init__(self, data: Path, shared: Path, motion: float = 0.0, reader: Any = None) -> None:
        from companion.app.application import RailApp
        from companion.app.theme import theme

        theme.motion = motion
        self.ports = FakePorts(shared)
        self.app: Any = RailApp(data, reader=reader, ports=self.ports)
        self.app._run_prepare()
        self.settle()

    def close(self) -> None:
        from kivy.app import App
        from kivy.core.window import Window

        self.app.dispatch("on_stop")
        Window.remove_widget(self.app.root)
        App._running_app = None

    # time

    def settle(self, frames: int = 6) -> None:
        """Let the app come to rest, then draw what it has to show."""
        from kivy.base import EventLoop

        for _ in range(frames):
            _think()
        EventLoop.idle()

    def until(self, true: Callable[[], Any], seconds: float = 30.0) -> None:
        """Let the app run until something is so."""
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, f"waited in vain; on the screen: {self.texts()}"
            _think()
        self.settle()

    # finding

    @property
    def page(self) -> Any:
        return self.app.page

    def roots(self) -> list[Any]:
        """What can be touched: the uppermost sheet if one is open, else the page; a passing sentence always."""
        layers = self.app.layers()
        toast = [self.app._toast] if self.app._toast and self.app._toast.parent else []
        return [*toast, layers[0] if layers else self.page]

    def widgets(self) -> Iterator[Any]:
        for root in self.roots():
            yield from root.walk(restrict=True)

    def texts(self) -> list[str]:
        """Everything that is written on the screen now."""
        return [w.text for w in self.widgets() if getattr(w, "text", "") and w.opacity and w.height > 1]

    def sees(self, text: str) -> bool:
        return any(text in seen for seen in self.texts())

    def find(self, text: str) -> Any:
        """The widget that says this: exactly, or else somewhere in it."""
        shown = [w for w in self.widgets() if getattr(w, "text", "") and w.opacity and w.height > 1]
        exact = [w for w in shown if w.text == text]
        found = exact or [w for w in shown if text in w.text]
        assert found, f"{text!r} is not on the screen: {self.texts()}"
        return found[-1] if exact else found[0]

    def find_icon(self, name: str) -> Any:
        from companion.app.widgets.basics import IconButton

        return next(w for w in self.widgets() if isinstance(w, IconButton) and w.name == name and not w.disabled)

    # touching

    def touch(self, x: float, y: float, *to: tuple[float, float]) -> None:
        """Put a finger down, move it along some points, and lift it."""
        from kivy.base import EventLoop
        from kivy.core.window import Window

        width, height = Window.size
        finger = _finger(next(self._numbers), x / width, y / height)
        EventLoop.post_dispatch_input("begin", finger)
        _think()
        for point in to:
            finger.move({"x": point[0] / width, "y": point[1] / height})
            EventLoop.post_dispatch_input("update", finger)
            _think()
        EventLoop.post_dispatch_input("end", finger)
        self.settle(4)

    def tap(self, what: str | Any) -> None:
        """Touch a text or a widget in its middle, scrolled into view first."""
        widget = self.find(what) if isinstance(what, str) else what
        self._bring(widget)
        x, y = widget.to_window(*widget.center)
        self.touch(x, y)

    def _bring(self, widget: Any) -> None:
        from kivy.uix.scrollview import ScrollView

        above = widget.parent
        while above is not None and above is not above.parent:
            if isinstance(above, ScrollView) and above.children and above.children[0].height > above.height:
                above.scroll_to(widget, padding=30, animate=False)
                for _ in range(3):
                    _think()
            above = above.parent

    def tap_icon(self, name: str) -> None:
        self.tap(self.find_icon(name))

    def type_into(self, field: Any, text: str) -> None:
        """Touch a field and type."""
        self.tap(field)
        field.text = ""
        for letter in text:
            field.insert_text(letter)
        self.settle()

    def key(self, code: int, *held: str) -> None:
        from kivy.core.window import Window

        Window.dispatch("on_key_down", code, 0, None, list(held))
        self.settle()

    def tap_route(self, route: str) -> None:
        """Touch a route on the board, moved into view first."""
        view = self.page.ids.board
        view.look_at(routes=[route], most=3.0)
        self.settle(2)
        self.touch(*view.to_window(*view.route_point(route)))

    def tap_city(self, city: str) -> None:
        view = self.page.ids.board
        view.look_at(cities=[city], most=4.0)
        self.settle(2)
        self.touch(*view.to_window(*view.city_point(city)))


def _think() -> None:
    """One turn of the app's clock without drawing, which is slow where no graphics card is."""
    from kivy.base import EventLoop
    from kivy.clock import Clock
    from kivy.lang import Builder

    Clock.tick()
    EventLoop.dispatch_input()
    Builder.sync()
    Clock.tick_draw()
    Builder.sync()


def _finger(number: int, x: float, y: float) -> Any:
    from kivy.input.motionevent import MotionEvent

    class Finger(MotionEvent):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            kwargs.setdefault("is_touch", True)
            kwargs.setdefault("type_id", "touch")
            super().__init__(*args, **kwargs)
            self.profile = ["pos"]

        def depack(self, args: Any) -> None:
            self.sx, self.sy = args["x"], args["y"]
            super().depack(args)

    return Finger("test", number, {"x": x, "y": y})


class FakePorts(DesktopPorts):
    """A machine for tests: files come from one folder and go to another."""

    browses = True
    has_camera = False
    shares = False

    def __init__(self, shared: Path) -> None:
        self.folder = shared
        self.pictures = shared
        self.clipboard = ""
        self.covered = (0, 0, 0, 0)
        self.left = 0
        self.waiting: Path | None = None
        self.camera: Any = None

    def webcam(self, desk: Any, folder: Path) -> Any:
        return self.camera or super().webcam(desk, folder)

    def waiting_photo(self) -> Path | None:
        return self.waiting

    def insets(self) -> tuple[int, int, int, int]:
        return self.covered

    def leave(self) -> None:
        self.left += 1

    def start_folder(self) -> Path:
        return self.pictures

    def copy_text(self, text: str) -> None:
        self.clipboard = text

    def save_file(self, name: str, data: bytes) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / name
        path.write_bytes(data)
        return path

    def reveal(self, path: Path) -> None:
        pass


class FakeReader:
    """Answers at once with what it was given: a sight, or an error."""

    def __init__(self, answer: Seen | CompanionError) -> None:
        self.answer = answer
        self.asked: list[Any] = []

    def read(self, order: Order, progress: Callable[[str], None]) -> Seen:
        self.asked.append(order)
        for stage in ("load", "locate", "read", "decide"):
            progress(stage)
        if isinstance(self.answer, CompanionError) and not order.corners:
            raise self.answer
        return self.answer if isinstance(self.answer, Seen) else Seen({}, {})

    def upright(self, photo: Path) -> Picture:
        return Picture(300, 200, bytes(range(180)) * 1000)

    def warm(self) -> None:
        pass

    def stop(self) -> None:
        pass


class FakeWebcam:
    """Shows what it is told to; takes the photo it was given, or has the trouble it was given."""

    def __init__(self, photo: Path | CompanionError) -> None:
        self.photo = photo
        self.stopped = False

    def start(self, frame: Callable[[Picture], None], done: Callable[[Path | CompanionError], None]) -> None:
        self.done = done
        if isinstance(self.photo, CompanionError):
            done(self.photo)
        else:
            frame(Picture(64, 36, bytes(64 * 36 * 3)))

    def take(self) -> None:
        self.done(self.photo)

    def stop(self) -> None:
        self.stopped = True

"""Opens the app. Everything Kivy must know before it is imported is said here."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from companion.app.application import RailApp


def data_folder() -> Path:
    """Where games and settings are kept; COMPANION_DATA points it elsewhere."""
    chosen = os.environ.get("COMPANION_DATA")
    if chosen:
        return Path(chosen)
    private = os.environ.get("ANDROID_PRIVATE")
    if private:
        return Path(private) / "companion"
    from platformdirs import user_data_path

    return user_data_path("rail-companion", appauthor=False)


def prepare(folder: Path) -> None:
    """Keep Kivy's hands off our arguments, our terminal and the home folder; then set up its window."""
    for name in ("KIVY_NO_ARGS", "KIVY_NO_CONSOLELOG", "KIVY_NO_FILELOG", "KIVY_NO_CONFIG"):
        os.environ.setdefault(name, "1")
    os.environ.setdefault("KIVY_LOG_MODE", "PYTHON")
    os.environ.setdefault("KIVY_HOME", str(folder / "kivy"))
    Path(os.environ["KIVY_HOME"]).mkdir(parents=True, exist_ok=True)
    from kivy.config import Config

    Config.set("kivy", "exit_on_escape", "0")
    Config.set("input", "mouse", "mouse,disable_multitouch")
    Config.set("graphics", "width", "1120")
    Config.set("graphics", "height", "760")
    Config.set("graphics", "minimum_width", "320")
    Config.set("graphics", "minimum_height", "320")
    Config.set("graphics", "multisamples", "0")
    Config.set("kivy", "window_icon", str(Path(__file__).resolve().parent / "art" / "app.png"))


def has_display() -> bool:
    """Whether a window can be hoped for: always on Android, Windows and macOS, with a display on Linux."""
    if sys.platform != "linux" or "ANDROID_PRIVATE" in os.environ:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_app() -> int:
    """Run the app until it is closed; raises CompanionError when no window can be opened."""
    from companion.errors import CompanionError

    if not has_display():
        raise CompanionError(
            "There is no display to open a window on: try `companion demo`, or `companion score GAME.json`."
        )
    folder = data_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        prepare(folder)
    except OSError as error:
        raise CompanionError(
            "The folder {folder} cannot be written to: set COMPANION_DATA to one that can.", folder=folder
        ) from error
    try:
        from kivy.core.window import Window
    except ImportError as error:
        raise CompanionError("Kivy is not installed: run `make setup`.") from error
    if Window is None:
        raise CompanionError("No window could be opened: check the display and its OpenGL driver.")
    from companion.app.application import RailApp

    app = RailApp(folder)
    _stay_up(app, folder)
    app.run()
    return 0


def _stay_up(app: RailApp, folder: Path) -> None:
    """A fault of ours must not cost an evening's game: note it down, say so, and go on."""
    import traceback

    from kivy.base import ExceptionHandler, ExceptionManager

    class Handler(ExceptionHandler):
        def handle_exception(self, fault: Exception) -> Any:
            with suppress(OSError), (folder / "trouble.txt").open("a", encoding="utf-8") as file:
                traceback.print_exception(fault, file=file)
            app.trouble(fault)
            return ExceptionManager.PASS

    ExceptionManager.add_handler(Handler())

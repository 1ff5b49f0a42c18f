"""A real window for the app's tests: on the display there is, or on an Xvfb of our own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.driver import Driver


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    """A display to open windows on; without Xvfb the app's tests say so and are skipped."""
    if os.environ.get("COMPANION_TEST_DISPLAY"):
        yield os.environ["COMPANION_TEST_DISPLAY"]
        return
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed, so no window can be opened")
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as told:
        number = told.readline().strip()
    assert number, "Xvfb did not start"
    os.environ["DISPLAY"] = f":{number}"
    yield f":{number}"
    server.terminate()
    server.wait(10)


@pytest.fixture(scope="session")
def window(display: str) -> Any:
    """The one window that all tests share."""
    os.environ["KIVY_METRICS_DENSITY"] = "1"
    os.environ["LANG"] = "en_GB.UTF-8"
    os.environ.pop("LC_ALL", None)
    from companion.app.launch import prepare

    prepare(Path(tempfile.mkdtemp(prefix="companion-")))
    from kivy.config import Config

    Config.set("graphics", "multisamples", "0")
    Config.set("graphics", "width", "412")
    Config.set("graphics", "height", "892")
    from kivy.core.window import Window

    if Window is None:
        pytest.skip("no window could be opened on this display")
    return Window


Opener = Callable[..., Driver]


@pytest.fixture
def start(window: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Iterator[Opener]:
    """Starts the app; called again, it starts anew over the same saves."""
    opened: list[Driver] = []

    def opener(size: tuple[int, int] = (412, 892), motion: float = 0.0, **kwargs: Any) -> Driver:
        if opened:
            opened[-1].close()
        window.size = size
        driver = Driver(tmp_path / "data", tmp_path / "shared", motion, **kwargs)
        opened.append(driver)
        return driver

    yield opener
    if opened:
        opened[-1].close()
    restless = [r for r in caplog.records if "too much iteration" in r.getMessage()]
    assert not restless, "a layout never came to rest"

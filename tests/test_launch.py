"""Opening the app: what it needs, and one clear sentence where it cannot."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_without_a_display_one_sentence_says_so(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment["COMPANION_DATA"] = str(tmp_path)
    code = "import sys; from companion.cli import main; sys.exit(main([]))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1 and "no display" in done.stderr


def test_kivy_leaves_the_home_folder_alone(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from companion.app.launch import prepare; "
        "prepare(Path(sys.argv[1])); print('cv2' in sys.modules, 'numpy' in sys.modules)"
    )
    home = tmp_path / "home"
    home.mkdir()
    environment = {**os.environ, "HOME": str(home)}
    environment.pop("KIVY_HOME", None)
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "data")], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "False"]
    assert list(home.iterdir()) == []

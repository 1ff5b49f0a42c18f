"""Own boards: listed, packed, and taken in from strangers without harm; pieces learned from a photo."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from calibration.palette import learn_palette, set_palette
from companion.board import bundled_maps, load_board
from companion.cli import main
from companion.errors import BoardError, CalibrationError
from companion.overview import overview
from companion.sharing import export_board, import_board
from companion.vision.photo import Photo


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "data"))
    return tmp_path / "data" / "boards"


def _pack(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, data in files.items():
            pack.writestr(name, data)
    return path


def _good() -> dict[str, bytes]:
    return {
        name: (bundled_maps() / "new-york" / name).read_bytes() for name in ("board.json", "tickets.json", "signature.npz")
    }


def test_a_board_travels(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export_board("new-york", tmp_path / "gift.zip")
    assert main(["maps", "import", str(tmp_path / "gift.zip")]) == 0
    assert load_board("my-new-york").routes == load_board("new-york").routes
    assert "my-new-york" in {entry["map"] for entry in overview()}
    assert main(["maps", "import", str(tmp_path / "gift.zip")]) == 1
    assert main(["maps", "export", "my-new-york", str(tmp_path / "again.zip")]) == 0
    assert "already" in capsys.readouterr().err


def test_harmful_packs_are_refused(home: Path, tmp_path: Path) -> None:
    good = _good()
    broken = json.loads(good["board.json"])
    broken["cities"][0]["x"] = 7
    link = zipfile.ZipInfo("board.json")
    link.external_attr = 0o120777 << 16
    packs = {
        "escape": _pack(tmp_path / "a.zip", {"../board.json": b"{}"}),
        "extra": _pack(tmp_path / "b.zip", {**good, "run.py": b"print()"}),
        "fault": _pack(tmp_path / "c.zip", {**good, "board.json": json.dumps(broken).encode()}),
        "bomb": _pack(tmp_path / "d.zip", {**good, "tickets.json": b" " * 5_000_000}),
        "signature": _pack(tmp_path / "e.zip", {**good, "signature.npz": b"PK nonsense"}),
        "missing": _pack(tmp_path / "f.zip", {"board.json": good["board.json"]}),
    }
    with zipfile.ZipFile(tmp_path / "g.zip", "w") as pack:
        pack.writestr(link, "/etc/passwd")
    packs["link"] = tmp_path / "g.zip"
    (tmp_path / "h.zip").write_bytes(b"not a zip")
    packs["noise"] = tmp_path / "h.zip"
    packs["absent"] = tmp_path / "none.zip"
    for path in packs.values():
        with pytest.raises(BoardError):
            import_board(path)
    assert not home.exists() or not list(home.iterdir())


def test_pieces_are_learned(home: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    pixels = np.full((600, 800, 3), 150, np.uint8)
    looks = {"magenta": (200, 40, 150), "brown": (110, 70, 40), "silver": (170, 172, 176)}
    spots = {"magenta": (100.0, 100.0), "brown": (300.0, 200.0), "silver": (500.0, 400.0)}
    for name, (x, y) in spots.items():
        pixels[int(y) - 6 : int(y) + 6, int(x) - 14 : int(x) + 14] = looks[name][::-1]
    noisy = np.clip(pixels + rng.normal(0, 5, pixels.shape), 0, 255).astype(np.uint8)
    palette = learn_palette(Photo(noisy, 1.0, (800, 600)), {name: [spot] for name, spot in spots.items()})
    for name, rgb in palette.items():
        assert max(abs(a - b) for a, b in zip(rgb, looks[name], strict=True)) < 12
    folder = tmp_path / "map"
    folder.mkdir()
    for name, data in _good().items():
        (folder / name).write_bytes(data)
    set_palette(folder, palette)
    assert load_board(folder).rules.colors == ("magenta", "brown", "silver")
    with pytest.raises(CalibrationError):
        learn_palette(Photo(noisy, 1.0, (800, 600)), {"red": [(5000.0, 2.0)]})

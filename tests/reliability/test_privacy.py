"""No network, no place kept from a photo, and a way to delete everything."""

from __future__ import annotations

import ast
import socket
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.cli import main
from companion.errors import StoreError
from companion.samples import load_sample
from companion.store import Store
from tests.conftest import ATTEMPTS
from tests.vision.test_strip import PLACE, with_place

ROOT = Path(__file__).resolve().parents[2]
NETWORK = {"socket", "ssl", "http", "urllib", "urllib3", "requests", "ftplib", "smtplib", "asyncio", "webbrowser", "xmlrpc"}


def test_the_guard_is_awake() -> None:
    with pytest.raises(PermissionError), socket.socket() as line:
        line.connect(("127.0.0.1", 9))
    ATTEMPTS.clear()


def test_no_command_reaches_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample = load_sample()
    game, photo = str(ROOT / "companion/sample/europe/game.json"), str(sample.photo)
    commands = [
        ["demo"],
        ["maps"],
        ["maps", "--json"],
        ["maps", "check", str(ROOT / "maps" / "europe")],
        ["score", game, "--json"],
        ["read", photo, "--map", "europe", "--overlay", str(tmp_path / "o.png")],
        ["read", "https://example.org/board.jpg", "--map", "europe"],
        ["read", photo, "--map", "https://example.org/europe"],
    ]
    for command in commands:
        main(command)
    capsys.readouterr()
    assert ATTEMPTS == []


def test_no_module_of_ours_knows_the_network() -> None:
    for folder in ("companion", "calibration"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
                names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
                assert not {name.split(".")[0] for name in names} & NETWORK, f"{path.name} imports {names}"
                assert not any(name.split(".")[0] in ("pickle", "shelve", "marshal") for name in names), path.name


def test_numpy_files_are_loaded_without_pickle() -> None:
    for folder in ("companion", "calibration"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "load":
                    owner = node.func.value
                    if isinstance(owner, ast.Name) and owner.id == "np":
                        given = {k.arg: getattr(k.value, "value", None) for k in node.keywords}
                        assert given.get("allow_pickle") is False, path.name


def test_the_copy_we_keep_of_a_photo_has_no_place(tmp_path: Path) -> None:
    from companion.vision.overlay import save_picture
    from companion.vision.photo import read_photo

    picture = np.random.default_rng(1).integers(0, 255, (300, 400, 3), np.uint8)
    photo = read_photo(with_place(bytes(cv2.imencode(".jpg", picture)[1]), 6))
    save_picture(photo.pixels, tmp_path / "kept.jpg")
    kept = (tmp_path / "kept.jpg").read_bytes()
    assert PLACE not in kept and b"Exif" not in kept


def test_everything_can_be_deleted(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for part in ("games/a.json", "photos/1.jpg", "photos/incoming/1.photo", "photos/outgoing/r.png", "set-aside/b.json"):
        path = tmp_path / part
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    store.keep_settings({"language": "fr"})
    (tmp_path / "boards" / "mine").mkdir(parents=True)
    outside = tmp_path.parent / "outside"
    outside.mkdir()
    (outside / "theirs").write_text("x")
    (tmp_path / "boards" / "link").symlink_to(outside)
    store.delete_everything()
    assert list(tmp_path.iterdir()) == []
    assert (outside / "theirs").exists(), "links are removed, not followed"


def test_what_cannot_be_deleted_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "settings.json").write_text("{}")

    def refuse(path: Path, missing_ok: bool = False) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(StoreError, match="Not everything"):
        Store(tmp_path).delete_everything()

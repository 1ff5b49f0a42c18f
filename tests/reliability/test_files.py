"""Hostile map folders, games and settings: all faults listed, nothing opened that is not a file of the folder."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.board import folder_faults, load_board
from companion.cli import main
from companion.errors import BoardError, CompanionError
from companion.game import parse_game
from companion.vision.header import read_header
from companion.vision.photo import read_photo
from companion.vision.signature import Signature
from companion.vision.strip import stripped

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "maps" / "new-york", tmp_path / "map")
    return tmp_path / "map"


@pytest.mark.parametrize("what", ["pictures", "files"])
def test_a_short_fuzz_run(what: str) -> None:
    # In a process of its own: the memory of the tests before this one is not the gate's.
    command = [sys.executable, "-m", "bench.fuzz", what, "--count", "300", "--seed", "11"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert run.returncode == 0, run.stderr
    first = run.stdout.splitlines()[0]
    assert first.startswith(f"300 mutated {what}")
    assert "," in first, "some are read, some refused"


def test_links_out_of_the_folder_are_not_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text("{}")
    (folder / "tickets.json").unlink()
    (folder / "tickets.json").symlink_to(tmp_path / "secret.json")
    assert any("leads out of the folder" in fault for fault in folder_faults(folder))


@pytest.mark.parametrize("what", ["pipe", "endless", "folder"])
def test_only_files_are_opened(folder: Path, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "board.json").unlink()
    if what == "pipe":
        os.mkfifo(folder / "board.json")
    elif what == "endless":
        (folder / "board.json").symlink_to("/dev/zero")
    else:
        (folder / "board.json").mkdir()
    assert main(["maps", "check", str(folder)]) == 1
    assert "is not a file" in capsys.readouterr().out


def test_all_faults_are_listed(folder: Path) -> None:
    raw = json.loads((folder / "board.json").read_text(encoding="utf-8"))
    raw["cities"][0]["x"] = 1e999
    raw["cities"][1]["id"] = "../../up"
    raw["routes"][0]["length"] = 10**30
    raw["rules"]["trains"] = "many"
    (folder / "board.json").write_text(json.dumps(raw).replace("Infinity", "1e999"))
    faults = " ".join(folder_faults(folder))
    for part in ("x and y from 0 to 1", "lower-case letters", "length must be", "trains must say"):
        assert part in faults


def test_a_signature_that_unpacks_to_too_much_is_refused(folder: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("points.npy", b"\0" * 30_000_000)
    (folder / "signature.npz").write_bytes(packed.getvalue())
    with pytest.raises(BoardError):
        Signature.load(folder / "signature.npz")


def test_a_signature_with_pickled_objects_is_refused(folder: Path) -> None:
    trap = np.array([print], dtype=object)
    np.savez(
        folder / "signature.npz", format=np.int32(1), aspect=1.0, points=trap, sizes=trap, angles=trap, descriptors=trap
    )
    with pytest.raises(BoardError, match="calibrate"):
        Signature.load(folder / "signature.npz")


def test_a_signature_that_is_a_pipe_or_leads_out_is_refused(folder: Path, tmp_path: Path) -> None:
    path = folder / "signature.npz"
    path.rename(tmp_path / "elsewhere.npz")
    os.mkfifo(path)
    with pytest.raises(BoardError, match="calibrate"):
        Signature.load(path)
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere.npz")
    with pytest.raises(BoardError, match="calibrate"):
        Signature.load(path)


def test_a_signature_in_another_packing_is_refused(folder: Path) -> None:
    with zipfile.ZipFile(folder / "signature.npz") as ours:
        contents = {name: ours.read(name) for name in ours.namelist()}
    with zipfile.ZipFile(folder / "signature.npz", "w", zipfile.ZIP_LZMA) as other:
        for name, data in contents.items():
            other.writestr(name, data)
    with pytest.raises(BoardError, match="calibrate"):
        Signature.load(folder / "signature.npz")


@pytest.mark.parametrize("name", ["../../etc", "/etc", "europe/../../x", "\0", "x" * 10_000, "~", "."])
def test_no_map_name_leads_anywhere(name: str) -> None:
    with pytest.raises(BoardError):
        load_board(name)


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4)
)
KEYS = st.sampled_from(["map", "players", "claims", "stations", "variant", "options", "name", "color", "tickets", "extras"])


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(KEYS, JSON | st.just("europe")))
def test_any_json_is_a_game_or_a_sentence(raw: dict[str, Any]) -> None:
    try:
        parse_game({"map": "europe", **raw})
    except CompanionError:
        return


@settings(max_examples=300, deadline=None)
@given(st.sampled_from([b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"RIFF\0\0\0\0WEBPVP8X", b""]), st.binary(max_size=400))
def test_any_bytes_are_a_picture_or_a_sentence(start: bytes, rest: bytes) -> None:
    for gate in (read_header, stripped, read_photo):
        try:
            gate(start + rest)
        except CompanionError:
            continue

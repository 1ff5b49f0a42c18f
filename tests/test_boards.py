"""A person's own boards: they travel in one file, and nothing else gets in with them."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest

from companion.board import bundled_maps, load_board
from companion.boards import MOST, own_boards, pack, unpack
from companion.cli import main
from companion.errors import BoardError
from companion.overview import overview

GOOD = {name: (bundled_maps() / "new-york" / name).read_bytes() for name in MOST}


def parcel(path: Path, files: dict[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", how) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return path


def test_a_shared_board_arrives_whole(tmp_path: Path) -> None:
    (tmp_path / "Europe.railboard").write_bytes(pack(load_board("europe")))
    first = unpack(tmp_path / "Europe.railboard", tmp_path / "boards")
    second = unpack(tmp_path / "Europe.railboard", tmp_path / "boards")
    assert first == load_board("europe") and first.folder != second.folder
    assert [b.name for b in own_boards(tmp_path / "boards")] == ["Europe", "Europe"]
    assert sorted(p.name for p in (tmp_path / "boards").iterdir()) == ["europe-2", "europe-3"]


def test_commands_and_app_see_the_same_boards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "data"))
    gift = str(tmp_path / "gift.railboard")
    assert main(["maps", "export", "new-york", gift]) == 0
    assert main(["maps", "import", gift]) == 0
    assert "--map new-york-2" in capsys.readouterr().out
    assert load_board("new-york-2").routes == load_board("new-york").routes
    assert "new-york-2" in {entry["map"] for entry in overview()}
    assert [b.name for b in own_boards(tmp_path / "data" / "boards")] == ["New York"]
    assert main(["maps", "export", "new-york-2", str(tmp_path / "again.railboard")]) == 0
    assert main(["maps", "export", "new-york-2", str(tmp_path / "gift.railboard" / "x")]) == 1


def broken() -> bytes:
    raw = json.loads(GOOD["board.json"])
    raw["routes"][0]["a"] = "atlantis"
    return json.dumps(raw).encode()


@pytest.mark.parametrize(
    "files",
    [
        {**GOOD, "../board.json": b"{}"},
        {**GOOD, "/board.json": b"{}"},
        {**GOOD, "x/board.json": b"{}"},
        {**GOOD, "a/../../evil.json": b"{}"},
        {**GOOD, "run.py": b"print()"},
        {**GOOD, "board.json": broken()},
        {**GOOD, "tickets.json": b" " * 5_000_000},
        {**GOOD, "signature.npz": b"PK nonsense"},
        {"board.json": GOOD["board.json"]},
        {"tickets.json": GOOD["tickets.json"]},
        {},
    ],
)
def test_a_harmful_parcel_is_refused_and_leaves_nothing(tmp_path: Path, files: dict[str, bytes]) -> None:
    evil = parcel(tmp_path / "evil.railboard", files)
    with pytest.raises(BoardError):
        unpack(evil, tmp_path / "in" / "boards")
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == ["evil.railboard"]


@pytest.mark.parametrize("how", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_only_our_own_packing_is_opened(tmp_path: Path, how: int) -> None:
    with pytest.raises(BoardError, match="not a shared board"):
        unpack(parcel(tmp_path / "odd.railboard", GOOD, how), tmp_path / "boards")


def test_a_link_in_a_parcel_leads_nowhere(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("board.json")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "link.railboard", "w") as made:
        made.writestr(link, str(bundled_maps() / "usa" / "board.json"))
        made.writestr("tickets.json", (bundled_maps() / "usa" / "tickets.json").read_bytes())
    with pytest.raises(BoardError):
        unpack(tmp_path / "link.railboard", tmp_path / "boards")
    assert list((tmp_path / "boards").iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"x" * 100])
def test_what_is_no_parcel_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "no.zip").write_bytes(content)
    with pytest.raises(BoardError, match="not a shared board"):
        unpack(tmp_path / "no.zip", tmp_path / "boards")


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "nothing"):
        with pytest.raises(BoardError, match="There is no file"):
            unpack(path, tmp_path / "boards")

"""A person's own boards: they travel in one file, and nothing else gets in with them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from companion.board import bundled_maps, load_board
from companion.boards import own_boards, pack, unpack
from companion.errors import BoardError


def test_a_shared_board_arrives_whole(tmp_path: Path) -> None:
    parcel = tmp_path / "Europe.railboard"
    parcel.write_bytes(pack(load_board("europe")))
    first = unpack(parcel, tmp_path / "boards")
    second = unpack(parcel, tmp_path / "boards")
    assert first == load_board("europe") and first.folder != second.folder
    assert [b.name for b in own_boards(tmp_path / "boards")] == ["Europe", "Europe"]
    assert sorted(p.name for p in (tmp_path / "boards").iterdir()) == ["europe", "europe-2"]


@pytest.mark.parametrize("name", ["../board.json", "/board.json", "x/board.json", "board.txt"])
def test_nothing_is_taken_from_elsewhere_in_a_parcel(tmp_path: Path, name: str) -> None:
    parcel = tmp_path / "evil.zip"
    with zipfile.ZipFile(parcel, "w") as made:
        made.writestr(name, "{}")
    with pytest.raises(BoardError):
        unpack(parcel, tmp_path / "in" / "boards")
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == ["evil.zip"]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"x" * 100])
def test_what_is_no_parcel_is_refused(tmp_path: Path, content: bytes) -> None:
    parcel = tmp_path / "no.zip"
    parcel.write_bytes(content)
    with pytest.raises(BoardError, match="not a shared board"):
        unpack(parcel, tmp_path / "boards")


def test_a_broken_board_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    raw = json.loads((bundled_maps() / "usa" / "board.json").read_text(encoding="utf-8"))
    raw["routes"][0]["a"] = "atlantis"
    parcel = tmp_path / "broken.zip"
    with zipfile.ZipFile(parcel, "w") as made:
        made.writestr("board.json", json.dumps(raw))
        made.write(bundled_maps() / "usa" / "tickets.json", "tickets.json")
    with pytest.raises(BoardError, match="cannot be used"):
        unpack(parcel, tmp_path / "boards")
    assert list((tmp_path / "boards").iterdir()) == []

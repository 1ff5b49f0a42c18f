"""Saves are written whole or not at all, and none is ever lost."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.kills import full_disk, kills
from bench.longrun import list_games
from companion.app.saver import Saver
from companion.app.workshop import Workshop
from companion.board import bundled_maps
from companion.draft import Draft
from companion.errors import CompanionError, StoreError
from companion.samples import load_sample
from companion.store import FORMAT, MIGRATIONS, Store, save_form, write_whole


@pytest.fixture
def draft() -> Draft:
    sample = load_sample()
    return Draft(sample.board, sample.game, id="evening", changed="2026-11-18T20:00:00")


def test_twenty_kills_lose_nothing() -> None:
    ends = kills(20, seed=3)
    assert ends["LOST"] == 0 and sum(ends.values()) == 20


def test_a_full_disk_loses_nothing() -> None:
    ends = full_disk(20, seed=3)
    assert ends["LOST"] == 0 and ends["refused in a sentence"] > 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_to(tmp_path: Path, draft: Draft) -> None:
    store = Store(tmp_path)
    store.save(draft)
    (tmp_path / "games").chmod(0o500)
    try:
        with pytest.raises(StoreError, match="can be written to"):
            store.save(draft)
        assert store.load("evening").game == draft.game
    finally:
        (tmp_path / "games").chmod(0o700)


def test_a_refusing_disk_leaves_the_last_state(tmp_path: Path, draft: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)
    store.save(draft)

    def refuse(path: Path, goal: Any) -> Path:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(StoreError, match="not allowed"):
        store.save(draft)
    monkeypatch.undo()
    assert store.load("evening").game == draft.game
    assert [p.name for p in (tmp_path / "games").iterdir()] == ["evening.json"]


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b'{"format": 2}', b"\xff\xfe", b"[" * 100_000, b'{"format": "x"}'])
def test_an_unreadable_save_is_set_aside_and_told_of(tmp_path: Path, broken: bytes) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "a.json").write_bytes(broken)
    store = Store(tmp_path)
    assert store.entries() == [] and store.set_aside == ["a.json"]
    assert (tmp_path / "set-aside" / "a.json").read_bytes() == broken, "never deleted"
    with pytest.raises(StoreError, match="set aside"):
        store.load("a")


def test_a_newer_save_is_refused_and_stays(tmp_path: Path, draft: Draft) -> None:
    path = tmp_path / "games" / "evening.json"
    write_whole(path, {**save_form(draft, ()), "format": FORMAT + 1, "news": True})
    kept = path.read_bytes()
    store = Store(tmp_path)
    assert store.entries() == []
    with pytest.raises(StoreError, match="newer version"):
        store.load("evening")
    assert path.read_bytes() == kept and store.set_aside == []


def test_newer_saves_are_told_of_once_and_newer_settings_stay(tmp_path: Path, draft: Draft) -> None:
    write_whole(tmp_path / "games" / "evening.json", {**save_form(draft, ()), "format": FORMAT + 1})
    write_whole(tmp_path / "settings.json", {"format": FORMAT + 1, "settings": {"language": "de"}, "news": True})
    store = Store(tmp_path)
    store.entries()
    assert store.newly_newer() and not store.newly_newer()
    kept = (tmp_path / "settings.json").read_bytes()
    assert store.settings() == {}
    with pytest.raises(StoreError, match="newer"):
        store.keep_settings({"language": "fr"})
    assert (tmp_path / "settings.json").read_bytes() == kept


def test_a_game_whose_board_is_gone_waits_for_it(tmp_path: Path, draft: Draft) -> None:
    shutil.copytree(bundled_maps() / draft.board.id, tmp_path / "island")
    draft.game = replace(draft.game, map=str(tmp_path / "island"))
    store = Store(tmp_path)
    store.save(draft)
    (tmp_path / "island").rename(tmp_path / "away")
    with pytest.raises(StoreError, match="add that board again"):
        store.load(draft.id)
    assert store.set_aside == []
    (tmp_path / "away").rename(tmp_path / "island")
    assert store.load(draft.id).game == draft.game


def in_format(number: int, draft: Draft) -> dict[str, Any]:
    """The draft as the version that wrote this format would have kept it."""
    now = save_form(draft, ())
    return {1: {"format": 1, **now["draft"]}, 2: now}[number]


@pytest.mark.parametrize("number", range(1, FORMAT + 1))
def test_every_older_format_is_read(tmp_path: Path, draft: Draft, number: int) -> None:
    write_whole(tmp_path / "games" / "evening.json", in_format(number, draft))
    store = Store(tmp_path)
    assert [e.id for e in store.entries()] == ["evening"]
    assert store.load("evening").game == draft.game
    assert set(MIGRATIONS) == set(range(1, FORMAT))


def test_names_no_encoding_knows_are_kept(tmp_path: Path, draft: Draft) -> None:
    raw = save_form(draft, ())
    raw["draft"]["game"]["players"][0]["name"] = "Zo\ud800ë"
    store = Store(tmp_path)
    store.write("evening", raw)
    assert store.load("evening").game.players[0].name == "Zo\ud800ë"


def test_a_pipe_among_the_saves_does_not_stop_the_start(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    os.mkfifo(tmp_path / "games" / "pipe.json")
    assert Store(tmp_path).entries() == []


@pytest.mark.parametrize("name", ["../a", "/etc/passwd", "", "a" * 50, "a/b", "."])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError):
        Store(tmp_path).load(name)


def test_leftovers_of_a_kill_are_tidied_up_later(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    old, fresh = tmp_path / "games" / ".a.json.1.part", tmp_path / "games" / ".b.json.2.part"
    for path in (old, fresh):
        path.write_text("half a ga")
    os.utime(old, (1, 1))
    Store(tmp_path)
    assert not old.exists() and fresh.exists(), "another program may be writing the fresh one"


def test_the_saver_outlives_any_trouble(tmp_path: Path, draft: Draft) -> None:
    told: list[CompanionError] = []
    saver = Saver(Store(tmp_path), told.append)
    saver.keep("odd", {"cannot": object()})
    assert saver.flush() and len(told) == 1
    saver.keep("evening", save_form(draft, ()))
    assert saver.flush() and Store(tmp_path).load("evening").game == draft.game


def test_a_thousand_games_are_listed_at_once() -> None:
    first, _ = list_games(300)
    assert first < 1.0, "300 games"


def test_saves_are_plain_json(tmp_path: Path, draft: Draft) -> None:
    Store(tmp_path).save(draft)
    assert json.loads((tmp_path / "games" / "evening.json").read_bytes())["format"] == FORMAT


@pytest.mark.parametrize(("broken", "left"), [("changes.json", True), ("board.json", False)])
def test_a_board_in_the_making_that_cannot_be_read_is_set_aside(tmp_path: Path, broken: str, left: bool) -> None:
    store = Store(tmp_path)
    bench = Workshop(tmp_path / "boards", _no_trouble, store.put_aside)
    shutil.copytree(bundled_maps() / "new-york", bench.folder)
    (bench.folder / broken).write_text("{not json", encoding="utf-8")
    waiting = bench.waiting()
    assert (waiting is not None) == left
    assert (tmp_path / "set-aside" / broken).read_text(encoding="utf-8") == "{not json"
    assert store.set_aside == [broken]


def _no_trouble(error: CompanionError) -> None:
    raise error

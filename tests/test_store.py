"""Saves: written whole or not at all, brought up to date, set aside when broken, never lost."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from companion.draft import Doubt, Draft, draft_to_raw, new_draft
from companion.errors import CompanionError, StoreError
from companion.history import records
from companion.store import FORMAT, Score, Store

PEOPLE = (("Ana", "blue"), ("Ben", "red"))


def a_draft() -> Draft:
    draft = new_draft("europe", PEOPLE)
    draft.claim("brest-paris", "blue")
    draft.build("paris", "red")
    draft.hold("blue", [draft.board.tickets["brest-petrograd"]])
    draft.doubts = (Doubt("route", "paris-zurich", (("red", 0.6), (None, 0.4))),)
    draft.step = "tickets"
    return draft


def test_a_saved_game_comes_back_as_it_was(tmp_path: Path) -> None:
    draft = a_draft()
    Store(tmp_path).save(draft)
    back = Store(tmp_path).load(draft.id)
    assert draft_to_raw(back) == draft_to_raw(draft)
    entry = Store(tmp_path).unfinished()
    assert entry is not None and entry.id == draft.id and entry.step == "tickets"


def test_the_first_format_is_brought_up_to_date(tmp_path: Path) -> None:
    draft = a_draft()
    (tmp_path / "games").mkdir()
    path = tmp_path / "games" / f"{draft.id}.json"
    path.write_text(json.dumps({"format": 1, **draft_to_raw(draft)}))
    assert Store(tmp_path).load(draft.id).game == draft.game
    assert Store(tmp_path).entries()[0].scores == ()


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b"\xff\xfe", b'{"format": "x"}', b'{"format": 2}', b'{"format": 0}'])
def test_an_unreadable_save_is_set_aside_and_told_of(tmp_path: Path, broken: bytes) -> None:
    good = a_draft()
    store = Store(tmp_path)
    store.save(good)
    (tmp_path / "games" / "bad.json").write_bytes(broken)
    assert [e.id for e in store.entries()] == [good.id]
    assert store.set_aside == ["bad.json"]
    assert (tmp_path / "set-aside" / "bad.json").read_bytes() == broken


def test_a_save_of_a_newer_program_is_left_alone(tmp_path: Path) -> None:
    store = Store(tmp_path)
    (tmp_path / "games").mkdir()
    path = tmp_path / "games" / "later.json"
    path.write_text(json.dumps({"format": FORMAT + 1}))
    assert store.entries() == [] and store.set_aside == []
    with pytest.raises(StoreError):
        store.load("later")
    assert path.exists()


@pytest.mark.parametrize("name", ["../evil", "", "a/b", "x" * 60, "."])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError):
        Store(tmp_path).load(name)


@pytest.mark.parametrize("moment", ["fsync", "replace"])
def test_a_full_disk_leaves_the_last_good_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    store, draft = Store(tmp_path), a_draft()
    store.save(draft)
    before = store.load(draft.id).game

    def refuse(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    draft.claim("paris-zurich", "red")
    with monkeypatch.context() as patched:
        if moment == "fsync":
            patched.setattr(os, "fsync", refuse)
        else:
            patched.setattr(Path, "replace", refuse)
        with pytest.raises(StoreError, match="disk is full"):
            store.save(draft)
    assert store.load(draft.id).game == before
    assert [p.name for p in (tmp_path / "games").iterdir()] == [f"{draft.id}.json"]


def test_deleting_can_be_undone(tmp_path: Path) -> None:
    store, draft = Store(tmp_path), a_draft()
    store.save(draft)
    bring_back = store.delete(draft.id)
    assert store.entries() == []
    bring_back()
    assert store.load(draft.id).game == draft.game


def test_everything_can_be_deleted(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.save(a_draft())
    store.keep_settings({"language": "fr"})
    store.delete_everything()
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


@pytest.mark.alone
def test_a_thousand_games_are_listed_at_once(tmp_path: Path) -> None:
    store, draft = Store(tmp_path), a_draft()
    store.save(draft)
    text = (tmp_path / "games" / f"{draft.id}.json").read_text()
    for number in range(1000):
        (tmp_path / "games" / f"g{number}.json").write_text(text.replace(draft.id, f"g{number}"))
    began = time.perf_counter()
    assert len(store.entries()) == 1001
    assert time.perf_counter() - began < 3.0


def test_records_count_wins_and_keep_the_order(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for day, (ana, ben) in enumerate(((100, 90), (80, 120), (110, 95)), 1):
        draft = a_draft()
        draft.created, draft.finished = f"2026-01-0{day}T20:00:00+00:00", True
        best = max(ana, ben)
        store.save(
            draft, tuple(Score(n, c, t, 1 if t == best else 2) for n, c, t in (("Ana", "blue", ana), ("Ben", "red", ben)))
        )
    first, second = records(store.entries())
    assert (first.name, first.wins, first.games, first.best, first.totals) == ("Ana", 2, 3, 110, (100, 80, 110))
    assert (second.name, second.wins, round(second.mean)) == ("Ben", 1, 102)


SAVING = """
import sys
from pathlib import Path
from companion.draft import new_draft
from companion.store import Store
store, draft = Store(Path(sys.argv[1])), new_draft("europe", (("Ana", "blue"), ("Ben", "red")))
draft.id = "evening"
routes = sorted(draft.board.routes)
print("ready", flush=True)
while True:
    for route in routes:
        draft.claim(route, None if draft.game.claims.get(route) else "blue")
        store.save(draft)
"""


def test_a_kill_while_saving_leaves_a_whole_game(tmp_path: Path) -> None:
    """SIGKILL at odd moments: the next start always finds a game it can open."""
    for number in range(6):
        process = subprocess.Popen([sys.executable, "-c", SAVING, str(tmp_path)], stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.03 + 0.017 * number)
        process.send_signal(signal.SIGKILL)
        process.wait()
        store = Store(tmp_path)
        assert [e.id for e in store.entries()] in ([], ["evening"])
        assert store.set_aside == []
        if store.entries():
            assert store.load("evening").game.players[0].name == "Ana"
    assert store.entries()


def test_undo_and_redo_walk_the_same_way() -> None:
    draft = new_draft("europe", PEOPLE)
    states = [draft.game]
    for route in ("brest-paris", "paris-zurich", "brest-dieppe"):
        draft.claim(route, "blue")
        states.append(draft.game)
    while draft.undo():
        pass
    assert draft.game == states[0]
    while draft.redo():
        pass
    assert draft.game == states[-1]
    draft.undo()
    draft.claim("paris-zurich", "red")
    assert not draft.can_redo


def test_a_new_board_clears_the_table_but_keeps_the_people() -> None:
    draft = a_draft()
    draft.set_table("usa", "classic", (), PEOPLE)
    assert draft.game.claims == {} and draft.doubts == ()
    assert [p.name for p in draft.game.players] == ["Ana", "Ben"]
    draft.set_table("usa", "classic", (), (("Anna", "blue"), ("Ben", "red")))
    assert draft.player("blue").name == "Anna"


def test_a_store_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "games").write_text("a file where a folder should be")
    with pytest.raises(CompanionError, match="Could not save"):
        Store(tmp_path).save(a_draft())

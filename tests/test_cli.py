"""The commands as a person runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from companion.cli import main

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "companion" / "sample" / "europe" / "game.json"


def game(**changes: Any) -> str:
    raw = {"map": "europe", "players": [{"name": "Ana", "color": "blue"}], "claims": {}, **changes}
    return json.dumps(raw)


BAD_GAMES = {
    "not json": "hello",
    "empty": "",
    "a list": "[]",
    "binary": "\x00\x01\x02",
    "deep": "[" * 200_000,
    "no map": json.dumps({"players": []}),
    "unknown map": game(map="atlantis"),
    "map is a number": game(map=7),
    "map is a long word": game(map="x" * 100_000),
    "unknown colour": game(players=[{"name": "Ana", "color": "mauve"}]),
    "colour is a list": game(players=[{"name": "Ana", "color": ["blue"]}]),
    "claim of unknown colour": game(claims={"brest-paris": "mauve"}),
    "ticket to nowhere": game(players=[{"name": "Ana", "color": "blue", "tickets": ["atlantis-paris"]}]),
    "write-in to nowhere": game(
        players=[{"name": "Ana", "color": "blue", "tickets": [{"a": "paris", "b": "x", "points": 1}]}]
    ),
    "ticket in place": game(
        players=[{"name": "Ana", "color": "blue", "tickets": [{"a": "roma", "b": "roma", "points": 1}]}]
    ),
    "negative points": game(players=[{"name": "A", "color": "blue", "tickets": [{"a": "roma", "b": "wien", "points": -5}]}]),
    "negative extras": game(players=[{"name": "Ana", "color": "blue", "extras": {"goods": -1}}]),
    "extras are text": game(players=[{"name": "Ana", "color": "blue", "extras": {"goods": "many"}}]),
    "points are NaN": game(players=[{"color": "blue", "tickets": [{"a": "roma", "b": "wien", "points": float("nan")}]}]),
    "huge number": game(players=[{"name": "Ana", "color": "blue", "extras": {"goods": 10**400}}]),
    "a thousand players": game(players=[{"name": str(n), "color": "blue"} for n in range(1000)]),
    "two of a colour": game(players=[{"name": "Ana", "color": "blue"}, {"name": "Ben", "color": "blue"}]),
    "no players": game(players=[]),
    "players are text": game(players="Ana"),
    "claims are a list": game(claims=["brest-paris"]),
    "stations are text": game(stations="roma"),
    "options are text": game(options="depots"),
    "a surrogate": '{"map": "\\ud800"}',
}


@pytest.mark.parametrize("name", BAD_GAMES)
def test_bad_game_gets_one_sentence(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.json"
    path.write_text(BAD_GAMES[name])
    assert main(["score", str(path)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert len(err) < 400


def test_files_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(100_000_000)
    for path in (tmp_path, fifo, huge, tmp_path / "absent.json"):
        assert main(["score", str(path)]) == 1
        assert capsys.readouterr().err.count("\n") == 1


def test_the_form_of_score_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", str(SAMPLE), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert set(result) >= {"players", "winners", "decided_by", "problems"}
    names = [player["name"] for player in json.loads(SAMPLE.read_text("utf-8"))["players"]]
    assert [player["name"] for player in result["players"]] == names
    for player in result["players"]:
        assert player["total"] == sum(player["breakdown"].values())
        assert set(player["breakdown"]) == {"routes", "tickets", "stations", "longest"}
        assert set(player["longest_path"]) >= {"length", "routes"}
    ben = next(player for player in result["players"] if player["name"] == "Ben")
    assert ben["borrowed"] == {"bucuresti": "bucuresti-sofia", "essen": "essen-kobenhavn-1"}


def test_demo_reads_like_a_score_sheet(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    sheet = capsys.readouterr().out
    assert "Dan wins with 122 points, 12 ahead of Ana." in sheet
    assert "Station in Bucuresti borrows Bucuresti-Sofia from green" in sheet
    assert "missed  Athína-Wilno" in sheet
    assert "Longest path, 31 trains: Moskva - Petrograd" in sheet


def test_maps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["maps"]) == 0
    assert "Orient Express" in capsys.readouterr().out
    assert main(["maps", "--json"]) == 0
    boards = {board["map"]: board for board in json.loads(capsys.readouterr().out)}
    assert boards["marklin"]["spaces"] == 313
    assert boards["marklin"]["country_ends"] == 14
    assert boards["europe"]["double_routes"] == 11


def test_maps_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["maps", "check", str(ROOT / "maps" / "usa")]) == 0
    assert capsys.readouterr().out == ""
    assert main(["maps", "check", str(tmp_path)]) == 1
    assert capsys.readouterr().out.count("\n") == 2
    assert main(["maps", "check", str(tmp_path / "absent")]) == 1


def test_wrong_usage_is_two() -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["score"])


def test_scoring_needs_neither_numpy_nor_opencv_nor_kivy() -> None:
    code = (
        "import sys\n"
        "for name in ('numpy', 'cv2', 'kivy'): sys.modules[name] = None\n"
        "import companion.scoring, companion.game, companion.sheet\n"
        "from companion.cli import main\n"
        f"assert main(['score', {str(SAMPLE)!r}]) == 0\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, cwd=ROOT)


@pytest.mark.alone
def test_score_starts_quickly() -> None:
    command = [str(Path(sys.executable).parent / "companion"), "score", str(SAMPLE)]
    times = []
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - began)
    assert min(times) < 0.3

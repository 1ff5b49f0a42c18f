"""From a photo file to a reading, on the bundled samples and on whatever else is thrown at it."""

from __future__ import annotations

import json
import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.bench import bench, silent_errors, summary
from companion.cli import main
from companion.errors import LocateError
from companion.samples import SAMPLES, Sample, load_sample
from companion.vision.read import Reading, read, reading_to_raw

SHARED = Path(__file__).resolve().parents[3] / "shared" / "photos"


def wrong(reading: Reading, sample: Sample) -> list[str]:
    """The routes and cities that a reading has otherwise than the sample's game."""
    stations = {city: colors[0] for city, colors in sample.game.stations.items()}
    pairs = ((reading.claims, sample.game.claims), (reading.stations, stations))
    return [key for got, want in pairs for key in got.keys() | want.keys() if got.get(key) != want.get(key)]


def pixels_of(sample: Sample) -> np.ndarray:
    return np.asarray(cv2.imread(str(sample.photo)), np.uint8)


def colors(sample: Sample) -> list[str]:
    return [player.color for player in sample.game.players]


@pytest.mark.parametrize("map_id", SAMPLES)
def test_samples_are_read_right(map_id: str) -> None:
    sample = load_sample(map_id)
    reading = read([sample.photo], sample.board, colors(sample))
    mistakes = wrong(reading, sample)
    assert silent_errors(reading, mistakes) == []
    assert len(mistakes) <= 1
    assert len(reading.uncertain) <= 6


def test_players_need_not_be_named() -> None:
    sample = load_sample()
    reading = read([sample.photo], sample.board)
    assert silent_errors(reading, wrong(reading, sample)) == []


@pytest.mark.parametrize("turn", [cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_180, cv2.ROTATE_90_COUNTERCLOCKWISE])
def test_any_way_up(turn: int) -> None:
    sample = load_sample()
    pixels = cv2.rotate(pixels_of(sample), turn)
    data = cv2.imencode(".jpg", pixels)[1].tobytes()
    reading = read([data], sample.board, colors(sample))
    assert silent_errors(reading, wrong(reading, sample)) == []


def test_a_hidden_part_is_asked_about_and_a_second_photo_settles_it(tmp_path: Path) -> None:
    sample = load_sample()
    pixels = pixels_of(sample)
    cut = pixels[:, : round(pixels.shape[1] * 0.8)]
    path = tmp_path / "cut.png"
    cv2.imwrite(str(path), cut)
    partly = read([path], sample.board, colors(sample))
    assert len(partly.uncertain) > 3
    assert silent_errors(partly, wrong(partly, sample)) == []
    both = read([path, sample.photo], sample.board, colors(sample))
    assert len(both.uncertain) < len(partly.uncertain)
    assert silent_errors(both, wrong(both, sample)) == []


def test_given_corners_are_taken() -> None:
    sample = load_sample()
    found = read([sample.photo], sample.board).corners
    reading = read([sample.photo], sample.board, colors(sample), corners=found + 3)
    assert silent_errors(reading, wrong(reading, sample)) == []


def noise(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 255, (1200, 1600, 3), np.uint8)


@pytest.mark.alone
@pytest.mark.parametrize(
    "picture",
    [
        np.zeros((1200, 1600, 3), np.uint8),
        np.full((1200, 1600, 3), 180, np.uint8),
        noise(1),
        cv2.GaussianBlur(noise(2), (0, 0), 9),
    ],
    ids=["black", "empty table", "noise", "clouds"],
)
def test_nonsense_is_refused_with_a_reason(picture: np.ndarray) -> None:
    sample = load_sample()
    data = cv2.imencode(".png", picture)[1].tobytes()
    began = time.perf_counter()
    with pytest.raises(LocateError, match=r"\w+ \w+ \w+"):
        read([data], sample.board)
    assert time.perf_counter() - began < 3


def test_another_board_is_refused() -> None:
    with pytest.raises(LocateError):
        read([load_sample("marklin").photo], load_sample("europe").board)


def test_the_form_of_read_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample = load_sample()
    raw = json.loads(json.dumps(reading_to_raw(read([sample.photo], sample.board, colors(sample)))))
    assert set(raw) >= {"map", "corners", "claims", "stations", "uncertain", "problems", "timings_ms"}
    assert set(raw["timings_ms"]) == {"load", "locate", "read", "decide", "total"}
    assert np.array(raw["corners"]).shape == (4, 2)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--players", "mauve"],
        ["--players", ""],
        ["--corners", "1,2 3,4"],
        ["--corners", "a,b c,d e,f g,h"],
        ["--corners", "0,0 0,0 0,0 0,0"],
        ["--overlay", "picture.xyz", "--corners", "1,1 1500,1 1500,1000 1,1000"],
    ],
)
def test_bad_arguments_get_one_sentence(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", str(load_sample().photo), "--map", "europe", *arguments]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_bench_counts_what_is_wrong(tmp_path: Path) -> None:
    if not (SHARED / "europe" / "real-1.json").is_file():
        pytest.skip("the measuring photos are not beside this checkout")
    folder = tmp_path / "europe"
    folder.mkdir()
    truth = json.loads((SHARED / "europe" / "real-1.json").read_text("utf-8"))
    (folder / "real-1.jpg").write_bytes((SHARED / "europe" / "real-1.jpg").read_bytes())
    lie = {
        **truth,
        "claims": {**truth["claims"], "brest-paris": "black" if truth["claims"].get("brest-paris") != "black" else "red"},
    }
    (folder / "real-1.json").write_text(json.dumps(lie))
    with (tmp_path / "rows.csv").open("w") as out:
        rows = bench(tmp_path, out)
    assert rows[0].wrong_routes >= 1
    assert "brest-paris" in rows[0].note
    assert "real photos" in summary(rows)

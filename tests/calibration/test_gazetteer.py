"""Names mended with the world's towns: by their letters and by where they lie."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.gazetteer import folded, likeness, mended, towns

READ = {"London": (0, 51.5), "Hamburg": (10, 53.6), "Lisboa": (-9.1, 38.7), "Napoli": (14.3, 40.9), "Warszawa": (21, 52.2)}


def _board(places: list[tuple[float, float]]) -> np.ndarray:
    """The places on a map 1000 pixels wide."""
    spots = np.array(places, np.float64)
    north = np.degrees(np.log(np.tan(np.pi / 4 + np.radians(spots[:, 1]) / 2)))
    return np.column_stack([(spots[:, 0] + 12) * 28, (70 - north) * 26])


@pytest.mark.parametrize(("read", "place", "name"), [("MADRLD", (-3.7, 40.4), "Madrid"), ("Praque", (14.4, 50.1), "Prague")])
def test_what_is_nearly_a_town_at_its_place_is_that_town(read: str, place: tuple[float, float], name: str) -> None:
    found = mended([[n] for n in READ] + [[read]], _board([*READ.values(), place]), 1000)
    assert [town for town, _ in found] == [*READ, name]


def test_the_same_letters_elsewhere_are_left_alone() -> None:
    found = mended([[n] for n in READ] + [["MADRLD"]], _board([*READ.values(), (25.0, 60.0)]), 1000)
    assert found[-1] == ("", 0.0)


def test_an_island_that_is_nowhere_keeps_its_names() -> None:
    names = [["Foxhaven"], ["Port Grim"], ["Lostwithiel Sands"], ["Mirebank"], ["Oldtower"]]
    assert mended(names, np.random.default_rng(1).uniform(0, 900, (5, 2)), 1000) == [("", 0.0)] * 5


def test_letters_that_look_alike_count_half() -> None:
    assert folded("Zürich-Ost") == "zurichost"
    assert likeness("roma", "roma") == 1.0
    assert likeness("angora", "ancora") > likeness("angora", "anxora")
    assert len(towns().names) > 20_000

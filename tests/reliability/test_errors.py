"""Every error a person can meet is one sentence, says what to do, and is there in every language of the app."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion import errors
from companion.errors import CompanionError
from tools.catalogues import LANGUAGES, LOCALE, RAISERS, raised

ROOT = Path(__file__).resolve().parents[2]
TREE = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, CompanionError)]
SOURCES = [*(ROOT / "companion").rglob("*.py"), *(ROOT / "calibration").rglob("*.py")]


def sites() -> Iterator[tuple[Path, ast.Call, str]]:
    """Every place where an error of the tree is made, and its sentence as far as it is written there."""
    names = {kind.__name__ for kind in TREE}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names and node.args:
                said = node.args[0]
                if isinstance(said, ast.Constant):
                    yield path, node, str(said.value)
                elif isinstance(said, ast.JoinedStr):
                    yield path, node, "".join(str(p.value) if isinstance(p, ast.Constant) else "{}" for p in said.values)


def test_the_tree_at_the_top_of_the_file_is_whole() -> None:
    drawn = errors.__doc__ or ""
    assert len(TREE) >= 6
    for kind in TREE:
        assert kind.__name__ in drawn and kind.__doc__, kind


def test_every_error_is_one_sentence() -> None:
    found = list(sites())
    assert len(found) > 60
    for path, node, said in found:
        assert "\n" not in said and said[-1] in ".}", f"{path.name}:{node.lineno}: {said}"
        assert said[0].isupper() or said[0] in "{'", f"{path.name}:{node.lineno}: {said}"


def test_gaps_are_filled_with_values() -> None:
    told = CompanionError("The picture is larger than {most} MB; give a smaller one.", most=80)
    assert str(told) == "The picture is larger than 80 MB; give a smaller one."
    assert str(CompanionError("{braces} stay where nothing is given")) == "{braces} stay where nothing is given"


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_app_can_meet_is_translated(language: str) -> None:
    from babel.messages.pofile import read_po

    with (LOCALE / language / "LC_MESSAGES" / "companion.po").open("rb") as file:
        catalogue = {message.id: message.string for message in read_po(file, locale=language)}
    sentences = {said for name in RAISERS for said in raised(ROOT / "companion" / name)}
    assert len(sentences) > 30
    missing = sorted(said for said in sentences if not catalogue.get(said))
    assert not missing, f"not in {language}: {missing}"
    for said in sentences:
        gaps = {part.split("}")[0] for part in said.split("{")[1:]}
        assert all(f"{{{gap}}}" in str(catalogue[said]) for gap in gaps), said


def test_what_the_app_can_meet_has_no_gap_filled_too_early() -> None:
    """An f-string could never be found in a catalogue."""
    for path, node, _ in sites():
        if path.relative_to(ROOT / "companion").as_posix() in RAISERS if path.is_relative_to(ROOT / "companion") else False:
            assert not isinstance(node.args[0], ast.JoinedStr), f"{path.name}:{node.lineno}"


def test_an_error_is_told_in_the_persons_language() -> None:
    from companion.app.words import error_text, use

    try:
        use("de")
        told = error_text(CompanionError("The picture is larger than {most} MB; give a smaller one.", most=80))
        assert told == "Das Bild ist größer als 80 MB; nehmen Sie ein kleineres."
    finally:
        use("en")

"""Every error a person can meet is one sentence, says what to do, and is there in every language of the app."""

from __future__ import annotations

import ast
import errno
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion import errors
from companion.app.words import error_text, said, use
from companion.board import load_board
from companion.boards import unpack
from companion.cli import main
from companion.errors import CompanionError, LocateError, Sentence, reason
from tools.catalogues import LANGUAGES, ROOMS, ROOT, sentences

TREE = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, CompanionError)]
FILES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
GAP = re.compile(r"{(\w+)[^}]*}")
ADVICE = re.compile(r"[;:] |\b(must|needs|holds)\b|^(Give|Point) ")


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    yield
    use("en")


def written() -> Iterator[tuple[str, str, str]]:
    """Where each sentence of the tree stands, which error it is for, and its words."""
    for path in FILES:
        for call, words in sentences(path):
            if isinstance(words, ast.Constant):
                yield f"{path.name}:{call.lineno}", ast.unparse(call.func), str(words.value)


def test_the_tree_at_the_top_of_the_file_is_whole() -> None:
    drawn = errors.__doc__ or ""
    assert len(TREE) >= 6
    for kind in TREE:
        assert kind.__name__ in drawn and kind.__doc__, kind


def test_no_gap_is_filled_before_the_sentence_is_translated() -> None:
    """What is put together on the spot could never be found in a catalogue."""
    for path in FILES:
        for call, words in sentences(path):
            assert not isinstance(words, ast.JoinedStr | ast.BinOp), f"{path.name}:{call.lineno}"
            if isinstance(words, ast.Call):
                assert ast.unparse(words.func) in ("self._why_not", "_why_not"), f"{path.name}:{call.lineno}"


def test_every_error_is_one_sentence_with_what_to_do() -> None:
    found = [(where, words) for where, kind, words in written() if kind != "Sentence"]
    assert len(found) > 100
    for where, words in found:
        assert "\n" not in words and re.search(r"(\.|{fault}|\))$", words), f"{where}: {words}"
        assert words[0].isupper() or words[0] in "{'", f"{where}: {words}"
        assert ADVICE.search(words), f"{where} does not say what to do: {words}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_whole_tree_speaks_every_language(language: str) -> None:
    kinds = {kind.__name__: kind for kind in TREE}
    for where, kind, words in written():
        values = {gap: 7 if ":.0f" in words else f"<{gap}>" for gap in GAP.findall(words)}
        made = kinds[kind](words, **values) if kind in kinds else CompanionError(Sentence(words, **values))
        use(language)
        told = error_text(made)
        assert all(str(value) in told for value in values.values()), f"{where}: {told}"
        if made.said.template.endswith("."):
            assert told != str(made), f"{where} is not in {language}: {words}"


def test_the_screens_never_tell_an_error_as_it_was_raised() -> None:
    for path in (ROOT / "companion" / "app").rglob("*.py"):
        assert not re.search(r"(tell|_)\(str\(", path.read_text(encoding="utf-8")), path.name


def test_gaps_are_filled_with_values() -> None:
    told = CompanionError("The picture is larger than {most} MB; give a smaller one.", most=80)
    assert str(told) == "The picture is larger than 80 MB; give a smaller one."
    assert str(CompanionError("{braces} stay where nothing is given")) == "{braces} stay where nothing is given"
    use("de")
    assert error_text(told) == "Das Bild ist größer als 80 MB; nehmen Sie ein kleineres."


def test_a_sentence_within_a_sentence_is_translated_too(tmp_path: Path) -> None:
    (tmp_path / "no.railboard").write_bytes(b"")
    (tmp_path / "board.json").write_text('{"format": 1}')
    use("nl")
    with pytest.raises(CompanionError) as refused:
        unpack(tmp_path / "no.railboard", tmp_path)
    assert error_text(refused.value).startswith("no.railboard is geen gedeeld bord; ")
    with pytest.raises(CompanionError) as broken:
        load_board(tmp_path)
    assert "niet bruikbaar" in error_text(broken.value) and "Er is geen tickets.json in de map" in error_text(broken.value)
    edges = Sentence("{first}, {rest}", first=Sentence("its left edge"), rest=Sentence("its top edge"))
    told = LocateError("The board is cut off ({edges}); take the photo from farther away.", edges=edges)
    assert "(de linkerrand, de bovenrand)" in error_text(told)


@pytest.mark.parametrize(
    ("number", "words"), [(errno.ENOSPC, "vol"), (errno.EROFS, "mag niet"), (errno.ENOENT, "bestaat niet"), (0, "weigerde")]
)
def test_the_systems_own_words_are_not_shown(number: int, words: str) -> None:
    use("nl")
    assert words in said(reason(OSError(number, "whatever the system says")))


def test_the_commands_speak_the_language_of_the_machine(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert main(["score", str(tmp_path / "none.json")]) == 1
    assert capsys.readouterr().err.startswith("Es gibt keine Spieldatei")
    assert main(["maps", "check", str(tmp_path)]) == 1
    assert "Im Ordner gibt es keine board.json." in capsys.readouterr().out


def test_names_from_files_cannot_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = '{"map": "\\u001b[2Jevil", "players": []}'
    (tmp_path / "game.json").write_text(game)
    assert main(["score", str(tmp_path / "game.json")]) == 1
    assert "\x1b" not in capsys.readouterr().err

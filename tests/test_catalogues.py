"""The catalogues: complete, with the same gaps in every language, and built from what the app says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
catalogues = pytest.importorskip("catalogues")
GAP = re.compile(r"{\w+}")


def test_every_sentence_is_in_every_language() -> None:
    assert catalogues.missing() == []


@pytest.mark.parametrize("language", catalogues.LANGUAGES)
def test_translations_have_the_same_gaps(language: str) -> None:
    from babel.messages.pofile import read_po

    with (catalogues.LOCALE / language / "LC_MESSAGES" / "companion.po").open("rb") as file:
        catalog = read_po(file, locale=language)
    for message in catalog:
        if not message.id:
            continue
        whole = message.id if isinstance(message.id, str) else message.id[-1]
        strings = message.string if isinstance(message.string, (tuple, list)) else (message.string or "",)
        for said in strings:
            assert sorted(set(GAP.findall(said))) == sorted(set(GAP.findall(whole))), (whole, said)


def test_the_command_builds_what_gettext_reads() -> None:
    subprocess.run([sys.executable, str(ROOT / "tools" / "catalogues.py")], check=True)
    from companion.app.words import _, several, use

    assert use("de") == "de"
    assert _("Score a game") == "Ein Spiel werten"
    assert several("{count} game", "{count} games", 2) == "2 Spiele"
    assert use("xx") == "en"
    assert _("{name} wins", name="Ana") == "Ana wins"

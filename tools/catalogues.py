"""Gathers what the app says into the catalogues, and builds what gettext reads: python tools/catalogues.py [--update]

With --update the .po files are brought up to date first; without, they are only compiled.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
APP = ROOT / "companion" / "app"
LOCALE = APP / "locale"
LANGUAGES = ("fr", "de", "nl", "es")
IN_KV = re.compile(r'(?<!\w)_\(\s*"((?:[^"\\]|\\.)*)"')
RAISERS = (
    "store.py",
    "draft.py",
    "app/android.py",
    "app/calibrator.py",
    "app/cardreader.py",
    "app/reader.py",
    "app/saver.py",
    "vision/header.py",
    "vision/locate.py",
    "vision/photo.py",
    "vision/strip.py",
)
"""Where the sentences stand that a person may meet in the app."""
COLORS = ("blue", "red", "green", "yellow", "black", "white", "purple")


def said() -> Iterator[tuple[str, str | tuple[str, str]]]:
    """Every sentence of the app with where it stands; a pair for singular and plural."""
    for path in sorted(APP.rglob("*.py")):
        where = path.relative_to(ROOT).as_posix()
        for _, message, _, _ in extract_from_file("python", str(path), keywords={"_": None, "several": (1, 2)}):
            if message:
                yield where, message
    for path in sorted(APP.rglob("*.kv")):
        for text in IN_KV.findall(path.read_text(encoding="utf-8")):
            yield path.relative_to(ROOT).as_posix(), text.encode().decode("unicode_escape").encode("latin-1").decode()
    sys.path.insert(0, str(ROOT))
    from companion.scoring.problems import EXTRA_NAMES, TEXTS

    for text in (*TEXTS.values(), *EXTRA_NAMES.values(), "trains", "taxis"):
        yield "companion/scoring/problems.py", text
    for color in COLORS:
        yield "maps", color
    raisers = [ROOT / "companion" / name for name in RAISERS]
    for path in sorted(p for r in raisers for p in (r.rglob("*.py") if r.is_dir() else [r])):
        for text in raised(path):
            yield path.relative_to(ROOT).as_posix(), text


def raised(path: Path) -> Iterator[str]:
    """The sentences that a file's errors are raised with, or that its functions return to be raised."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        sentence: ast.expr | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("Error") and node.args:
            sentence = node.args[0]
        elif isinstance(node, ast.Return):
            sentence = node.value
        if isinstance(sentence, ast.Name):
            sentence = named.get(sentence.id)
        if isinstance(sentence, ast.Constant) and isinstance(sentence.value, str) and sentence.value.endswith("."):
            yield sentence.value


def template() -> Catalog:
    """All sentences, without translations."""
    catalog = Catalog(project="Rail Companion", charset="utf-8")
    for where, message in said():
        catalog.add(message, locations=[(where, 0)], flags=("python-brace-format",) if "{" in str(message) else ())
    return catalog


def update() -> None:
    """Bring every .po file up to date; translations of sentences that stayed are kept."""
    fresh = template()
    for language in LANGUAGES:
        path = LOCALE / language / "LC_MESSAGES" / "companion.po"
        path.parent.mkdir(parents=True, exist_ok=True)
        catalog = Catalog(locale=language, project="Rail Companion", charset="utf-8")
        if path.exists():
            with path.open("rb") as file:
                catalog = read_po(file, locale=language)
        catalog.update(fresh, no_fuzzy_matching=True)
        catalog.header_comment = f"# Rail Companion in {catalog.locale.english_name}." if catalog.locale else ""
        catalog.fuzzy = False
        catalog.obsolete.clear()
        with path.open("wb") as file:
            write_po(file, catalog, width=118, sort_output=True, include_lineno=False, omit_header=False)


def compile_all() -> None:
    """Build the .mo file beside every .po file."""
    for path in sorted(LOCALE.glob("*/LC_MESSAGES/companion.po")):
        with path.open("rb") as file:
            catalog = read_po(file, locale=path.parts[-3])
        with path.with_suffix(".mo").open("wb") as file:
            write_mo(file, catalog)


def missing() -> list[str]:
    """Sentences that some language does not have yet."""
    found = []
    for path in sorted(LOCALE.glob("*/LC_MESSAGES/companion.po")):
        with path.open("rb") as file:
            catalog = read_po(file, locale=path.parts[-3])
        for message in template():
            if message.id:
                known = catalog.get(message.id)
                if known is None or not all(known.string if isinstance(known.string, tuple) else (known.string,)):
                    found.append(f"{path.parts[-3]}: {message.id}")
    return found


if __name__ == "__main__":
    if "--update" in sys.argv[1:]:
        update()
        print("\n".join(missing()))
    compile_all()

"""Gathers what the app says into the catalogues, and builds what gettext reads: python tools/catalogues.py [--update]

With --update the .po files are brought up to date first; without, they are only compiled.
"""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from companion import errors

ROOT = Path(__file__).resolve().parent.parent
APP = ROOT / "companion" / "app"
LOCALE = APP / "locale"
LANGUAGES = ("fr", "de", "nl", "es")
IN_KV = re.compile(r'(?<!\w)_\(\s*"((?:[^"\\]|\\.)*)"')
ROOMS = ("companion", "calibration")
"""Where errors are raised that a person may meet."""
SAYERS = {name for name, made in vars(errors).items() if isinstance(made, type) and issubclass(made, (str, Exception))}
COLORS = ("blue", "red", "green", "yellow", "black", "white", "purple", "gray", "pink", "orange", "brown")
STAGE = re.compile(r'progress\("([A-Z][^"]+)"\)')
"""What the calibration says it is doing."""


def said() -> Iterator[tuple[str, str | tuple[str, str]]]:
    """Every sentence of the app with where it stands; a pair for singular and plural."""
    for path in sorted(APP.rglob("*.py")):
        for message in called(path):
            yield path.relative_to(ROOT).as_posix(), message
    for path in sorted(APP.rglob("*.kv")):
        for text in IN_KV.findall(path.read_text(encoding="utf-8")):
            yield path.relative_to(ROOT).as_posix(), text.encode().decode("unicode_escape").encode("latin-1").decode()
    sys.path.insert(0, str(ROOT))
    from companion.scoring.problems import EXTRA_NAMES, TEXTS

    for text in (*TEXTS.values(), *EXTRA_NAMES.values(), "trains", "taxis"):
        yield "companion/scoring/problems.py", text
    for color in COLORS:
        yield "maps", color
    for path in sorted(p for room in ROOMS for p in (ROOT / room).rglob("*.py")):
        for text in raised(path):
            yield path.relative_to(ROOT).as_posix(), text
        for text in STAGE.findall(path.read_text(encoding="utf-8")):
            yield path.relative_to(ROOT).as_posix(), text


def called(path: Path) -> Iterator[str | tuple[str, str]]:
    """What a file hands to `_` and `several`, wherever it stands: inside an f-string, too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("_", "several"):
            words = [a.value for a in node.args[:2] if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            if node.func.id == "_" and words:
                yield words[0]
            elif len(words) == 2:
                yield words[0], words[1]


def raised(path: Path) -> Iterator[str]:
    """The sentences that a file's errors are made of, as far as they are written there as a whole."""
    for _, words in sentences(path):
        if isinstance(words, ast.Constant) and isinstance(words.value, str):
            yield words.value


def sentences(path: Path) -> Iterator[tuple[ast.Call, ast.expr]]:
    """Every place where an error or a part of one is made, with what it is made of."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SAYERS and node.args:
            words = node.args[0]
            yield node, named.get(words.id, words) if isinstance(words, ast.Name) else words


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
        text = io.BytesIO()
        write_po(text, catalog, width=118, sort_output=True, include_lineno=False, omit_header=False)
        # A date in the file would make every two changes clash.
        path.write_bytes(re.sub(rb'"(POT-Creation|PO-Revision)-Date: .*\n', b"", text.getvalue()))


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

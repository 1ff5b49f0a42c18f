"""What the app says, in the person's language. `_` marks and translates; switching works while the app runs."""

from __future__ import annotations

import gettext
import locale
import os
from pathlib import Path

from companion.errors import CompanionError, Sentence
from companion.scoring.problems import Problem

LANGUAGES = {"en": "English", "fr": "Français", "de": "Deutsch", "nl": "Nederlands", "es": "Español"}
LOCALE = Path(__file__).resolve().parent / "locale"
DOMAIN = "companion"


class _Voice:
    language = "en"
    said: gettext.NullTranslations = gettext.NullTranslations()


def use(language: str) -> str:
    """Speak this language from now on; an unknown one means English. Returns the language chosen."""
    _Voice.language = language if language in LANGUAGES else "en"
    _Voice.said = gettext.translation(DOMAIN, LOCALE, [_Voice.language], fallback=True)
    return _Voice.language


def language() -> str:
    return _Voice.language


def system_language() -> str:
    """The language the machine is set to, if we speak it."""
    told = os.environ.get("LC_ALL") or os.environ.get("LANG") or (locale.getlocale()[0] or "")
    return told[:2].lower() if told[:2].lower() in LANGUAGES else "en"


def _(text: str, **values: object) -> str:
    """The text in the person's language, its {gaps} filled."""
    said = _Voice.said.gettext(text)
    return said.format(**values) if values else said


def several(one: str, many: str, count: int, **values: object) -> str:
    """The singular or plural that fits a count; {count} is filled with it."""
    return _Voice.said.ngettext(one, many, count).format(count=count, **values)


def problem_text(problem: Problem) -> str:
    """A breach of the rules in the person's language."""
    from companion.scoring.problems import TEXTS

    values = {k: _(v) if k in ("color", "pieces", "extra") and isinstance(v, str) else v for k, v in problem.values.items()}
    return _(TEXTS[problem.code], **values)


def error_text(error: CompanionError) -> str:
    """An error's sentence in the person's language."""
    return said(error.said)


def said(sentence: str) -> str:
    """A sentence in the person's language, and so what fills its gaps."""
    if not isinstance(sentence, Sentence):
        return sentence
    return _(sentence.template, **{gap: said(v) if isinstance(v, str) else v for gap, v in sentence.values.items()})


def color_name(color: str) -> str:
    return _(color)


def and_list(names: list[str]) -> str:
    """`Ana, Ben and Cleo`."""
    if len(names) < 2:
        return "".join(names)
    return _("{first} and {last}", first=", ".join(names[:-1]), last=names[-1])

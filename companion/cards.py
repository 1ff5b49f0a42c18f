"""From words seen on a fan of ticket cards to the tickets they may be. Proposals only: a person decides."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from companion.board import Board, Ticket

ALIKE = 0.8
"""How alike a word and a place's name must be."""
_SPECIAL = str.maketrans({"ø": "o", "æ": "ae", "ß": "ss", "ł": "l", "đ": "d"})


@dataclass(frozen=True, slots=True)
class SeenWord:
    """A word and the middle of where it stands, in shares of the picture's longer side."""

    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class _Find:
    place: str
    word: int
    alike: float


def plain(text: str) -> str:
    """Lower case without accents, so that `munchen` finds München."""
    import unicodedata

    spread = unicodedata.normalize("NFD", text.lower().translate(_SPECIAL))
    return "".join(c for c in spread if not unicodedata.combining(c))


def propose(board: Board, deck: Iterable[Ticket], words: Sequence[SeenWord]) -> list[Ticket]:
    """The tickets whose two places stand near each other, nearest first; each word is used once."""
    deck = list(deck)
    finds: dict[str, list[_Find]] = {}
    for place in {end for ticket in deck for end in (ticket.a, ticket.b)}:
        finds[place] = [f for number, word in enumerate(words) if (f := _find(board, place, number, word.text))]
    pairs = [
        (
            math.dist((words[a.word].x, words[a.word].y), (words[b.word].x, words[b.word].y)) / (a.alike * b.alike),
            a,
            b,
            ticket,
        )
        for ticket in deck
        for a in finds[ticket.a]
        for b in finds[ticket.b]
        if a.word != b.word
    ]
    taken: set[int] = set()
    found: list[Ticket] = []
    for _, a, b, ticket in sorted(pairs, key=lambda pair: pair[0]):
        if a.word in taken or b.word in taken or ticket in found:
            continue
        taken |= {a.word, b.word}
        found.append(ticket)
    return found


def _find(board: Board, place: str, number: int, text: str) -> _Find | None:
    """Whether a word names a place: by its whole name, or by the longest word of it."""
    seen = plain(text)
    best = 0.0
    for city in (board.cities[c] for c in board.places.get(place, ())):
        for name in (city.name, city.printed, *city.aliases):
            longest = max(plain(name).replace("-", " ").split(), key=len, default="")
            if len(longest) >= 3 and len(seen) >= 3:
                best = max(best, SequenceMatcher(None, seen, longest).ratio())
    return _Find(place, number, best) if best >= ALIKE else None

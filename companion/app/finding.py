"""Finding a card or a place by typing a few letters of it."""

from __future__ import annotations

from collections.abc import Iterable

from companion.board import Board, Ticket
from companion.cards import plain


def names_of(board: Board, place: str) -> str:
    """Every name a place goes by, for matching."""
    cities = [board.cities[c] for c in board.places.get(place, ())]
    return " ".join(plain(name) for c in cities for name in (c.name, c.printed, *c.aliases))


def finds(board: Board, ticket: Ticket, typed: str) -> bool:
    """Whether every word typed begins a word on the card."""
    words = f"{names_of(board, ticket.a)} {names_of(board, ticket.b)} {ticket.points}".replace("-", " ").split()
    return all(any(word.startswith(part) for word in words) for part in plain(typed).replace("-", " ").split())


def places_like(board: Board, typed: str, most: int = 6) -> list[str]:
    """The places whose names begin with what was typed, then those that hold it."""
    part = plain(typed.strip())
    if not part:
        return []
    names = {place: names_of(board, place) for place in board.places if not _end_point(board, place)}
    first = [p for p, n in names.items() if n.startswith(part)]
    return [*first, *(p for p, n in names.items() if part in n and p not in first)][:most]


def _end_point(board: Board, place: str) -> bool:
    """One of a country's several ends: tickets name the country instead."""
    return place in board.cities and board.cities[place].country is not None


def by_name(board: Board, tickets: Iterable[Ticket]) -> list[Ticket]:
    return sorted(tickets, key=lambda t: (plain(board.place_name(t.a)), plain(board.place_name(t.b))))

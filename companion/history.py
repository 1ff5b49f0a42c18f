"""What past games say about the people who played them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from companion.store import Entry, Score


@dataclass(frozen=True, slots=True)
class Record:
    """One person over all their finished games; `totals` in the order they were played."""

    name: str
    color: str
    games: int
    wins: int
    totals: tuple[int, ...]

    @property
    def best(self) -> int:
        return max(self.totals)

    @property
    def mean(self) -> float:
        return sum(self.totals) / len(self.totals)


def records(entries: Iterable[Entry], map_id: str | None = None) -> list[Record]:
    """A record for each name, the most wins first; on one board, or on all."""
    played: dict[str, list[Score]] = {}
    for entry in sorted(entries, key=lambda e: e.created):
        if not entry.finished or map_id not in (None, entry.map):
            continue
        for score in entry.scores:
            played.setdefault(score.name, []).append(score)
    found = [
        Record(
            name=name,
            color=scores[-1].color,
            games=len(scores),
            wins=sum(score.rank == 1 for score in scores),
            totals=tuple(score.total for score in scores),
        )
        for name, scores in played.items()
    ]
    return sorted(found, key=lambda r: (-r.wins, -r.mean, r.name))

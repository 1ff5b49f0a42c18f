"""What a person may choose, and what the app remembers of the last table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from companion.app.theme import Look
from companion.app.words import LANGUAGES, system_language

TABLE = (("Ana", "blue"), ("Ben", "red"))


@dataclass(frozen=True)
class Settings:
    """`people` are the names and colours of the last table."""

    language: str = "en"
    dark: bool = False
    safe_colors: bool = False
    large: bool = False
    sound: bool = True
    map: str = "europe"
    variant: str = ""
    depots: bool = False
    people: tuple[tuple[str, str], ...] = ()

    @property
    def look(self) -> Look:
        return Look(self.dark, self.safe_colors, self.large)

    def to_raw(self) -> dict[str, Any]:
        return asdict(self)


def parse_settings(raw: Mapping[str, Any]) -> Settings:
    """The settings a file holds; whatever is missing or odd falls back to what a first start has."""
    fresh = Settings(language=system_language())
    wanted: dict[str, Any] = {}
    for key in ("dark", "safe_colors", "large", "sound", "depots"):
        if isinstance(raw.get(key), bool):
            wanted[key] = raw[key]
    for key in ("map", "variant"):
        if isinstance(raw.get(key), str) and len(raw[key]) < 500:
            wanted[key] = raw[key]
    if isinstance(raw.get("language"), str) and raw["language"] in LANGUAGES:
        wanted["language"] = raw["language"]
    people = raw.get("people")
    if isinstance(people, (list, tuple)) and len(people) <= 12:
        pairs = [p for p in people if isinstance(p, (list, tuple)) and len(p) == 2 and all(isinstance(w, str) for w in p)]
        wanted["people"] = tuple((name[:60], color[:20]) for name, color in pairs)
    return replace(fresh, **wanted)

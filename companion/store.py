"""Games and settings on disk: one small file each, written whole or not at all.

A save is written beside its place, flushed to the disk, then moved over the old one. A save that cannot be understood is
moved to `set-aside/` and told of; nothing is ever deleted that the person did not delete.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.draft import Draft, draft_to_raw, now, parse_draft
from companion.errors import BoardError, CompanionError, Sentence, StoreError, reason

FORMAT = 2
MOST_BYTES = 2_000_000
_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")


@dataclass(frozen=True, slots=True)
class Score:
    """How one player came out of a finished game."""

    name: str
    color: str
    total: int
    rank: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A line in the list of games: enough to show it without scoring it again."""

    id: str
    map: str
    created: str
    changed: str
    step: str
    finished: bool
    players: tuple[tuple[str, str], ...]
    scores: tuple[Score, ...] = ()


@dataclass
class Store:
    """The folder that holds everything.

    `set_aside` lists saves that could not be read since it was opened, `newer` those that a newer program wrote: they stay.
    """

    folder: Path
    set_aside: list[str] = field(default_factory=list)
    newer: set[str] = field(default_factory=set)
    _told: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for path in (*self.folder.glob(".*.part"), *self._games.glob(".*.part")):
            with suppress(OSError):  # what a save that was cut off left beside its place
                if time.time() - path.stat().st_mtime > 3600:
                    path.unlink()

    @property
    def photos(self) -> Path:
        return self.folder / "photos"

    @property
    def _games(self) -> Path:
        return self.folder / "games"

    def _path(self, game_id: str) -> Path:
        if not _ID.fullmatch(game_id):
            raise StoreError("This saved game has a name that cannot be used; choose another.")
        return self._games / f"{game_id}.json"

    def save(self, draft: Draft, scores: tuple[Score, ...] = ()) -> None:
        """Keep a draft as it is now."""
        draft.changed = now()
        self.write(draft.id, save_form(draft, scores))

    def write(self, game_id: str, form: Mapping[str, Any]) -> None:
        """Keep the file form of a draft; raises StoreError when the disk refuses, and then nothing has changed."""
        write_whole(self._path(game_id), form)

    def load(self, game_id: str) -> Draft:
        """The saved draft; raises StoreError, after setting the file aside when it cannot be understood."""
        path = self._path(game_id)
        raw = self._read(path)
        if raw is None:
            raise StoreError(self._why_not(path))
        try:
            return parse_draft(raw["draft"])
        except BoardError as error:  # the game is sound, and can be opened again once its board is back
            raise StoreError(
                "The board of this game is missing or broken; add that board again, then open the game."
            ) from error
        except (CompanionError, LookupError, TypeError, ValueError, ArithmeticError) as error:
            self.put_aside(path)
            raise StoreError(self._why_not(path)) from error

    def _why_not(self, path: Path) -> Sentence:
        """Why a save gave nothing: it is gone, set aside, of a newer program, or out of reach."""
        if path.name in self.newer:
            return Sentence("This game was saved by a newer version of Rail Companion; update the app to open it.")
        try:
            path.stat()
        except FileNotFoundError:
            return Sentence("This game could not be opened; its file was set aside.")
        except OSError:
            pass
        return Sentence("This game could not be opened; check that the app's folder can be read.")

    def entries(self) -> list[Entry]:
        """All games, the latest change first."""
        found = [entry for path in sorted(self._files()) if (entry := self._entry(path)) is not None]
        return sorted(found, key=lambda e: e.changed, reverse=True)

    def newly_newer(self) -> bool:
        """Whether a newer program's saves were met that the person has not been told of yet."""
        news = self.newer - self._told
        self._told |= news
        return bool(news)

    def unfinished(self) -> Entry | None:
        """The game that was left open, if any: the latest."""
        return next((e for e in self.entries() if not e.finished), None)

    def delete(self, game_id: str) -> Callable[[], None]:
        """Remove a game; the answer brings it back."""
        path = self._path(game_id)
        try:
            kept = path.read_bytes()
            path.unlink()
        except OSError as error:
            raise StoreError("This game could not be deleted; check that its folder can be written to.") from error

        def bring_back() -> None:
            write_bytes(path, kept)

        return bring_back

    def delete_everything(self) -> None:
        """Remove every game, photo, board and setting; raises StoreError when something had to stay."""
        stayed: list[str] = []
        try:
            parts = list(self.folder.iterdir())
        except OSError:
            parts = []
        for part in parts:
            if part.name == "kivy":  # the window's own scratch folder: nothing of the person's is in it
                continue
            try:
                if part.is_dir() and not part.is_symlink():
                    shutil.rmtree(part)
                else:
                    part.unlink()
            except OSError:
                stayed.append(part.name)
        if stayed:
            raise StoreError("Not everything could be deleted; check that {folder} can be written to.", folder=self.folder)

    def settings(self) -> dict[str, Any]:
        """The settings as last kept; an empty dict for a first start or an unreadable file."""
        raw = self._read(self.folder / "settings.json")
        kept = raw.get("settings") if raw else None
        return kept if isinstance(kept, dict) else {}

    def keep_settings(self, settings: Mapping[str, Any]) -> None:
        """Keep the settings; those of a newer program stay as they are."""
        if "settings.json" in self.newer:
            raise StoreError("The settings are a newer version's of Rail Companion; update the app to change them.")
        write_whole(self.folder / "settings.json", {"format": FORMAT, "settings": dict(settings)})

    def _files(self) -> Iterator[Path]:
        try:
            yield from (p for p in self._games.iterdir() if p.suffix == ".json")
        except OSError:
            return

    def _entry(self, path: Path) -> Entry | None:
        raw = self._read(path)
        if raw is None:
            return None
        try:
            return _entry(raw, path.stem)
        except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError):
            self.put_aside(path)
            return None

    def _read(self, path: Path) -> dict[str, Any] | None:
        """A save in today's form. Broken ones are set aside; those of a newer program stay where they are."""
        try:
            if path.exists() and not path.is_file():
                return None
            with path.open("rb") as file:
                data = file.read(MOST_BYTES + 1)
            if len(data) > MOST_BYTES:
                raise ValueError("too large for a save")
            raw = json.loads(data.decode("utf-8"))
            made_by = raw["format"]
            if isinstance(made_by, int) and made_by > FORMAT:
                self.newer.add(path.name)
                return None
            return migrated(raw)
        except FileNotFoundError:
            return None
        except OSError:
            return None
        except (ValueError, KeyError, TypeError, RecursionError):
            self.put_aside(path)
            return None

    def put_aside(self, path: Path) -> None:
        """Move what cannot be read out of the way, to be told of; nothing is lost."""
        aside = self.folder / "set-aside"
        try:
            aside.mkdir(parents=True, exist_ok=True)
            goal = aside / path.name
            number = 1
            while goal.exists():
                number += 1
                goal = aside / f"{path.stem}-{number}{path.suffix}"
            path.replace(goal)
            self.set_aside.append(goal.name)
        except OSError:
            return


def save_form(draft: Draft, scores: tuple[Score, ...]) -> dict[str, Any]:
    """What a game's file holds."""
    return {
        "format": FORMAT,
        "scores": [[s.name, s.color, s.total, s.rank] for s in scores],
        "draft": draft_to_raw(draft),
    }


def _first_to_second(raw: dict[str, Any]) -> dict[str, Any]:
    """Format 1 had the draft's fields at the top and no scores."""
    draft = {key: value for key, value in raw.items() if key != "format"}
    return {"format": 2, "scores": [], "draft": draft}


MIGRATIONS: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: _first_to_second}
"""From each older format to the next."""


def migrated(raw: dict[str, Any]) -> dict[str, Any]:
    """A save of any known format in today's form; raises ValueError for one we never wrote."""
    while raw["format"] != FORMAT:
        if "settings" in raw:
            return {**raw, "format": FORMAT}
        if raw["format"] not in MIGRATIONS:
            raise ValueError("not a format of ours")
        raw = MIGRATIONS[raw["format"]](raw)
    return raw


def _entry(raw: Mapping[str, Any], name: str) -> Entry:
    draft = raw["draft"]
    if draft["id"] != name:
        raise ValueError("the file does not hold the game it is named after")
    return Entry(
        id=name,
        map=str(draft["game"]["map"]),
        created=str(draft["created"]),
        changed=str(draft["changed"]),
        step=str(draft["step"]),
        finished=draft["finished"] is True,
        players=tuple((str(p["name"]), str(p["color"])) for p in draft["game"]["players"]),
        scores=tuple(Score(str(n), str(c), int(t), int(r)) for n, c, t, r in raw["scores"]),
    )


def write_whole(path: Path, form: Mapping[str, Any]) -> None:
    """Write a JSON file so that a reader finds either the old one or the new one, never less."""
    write_bytes(path, json.dumps(form).encode("ascii"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file beside its place, flush it to the disk and move it there; raises StoreError."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise StoreError(
            "Could not save ({reason}): free some space, or check that {folder} can be written to.",
            reason=reason(error),
            folder=path.parent,
        ) from error
    _flush_folder(path.parent)


def _flush_folder(folder: Path) -> None:
    """Make the move itself survive a power cut, where the system allows it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

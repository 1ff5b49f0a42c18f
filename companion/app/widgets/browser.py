"""A list of folders and pictures, to choose a photo from on a desktop."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from companion.app.ports import PICTURES
from companion.app.widgets.basics import Layer, Note, Row
from companion.app.words import _, several

MOST = 300


class Browser(Layer):
    """Walks folders; `chosen` gets the picture's path."""

    def __init__(
        self, start: Path, chosen: Callable[[Path], None], endings: tuple[str, ...] = PICTURES, **kwargs: Any
    ) -> None:
        super().__init__(title=_("Choose a picture"), wide_width=620, **kwargs)
        self._chosen = chosen
        self._endings = endings
        self.open(start)

    def open(self, folder: Path) -> None:
        """Show what a folder holds: the folders first, then the newest pictures."""
        self.folder = folder
        self.ids.body.clear_widgets()
        self.add(Note(text=str(folder)))
        if folder.parent != folder:
            self._line(_("Up to {folder}", folder=folder.parent.name or "/"), "back", lambda: self.open(folder.parent))
        folders, pictures = listing(folder, self._endings)
        for inner in folders[:MOST]:
            self._line(inner.name, "folder", partial(self.open, inner))
        for picture in pictures[:MOST]:
            self._line(picture.name, "picture", partial(self._take, picture))
        if not pictures:
            self.add(Note(text=_("No pictures in this folder.")))
        elif len(pictures) > MOST:
            self.add(Note(text=several("{count} more is not shown.", "{count} more are not shown.", len(pictures) - MOST)))

    def _line(self, name: str, icon: str, press: Callable[[], None]) -> None:
        row = Row(title=name, icon=icon)
        row.bind(on_release=lambda *_: press())
        self.add(row)

    def _take(self, picture: Path) -> None:
        self.close()
        self._chosen(picture)


def listing(folder: Path, endings: tuple[str, ...]) -> tuple[list[Path], list[Path]]:
    """The folders by name and the files with one of these endings, newest first; nothing for a closed folder."""
    folders: list[Path] = []
    files: list[tuple[float, Path]] = []
    try:
        for item in folder.iterdir():
            if item.name.startswith("."):
                continue
            try:
                if item.is_dir():
                    folders.append(item)
                elif item.suffix.lower() in endings:
                    files.append((item.stat().st_mtime, item))
            except OSError:
                continue
    except OSError:
        return [], []
    return sorted(folders, key=lambda p: p.name.lower()), [path for __, path in sorted(files, reverse=True)]

"""A list of folders and pictures, to choose a photo from on a desktop."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kivy.clock import mainthread

from companion.app.ports import PICTURES, Answer
from companion.app.widgets.basics import Layer, Note, Row
from companion.app.words import _, error_text, several
from companion.boards import ENDING
from companion.errors import CompanionError

if TYPE_CHECKING:
    from companion.app.application import RailApp

MOST = 300


class Browser(Layer):
    """Walks folders; `chosen` gets the picture's path."""

    def __init__(self, start: Path, chosen: Callable[[Path], None], endings: tuple[str, ...] = PICTURES) -> None:
        title = _("Choose a picture") if endings is PICTURES else _("Choose a file")
        super().__init__(title=title, wide_width=620)
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
            none = _("No pictures in this folder.") if self._endings is PICTURES else _("Nothing to choose in this folder.")
            self.add(Note(text=none))
        elif len(pictures) > MOST:
            self.add(Note(text=several("{count} more is not shown.", "{count} more are not shown.", len(pictures) - MOST)))

    def _line(self, name: str, icon: str, press: Callable[[], None]) -> None:
        row = Row(title=name, icon=icon)
        row.bind(on_release=lambda *_: press())
        self.add(row)

    def _take(self, picture: Path) -> None:
        self.close()
        self._chosen(picture)


def pick_photo(app: RailApp, chosen: Callable[[Path], None]) -> None:
    """Let the person choose a photo, the way this machine does it."""
    if app.ports.browses:
        app.open_layer(Browser(app.ports.start_folder(), chosen))
    else:
        app.ports.pick_photo(_told(app, chosen))


def pick_board(app: RailApp, chosen: Callable[[Path], None]) -> None:
    """Let the person choose the file of a shared board, the way this machine does it."""
    if app.ports.browses:
        app.open_layer(Browser(app.ports.start_folder(), chosen, (ENDING, ".zip")))
    else:
        app.ports.pick_board(_told(app, chosen))


def _told(app: RailApp, chosen: Callable[[Path], None]) -> Callable[[Answer], None]:
    """Takes a port's answer, from whatever thread it comes: an error is told, a change of mind is not."""

    @mainthread
    def got(answer: Answer) -> None:
        if isinstance(answer, CompanionError):
            app.tell(error_text(answer))
        elif answer is not None:
            chosen(answer)

    return got


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

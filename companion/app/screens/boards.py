"""My boards: those that come with the app and a person's own; add, share, import, delete."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from kivy.properties import StringProperty

from companion.app.theme import theme
from companion.app.widgets import load_kv
from companion.app.widgets.basics import Field, IconButton, Layer, MainButton, Note, Row, Tap
from companion.app.widgets.browser import pick_board, pick_photo
from companion.app.widgets.page import Page
from companion.app.words import _, error_text, said, several
from companion.board import Board, board_ids, load_board
from companion.boards import ENDING, own_boards, pack, unpack
from companion.errors import CompanionError, reason


class BoardRow(Tap):
    """A board, and what can be done with it: pictures to press with what each does."""

    title = StringProperty("")
    note = StringProperty("")
    icon = StringProperty("")

    def __init__(self, acts: Mapping[str, Callable[[], None]], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for icon, act in acts.items():
            button = IconButton(name=icon, color=theme.muted, pos_hint={"center_y": 0.5})
            button.bind(on_release=lambda _, act=act: act())
            self.add_widget(button)


class BoardsPage(Page):
    """Every board there is."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for bin_ in self.folder.glob(".deleted-*"):
            shutil.rmtree(bin_, ignore_errors=True)
        self.refresh()

    @property
    def folder(self) -> Path:
        return self.app.store.folder / "boards"

    def refresh(self) -> None:
        boards = self.ids.list
        boards.clear_widgets()
        waiting = self.app.workshop.waiting()
        if waiting is not None:
            row = BoardRow({"trash": self.discard}, title=_("Go on with {board}", board=waiting.raw["name"]), icon="pencil")
            row.note = _("Not kept yet")
            row.bind(on_release=lambda *_: self.go_on())
            boards.add_widget(row)
        boards.add_widget(Note(text=_("Yours")))
        own = own_boards(self.folder)
        for board in own:
            acts = {
                "pencil": partial(self.edit, board),
                "share": partial(self.share, board),
                "trash": partial(self.delete, board),
            }
            boards.add_widget(BoardRow(acts, title=board.name, note=counts(board)))
        if not own:
            boards.add_widget(Note(text=_("None yet. Photograph an empty board and add it.")))
        boards.add_widget(Note(text=_("Known from the start")))
        for map_id in board_ids():
            board = load_board(map_id)
            boards.add_widget(BoardRow({"share": partial(self.share, board)}, title=board.name, note=counts(board)))

    # putting right

    def go_on(self) -> None:
        """Take up the board that was left unfinished."""
        if self.app.workshop.take_up():
            self.app.show("edit")

    def discard(self) -> None:
        self._clear_bench(self.refresh)

    def _clear_bench(self, then: Callable[[], None]) -> None:
        """Ask before a board that was begun makes room for another."""
        waiting = self.app.workshop.waiting()
        if waiting is None:
            then()
            return
        layer = Layer(title=_("Discard what was begun?"))
        layer.add(Note(text=_("{board} is not kept yet.", board=waiting.raw["name"])))
        button = MainButton(text=_("Discard"), icon="trash")

        def discard(*_: Any) -> None:
            layer.close()
            self.app.workshop.drop()
            self.refresh()
            then()

        button.bind(on_release=discard)
        layer.add(button)
        self.app.open_layer(layer)

    def edit(self, board: Board) -> None:
        """Put one of the person's own boards right."""
        self._clear_bench(partial(self._edit, board))

    def _edit(self, board: Board) -> None:
        try:
            self.app.workshop.reopen(board)
        except OSError as error:
            self.app.tell(said(reason(error)))
            return
        self.app.show("edit")

    # adding

    def add(self) -> None:
        self._clear_bench(self._which)

    def _which(self) -> None:
        layer = Layer(title=_("Which board is it?"))
        for map_id in board_ids():
            name = load_board(map_id).name
            row = Row(title=_("Another print of {board}", board=name), icon="map")
            row.bind(on_release=lambda _, map_id=map_id: self._photo(layer, map_id, ""))
            layer.add(row)
        layer.add(Note(text=_("Or one it has never seen:")))
        field = Field(hint_text=_("The board's name"))
        layer.add(field)
        button = MainButton(text=_("A new board"))
        button.bind(on_release=lambda *_: self._photo(layer, "usa", field.text.strip()) if field.text.strip() else None)
        layer.add(button)
        self.app.open_layer(layer)

    def _photo(self, layer: Layer, like: str, new: str) -> None:
        layer.close()
        pick_photo(self.app, partial(self._learn, like, new))

    def _learn(self, like: str, new: str, photo: Path) -> None:
        self.app.show("calibrate", photo=str(photo), like=like, new=new)

    def import_board(self) -> None:
        pick_board(self.app, self._take)

    def _take(self, parcel: Path) -> None:
        try:
            board = unpack(parcel, self.folder)
        except CompanionError as error:
            self.app.tell(error_text(error))
            return
        self.refresh()
        self.app.tell(_("{board} is added.", board=board.name))

    def dropped(self, path: Path) -> None:
        self._take(path)

    # sharing and deleting

    def share(self, board: Board) -> None:
        try:
            path = self.app.ports.save_file(f"{board.name}{ENDING}", pack(board))
        except CompanionError as error:
            self.app.tell(error_text(error))
            return
        if not self.app.ports.shares:
            self.app.tell(_("Saved as {path}", path=str(path)), _("Show"), lambda: self.app.ports.reveal(path))

    def delete(self, board: Board) -> None:
        """Put a board out of sight; it is gone for good when this screen is next opened."""
        assert board.folder is not None
        place, bin_ = board.folder, self.folder / f".deleted-{board.folder.name}"
        try:
            shutil.rmtree(bin_, ignore_errors=True)
            place.rename(bin_)
        except OSError as error:
            self.app.tell(said(reason(error)))
            return
        self.refresh()
        gone = _("{board} is deleted. Games played on it can no longer be opened.", board=board.name)
        self.app.tell(gone, _("Undo"), partial(self._bring_back, bin_, place))

    def _bring_back(self, bin_: Path, place: Path) -> None:
        try:
            bin_.rename(place)
        except OSError as error:
            self.app.tell(said(reason(error)))
        if self.app.page is self:
            self.refresh()

    def enter(self) -> bool:
        self.add()
        return True


def counts(board: Board) -> str:
    """How large a board is."""
    return ", ".join(
        (
            several("{count} city", "{count} cities", len(board.cities)),
            several("{count} route", "{count} routes", len(board.routes)),
            several("{count} ticket", "{count} tickets", len(board.tickets)),
        )
    )


load_kv(__file__)
Screen = BoardsPage

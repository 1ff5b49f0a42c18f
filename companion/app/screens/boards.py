"""My boards: those that come with the app and a person's own; add, share, import, delete."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import Any

from kivy.clock import mainthread
from kivy.properties import ObjectProperty, StringProperty

from companion.app.ports import Answer
from companion.app.theme import theme
from companion.app.widgets import load_kv
from companion.app.widgets.basics import Field, IconButton, Layer, MainButton, Note, Row, Tap
from companion.app.widgets.browser import Browser
from companion.app.widgets.page import Page
from companion.app.words import _, error_text, several
from companion.board import Board, board_ids, load_board
from companion.boards import ENDING, own_boards, pack, unpack
from companion.errors import CompanionError


class BoardRow(Tap):
    """One of a person's own boards."""

    title = StringProperty("")
    note = StringProperty("")
    board: Any = ObjectProperty(None, allownone=True)
    page: Any = ObjectProperty(None, allownone=True)

    def on_kv_post(self, _: Any) -> None:
        if self.page.is_own(self.board):
            trash = IconButton(name="trash", color=theme.muted, pos_hint={"center_y": 0.5})
            trash.bind(on_release=lambda *_: self.page.delete(self))
            self.add_widget(trash)


class BoardsPage(Page):
    """Every board there is."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.refresh()

    @property
    def folder(self) -> Path:
        return self.app.store.folder / "boards"

    def refresh(self) -> None:
        boards = self.ids.list
        boards.clear_widgets()
        boards.add_widget(Note(text=_("Yours")))
        own = own_boards(self.folder)
        for board in own:
            boards.add_widget(BoardRow(title=board.name, note=counts(board), board=board, page=self))
        if not own:
            boards.add_widget(Note(text=_("None yet. Photograph an empty board and add it.")))
        boards.add_widget(Note(text=_("Known from the start")))
        for map_id in board_ids():
            board = load_board(map_id)
            boards.add_widget(BoardRow(title=board.name, note=counts(board), board=board, page=self))

    # adding

    def add(self) -> None:
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
        if self.app.ports.browses:
            self.app.open_layer(Browser(self.app.ports.start_folder(), partial(self._learn, like, new)))
        else:
            self.app.ports.pick_photo(partial(self._picked, like, new))

    @mainthread
    def _picked(self, like: str, new: str, answer: Answer) -> None:
        if isinstance(answer, CompanionError):
            self.app.tell(error_text(answer))
        elif answer is not None:
            self._learn(like, new, answer)

    def _learn(self, like: str, new: str, photo: Path) -> None:
        self.app.show("calibrate", photo=str(photo), like=like, new=new)

    def import_board(self) -> None:
        self.app.open_layer(Browser(self.app.ports.start_folder(), self._take, (ENDING, ".zip")))

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

    def share(self, row: BoardRow) -> None:
        board: Board = row.board
        try:
            path = self.app.ports.save_file(f"{board.name}{ENDING}", pack(board))
        except CompanionError as error:
            self.app.tell(error_text(error))
            return
        self.app.tell(_("Saved as {path}", path=str(path)), _("Show"), lambda: self.app.ports.reveal(path))

    def delete(self, row: BoardRow) -> None:
        layer = Layer(title=_("Delete {board}?", board=row.board.name))
        layer.add(Note(text=_("Games played on it can no longer be opened.")))
        button = MainButton(text=_("Delete"), icon="trash")
        button.bind(on_release=lambda *_: self._really(layer, row.board.folder))
        layer.add(button)
        self.app.open_layer(layer)

    def _really(self, layer: Layer, folder: Path) -> None:
        layer.close()
        if folder.parent == self.folder:
            shutil.rmtree(folder, ignore_errors=True)
        self.refresh()

    def is_own(self, board: Board | None) -> bool:
        return board is not None and board.folder is not None and board.folder.parent == self.folder

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

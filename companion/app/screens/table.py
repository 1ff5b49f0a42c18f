"""Table: which board and variant, and who sat there in which colour."""

from __future__ import annotations

from typing import Any

from kivy.properties import ObjectProperty, StringProperty

from companion.app.widgets import load_kv
from companion.app.widgets.basics import Chip, Layer, Row, Tap
from companion.app.widgets.page import Page
from companion.app.words import _, color_name, several
from companion.board import Board, Variant, board_ids, load_board
from companion.boards import own_boards
from companion.draft import Draft

FIRST_PLAYERS = 3


class PlayerRow(Tap):
    """One place at the table: colour, name, and a way to leave."""

    color = StringProperty("")
    board: Any = ObjectProperty(None, allownone=True)
    page: Any = ObjectProperty(None, allownone=True)

    @property
    def name(self) -> str:
        typed: str = self.ids.name.text.strip()
        return typed or color_name(self.color).capitalize()


class TablePage(Page):
    """Board, variant, people."""

    step = StringProperty("table")
    variant = StringProperty("")
    setup = StringProperty("")
    board: Any = ObjectProperty(None, allownone=True)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        game = self.draft.game
        self.board = self.draft.board
        self.map_id = game.map
        self.variant = game.variant or self.board.default_variant.id
        self.depots = "depots" in game.options
        people = [(p.name, p.color) for p in game.players] or list(self.app.settings.people)
        self._fill(people)

    # board and variant

    def _fill(self, people: list[tuple[str, str]]) -> None:
        boards = self.ids.boards
        boards.clear_widgets()
        own = [(str(board.folder), board.name) for board in own_boards(self.app.store.folder / "boards")]
        for map_id, name in [*((known, load_board(known).name) for known in board_ids()), *own]:
            chip = Chip(text=name, on=map_id == self.map_id, value=map_id)
            chip.bind(on_release=lambda c: self.choose_board(c.value))
            boards.add_widget(chip)
        self._fill_variants()
        self.ids.depots.on = self.depots
        self.ids.people.clear_widgets()
        free = list(self.board.rules.colors)
        for name, color in people[: self.board.rules.players[1]]:
            color = color if color in free else free[0]
            free.remove(color)
            self._seat(name, color)
        while len(self.ids.people.children) < (self.board.rules.players[0] if people else FIRST_PLAYERS):
            self._seat("", free.pop(0))
        self._keep()

    def _fill_variants(self) -> None:
        variants = self.ids.variants
        variants.clear_widgets()
        known = self.board.variants
        if self.variant not in known:
            self.variant = self.board.default_variant.id
        for variant in known.values():
            chip = Chip(text=variant.name, on=variant.id == self.variant, value=variant.id)
            chip.bind(on_release=lambda c: self.choose_variant(c.value))
            if len(known) > 1:
                variants.add_widget(chip)
        self.setup = setup_text(self.board, known[self.variant])

    def choose_board(self, map_id: str) -> None:
        if map_id == self.map_id:
            return
        people = self.people()
        names = [(name if self._typed(i) else "", color) for i, (name, color) in enumerate(people)]
        self.board, self.map_id = load_board(map_id), map_id
        self._fill(names)

    def choose_variant(self, variant: str) -> None:
        self.variant = variant
        self._fill_variants()
        self._keep()

    def toggle_depots(self) -> None:
        self.depots = not self.depots
        self.ids.depots.on = self.depots
        self._keep()

    # people

    def rows(self) -> list[PlayerRow]:
        return list(reversed(self.ids.people.children))

    def people(self) -> list[tuple[str, str]]:
        return [(row.name, row.color) for row in self.rows()]

    def _typed(self, place: int) -> bool:
        return bool(self.rows()[place].ids.name.text.strip())

    def _seat(self, name: str, color: str) -> None:
        row = PlayerRow(color=color, board=self.board, page=self)
        automatic = color_name(color).capitalize()
        row.ids.name.text = "" if name == automatic else name
        self.ids.people.add_widget(row)
        self._count()

    def _count(self) -> None:
        fewest, most = self.board.rules.players
        count = len(self.ids.people.children)
        self.ids.add.disabled = count >= most
        for row in self.rows():
            row.ids.leave.disabled = count <= fewest

    def add_player(self) -> None:
        taken = {color for __, color in self.people()}
        free = [c for c in self.board.rules.colors if c not in taken]
        if free and len(taken) < self.board.rules.players[1]:
            self._seat("", free[0])
            self._keep()

    def leave(self, row: PlayerRow) -> None:
        self.ids.people.remove_widget(row)
        self._count()
        self._keep()

    def choose_color(self, row: PlayerRow) -> None:
        """Offer the board's colours; one that is taken changes hands."""
        layer = Layer(title=_("Which colour does {name} play?", name=row.name))
        for color in self.board.rules.colors:
            holder = next((r for r in self.rows() if r.color == color), None)
            note = _("now {name}", name=holder.name) if holder and holder is not row else ""
            line = ColorRow(color=color, board=self.board, title=color_name(color).capitalize(), note=note)
            line.bind(on_release=lambda w: self._give(row, w.color, layer))
            layer.add(line)
        self.app.open_layer(layer)

    def _give(self, row: PlayerRow, color: str, layer: Layer) -> None:
        for other in self.rows():
            if other.color == color:
                other.color = row.color
        row.color = color
        layer.close()
        self._keep()

    # on

    def _keep(self) -> None:
        options = ("depots",) if self.depots else ()
        self.draft.set_table(self.map_id, self.variant, options, self.people())
        self.app.keep()

    def done(self) -> None:
        self._keep()
        typed = tuple((name if self._typed(i) else "", color) for i, (name, color) in enumerate(self.people()))
        self.app.choose(map=self.map_id, variant=self.variant, depots=self.depots, people=typed)
        self.app.step_on()

    def enter(self) -> bool:
        self.done()
        return True

    def back(self) -> bool:
        self._keep()
        draft: Draft = self.draft
        if not draft.game.claims and not draft.finished and not any(p.tickets for p in draft.game.players):
            self.app.drop_draft()
        self.app.show("home", "right")
        return True


class ColorRow(Row):
    """A colour to choose, with its symbol."""

    color = StringProperty("")
    board: Any = ObjectProperty(None, allownone=True)


def setup_text(board: Board, variant: Variant) -> str:
    """How this variant is dealt, in words."""
    setup = variant.setup
    deals = []
    for deal in setup.get("deal", ()):
        kind, count = deal["cards"], int(deal["count"])
        if kind == "long":
            deals.append(several("{count} long ticket", "{count} long tickets", count))
        elif kind == "standard" and board.tickets and any(board.tickets[t].long for t in variant.deck):
            deals.append(several("{count} short ticket", "{count} short tickets", count))
        else:
            deals.append(several("{count} ticket", "{count} tickets", count))
    lines = [_("Deal each player {cards}.", cards=" + ".join(deals))]
    if "keep_long_at_most" in setup:
        lines.append(
            _(
                "Keep at most {long} long; then at least {keep} of the short ones ({more} if no long one is kept).",
                long=setup["keep_long_at_most"],
                keep=setup["keep"],
                more=setup.get("keep_without_long", setup["keep"]),
            )
        )
    else:
        lines.append(_("Keep at least {count}.", count=setup["keep"]))
    lines.append(_("During the game: draw {count}, keep at least {keep}.", count=setup["draw"], keep=setup["draw_keep"]))
    lines.append(several("{count} card in the deck.", "{count} cards in the deck.", len(variant.deck)))
    return " ".join(lines)


load_kv(__file__)
Screen = TablePage

"""Tickets: a player taps the cards they hold; met ones turn green at once, with their path on the map."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kivy.clock import Clock, mainthread
from kivy.properties import BooleanProperty, NumericProperty, StringProperty

from companion.app.cardreader import can_read_cards, read_cards_aside
from companion.app.finding import by_name, finds
from companion.app.widgets import load_kv
from companion.app.widgets.basics import Chip, Flow, Note
from companion.app.widgets.browser import Browser
from companion.app.widgets.page import Page
from companion.app.widgets.proposal import Proposal
from companion.app.widgets.ticket import TicketCard
from companion.app.widgets.writein import WriteIn
from companion.app.words import _, error_text, several
from companion.board import Ticket
from companion.errors import CompanionError
from companion.scoring import Standing

AT_ONCE = 10
"""Cards laid out per frame, so that a large deck never makes the screen stutter."""


class TicketsPage(Page):
    """One player's hand."""

    step = StringProperty("tickets")
    who = StringProperty("")
    color = StringProperty("")
    summary = StringProperty("")
    go_text = StringProperty("")
    only = StringProperty("all")
    held_count = NumericProperty(0)
    reads_cards = BooleanProperty(False)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        draft = self.draft
        player = draft.game.players[draft.turn]
        self.who, self.color = player.name, player.color
        self.cards: dict[str, TicketCard] = {}
        self._laying: Iterator[None] | None = None
        view = self.ids.board
        view.board = draft.board
        view.claims = draft.game.claims
        view.stations = draft.game.stations
        view.bind(on_city=lambda _, city, __: self.tap_city(city), on_nothing=lambda *_: self.clear_path())
        following = draft.game.players[draft.turn + 1 :]
        if following:
            self.go_text = _("Done, on to {name}", name=following[0].name)
        else:
            self.go_text = _("Done, on to the extras") if self.app.extras_asked() else _("Done, who won?")
        self.reads_cards = can_read_cards() and self.app.ports.browses
        self._filters()
        self.lay()
        self.refresh()

    # the deck

    def hand(self) -> tuple[Ticket, ...]:
        return self.draft.player(self.color).tickets

    def deck(self) -> list[Ticket]:
        """The cards this player may hold: the variant's deck and write-ins, without what others hold."""
        draft = self.draft
        variant = draft.board.variants.get(draft.game.variant, draft.board.default_variant)
        gone = {t.id for p in draft.game.players if p.color != self.color for t in p.tickets if not t.write_in}
        held = {t.id for t in self.hand()}
        own = [t for t in self.hand() if t.write_in or t.id not in variant.deck]
        cards = [draft.board.tickets[t] for t in variant.deck if t not in gone]
        return [*own, *(c for c in by_name(draft.board, cards) if c.id not in held or c not in own)]

    def shown(self) -> list[Ticket]:
        typed = self.ids.find.text
        held = {_key(t) for t in self.hand()}
        return [
            t
            for t in self.deck()
            if finds(self.draft.board, t, typed)
            and (self.only != "held" or _key(t) in held)
            and (self.only != "long" or t.long)
        ]

    def lay(self) -> None:
        """Lay the cards that fit the filter out, a few each frame."""
        self.ids.deck.clear_widgets()
        self.cards = {}
        self._laying = self._lay()
        Clock.unschedule(self._lay_more)
        self._lay_more()

    def _lay_more(self, *_: Any) -> None:
        if self._laying is None:
            return
        for __ in range(AT_ONCE):
            if next(self._laying, "end") == "end":
                self._laying = None
                return
        Clock.schedule_once(self._lay_more, 0)

    def _lay(self) -> Iterator[None]:
        shown = self.shown()
        parts = (
            (_("Written in"), [t for t in shown if t.write_in]),
            (_("Long tickets"), [t for t in shown if t.long and not t.write_in]),
            (_("Tickets"), [t for t in shown if not t.long and not t.write_in]),
        )
        if not shown:
            self.ids.deck.add_widget(Note(text=_("No card fits. Clear the search, or write the ticket in.")))
        for name, tickets in parts:
            if not tickets:
                continue
            self.ids.deck.add_widget(Note(text=name))
            from kivy.metrics import dp

            flow = Flow(cell=dp(172))
            self.ids.deck.add_widget(flow)
            for ticket in tickets:
                flow.add_widget(self._card(ticket))
                yield

    def _card(self, ticket: Ticket) -> TicketCard:
        board = self.draft.board
        card = TicketCard(a=board.place_name(ticket.a), b=board.place_name(ticket.b), points=ticket.points, long=ticket.long)
        card.card = ticket
        card.bind(on_release=lambda c: self.tap(c.card))
        self.cards[_key(ticket)] = card
        self._show(card)
        return card

    # holding

    def standing(self) -> Standing:
        return next(s for s in self.app.result().players if s.color == self.color)

    def tap(self, ticket: Ticket) -> None:
        """Take a card or put it back."""
        hand = self.hand()
        if ticket in hand:
            self.draft.hold(self.color, [t for t in hand if t != ticket])
            self.clear_path()
        else:
            self.draft.hold(self.color, [*hand, ticket])
            self.show_path(ticket)
        self.app.keep()
        self.refresh()

    def show_path(self, ticket: Ticket) -> None:
        """The ticket's ends on the map, and its path when it is met."""
        view = self.ids.board
        places = self.draft.board.places
        found = next((t for t in self.standing().tickets if t.ticket == ticket), None)
        view.lit = found.path if found and found.met else ()
        view.marked = (*places[ticket.a], *places[ticket.b])

    def clear_path(self) -> None:
        self.ids.board.lit, self.ids.board.marked = (), ()

    def refresh(self) -> None:
        standing = self.standing()
        self._met = {_key(t.ticket): t.met for t in standing.tickets}
        for card in self.cards.values():
            self._show(card)
        hand = self.hand()
        self.held_count = len(hand)
        points = standing.breakdown["tickets"]
        met = sum(t.met for t in standing.tickets)
        self.summary = (
            f"{several('{count} ticket', '{count} tickets', len(hand))}, {_('{count} met', count=met)}: {points:+d}"
            if hand
            else _("Tap the cards you hold.")
        )
        for chip in self.ids.filters.children:
            if chip.value == "held":
                chip.text = _("In hand ({count})", count=len(hand))

    def _show(self, card: TicketCard) -> None:
        met = getattr(self, "_met", {}).get(_key(card.card))
        card.held = met is not None
        card.met = met is True

    # filters

    def _filters(self) -> None:
        deck = self.deck()
        names = [("all", _("All"))]
        if any(t.long for t in deck):
            names.append(("long", _("Long")))
        names.append(("held", _("In hand ({count})", count=len(self.hand()))))
        for value, text in names:
            chip = Chip(text=text, value=value, on=value == "all")
            chip.bind(on_release=lambda c: self.filter_by(c.value))
            self.ids.filters.add_widget(chip)

    def filter_by(self, only: str) -> None:
        self.only = only
        for chip in self.ids.filters.children:
            chip.on = chip.value == only
        self.lay()

    def typed(self) -> None:
        Clock.unschedule(self._typed_later)
        Clock.schedule_once(self._typed_later, 0.12)

    def _typed_later(self, *_: Any) -> None:
        self.lay()

    def tap_city(self, city: str) -> None:
        """Show the tickets of this city; tapping it again shows all."""
        board = self.draft.board
        name = board.place_name(board.cities[city].country or city)
        field = self.ids.find
        field.text = "" if field.text == name else name
        self.ids.board.lit = ()
        self.ids.board.marked = (city,) if field.text else ()

    def write_in(self) -> None:
        self.app.open_layer(WriteIn(self.draft.board, self._written))

    def _written(self, ticket: Ticket) -> None:
        self.draft.hold(self.color, [*self.hand(), ticket])
        self.app.keep()
        self.lay()
        self.refresh()
        self.show_path(ticket)

    # a photo of the cards

    def photograph(self) -> None:
        self.app.open_layer(Browser(self.app.ports.start_folder(), self._read))

    def dropped(self, path: Path) -> None:
        if can_read_cards():
            self._read(path)

    def _read(self, photo: Path) -> None:
        self.app.tell(_("Reading the cards…"))
        held = set(self.hand())
        deck = [t for t in self.deck() if t not in held]
        read_cards_aside(self.app.desk, photo, self.draft.board, deck, self._proposed)

    @mainthread
    def _proposed(self, found: list[Ticket] | CompanionError) -> None:
        if self.app.page is not self:
            return
        if isinstance(found, CompanionError) or not found:
            missed = _("No card was recognised: tap them instead.")
            self.app.tell(error_text(found) if isinstance(found, CompanionError) else missed)
            return
        self.app.open_layer(Proposal(self.draft.board, found, self._accept))

    def _accept(self, tickets: list[Ticket]) -> None:
        self.draft.hold(self.color, [*self.hand(), *(t for t in tickets if t not in self.hand())])
        self._changed()

    # on and back

    def done(self) -> None:
        draft = self.draft
        if draft.turn + 1 < len(draft.game.players):
            draft.turn += 1
            self.app.show("cover")
        else:
            self.app.step_on()

    def back(self) -> bool:
        self.app.show("cover", "right")
        return True

    def enter(self) -> bool:
        """Enter takes the one card that is left of a search; without a search it goes on."""
        shown = self.shown()
        if self.ids.find.text and len(shown) == 1:
            self.tap(shown[0])
            self.ids.find.text = ""
        elif not self.ids.find.text:
            self.done()
        return True

    def undo(self) -> bool:
        if self.draft.undo():
            self._changed()
        return True

    def redo(self) -> bool:
        if self.draft.redo():
            self._changed()
        return True

    def _changed(self) -> None:
        self.app.keep()
        self.clear_path()
        self.lay()
        self.refresh()


def _key(ticket: Ticket) -> str:
    return f"{ticket.id}/{ticket.points}/{ticket.write_in}"


load_kv(__file__)
Screen = TicketsPage

"""Cards that were seen on a photo: proposed, and taken only when a person says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kivy.metrics import dp

from companion.app.widgets.basics import Flow, Layer, MainButton, Note
from companion.app.widgets.ticket import TicketCard
from companion.app.words import _, several
from companion.board import Board, Ticket


class Proposal(Layer):
    """Tap a card to leave it out or take it in; `done` gets those that are left."""

    def __init__(self, board: Board, found: list[Ticket], done: Callable[[list[Ticket]], None], **kwargs: Any) -> None:
        super().__init__(title=_("Are these the cards?"), **kwargs)
        self._done = done
        self.add(Note(text=_("Tap a card that is not in the hand.")))
        flow = Flow(cell=dp(172))
        self.cards: list[TicketCard] = []
        for ticket in found:
            card = TicketCard(a=board.place_name(ticket.a), b=board.place_name(ticket.b), points=ticket.points, held=True)
            card.long, card.card = ticket.long, ticket
            card.bind(on_release=self._turn)
            flow.add_widget(card)
            self.cards.append(card)
        self.add(flow)
        self.button = MainButton(icon="check")
        self.button.bind(on_release=lambda *_: self._take())
        self.add(self.button)
        self._count()

    def _turn(self, card: TicketCard) -> None:
        card.held = not card.held
        self._count()

    def _count(self) -> None:
        self.button.text = several("Take {count} card", "Take {count} cards", sum(c.held for c in self.cards))

    def _take(self) -> None:
        self.close()
        self._done([c.card for c in self.cards if c.held])

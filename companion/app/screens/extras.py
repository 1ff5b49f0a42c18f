"""Extras: what the edition asks for and no photo shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kivy.properties import NumericProperty, ObjectProperty, StringProperty

from companion.app.widgets import load_kv
from companion.app.widgets.basics import Card, Stack, Tap
from companion.app.widgets.page import Page
from companion.app.words import _
from companion.draft import Draft
from companion.game import Player
from companion.scoring.problems import stations_on


@dataclass(frozen=True)
class Question:
    """Something to enter for one player."""

    color: str
    key: str


def questions(draft: Draft) -> list[Question]:
    """What is left to ask, player by player: the edition's extras, depots, and stations where none were seen."""
    board, game = draft.board, draft.game
    bonuses = board.variants.get(game.variant, board.default_variant).bonuses
    asked = []
    for player in game.players:
        if "goods" in bonuses:
            asked.append(Question(player.color, "goods"))
        if "depots" in game.options:
            asked.append(Question(player.color, "depots_left"))
        if board.rules.stations and not stations_on(board, game, player.color):
            asked.append(Question(player.color, "stations_left"))
    return asked


class PlayerCard(Card):
    """A player's extras."""

    name = StringProperty("")
    color = StringProperty("")
    board: Any = ObjectProperty(None, allownone=True)


class CountLine(Tap):
    """A small number to set."""

    title = StringProperty("")
    note = StringProperty("")
    value = NumericProperty(0)
    most = NumericProperty(9)


class Token(Tap):
    """A goods token: tap it for each one the player has."""

    points = NumericProperty(0)
    color = StringProperty("")
    count = NumericProperty(0)


class GoodsLine(Stack):
    """Tokens by tapping their values; the sum is what counts."""

    total = NumericProperty(0)

    def __init__(self, page: ExtrasPage, player: Player, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.page, self.color = page, player.color
        self.total = player.extras.get("goods", 0)
        self._taps: list[Token] = []
        tokens = page.draft.board.rules.extras.get("goods", {}).get("tokens", {})
        for color, values in tokens.items():
            for points in sorted(set(values), reverse=True):
                token = Token(points=points, color=color)
                most = values.count(points)
                token.bind(on_release=lambda t, most=most: self.tap(t, most))
                self.ids.tokens.add_widget(token)

    def tap(self, token: Token, most: int) -> None:
        if token.count >= most:
            self.page.app.tell(_("The box has only {count} of these.", count=most))
            return
        token.count += 1
        self._taps.append(token)
        self._set(self.total + token.points)

    def take_back(self) -> None:
        """Undo the last token; without one, clear the sum."""
        if self._taps:
            token = self._taps.pop()
            token.count -= 1
            self._set(self.total - token.points)
        else:
            self._set(0)

    def _set(self, total: float) -> None:
        self.total = max(0, int(total))
        self.page.set_extra(self.color, "goods", int(self.total))


class ExtrasPage(Page):
    """What else counts."""

    step = StringProperty("extras")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        asked = questions(self.draft)
        for player in self.draft.game.players:
            keys = [q.key for q in asked if q.color == player.color]
            if keys:
                self.ids.people.add_widget(self._card(player, keys))

    def _card(self, player: Player, keys: list[str]) -> PlayerCard:
        rules = self.draft.board.rules
        card = PlayerCard(name=player.name, color=player.color, board=self.draft.board)
        if "goods" in keys:
            card.add_widget(GoodsLine(self, player))
        if "depots_left" in keys:
            self._count(
                card, player, "depots_left", _("Depots left"), _("In front of the player, not on the board"), rules.depots, 0
            )
        if "stations_left" in keys:
            note = _("No station of theirs is on the board")
            self._count(card, player, "stations_left", _("Stations left"), note, rules.stations, rules.stations)
        return card

    def _count(self, card: PlayerCard, player: Player, key: str, title: str, note: str, most: int, start: int) -> None:
        value = player.extras.get(key)
        if value is None:
            value = start
            self.draft.set_extra(player.color, key, value)
        line = CountLine(title=title, note=note, value=value, most=most)
        line.ids.stepper.bind(on_changed=lambda _, value: self.set_extra(player.color, key, value))
        card.add_widget(line)

    def set_extra(self, color: str, key: str, value: int) -> None:
        self.draft.set_extra(color, key, value)
        self.app.keep()

    def done(self) -> None:
        for asked in questions(self.draft):
            if asked.key == "goods" and "goods" not in self.draft.player(asked.color).extras:
                self.draft.set_extra(asked.color, "goods", 0)
        self.app.keep()
        self.app.step_on()

    def enter(self) -> bool:
        self.done()
        return True


load_kv(__file__)
Screen = ExtrasPage

"""The whole walk by touch in a real window: from the sample's photo to the shared result."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from companion.app.verdict import headline
from companion.board import Board, Ticket
from companion.game import Game
from companion.samples import load_sample
from companion.scoring import score
from tests.app.driver import Driver

SIZES = {"europe": (412, 892), "marklin": (960, 640), "new-york": (892, 412)}
"""One walk upright on a phone, one on a desktop, one on a phone on its side."""


@pytest.mark.parametrize("map_id", SIZES)
def test_from_photo_to_shared_result(start: Any, tmp_path: Path, map_id: str) -> None:
    """A new person scores a game with nothing but touches; the result is the one the rules give."""
    sample = load_sample(map_id)
    hand: Driver = start(size=SIZES[map_id])
    hand.tap("Score a game")
    _sit_down(hand, sample.game, sample.board)
    hand.tap("On to the photo")
    assert hand.page.name == "photo"
    hand.app.draft.board = sample.board  # the print in the sample's photo is our own drawing
    hand.ports.pictures = sample.photo.parent
    hand.tap("Choose a picture")
    hand.tap(sample.photo.name)
    hand.until(lambda: hand.page.name == "review", 60)
    _settle_doubts(hand, sample.game)
    _mend(hand, sample.game)
    assert hand.app.draft.game.claims == sample.game.claims
    assert hand.app.draft.game.stations == sample.game.stations
    hand.tap("The board is right")
    for player in sample.game.players:
        assert hand.sees(f"Over to {player.name}")
        hand.tap(f"I am {player.name}")
        for ticket in player.tickets:
            _take(hand, sample.board, ticket)
        hand.tap("Done, ")
    if hand.page.name == "extras":
        _enter_extras(hand, sample.game)
        hand.tap("Who won?")
    assert hand.page.name == "result"
    _check_result(hand, sample.board, sample.game)
    _check_sharing(hand, tmp_path / "shared")


def _sit_down(hand: Driver, game: Game, board: Board) -> None:
    hand.tap(board.name)
    while len(hand.page.rows()) < len(game.players):
        hand.tap("One more player")
    while len(hand.page.rows()) > len(game.players):
        hand.tap(hand.page.rows()[-1].ids.leave)
    for place, player in enumerate(game.players):
        row = hand.page.rows()[place]
        if row.color != player.color:
            hand.tap(row.children[-1])
            hand.tap(player.color.capitalize())
        hand.type_into(hand.page.rows()[place].ids.name, player.name)
    assert hand.page.people() == [(p.name, p.color) for p in game.players]


def _settle_doubts(hand: Driver, game: Game) -> None:
    """Answer every question as the table would, by touching the right answer."""
    for _ in range(120):
        doubt = hand.page._doubt
        if doubt is None:
            return
        owner = game.claims.get(doubt.id) if doubt.kind == "route" else (game.stations.get(doubt.id) or (None,))[0]
        names = {p.color: p.name for p in game.players}
        if owner in [color for color, _ in doubt.options[:3]]:
            rows = {w.piece: w for w in hand.page.ids.answers.children}
            hand.tap(rows[owner or ""])
        else:
            hand.tap("Something else")
            hand.tap(f"{names[owner]} ({owner})" if owner else "Empty")
        assert hand.page._doubt is not doubt
    raise AssertionError("the questions never end")


def _mend(hand: Driver, game: Game) -> None:
    """Tap whatever is still wrong, and choose its owner."""
    names = {p.color: p.name for p in game.players}
    now = hand.app.draft.game
    for route in {r for r in {*now.claims, *game.claims} if now.claims.get(r) != game.claims.get(r)}:
        hand.tap_route(route)
        owner = game.claims.get(route)
        hand.tap(f"{names[owner]} ({owner})" if owner else "Empty")
    for city in {c for c in {*now.stations, *game.stations} if now.stations.get(c) != game.stations.get(c)}:
        hand.tap_city(city)
        station = game.stations.get(city)
        hand.tap(f"{names[station[0]]} ({station[0]})" if station else "Empty")


def _take(hand: Driver, board: Board, ticket: Ticket) -> None:
    """Find a card by typing both its places, and tap it."""
    hand.type_into(hand.page.ids.find, f"{board.place_name(ticket.a)} {board.place_name(ticket.b)} {ticket.points}")
    hand.until(lambda: hand.page._laying is None and any(c.card.id == ticket.id for c in hand.page.cards.values()))
    card = next(c for c in hand.page.cards.values() if c.card.id == ticket.id)
    hand.tap(card)
    assert card.held


def _enter_extras(hand: Driver, game: Game) -> None:
    from companion.app.screens.extras import CountLine, GoodsLine, PlayerCard

    box = hand.app.draft.board.rules.extras.get("goods", {}).get("tokens", {})
    for card in [w for w in hand.page.walk(restrict=True) if isinstance(w, PlayerCard)]:
        player = next(p for p in game.players if p.color == card.color)
        for line in [w for w in card.walk(restrict=True) if isinstance(w, GoodsLine)]:
            wanted = player.extras.get("goods", 0)
            while line.total < wanted:
                left = [t for t in line.ids.tokens.children if t.count < box[t.color].count(t.points)]
                token = max((t for t in left if t.points <= wanted - line.total), key=lambda t: t.points)
                before = line.total
                hand.tap(token)
                assert line.total == before + token.points
            assert line.total == wanted
        for count in [w for w in card.walk(restrict=True) if isinstance(w, CountLine)]:
            assert count.ids.stepper.value <= count.most


def _check_result(hand: Driver, board: Board, game: Game) -> None:
    expected = score(board, hand.app.draft.game)
    truth = score(board, game)
    assert [s.total for s in expected.players] == [s.total for s in truth.players]
    winner = next(s for s in truth.players if s.rank == 1)
    assert hand.sees(headline(truth))
    for standing in truth.players:
        assert str(standing.total) in hand.texts()
    line = next(iter(winner.breakdown))
    rows = [w for w in hand.page.ids.sheet.children if w.line == line]
    hand.tap(rows[0])
    assert hand.page.name == "why"
    assert hand.page.ids.board.lit
    hand.tap("Back to the score")
    assert hand.page.name == "result"


def _check_sharing(hand: Driver, folder: Path) -> None:
    for name in ("Picture", "Spreadsheet", "For other programs", "Text"):
        hand.tap("Share")
        hand.tap(name)
    files = {path.suffix: path for path in folder.iterdir()}
    assert files[".png"].read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    table = list(csv.reader(files[".csv"].read_text(encoding="utf-8-sig").splitlines()))
    assert [row[1] for row in table[1:]] == [s.name for s in sorted(hand.app.result().players, key=lambda s: s.rank)]
    whole = json.loads(files[".json"].read_text(encoding="utf-8"))
    assert whole["result"]["winners"] == list(hand.app.result().winners)
    assert headline(hand.app.result()) in hand.ports.clipboard
    hand.tap("Finish")
    assert hand.page.name == "home"
    hand.tap("Past games")
    assert hand.sees(hand.app.store.entries()[0].scores[0].name)


def test_a_game_tapped_by_hand(start: Any) -> None:
    """Without any photo: choose a player, tap their routes, one after the other."""
    sample = load_sample("new-york")
    hand: Driver = start()
    hand.tap("Score a game")
    _sit_down(hand, sample.game, sample.board)
    hand.tap("On to the photo")
    hand.tap("No photo")
    for player in sample.game.players:
        if hand.page.brush != player.color:
            hand.tap(hand.page.ids.strip.tab(player.color))
        for route in (r for r, c in sample.game.claims.items() if c == player.color):
            hand.tap_route(route)
    assert hand.app.draft.game.claims == sample.game.claims
    hand.tap("The board is right")
    assert hand.page.name == "cover"

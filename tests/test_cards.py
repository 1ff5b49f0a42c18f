"""Ticket cards seen on a photo: proposed from city names that stand together, misread letters and all."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.board import load_board
from companion.cards import SeenWord, plain, propose


def test_names_that_stand_together_make_a_ticket() -> None:
    board = load_board("europe")
    deck = [board.tickets[t] for t in board.default_variant.deck]
    words = [
        SeenWord("BREST", 0.10, 0.10),
        SeenWord("PETR0GRAD", 0.10, 0.25),
        SeenWord("KOBENHAVN", 0.60, 0.10),
        SeenWord("ERZURUN", 0.60, 0.25),
        SeenWord("Ticket", 0.5, 0.5),
    ]
    assert [t.id for t in propose(board, deck, words)] == ["brest-petrograd", "erzurum-kobenhavn"]
    assert propose(board, deck, words[:1]) == []


@pytest.mark.parametrize(("typed", "found"), [("München", "munchen"), ("København", "kobenhavn"), ("Łódź", "lodz")])
def test_plain_letters(typed: str, found: str) -> None:
    assert plain(typed) == found


def test_cards_on_a_photo_are_proposed(tmp_path: Path) -> None:
    pytest.importorskip("pytesseract")
    import cv2
    import numpy as np

    from companion.app.cardreader import can_read_cards, read_cards

    if not can_read_cards():
        pytest.skip("Tesseract is not installed")
    picture = np.full((900, 1400, 3), 235, np.uint8)
    for column, names in enumerate((("BERLIN", "ROMA"), ("PARIS", "WIEN"))):
        left = 80 + column * 680
        cv2.rectangle(picture, (left, 150), (left + 580, 750), (190, 215, 230), -1)
        for row, name in enumerate(names):
            spot = (left + 90, 320 + row * 260)
            cv2.putText(picture, name, spot, cv2.FONT_HERSHEY_DUPLEX, 2.6, (30, 25, 20), 5, cv2.LINE_AA)
    path = tmp_path / "fan.png"
    cv2.imwrite(str(path), picture)
    board = load_board("europe")
    deck = [board.tickets[t] for t in board.default_variant.deck]
    assert {t.id for t in read_cards(path, board, deck, print)} == {"berlin-roma", "paris-wien"}

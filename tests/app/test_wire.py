"""What passes between the app and the process beside it arrives as it was, and nothing else gets through."""

from __future__ import annotations

import io
import json
import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.mutate import damaged
from companion.app.reader import Order, Picture, Seen
from companion.app.wire import receive, send
from companion.board import load_board
from companion.draft import Doubt
from companion.errors import BoardError, LocateError, Sentence


def passed(thing: Any) -> Any:
    pipe = io.BytesIO()
    send(thing, pipe)
    pipe.seek(0)
    return receive(pipe)


def raw(form: Any) -> io.BytesIO:
    data = json.dumps(form).encode()
    return io.BytesIO(struct.pack(">II", len(data), 0) + data)


SEEN = Seen(
    claims={"brest-paris": "blue"},
    stations={},
    doubts=(Doubt("route", "brest-paris", (("blue", 0.8), (None, 0.2))),),
    corners=((1.5, 2.0),),
    board_picture=Picture(2, 1, b"\x00\xff\n" * 2, 1.0, (b"",)),
    kept=(Path("a") / "b",),
)


@pytest.mark.parametrize(
    "thing", [None, True, 3, 0.5, "ä\ud800", b"", [1, (2, "x")], {1: {"a": b"b"}}, SEEN, frozenset("ab")]
)
def test_things_arrive_as_they_were(thing: Any) -> None:
    assert passed(thing) == thing


def test_a_whole_board_arrives() -> None:
    for map_id in ("europe", "new-york"):
        order = Order((Path("x.jpg"),), load_board(map_id), ("blue",), ((0.0, 1.0),))
        assert passed(order) == order
        assert passed(order).board.folder == order.board.folder


def test_numbers_of_numpy_become_plain() -> None:
    assert passed((np.float32(0.5), np.int64(3))) == (0.5, 3)


def test_an_error_keeps_its_kind_and_its_gaps() -> None:
    told = passed(LocateError("It is cut off ({edges}).", edges=Sentence("its top edge")))
    assert type(told) is LocateError and str(told) == "It is cut off (its top edge)."
    assert isinstance(told.said.values["edges"], Sentence)
    assert type(passed(BoardError("No."))) is BoardError


@pytest.mark.parametrize(
    "form",
    [
        ["made", "Popen", {"args": "true"}],
        ["made", "Path", {}],
        ["error", "reason", "x"],
        ["error", "Sentence", "x"],
        ["error", "errno", "x"],
        ["call", "os.system", "true"],
        ["bytes", 3],
        [],
        ["made"],
    ],
)
def test_what_we_never_send_is_refused(form: Any) -> None:
    with pytest.raises(ValueError, match=r"message of ours|nothing we know|unpack"):
        receive(raw(form))


def test_damaged_messages_are_refused() -> None:
    rng = random.Random(5)
    pipe = io.BytesIO()
    send(SEEN, pipe)
    whole = pipe.getvalue()
    for _ in range(3000):
        try:
            receive(io.BytesIO(damaged(whole, [whole], rng)))
        except (EOFError, ValueError):
            continue

"""Everything that can be pressed is large enough for a finger, on every screen, upright or on its side, in large text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from companion.app.reader import Seen
from companion.draft import Doubt, Draft
from companion.samples import load_sample
from tests.app.driver import Driver, FakeReader
from tests.app.test_boards import at_the_bench

LEAST = 44


def screens(hand: Driver) -> Iterator[str]:
    """Every screen in turn, with something on it."""
    app = hand.app
    yield "home"
    sample, marklin = load_sample(), load_sample("marklin")
    app.draft = Draft(sample.board, sample.game, doubts=(Doubt("route", "berlin-essen", (("red", 0.6), (None, 0.4))),))
    for name in ("table", "photo", "review", "cover", "tickets"):
        app.show(name)
        yield name
    app.draft = Draft(marklin.board, marklin.game)
    app.show("extras")
    yield "extras"
    app.draft = Draft(sample.board, sample.game)
    for name, given in (("result", {}), ("why", {"line": "tickets"}), ("corners", {"photos": ["none.jpg"]})):
        app.show(name, **given)
        yield name
    app.keep()
    for name in ("past", "boards", "settings"):
        app.show(name)
        yield name
    at_the_bench(hand, ("soho",))
    yield "edit"
    for name in ("rules", "pieces", "tryout"):
        app.show(name)
        yield name


@pytest.mark.parametrize("size", [(412, 892), (892, 412)])
@pytest.mark.parametrize("large", [False, True])
def test_every_target_is_large_enough(start: Any, size: tuple[int, int], large: bool) -> None:
    from kivy.uix.behaviors import ButtonBehavior

    hand: Driver = start(size=size, reader=FakeReader(Seen({}, {})))
    hand.app.choose(large=large)
    hand.app._wear()
    small: list[str] = []
    for name in screens(hand):
        hand.settle()
        for widget in hand.page.walk(restrict=True):
            pressed = isinstance(widget, ButtonBehavior) and widget.opacity and not widget.disabled and widget.height > 1
            if pressed and min(widget.size) < LEAST - 0.5:
                small.append(f"{name}: {type(widget).__name__} {getattr(widget, 'text', '')} {widget.size}")
    assert not small, "\n".join(sorted(set(small)))

"""Life on a phone, with a real window of a phone's size: pause and kill, turning, the back gesture, bars, the keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from companion.app.cardreader import can_read_cards
from companion.app.reader import Seen
from companion.store import Store
from tests.app.driver import Driver, FakeReader

UPRIGHT, LYING = (412, 892), (892, 412)
BACK = 27


def at_the_table(hand: Driver) -> list[Any]:
    """Begin a game and give the fields of the people's names."""
    hand.tap("Score a game")
    return [row.ids.name for row in hand.page.rows()]


def on_screen(hand: Driver) -> list[tuple[str, float, float, float, float]]:
    """What is written outside of lists that scroll, with its left, bottom, right and top in the window."""
    from kivy.uix.scrollview import ScrollView

    found = []
    for widget in hand.page.walk(restrict=True):
        above, scrolls = widget, False
        while above is not None and above is not hand.page:
            scrolls, above = scrolls or isinstance(above, ScrollView), above.parent
        if getattr(widget, "text", "") and not scrolls and widget.opacity and widget.height > 1:
            left, bottom = widget.to_window(widget.x, widget.y)
            right, top = widget.to_window(widget.right, widget.top)
            found.append((widget.text, left, bottom, right, top))
    return found


def test_a_pause_keeps_everything_and_a_kill_after_it_loses_nothing(start: Any, tmp_path: Path) -> None:
    hand = start()
    hand.type_into(at_the_table(hand)[0], "Ottilie")
    assert hand.app.dispatch("on_pause") is True, "the app asks to be kept"
    saved = Store(tmp_path / "data").entries()
    assert saved[0].players[0][0] == "Ottilie"
    hand.app.dispatch("on_resume")
    assert hand.page.rows()[0].ids.name.text == "Ottilie"
    # The system kills without a word: whatever is left in memory is gone, and only the saves are there.
    again = start()
    assert again.sees("Go on with Europe")
    again.tap("Go on")
    assert again.page.rows()[0].ids.name.text == "Ottilie"


def test_turning_the_phone_keeps_the_screen_and_what_was_typed(start: Any, window: Any) -> None:
    hand = start(UPRIGHT)
    hand.type_into(at_the_table(hand)[1], "Ben")
    for size in (LYING, UPRIGHT, LYING):
        page, draft = hand.page, hand.app.draft
        window.size = size
        hand.settle()
        assert hand.page is page and hand.app.draft is draft
        assert hand.page.rows()[1].ids.name.text == "Ben"
    window.size = UPRIGHT
    hand.settle()
    hand.page.choose_color(hand.page.rows()[0])
    hand.settle()
    window.size = LYING
    hand.settle()
    assert hand.app.layers(), "an open sheet stays open"


def test_the_back_gesture_goes_back_and_leaves_from_the_first_screen(start: Any) -> None:
    hand = start(reader=FakeReader(Seen({}, {})))
    at_the_table(hand)
    hand.app.step_on()
    hand.settle()
    assert hand.page.name == "photo"
    hand.key(BACK)
    assert hand.page.name == "table"
    hand.page.choose_color(hand.page.rows()[0])
    hand.settle()
    hand.key(BACK)
    assert not hand.app.layers() and hand.page.name == "table", "a sheet is closed first"
    hand.key(BACK)
    assert hand.page.name == "home" and hand.ports.left == 0
    hand.key(BACK)
    assert hand.ports.left == 1, "the phone shows what was there before"
    for name in ("settings", "past", "boards"):
        hand.app.show(name)
        hand.settle()
        hand.key(BACK)
        assert hand.page.name == "home", name


@pytest.mark.parametrize(
    ("size", "covered"), [(UPRIGHT, (0, 90, 0, 60)), (LYING, (90, 0, 60, 30))], ids=["upright", "lying"]
)
def test_bars_and_cutouts_cover_nothing(start: Any, window: Any, size: Any, covered: Any) -> None:
    hand = start(size)
    hand.ports.covered = covered
    hand.app.dispatch("on_resume")
    left, top, right, bottom = covered
    for name in ("home", "settings", "past", "boards"):
        hand.app.show(name)
        hand.settle()
        shown = on_screen(hand)
        assert shown, name
        for text, x, y, to_x, to_y in shown:
            assert x >= left - 1 and y >= bottom - 1, (name, text)
            assert to_x <= window.width - right + 1 and to_y <= window.height - top + 1, (name, text)


def test_turning_asks_anew_what_is_covered(start: Any, window: Any) -> None:
    hand = start(UPRIGHT)
    hand.ports.covered = (0, 90, 0, 60)
    hand.app.dispatch("on_resume")
    hand.ports.covered = (90, 0, 60, 0)
    window.size = LYING
    hand.settle()
    base = hand.app.base
    assert (base.x, base.y) == (90, 0) and base.right == window.width - 60


def test_the_system_is_told_where_the_field_is_that_its_keyboard_must_not_hide(start: Any, window: Any) -> None:
    """On Android Kivy tells SDL the place of the field, and the system moves the window until it can be seen."""
    asked: list[tuple[Any, str]] = []

    class Sdl:
        def __init__(self, real: Any) -> None:
            self.real = real

        def __getattr__(self, name: str) -> Any:
            return getattr(self.real, name)

        def show_keyboard(self, keyboard: Any, mode: str, *_: Any) -> None:
            asked.append((keyboard.target, mode))

    hand = start(UPRIGHT)
    hand.ports.covered = (0, 90, 0, 60)
    hand.app.dispatch("on_resume")
    fields = at_the_table(hand)
    real, window._win = window._win, Sdl(window._win)
    try:
        for field in fields:
            hand.tap(field)
            target, mode = asked[-1]
            assert target is field.__self__ and mode == "below_target"
            assert 60 <= target.to_window(0, target.y)[1] < target.to_window(0, target.top)[1] <= window.height - 90
    finally:
        window._win = real


def test_a_photo_taken_while_the_app_was_closed_is_read(start: Any, tmp_path: Path) -> None:
    """The camera took all the memory, the app was killed, the photo came: it is read when the photo screen opens."""
    reader = FakeReader(Seen({}, {}))
    hand = start(reader=reader)
    at_the_table(hand)
    hand.ports.waiting = tmp_path / "1.photo"
    hand.app.step_on()
    hand.until(lambda: reader.asked)
    assert reader.asked[0].photos == (tmp_path / "1.photo",)


def test_cards_are_not_offered_to_be_read_on_a_phone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANDROID_PRIVATE", "/data/user/0/app/files")
    assert not can_read_cards()

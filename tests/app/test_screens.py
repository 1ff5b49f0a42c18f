"""Single screens by touch: review, corners, settings, past games, and coming back after a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from companion.app.reader import Picture, Seen
from companion.draft import Doubt, new_draft
from companion.errors import CompanionError, LocateError, PhotoError
from companion.samples import load_sample
from companion.store import Score, Store
from tests.app.driver import Driver, FakeReader, FakeWebcam

PEOPLE = (("Ana", "blue"), ("Ben", "red"))
SEEN = Seen(
    claims={"brest-paris": "blue", "berlin-essen": "red"},
    stations={"paris": "red"},
    doubts=(
        Doubt("route", "berlin-essen", (("red", 0.7), (None, 0.3))),
        Doubt("city", "roma", ((None, 0.8), ("blue", 0.2))),
    ),
    board_picture=Picture(30, 20, bytes(1800)),
    closeups={"berlin-essen": Picture(12, 8, bytes(288))},
)


def at_photo(start: Any, answer: Seen | CompanionError, **kwargs: Any) -> Driver:
    hand: Driver = start(reader=FakeReader(answer), **kwargs)
    hand.app.draft = new_draft("europe", PEOPLE)
    hand.app.show("photo")
    hand.settle()
    return hand


def test_doubts_come_first_and_one_tap_settles_each(start: Any, tmp_path: Path) -> None:
    hand = at_photo(start, SEEN)
    hand.page.dropped(tmp_path / "board.jpg")
    hand.until(lambda: hand.page.name == "review")
    assert hand.sees("Berlin-Essen") and hand.page.closeup is not None
    hand.tap("Empty")
    assert "berlin-essen" not in hand.app.draft.game.claims
    assert hand.sees("Roma")
    hand.tap("Ana")
    assert hand.app.draft.game.stations["roma"] == ("blue",)
    assert hand.sees("The board is right")
    hand.key(ord("z"), "ctrl")
    assert "roma" not in hand.app.draft.game.stations
    hand.tap_icon("redo")
    assert hand.app.draft.game.stations["roma"] == ("blue",)


def test_a_game_taken_up_again_shows_its_photo_and_keeps_what_was_entered(start: Any, tmp_path: Path) -> None:
    hand = at_photo(start, SEEN)
    hand.page.dropped(tmp_path / "board.jpg")
    hand.until(lambda: hand.page.name == "review")
    hand.tap("Empty")
    hand.app.saver.flush()
    again: Driver = start(reader=FakeReader(SEEN))
    again.tap("Go on")
    again.until(lambda: again.page.ids.board.photo is not None)
    assert again.sees("Roma") and "berlin-essen" not in again.app.draft.game.claims


def test_another_photo_is_read_together_with_the_first_and_keeps_what_was_settled(start: Any, tmp_path: Path) -> None:
    hand = at_photo(start, SEEN)
    hand.page.dropped(tmp_path / "board.jpg")
    hand.until(lambda: hand.page.name == "review")
    hand.tap("Empty")
    hand.tap("Later")
    hand.app.reader.answer = Seen({"berlin-essen": "red", "paris-zurich": "blue"}, {"roma": "blue"})
    hand.tap("Another photo")
    hand.page.dropped(tmp_path / "other-side.jpg")
    hand.until(lambda: hand.page.name == "review")
    assert hand.app.reader.asked[-1].photos == (tmp_path / "board.jpg", tmp_path / "other-side.jpg")
    assert hand.app.draft.game.claims == {"paris-zurich": "blue"}
    assert hand.app.draft.game.stations == {"roma": ("blue",)} and not hand.app.draft.doubts


def test_a_tap_on_the_board_asks_for_the_owner(start: Any) -> None:
    hand = at_photo(start, SEEN)
    hand.tap("No photo")
    hand.tap(hand.page.ids.strip.tab("blue"))
    assert hand.page.brush == ""
    hand.tap_route("paris-zurich")
    assert hand.sees("Paris-Zürich")
    hand.tap("Ben (red)")
    assert hand.app.draft.game.claims == {"paris-zurich": "red"}
    hand.tap_city("madrid")
    hand.tap("Ana (blue)")
    assert hand.app.draft.game.stations == {"madrid": ("blue",)}


def test_a_breach_of_the_rules_is_told_in_words(start: Any) -> None:
    hand = at_photo(start, SEEN)
    hand.app.draft.claim("edinburgh-london-1", "blue")
    hand.app.draft.claim("edinburgh-london-2", "blue")
    hand.tap("No photo")
    assert hand.sees("more than one lane of Edinburgh-London")


def test_a_board_not_found_leads_to_its_corners(start: Any, tmp_path: Path) -> None:
    hand = at_photo(start, LocateError("No board."))
    hand.page.dropped(tmp_path / "board.jpg")
    hand.until(lambda: hand.page.name == "corners" and hand.page.ready)
    view = hand.page.ids.view
    x, y = view.spot(0)
    before = view.found()[0]
    hand.touch(x, y, (x + 10, y - 5), (x + 30, y - 20))
    after = view.found()[0]
    assert after[0] > before[0] and after[1] > before[1]
    hand.tap("Read it like this")
    hand.until(lambda: hand.page.name == "review")
    assert hand.app.reader.asked[-1].corners == view.found()


def test_a_photo_that_cannot_be_read_is_explained(start: Any, tmp_path: Path) -> None:
    hand = at_photo(start, CompanionError("The file is empty; copy the picture again or take another."))
    hand.page.dropped(tmp_path / "board.jpg")
    hand.until(lambda: hand.sees("The file is empty"))
    assert hand.page.name == "photo" and not hand.page.busy


def test_language_and_look_change_at_once_and_stay(start: Any) -> None:
    from companion.app.theme import theme

    hand: Driver = start()
    hand.tap("Settings")
    hand.tap("Deutsch")
    assert hand.sees("Einstellungen") and not hand.sees("Settings")
    small = theme.body
    hand.tap("Größere Schrift")
    hand.tap("Dunkel")
    assert theme.body > small and theme.look.dark
    hand.key(27)
    assert hand.sees("Ein Spiel werten")
    again: Driver = start()
    assert again.sees("Ein Spiel werten") and theme.look.dark


def test_every_language_fills_every_first_screen(start: Any) -> None:
    hand: Driver = start()
    titles = set()
    for name in ("English", "Français", "Deutsch", "Nederlands", "Español"):
        hand.app.show("settings")
        hand.settle()
        hand.tap(name)
        hand.app.start_game()
        hand.settle()
        titles.add(hand.page.ids.go.text)
        hand.key(27)
    assert len(titles) == 5


def test_past_games_can_be_reopened_and_deleted_with_undo(start: Any, tmp_path: Path) -> None:
    sample = load_sample()
    draft = new_draft("europe", [(p.name, p.color) for p in sample.game.players])
    draft.game, draft.finished, draft.step = sample.game, True, "result"
    scores = tuple(Score(p.name, p.color, 100 - i, i + 1) for i, p in enumerate(sample.game.players))
    Store(tmp_path / "data").save(draft, scores)
    hand: Driver = start()
    hand.tap("Past games")
    assert hand.sees("Europe: Ana")
    hand.tap("Players")
    assert hand.sees("1 win")
    hand.tap("Games")
    hand.tap_icon("trash")
    assert hand.sees("No games yet")
    hand.tap("Undo")
    assert hand.sees("Europe: Ana")
    hand.tap("Europe: Ana")
    assert hand.page.name == "result" and hand.sees("Dan wins")


def test_a_longest_path_is_run_by_a_train(start: Any) -> None:
    sample = load_sample()
    hand: Driver = start(motion=1.0)
    hand.app.draft = new_draft("europe", [(p.name, p.color) for p in sample.game.players])
    hand.app.draft.game = sample.game
    hand.app.show("why", line="longest")
    hand.until(lambda: 0 < hand.page.ids.board.pulse < 1, 5)
    assert hand.page.ids.board.lit == hand.page.standing().longest.routes


def test_a_big_deck_is_laid_out_without_a_long_wait(start: Any) -> None:
    hand: Driver = start()
    hand.app.draft = new_draft("europe", PEOPLE, "mega")
    hand.app.show("tickets")
    hand.until(lambda: hand.page._laying is None, 10)
    assert len(hand.page.cards) == 101
    hand.type_into(hand.page.ids.find, "munch")
    hand.until(lambda: len(hand.page.cards) < 20, 5)
    assert all("nchen" in c.a + c.b for c in hand.page.cards.values())


LIFE = """
import sys
from pathlib import Path
from companion.app.launch import prepare
prepare(Path(sys.argv[1]))
from kivy.core.window import Window
from kivy.base import EventLoop
from companion.app.application import RailApp
app = RailApp(Path(sys.argv[1]))
app._run_prepare()
for _ in range(5): EventLoop.idle()
app.start_game()
app.page.done()
app.page.by_hand()
for _ in range(3): EventLoop.idle()
for route in ("brest-paris", "paris-zurich"):
    app.page.tap_route([route])
app.saver.flush()
print("entered", flush=True)
while True: EventLoop.idle()
"""


def test_a_killed_app_offers_the_game_first(start: Any, display: str, tmp_path: Path) -> None:
    environment = {**os.environ, "DISPLAY": display, "LANG": "en_GB.UTF-8"}
    process = subprocess.Popen(
        [sys.executable, "-c", LIFE, str(tmp_path / "data")], stdout=subprocess.PIPE, env=environment, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "entered"
    process.send_signal(signal.SIGKILL)
    process.wait()
    hand: Driver = start()
    assert hand.sees("Go on with Europe")
    hand.tap("Go on")
    assert hand.page.name == "review"
    assert hand.app.draft.game.claims == {"brest-paris": "blue", "paris-zurich": "blue"}


def test_a_board_can_be_shared_imported_and_chosen(start: Any) -> None:
    hand: Driver = start(size=(1120, 760))
    hand.tap("My boards")
    hand.tap_icon("share")
    parcel = next(hand.ports.folder.glob("*.railboard"))
    hand.tap("Import")
    hand.tap(parcel.name)
    assert hand.sees("is added") and len(list((hand.app.store.folder / "boards").iterdir())) == 1
    hand.key(27)
    hand.tap("Score a game")
    assert len(hand.page.ids.boards.children) == 5
    hand.tap(hand.page.ids.boards.children[0])
    assert Path(hand.app.draft.game.map).name == "europe-2"
    hand.tap("On to the photo")
    hand.tap("No photo")
    hand.tap_route("brest-paris")
    hand.app.saver.flush()
    again: Driver = start()
    again.tap("Go on")
    assert again.app.draft.game.claims == {"brest-paris": "blue"}


def test_cards_seen_on_a_photo_are_only_proposed(start: Any) -> None:
    hand: Driver = start()
    hand.app.draft = new_draft("europe", PEOPLE)
    hand.app.show("tickets")
    hand.settle()
    tickets = hand.app.draft.board.tickets
    hand.page._proposed([tickets["brest-petrograd"], tickets["paris-wien"]])
    hand.settle()
    assert hand.page.hand() == ()
    hand.tap("Wien")
    hand.tap("Take 1 card")
    assert [t.id for t in hand.page.hand()] == ["brest-petrograd"]


def test_the_board_opens_large_enough_to_tap(start: Any) -> None:
    """On a phone held upright the whole of Europe is too small for a finger, so it opens closer; on a desktop, whole."""
    for size, whole in (((412, 892), False), ((1500, 1100), True)):
        hand: Driver = start(size=size)
        hand.app.draft = new_draft("europe", PEOPLE)
        hand.app.show("review")
        hand.settle()
        view = hand.page.ids.board
        assert (view.zoom == 1) is whole
        assert view.scale * view.plan.short >= 8.9


def test_the_webcam_shows_what_it_sees_and_its_photo_is_read(start: Any, tmp_path: Path) -> None:
    hand = at_photo(start, SEEN)
    hand.ports.camera = FakeWebcam(tmp_path / "webcam.jpg")
    hand.tap("Use the webcam")
    hand.until(lambda: hand.page.live)
    assert hand.sees("all four corners")
    hand.tap("Take a photo")
    hand.until(lambda: hand.page.name == "review")
    assert hand.app.reader.asked[-1].photos == (tmp_path / "webcam.jpg",)


def test_without_a_webcam_it_says_so_and_offers_a_picture(start: Any) -> None:
    hand = at_photo(start, SEEN)
    hand.ports.camera = FakeWebcam(PhotoError("No webcam answers; plug one in, close what else uses it."))
    hand.tap("Use the webcam")
    hand.until(lambda: hand.sees("No webcam answers"))
    hand.tap("Choose a picture instead")
    assert hand.page.name == "photo" and hand.ports.camera.stopped


def test_a_real_stream_is_watched_from_the_other_process(start: Any, tmp_path: Path, monkeypatch: Any) -> None:
    """OpenCV plays a film as if it were a camera: frames cross the pipe, and the photo is a file of its own."""
    import cv2
    import numpy as np

    film = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(film), cv2.VideoWriter.fourcc(*"MJPG"), 15, (640, 360))
    for number in range(120):
        writer.write(np.full((360, 640, 3), 2 * number, np.uint8))
    writer.release()
    monkeypatch.setenv("COMPANION_WEBCAM", str(film))
    hand = at_photo(start, SEEN)
    hand.tap("Use the webcam")
    hand.until(lambda: hand.page.live, 20)
    hand.tap("Take a photo")
    hand.until(lambda: hand.page.name == "review", 20)
    taken = hand.app.reader.asked[-1].photos[0]
    assert np.asarray(cv2.imread(str(taken))).shape == (360, 640, 3)

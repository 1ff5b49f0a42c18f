"""The app itself: which screen is shown, which game is open, and that nothing entered is lost."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.clock import Clock, mainthread
from kivy.core.window import Window
from kivy.metrics import dp
from kivy.uix.floatlayout import FloatLayout
from kivy.uix.relativelayout import RelativeLayout
from kivy.uix.screenmanager import NoTransition, ScreenManager, SlideTransition

from companion.app.aside import Desk, desk_for_this_machine
from companion.app.ports import Ports, ports_for_this_machine
from companion.app.reader import DeskReader, Reader
from companion.app.saver import Saver
from companion.app.settings import Settings, parse_settings
from companion.app.theme import theme
from companion.app.widgets.basics import Layer, Toast
from companion.app.widgets.page import Page
from companion.app.words import _, error_text, use
from companion.app.workshop import Workshop
from companion.draft import STEPS, Draft, new_draft, now
from companion.errors import CompanionError
from companion.scoring import Result, score
from companion.store import Score, Store, save_form

BACK_KEYS = (27, 1001)
SCREENS = ("table", "photo", "review", "cover", "tickets", "extras", "result", "why")
"""The walk of a game, in the order in which it is met."""


def chores() -> Iterator[Callable[[], object]]:
    """What the later screens need: their code and kv, and the pictures that a board is drawn with."""
    from companion.app.widgets import boardart

    for name in SCREENS:
        yield partial(importlib.import_module, f"companion.app.screens.{name}")
    for picture in boardart.PICTURES:
        yield partial(boardart.picture, picture)


class RailApp(App):
    """Holds what outlives a screen: store, settings, the open draft, the ports to the machine."""

    title = "Rail Companion"

    def __init__(self, folder: Path, reader: Reader | None = None, ports: Ports | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.store = Store(folder)
        self.saver = Saver(self.store, self._trouble)
        self.settings: Settings = parse_settings(self.store.settings())
        self.workshop = Workshop(self.store.folder / "boards", self._trouble, self.store.put_aside)
        self.desk: Desk = desk_for_this_machine()
        self.reader: Reader = reader or DeskReader(self.desk, self.store.photos)
        self.ports: Ports = ports or ports_for_this_machine(self.store.photos)
        self.draft: Draft | None = None
        self.seen: Any = None
        self._result: tuple[Any, Result] | None = None
        self._toast: Toast | None = None
        self._wear()

    def _wear(self) -> None:
        use(self.settings.language)
        theme.wear(self.settings.look)
        Window.clearcolor = theme.paper

    def build(self) -> FloatLayout:
        self.base = RelativeLayout()
        self.screens = ScreenManager(
            transition=SlideTransition(duration=0.2 * theme.motion) if theme.motion else NoTransition()
        )
        self.base.add_widget(self.screens)
        Window.bind(on_key_down=self._key, on_drop_file=self._drop, on_resize=self._fit)
        Clock.schedule_once(self._fit)
        Window.softinput_mode = "below_target"
        self.show("home")
        root = FloatLayout()
        root.add_widget(self.base)
        self._chores = chores()
        Clock.schedule_once(self._chore, 0.5)
        return root

    def _chore(self, *_: Any) -> None:
        """One small piece of getting ready between two frames, so that no screen has to wait for it later."""
        chore = next(self._chores, None)
        if chore is not None:
            chore()
            Clock.schedule_once(self._chore, 0.03)

    def _fit(self, *_: Any) -> None:
        """Keep clear of system bars and cut-outs, however the phone is held."""
        left, top, right, bottom = self.ports.insets()
        self.base.size_hint = None, None
        self.base.pos = left, bottom
        self.base.size = Window.width - left - right, Window.height - top - bottom

    @property
    def page(self) -> Page:
        return self.screens.current_screen

    def show(self, name: str, direction: str = "left", **given: Any) -> None:
        """Build the screen of that name and go there."""
        module = importlib.import_module(f"companion.app.screens.{name.replace('-', '_')}")
        self.close_layers()
        if self._toast and not self._toast.action:
            self._hush(self._toast, None)
        page: Page = module.Screen(name=name, **given)
        if theme.motion:
            self.screens.switch_to(page, direction=direction)
        else:
            self.screens.switch_to(page)
        if name in STEPS and self.draft:
            self.draft.step = name
            self.keep()

    def rebuild(self) -> None:
        """Build the current screen anew, as after a change of language or look."""
        page = self.page
        self._wear()
        self.close_layers()
        fresh = type(page)(name=page.name, **page.given)
        motion, self.screens.transition = self.screens.transition, NoTransition()
        self.screens.switch_to(fresh)
        self.screens.transition = motion

    def choose(self, **changes: Any) -> None:
        """Change settings, and keep them."""
        self.settings = replace(self.settings, **changes)
        try:
            self.store.keep_settings(self.settings.to_raw())
        except CompanionError as error:
            self.tell(error_text(error))

    # the open game

    def start_game(self) -> None:
        """Open a fresh draft with the last table's people."""
        chosen = self.settings
        try:
            self.draft = new_draft(chosen.map, (), chosen.variant, ("depots",) if chosen.depots else ())
        except CompanionError:
            self.draft = new_draft("europe", ())
        self.seen = None
        self.reader.warm()
        self.show("table")

    def open_sample(self, map_id: str = "europe") -> None:
        """Open the sample: its people and cards are at the table, its photo waits to be read."""
        from companion.samples import load_sample

        sample = load_sample(map_id)
        self.draft = Draft(sample.board, replace(sample.game, claims={}, stations={}))
        self.seen = None
        self.show("photo", sample=str(sample.photo))

    def open_game(self, game_id: str, step: str | None = None) -> None:
        """Go on with a saved game where it was left."""
        self.saver.flush()
        try:
            self.draft = self.store.load(game_id)
        except CompanionError as error:
            self.tell(error_text(error))
            self.show("home", "right")
            return
        self.seen = None
        self.show(step or ("cover" if self.draft.step == "tickets" else self.draft.step))

    def keep(self) -> None:
        """Save the open game as it is now."""
        draft = self.draft
        if draft is None or not draft.game.players:
            return
        scores: tuple[Score, ...] = ()
        if draft.finished:
            scores = tuple(Score(s.name, s.color, s.total, s.rank) for s in self.result().players)
        draft.changed = now()
        self.saver.keep(draft.id, save_form(draft, scores))

    def drop_draft(self) -> None:
        """Leave a game in which nothing was entered; nothing of it is kept."""
        draft, self.draft = self.draft, None
        if draft is not None:
            self.saver.forget(draft.id)
            try:
                self.store.delete(draft.id)
            except CompanionError:
                return

    def forget_everything(self) -> None:
        """Delete all games, photos and settings, and begin anew."""
        self.draft, self.seen = None, None
        self.saver.flush()
        self.workshop.drop()
        try:
            self.store.delete_everything()
        except CompanionError as error:
            self.tell(error_text(error))
        self.settings = parse_settings({})
        self._wear()
        self.show("home", "right")

    def result(self) -> Result:
        """The score of the open game, reckoned anew only when the game changed."""
        assert self.draft is not None
        if self._result is None or self._result[0] is not self.draft.game:
            self._result = self.draft.game, score(self.draft.board, self.draft.game)
        return self._result[1]

    def extras_asked(self) -> bool:
        """Whether this game needs the extras screen."""
        from companion.app.screens.extras import questions

        return self.draft is not None and bool(questions(self.draft))

    def step_on(self) -> None:
        """Go to the next step of the walk."""
        self._walk(1)

    def step_back(self) -> None:
        self._walk(-1)

    def _walk(self, by: int) -> None:
        assert self.draft is not None
        at = STEPS.index(self.page.step) + by
        if at < 0:
            self.show("home", "right")
            return
        if STEPS[at] == "extras" and not self.extras_asked():
            at += by
        if STEPS[at] == "tickets":
            self.draft.turn = 0 if by > 0 else len(self.draft.game.players) - 1
            self.show("cover", "left" if by > 0 else "right")
        else:
            self.show(STEPS[at], "left" if by > 0 else "right")

    # sheets, sentences, keys

    def open_layer(self, layer: Layer) -> None:
        self.base.add_widget(layer)

    def layers(self) -> list[Layer]:
        return [w for w in self.base.children if isinstance(w, Layer)]

    def close_layers(self) -> None:
        for layer in self.layers():
            layer.close()

    def tell(self, text: str, action: str = "", done: Callable[[], object] | None = None) -> None:
        """Show a sentence for a moment, with one thing to do if there is one."""
        if self._toast and self._toast.parent:
            self.base.remove_widget(self._toast)
        toast = Toast(text=text, action=action)
        toast.bind(on_release=lambda *_: self._hush(toast, done))
        self.base.add_widget(toast)
        toast.pos = (self.base.width - toast.width) / 2, self.base.height - dp(64) - toast.height
        self._toast = toast
        Clock.schedule_once(lambda *_: self._hush(toast, None), 7 if action else 4)

    def _hush(self, toast: Toast, done: Callable[[], object] | None) -> None:
        if toast.parent:
            self.base.remove_widget(toast)
            if done:
                done()

    def trouble(self, fault: Exception) -> None:
        """Something of ours broke: say so. What was entered is saved already."""
        if not getattr(self, "base", None):
            raise fault
        self.tell(_("Something went wrong here. Your game is saved; go back and try again."))

    @mainthread
    def _trouble(self, error: CompanionError) -> None:
        self.tell(error_text(error))

    def back(self) -> bool:
        """One step back: close a sheet, leave a screen; False when there is nowhere to go."""
        layers = self.layers()
        if layers:
            if layers[0].closable:
                layers[0].close()
            return True
        return self.page.back()

    def _key(self, _window: Any, key: int, _scan: int, _text: str | None, held: list[str]) -> bool:
        if key in BACK_KEYS:
            if not self.back():
                self.ports.leave()
            return True
        if self.layers():
            return False
        if "ctrl" in held or "meta" in held:
            if key == ord("z"):
                return self.page.redo() if "shift" in held else self.page.undo()
            if key == ord("y"):
                return self.page.redo()
        if key in (13, 271):
            return self.page.enter()
        return False

    def _drop(self, _window: Any, name: bytes, *_: Any) -> None:
        self.page.dropped(Path(name.decode("utf-8", "replace")))

    # life on a phone

    def on_pause(self) -> bool:
        self.keep()
        self.saver.flush()
        self.workshop.flush()
        return True

    def on_resume(self) -> None:
        self._fit()

    def on_stop(self) -> None:
        self.keep()
        self.saver.flush()
        self.workshop.flush()
        self.desk.stop()
        Clock.unschedule(self._chore)
        Window.unbind(on_key_down=self._key, on_drop_file=self._drop, on_resize=self._fit)

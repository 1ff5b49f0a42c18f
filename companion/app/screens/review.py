"""Review: the board as it was read, doubts first; every route and city can be changed with a tap."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kivy.clock import Clock, mainthread
from kivy.metrics import dp
from kivy.properties import BooleanProperty, ListProperty, NumericProperty, ObjectProperty, StringProperty

from companion.app.reader import Order, Seen, read_aside
from companion.app.widgets import load_kv
from companion.app.widgets.basics import Layer, Note, QuietButton, Txt
from companion.app.widgets.ownerrow import OwnerRow
from companion.app.widgets.page import Page
from companion.app.widgets.picture import Shot
from companion.app.widgets.players import PlayerTab
from companion.app.words import _, color_name, problem_text, several
from companion.draft import Doubt
from companion.errors import CompanionError
from companion.scoring.problems import problems_of, stations_on

NOT_HERE = ("not-entered", "unknown-ticket", "duplicate-ticket", "outside-deck")
"""Breaches that later screens deal with."""


class ReviewPage(Page):
    """Whose is what."""

    step = StringProperty("review")
    brush = StringProperty("")
    say = StringProperty("")
    breach = StringProperty("")
    asking = BooleanProperty(False)
    question = StringProperty("")
    closeup: Any = ObjectProperty(None, allownone=True)
    closeup_size = ListProperty([0, 0])
    doubts_left = NumericProperty(0)
    standing_on = StringProperty("")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._skipped: set[tuple[str, str]] = set()
        self._doubt: Doubt | None = None
        board = self.draft.board
        view = self.ids.board
        view.board = board
        view.bind(on_route=lambda _, routes: self.tap_route(routes), on_city=lambda _, c, r: self.tap_city(c, r))
        self.board_photo: Shot | None = None
        if self.app.seen:
            self._show_photo(self.app.seen)
        elif self.draft.photos:
            self._look_again()
        self.ids.strip.fill([PlayerTab(name=p.name, piece=p.color, board=board) for p in self.draft.game.players])
        self.ids.strip.bind(on_choose=lambda _, color: self.choose_brush(color))
        if not self.draft.doubts and not self.draft.photos:
            self.brush = self.draft.game.players[0].color
        self.refresh()
        self.next_doubt()
        Clock.schedule_once(lambda *_: self._open_view(), 0)

    def _open_view(self) -> None:
        """Begin close enough to tap, unless a doubt is being shown."""
        if not self.asking:
            self.ids.board.fill()
        else:
            self._look_at_doubt()

    def on_size(self, *_: Any) -> None:
        super().on_size()
        Clock.schedule_once(lambda *_: self.refresh() if self.parent else None, 0)

    def _look_again(self) -> None:
        """A game taken up again: fetch its photo and close-ups; what was entered since stays as it is."""
        photos = tuple(Path(p) for p in self.draft.photos)
        colors = tuple(p.color for p in self.draft.game.players)
        order = Order(photos, self.draft.board, colors, self.draft.corners or None)
        read_aside(self.app.reader, order, lambda stage: None, self._seen_again)

    @mainthread
    def _seen_again(self, seen: Seen | CompanionError) -> None:
        if self.app.page is self and isinstance(seen, Seen):
            self.app.seen = seen
            self._show_photo(seen)
            self.next_doubt()

    def _show_photo(self, seen: Seen) -> None:
        self.standing_on = "\n".join(
            _("{name}'s station stands on a wagon: {route}.", name=self.short_owner(color), route=board.route_name(route))
            for board in [self.draft.board]
            for route, color in seen.borrowing.items()
            if route in board.routes
        )
        self.board_photo = Shot(seen.board_picture) if seen.board_picture else None
        self.ids.board.photo = self.board_photo

    # what is shown

    def refresh(self) -> None:
        """Show the draft as it is now."""
        draft, game, board = self.draft, self.draft.game, self.draft.board
        view = self.ids.board
        view.claims, view.stations = game.claims, game.stations
        view.asked = tuple(d.id for d in draft.doubts)
        self.doubts_left = len(draft.doubts)
        for player in game.players:
            tab = self.ids.strip.tab(player.color)
            used = sum(board.routes[r].length for r, c in game.claims.items() if c == player.color and r in board.routes)
            tab.count, tab.most = used, board.rules.trains
            tab.wrong = used > board.rules.trains
            roomy = self.width / len(game.players) > dp(110)
            words = _("{used} used, {left} left") if roomy else _("{used}, {left} left")
            tab.note = words.format(used=used, left=board.rules.trains - used)
            if board.rules.stations:
                built = stations_on(board, game, player.color)
                tab.stations = str(built)
                tab.wrong = tab.wrong or built > board.rules.stations
            tab.on = player.color == self.brush
        breaches = [problem_text(p) for p in problems_of(board, game) if p.code not in NOT_HERE]
        more = f"  (+{len(breaches) - 1})" if len(breaches) > 1 else ""
        self.breach = breaches[0] + more if breaches else ""
        self.ids.undo.disabled = not draft.can_undo
        self.ids.redo.disabled = not draft.can_redo
        self._speak()

    def _speak(self) -> None:
        name = next((p.name for p in self.draft.game.players if p.color == self.brush), "")
        if self.brush and self.draft.board.rules.stations:
            self.say = _("Tap {name}'s routes, and the cities with their stations.", name=name)
        elif self.brush:
            self.say = _("Tap {name}'s routes.", name=name)
        elif self.draft.photos:
            self.say = _("Compare with the board. Tap a route or a city to change it.")
        else:
            self.say = _("Tap a player, then their routes. Drag to move, pinch to enlarge.")

    def all_breaches(self) -> None:
        layer = Layer(title=_("Please check"))
        for problem in problems_of(self.draft.board, self.draft.game):
            if problem.code not in NOT_HERE:
                layer.add(Txt(text=f"•  {problem_text(problem)}"))
        layer.add(Note(text=_("The game is scored as it lies, whatever the rules say.")))
        self.app.open_layer(layer)

    def toggle_photo(self) -> None:
        """Show the photo or our drawing."""
        view = self.ids.board
        view.photo = None if view.photo is not None else self.board_photo

    # doubts

    def next_doubt(self) -> None:
        """Ask about the next thing the reader is unsure of, if any is left."""
        waiting = [d for d in self.draft.doubts if (d.kind, d.id) not in self._skipped]
        self._doubt = waiting[0] if waiting else None
        self.asking = self._doubt is not None
        answers = self.ids.answers
        answers.clear_widgets()
        view = self.ids.board
        view.pointed = self._doubt.id if self._doubt else ""
        if self._doubt is None:
            return
        doubt = self._doubt
        name = self.draft.board.route_name(doubt.id) if doubt.kind == "route" else self.draft.board.place_name(doubt.id)
        self.question = name
        picture = self.app.seen.closeups.get(doubt.id) if self.app.seen else None
        room = dp(170), dp(92) if self.short and not self.wide else dp(132)
        shrink = min(room[0] / picture.width, room[1] / picture.height) if picture else 0.0
        self.closeup_size = [picture.width * shrink, picture.height * shrink] if picture else [0, 0]
        self.closeup = Shot(picture).at(self.closeup_size[0]) if picture else None
        for color, __ in doubt.options[:3]:
            answers.add_widget(
                OwnerRow(piece=color or "", board=self.draft.board, title=self.short_owner(color), press_=self._answer)
            )
        self._look_at_doubt()

    def _look_at_doubt(self) -> None:
        if self._doubt and self._doubt.kind == "route":
            self.ids.board.look_at(routes=[self._doubt.id], most=3.2)
        elif self._doubt:
            self.ids.board.look_at(cities=[self._doubt.id], most=3.2)

    def _answer(self, color: str) -> None:
        if self._doubt:
            self.set_owner(self._doubt.kind, self._doubt.id, color or None)

    def other(self) -> None:
        if self._doubt:
            self.ask_owner(self._doubt.kind, self._doubt.id)

    def skip(self) -> None:
        if self._doubt:
            self._skipped.add((self._doubt.kind, self._doubt.id))
        self.next_doubt()
        if not self.asking:
            self.ids.board.show_all()

    # changing

    def owner(self, color: str | None) -> str:
        if color is None:
            return _("Empty")
        name = next((p.name for p in self.draft.game.players if p.color == color), "")
        said = color_name(color)
        return f"{name} ({said})" if name and name.lower() != said else said.capitalize()

    def short_owner(self, color: str | None) -> str:
        """Just the name, where there is little room."""
        return next((p.name for p in self.draft.game.players if p.color == color), self.owner(color))

    def choose_brush(self, color: str) -> None:
        self.brush = "" if self.brush == color else color
        self.refresh()

    def tap_route(self, routes: list[str]) -> None:
        route = routes[0]
        if self.brush:
            mine = self.draft.game.claims.get(route) == self.brush
            self.set_owner("route", route, None if mine else self.brush)
        else:
            self.ask_owner("route", route, routes[1:3])

    def tap_city(self, city: str, routes: list[str]) -> None:
        if not self.draft.board.rules.stations:
            if routes:
                self.tap_route(routes)
            return
        if self.brush:
            mine = self.brush in self.draft.game.stations.get(city, ())
            self.set_owner("city", city, None if mine else self.brush)
        else:
            self.ask_owner("city", city, routes[:2])

    def ask_owner(self, kind: str, about: str, others: list[str] | None = None) -> None:
        """A sheet: who owns this route, whose station stands on this city?"""
        board, game = self.draft.board, self.draft.game
        if kind == "route":
            length = board.routes[about].length
            layer = Layer(title=board.route_name(about))
            points = board.rules.points.get(length, 0)
            spaces = several("{count} space", "{count} spaces", length)
            layer.add(Note(text=f"{spaces}, {several('{count} point', '{count} points', points)}"))
            now = game.claims.get(about, "")
        else:
            layer = Layer(title=_("Station in {city}", city=board.place_name(about)))
            now = (game.stations.get(about) or ("",))[0]

        def chosen(color: str) -> None:
            layer.close()
            self.set_owner(kind, about, color or None)

        def instead(route: str) -> None:
            layer.close()
            self.ask_owner("route", route)

        for color in [*(p.color for p in game.players), ""]:
            line = OwnerRow(piece=color, board=board, title=self.owner(color or None), on=color == now, press_=chosen)
            layer.add(line)
        for other in others or ():
            button = QuietButton(text=_("No, {route}", route=board.route_name(other)))
            button.bind(on_release=lambda _, other=other: instead(other))
            layer.add(button)
        self.app.open_layer(layer)

    def set_owner(self, kind: str, about: str, color: str | None) -> None:
        asked = self._doubt is not None and (kind, about) == (self._doubt.kind, self._doubt.id)
        if kind == "route":
            self.draft.claim(about, color)
        else:
            self.draft.build(about, color)
        self.app.keep()
        self.refresh()
        if asked:
            self.next_doubt()
            if not self.asking:
                self.ids.board.show_all()

    def undo(self) -> bool:
        if self.draft.undo():
            self.app.keep()
            self.refresh()
        return True

    def redo(self) -> bool:
        if self.draft.redo():
            self.app.keep()
            self.refresh()
        return True

    def another_photo(self) -> None:
        self.app.show("photo", more=True)

    def done(self) -> None:
        self.app.step_on()

    def enter(self) -> bool:
        if self.asking and self._doubt:
            self._answer(self._doubt.options[0][0] or "")
        else:
            self.done()
        return True


load_kv(__file__)
Screen = ReviewPage

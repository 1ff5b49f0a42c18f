"""Rules: how a board of one's own is scored, beginning from one that is known."""

from __future__ import annotations

import json
from typing import Any

from kivy.properties import StringProperty

from companion.app.screens.edit import BenchPage
from companion.app.screens.extras import CountLine
from companion.app.widgets import load_kv
from companion.app.widgets.basics import Chip
from companion.app.words import _, several
from companion.board import board_ids, bundled_maps, load_board


class RulesPage(BenchPage):
    """Points, pieces and bonuses."""

    named = StringProperty("")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.named = self.editing.raw["name"]
        for map_id in board_ids():
            chip = Chip(text=load_board(map_id).name, value=map_id)
            chip.bind(on_release=lambda c: self.take(c.value))
            self.ids.known.add_widget(chip)
        self.refresh()

    def refresh(self) -> None:
        raw, rules = self.editing.raw, self.editing.board.rules
        like = raw.get("rules_of", raw.get("like", ""))
        for chip in self.ids.known.children:
            chip.on = chip.value == like
        self.ids.undo.disabled = not self.editing.can_undo
        lines = [
            ("trains", _("Trains for each player"), rules.trains, 99),
            ("stations", _("Stations for each player"), rules.stations, 9),
            ("longest", _("Points for the longest path"), rules.bonuses.get("longest", 0), 50),
            ("most_tickets", _("Points for the most tickets"), rules.bonuses.get("most_tickets", 0), 50),
        ]
        used = sorted({r.length for r in self.editing.board.routes.values()})
        lines += [
            (
                str(n),
                several("Points for a route of {count} space", "Points for a route of {count} spaces", n),
                rules.points[n],
                99,
            )
            for n in used
        ]
        box = self.ids.lines
        if [line.value_of for line in reversed(box.children)] == [name for name, *_ in lines]:
            for line, (_name, _title, value, _most) in zip(reversed(box.children), lines, strict=True):
                line.value = value
            return
        box.clear_widgets()
        for name, title, value, most in lines:
            line = CountLine(title=title, value=value, most=most)
            line.value_of = name
            line.ids.stepper.bind(on_changed=lambda _, number, name=name: self.set_rule(name, number))
            box.add_widget(line)

    def set_rule(self, name: str, value: int) -> None:
        self.change(lambda: self.editing.set_rule(name, max(1, value) if name == "trains" else value))

    def take(self, map_id: str) -> None:
        folder = bundled_maps() / map_id
        raw, cards = (json.loads((folder / name).read_text(encoding="utf-8")) for name in ("board.json", "tickets.json"))
        self.change(lambda: self.editing.take_rules(raw, cards))

    def name_it(self, name: str) -> None:
        if name.strip() and name.strip() != self.editing.raw["name"]:
            self.change(lambda: self.editing.rename(name))

    def done(self) -> None:
        self.app.show("pieces")

    def enter(self) -> bool:
        self.done()
        return True

    def back(self) -> bool:
        self.app.show("edit", "right")
        return True


load_kv(__file__)
Screen = RulesPage

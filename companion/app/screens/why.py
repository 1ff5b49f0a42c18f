"""Why: one line of the sheet for one player, shown on the board."""

from __future__ import annotations

from collections import Counter
from typing import Any

from kivy.properties import StringProperty

from companion.app.theme import theme
from companion.app.verdict import line_name, loan_text
from companion.app.widgets import load_kv
from companion.app.widgets.basics import Note, Row, Txt
from companion.app.widgets.page import Page
from companion.app.widgets.players import PlayerTab
from companion.app.widgets.ticket import TicketCard
from companion.app.words import _, several
from companion.board import Board
from companion.scoring import Standing, TicketResult, missing_link


class WhyPage(Page):
    """The board, lit to explain a number."""

    line = StringProperty("")
    color = StringProperty("")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.line = self.given["line"]
        self.result = self.app.result()
        self.board: Board = self.draft.board
        view = self.ids.board
        view.board, view.claims, view.stations = self.board, self.draft.game.claims, self.draft.game.stations
        tabs = []
        for standing in self.result.players:
            note = f"{standing.breakdown[self.line]:+d}"
            tabs.append(PlayerTab(name=standing.name, piece=standing.color, board=self.board, note=note, count=0))
        self.ids.strip.fill(tabs)
        self.ids.strip.bind(on_choose=lambda _, color: self.show_player(color))
        best = max(self.result.players, key=lambda s: (s.breakdown[self.line], -s.rank))
        self.show_player(self.given.get("color") or best.color)

    def standing(self) -> Standing:
        return next(s for s in self.result.players if s.color == self.color)

    def show_player(self, color: str) -> None:
        self.color = color
        for tab in self.ids.strip.children:
            tab.on = tab.piece == color
        self.ids.text.clear_widgets()
        view = self.ids.board
        view.lit, view.missing, view.marked = (), (), ()
        view.stop_train()
        explain = getattr(self, f"_explain_{self.line}", None)
        if explain:
            explain(self.standing())
        self._frame()

    def _frame(self) -> None:
        """Move the view to what is lit."""
        view = self.ids.board
        view.look_at(routes=(*view.lit, *view.missing), cities=view.marked, most=2.4)

    def _say(self, text: str) -> None:
        self.ids.text.add_widget(Txt(text=text))

    def own(self) -> list[str]:
        return [r for r, c in self.draft.game.claims.items() if c == self.color and r in self.board.routes]

    def _explain_routes(self, standing: Standing) -> None:
        own = self.own()
        self.ids.board.lit = tuple(own)
        lengths = Counter(self.board.routes[r].length for r in own)
        for length, count in sorted(lengths.items(), reverse=True):
            each = self.board.rules.points.get(length, 0)
            spaces = several("{count} space", "{count} spaces", length)
            self._say(f"{count} × {spaces}: {count} × {each} = {count * each}")
        if not own:
            self._say(_("No routes on the board."))

    def _explain_tickets(self, standing: Standing) -> None:
        cards = []
        for found in sorted(standing.tickets, key=lambda t: (not t.met, -t.ticket.points)):
            card = TicketCard(
                a=self.board.place_name(found.ticket.a),
                b=self.board.place_name(found.ticket.b),
                points=found.ticket.points if found.met else -found.ticket.points,
                held=True,
                long=found.ticket.long,
            )
            card.met, card.failed = found.met, not found.met
            card.bind(on_release=lambda _, found=found: self.show_ticket(found))
            self.ids.text.add_widget(card)
            cards.append(found)
        if cards:
            self.show_ticket(cards[0])
        else:
            self._say(_("No tickets were entered."))

    def show_ticket(self, found: TicketResult) -> None:
        """The path of a met ticket; what a failed one lacked."""
        view = self.ids.board
        view.marked = (*self.board.places[found.ticket.a], *self.board.places[found.ticket.b])
        if found.met:
            view.missing, view.lit = (), found.path
            self._frame()
            return
        borrowed = [loan.route for loan in self.standing().loans if loan.route]
        own = {*self.own(), *borrowed}
        taken = {r for r in self.draft.game.claims if r not in own}
        link = missing_link(self.board, own, taken, found.ticket.a, found.ticket.b)
        view.lit, view.missing = (), link
        self._frame()
        names = ", ".join(self.board.route_name(r) for r in link)
        self.app.tell(_("Missing: {routes}", routes=names))

    def _explain_longest(self, standing: Standing) -> None:
        walk = standing.longest
        view = self.ids.board
        view.lit = walk.routes
        if not walk.routes:
            self._say(_("No routes on the board."))
            return
        self._say(several("{count} train without a break", "{count} trains without a break", walk.length))
        self.ids.text.add_widget(Note(text=" – ".join(self.board.place_name(c) for c in walk.cities)))
        if theme.motion:
            view.run_train(walk.routes, walk.cities, self.color)

    def _explain_stations(self, standing: Standing) -> None:
        rules = self.board.rules
        left = standing.breakdown["stations"] // rules.station_points if rules.station_points else 0
        self._say(_("{count} left in reserve, {points} points each.", count=left, points=rules.station_points))
        self.ids.board.lit = tuple(loan.route for loan in standing.loans if loan.route)
        self.ids.board.marked = tuple(loan.city for loan in standing.loans)
        for loan in standing.loans:
            row = Row(title=self.board.place_name(loan.city), note=loan_text(self.board, standing, loan), icon="train")
            row.bind(on_release=lambda _, loan=loan: self._show_loan(loan.city, loan.route))
            self.ids.text.add_widget(row)

    def _show_loan(self, city: str, route: str | None) -> None:
        self.ids.board.lit = (route,) if route else ()
        self.ids.board.marked = (city,)
        self._frame()

    def _explain_most_tickets(self, standing: Standing) -> None:
        for other in sorted(self.result.players, key=lambda s: -len(s.completed)):
            met = several("{count} ticket met", "{count} tickets met", len(other.completed))
            self._say(f"{other.name}: {met}")

    def _explain_goods(self, standing: Standing) -> None:
        self._say(several("{count} point of goods", "{count} points of goods", standing.goods))

    def _explain_attractions(self, standing: Standing) -> None:
        own = self.own()
        touched = {end for r in own for end in self.board.routes[r].ends}
        seen = [c for c in self.board.cities.values() if c.attraction and c.id in touched]
        self.ids.board.lit = tuple(own)
        self.ids.board.marked = tuple(c.id for c in seen)
        self._say(", ".join(c.name for c in seen) or _("None was reached."))

    def _explain_depots(self, standing: Standing) -> None:
        for player in self.draft.game.players:
            left = player.extras.get("depots_left", 0)
            self._say(f"{player.name}: {several('{count} depot left', '{count} depots left', left)}")

    def back(self) -> bool:
        self.app.show("result", "right", revealed=True)
        return True

    def enter(self) -> bool:
        return self.back()

    def name_of(self) -> str:
        return line_name(self.given["line"])


load_kv(__file__)
Screen = WhyPage

"""A game while it is being entered: what is known so far, what is doubtful, where the person is, and the way back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Any
from uuid import uuid4

from companion.board import Board, Ticket, load_board
from companion.check import is_count, is_number
from companion.errors import GameError
from companion.game import Game, Player, game_to_raw, parse_game

STEPS = ("table", "photo", "review", "tickets", "extras", "result")
"""The walk from an empty table to the result."""
MOST_UNDO = 200


@dataclass(frozen=True, slots=True)
class Doubt:
    """A route or city the reader is unsure of; `options` come best first, and None is "empty"."""

    kind: str
    id: str
    options: tuple[tuple[str | None, float], ...]


@dataclass
class Draft:
    """One game in the making. Every change goes through `change`, so that it can be undone."""

    board: Board
    game: Game
    id: str = field(default_factory=lambda: uuid4().hex[:12])
    created: str = field(default_factory=lambda: now())
    changed: str = ""
    step: str = "table"
    turn: int = 0
    finished: bool = False
    doubts: tuple[Doubt, ...] = ()
    photos: tuple[str, ...] = ()
    corners: tuple[tuple[float, float], ...] = ()
    decided: frozenset[tuple[str, str]] = frozenset()
    """The routes and cities that a person has settled since the first photo: no further photo changes them."""
    _undo: list[Game] = field(default_factory=list, repr=False)
    _redo: list[Game] = field(default_factory=list, repr=False)

    @property
    def can_undo(self) -> bool:
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        return bool(self._redo)

    def change(self, game: Game) -> None:
        """Replace the game; what was there can be had back with `undo`."""
        if game == self.game:
            return
        self._undo = [*self._undo[-MOST_UNDO:], self.game]
        self._redo = []
        self.game = game

    def undo(self) -> bool:
        if not self._undo:
            return False
        self._redo.append(self.game)
        self.game = self._undo.pop()
        return True

    def redo(self) -> bool:
        if not self._redo:
            return False
        self._undo.append(self.game)
        self.game = self._redo.pop()
        return True

    def forget_history(self) -> None:
        """Start undo afresh, as when another person takes the phone."""
        self._undo, self._redo = [], []

    def player(self, color: str) -> Player:
        return next(p for p in self.game.players if p.color == color)

    def set_table(self, map_id: str, variant: str, options: Iterable[str], people: Iterable[tuple[str, str]]) -> None:
        """Choose board, variant and players; what still fits the new table is kept."""
        people = list(people)
        board = self.board if map_id == self.game.map else load_board(map_id)
        same = board is self.board
        before = {p.color: p for p in self.game.players} if same else {}
        players = tuple(
            replace(before[color], name=name) if color in before else Player(name, color) for name, color in people
        )
        self.board = board
        self.game = Game(
            map=map_id,
            variant=variant,
            options=tuple(options),
            players=players,
            claims=self.game.claims if same else {},
            stations=self.game.stations if same else {},
            depots=self.game.depots if same else {},
        )
        if not same:
            self.doubts, self.photos, self.corners, self.decided = (), (), (), frozenset()
        self.turn = min(self.turn, max(0, len(players) - 1))
        self.forget_history()

    def claim(self, route: str, color: str | None) -> None:
        """Give a route to a colour, or empty it. A doubt about it is settled."""
        claims = {r: c for r, c in self.game.claims.items() if r != route}
        if color is not None:
            claims[route] = color
        self.change(replace(self.game, claims=claims))
        self.settle("route", route)

    def build(self, city: str, color: str | None) -> None:
        """Put a colour's station on a city, or clear the city. A doubt about it is settled."""
        stations = {c: owners for c, owners in self.game.stations.items() if c != city}
        if color is not None:
            stations[city] = (color,)
        self.change(replace(self.game, stations=stations))
        self.settle("city", city)

    def settle(self, kind: str, about: str) -> None:
        self.doubts = tuple(d for d in self.doubts if (d.kind, d.id) != (kind, about))
        self.decided |= {(kind, about)}

    def take(
        self, claims: Mapping[str, str], stations: Mapping[str, str], doubts: Iterable[Doubt], more: bool = False
    ) -> None:
        """Lay what a reader saw on the board, in place of what lay there; with `more` photos, what was settled stays."""
        if not more:
            self.decided = frozenset()
        seen: dict[str, tuple[str, ...]] = {c: (color,) for c, color in stations.items() if c in self.board.cities}
        known = {route: color for route, color in claims.items() if route in self.board.routes}
        for kind, about in self.decided:
            if kind == "route":
                _keep(about, self.game.claims, known)
            else:
                _keep(about, self.game.stations, seen)
        self.change(replace(self.game, claims=known, stations=seen))
        self.doubts = tuple(d for d in doubts if (d.kind, d.id) not in self.decided)

    def hold(self, color: str, tickets: Iterable[Ticket]) -> None:
        """The cards a player holds."""
        self._set_player(replace(self.player(color), tickets=tuple(tickets)))

    def set_extra(self, color: str, key: str, value: int | None) -> None:
        extras = {k: v for k, v in self.player(color).extras.items() if k != key}
        if value is not None:
            extras[key] = value
        self._set_player(replace(self.player(color), extras=extras))

    def _set_player(self, player: Player) -> None:
        players = tuple(player if p.color == player.color else p for p in self.game.players)
        self.change(replace(self.game, players=players))


def new_draft(map_id: str, people: Iterable[tuple[str, str]], variant: str = "", options: Iterable[str] = ()) -> Draft:
    """A game about to be entered."""
    board = load_board(map_id)
    variant = variant if variant in board.variants else board.default_variant.id
    players = tuple(Player(name, color) for name, color in people)
    return Draft(board, Game(map_id, players, {}, variant=variant, options=tuple(options)))


def now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def draft_to_raw(draft: Draft) -> dict[str, Any]:
    """The file form of a draft; undo is not kept."""
    return {
        "id": draft.id,
        "created": draft.created,
        "changed": draft.changed,
        "step": draft.step,
        "turn": draft.turn,
        "finished": draft.finished,
        "game": game_to_raw(draft.game),
        "doubts": [{"kind": d.kind, "id": d.id, "options": [list(o) for o in d.options]} for d in draft.doubts],
        "photos": list(draft.photos),
        "corners": [list(c) for c in draft.corners],
        "decided": sorted(list(pair) for pair in draft.decided),
    }


def parse_draft(raw: Any) -> Draft:
    """The draft that a save describes; raises GameError when it cannot be one."""
    if not isinstance(raw, dict) or not all(isinstance(raw.get(k), str) for k in ("id", "created", "changed")):
        raise GameError("This is not a saved game; choose another.")
    board, game = parse_game(raw.get("game"))
    turn = raw.get("turn", 0)
    return Draft(
        board=board,
        game=game,
        id=raw["id"][:40],
        created=raw["created"][:40],
        changed=raw["changed"][:40],
        step=raw["step"] if raw.get("step") in STEPS else "table",
        turn=turn if is_count(turn, 0, len(game.players) - 1) else 0,
        finished=raw.get("finished") is True,
        doubts=tuple(_doubts(raw.get("doubts"), board)),
        photos=tuple(p for p in _list(raw.get("photos"))[:8] if isinstance(p, str) and len(p) < 200),
        corners=_corners(raw.get("corners")),
        decided=frozenset(_decided(raw.get("decided"), board)),
    )


def _keep(about: str, before: Mapping[str, Any], now: dict[str, Any]) -> None:
    """Have one thing as it was before, or not at all."""
    now.pop(about, None)
    if about in before:
        now[about] = before[about]


def _list(raw: Any) -> list[Any]:
    return raw if isinstance(raw, list) else []


def _corners(raw: Any) -> tuple[tuple[float, float], ...]:
    points = [p for p in _list(raw) if isinstance(p, list) and len(p) == 2 and all(map(is_number, p))]
    return tuple((float(x), float(y)) for x, y in points) if len(points) == 4 else ()


def _decided(raw: Any, board: Board) -> Iterable[tuple[str, str]]:
    for item in _list(raw)[:2000]:
        if isinstance(item, list) and len(item) == 2 and all(isinstance(word, str) for word in item):
            kind, about = item
            if about in {"route": board.routes, "city": board.cities}.get(kind, {}):
                yield kind, about


def _doubts(raw: Any, board: Board) -> Iterable[Doubt]:
    for item in _list(raw)[:400]:
        if not isinstance(item, dict):
            continue
        about: Any = item.get("id")
        known = board.routes if item.get("kind") == "route" else board.cities if item.get("kind") == "city" else {}
        options = tuple(
            (o[0], float(o[1]))
            for o in _list(item.get("options"))
            if isinstance(o, list) and len(o) == 2 and is_number(o[1]) and (o[0] is None or o[0] in board.rules.colors)
        )
        if isinstance(about, str) and about in known and options:
            yield Doubt(item["kind"], about, options)

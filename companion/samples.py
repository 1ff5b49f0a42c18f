"""The bundled sample games: boards of this project's own drawing, photographed at the end of a game."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from companion.board import Board
from companion.game import Game, load_game

FOLDER = Path(__file__).resolve().parent / "sample"
SAMPLES = ("europe", "marklin", "new-york")


@dataclass(frozen=True)
class Sample:
    """A game as it was played, its photo, and its board with the signature of our own drawing."""

    board: Board
    game: Game
    photo: Path


def load_sample(map_id: str = "europe") -> Sample:
    """One of the bundled samples."""
    folder = FOLDER / map_id
    board, game = load_game(folder / "game.json")
    return Sample(replace(board, folder=folder), game, folder / "board.jpg")

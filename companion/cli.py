"""The commands, each a few lines over the rooms below."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from companion import __version__
from companion.errors import CompanionError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command: 0 done, 1 it could not be done, 2 wrong usage."""
    args = _parser().parse_args(argv)
    try:
        status: int = args.run(args)
        sys.stdout.flush()
        return status
    except CompanionError as error:
        sentence = " ".join(str(error).split())
        print(sentence.encode("utf-8", "replace").decode("utf-8"), file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="companion", description="From the last train to who won, and why.")
    parser.add_argument("--version", action="version", version=f"Rail Companion {__version__}")
    parser.set_defaults(run=app)
    commands = parser.add_subparsers(metavar="COMMAND")

    command = commands.add_parser("score", help="score a finished game from its file")
    command.add_argument("game", metavar="GAME.json", type=Path)
    command.add_argument("--json", action="store_true", help="print the result as JSON")
    command.set_defaults(run=score)

    command = commands.add_parser("maps", help="list the boards, or check a map folder")
    command.add_argument("--json", action="store_true", help="print the overview as JSON")
    command.set_defaults(run=maps)
    actions = command.add_subparsers(metavar="ACTION")
    action = actions.add_parser("check", help="print every fault of a map folder, or nothing")
    action.add_argument("folder", metavar="DIR", type=Path)
    action.set_defaults(run=maps_check)

    command = commands.add_parser("demo", help="score the bundled sample game")
    command.set_defaults(run=demo)
    return parser


def app(args: argparse.Namespace) -> int:
    """Open the app."""
    raise CompanionError("The app is still being built: try `companion demo`, or `companion score GAME.json`.")


def score(args: argparse.Namespace) -> int:
    """Print the score sheet of a game file."""
    from companion.game import load_game
    from companion.scoring import score as final_score
    from companion.scoring.final import result_to_raw
    from companion.sheet import sheet

    board, game = load_game(args.game)
    result = final_score(board, game)
    _print(result_to_raw(result) if args.json else sheet(board, game, result))
    return 0


def maps(args: argparse.Namespace) -> int:
    """List the boards with what they hold and what is missing."""
    from companion.overview import overview, overview_text

    boards = overview()
    _print(boards if args.json else overview_text(boards))
    return 0


def maps_check(args: argparse.Namespace) -> int:
    """Print every fault of a map folder."""
    from companion.board import folder_faults

    if not args.folder.is_dir():
        raise CompanionError(f"There is no folder {args.folder}.")
    faults = folder_faults(args.folder)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


def demo(args: argparse.Namespace) -> int:
    """Score the bundled sample game."""
    args.game = Path(__file__).resolve().parent / "sample" / "game.json"
    args.json = False
    return score(args)


def _print(what: Any) -> None:
    text = what if isinstance(what, str) else json.dumps(what, ensure_ascii=False, indent=1) + "\n"
    try:
        sys.stdout.write(text)
    except UnicodeEncodeError:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))

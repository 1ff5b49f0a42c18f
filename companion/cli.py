"""The commands, each a few lines over the rooms below."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion import __version__
from companion.errors import CompanionError

if TYPE_CHECKING:
    from companion.board import Board
    from companion.game import Game


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command: 0 done, 1 it could not be done, 2 wrong usage."""
    args = _parser().parse_args(argv)
    try:
        status: int = args.run(args)
        sys.stdout.flush()
        return status
    except CompanionError as error:
        from companion.app.words import error_text, system_language, use

        use(system_language())
        print(_clean(" ".join(error_text(error).split())), file=sys.stderr)
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

    command = commands.add_parser("read", help="read who owns what from a photo of the board")
    command.add_argument("photos", metavar="PHOTO", nargs="+", help="one photo, or several of the same board")
    command.add_argument("--map", required=True, help="a board's id, or the path of a map folder")
    command.add_argument("--players", metavar="COLORS", help="the colours in play: blue,red")
    command.add_argument(
        "--corners", metavar="XY", help="the printed board's corners in the upright photo: 'x,y x,y x,y x,y'"
    )
    command.add_argument("--json", action="store_true", help="print the reading as JSON")
    command.add_argument("--overlay", metavar="OUT.png", type=Path, help="write a picture of what was read")
    command.set_defaults(run=read)

    command = commands.add_parser("score", help="score a finished game from its file")
    command.add_argument("game", metavar="GAME.json", type=Path)
    command.add_argument("--photo", metavar="PHOTO", help="take claims and stations from this photo")
    command.add_argument("--json", action="store_true", help="print the result as JSON")
    command.set_defaults(run=score)

    command = commands.add_parser("maps", help="list the boards, or check a map folder")
    command.add_argument("--json", action="store_true", help="print the overview as JSON")
    command.set_defaults(run=maps)
    actions = command.add_subparsers(metavar="ACTION")
    action = actions.add_parser("check", help="print every fault of a map folder, or nothing")
    action.add_argument("folder", metavar="DIR", type=Path)
    action.set_defaults(run=maps_check)
    action = actions.add_parser("export", help="pack a board into one file, to give away")
    action.add_argument("map", metavar="MAP")
    action.add_argument("file", metavar="FILE", type=Path)
    action.set_defaults(run=maps_export)
    action = actions.add_parser("import", help="add a packed board to your own")
    action.add_argument("file", metavar="FILE", type=Path)
    action.set_defaults(run=maps_import)
    action = actions.add_parser("pieces", help="learn the colours of your pieces from a photo")
    action.add_argument("folder", metavar="DIR", type=Path)
    action.add_argument("photo", metavar="PHOTO")
    action.add_argument("pieces", metavar="COLOR=X,Y", nargs="+", help="a colour's name and a piece's place in the photo")
    action.set_defaults(run=maps_pieces)

    command = commands.add_parser("calibrate", help="learn another print or a new board from a photo of the empty board")
    command.add_argument("photo", metavar="EMPTY_PHOTO")
    kind = command.add_mutually_exclusive_group(required=True)
    kind.add_argument("--like", metavar="MAP", help="the board whose network this print has")
    kind.add_argument("--new", metavar="NAME", help="the name of a board never seen")
    command.add_argument("--out", metavar="DIR", required=True, type=Path, help="the map folder to write")
    command.add_argument("--corners", metavar="XY", help="the printed board's corners in the upright photo")
    command.add_argument("--rules", metavar="MAP", default="usa", help="whose points and rules a new board takes (usa)")
    command.add_argument("--overlay", metavar="OUT.png", type=Path, help="write a picture of what was placed")
    command.set_defaults(run=calibrate)

    command = commands.add_parser("demo", help="the bundled sample, from photo to final score")
    command.set_defaults(run=demo)

    command = commands.add_parser("bench", help="accuracy and time on a folder of photos with truth")
    command.add_argument("folder", metavar="FOLDER", type=Path)
    command.add_argument("--out", metavar="OUT.csv", type=Path, help="where to write the rows (default: print them)")
    command.add_argument("--folds", metavar="DIR", type=Path, help="weights to leave each photo out with (see training/)")
    command.set_defaults(run=bench)
    return parser


def app(args: argparse.Namespace) -> int:
    """Open the app."""
    from companion.app.launch import open_app

    return open_app()


def read(args: argparse.Namespace) -> int:
    """Print who owns what in a photo."""
    from companion.board import load_board
    from companion.sheet import reading_sheet
    from companion.vision.read import read as read_photos
    from companion.vision.read import reading_to_raw

    board = load_board(args.map)
    reading = read_photos(args.photos, board, _players(args.players, board), _corners(args.corners))
    if args.overlay:
        from companion.vision.overlay import overlay, save_picture

        save_picture(overlay(reading, board), args.overlay)
    _print(reading_to_raw(reading) if args.json else reading_sheet(board, reading))
    return 0


def _players(text: str | None, board: Board) -> list[str] | None:
    """The colours in play, each one of the board's."""
    if text is None:
        return None
    colors = [color.strip() for color in text.split(",") if color.strip()]
    strange = [color for color in colors if color not in board.rules.colors]
    if strange or not colors:
        given, known = (strange or [""])[0][:40], ", ".join(board.rules.colors)
        raise CompanionError(
            "'{given}' is no colour of {board}: choose out of {known}.", given=given, board=board.name, known=known
        )
    return list(dict.fromkeys(colors))


def _corners(text: str | None) -> Any:
    """Four points, as typed on the command line."""
    if text is None:
        return None
    import numpy as np

    try:
        corners = np.array([[float(n) for n in point.split(",")] for point in text.split()])
    except ValueError:
        corners = np.zeros(0)
    if corners.shape != (4, 2) or not np.isfinite(corners).all():
        raise CompanionError(
            "Give four corners as 'x,y x,y x,y x,y': top left, top right, bottom right, bottom left as printed."
        )
    return corners


def score(args: argparse.Namespace) -> int:
    """Print the score sheet of a game file."""
    from companion.game import load_game
    from companion.scoring import score as final_score
    from companion.scoring.final import result_to_raw
    from companion.sheet import sheet

    board, game = load_game(args.game)
    if args.photo:
        game = _from_photo(board, game, args.photo)
    result = final_score(board, game)
    _print(result_to_raw(result) if args.json else sheet(board, game, result))
    return 0


def _from_photo(board: Board, game: Game, photo: str) -> Game:
    """The game with what lies on the board taken from a photo; doubts are told, since nobody is asked here."""
    from companion.vision.read import read as read_photos

    reading = read_photos([photo], board, [player.color for player in game.players])
    for doubt in reading.uncertain:
        name = board.route_name(doubt.id) if doubt.kind == "route" else board.place_name(doubt.id)
        first, second = (option[0] or "empty" for option in doubt.options[:2])
        print(f"Please check {name}: read as {first}, may be {second}.", file=sys.stderr)
    stations = {city: (color,) for city, color in reading.stations.items()}
    return replace(game, claims=reading.claims, stations=stations)


def maps(args: argparse.Namespace) -> int:
    """List the boards with what they hold and what is missing."""
    from companion.overview import overview, overview_text

    boards = overview()
    _print(boards if args.json else overview_text(boards))
    return 0


def maps_check(args: argparse.Namespace) -> int:
    """Print every fault of a map folder."""
    from companion.app.words import said, system_language, use
    from companion.board import folder_faults

    if not args.folder.is_dir():
        raise CompanionError("There is no folder {folder}; check the name.", folder=args.folder)
    faults = folder_faults(args.folder)
    use(system_language())
    for fault in faults:
        print(_clean(said(fault)))
    return 1 if faults else 0


def maps_export(args: argparse.Namespace) -> int:
    """Pack a board into one file."""
    from companion.board import load_board
    from companion.boards import pack
    from companion.store import write_bytes

    write_bytes(args.file, pack(load_board(args.map)))
    return 0


def maps_import(args: argparse.Namespace) -> int:
    """Add a packed board to the person's own."""
    from companion.board import user_maps
    from companion.boards import unpack

    folder = unpack(args.file, user_maps()).folder
    _print(f"Added: use it with --map {folder.name if folder else ''}.\n")
    return 0


def maps_pieces(args: argparse.Namespace) -> int:
    """Give a map folder the colours of the pieces that were pointed at."""
    from calibration.palette import learn_palette, set_palette
    from companion.vision.photo import read_photo

    pieces: dict[str, list[tuple[float, float]]] = {}
    for pointed in args.pieces:
        name, _, place = pointed.partition("=")
        try:
            x, y = (float(number) for number in place.split(","))
        except ValueError:
            raise CompanionError(
                "'{given}' is no piece: give its colour and place as red=820,410.", given=pointed[:60]
            ) from None
        pieces.setdefault(name, []).append((x, y))
    palette = learn_palette(read_photo(args.photo), pieces)
    set_palette(args.folder, palette)
    _print("".join(f"{name}: {red} {green} {blue}\n" for name, (red, green, blue) in palette.items()))
    return 0


def calibrate(args: argparse.Namespace) -> int:
    """Write the map folder of another print or a new board."""
    from calibration.calibrate import calibrate_like, calibrate_new, overlay
    from companion.board import load_board
    from companion.vision.overlay import save_picture

    def progress(stage: str) -> None:
        print(f"{stage} ...", file=sys.stderr, flush=True)

    corners = _corners(args.corners)
    if args.like:
        made = calibrate_like(args.photo, load_board(args.like), args.out, corners, progress)
    else:
        made = calibrate_new(args.photo, args.new, load_board(args.rules), args.out, corners, progress)
    if args.overlay:
        save_picture(overlay(made), args.overlay)
    _print(made.summary())
    return 0


def demo(args: argparse.Namespace) -> int:
    """Score the bundled sample game from its photo."""
    from companion.samples import load_sample
    from companion.scoring import score as final_score
    from companion.sheet import sheet

    sample = load_sample()
    _print(f"Reading {sample.photo.name}, a photo of a board that we drew ourselves\n\n")
    game = _from_photo(sample.board, sample.game, str(sample.photo))
    _print(sheet(sample.board, game, final_score(sample.board, game)))
    return 0


def bench(args: argparse.Namespace) -> int:
    """Measure the reader on a folder of photos."""
    from companion.bench import bench as measure
    from companion.bench import left_out, summary

    weights = left_out(args.folds) if args.folds else {}
    if args.out:
        with args.out.open("w", encoding="utf-8") as out:
            rows = measure(args.folder, out, weights)
    else:
        rows = measure(args.folder, sys.stdout, weights)
    _print("\n" + summary(rows) + "\n")
    return 0


def _clean(text: str) -> str:
    """The text without what would steer the terminal or break its encoding: names come from files of strangers."""
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text)


def _print(what: Any) -> None:
    text = _clean(what) if isinstance(what, str) else json.dumps(what, ensure_ascii=False, indent=1) + "\n"
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except UnicodeEncodeError:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))

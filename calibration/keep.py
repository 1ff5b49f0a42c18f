"""Gives a board that was put right by hand its folder: measured anew on its photo, and swapped in as a whole."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from calibration.editing import Editing
from calibration.folder import write_folder
from calibration.rectangles import Pixels
from companion.boards import free_place
from companion.errors import BoardError, CalibrationError, reason
from companion.vision.overlay import save_picture
from companion.vision.photo import read_photo
from companion.vision.signature import Signature

PHOTO = "photo.jpg"
"""The empty board from straight above, kept beside a board's files so that it can be put right later; never shared."""


def keep_photo(flat: Pixels, folder: Path) -> None:
    """Lay the straightened photo beside a board's files."""
    save_picture(flat, folder / PHOTO)


def write_edited(edited: Editing, photo: Path | None, old: Path, out: Path) -> None:
    """Write an edited board to a new folder; without a photo only what the print does not show may have changed.

    old: the folder as it was, whose signature is good for a board that still looks the same
    """
    if photo is not None:
        write_folder(out, edited.raw, edited.cards, read_photo(photo).pixels)
        shutil.copyfile(photo, out / PHOTO)
        return
    before, now = _spaces(Editing(*_files(old))), _spaces(edited)
    if sorted(before) != sorted(now):
        raise CalibrationError("Nothing can be moved, added or removed without the board's photo; learn it again from one.")
    out.mkdir(parents=True, exist_ok=True)
    for name, contents in (("board.json", edited.raw), ("tickets.json", edited.cards)):
        (out / name).write_text(json.dumps(contents, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if (old / "signature.npz").is_file():
        signature = Signature.load(old / "signature.npz")
        figures = dict(signature.figures)
        if "space_colors" in figures:  # another name may have put the spaces in another order
            figures["space_colors"] = figures["space_colors"][[before.index(space) for space in now]]
        replace(signature, figures=figures).save(out / "signature.npz")


def keep(edited: Editing, photo: Path | None, old: Path, boards: Path) -> Path:
    """Put an edited board among the others, in place of the one it was made from if there was one."""
    faults = edited.faults()
    if faults:
        raise BoardError("This board cannot be kept yet: {fault}", tuple(faults), fault=faults[0])
    goal = boards / edited.goal if edited.goal else free_place(boards, edited.raw["map"])
    try:
        work = Path(tempfile.mkdtemp(prefix=".keeping-", dir=boards))
    except OSError as error:
        raise CalibrationError("The board could not be kept: {reason}.", reason=reason(error)) from error
    try:
        write_edited(edited, photo, old, work / "new")
        if goal.exists():
            goal.rename(work / "old")
        (work / "new").rename(goal)
    except OSError as error:
        if (work / "old").exists() and not goal.exists():
            (work / "old").rename(goal)
        raise CalibrationError("The board could not be kept: {reason}.", reason=reason(error)) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return goal


def _files(folder: Path) -> tuple[dict[str, object], dict[str, object]]:
    texts = [(folder / name).read_text(encoding="utf-8") for name in ("board.json", "tickets.json")]
    return json.loads(texts[0]), json.loads(texts[1])


def _spaces(edited: Editing) -> list[tuple[float, ...]]:
    return [tuple(space) for route in edited.raw["routes"] for space in route["spaces"]]

"""A person's own boards: where they live, and how they travel in one file, to a friend and from a stranger."""

from __future__ import annotations

import io
import shutil
import tempfile
import zipfile
import zlib
from pathlib import Path

from companion.board import Board, board_ids, folder_faults, load_board
from companion.errors import BoardError, reason

ENDING = ".railboard"
MOST = {"board.json": 4_000_000, "tickets.json": 4_000_000, "signature.npz": 2_000_000}
"""The files a board may have, and the most bytes of each."""
_MOST_PACKED = 6_000_000
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # what we write; others can ask for gigabytes before the first byte
_NO_PARCEL = "{file} is not a shared board; ask for it to be shared again."
_TOO_LARGE = "{file} is larger than a board can be; ask for it to be shared again."
_NOT_ADDED = "The board could not be added ({reason}); free some space, or check that {folder} can be written to."


def own_boards(folder: Path) -> list[Board]:
    """The boards in a folder of map folders, by name; those that cannot be used are left out."""
    found = []
    try:
        places = sorted(p for p in folder.iterdir() if (p / "board.json").is_file() and not p.name.startswith("."))
    except OSError:
        return []
    for place in places:
        try:
            found.append(load_board(place))
        except BoardError:
            continue
    return sorted(found, key=lambda b: b.name)


def pack(board: Board) -> bytes:
    """A board as one file, to be shared."""
    out = io.BytesIO()
    try:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as parcel:
            for name in MOST:
                if board.folder is not None and (board.folder / name).is_file():
                    parcel.writestr(name, (board.folder / name).read_bytes())
    except OSError as error:
        raise BoardError("The board's files cannot be read; check its folder {folder}.", folder=board.folder) from error
    if not parcel.namelist():
        raise BoardError("This board has no folder, so it cannot be shared; choose another.")
    return out.getvalue()


def unpack(parcel: Path, into: Path) -> Board:
    """Add a shared board to a folder; nothing is kept of a parcel with a fault."""
    contents = _contents(parcel)
    draft: Path | None = None
    try:
        into.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=into))
        for name, data in contents.items():
            (draft / name).write_bytes(data)
        faults = folder_faults(draft)
        if faults:
            raise BoardError(
                "The board in {file} cannot be used; ask for it to be shared again: {fault}",
                tuple(faults),
                file=parcel.name,
                fault=faults[0],
            )
        if "signature.npz" in contents:
            from companion.vision.signature import Signature

            Signature.load(draft / "signature.npz")
        goal = free_place(into, load_board(draft).id)
        draft.chmod(0o755)
        draft.rename(goal)
        return load_board(goal)
    except OSError as error:
        raise BoardError(_NOT_ADDED, reason=reason(error), folder=into) from error
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)


def free_place(into: Path, name: str) -> Path:
    """A folder whose name no board has yet, neither there nor among those that come with the program."""
    number, goal = 1, into / name
    while goal.exists() or goal.is_symlink() or goal.name in board_ids():
        number += 1
        goal = into / f"{name}-{number}"
    return goal


def _contents(parcel: Path) -> dict[str, bytes]:
    """The files of a parcel, each within its limit; whatever else it holds makes it refused. Nothing is written."""
    try:
        if not parcel.is_file():
            raise BoardError("There is no file {file}; check the name.", file=parcel.name)
        if parcel.stat().st_size > _MOST_PACKED:
            raise BoardError(_TOO_LARGE, file=parcel.name)
        with zipfile.ZipFile(parcel) as opened:
            names = opened.namelist()
            if "board.json" not in names or len(set(names)) < len(names) or not set(names) <= set(MOST):
                raise BoardError(_NO_PARCEL, file=parcel.name)
            if any(member.compress_type not in _PACKINGS for member in opened.infolist()):
                raise BoardError(_NO_PARCEL, file=parcel.name)
            return {name: _member(opened, name, parcel) for name in names}
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, ValueError, EOFError, zlib.error) as error:
        raise BoardError(_NO_PARCEL, file=parcel.name) from error


def _member(opened: zipfile.ZipFile, name: str, parcel: Path) -> bytes:
    """One file of a parcel; its size is counted, since a parcel may lie about it."""
    with opened.open(name) as file:
        data = file.read(MOST[name] + 1)
    if len(data) > MOST[name]:
        raise BoardError(_TOO_LARGE, file=parcel.name)
    return data

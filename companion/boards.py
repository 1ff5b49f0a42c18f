"""A person's own boards: where they live, and how they travel in one file."""

from __future__ import annotations

import io
import shutil
import tempfile
import zipfile
import zlib
from pathlib import Path

from companion.board import Board, folder_faults, load_board
from companion.errors import BoardError

FILES = ("board.json", "tickets.json", "signature.npz")
MOST_BYTES = 20_000_000
ENDING = ".railboard"


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
    if board.folder is None:
        raise BoardError("This board has no folder, so it cannot be shared.")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as parcel:
        for name in FILES:
            path = board.folder / name
            if path.is_file():
                parcel.writestr(name, path.read_bytes())
    return out.getvalue()


def unpack(parcel: Path, into: Path) -> Board:
    """Add a shared board to a folder; only the three files a board has are taken, and only if they are sound."""
    contents = _contents(parcel)
    try:
        into.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=into))
    except OSError as error:
        raise BoardError(f"The board could not be added: {error.strerror or error}.") from error
    try:
        for name, data in contents.items():
            (draft / name).write_bytes(data)
        faults = folder_faults(draft)
        if faults:
            raise BoardError(f"The board in {parcel.name} cannot be used: {faults[0]}", tuple(faults))
        if "signature.npz" in contents:
            from companion.vision.signature import Signature

            Signature.load(draft / "signature.npz")
        goal = free_place(into, load_board(draft).id)
        draft.chmod(0o755)
        draft.rename(goal)
        return load_board(goal)
    except OSError as error:
        raise BoardError(f"The board could not be added: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def free_place(into: Path, name: str) -> Path:
    """A folder name that is still free."""
    number, goal = 1, into / name
    while goal.exists():
        number += 1
        goal = into / f"{name}-{number}"
    return goal


def _contents(parcel: Path) -> dict[str, bytes]:
    """The known files of a parcel, each within limits; nothing is written anywhere."""
    try:
        if not parcel.is_file():
            raise BoardError(f"{parcel.name} is not a shared board.")
        if parcel.stat().st_size > MOST_BYTES:
            raise BoardError(f"{parcel.name} is larger than a board can be.")
        with zipfile.ZipFile(parcel) as opened:
            found: dict[str, bytes] = {}
            for name in FILES:
                if name not in opened.namelist():
                    continue
                with opened.open(name) as file:
                    found[name] = file.read(MOST_BYTES + 1)
                if len(found[name]) > MOST_BYTES:
                    raise BoardError(f"{parcel.name} is larger than a board can be.")
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, ValueError, EOFError, zlib.error) as error:
        raise BoardError(f"{parcel.name} is not a shared board.") from error
    if "board.json" not in found:
        raise BoardError(f"{parcel.name} is not a shared board.")
    return found

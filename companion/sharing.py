"""A person's own boards as one file: given to a friend, and taken in from a stranger with care."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from pathlib import Path

from companion.board import board_ids, folder_faults, load_board, user_maps
from companion.check import ID, read_json
from companion.errors import BoardError

FILES = ("board.json", "tickets.json", "signature.npz")
_MOST = {"board.json": 4_000_000, "tickets.json": 4_000_000, "signature.npz": 2_000_000}
_MOST_PACKED = 6_000_000


def export_board(map_id: str, target: Path) -> None:
    """Pack a board's folder into one file."""
    folder = load_board(map_id).folder
    if folder is None:
        raise BoardError(f"The board '{map_id}' has no folder to pack.")
    draft = target.with_name(f".{target.name}.part")
    try:
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as pack:
            for name in FILES:
                if (folder / name).is_file():
                    pack.write(folder / name, name)
        draft.replace(target)
    except (OSError, ValueError) as error:
        draft.unlink(missing_ok=True)
        raise BoardError(f"{target} cannot be written; choose another place.") from error


def import_board(source: Path, into: Path | None = None) -> str:
    """Check a packed board and add it to the person's own; gives its id. Nothing is kept of a file with a fault."""
    contents = _unpacked(source)
    home = into or user_maps()
    draft: Path | None = None
    try:
        home.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".importing-", dir=home))
        for name, data in contents.items():
            (draft / name).write_bytes(data)
        faults = folder_faults(draft)
        if faults:
            raise BoardError(f"{source.name} holds a board with a fault: {faults[0]}", tuple(faults))
        if "signature.npz" in contents:
            from companion.vision.signature import Signature

            Signature.load(draft / "signature.npz")
        map_id = str(read_json(draft / "board.json", [])["map"])
        if map_id in board_ids():
            map_id = f"my-{map_id}"
        place = home / map_id
        if not ID.fullmatch(map_id) or place.exists() or place.is_symlink():
            raise BoardError(f"There is already a board called '{map_id}'; remove or rename it first.")
        draft.replace(place)
        draft = None
        place.chmod(0o755)
        return map_id
    except OSError as error:
        raise BoardError(f"The board cannot be stored: {error.strerror or error}.") from error
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)


def _unpacked(source: Path) -> dict[str, bytes]:
    """The three files of a pack, by name, within limits; whatever else a pack holds makes it refused."""
    try:
        if not source.is_file():
            raise BoardError(f"There is no file {source.name or source}; check the name.")
        if source.stat().st_size > _MOST_PACKED:
            raise BoardError(f"{source.name} is too large to be a board.")
        with zipfile.ZipFile(source) as pack:
            members = pack.infolist()
            names = [member.filename for member in members]
            if len(names) > len(FILES) or len(set(names)) < len(names) or not set(names) <= set(FILES):
                raise BoardError(f"{source.name} is not a board's file: it may hold {', '.join(FILES)} and nothing else.")
            contents = {}
            for member in members:
                if member.file_size > _MOST[member.filename] or (member.external_attr >> 16) & 0o170000 == 0o120000:
                    raise BoardError(f"{source.name} is not a board's file: {member.filename} is too large or a link.")
                with pack.open(member) as file:
                    data = file.read(_MOST[member.filename] + 1)
                if len(data) > _MOST[member.filename]:
                    raise BoardError(f"{source.name} is not a board's file: {member.filename} is too large.")
                contents[member.filename] = data
            return contents
    except BoardError:
        raise
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, KeyError) as error:
        raise BoardError(f"{source.name or source} cannot be opened as a board's file.") from error
    except Exception as error:  # a damaged pack can make the decompressor raise its own error
        raise BoardError(f"{source.name or source} cannot be opened as a board's file.") from error

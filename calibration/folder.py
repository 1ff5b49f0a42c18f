"""Writes a calibrated board as a map folder: checked first, and never half-written."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from calibration.rectangles import Pixels
from calibration.signature import make_signature
from companion.board import board_from, folder_faults
from companion.errors import BoardError, CalibrationError, reason
from companion.vision.patches import measure_print


def write_folder(out: Path, raw: Mapping[str, Any], cards: Mapping[str, Any], flat: Pixels) -> None:
    """Write board.json, tickets.json and signature.npz to a new or empty folder, all or nothing."""
    check_free(out)
    signature = make_signature([flat], float(raw["frame"]["aspect"]), measure_print(flat, board_from(raw, cards)))
    draft: str | None = None
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        draft = tempfile.mkdtemp(prefix=".calibrating-", dir=out.parent)
        folder = Path(draft)
        for name, contents in (("board.json", raw), ("tickets.json", cards)):
            (folder / name).write_text(json.dumps(contents, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        signature.save(folder / "signature.npz")
        faults = folder_faults(folder)
        if faults:
            raise BoardError(
                "The calibrated board would break the format; take another photo: {fault}", tuple(faults), fault=faults[0]
            )
        folder.chmod(0o755)
        if out.is_dir():
            out.rmdir()
        folder.replace(out)
        draft = None
    except OSError as error:
        raise CalibrationError(
            "{folder} cannot be written ({reason}); choose another place.", folder=out, reason=reason(error)
        ) from error
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)


def check_free(out: Path) -> None:
    """Refuse a place that holds something already."""
    try:
        taken = out.is_file() or out.is_symlink() or (out.is_dir() and any(out.iterdir()))
    except (OSError, ValueError) as error:
        raise CalibrationError("{folder} cannot be used; choose another folder for --out.", folder=str(out)[:80]) from error
    if taken:
        raise CalibrationError("{folder} is not an empty folder; choose a new one for --out.", folder=out)

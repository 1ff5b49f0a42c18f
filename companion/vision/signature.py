"""A board's signature: the numbers by which its print is found again in a photo."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.errors import BoardError

FORMAT = 1
MOST_KEYPOINTS = 6000
MOST_BYTES = 2_000_000
MOST_FIGURES = 400_000
_FIGURE_PREFIX = "figure_"
_UNREADABLE = "{file} cannot be read as a board's signature; calibrate the board again."
_TOO_LARGE = "{file} is too large to be a board's signature; calibrate the board again."
_OTHER_VERSION = "{file} is from another version of this program; calibrate the board again."


@dataclass(frozen=True)
class Signature:
    """Keypoints of an empty board's print, and figures measured on it.

    points: (N, 2) float32, fractions of the board's width and height
    sizes: (N,) float32, keypoint diameter as a fraction of the board's width
    angles: (N,) float32, degrees in the board's plane, y down
    descriptors: (N, 128) uint8, SIFT
    figures: named arrays that other readers of the board measured on the empty print
    """

    aspect: float
    points: NDArray[np.float32]
    sizes: NDArray[np.float32]
    angles: NDArray[np.float32]
    descriptors: NDArray[np.uint8]
    figures: dict[str, NDArray[np.generic]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        count = len(self.points)
        shapes_fit = (
            self.points.shape == (count, 2)
            and self.sizes.shape == (count,)
            and self.angles.shape == (count,)
            and self.descriptors.shape == (count, 128)
        )
        if not shapes_fit or not 0 < count <= MOST_KEYPOINTS:
            raise BoardError("The board's signature is damaged: its arrays do not fit together; calibrate the board again.")
        finite = all(bool(np.isfinite(a).all()) for a in (self.points, self.sizes, self.angles))
        on_board = finite and bool((np.abs(self.points - 0.5) < 0.6).all()) and bool((self.sizes > 0).all())
        if not on_board or not 0.2 < self.aspect < 5 or self.descriptors.dtype != np.uint8:
            raise BoardError("The board's signature is damaged: it holds impossible numbers; calibrate the board again.")

    def save(self, path: Path) -> None:
        """Writes the signature as a compressed .npz without pickled objects."""
        named: dict[str, Any] = {_FIGURE_PREFIX + name: values for name, values in self.figures.items()}
        with path.open("wb") as out:
            np.savez_compressed(
                out,
                format=np.int32(FORMAT),
                aspect=np.float64(self.aspect),
                points=np.round(self.points * 65536).astype(np.int32),
                sizes=self.sizes.astype(np.float16),
                angles=self.angles.astype(np.float16),
                descriptors=self.descriptors,
                **named,
            )

    @classmethod
    def load(cls, path: Path) -> Signature:
        """Reads a signature file, checking its size and shapes before trusting them."""
        try:
            leads_out = path.is_symlink() and path.resolve().parent != path.parent.resolve()
            if leads_out or not path.is_file():
                raise BoardError(_UNREADABLE, file=path.name)
            if path.stat().st_size > MOST_BYTES:
                raise BoardError(_TOO_LARGE, file=path.name)
            _check_sizes(path)
            with np.load(path, allow_pickle=False) as stored:
                if int(stored["format"]) != FORMAT:
                    raise BoardError(_OTHER_VERSION, file=path.name)
                return cls(
                    aspect=float(stored["aspect"]),
                    points=(stored["points"].astype(np.float64) / 65536).astype(np.float32),
                    sizes=stored["sizes"].astype(np.float32),
                    angles=stored["angles"].astype(np.float32),
                    descriptors=stored["descriptors"],
                    figures={
                        name[len(_FIGURE_PREFIX) :]: stored[name] for name in stored.files if name.startswith(_FIGURE_PREFIX)
                    },
                )
        except BoardError:
            raise
        except Exception as error:  # readers of zip and numpy files raise whatever they trip over
            raise BoardError(_UNREADABLE, file=path.name) from error


def _check_sizes(path: Path) -> None:
    """Refuses an archive whose members would unpack to far more than a signature needs, or in a way numpy never packs."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
    if any(member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for member in members):
        raise BoardError(_UNREADABLE, file=path.name)
    if sum(member.file_size for member in members) > 8 * MOST_FIGURES + MOST_KEYPOINTS * 160:
        raise BoardError(_TOO_LARGE, file=path.name)

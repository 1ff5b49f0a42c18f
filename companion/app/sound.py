"""One sound: the station bell when the winner is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_bell: list[Any] = []


def ring_bell() -> None:
    """Ring, where there is anything to ring with."""
    if not _bell:
        from kivy.core.audio import SoundLoader

        _bell.append(SoundLoader.load(str(Path(__file__).resolve().parent / "art" / "bell.wav")))
    if _bell[0]:
        _bell[0].play()

"""Gives memory back to the system when a photo has been read."""

from __future__ import annotations

import ctypes


def give_back() -> None:
    """Ask the C library to return what was freed; it keeps tens of megabytes of a large picture otherwise."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError, TypeError):  # not on every system, and nothing is lost without it
        return

"""Keeps the memory of reading photos level: the C library is told to share one pool, and to give back what is freed."""

from __future__ import annotations

import ctypes
import os

_ARENA_MAX = -8  # glibc's mallopt
_PURGE = -101  # Android's


def share_one_pool() -> None:
    """Let all threads share one pool of memory.

    Otherwise each of OpenCV's threads keeps its own, and never gives back the top of it: which thread happens to do the
    largest piece of work differs from photo to photo, so that memory grows for hundreds of photos.
    """
    if "MALLOC_ARENA_MAX" not in os.environ:
        _call("mallopt", _ARENA_MAX, 1)


def give_back() -> None:
    """Ask the C library to return what was freed; it keeps tens of megabytes of a large picture otherwise."""
    if not _call("malloc_trim", 0):
        _call("mallopt", _PURGE, 0)


def _call(name: str, *args: int) -> bool:
    """Whether the C library has such a function; nothing is lost without it."""
    try:
        getattr(ctypes.CDLL(None), name)(*args)
    except (AttributeError, OSError, TypeError):
        return False
    return True

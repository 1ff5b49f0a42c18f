"""What passes between the app and the process beside it: JSON and raw bytes, so that nothing received can run.

The other process opens pictures from anywhere. Were it ever taken over by one, its answers must still be mere data.
"""

from __future__ import annotations

import functools
import json
import numbers
import struct
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import IO, Any

from companion import errors
from companion.errors import CompanionError, Sentence

_MOST_BYTES = 500_000_000


def send(thing: Any, out: IO[bytes]) -> None:
    """Write one thing: our own dataclasses and errors, plain values, paths and bytes, however nested."""
    blobs: list[bytes] = []
    form = json.dumps(_form(thing, blobs)).encode("ascii")
    out.write(struct.pack(">II", len(form), len(blobs)) + form)
    for blob in blobs:
        out.write(struct.pack(">I", len(blob)))
        out.write(blob)
    out.flush()


def receive(source: IO[bytes]) -> Any:
    """Read one thing; raises EOFError when the other side is gone, ValueError for what it should not have sent."""
    size, count = struct.unpack(">II", _exactly(source, 8))
    form = _exactly(source, size)
    blobs = [_exactly(source, struct.unpack(">I", _exactly(source, 4))[0]) for _ in range(count)]
    try:
        return _thing(json.loads(form), blobs)
    except (LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("not a message of ours") from error


def _exactly(source: IO[bytes], size: int) -> bytes:
    if size > _MOST_BYTES:
        raise ValueError("too large for a message of ours")
    data = source.read(size)
    if len(data) < size:
        raise EOFError
    return data


@functools.cache
def _known() -> Mapping[str, type]:
    """The classes that may be named in a message."""
    from companion import board, draft
    from companion.app import calibrator, reader

    made = (reader.Order, reader.Seen, reader.Picture, calibrator.Lesson, calibrator.Learned, calibrator.Edited, draft.Doubt)
    parts = (board.Board, board.City, board.Route, board.Space, board.Ticket, board.Variant, board.Rules)
    return {kind.__name__: kind for kind in (*made, *parts)}


def _form(thing: Any, blobs: list[bytes]) -> Any:
    """The JSON form of a thing: plain values as they are, everything else as [its kind, its parts...]."""
    if isinstance(thing, CompanionError):
        return ["error", type(thing).__name__, _form(thing.said, blobs)]
    if isinstance(thing, Sentence):
        return ["sentence", thing.template, _form(thing.values, blobs)]
    if thing is None or isinstance(thing, bool | str):
        return thing
    if isinstance(thing, numbers.Real):
        return int(thing) if isinstance(thing, numbers.Integral) else float(thing)
    if isinstance(thing, bytes):
        blobs.append(thing)
        return ["bytes", len(blobs) - 1]
    if isinstance(thing, Path):
        return ["path", str(thing)]
    if isinstance(thing, Mapping):
        return ["dict", *([_form(key, blobs), _form(value, blobs)] for key, value in thing.items())]
    if isinstance(thing, tuple | list | frozenset):
        return [type(thing).__name__, *(_form(part, blobs) for part in thing)]
    if is_dataclass(thing) and type(thing).__name__ in _known():
        return ["made", type(thing).__name__, {f.name: _form(getattr(thing, f.name), blobs) for f in fields(thing)}]
    raise TypeError(f"{type(thing).__name__} has no form")


def _thing(form: Any, blobs: list[bytes]) -> Any:
    if not isinstance(form, list):
        return form
    kind, *parts = form
    if kind in ("tuple", "list", "frozenset"):
        things = [_thing(part, blobs) for part in parts]
        return {"tuple": tuple, "list": list, "frozenset": frozenset}[kind](things)
    if kind == "dict":
        return {_thing(key, blobs): _thing(value, blobs) for key, value in parts}
    if kind == "bytes":
        return blobs[parts[0]]
    if kind == "path":
        return Path(parts[0])
    if kind == "sentence":
        return Sentence(parts[0], **_thing(parts[1], blobs))
    if kind == "made":
        return _known()[parts[0]](**{name: _thing(part, blobs) for name, part in parts[1].items()})
    error = getattr(errors, parts[0])
    if kind != "error" or not issubclass(error, CompanionError):
        raise ValueError(f"{kind} is nothing we know")
    return error(_thing(parts[1], blobs))

"""Pieces that the screens are made of."""

from __future__ import annotations

from pathlib import Path

from kivy.lang import Builder


def load_kv(python_file: str) -> None:
    """Load the kv file that stands beside a Python file, once."""
    path = str(Path(python_file).with_suffix(".kv"))
    if path not in Builder.files:
        Builder.load_file(path, encoding="utf8")

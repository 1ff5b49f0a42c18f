"""What one photo teaches about its own pieces and print."""

from __future__ import annotations

import numpy as np

from companion.vision.likeness import likeness

GROUND, PRINTED, PIECE = (200, 205, 210), (85, 80, 78), (34, 32, 33)
EMPTY, BLACK = 0, 3


def patch(color: tuple[int, int, int], across: int = 0) -> np.ndarray:
    """A patch of ground with a bar of one colour along it, some rows off the middle."""
    seen = np.zeros((24, 32, 3), np.uint8)
    seen[:] = GROUND
    seen[8 + across : 16 + across, 5:27] = color
    return seen


def table(doubtful: np.ndarray) -> np.ndarray:
    """What is added for a place between empty and black, among ten plain black pieces and ten plain empty spaces."""
    rng = np.random.default_rng(2)
    plain = [patch(PIECE, across) for across in (-2, -1, 0, 1, 2) * 2] + [patch(PRINTED)] * 10
    seen = np.stack([*plain, doubtful]).astype(np.int16)
    seen = np.clip(seen + rng.integers(-6, 7, seen.shape), 0, 255).astype(np.uint8)
    logits = np.full((21, 8), -6.0, np.float32)
    logits[:10, BLACK] = logits[10:20, EMPTY] = 2.0
    logits[20, [EMPTY, BLACK]] = 0.0
    figures = np.tile(np.array([*PRINTED, 12], np.uint8), (21, 11, 1))
    return np.asarray(likeness(logits, seen, figures)[20])


def test_a_doubtful_place_is_what_it_looks_like() -> None:
    as_piece, as_print = table(patch(PIECE)), table(patch(PRINTED))
    assert as_piece[BLACK] > as_piece[EMPTY] + 0.3
    assert as_print[EMPTY] > as_print[BLACK] + 0.3


def test_a_piece_may_lie_beside_the_middle() -> None:
    aside = table(patch(PIECE, 3))
    assert aside[BLACK] > aside[EMPTY] + 0.3


def test_without_examples_nothing_is_added() -> None:
    unsure = np.zeros((5, 8), np.float32)
    seen, figures = np.full((5, 24, 32, 3), 90, np.uint8), np.full((5, 11, 4), 90, np.uint8)
    assert not likeness(unsure, seen, figures).any()

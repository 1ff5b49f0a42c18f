"""Draws what Android shows of the app: icon, the two layers of the adaptive icon, and the picture while it starts."""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tools.art import Sheet, app_icon

OUT = Path(__file__).resolve().parent.parent / "phone"
PAPER, BRASS, INK = (220, 236, 244), (76, 162, 208), (32, 35, 43)
SAFE = 66 / 108
"""The share of an adaptive icon that no launcher cuts off."""


def face(size: int, body: tuple[int, int, int], share: float) -> NDArray[np.uint8]:
    """Ring, track and locomotive on nothing, filling this share of the square."""
    inner = round(size * share)
    ring = Sheet(inner).ring(12, 12, 11.2, 0.8).line([(3.4, 17.0), (20.6, 17.0)], 0.55)
    train = Sheet(inner).box(5.4, 9.2, 8.6, 5.0, 0.8).box(12.6, 6.2, 5.4, 8, 0.8).box(13.9, 7.6, 2.7, 2.6, 0.3, 0)
    train.box(6.8, 6.8, 1.7, 3.4, 0.3).disc(8.2, 15.0, 1.5).disc(15.2, 14.7, 1.85)
    picture = np.zeros((size, size, 4), np.uint8)
    start = (size - inner) // 2
    part = picture[start : start + inner, start : start + inner]
    for sheet, color in ((ring, BRASS), (train, body)):
        alpha = cv2.resize(sheet.mask, (inner, inner), interpolation=cv2.INTER_AREA)
        part[alpha > 0, :3] = color
        part[..., 3] = np.maximum(part[..., 3], alpha)
    return picture


def save(name: str, picture: NDArray[np.uint8]) -> None:
    cv2.imwrite(str(OUT / name), picture, [cv2.IMWRITE_PNG_COMPRESSION, 9])


def main() -> None:
    OUT.mkdir(exist_ok=True)
    save("icon.png", app_icon(512))
    save("icon-foreground.png", face(432, PAPER, SAFE))
    save("icon-background.png", np.full((432, 432, 3), INK, np.uint8))
    save("presplash.png", face(768, INK, 0.5))


if __name__ == "__main__":
    main()

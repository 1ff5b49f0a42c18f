"""Makes the signatures of the bundled samples from the boards we draw: python -m calibration.samples [PICTURES]

With a folder given, the drawn boards are written there too, for the renderer to photograph.
"""

from __future__ import annotations

import sys
from pathlib import Path

from calibration.signature import make_signature
from companion.art import draw_board
from companion.board import load_board
from companion.samples import FOLDER, SAMPLES
from companion.vision.overlay import save_picture
from companion.vision.patches import measure_print

LONG_SIDE = 1500


def main(arguments: list[str]) -> int:
    for map_id in SAMPLES:
        board = load_board(map_id)
        drawn = draw_board(board, LONG_SIDE if board.aspect >= 1 else round(LONG_SIDE * board.aspect))
        signature = make_signature([drawn], board.aspect, measure_print(drawn, board))
        signature.save(FOLDER / map_id / "signature.npz")
        print(f"{map_id}: {len(signature.points)} keypoints")
        if arguments:
            width = 2 * LONG_SIDE if board.aspect >= 1 else round(2 * LONG_SIDE * board.aspect)
            save_picture(draw_board(board, width), Path(arguments[0]) / f"{map_id}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

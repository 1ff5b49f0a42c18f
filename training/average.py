"""The mean of several runs' weights: python -m training.average OUT.onnx RUN.pt RUN.pt ...

It reads what no run was trained on better than any of them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch

from training.net import export, space_net

TEMPERATURE = 0.95


def main(arguments: list[str]) -> int:
    if len(arguments) < 3:
        print(__doc__)
        return 2
    runs = [torch.load(path) for path in arguments[1:]]
    mean = {
        name: sum(run[name] for run in runs) / len(runs) if values.is_floating_point() else values
        for name, values in runs[0].items()
    }
    net = space_net()
    net.load_state_dict(mean)
    export(net, Path(arguments[0]), TEMPERATURE)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

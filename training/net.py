"""The three small networks, and their way to ONNX."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from companion.vision.patches import CITY_PATCH, GLANCE_PATCH, SPACE_PATCH
from companion.vision.spaces import COLORS

CHANNELS = 7
"""Blue, green, red of the photo; then blue, green, red and spread of the print's figures."""


class Reader(nn.Module):
    """Strided convolutions, one weighting of all places, then the logits.

    Input (N, 7, h, w) with values 0 to 255. Output (N, 9): empty, the seven colours, and the logit of `something lies here`;
    the glance has two more, `hidden under something that is no piece` and `a station stands on the wagon`.
    """

    def __init__(self, patch: tuple[int, int], widths: tuple[int, ...], strides: tuple[int, ...], more: int = 0) -> None:
        super().__init__()
        self.patch = patch
        self.outputs = 2 + len(COLORS) + more
        self.convs = nn.ModuleList(
            nn.Conv2d(before, after, 3, stride, 1, bias=False)
            for before, after, stride in zip((CHANNELS, *widths), widths, strides, strict=False)
        )
        self.norms = nn.ModuleList([nn.BatchNorm2d(width) for width in widths])
        e = widths[-1]
        self.places = nn.Conv2d(e, e, (patch[1] // 8, patch[0] // 8), groups=e)
        nn.init.normal_(self.places.weight, 8 * 8 / (patch[0] * patch[1]), 0.02)
        self.drop = nn.Dropout(0.2)
        self.logits = nn.Conv2d(e, self.outputs, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = x / 128 - 1
        for conv, norm in zip(self.convs, self.norms, strict=True):
            x = torch.relu(norm(conv(x)))
        out: Tensor = self.logits(self.drop(torch.relu(self.places(x)))).flatten(1)
        return out


def space_net() -> Reader:
    return Reader(SPACE_PATCH, (24, 40, 56, 88, 96), (2, 2, 1, 2, 1))


def glance_net() -> Reader:
    return Reader(GLANCE_PATCH, (16, 32, 48, 48), (2, 2, 1, 2), more=2)


def city_net() -> Reader:
    return Reader(CITY_PATCH, (16, 24, 32, 40, 48), (2, 2, 1, 2, 1))


def export(net: Reader, path: Path, temperature: float = 1.0) -> None:
    """Writes the network as ONNX with the norms folded in and the logits divided by `temperature`.

    Its input is the network's, less 128.
    """
    net = net.eval()
    nodes, weights = [], []

    def constant(name: str, values: np.ndarray) -> str:
        weights.append(numpy_helper.from_array(np.ascontiguousarray(values, np.float32), name))
        return name

    last = "patches"
    for index, (conv, norm) in enumerate(zip(net.convs, net.norms, strict=True)):
        scale = (norm.weight / torch.sqrt(norm.running_var + norm.eps)).detach().double()
        kernel = conv.weight.detach().double() * scale[:, None, None, None]
        bias = (norm.bias - norm.running_mean * scale).detach().double()
        if index == 0:
            # The reader subtracts 128, so that a padded border is mid-grey; the scale belongs to the first kernel.
            kernel = kernel / 128
        names = [last, constant(f"w{index}", kernel.numpy()), constant(f"b{index}", bias.numpy())]
        stride = list(conv.stride)
        nodes.append(helper.make_node("Conv", names, [f"c{index}"], kernel_shape=[3, 3], strides=stride, pads=[1, 1, 1, 1]))
        nodes.append(helper.make_node("Relu", [f"c{index}"], [f"r{index}"]))
        last = f"r{index}"
    height, width = net.places.kernel_size
    names = [
        last,
        constant("wp", net.places.weight.detach().numpy()),
        constant("bp", net.places.bias.detach().numpy()),
    ]
    nodes.append(
        helper.make_node("Conv", names, ["cp"], kernel_shape=[height, width], group=net.places.groups, strides=[1, 1])
    )
    nodes.append(helper.make_node("Relu", ["cp"], ["rp"]))
    names = [
        "rp",
        constant("wl", net.logits.weight.detach().numpy() / temperature),
        constant("bl", net.logits.bias.detach().numpy() / temperature),
    ]
    nodes.append(helper.make_node("Conv", names, ["cl"], kernel_shape=[1, 1], strides=[1, 1]))
    nodes.append(helper.make_node("Flatten", ["cl"], ["logits"], axis=1))
    shape = ["n", CHANNELS, net.patch[1], net.patch[0]]
    graph = helper.make_graph(
        nodes,
        "reader",
        [helper.make_tensor_value_info("patches", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", net.outputs])],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def take_up(net: Reader, path: Path, inputs: Tensor) -> None:
    """Gives a network the weights of an exported one, ready to be trained on; inputs (N, 7, h, w) set its norms.

    Exporting folds each norm into its kernel. Here every norm is made to undo itself on these inputs, so that the network
    answers as the exported one did, and learns as any other.
    """
    stored = {
        tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).copy()) for tensor in onnx.load(path).graph.initializer
    }
    net.eval()
    with torch.no_grad():
        x = inputs / 128 - 1
        for index, (conv, norm) in enumerate(zip(net.convs, net.norms, strict=True)):
            conv.weight.copy_(stored[f"w{index}"] * (128 if index == 0 else 1))
            bare = conv(x)
            mean, var = bare.mean((0, 2, 3)), bare.var((0, 2, 3))
            norm.running_mean.copy_(mean)
            norm.running_var.copy_(var)
            norm.weight.copy_(torch.sqrt(var + norm.eps))
            norm.bias.copy_(mean + stored[f"b{index}"])
            x = torch.relu(norm(bare))
        for layer, name in ((net.places, "p"), (net.logits, "l")):
            layer.weight.copy_(stored[f"w{name}"])
            layer.bias.copy_(stored[f"b{name}"])

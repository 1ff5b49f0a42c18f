"""Trains the finder of spaces: a small network that marks spaces and cities on the straightened picture of any board.

    python -m training.finder BOARDS --minutes 40 --out calibration/weights/finder.onnx

BOARDS holds what `python -m training.finder BOARDS --invent 240` draws. No real board is needed: the figures that the
README quotes for the bundled boards come from weights that never saw one.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn
from torch.nn import functional

from calibration.finder import CHANNELS, CITY, CITY_OFF, ENGINE, OFF, PIECE, SIZE, SPACE, STRIDE, TUNNEL, TURN, WIDE, WORDS
from training.invented import invent

Floats = NDArray[np.float64]

CROP = 192
CELLS = CROP // STRIDE
STRETCH = 2.5
"""A usual space is so many times as long as it is wide."""


@dataclass
class Drawn:
    """A picture with what is known about it: spaces (S, 6), cities (C, 2), words (W, 4, 2), a space's size in pixels."""

    picture: NDArray[np.uint8]
    length: float
    width: float
    spaces: Floats
    cities: Floats
    words: Floats
    weight: float = 1.0


class Finder(nn.Module):
    """Convolutions at a quarter and an eighth of the picture's size, joined again at a quarter."""

    def __init__(self) -> None:
        super().__init__()
        plan = [(3, 16, 2, 1), (16, 32, 2, 1), (32, 40, 1, 1), (40, 40, 1, 1)]
        deep = [(40, 64, 2, 1), (64, 64, 1, 1), (64, 64, 1, 2), (64, 64, 1, 4)]
        self.first = nn.ModuleList([_Block(*one) for one in plan])
        self.deep = nn.ModuleList([_Block(*one) for one in deep])
        self.up = nn.ConvTranspose2d(64, 40, 2, 2)
        self.joined = _Block(40, 48, 1, 1)
        self.out = nn.Conv2d(48, CHANNELS, 1)
        with torch.no_grad():
            self.out.bias.zero_()
            self.out.bias[[SPACE, CITY]] = -3.5

    def forward(self, x: Tensor) -> Tensor:
        for block in self.first:
            x = block(x)
        low = x
        for block in self.deep:
            low = block(low)
        out: Tensor = self.out(self.joined(torch.relu(x + self.up(low))))
        return out


class _Block(nn.Module):
    def __init__(self, a: int, b: int, stride: int, dilation: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(a, b, 3, stride, dilation, dilation, bias=False)
        self.norm = nn.BatchNorm2d(b)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.norm(self.conv(x)))


def load_drawn(folder: Path) -> list[Drawn]:
    boards = []
    for path in sorted(folder.glob("*.npz")):
        kept = np.load(path)
        picture = np.asarray(cv2.imread(str(path.with_suffix(".png"))), np.uint8)
        boards.append(
            Drawn(picture, float(kept["length"]), float(kept["width"]), kept["spaces"], kept["cities"], kept["words"])
        )
    return boards


def sample(board: Drawn, dice: np.random.Generator) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """A turned, scaled and badly photographed piece of a board, and what the network should say about it."""
    scale = WIDE / board.width * float(np.exp(dice.uniform(-0.3, 0.3)))
    turn = dice.uniform(0, 2 * np.pi)
    squeeze = np.exp(dice.normal(0, 0.04, 2))
    linear = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ np.diag(squeeze) * scale
    if dice.random() < 0.5:
        linear = linear @ np.diag([-1.0, 1.0])
    height, width = board.picture.shape[:2]
    if dice.random() < 0.8 and len(board.spaces):
        focus = board.spaces[dice.integers(len(board.spaces)), :2] + dice.normal(0, 40, 2)
    else:
        focus = dice.uniform([0, 0], [width, height])
    warp = np.column_stack([linear, CROP / 2 - linear @ focus])
    source = board.picture
    if scale < 0.7:
        source = np.asarray(cv2.GaussianBlur(source, (0, 0), 0.4 / scale), np.uint8)
    border = cv2.BORDER_REFLECT if dice.random() < 0.5 else cv2.BORDER_CONSTANT
    ground = tuple(float(c) for c in dice.uniform(0, 255, 3))
    crop = cv2.warpAffine(source, warp, (CROP, CROP), flags=cv2.INTER_LINEAR, borderMode=border, borderValue=ground)
    return _photographed(np.asarray(crop, np.uint8), dice), _target(board, warp, scale)


def _photographed(crop: NDArray[np.uint8], dice: np.random.Generator) -> NDArray[np.uint8]:
    lit = crop.astype(np.float32)
    lit = 255 * (lit / 255) ** np.float32(np.exp(dice.normal(0, 0.3)))
    lit = lit * np.exp(dice.normal(0, 0.08, 3)).astype(np.float32) * np.float32(np.exp(dice.normal(-0.1, 0.35)))
    if dice.random() < 0.3:
        grey = lit.mean(axis=2, keepdims=True)
        lit = grey + (lit - grey) * np.float32(dice.uniform(0.4, 1.3))
    rows, columns = np.mgrid[0:CROP, 0:CROP].astype(np.float32) / CROP
    lit *= (1 + dice.normal(0, 0.2) * (rows - 0.5) + dice.normal(0, 0.2) * (columns - 0.5))[..., None]
    if dice.random() < 0.15:
        lit += (
            dice.uniform(20, 120) * np.exp(-((rows - dice.random()) ** 2 + (columns - dice.random()) ** 2) * 12)[..., None]
        )
    if dice.random() < 0.6:
        lit = cv2.GaussianBlur(lit, (0, 0), float(dice.uniform(0.3, 1.5)))
    lit += dice.normal(0, dice.uniform(0, 8), lit.shape)
    out = np.clip(lit, 0, 255).astype(np.uint8)
    if dice.random() < 0.4:
        out = np.asarray(cv2.imdecode(cv2.imencode(".jpg", out, [1, int(dice.integers(35, 90))])[1], 1), np.uint8)
    return out


def _target(board: Drawn, warp: Floats, scale: float) -> NDArray[np.float32]:
    """(CHANNELS + 3, cells, cells): the wanted values, then where spaces and cities count, and the words' own weight."""
    goal = np.zeros((CHANNELS + 3, CELLS, CELLS), np.float32)
    rows, columns = np.mgrid[0:CELLS, 0:CELLS].astype(np.float64)
    middle = (STRIDE - 1) / 2

    def heat(spot: Floats) -> tuple[Floats, Floats, Floats]:
        x, y = (spot - middle) / STRIDE
        return np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * 0.9**2)), x - columns, y - rows

    linear, shift = warp[:, :2], warp[:, 2]
    near = lambda spots: np.flatnonzero((np.abs(spots @ linear.T + shift - CROP / 2) < CROP / 2 + 8).all(axis=1))  # noqa: E731
    best = np.zeros((CELLS, CELLS))
    for k in near(board.spaces[:, :2]):
        x, y, angle, tunnel, engine, piece = board.spaces[k]
        glow, dx, dy = heat(linear @ np.array([x, y]) + shift)
        along = linear @ np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
        across = linear @ np.array([-np.sin(np.radians(angle)), np.cos(np.radians(angle))])
        turn = np.arctan2(along[1], along[0])
        here = (glow > 0.3) & (glow > best)
        best = np.maximum(best, glow)
        goal[SPACE] = np.maximum(goal[SPACE], glow)
        values = {TURN: np.cos(2 * turn), TURN + 1: np.sin(2 * turn), TUNNEL: tunnel, ENGINE: engine, PIECE: piece}
        values |= {
            SIZE: np.log(board.length * np.linalg.norm(along) / (STRETCH * WIDE)),
            SIZE + 1: np.log(board.width * np.linalg.norm(across) / WIDE),
        }
        for channel, value in values.items():
            goal[channel][here] = value
        goal[OFF][here], goal[OFF + 1][here] = dx[here], dy[here]
        goal[CHANNELS][here] = 1
    for k in near(board.cities):
        glow, dx, dy = heat(linear @ board.cities[k] + shift)
        here = glow > 0.3
        goal[CITY] = np.maximum(goal[CITY], glow)
        goal[CITY_OFF][here], goal[CITY_OFF + 1][here] = dx[here], dy[here]
        goal[CHANNELS + 1][here] = 1
    mask = np.zeros((CELLS, CELLS), np.uint8)
    for word in board.words:
        corners = (word @ linear.T + shift - middle) / STRIDE
        cv2.fillPoly(mask, [np.round(corners * 8).astype(np.int32)], 1, cv2.LINE_8, 3)
    goal[WORDS] = mask
    goal[CHANNELS + 2] = 1.0 if len(board.words) else 0.0
    return goal


def loss_of(said: Tensor, goal: Tensor) -> tuple[Tensor, dict[str, float]]:
    parts: dict[str, Tensor] = {}
    for name, channel in (("space", SPACE), ("city", CITY)):
        logit, wanted = said[:, channel], goal[:, channel]
        share = torch.sigmoid(logit)
        peak = wanted > 0.88
        hit = functional.logsigmoid(logit) * (1 - share) ** 2 * peak
        miss = functional.logsigmoid(-logit) * share**2 * (1 - wanted) ** 4 * ~peak
        parts[name] = -(hit.sum() + miss.sum()) / peak.sum().clamp(min=1)
    here, there = goal[:, CHANNELS], goal[:, CHANNELS + 1]
    count = here.sum().clamp(min=1)

    def apart(first: int, size: int, where: Tensor) -> Tensor:
        gap = (said[:, first : first + size] - goal[:, first : first + size]).abs().sum(dim=1)
        return (gap * where).sum() / where.sum().clamp(min=1)

    parts["turn"] = 0.5 * apart(TURN, 2, here)
    parts["off"] = 0.4 * (apart(OFF, 2, here) + 0.5 * apart(CITY_OFF, 2, there))
    parts["size"] = 0.7 * apart(SIZE, 2, here)
    for name, channel in (("tunnel", TUNNEL), ("engine", ENGINE), ("piece", PIECE)):
        odds = functional.binary_cross_entropy_with_logits(said[:, channel], goal[:, channel], reduction="none")
        parts[name] = 0.3 * (odds * here).sum() / count
    odds = functional.binary_cross_entropy_with_logits(said[:, WORDS], goal[:, WORDS], reduction="none")
    parts["words"] = 0.3 * (odds * goal[:, CHANNELS + 2]).mean()
    total = torch.stack(list(parts.values())).sum()
    return total, {name: float(value.detach()) for name, value in parts.items()}


def train(boards: list[Drawn], minutes: float, out: Path, seed: int, start: Path | None, batch: int = 16) -> None:
    torch.manual_seed(seed)
    dice = np.random.default_rng(seed)
    net = Finder()
    if start is not None:
        net.load_state_dict(torch.load(start))
    best = torch.optim.AdamW(net.parameters(), 3e-3 if start is None else 1.5e-3, weight_decay=1e-4)
    weights = np.array([board.weight for board in boards])
    begin, step, seen = time.time(), 0, {}
    while (passed := (time.time() - begin) / 60 / minutes) < 1:
        rate = min(1.0, (step + 1) / 50) * (0.5 + 0.5 * np.cos(np.pi * passed)) + 0.005
        for group in best.param_groups:
            group["lr"] = (3e-3 if start is None else 1.5e-3) * rate
        pairs = [sample(boards[dice.choice(len(boards), p=weights / weights.sum())], dice) for _ in range(batch)]
        pixels = torch.from_numpy(np.stack([a for a, _ in pairs])).permute(0, 3, 1, 2).float() / 128 - 1
        loss, parts = loss_of(net(pixels), torch.from_numpy(np.stack([b for _, b in pairs])))
        best.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        best.step()
        seen = {name: 0.98 * seen.get(name, value) + 0.02 * value for name, value in parts.items()}
        step += 1
        if step % 50 == 0:
            print(step, f"{60 * minutes * passed:.0f} s", " ".join(f"{k} {v:.3f}" for k, v in seen.items()), flush=True)
            torch.save(net.state_dict(), out.with_suffix(".pt"))
            export(net, out)
            net.train()
    torch.save(net.state_dict(), out.with_suffix(".pt"))
    export(net, out)


def export(net: Finder, path: Path) -> None:
    """Writes the network as ONNX with the norms folded in; its input is the picture less 128."""
    net.eval()
    nodes, weights = [], []

    def constant(name: str, values: Tensor) -> str:
        weights.append(numpy_helper.from_array(np.ascontiguousarray(values.detach().numpy(), np.float32), name))
        return name

    def block(index: str, part: _Block, last: str, share: float = 1.0) -> str:
        scale = part.norm.weight / torch.sqrt(part.norm.running_var + part.norm.eps)
        kernel = part.conv.weight * scale[:, None, None, None] * share
        bias = part.norm.bias - part.norm.running_mean * scale
        names = [last, constant(f"w{index}", kernel), constant(f"b{index}", bias)]
        reach = part.conv.dilation[0]
        nodes.append(
            helper.make_node(
                "Conv",
                names,
                [f"c{index}"],
                kernel_shape=[3, 3],
                strides=list(part.conv.stride),
                pads=[reach] * 4,
                dilations=[reach] * 2,
            )
        )
        nodes.append(helper.make_node("Relu", [f"c{index}"], [f"r{index}"]))
        return f"r{index}"

    last = "picture"
    for number, part in enumerate(net.first):
        last = block(f"f{number}", part, last, 1 / 128 if number == 0 else 1.0)
    low = last
    for number, part in enumerate(net.deep):
        low = block(f"d{number}", part, low)
    names = [low, constant("wu", net.up.weight), constant("bu", net.up.bias)]
    nodes.append(helper.make_node("ConvTranspose", names, ["up"], kernel_shape=[2, 2], strides=[2, 2]))
    nodes.append(helper.make_node("Add", [last, "up"], ["sum"]))
    nodes.append(helper.make_node("Relu", ["sum"], ["both"]))
    last = block("j", net.joined, "both")
    names = [last, constant("wo", net.out.weight), constant("bo", net.out.bias)]
    nodes.append(helper.make_node("Conv", names, ["marks"], kernel_shape=[1, 1]))
    graph = helper.make_graph(
        nodes,
        "finder",
        [helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, 3, "h", "w"])],
        [helper.make_tensor_value_info("marks", TensorProto.FLOAT, [1, CHANNELS, "p", "q"])],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model.SerializeToString())


def draw(folder: Path, first: int, count: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(first, first + count):
        made = invent(seed, seed % 4 == 0)
        if len(made.routes) >= 10:
            cv2.imwrite(str(folder / f"{seed:05d}.png"), made.picture)
            np.savez(folder / f"{seed:05d}.npz", length=made.length, width=made.width, **made.labels())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("boards", type=Path)
    parser.add_argument("--invent", type=int, default=0, help="draw so many boards and stop")
    parser.add_argument("--first", type=int, default=0, help="the first one's number")
    parser.add_argument("--minutes", type=float, default=40.0)
    parser.add_argument("--out", type=Path, default=Path("calibration/weights/finder.onnx"))
    parser.add_argument("--start", type=Path, help="go on from these .pt weights")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    cv2.setNumThreads(options.threads)
    if options.invent:
        draw(options.boards, options.first, options.invent)
    else:
        train(load_drawn(options.boards), options.minutes, options.out, options.seed, options.start)


if __name__ == "__main__":
    main()

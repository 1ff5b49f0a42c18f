"""Trains the reading networks from cached samples and writes their ONNX weights.

    python -m training.train spaces --cache CACHE --out companion/vision/weights
    python -m training.train spaces --cache CACHE --fold 1 --out FOLDS/1

The networks for the first glance at a space and for the closer look learn from the same batches, in one run. A fold leaves
its photos, and everything cut out of them, out of training.
"""

from __future__ import annotations

import argparse
import json
import pickle
import re
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from companion.vision.patches import (
    CITY_PATCH,
    CITY_SPAN_MM,
    MOST_SHIFT,
    SPACE_PATCH,
    SPACE_SPAN,
    Frame,
    region_map,
    ring_map,
)
from companion.vision.spaces import COLORS, IGNORED
from training.augment import HIDDEN, UNSURE, Around, Jitter, Pieces, batch, coarse, cover, neighbours
from training.data import Samples, Source, join
from training.net import Reader, city_net, export, glance_net, space_net, take_up

BATCH = 192
RING = 40
USES = 3
"""Steps per fresh batch."""
TOPPED = 64
"""Added to the label of a wagon with a station on it; the rest is the station's colour."""
COVERED = 0.08
"""Share of the samples that a card or a hand covers."""
FOLDS: dict[int, tuple[str, ...]] = {
    1: ("europe/real-1", "usa/real-4066", "usa/empty", "europe/render-01", "europe/render-05"),
    2: ("europe/real-2", "europe/real-3-stations", "europe/render-02", "europe/render-06", "marklin/render-01"),
    3: ("europe/real-4-stations", "europe/render-03", "europe/render-07", "new-york/render-01"),
    4: (
        *(f"usa/real-{number}" for number in (4134, 4145, 4152, 4159, 4166)),
        "europe/render-04",
        "europe/render-08",
        "marklin/render-02",
    ),
}
"""Photos held out together: the same arrangement of pieces is never on both sides."""

SKETCHES = 1000
"""Renders with this number and above are sketches: many, alike and less real, so each counts for less."""

MISTAKEN = ("europe/render-02",)
"""Photos whose truth file describes another arrangement than the picture shows: never learned from."""


def held_out_render(name: str) -> bool:
    """One render in four or five is only ever measured on."""
    number = render_number(name)
    return number % 20 in (3, 7, 9, 15, 18) and number < SKETCHES


def render_number(name: str) -> int:
    number = re.search(r"^render/.*-(\d+)$", name)
    return int(number[1]) if number else 0


class Stock:
    """All cached samples, with the names of their sources."""

    def __init__(self, cache: Path, sources: list[Source], part: int) -> None:
        self.names: list[str] = []
        self.real: list[bool] = []
        parts: list[Samples] = []
        maps: dict[str, int] = {}
        layouts = []
        steps = []
        self.flat: dict[int, Samples] = {}
        self.around: dict[int, Around] = {}
        for source in sources:
            path = cache / (source.name.replace("/", "_") + ".pkl")
            if not path.exists():
                continue
            samples: Samples = pickle.loads(path.read_bytes())[part]
            map_id = source.truth["map"]
            if map_id not in maps:
                maps[map_id] = len(maps)
                board = source.board()
                frame = Frame.of(board)
                self.around[maps[map_id]] = neighbours(board)
                layouts.append(region_map(frame, MOST_SHIFT) if part == 0 else ring_map(MOST_SHIFT))
                steps.append(SPACE_SPAN * frame.space[0] / SPACE_PATCH[0] if part == 0 else CITY_SPAN_MM / CITY_PATCH[0])
                bare: Samples = pickle.loads((cache / f"flat_{map_id}.pkl").read_bytes())[part]
                bare.layout[:] = maps[map_id]
                self.flat[maps[map_id]] = bare
            samples.layout[:] = maps[map_id]
            samples.source[:] = len(self.names)
            self.names.append(source.name)
            self.real.append(source.real)
            parts.append(samples)
        self.samples = join(parts)
        self.layouts = torch.from_numpy(np.stack(layouts)).long()
        self.steps = np.array(steps)

    def of(self, names: set[str]) -> np.ndarray:
        wanted = [index for index, name in enumerate(self.names) if name in names]
        return np.flatnonzero(np.isin(self.samples.source, wanted))


def pasted(stock: Stock, training: np.ndarray, count: int, seed: int) -> Samples:
    """Pieces cut from the training photos, laid on empty prints of training photos and of flat pictures."""
    samples = stock.samples.pick(training)
    real = np.array(stock.real)[samples.source]
    if not real.any():
        real = np.random.default_rng(seed).random(len(real)) < 0.35
    rare = samples.label > COLORS.index("red") + 1  # white and purple: only renders show them
    occupied = samples.pick((real | rare) & (samples.label > 0) & (samples.label < IGNORED))
    bare = join(
        stock.flat[layout].pick(np.array([place])) for layout, place in zip(occupied.layout, occupied.place, strict=True)
    )
    pieces = Pieces(occupied, bare, seed)
    print(f"cut out {len(pieces.label)} of {len(occupied)} pieces", np.bincount(pieces.label), flush=True)
    empty = samples.pick(samples.label == 0)
    ground = join([empty, *stock.flat.values()])
    laid = pieces.lay(ground, count, stock.steps, stock.around)
    laid.source[:] = -1
    return laid


def loss_of(out: Tensor, label: Tensor) -> Tensor:
    topped, label = label >= TOPPED, label % TOPPED
    known, plain = label < IGNORED, label <= IGNORED
    color = functional.cross_entropy(out[known, :8], label[known], label_smoothing=0.01)
    taken = (label[plain] > 0).float() * 0.99 + 0.005
    loss = color + 0.5 * functional.binary_cross_entropy_with_logits(out[plain, 8], taken)
    if out.shape[1] > 9:
        told = label != UNSURE
        loss = loss + functional.binary_cross_entropy_with_logits(out[told, 9], (label[told] == HIDDEN).float())
        loss = loss + functional.binary_cross_entropy_with_logits(out[plain, 10], topped[plain].float())
    return loss


def train(
    nets: list[Reader],
    samples: Samples,
    weights: Tensor,
    layouts: Tensor,
    patch: tuple[int, int],
    jitter: Jitter,
    minutes: float,
    rate: float,
    steps: int,
) -> None:
    """Trains until the steps are done, or the time is up, with the rate falling to nothing by then.

    Making a batch takes longer than learning from it, so batches are kept a while in a ring and used several times.
    """
    parameters = [parameter for net in nets for parameter in net.parameters()]
    optimiser = torch.optim.AdamW(parameters, lr=rate, weight_decay=2e-3)
    ring = torch.zeros(RING * BATCH, 7, patch[1], patch[0], dtype=torch.bfloat16)
    answers = torch.zeros(RING * BATCH, dtype=torch.long)
    for net in nets:
        net.to(memory_format=torch.channels_last)
        net.train()
    start = time.time()
    done, shown, running, step, made = 0.0, 0.0, 0.0, 0, 0
    while done < 1:
        if step % USES == 0:
            which = torch.multinomial(weights, BATCH, replacement=True)
            on = torch.from_numpy(samples.topped)[which]
            x, label = cover(*_swap_channels(*batch(samples, which, layouts, patch, jitter)), COVERED)
            label = label + TOPPED * (on & (label <= IGNORED))
            slot = slice(made % RING * BATCH, (made % RING + 1) * BATCH)
            ring[slot], answers[slot] = x.bfloat16(), label
            made += 1
        rows = torch.randint(min(made, RING) * BATCH, (BATCH,))
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1, step / 60 + 0.02) * (0.5 + 0.5 * np.cos(np.pi * done)) + 1e-6
        seen = ring[rows]
        with torch.autocast("cpu", torch.bfloat16):
            outs = [net(coarse(seen, net.patch).contiguous(memory_format=torch.channels_last)) for net in nets]
        losses = [loss_of(out.float(), answers[rows]) for out in outs]
        loss = losses[0]
        optimiser.zero_grad()
        torch.stack(losses).sum().backward()
        for net in nets:
            torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimiser.step()
        step += 1
        running = 0.98 * running + 0.02 * float(loss.detach())
        done = max((time.time() - start) / (60 * minutes), step / steps)
        if done - shown > 0.1:
            shown = done
            print(f"{done:4.0%} step {step} loss {running / (1 - 0.98**step):.4f}", flush=True)


def _swap_channels(x: Tensor, label: Tensor) -> tuple[Tensor, Tensor]:
    """Pieces and prints in colours of no box: they teach that something lies there, whatever its colour."""
    count = len(x) // 8
    order = torch.randperm(3)
    if bool((order == torch.arange(3)).all()):
        return x, label
    x, label = x.clone(), label.clone()
    x[:count, :3] = x[:count, order]
    x[:count, 3:6] = x[:count, 3 + order]
    label[:count] = torch.where(label[:count] > 0, IGNORED, 0)
    return x, label


@torch.no_grad()
def predict(net: Reader, samples: Samples, layouts: Tensor, patch: tuple[int, int]) -> np.ndarray:
    net.eval()
    parts = [batch(samples, part, layouts, patch, None)[0] for part in torch.arange(len(samples)).split(512)]
    return torch.cat([net(coarse(part, net.patch)) for part in parts]).numpy()


def report(stock: Stock, rows: np.ndarray, logits: np.ndarray) -> list[dict[str, object]]:
    """Wrong spaces, sure and wrong spaces, per source."""
    lines = []
    samples = stock.samples.pick(rows)
    for index in np.unique(samples.source):
        mine = (samples.source == index) & (samples.label < IGNORED)
        log = logits[mine, :8] - np.log(np.exp(logits[mine, :8]).sum(1, keepdims=True))
        label = samples.label[mine]
        wrong = log.argmax(1) != label
        sure = wrong & (log.max(1) > np.log(0.9))
        taken = (logits[mine, 8] > 0) != (label > 0)
        lines.append(
            {
                "source": stock.names[index],
                "places": int(mine.sum()),
                "wrong": int(wrong.sum()),
                "sure_and_wrong": int(sure.sum()),
                "wrong_taken": int(taken.sum()),
                "loss": round(float(-log[np.arange(len(label)), label].mean()), 4),
            }
        )
    return lines


def best_temperature(logits: np.ndarray, label: np.ndarray) -> float:
    """The temperature under which the held-out answers are most likely."""
    known = label < IGNORED
    logits, label = logits[known, :8], label[known]
    best = (np.inf, 1.0)
    for temperature in np.exp(np.linspace(-0.7, 1.2, 40)):
        log = logits / temperature
        log = log - np.log(np.exp(log - log.max(1, keepdims=True)).sum(1, keepdims=True)) - log.max(1, keepdims=True)
        best = min(best, (float(-log[np.arange(len(label)), label].mean()), float(temperature)))
    return best[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["spaces", "glance", "cities"])
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--fold", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--steps", type=int, default=1800)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--pasted", type=int, default=12000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--base", type=Path, help="a folder of weights to start from, for the networks it holds")
    parser.add_argument("--renders-only", action="store_true", help="train on renders alone, a base for every fold")
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    np.random.seed(given.seed)
    torch.set_num_threads(given.threads)
    sources: list[Source] = pickle.loads((given.cache / "sources.pkl").read_bytes())
    part = 1 if given.what == "cities" else 0
    patch = SPACE_PATCH if part == 0 else CITY_PATCH
    stock = Stock(given.cache, sources, part)
    out_names = set(FOLDS.get(given.fold, ())) | {name for name in stock.names if held_out_render(name)}
    if given.renders_only:
        out_names |= {name for name in stock.names if not name.startswith("render/")}
    training = stock.of(set(stock.names) - out_names - set(MISTAKEN))
    held = stock.of(out_names)
    samples = stock.samples.pick(training)
    real = np.array(stock.real)[samples.source]
    drawn = np.array([render_number(name) >= SKETCHES for name in stock.names])[samples.source]
    weights = np.where(real, 3.0, np.where(drawn, 0.35, 1.0)) * np.where(samples.topped, 20.0, 1.0)
    jitter = Jitter(move=1.6, turn=0.05, scale=0.03)
    if part == 0:
        laid = pasted(stock, training, given.pasted, given.seed)
        samples = join([samples, laid])
        weights = np.concatenate([weights, np.full(len(laid), 1.6)])
        nets = {"spaces": space_net()} if given.what == "spaces" else {}
        nets["glance"] = glance_net()
    else:
        station = samples.label > 0
        weights = weights * np.where(station, 0.6 * (~station).sum() / max(1, station.sum()), 1.0)
        jitter = Jitter(move=1.6, turn=0.2, scale=0.05, spin=True)
        nets = {"cities": city_net()}
    for name, net in nets.items() if given.base else ():
        if (given.base / f"{name}.onnx").exists():
            some = torch.randint(len(samples), (600,))
            take_up(
                net, given.base / f"{name}.onnx", coarse(batch(samples, some, stock.layouts, patch, jitter)[0], net.patch)
            )
    print(given.what, len(samples), "samples", np.bincount(samples.label), "held out", len(held), flush=True)
    chances = torch.from_numpy(weights)
    train(list(nets.values()), samples, chances, stock.layouts, patch, jitter, given.minutes, given.rate, given.steps)
    given.out.mkdir(parents=True, exist_ok=True)
    if given.fold:
        (given.out.parent / "folds.json").write_text(json.dumps({str(fold): names for fold, names in FOLDS.items()}))
    for name, net in nets.items():
        logits = predict(net, stock.samples.pick(held), stock.layouts, patch)
        temperature = given.temperature or best_temperature(logits, stock.samples.label[held])
        export(net, given.out / f"{name}.onnx", temperature)
        lines = report(stock, held, logits / temperature)
        print(f"{name}: temperature {temperature:.2f}")
        for line in lines:
            print(line)
        told = {"never_saw": sorted(out_names), "temperature": temperature, "held_out": lines}
        (given.out / f"{name}.json").write_text(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()

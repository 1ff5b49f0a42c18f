"""Other light, other placement errors, other blur: every batch anew. And real pieces laid on other prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from companion.board import Board
from companion.vision.patches import MOST_SHIFT, Frame
from companion.vision.spaces import COLORS, IGNORED
from training.data import MARGIN, Samples

WHITE, PURPLE = COLORS.index("white") + 1, COLORS.index("purple") + 1
HIDDEN, UNSURE = IGNORED + 1, IGNORED + 2
"""Labels of places that something other than a piece covers, wholly or in part."""

# Regions after swapping left and right, and after swapping top and bottom, of a space's patch.
FLIP_ALONG = torch.tensor([2, 1, 0, 5, 4, 3, 8, 7, 6, 10, 9])
FLIP_ACROSS = torch.tensor([0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10])


@dataclass(frozen=True)
class Jitter:
    """How far a patch may be moved (pixels), turned (radians) and scaled, and whether it may be turned any way up."""

    move: float
    turn: float
    scale: float
    spin: bool = False


def uniform(count: int, low: float, high: float) -> Tensor:
    return torch.rand(count) * (high - low) + low


def sometimes(count: int, share: float) -> Tensor:
    return (torch.rand(count) < share).float()


def batch(
    samples: Samples, which: Tensor, layouts: Tensor, patch: tuple[int, int], jitter: Jitter | None
) -> tuple[Tensor, Tensor]:
    """Network input (B, 7, h, w) and labels (B,) of chosen samples; without jitter, just as at run time."""
    chosen = which.numpy()
    pixels = torch.from_numpy(samples.pixels[chosen]).permute(0, 3, 1, 2).float()
    figures = torch.from_numpy(samples.figures[chosen]).float()
    shift = torch.from_numpy(samples.shift[chosen])
    label = torch.from_numpy(samples.label[chosen])
    layout = torch.from_numpy(samples.layout[chosen])
    if jitter is None:
        view = pixels[:, :, MARGIN : MARGIN + patch[1], MARGIN : MARGIN + patch[0]]
        return torch.cat([view, _paint(layouts, layout, figures, shift, patch)], 1), label
    pixels, figures, shift = _flip(pixels, figures, shift, jitter.spin)
    view = _moved(pixels, patch, jitter)
    shift = shift + torch.randn_like(shift) * 0.7
    painted = _paint(layouts, layout, figures, shift, patch)
    view, painted = _other_light(view, painted)
    return torch.cat([view, painted], 1), label


def coarse(x: Tensor, patch: tuple[int, int]) -> Tensor:
    """Network input (B, 7, h, w) in the pixels of a smaller patch: the photo's are averaged, the print's picked."""
    fold = x.shape[3] // patch[0]
    if fold == 1:
        return x
    return torch.cat([functional.avg_pool2d(x[:, :3], fold), x[:, 3:, ::fold, ::fold]], 1)


def cover(x: Tensor, label: Tensor, share: float) -> tuple[Tensor, Tensor]:
    """Lays a card, a book or a hand over a share of the samples, whose label becomes HIDDEN, or UNSURE if little is hidden.

    A cover is a smooth colour, or a piece of another picture, up to an edge that may run through the patch.
    """
    count = round(len(x) * share)
    height, width = x.shape[2:]
    across = torch.linspace(-1, 1, width)[None, None] * (width / height)
    down = torch.linspace(-1, 1, height)[None, :, None]
    way = uniform(count, 0, 6.2832)[:, None, None]
    edge = torch.cos(way) * across + torch.sin(way) * down + uniform(count, -0.5, 2.5)[:, None, None]
    mask = (edge * height / 3).clamp(0, 1)[:, None]
    plain = torch.rand(count, 3, 1, 1) * 255 + torch.randn(count, 3, 6, 8) * uniform(count, 0, 30)[:, None, None, None]
    plain = functional.interpolate(plain, (height, width), mode="bicubic")
    other = x[torch.randint(len(x), (count,)), :3].flip(2).roll((height // 2, width // 2), (2, 3))
    other = other[:, torch.randperm(3)] * uniform(count, 0.5, 1.5)[:, None, None, None]
    look = torch.where((torch.rand(count) < 0.6)[:, None, None, None], plain, other).clamp(0, 255)
    x, label = x.clone(), label.clone()
    x[-count:, :3] = x[-count:, :3] * (1 - mask) + look * mask
    middle = mask[:, 0, height * 3 // 10 : height * 7 // 10, width // 6 : width * 5 // 6].mean((1, 2))
    label[-count:] = torch.where(middle > 0.6, HIDDEN, torch.where(middle > 0.1, UNSURE, label[-count:]))
    return x, label


def _flip(pixels: Tensor, figures: Tensor, shift: Tensor, spin: bool) -> tuple[Tensor, Tensor, Tensor]:
    count = len(pixels)
    along, across = torch.rand(count) < 0.5, torch.rand(count) < 0.5
    pixels = torch.where(along[:, None, None, None], pixels.flip(3), pixels)
    pixels = torch.where(across[:, None, None, None], pixels.flip(2), pixels)
    sign = torch.stack([1 - 2 * along.float(), 1 - 2 * across.float()], 1)
    shift = shift * sign
    if not spin:
        figures = torch.where(along[:, None, None], figures[:, FLIP_ALONG], figures)
        figures = torch.where(across[:, None, None], figures[:, FLIP_ACROSS], figures)
    return pixels, figures, shift


def _moved(pixels: Tensor, patch: tuple[int, int], jitter: Jitter) -> Tensor:
    count, _, height, width = pixels.shape
    angle = torch.randn(count) * jitter.turn
    zoom = torch.exp(torch.randn(count) * jitter.scale)
    move = torch.randn(count, 2) * jitter.move
    cos, sin = torch.cos(angle) * zoom, torch.sin(angle) * zoom
    x = (torch.arange(patch[0]) - (patch[0] - 1) / 2).expand(patch[1], -1)
    y = (torch.arange(patch[1]) - (patch[1] - 1) / 2)[:, None].expand(-1, patch[0])
    across = cos[:, None, None] * x - sin[:, None, None] * y + move[:, 0, None, None]
    down = sin[:, None, None] * x + cos[:, None, None] * y + move[:, 1, None, None]
    grid = torch.stack([across * 2 / (width - 1), down * 2 / (height - 1)], -1)
    return functional.grid_sample(pixels, grid, "bilinear", "reflection", align_corners=True)


def _paint(layouts: Tensor, layout: Tensor, figures: Tensor, shift: Tensor, patch: tuple[int, int]) -> Tensor:
    count = len(layout)
    moved = shift.round().long().clamp(-MOST_SHIFT, MOST_SHIFT)
    x = torch.arange(patch[0])[None, None] + MOST_SHIFT - moved[:, 0, None, None]
    y = torch.arange(patch[1])[None, :, None] + MOST_SHIFT - moved[:, 1, None, None]
    region = layouts[layout[:, None, None], y, x].view(count, -1)
    painted = torch.gather(figures, 1, region[..., None].expand(-1, -1, 4))
    return painted.permute(0, 2, 1).reshape(count, 4, patch[1], patch[0])


def _softened(view: Tensor, reach: int) -> Tensor:
    """Every pixel becomes the mean of the square around it, `reach` pixels to each side."""
    return functional.avg_pool2d(functional.pad(view, (reach,) * 4, mode="replicate"), 2 * reach + 1, 1)


def _other_light(view: Tensor, painted: Tensor) -> tuple[Tensor, Tensor]:
    count, _, height, width = view.shape
    view = (view / 255).clamp(0.001, 1)
    # What the light fit gets wrong: gain, tint, contrast, a slope across the patch, a shadow's edge, glare.
    gain = torch.exp(torch.randn(count, 1) * 0.12 + torch.randn(count, 3) * 0.05)[:, :, None, None]
    power = torch.exp(torch.randn(count, 1, 1, 1) * 0.10)
    x = torch.linspace(-1, 1, width)[None, None]
    y = torch.linspace(-1, 1, height)[None, :, None] * (height / width)
    direction = uniform(count, 0, 6.2832)[:, None, None]
    ramp = x * torch.cos(direction) + y * torch.sin(direction)
    slope = torch.exp(ramp * (torch.randn(count) * 0.12)[:, None, None])[:, None]
    edge = torch.sigmoid((ramp + uniform(count, -0.6, 0.6)[:, None, None]) * uniform(count, 4, 40)[:, None, None])
    depth = (sometimes(count, 0.25) * uniform(count, 0.1, 0.65))[:, None, None]
    shade = (1 - depth * edge)[:, None]
    view = view**power * gain * slope * shade
    haze = (sometimes(count, 0.16) * uniform(count, 0.05, 0.8))[:, None, None] * torch.sigmoid(ramp * 2)
    view = view + haze[:, None] * (1 - view).clamp(min=0)
    grey = view.mean(1, keepdim=True)
    view = grey + (view - grey) * torch.exp(torch.randn(count, 1, 1, 1) * 0.15)
    # A tint that the print's own picture had, too: it touches both.
    tint = torch.exp(torch.randn(count, 3) * 0.06 + torch.randn(count, 1) * 0.06)[:, :, None, None]
    view = view * tint
    painted = torch.cat([(painted[:, :3] * tint).clamp(0, 255), painted[:, 3:]], 1)
    blurred = _softened(view, 1)
    strength = (sometimes(count, 0.4) * uniform(count, 0, 1))[:, None, None, None]
    sharpen = (sometimes(count, 0.2) * uniform(count, 0, 0.8))[:, None, None, None]
    view = view + (blurred - view) * (strength - sharpen)
    # A shaken phone, for one in five: as far as it can still be read.
    shaken = slice(2 * count // 5, 3 * count // 5)
    once = _softened(_softened(view[shaken], 1), 1)
    twice = _softened(_softened(once, 2), 1)
    view[shaken] = once + (twice - once) * uniform(len(once), 0, 1)[:, None, None, None]
    view = view + torch.randn_like(view) * (torch.rand(count) ** 2 * 0.05)[:, None, None, None]
    painted = painted + torch.randn(count, 4, 1, 1) * 3
    return (view * 255).clamp(0, 255), painted.clamp(0, 255)


Around = list[tuple[str, list[tuple[float, float, float, str]]]]
"""For every space its route, and each space nearby: millimetres along and across, degrees, and that one's route."""


def neighbours(board: Board, reach: float = 36.0) -> Around:
    """What lies around every space of a board, in the axes of that space's patch."""
    frame = Frame.of(board)
    routes = [route.id for route in board.routes.values() for _ in route.spaces]
    centres = frame.spaces[:, :2] * frame.size
    found: Around = []
    for index, (_, _, angle) in enumerate(frame.spaces):
        gap = centres - centres[index]
        close = np.flatnonzero((np.hypot(*gap.T) < reach) & (np.arange(len(gap)) != index))
        cos, sin = np.cos(np.radians(angle)), np.sin(np.radians(angle))
        near = [
            (
                float(gap[k, 0] * cos + gap[k, 1] * sin),
                float(gap[k, 1] * cos - gap[k, 0] * sin),
                float(frame.spaces[k, 2] - angle),
                routes[k],
            )
            for k in close
        ]
        found.append((routes[index], near))
    return found


class Pieces:
    """Wagons cut out of real photos, with soft edges, to be laid on other prints."""

    def __init__(self, samples: Samples, empty: Samples, seed: int) -> None:
        """samples: occupied patches; empty: the flat print's patches, in the same order."""
        self.rng = np.random.default_rng(seed)
        cut = [c for c in (_cut_out(samples, empty, index) for index in range(len(samples))) if c is not None]
        self.pixels = np.stack([c[0] for c in cut])
        self.masks = np.stack([c[1] for c in cut])
        self.shades = np.stack([c[2] for c in cut])
        self.label = np.array([c[3] for c in cut])

    def lay(self, ground: Samples, count: int, steps: NDArray[np.float64], around: Mapping[int, Around]) -> Samples:
        """New samples: empty patches of `ground` with routes of pieces laid on and beside the space.

        steps: millimetres per pixel of every layout; around: the neighbouring spaces of every layout's spaces.
        """
        rng = self.rng
        hard = (ground.printed >= 1) & (ground.printed < IGNORED)
        share = np.where(hard, 3.5, 1.0)
        out = ground.pick(rng.choice(len(ground), count, p=share / share.sum()))
        for index in range(count):
            layout, place = int(out.layout[index]), int(out.place[index])
            step = float(steps[layout])
            pixels = out.pixels[index].astype(np.float32)
            light = np.exp(rng.normal(0, 0.06, 3)).astype(np.float32)
            own, near = around[layout][place]
            claimed = rng.random() < 0.65
            messy = rng.uniform(0.5, 1.8)
            for route in sorted({key for *_, key in near} | {own}):
                if not claimed if route == own else rng.random() < 0.45:
                    continue
                printed = int(out.printed[index])
                alike = printed if printed < IGNORED else WHITE  # on grey, white is the hardest to tell
                known = bool((self.label == alike).any())
                same = route == own and printed > 0 and rng.random() < (0.75 if known and printed < IGNORED else 0.35)
                look = self._any(alike if same else 0)
                label, dyed = int(self.label[look]), None
                if same and not known:
                    label, dyed = self._dye(rng, alike)
                elif not same and rng.random() < 0.25:
                    label, dyed = self._dye(rng)
                if route == own:
                    out.label[index] = label
                lean = rng.normal(0, 1.0 * messy)
                spots = [(x, y, turn) for x, y, turn, key in near if key == route]
                for x, y, turn in [*spots, (0.0, 0.0, 0.0)] if route == own else spots:
                    where = self._spot(rng, step, messy, lean, (x, y, turn))
                    piece = self._any(int(self.label[look]))
                    pixels = self._put(pixels, piece, rng, light, where, dyed)
            out.pixels[index] = np.clip(pixels, 0, 255).astype(np.uint8)
        return out

    @staticmethod
    def _spot(
        rng: np.random.Generator, step: float, messy: float, lean: float, space: tuple[float, float, float]
    ) -> tuple[float, float, float]:
        """Where a piece of a space lies, in pixels from the patch's middle and degrees: seldom just on it."""
        x, y, turn = space
        along, across, askew = rng.normal(0, 1.2 * messy), lean + rng.normal(0, 0.9 * messy), rng.normal(0, 4 * messy)
        if rng.random() < 0.1:
            across = rng.choice([-1, 1]) * rng.uniform(2.5, 5.5)
        across = float(np.clip(across, -5.5, 5.5))
        cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        return (x + along * cos - across * sin) / step, (y + along * sin + across * cos) / step, askew - turn

    @staticmethod
    def _dye(rng: np.random.Generator, label: int = 0) -> tuple[int, NDArray[np.float32]]:
        """A label and a colour to dye a piece in: white and purple, which no photo shows, and colours of no name."""
        label = label or int(rng.choice([WHITE, PURPLE, IGNORED], p=[0.45, 0.35, 0.2]))
        if label == WHITE:
            return label, (rng.uniform(150, 242) + rng.uniform(-14, 14, 3)).astype(np.float32)
        if label == PURPLE:
            return label, rng.uniform((85, 35, 65), (155, 90, 135)).astype(np.float32)
        return IGNORED, rng.uniform(20, 240, 3).astype(np.float32)

    def _any(self, label: int) -> int:
        found = np.flatnonzero(self.label == label) if label else np.arange(0)
        return int(self.rng.choice(found)) if len(found) else int(self.rng.integers(len(self.label)))

    def _put(
        self,
        pixels: NDArray[np.float32],
        piece: int,
        rng: np.random.Generator,
        light: NDArray[np.float32],
        where: tuple[float, float, float],
        dyed: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        height, width = pixels.shape[:2]
        x, y, angle = where
        turn = cv2.getRotationMatrix2D(
            ((width - 1) / 2, (height - 1) / 2), angle + (180 if rng.random() < 0.5 else 0), rng.uniform(0.95, 1.05)
        )
        turn[:, 2] += (x, y)
        mask = cv2.warpAffine(self.masks[piece], turn, (width, height))[..., None]
        whole = self.pixels[piece]
        if dyed is not None:
            grey = whole.max(2)
            usual = float(np.median(grey[self.masks[piece] > 0.5]))
            whole = np.clip((grey / usual) ** (0.6 if usual < 80 else 1.0), 0, 1.6)[..., None] * dyed
        look = cv2.warpAffine(whole, turn, (width, height), borderMode=cv2.BORDER_REFLECT)
        shade = cv2.warpAffine(self.shades[piece], turn, (width, height), borderValue=1.0)[..., None]
        return np.asarray(pixels * shade * (1 - mask) + look * light * mask, np.float32)


def _cut_out(
    samples: Samples, empty: Samples, index: int
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], int] | None:
    """A piece's pixels, soft mask and shadow, or nothing if its outline is not plain to see."""
    pixels = samples.pixels[index]
    height, width = pixels.shape[:2]
    x, y = samples.shift[index]
    move = np.array([[1, 0, x], [0, 1, y]], np.float64)
    bare = cv2.warpAffine(empty.pixels[index], move, (width, height), borderMode=cv2.BORDER_REFLECT)
    apart = np.abs(cv2.GaussianBlur(pixels, (0, 0), 1).astype(int) - cv2.GaussianBlur(bare, (0, 0), 1)).max(2)
    along = np.abs(np.arange(width) - (width - 1) / 2)[None]
    across = np.abs(np.arange(height) - (height - 1) / 2)[:, None]
    step = 64 * 1.5  # a space's length is 64 / 1.5 pixels
    length = 64 * 64 / step
    near = (along < 0.53 * length) & (across < 0.34 * length)
    seed = (along < 0.3 * length) & (across < 0.12 * length) & (apart > 22)
    if seed.sum() < 40:
        return None
    lab = cv2.cvtColor(cv2.GaussianBlur(pixels, (0, 0), 0.8), cv2.COLOR_BGR2LAB).astype(np.float32)
    usual = np.median(lab[seed], 0)
    spread = np.maximum(1.48 * np.median(np.abs(lab[seed] - usual), 0), (14, 5, 5))
    off = np.sqrt((((lab - usual) / spread) ** 2).sum(2))
    mask = (near & (off < 3.6) & (apart > 14)).astype(np.uint8)
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    if not outlines:
        return None
    outline = max(outlines, key=cv2.contourArea)
    solid = cv2.contourArea(outline)
    outline = cv2.convexHull(outline)
    (cx, cy), sides, angle = cv2.minAreaRect(outline)
    long, short = max(sides), min(sides)
    full = solid / max(1.0, long * short)
    if not (0.78 * length < long < 1.2 * length and 0.2 * length < short < 0.52 * length and full > 0.74):
        return None
    alone = np.zeros_like(mask)
    cv2.drawContours(alone, [outline], -1, 1, -1)
    dark = (pixels.astype(np.float32).mean(2) + 8) / (bare.astype(np.float32).mean(2) + 8)
    shade = np.clip(cv2.GaussianBlur(dark, (0, 0), 2), 0.45, 1.0)
    close = cv2.GaussianBlur(cv2.dilate(alone, np.ones((9, 9), np.uint8)).astype(np.float32), (0, 0), 1.5)
    shade = 1 - (1 - shade) * close
    # Centre and straighten the piece, so that it can be laid anywhere.
    lean = angle if sides[0] >= sides[1] else angle - 90
    lean = (lean + 90) % 180 - 90
    turn = cv2.getRotationMatrix2D((cx, cy), lean, 1.0)
    turn[:, 2] += ((width - 1) / 2 - cx, (height - 1) / 2 - cy)
    soft = cv2.GaussianBlur(alone.astype(np.float32), (0, 0), 0.7)
    return (
        cv2.warpAffine(pixels, turn, (width, height), borderMode=cv2.BORDER_REFLECT).astype(np.float32),
        cv2.warpAffine(soft, turn, (width, height)),
        cv2.warpAffine(shade.astype(np.float32), turn, (width, height), borderValue=1.0),
        int(samples.label[index]),
    )

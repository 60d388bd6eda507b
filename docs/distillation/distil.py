"""Knowledge distillation: a convolutional network learns from games, and the engine's network
learns from it.

    python distil.py teacher POSITIONS TEACHER.pt [--positions 70e6]
    python distil.py student POSITIONS TEACHER.pt NAME.network [--hidden 256] [--positions 600e6]

The network is written to NAME256.network, its floats to NAME256.weights.npz.

POSITIONS is a folder made by random_positions.py. It needs PyTorch, and in practice a GPU. The
teacher is a residual network with squeeze-and-excitation; it learns the winning chances of the
scores and results of games. The student learns its values of random positions, and of those of
games the mean of value and score. Losses are mean squared errors of winning chances.

Ideas: residual networks, He et al. (2015); squeeze-and-excitation, Hu et al. (2017); networks that
evaluate chess positions so, Leela Chess Zero; distillation, Hinton et al. (2015).
"""

import argparse
import json
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from zobra.engine.network_file import BUCKETS, FEATURES, LARGEST_OUTPUT, QB, SCALE
from zobra.train.positions import EMPTY, MAX_PIECES, PACKED
from zobra.train.trainer import LARGEST_WEIGHT, PARTS, Schedule, initial_weights, quantise

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
BLEND, VALIDATION = 0.05, 50  # share of the result in the target; one game in so many is kept out
CHANNELS, BLOCKS, HEAD, LAST = 128, 8, 32, 256
LABEL_BATCH = 32_768
PLACES = (PACKED.fields[name] for name in ("occupied", "pieces", "mirrored"))
OCCUPIED, PIECES, MIRRORED = (
    slice(start, start + kind.itemsize) for kind, start in PLACES
)  # bytes of a packed position
SURE = 0.001  # random positions are left out if the teacher gives one side more than 1 - SURE
BITS, SQUARES = torch.arange(8, dtype=torch.uint8, device=DEVICE), torch.arange(64, device=DEVICE)


class Positions:
    """Packed positions (uint8, shape (n, 32)) on the GPU, with the fields of dtype PACKED."""

    def __init__(self, path: Path) -> None:
        array = np.load(path)
        self.packed = torch.from_numpy(array.view(np.uint8).reshape(-1, array.itemsize)).to(DEVICE)
        self.kept_out = torch.from_numpy(array["game"] % VALIDATION == 0).to(DEVICE)
        self.by_score = torch.sigmoid(
            torch.from_numpy(array["score"] / np.float32(SCALE)).to(DEVICE)
        )
        self.by_result = torch.from_numpy(array["result"] / np.float32(2)).to(DEVICE)

    def target(self) -> Tensor:
        """The winning chances to learn."""
        return (1 - BLEND) * self.by_score + BLEND * self.by_result


def boards(packed: Tensor) -> Tensor:
    """Piece codes, shape (n, 64): the side to move plays upwards, and EMPTY is where no piece
    is.
    """
    taken = (packed[:, OCCUPIED, None] >> BITS & 1).reshape(-1, 64)
    nibbles = torch.stack([packed[:, PIECES] & 15, packed[:, PIECES] >> 4], 2).reshape(
        -1, MAX_PIECES
    )
    codes = nibbles.gather(1, (taken.long().cumsum(1) - 1).clamp(0, MAX_PIECES - 1))
    return torch.where(taken.bool(), codes, EMPTY).long()


def features(codes: Tensor, mirrored: Tensor, side: int, kind: torch.dtype) -> Tensor:
    """The features of one side (0: the side to move), as ones and zeros of shape (n, 768).

    See engine/accumulator.py.
    """
    flip = torch.where(mirrored & 1 << side != 0, 7, 0).long() ^ 56 * side
    present = torch.zeros(len(codes), (EMPTY + 2) * 64, dtype=kind, device=DEVICE)
    return present.scatter_(1, (codes ^ side) * 64 + (SQUARES ^ flip), 1)[:, :FEATURES]


class Block(nn.Module):
    """A residual block with squeeze-and-excitation."""

    def __init__(self) -> None:
        super().__init__()
        first, second = (nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1, bias=False) for _ in range(2))
        self.layers = nn.Sequential(
            first, nn.BatchNorm2d(CHANNELS), nn.ReLU(), second, nn.BatchNorm2d(CHANNELS)
        )
        self.gates = nn.Sequential(
            nn.Linear(CHANNELS, CHANNELS // 4), nn.ReLU(), nn.Linear(CHANNELS // 4, 2 * CHANNELS)
        )

    def forward(self, values: Tensor) -> Tensor:
        found = self.layers(values)
        factor, offset = self.gates(found.mean((2, 3)))[:, :, None, None].chunk(2, 1)
        return functional.relu(values + found * torch.sigmoid(factor) + offset)


class Evaluator(nn.Module):
    """A network from packed positions to winning chances of the side to move.

    It is trained in batches of `batch`.
    """

    batch: int

    def keep_in_range(self) -> None:
        """Called after each step of the training."""


class Teacher(Evaluator):
    """The residual network."""

    batch = 8_192

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(FEATURES // 64, CHANNELS, 3, padding=1, bias=False),
            nn.BatchNorm2d(CHANNELS),
            nn.ReLU(),
            *(Block() for _ in range(BLOCKS)),
            nn.Conv2d(CHANNELS, HEAD, 1, bias=False),
            nn.BatchNorm2d(HEAD),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(HEAD * 64, LAST),
            nn.ReLU(),
            nn.Linear(LAST, 1),
        )

    def forward(self, packed: Tensor) -> Tensor:
        present = features(boards(packed), packed[:, MIRRORED], 0, torch.bfloat16)
        planes = present.reshape(-1, FEATURES // 64, 8, 8).to(memory_format=torch.channels_last)
        with torch.autocast(DEVICE, torch.bfloat16):
            return torch.sigmoid(self.layers(planes)[:, 0].float())


class Student(Evaluator):
    """The engine's network in floats (see train/trainer.py)."""

    batch = 16_384

    def __init__(self, hidden: int, seed: int) -> None:
        super().__init__()
        start = initial_weights(hidden, seed)[0]
        for name in PARTS:
            self.register_parameter(name, nn.Parameter(torch.from_numpy(start[name].copy())))

    def forward(self, packed: Tensor) -> Tensor:
        codes = boards(packed)
        bucket = ((codes != EMPTY).sum(1, keepdim=True) - 1) * BUCKETS // MAX_PIECES
        total = self.output_bias.expand(len(packed), BUCKETS)
        for side in range(2):
            neurons = (
                features(codes, packed[:, MIRRORED], side, torch.float32) @ self.rows + self.bias
            )
            total = total + neurons.clamp(0, 1).square() @ self.output[:, side].T
        return torch.sigmoid(total.gather(1, bucket)[:, 0])

    def keep_in_range(self) -> None:
        """Clip the weights to what the integers of the engine can hold."""
        with torch.no_grad():
            self.rows.clamp_(-LARGEST_WEIGHT, LARGEST_WEIGHT)
            self.bias.clamp_(-LARGEST_WEIGHT, LARGEST_WEIGHT)
            self.output.clamp_(-LARGEST_OUTPUT / QB, LARGEST_OUTPUT / QB)


def batches(count: int, size: int) -> Iterator[Tensor]:
    """Random batches of the indices below `count` without end; each index at most once in an
    epoch.
    """
    while True:
        yield from torch.randperm(count, device=DEVICE)[: count // size * size].split(size)


@torch.no_grad()
def values_of(model: nn.Module, packed: Tensor) -> Tensor:
    """What a network says of positions, in batches of one size."""
    model.eval()
    found = []
    for part in packed.split(LABEL_BATCH):
        filled = torch.cat([part, part[:1].expand(LABEL_BATCH - len(part), -1)])
        found.append(model(filled)[: len(part)])
    model.train()
    return torch.cat(found)


def learn(
    model: Evaluator, packed: Tensor, target: Tensor, count: float, schedule: Schedule
) -> None:
    """Train on `count` random ones of these positions and their winning chances."""
    work = torch.compile(
        lambda index: functional.mse_loss(model(packed[index]), target[index]),
        disable=DEVICE == "cpu",
    )
    optimiser = torch.optim.AdamW(
        model.parameters(), lr=schedule.rate, weight_decay=schedule.decay, fused=DEVICE == "cuda"
    )
    steps, began = int(count) // model.batch, time.perf_counter()
    for step, index in enumerate(islice(batches(len(packed), model.batch), steps)):
        optimiser.param_groups[0]["lr"] = schedule.rate_at(step, steps)
        optimiser.zero_grad()
        loss = work(index)
        loss.backward()
        optimiser.step()
        model.keep_in_range()
        if (step + 1) % max(1, steps // 10) == 0:
            speed = (step + 1) * model.batch / (time.perf_counter() - began)
            print(
                f"{step + 1} of {steps} steps, {speed:,.0f} positions/s, loss {loss.item():.6f}",
                flush=True,
            )


def validate(model: nn.Module, games: Positions) -> dict[str, float]:
    """Losses on the games kept out, as the header of a network has them."""
    values, kept_out = values_of(model, games.packed[games.kept_out]), games.kept_out
    targets = {"loss": games.target(), "score": games.by_score, "result": games.by_result}
    return {
        name: round(functional.mse_loss(values, target[kept_out]).item(), 6)
        for name, target in targets.items()
    }


def train_teacher(options: argparse.Namespace) -> None:
    """Train a teacher on the positions of games, and write it."""
    games, teacher = (
        Positions(options.folder / "games.npy"),
        Teacher().to(DEVICE, memory_format=torch.channels_last),
    )
    if options.start:
        teacher.load_state_dict(torch.load(options.start, map_location=DEVICE))
    learning = ~games.kept_out
    learn(
        teacher,
        games.packed[learning],
        games.target()[learning],
        options.positions,
        Schedule(rate=options.rate, decay=0.02),
    )
    print(f"teacher: {validate(teacher, games)}")
    torch.save(teacher.state_dict(), options.teacher)


def train_student(options: argparse.Namespace) -> None:
    """Label the positions by the teacher, train the engine's network on them, and write it with its
    float weights.
    """
    games, others = (Positions(options.folder / f"{name}.npy") for name in ("games", "random"))
    teacher = Teacher().to(DEVICE, memory_format=torch.channels_last)
    teacher.load_state_dict(torch.load(options.teacher, map_location=DEVICE))
    model = torch.compile(teacher, disable=DEVICE == "cpu")
    by_teacher, values = values_of(model, games.packed), values_of(model, others.packed)
    target = (1 - BLEND) * (games.by_score + by_teacher) / 2 + BLEND * games.by_result
    usable = ~others.kept_out & ((values - 0.5).abs() < 0.5 - SURE)
    packed = torch.cat([games.packed[~games.kept_out], others.packed[usable]])
    target = torch.cat([target[~games.kept_out], values[usable]])
    facts = {
        "teacher": validate(teacher, games),
        "positions": len(games.packed),
        "random": int(usable.sum()),
    }
    print(facts, flush=True)
    for hidden in options.hidden:
        student = Student(hidden, seed=1).to(DEVICE)
        learn(student, packed, target, options.positions, Schedule(rate=options.rate))
        validation = validate(student, games)
        print(f"{hidden}: {validation}", flush=True)
        weights = initial_weights(hidden, 1)
        for name in PARTS:
            weights[name][0] = getattr(student, name).detach().cpu().numpy()
        path = options.network.with_stem(f"{options.network.stem}{hidden}")
        np.savez(path.with_suffix(".weights.npz"), weights=weights)
        learned = {"targets": options.positions, "rate": options.rate, "validation": validation}
        path.write_bytes(quantise(weights[0], {**options.facts, **facts, **learned}).to_bytes())


def main() -> None:
    """Train a teacher or a student."""
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(1)
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    for name, work, positions, rate in (
        ("teacher", train_teacher, 70e6, 1.5e-3),
        ("student", train_student, 600e6, 2e-3),
    ):
        command = commands.add_parser(name)
        command.set_defaults(work=work)
        command.add_argument("folder", type=Path)
        command.add_argument("teacher", type=Path)
        if work is train_student:
            command.add_argument("network", type=Path, help="its width is added to the name")
            command.add_argument("--hidden", type=int, nargs="+", default=[256])
            command.add_argument(
                "--facts", type=json.loads, default={}, help="JSON for the header of the network"
            )
        else:
            command.add_argument("--start", type=Path, help="a teacher to begin with")
        command.add_argument(
            "--positions", type=float, default=positions, help="to learn from, counted each time"
        )
        command.add_argument("--rate", type=float, default=rate)
    options = parser.parse_args()
    options.work(options)


if __name__ == "__main__":
    main()

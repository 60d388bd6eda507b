"""The chain from nothing to a network that has proved itself: play, check, train, make whole numbers, verify, measure, match.

Everything lies in one folder: a set of games for each recipe, and NAME.network with NAME.weights.npz and NAME.png beside it.
"""

from __future__ import annotations

import io
import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import chess.pgn
import numpy as np
from rich.console import Console

from zobra.engine.network import BUILT_IN, Network, install, read_network
from zobra.engine.position import TABLES_RECORD
from zobra.train import display
from zobra.train.check import check_data
from zobra.train.games import data_digest, read_sets, write_atomically
from zobra.train.generate import Generation
from zobra.train.positions import load_positions
from zobra.train.quantise import quantise
from zobra.train.recipe import BUILT_IN_NAME, Recipe
from zobra.train.trainer import Trainer
from zobra.train.verify import verify

VERIFIED_POSITIONS = 2_000
BENCH_NODES = 200_000
DIGEST_SHOWN = 8  # characters of a network's digest in the name of its match
INTERRUPTED = 130  # the exit status of a match that Ctrl-C ended
STOPPED = "interrupted: the same command goes on from here"
SMALLEST_SHARE = 0.6  # of the piece-square engine's speed that the network's has to reach


class Unfit(RuntimeError):
    """A step found a fault that makes going on useless; the message says which."""


@contextmanager
def playing_with(network: Network | None) -> Iterator[None]:
    """The engine's tables hold this network for a while."""
    before = TABLES_RECORD["network"].copy()
    if network is not None:
        install(network, TABLES_RECORD["network"])
    try:
        yield
    finally:
        TABLES_RECORD["network"] = before


class Chain:
    """The steps of a recipe, in `folder`; each can be run alone, and leaves a file or raises Unfit."""

    def __init__(self, recipe: Recipe, folder: Path, console: Console, workers: int) -> None:
        self.recipe, self.folder, self.workers = recipe, folder, workers
        self._console = console

    @property
    def network_path(self) -> Path:
        """The file that comes out."""
        return self.folder / f"{self.recipe.name}.network"

    @property
    def sets(self) -> list[Path]:
        """The folders of all games that are trained on."""
        return [self.folder / name for name in (self.recipe.name, *self.recipe.data.also)]

    def opponent(self) -> Path | None:
        """The network whose games are learned from, and that the new one has to beat; None: the piece-square values."""
        name = self.recipe.data.network
        if name == BUILT_IN_NAME:
            return BUILT_IN
        return self.folder / f"{name}.network" if name else None

    def play(self) -> None:
        """Make the games that are missing; DataError, before any is played, where those of another set are."""
        read_sets(self.sets[1:])
        plan, path = self.recipe.data, self.opponent()
        network = read_network(path) if path else None
        with playing_with(network):
            digest = network.digest if network else ""
            folder = self.folder / self.recipe.name
            generation = Generation(folder, plan.games, plan.rules, plan.seed, self.workers, digest)
            display.play_games(self._console, generation)
        if generation.stopping.is_set():
            raise Unfit(STOPPED)

    def check(self) -> None:
        """Are the games fit to learn from?"""
        paths = read_sets(self.sets)
        with display.bar(self._console) as progress:
            task = progress.add_task("check", total=len(paths))
            report = check_data(paths, self.recipe.filter, lambda: progress.advance(task))
        display.describe(self._console, report)
        if faults := report.faults():
            raise Unfit("; ".join(faults))

    def train(self) -> None:
        """Train, and write the float weights, the plot and the network."""
        recipe, paths = self.recipe, read_sets(self.sets)
        with display.bar(self._console) as progress:
            task = progress.add_task("load", total=len(paths))
            positions, games = load_positions(paths, recipe.filter, lambda: progress.advance(task))
        trainer = Trainer(positions, recipe.hidden, recipe.training, self.workers)
        table = display.LossTable(self._console, recipe.training.epochs)
        errors = table.show(trainer.run)
        facts = {
            "recipe": recipe.facts(),
            "data": data_digest(paths),
            "games": games,
            "positions": len(positions),
            "validation": {"loss": round(errors.loss, 6), "score": round(errors.score, 6), "result": round(errors.result, 6)},
        }
        self._write(quantise(trainer.weights[0], facts), trainer)
        self._plot(table)

    def _write(self, network: Network, trainer: Trainer) -> None:
        """The network comes last: where it is, what it is verified by is, too."""
        kept = io.BytesIO()
        np.savez(kept, weights=trainer.weights, sample=trainer.positions[trainer.validation[:VERIFIED_POSITIONS]])
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self.network_path.with_suffix(".weights.npz"), kept.getvalue())
        write_atomically(self.network_path, network.to_bytes())
        facts = {**network.header, "recipe": self.recipe.name, "bytes": self.network_path.stat().st_size}
        self._console.print(f"{self.network_path}: {json.dumps(facts)}", soft_wrap=True)

    def _plot(self, table: display.LossTable) -> None:
        try:
            if not table.plot(self.network_path.with_suffix(".png")):
                self._console.print("no plot: matplotlib is not installed")
        except OSError as error:
            self._console.print(f"no plot: {error}")  # which is no reason not to verify the network

    def verify(self) -> None:
        """Does the file mean the same to the kernels, to plain arithmetic and to the floats?"""
        network = read_network(self.network_path)
        with np.load(self.network_path.with_suffix(".weights.npz")) as kept:
            weights, sample = kept["weights"], kept["sample"]
        findings = verify(network, weights[0], sample)
        self._console.print(f"verified: {findings}", soft_wrap=True)
        if faults := findings.faults():
            kept_apart = self.network_path.replace(self.network_path.with_suffix(".unfit"))  # no other step may take it
            raise Unfit("; ".join([*faults, f"the network is now {kept_apart}"]))

    def bench(self) -> None:
        """Nodes a second with the network and with piece-square values."""
        from zobra.train.bench import nodes_per_second

        with playing_with(read_network(self.network_path)):
            speeds = {use: nodes_per_second(use, BENCH_NODES) for use in (0, 1)}
        share = speeds[1] / speeds[0]
        self._console.print(f"{speeds[1]:,.0f} nodes/s; {share:.0%} of the {speeds[0]:,.0f} with piece-square values")
        if share < SMALLEST_SHARE:
            self._console.print(f"slower than expected: {SMALLEST_SHARE:.0%}")

    def gate(self) -> None:
        """A match at a time control against what played the games, by `zobra match`."""
        gate, opponent, opposing = self.recipe.gate, self.opponent(), f"before-{self.recipe.name}"
        digests = [read_network(path).digest[:DIGEST_SHOWN] if path else "pieces" for path in (self.network_path, opponent)]
        folder = self.folder / "-".join([self.recipe.name, "gate", *digests])  # another network is another match
        command = [sys.executable, "-m", "zobra.uci", "match"]
        engine = shlex.join([sys.executable, "-m", "zobra.uci"])
        command += [f"{self.recipe.name}={engine}", f"{opposing}={engine} --tunable"]
        command += ["--option", f"{self.recipe.name}:EvalFile={self.network_path}"]
        command += ["--option", f"{opposing}:EvalFile={opponent}" if opponent else f"{opposing}:use_network=0"]
        command += ["--tc", gate.time_control, "--games", str(gate.games), "--folder", str(folder)]
        command += ["--concurrency", str(self.workers)]
        if (status := exit_status(command)) == INTERRUPTED:
            raise Unfit(STOPPED)
        if status:
            raise Unfit(f"the match could not be played to its end (exit {status}); see {folder}")
        share, needed = points_share(folder / "games.pgn", self.recipe.name), 1 / (1 + 10 ** (-gate.least_elo / 400))
        self._console.print(f"{self.recipe.name} has {share:.1%} of the points; {needed:.1%} are needed")
        if share < needed:
            raise Unfit(f"{self.recipe.name} is not strong enough: {share:.1%} of the points, {needed:.1%} are needed")

    def run(self) -> None:
        """All steps."""
        steps = (self.play, self.check, self.train, self.verify, self.bench, self.gate)
        for number, step in enumerate(steps, 1):
            self._console.rule(f"{number} of {len(steps)}: {step.__name__}")
            step()


def exit_status(command: list[str]) -> int:
    """Run a command to its end; Ctrl-C, which the terminal sends to it as well, leaves it the time that it needs to end."""
    with subprocess.Popen(command) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue


def points_share(pgn: Path, name: str) -> float:
    """The share of the points of a match's games that an engine has won."""
    worth = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
    points = []
    with pgn.open() as games:
        while headers := chess.pgn.read_headers(games):
            if headers["Result"] in worth:
                white = worth[headers["Result"]]
                points.append(white if headers["White"] == name else 1 - white)
    return sum(points) / max(1, len(points))

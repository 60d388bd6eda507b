"""The pipeline from nothing to a tested network: play, check, train, quantise, verify, bench, match.

All files lie in one folder: the games of each recipe in a folder of its name, and NAME.network, NAME.weights.npz and NAME.png.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import numpy as np
from rich.console import Console

from zobra.arena.clock import TimeControl
from zobra.engine.network_file import BUILT_IN, HIDDEN, Network, read_network
from zobra.train import display, gate
from zobra.train.check import check_data
from zobra.train.games import data_digest, load_positions, read_sets, shards, write_atomically
from zobra.train.generate import GAMES_A_SHARD, Generation, SelfPlayer
from zobra.train.quantise import quantise
from zobra.train.recipe import BUILT_IN_NAME, Recipe
from zobra.train.trainer import Trainer
from zobra.train.verify import verify

VERIFIED_POSITIONS = 2_000
BENCH_NODES = 200_000
DIGEST_SHOWN = 8  # characters of a network's digest in the name of its match
STOPPED = "interrupted; the same command resumes here"
EXPECTED_SPEED = 0.6  # share of the speed with piece-square values
SAMPLE, POSITIONS_A_GAME, MOVE_SECONDS = 4, 75, 0.01  # of the estimate
MULTIPLICATIONS_A_SECOND = 1.1e8  # positions times neurons that a thread learns from


class StepFailed(RuntimeError):
    """A step found a fault, so that the next steps make no sense; the message names it."""


class Pipeline:
    """The steps of a recipe in `folder`. Each can run alone, and writes its files or raises StepFailed."""

    def __init__(self, recipe: Recipe, folder: Path, console: Console, workers: int) -> None:
        self.recipe, self.folder, self.workers = recipe, folder, workers
        self._console = console

    @property
    def network_path(self) -> Path:
        """The file of the network."""
        return self.folder / f"{self.recipe.name}.network"

    @property
    def sets(self) -> list[Path]:
        """The folders of all games to train on."""
        return [self.folder / name for name in (self.recipe.name, *self.recipe.data.also)]

    def opponent(self) -> Path | None:
        """The network that plays the games and that the new one has to beat; None: the piece-square values."""
        name = self.recipe.data.network
        if name == BUILT_IN_NAME:
            return BUILT_IN
        return self.folder / f"{name}.network" if name else None

    def play(self) -> None:
        """Play the missing games. DataError, before any is played, if another set of the recipe has none."""
        read_sets(self.sets[1:])
        plan, path = self.recipe.data, self.opponent()
        network = read_network(path) if path else None
        with gate.network_installed(network):
            digest = network.digest if network else ""
            folder = self.folder / self.recipe.name
            generation = Generation(folder, plan.games, plan.rules, plan.seed, self.workers, digest)
            display.play_games(self._console, generation)
        if generation.stopping.is_set():
            raise StepFailed(STOPPED)

    def check(self) -> None:
        """Check the games."""
        paths = read_sets(self.sets)
        with display.bar(self._console) as progress:
            task = progress.add_task("check", total=len(paths))
            report = check_data(paths, self.recipe.filter, lambda: progress.advance(task))
        display.describe(self._console, report)
        if faults := report.faults():
            raise StepFailed("; ".join(faults))

    def train(self) -> None:
        """Train; write the float weights, the network and the plot."""
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
        table.plot(self.network_path.with_suffix(".png"))

    def _write(self, network: Network, trainer: Trainer) -> None:
        """Write the network last: where it exists, the files to verify it exist too."""
        kept = io.BytesIO()
        np.savez(kept, weights=trainer.weights, sample=trainer.positions[trainer.validation[:VERIFIED_POSITIONS]])
        write_atomically(self.network_path.with_suffix(".weights.npz"), kept.getvalue())
        write_atomically(self.network_path, network.to_bytes())
        facts = {**network.header, "recipe": self.recipe.name, "bytes": self.network_path.stat().st_size}
        self._console.print(f"{self.network_path}: {json.dumps(facts)}", soft_wrap=True)

    def verify(self) -> None:
        """Compare the network file with the float weights, and the kernels with plain arithmetic; then measure its speed.

        Where the network has another width than this process's kernels, a process with that network built in does it.
        """
        if read_network(self.network_path, any_width=True).hidden != HIDDEN:
            engine = [sys.executable, "-m", "zobra.uci", "--network", str(self.network_path)]
            command = [*engine, "train", "verify", str(self.recipe.path), "--folder", str(self.folder)]
            if subprocess.run(command, check=False).returncode:
                raise StepFailed(f"{self.network_path} could not be verified")
            return
        network = read_network(self.network_path)
        with np.load(self.network_path.with_suffix(".weights.npz")) as kept:
            weights, sample = kept["weights"], kept["sample"]
        findings = verify(network, weights[0], sample)
        self._console.print(f"verified: {findings}", soft_wrap=True)
        if faults := findings.faults():
            rejected = self.network_path.replace(self.network_path.with_suffix(".rejected"))  # no other step may use it
            raise StepFailed("; ".join([*faults, f"the network is now {rejected}"]))
        with gate.network_installed(network):
            by_pieces, by_network = (gate.nodes_per_second(use, BENCH_NODES) for use in (0, 1))
        share = by_network / by_pieces
        self._console.print(f"{by_network:,.0f} nodes/s; {share:.0%} of the {by_pieces:,.0f} with piece-square values")
        if share < EXPECTED_SPEED:
            self._console.print(f"slower than expected: {EXPECTED_SPEED:.0%}")

    def gate(self) -> None:
        """Play a match at a time control against the engine that played the games."""
        name, plan, opponent = self.recipe.name, self.recipe.gate, self.opponent()
        engines = gate.zobra_with(name, self.network_path), gate.zobra_with(f"before-{name}", opponent)
        digests = [
            read_network(path, any_width=True).digest[:DIGEST_SHOWN] if path else "pieces"
            for path in (self.network_path, opponent)
        ]
        folder = self.folder / "-".join([name, "gate", *digests])  # another network is another match
        try:
            share = gate.play_match(self._console, folder, engines, plan.time_control, plan.games, self.workers)
        except (ValueError, RuntimeError) as error:
            raise StepFailed(f"the match in {folder} failed: {error}") from error
        if share is None:
            raise StepFailed(STOPPED)
        needed = 1 / (1 + 10 ** (-plan.least_elo / 400))
        self._console.print(f"{name} scored {share:.1%}; {needed:.1%} is needed")
        if share < needed:
            raise StepFailed(f"{name} is not strong enough: it scored {share:.1%}, and {needed:.1%} is needed")

    def estimate(self) -> float:
        """Seconds that all steps take, from the time of a few games; a rough estimate."""
        plan, path = self.recipe.data, self.opponent()
        network = read_network(path) if path else None
        with gate.network_installed(network):
            player = SelfPlayer(plan.rules, plan.seed, {"use_network": int(bool(network))})
            player.play(0)  # the first game links the kernels
            began = time.perf_counter()
            for number in range(1, SAMPLE + 1):
                player.play(number)
            game = (time.perf_counter() - began) / SAMPLE
        there = len(shards(self.folder / self.recipe.name)) * GAMES_A_SHARD
        steps = plan.games * POSITIONS_A_GAME * self.recipe.training.epochs
        match = self.recipe.gate.games * 2 * TimeControl.parse(self.recipe.gate.time_control).side_seconds(MOVE_SECONDS)
        work = max(0, plan.games - there) * game + steps * self.recipe.hidden / MULTIPLICATIONS_A_SECOND + match
        return work / self.workers

    def run(self) -> None:
        """All steps."""
        about = timedelta(seconds=max(1, round(self.estimate())))
        self._console.print(f"all steps take about {about} (h:mm:ss) with {self.workers} threads")
        steps = (self.play, self.check, self.train, self.verify, self.gate)
        for number, step in enumerate(steps, 1):
            self._console.rule(f"{number} of {len(steps)}: {step.__name__}")
            step()

"""The pipeline from nothing to a tested network: play, check, train, quantise, verify, bench,
match.

All files lie in one folder: the games of each recipe in a folder of its name, and NAME.network,
NAME.weights.npz, NAME.png and NAME.DIGEST.positions (see position_file).
"""

import hashlib
import io
import json
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn, track

from zobra.arena.commands.options import GameOptions
from zobra.arena.commands.runs import play
from zobra.arena.formats.files import read_json
from zobra.arena.model.clock import TimeControl
from zobra.arena.model.engines import EngineSpec
from zobra.engine.network_file import BUILT_IN, Network, read_network
from zobra.train.first_network import first_network
from zobra.train.games import (
    SETTINGS,
    check_data,
    count_games,
    read_sets,
    shards,
    write_atomically,
)
from zobra.train.generate import GAMES_A_SHARD, Generation, SelfPlayer, Tally
from zobra.train.position_file import (
    digest_of,
    map_positions,
    position_path,
    remove_stale,
    write_positions,
)
from zobra.train.recipe import BUILT_IN_NAME, FIRST_NAME, Recipe
from zobra.train.trainer import (
    Errors,
    Trainer,
    initial_weights,
    quantise,
    restore_centipawns,
    verify,
    weights_of,
)

ZOBRA = (sys.executable, "-m", "zobra.cli")
SEED = 1  # of the random openings of the match
VERIFIED_POSITIONS, SCALED_POSITIONS = 2_000, 20_000
DIGEST_SHOWN = 8  # characters of a network's digest in the name of its match
STOPPED = "interrupted; the same command resumes here"
SAMPLE, POSITIONS_A_GAME, MOVE_SECONDS = 4, 75, 0.01  # of the estimate
MULTIPLICATIONS_A_SECOND = 1.1e8  # positions times neurons that a thread learns from


def bar(console: Console, *columns: str) -> Progress:
    """A progress bar with further text columns, by field name."""
    texts = (TextColumn(f"{{task.fields[{name}]}}") for name in columns)
    return Progress(*Progress.get_default_columns(), MofNCompleteColumn(), *texts, console=console)


def train_and_plot(console: Console, trainer: Trainer, plot: Path) -> Errors:
    """Train with a line for each epoch, and plot the losses at the end; the final errors."""
    console.print("epoch  positions/s  training  validation  of scores  of results")
    reports = []
    with bar(console, "loss") as progress:
        task = progress.add_task("train", total=trainer.schedule.epochs, loss="")

        def show(epoch: float, speed: float, training: Errors, validation: Errors | None) -> None:
            progress.update(task, completed=epoch, loss=f"{training.loss:.5f}")
            if validation is not None:
                reports.append((epoch, training.loss, validation.loss))
                values = (
                    f"{validation.loss:11.5f} {validation.score:10.5f} {validation.result:11.5f}"
                )
                console.print(f"{epoch:5.0f} {speed:12,.0f}  {training.loss:8.5f} {values}")

        errors = trainer.run(show)
    try:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 5))
        axes = figure.add_subplot(
            xlabel="epoch", ylabel="mean squared error", yscale="log", title=plot.stem
        )
        epochs, *losses = zip(*reports, strict=True)
        for label, values in zip(("training", "validation"), losses, strict=True):
            axes.plot(epochs, values, label=label)
        axes.legend()
        figure.savefig(plot)
    except (ImportError, OSError) as error:  # the network is not the worse for it
        console.print(f"no plot: {error}")
    return errors


class Pipeline:
    """The steps of a recipe in `folder`.

    Each can run alone; it writes its files, or raises RuntimeError that names a fault.
    """

    def __init__(self, recipe: Recipe, folder: Path, console: Console, workers: int) -> None:
        self.recipe = recipe
        self.folder = folder
        self.workers = workers
        self.network_path = folder / f"{recipe.name}.network"
        self.sets = [folder / name for name in (recipe.name, *recipe.data.also)]  # to train on
        self.opponent = self._path_of(recipe.data.network)  # plays the games
        self._console = console

    def _path_of(self, name: str) -> Path:
        """Return the file of a network that the recipe names."""
        if name == BUILT_IN_NAME:
            return BUILT_IN
        return self.folder / f"{name}.network"

    def _read_opponent(self) -> Network:
        """Return the network that plays the games; the first one of all is written if need be."""
        if self.recipe.data.network == FIRST_NAME:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomically(self.opponent, first_network().to_bytes())
        return read_network(self.opponent)

    def _first_weights(self) -> np.ndarray:
        """Return what training begins with."""
        recipe = self.recipe
        if not recipe.start:
            return initial_weights(recipe.hidden, recipe.training.seed)
        path = self._path_of(recipe.start)
        start = read_network(path)
        if start.hidden != recipe.hidden:
            raise RuntimeError(
                f"training to {recipe.hidden} neurons cannot start from {path}: it has "
                f"{start.hidden}"
            )
        return weights_of(start)

    def play(self) -> None:
        """Play the missing games.

        An error, before any is played, if another set has none or training could not begin.
        """
        read_sets(self.sets[1:])
        self._first_weights()
        network = self._read_opponent()
        generation = Generation(self.sets[0], self.recipe.data, self.workers, network)
        with bar(self._console, "speed", "results") as progress:
            task = progress.add_task("games", total=generation.games_missing, speed="", results="")

            def show(tally: Tally) -> None:
                speed = (
                    f"{tally.plies / max(1e-9, progress.tasks[0].elapsed or 0):,.0f} positions/s"
                )
                results = "+{} ={} -{}".format(*(tally.results[result] for result in (2, 1, 0)))
                progress.update(task, completed=tally.games, speed=speed, results=results)

            tally = generation.run(show)
        before = f", {tally.shards_before} shards existed before" if tally.shards_before else ""
        self._console.print(f"{tally.games} games, {tally.plies} positions made{before}")
        if generation.stopping.is_set():
            kept = f"{tally.kept} of these {tally.games} games are kept, in whole shards"
            raise KeyboardInterrupt(f"{STOPPED}: {kept}")

    def check(self) -> None:
        """Check the games."""
        paths = read_sets(self.sets)
        shown = track(paths, "check", console=self._console)
        report = check_data(shown, self.recipe.filter, count_games(paths))
        self._console.print(report.table())
        if faults := report.faults():
            raise RuntimeError("; ".join(faults))

    def _positions(self, paths: list[Path], sums: list[str]) -> np.ndarray:
        """The positions to learn from; their file is written if it is not there yet, and replaces
        those of other games.
        """
        name = self.recipe.name
        file = position_path(self.folder, name, sums, self.recipe.filter)
        remove_stale(file, name)
        if not file.exists():
            write_positions(file, track(paths, "load", console=self._console), self.recipe.filter)
        return map_positions(file)

    def train(self) -> None:
        """Train; write the plot, the float weights and the network.

        Where the network is, all that verifies it is too.
        """
        recipe, paths = self.recipe, read_sets(self.sets)
        sets = [
            read_json(folder / SETTINGS, "the settings of a set", dict) for folder in self.sets
        ]  # who played the games
        weights = self._first_weights()
        sums = [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]
        positions = self._positions(paths, sums)
        trainer = Trainer(positions, weights, recipe.qb, recipe.training, self.workers)
        errors = train_and_plot(self._console, trainer, self.network_path.with_suffix(".png"))
        sample = positions[trainer.validation[:: len(trainer.validation) // SCALED_POSITIONS + 1]]
        factor = restore_centipawns(trainer.weights[0], sample)
        validation = {name: round(getattr(errors, name), 6) for name in ("loss", "score", "result")}
        facts = {
            "recipe": recipe.facts(),
            "sets": sets,
            "data": digest_of(sorted(sums)),  # whatever their place and order
            "games": count_games(paths),
            "positions": len(positions),
        }
        facts |= {"validation": validation, "factor": round(factor, 3)}
        network = quantise(trainer.weights[0], recipe.qb, facts)
        kept = io.BytesIO()
        np.savez(
            kept, weights=trainer.weights, sample=positions[trainer.validation[:VERIFIED_POSITIONS]]
        )
        write_atomically(self.network_path.with_suffix(".weights.npz"), kept.getvalue())
        write_atomically(self.network_path, content := network.to_bytes())
        facts = {**network.header, "recipe": recipe.name, "bytes": len(content)}
        self._console.print(f"{self.network_path}: {json.dumps(facts)}", soft_wrap=True)

    def verify(self) -> None:
        """Compare the network file with the float weights, and the kernels with plain arithmetic;
        then measure its speed.
        """
        network = read_network(self.network_path)
        with np.load(self.network_path.with_suffix(".weights.npz")) as kept:
            findings = verify(network, kept["weights"][0], kept["sample"])
        self._console.print(f"verified: {findings}", soft_wrap=True)
        if faults := findings.faults():
            rejected = self.network_path.replace(
                self.network_path.with_suffix(".rejected")
            )  # no other step may use it
            raise RuntimeError("; ".join([*faults, f"the network is now {rejected}"]))
        command = [*ZOBRA, "--network", str(self.network_path), "bench"]
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            raise RuntimeError(f"`zobra bench` failed with {self.network_path}")
        self._console.print(f"bench: {done.stdout.splitlines()[-1]}")

    def gate(self) -> None:
        """Play a match at a time control against the engine that played the games; it lies in the
        folder, and is resumed.
        """
        name, plan = self.recipe.name, self.recipe.gate
        engines = []
        digests = []
        for engine, path in ((name, self.network_path), (f"before-{name}", self.opponent)):
            engines.append(EngineSpec(engine, (*ZOBRA, "--network", str(path))))
            digests.append(read_network(path).digest[:DIGEST_SHOWN])
        folder = self.folder / "-".join(
            [name, "gate", *digests]
        )  # another network is another match
        options = GameOptions(
            plan.time_control, plan.games, folder=folder, seed=SEED, concurrency=self.workers
        )
        try:
            state = play(self._console, folder, options.settings(engines), options)
            if state.error is not None:
                raise state.error
        except (ValueError, RuntimeError) as error:
            raise RuntimeError(f"the match in {folder} failed: {error}") from error
        if state.interrupted:
            raise KeyboardInterrupt(STOPPED)
        share = state.results.points(name) / state.results.games
        needed = 1 / (1 + 10 ** (-plan.least_elo / 400))
        self._console.print(f"{name} scored {share:.1%}; {needed:.1%} is needed")
        if share < needed:
            raise RuntimeError(
                f"{name} is not strong enough: it scored {share:.1%}, and {needed:.1%} is needed"
            )

    def run(self) -> None:
        """All steps, after a rough estimate of their time from that of a few games."""
        plan, training, match = self.recipe.data, self.recipe.training, self.recipe.gate
        player = SelfPlayer(plan.rules, plan.seed, self._read_opponent())
        player.play(0)  # the first game links the kernels
        began = time.perf_counter()
        for number in range(1, SAMPLE + 1):
            player.play(number)
        missing = max(0, plan.games - len(shards(self.sets[0])) * GAMES_A_SHARD)
        playing = missing * (time.perf_counter() - began) / SAMPLE
        learning = (
            plan.games
            * POSITIONS_A_GAME
            * training.epochs
            * self.recipe.hidden
            / MULTIPLICATIONS_A_SECOND
        )
        testing = match.games * 2 * TimeControl.parse(match.time_control).side_seconds(MOVE_SECONDS)
        about = timedelta(seconds=max(1, round((playing + learning + testing) / self.workers)))
        self._console.print(f"all steps take about {about} (h:mm:ss) with {self.workers} threads")
        steps = (self.play, self.check, self.train, self.verify, self.gate)
        for number, step in enumerate(steps, 1):
            self._console.rule(f"{number} of {len(steps)}: {step.__name__}")
            step()

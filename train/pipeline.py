"""From a recipe to a tested network: play games, check them, train, verify, and play a match.

All files are in one folder. The recipe NAME has its games in the folder NAME, and beside it
NAME.network, NAME.weights.npz (the float weights), NAME.png (a plot of the losses) and
NAME.DIGEST.positions (see position_file.py).
"""

import hashlib
import io
import json
import math
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn, track

from zobra.arena.commands.match_display import match_figures
from zobra.arena.commands.options import GameOptions
from zobra.arena.commands.runs import play
from zobra.arena.formats.text import counted
from zobra.arena.model.engines import EngineSpec
from zobra.engine.network_file import BUILT_IN, LARGEST_OUTPUT, Network, read_network
from zobra.train.check import check_data
from zobra.train.first_network import first_network
from zobra.train.float_network import initial_weights, quantise, restore_scale, weights_of
from zobra.train.game_kernel import DataError
from zobra.train.games import (
    GAMES_PER_SHARD,
    check_settings,
    count_games,
    read_sets,
    read_settings,
    shards,
    with_game_count,
    write_atomically,
)
from zobra.train.position_file import (
    digest_of,
    map_positions,
    position_path,
    remove_stale,
    write_positions,
)
from zobra.train.provenance import provenance
from zobra.train.recipe import BUILT_IN_NAME, FIRST_NAME, Recipe
from zobra.train.self_play import SelfPlay, SelfPlayer, Tally, game_settings, planned_games
from zobra.train.trainer import Epoch, Trainer
from zobra.train.tree_error import Labelled, squared_errors
from zobra.train.verify import verify

VERIFIED_POSITIONS = 2_000  # at most
SCALED_POSITIONS = 20_000  # at most: see restore_scale
RESUMES = "the same command resumes here"

# Of the match
OPENINGS_SEED = 1
DIGEST_SHOWN = 8  # characters of a network's digest in the name of its folder

# Of the estimate of how long games and training take
SAMPLE_GAMES = 4
POSITIONS_PER_GAME = 75
NEURONS_PER_SECOND = 1.1e8  # positions × neurons of a thread in training


class Pipeline:
    """The steps of a recipe, with files in a folder.

    Each step can be run alone. A step that fails raises RuntimeError, ValueError or OSError with a
    message for the user, and KeyboardInterrupt after Ctrl-C. If there are `labelled` positions (see
    tree_error.py), the network's header has the error on them.
    """

    def __init__(
        self,
        recipe: Recipe,
        folder: Path,
        console: Console,
        workers: int,
        labelled: Labelled | None = None,
    ) -> None:
        self.recipe = recipe
        self.folder = folder
        self.workers = workers
        self.labelled = labelled
        self.network_path = folder / f"{recipe.name}.network"
        self.weights_path = folder / f"{recipe.name}.weights.npz"
        self.sets = [folder / name for name in (recipe.name, *recipe.data.also)]
        self.player_path = self._path_of(recipe.data.network)  # of the network that plays the games
        self._console = console

    def run(self) -> None:
        """Print a rough estimate of the time of games and training, and run all steps."""
        about = timedelta(seconds=max(1, round(self._estimated_seconds() / self.workers)))
        self._console.print(
            f"games and training take about {about} (h:mm:ss) with {self.workers} threads; then a "
            f"match of at most {counted(self.recipe.gate.games, 'game')} follows"
        )
        steps = (self.play, self.check, self.train, self.verify, self.gate)
        for number, step in enumerate(steps, 1):
            self._console.rule(f"{number} of {len(steps)}: {step.__name__}")
            step()

    def play(self) -> None:
        """Check that the training will be able to start, and play the missing games."""
        self._check_split()
        self._first_weights(self._read_start())
        games = SelfPlay(self.sets[0], self.recipe.data, self.workers, self._read_player())
        with _bar(self._console, "speed", "results") as progress:
            task = progress.add_task("games", total=games.games_missing, speed="", results="")
            began = time.perf_counter()

            def show(tally: Tally) -> None:
                speed = tally.plies / (time.perf_counter() - began)
                progress.update(
                    task,
                    completed=tally.games,
                    speed=f"{speed:,.0f} plies/s",
                    results=f"+{tally.results[2]} ={tally.results[1]} -{tally.results[0]}",
                )

            tally = games.run(show)
        before = ""
        if tally.shards_before:
            noun = "shard" if tally.shards_before == 1 else "shards"
            before = f"; {tally.shards_before:,} {noun} already existed"
        noun = "game" if tally.games == 1 else "games"
        self._console.print(f"played {tally.games:,} {noun} ({tally.plies:,} plies){before}")
        if games.stopping.is_set():
            kept = f"{tally.kept:,} of the {tally.games:,} games of this run are kept"
            raise KeyboardInterrupt(f"interrupted: {kept}, in whole shards; {RESUMES}")

    def check(self) -> None:
        """Check the games."""
        paths = read_sets(self.sets)
        self._check_sets()
        shown = track(paths, "check", console=self._console)
        report = check_data(shown, self.recipe.filter, count_games(paths))
        self._console.print(report.table())
        faults = report.faults()
        if faults:
            raise RuntimeError("; ".join(faults))

    def train(self) -> None:
        """Train on the games, and write the plot, the float weights and the network.

        The network is written last: if it exists, it can be verified.
        """
        recipe = self.recipe
        paths = read_sets(self.sets)
        settings = self._check_sets()
        start = self._read_start()
        weights = self._first_weights(start)
        digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]
        positions = self._positions(paths, digests)

        schedule = recipe.training
        size = group_size(settings)
        training = Trainer(positions, weights, recipe.qb, schedule, self.workers, size)
        self._train_and_plot(training)

        scaled = positions[evenly_spaced(training.validation, SCALED_POSITIONS)]
        factor = restore_scale(weights[0], scaled)
        errors = training.validate()
        facts = {
            "trained_by": provenance(),
            "recipe": recipe.facts(),
            "start": "" if start is None else start.digest,
            "sets": settings,
            "data": digest_of(sorted(digests)),  # independent of file names
            "games": count_games(paths),
            "positions": len(positions),
            "validation": {name: round(error, 6) for name, error in errors._asdict().items()},
            "factor": round(factor, 3),
        }
        network = quantise(weights[0], recipe.qb, facts)
        if self.labelled is not None:
            network.header["trees"] = {
                "file": self.labelled.file,
                "sha256": self.labelled.sha256,
                "positions": len(self.labelled.positions),
                "error": round(squared_errors(network, self.labelled)[0].mean(), 6),
            }

        kept = io.BytesIO()
        sample = positions[evenly_spaced(training.validation, VERIFIED_POSITIONS)]
        np.savez(kept, weights=weights, sample=sample)
        write_atomically(self.weights_path, kept.getvalue())
        write_atomically(self.network_path, network.to_bytes())
        shown = {**network.header, "recipe": recipe.name, "digest": network.digest}
        self._console.print(f"{self.network_path}: {json.dumps(shown)}", soft_wrap=True)

    def verify(self) -> None:
        """Verify the network, and measure its speed. A network that fails is renamed."""
        network = read_network(self.network_path)
        weights, sample = self._read_weights()
        findings = verify(network, weights[0], sample)
        self._console.print(f"verified: {findings}", soft_wrap=True)
        faults = findings.faults()
        if faults:
            rejected = self.network_path.replace(self.network_path.with_suffix(".rejected"))
            raise RuntimeError("; ".join([*faults, f"the network is now {rejected}"]))

        command = [*zobra_command(), "--network", str(self.network_path), "bench"]
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            raise RuntimeError(f"`zobra bench` failed with {self.network_path}")
        self._console.print(f"bench: {done.stdout.splitlines()[-1]}")

    def gate(self) -> None:
        """Play or resume a match against the network that played the games, until an SPRT ends it.

        The name of the match folder contains the digests of both networks. Raise RuntimeError
        unless the test accepts the network.
        """
        name = self.recipe.name
        gate = self.recipe.gate
        networks = (read_network(self.network_path), self._read(self.recipe.data.network))
        digests = [network.digest[:DIGEST_SHOWN] for network in networks]
        engines = [
            EngineSpec(engine, (*zobra_command(), "--network", str(path)))
            for engine, path in ((name, self.network_path), (f"before-{name}", self.player_path))
        ]
        folder = self.folder / "-".join([name, "gate", *digests])
        options = GameOptions(
            gate.time_control,
            gate.games,
            folder=folder,
            seed=OPENINGS_SEED,
            concurrency=self.workers,
        )
        try:
            match = play(
                self._console, folder, options.settings(engines, sprt=gate.sprt()), options
            )
            if match.error is not None:
                raise match.error
        except (ValueError, RuntimeError) as error:
            raise RuntimeError(f"the match in {folder} failed: {error}") from error
        if match.interrupted:
            raise KeyboardInterrupt(f"interrupted; {RESUMES}")
        if crashing := match.results.crashing():
            raise RuntimeError(f"the match in {folder} failed: {crashing} keeps crashing")

        for line in match_figures(match):
            self._console.print(line, soft_wrap=True)
        played = f"{gate.sprt().text} after {counted(match.results.games, 'game')}"
        if match.verdict != "H1":
            verdict = f"{match.verdict} accepted" if match.verdict else "no verdict"
            raise RuntimeError(f"{name} did not pass: {verdict}, {played}")
        self._console.print(f"{name} passed: H1 accepted, {played}")

    def _check_split(self) -> None:
        """Raise DataError or OSError unless some games will be left for training.

        The first group of games of each set is kept for validation (see Trainer).
        """
        plan = self.recipe.data
        others = self.sets[1:]
        read_sets(others)
        own: dict[str, Any] = {"branches": plan.rules.branches, "games": planned_games(plan)}
        settings = [own, *map(_counted_settings, others)]
        size = group_size(settings)
        counts = [each["games"] for each in settings]
        if max(counts) <= size:
            raise DataError(
                f"the recipe {self.recipe.name} leaves no games for training: they are kept for "
                f"validation in groups of {size:,}, and its sets have at most {max(counts):,} games"
            )

    def _check_sets(self) -> list[dict[str, Any]]:
        """Check that the sets are complete, and return their settings with their numbers of games.

        Raise DataError for a set with another number of games than were planned, or if the recipe
        has other settings than its own set, unless that was imported.
        """
        own, *others = self.sets
        plan = self.recipe.data
        settings = read_settings(own)
        if "imported" not in settings:
            wanted = game_settings(plan)
            if self.recipe.built_in and plan.network == BUILT_IN_NAME:
                wanted["network"] = self.recipe.built_in
            check_settings(own, settings, wanted)
            settings["games"] = planned_games(plan)
        return [with_game_count(own, settings), *map(_counted_settings, others)]

    def _read_weights(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the float weights, and positions (dtype PACKED) to verify the network on.

        Raise DataError if their file is damaged, or OSError.
        """
        try:
            with np.load(self.weights_path) as kept:
                return kept["weights"], kept["sample"]
        except (EOFError, KeyError, ValueError, zipfile.BadZipFile) as error:
            raise DataError(
                f"{self.weights_path}: damaged: {error}; `zobra train network` makes it again"
            ) from error

    def _path_of(self, name: str) -> Path:
        """Return the file of a network that the recipe names."""
        if name == BUILT_IN_NAME:
            return BUILT_IN
        return self.folder / f"{name}.network"

    def _read(self, name: str) -> Network:
        """Return a network that the recipe names.

        Raise RuntimeError if it means another built-in network than this engine's.
        """
        network = read_network(self._path_of(name))
        wanted = self.recipe.built_in
        if name == BUILT_IN_NAME and wanted not in ("", network.digest):
            commit = self.recipe.data.engine
            hint = f"; commit {commit} has it" if commit else ""
            raise RuntimeError(
                f"the recipe {self.recipe.name} needs the built-in network {wanted}, but this one "
                f"is {network.digest}{hint}"
            )
        return network

    def _read_player(self) -> Network:
        """Return the network that plays the games; if it is the first one, write it before."""
        name = self.recipe.data.network
        if name == FIRST_NAME:
            write_atomically(self.player_path, first_network().to_bytes())
        return self._read(name)

    def _read_start(self) -> Network | None:
        """Return the network that training starts from, or None if it starts from nothing."""
        return self._read(self.recipe.start) if self.recipe.start else None

    def _first_weights(self, start: Network | None) -> np.ndarray:
        """Return the float weights that training starts from: random, or those of a network."""
        recipe = self.recipe
        if start is None:
            return initial_weights(recipe.hidden, recipe.training.seed)
        if start.hidden != recipe.hidden:
            raise RuntimeError(
                f"training cannot start from the network {recipe.start}: it has "
                f"{start.hidden} neurons, the recipe {recipe.hidden}"
            )
        weights = weights_of(start)
        if np.abs(weights["output"]).max() > LARGEST_OUTPUT / recipe.qb:
            raise RuntimeError(
                f"training cannot start from the network {recipe.start} with qb = {recipe.qb}: its "
                f"output weights are too large; its own qb is {start.qb}"
            )
        return weights

    def _positions(self, paths: list[Path], digests: list[str]) -> np.ndarray:
        """Map the positions of shards with these digests, and write their file first if necessary.

        Files of other games or filters are removed.
        """
        name = self.recipe.name
        wanted = self.recipe.filter
        file = position_path(self.folder, name, digests, wanted)
        remove_stale(file, name)
        if not file.exists():
            write_positions(file, track(paths, "load", console=self._console), wanted)
        return map_positions(file)

    def _train_and_plot(self, training: Trainer) -> None:
        """Train, print a line for each epoch, and plot the losses."""
        self._console.print(
            "                     loss         against scores          against results\n"
            "epoch  positions/s  validation  training  validation  training  validation"
        )
        epochs: list[Epoch] = []
        with _bar(self._console, "loss") as progress:
            task = progress.add_task("train", total=training.schedule.epochs, loss="")

            def show_loss(done: float, loss: float) -> None:
                progress.update(task, completed=done, loss=f"{loss:.5f}")

            def show_epoch(epoch: Epoch) -> None:
                epochs.append(epoch)
                self._console.print(_epoch_line(epoch))

            training.run(show_loss, show_epoch)
        try:
            _plot(epochs, self.network_path.with_suffix(".png"))
        except (ImportError, OSError) as error:  # no reason to lose the network
            self._console.print(f"no plot: {error}")

    def _estimated_seconds(self) -> float:
        """Play a few games, and estimate how long one thread takes for games and training."""
        recipe = self.recipe
        plan = recipe.data
        player = SelfPlayer(plan.rules, plan.seed, self._read_player())
        player.play(0)  # the first game links the kernels
        began = time.perf_counter()
        for number in range(1, SAMPLE_GAMES + 1):
            player.play(number)
        game_seconds = (time.perf_counter() - began) / SAMPLE_GAMES

        missing = plan.games - len(shards(self.sets[0])) * GAMES_PER_SHARD
        playing = max(0, missing) * game_seconds
        others = sum(count_games(shards(folder)) for folder in self.sets[1:])
        positions = (plan.games + others) * POSITIONS_PER_GAME * recipe.training.epochs
        learning = positions * recipe.hidden / NEURONS_PER_SECOND
        return playing + learning


def zobra_command() -> tuple[str, ...]:
    """Return the command of this Zobra, which may be a program that PyInstaller has made."""
    if getattr(sys, "frozen", False):
        return (sys.executable,)
    return (sys.executable, "-m", "zobra.cli")


def _counted_settings(folder: Path) -> dict[str, Any]:
    """Return the settings of a set with its number of games."""
    return with_game_count(folder, read_settings(folder))


def group_size(settings: Iterable[Mapping[str, Any]]) -> int:
    """Return a common multiple of the branches of sets, so that no group of games is cut.

    `settings` are those of the sets; imported sets have no branches.
    """
    return math.lcm(*(each.get("branches") or 1 for each in settings))


def evenly_spaced(indices: np.ndarray, most: int) -> np.ndarray:
    """Return every n-th of the indices, so that there are at most `most`."""
    return indices[:: len(indices) // most + 1]


def _bar(console: Console, *columns: str) -> Progress:
    """Return a progress bar with additional columns: fields of its task, by name."""
    texts = [TextColumn(f"{{task.fields[{name}]}}") for name in columns]
    return Progress(*Progress.get_default_columns(), MofNCompleteColumn(), *texts, console=console)


def _epoch_line(epoch: Epoch) -> str:
    """Format a row of the table of epochs."""
    training = epoch.training
    validation = epoch.validation
    return (
        f"{epoch.number:5d} {epoch.speed:12,.0f}  {validation.loss:10.5f}  "
        f"{training.score:8.5f}  {validation.score:10.5f}  "
        f"{training.result:8.5f}  {validation.result:10.5f}"
    )


def _plot(epochs: list[Epoch], path: Path) -> None:
    """Plot the errors of training and validation. Raise ImportError without matplotlib, or OSError.

    They are those against the score and against the result, whose target does not change.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5))
    axes = figure.add_subplot(
        xlabel="epoch", ylabel="mean squared error", yscale="log", title=path.stem
    )
    numbers = [epoch.number for epoch in epochs]
    parts = {
        "training": [epoch.training for epoch in epochs],
        "validation": [epoch.validation for epoch in epochs],
    }
    for part, errors in parts.items():
        axes.plot(numbers, [each.score for each in errors], label=f"{part}, against the score")
        axes.plot(numbers, [each.result for each in errors], label=f"{part}, against the result")
    axes.legend()
    figure.savefig(path)

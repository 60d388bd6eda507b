"""Positions of search trees: the engine labels them with its own scores, and its network goes on
learning from them.

    python tree_positions.py label SET TREES
    python tree_positions.py train NAME.network --games SET [SET …] --trees TREES [TREES …]

A search evaluates positions of its tree, and few of those look like positions of games: most moves
in a tree are bad. `label` takes every fifth position of the games of SET (a folder of shards),
searches it, and walks from there at random through the positions that the search left in the table.
Where a walk ends, a search gives the score; options change these numbers. An array of dtype PACKED
(train/positions.py) for each shard is written to the folder TREES; the same command resumes an
interrupted run.

`train` goes on from the built-in network, with the positions of the games and those of the trees.
The latter have no result.

Idea of learning from the nodes of a search: TreeStrap, Veness, Silver, Uther and Blair (2009).
"""

import argparse
import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import local
from typing import Any

import numpy as np

from zobra.engine.attacks import find_checks
from zobra.engine.board import ONE, ZERO
from zobra.engine.fen import parse_fen
from zobra.engine.generator import ALL, generate
from zobra.engine.kernels import VOID, copy_record, entry, kernel, record
from zobra.engine.layouts import MOVE_LIST, POSITION, TABLES_TYPE
from zobra.engine.make import make
from zobra.engine.move import NO_MOVE
from zobra.engine.network_file import BUILT_IN, HIDDEN, read_network
from zobra.engine.position import TABLES_RECORD
from zobra.search.parameters import default_parameters
from zobra.search.worker import SIGNALS, WORKER_TYPE, clear_histories, new_worker
from zobra.train.game_kernel import (
    GAME,
    LONGEST_GAME,
    RULE_DEFAULTS,
    RULES,
    DataError,
    TrainingGame,
    count_moves,
    next_random,
    search_root,
)
from zobra.train.games import load_positions, read_positions, read_sets
from zobra.train.positions import FILTER, FILTER_DEFAULTS, NO_RESULT, PACKED, is_wanted, pack_board
from zobra.train.trainer import Errors, Schedule, Trainer, quantise, restore_centipawns, weights_of
from zobra.tt.table import Table, probe

PLAN_DEFAULTS = {
    "every": 5,  # one position of the game in so many
    "root_nodes": 800,  # searched from it
    "walks": 8,  # from each
    "longest_walk": 30,  # plies
    "stop": 7,  # a walk ends by chance after one ply in so many
    "clear_score": 1_500,  # centipawns: positions of the game with larger scores are passed over
}
PLAN_BOUNDS = {
    "every": (1, 400),
    "root_nodes": (1, 1_000_000),
    "walks": (0, 11),
}  # of what the command line sets
PLAN = np.dtype([(name, "i8") for name in PLAN_DEFAULTS], align=True)
MOST_POSITIONS = LONGEST_GAME * (PLAN_BOUNDS["walks"][1] + 1)  # of one game
NODES = 400  # for the score of a position
JOB = np.dtype(
    [
        ("plan", PLAN),
        ("rules", RULES),
        ("filter", FILTER),
        ("game", GAME),  # its moves, and the state of the random numbers
        ("root", POSITION),
        ("board", POSITION),
        ("following", POSITION),
        ("moves", MOVE_LIST),
        ("count", "u8"),
        ("positions", PACKED, (MOST_POSITIONS,)),
    ],
    align=True,
)
SAMPLE = 20_000  # positions that the scale of the new network is taken from


@kernel
def advance(position, following, move, tables):
    """Make a move on a position, by way of `following`."""
    make(position, following, move, tables)
    find_checks(following, tables)
    copy_record(position, following)


@kernel
def walk(worker, tables, job):
    """Make random moves on `job.board` as long as the table knows a position after one; number of
    moves.
    """
    plies = 0
    while plies < job.plan.longest_walk:
        if plies > 0 and next_random(job.game) % np.uint64(job.plan.stop) == ZERO:
            break
        job.moves.count = ZERO
        known, chosen = ZERO, NO_MOVE
        for index in range(np.int64(generate(job.board, tables, job.moves, ALL))):
            move = np.uint64(job.moves.moves[index])
            make(job.board, job.following, move, tables)
            if probe(worker.table, job.following.key) != ZERO:
                known += ONE
                if next_random(job.game) % known == ZERO:
                    chosen = move
        if chosen == NO_MOVE:
            break
        advance(job.board, job.following, chosen, tables)
        plies += 1
    return plies


@kernel
def label_position(worker, tables, job, position, nodes):
    """Search a position as the root of a game; it is kept with its score if it passes the
    filter.
    """
    copy_record(worker.stack[0].position, position)
    worker.stack[0].position.repeatable = 0
    worker.root_key_index = 0
    worker.keys[0] = position.key
    if count_moves(worker, tables) == ZERO:
        return
    job.rules.nodes = nodes
    move, score = search_root(worker, tables, job.rules)
    if (
        move != NO_MOVE
        and job.count < MOST_POSITIONS
        and is_wanted(position, move, score, job.filter)
    ):
        packed = job.positions[job.count]
        pack_board(position, packed)
        packed.score, packed.result = np.int16(score), NO_RESULT
        job.count += ONE


@entry(VOID, WORKER_TYPE, TABLES_TYPE, record(JOB))
def label_game(worker, tables, job):
    """Fill `job.positions` with positions of the search trees of a game, from the side to move,
    with their scores.
    """
    copy_record(job.root, job.game.start)
    job.count, nodes = ZERO, job.rules.nodes
    for ply in range(np.int64(job.game.count)):
        chosen = next_random(job.game) % np.uint64(job.plan.every) == ZERO
        if chosen and abs(np.int64(job.game.scores[ply])) < job.plan.clear_score:
            label_position(worker, tables, job, job.root, job.plan.root_nodes)
            for _ in range(job.plan.walks):
                copy_record(job.board, job.root)
                if walk(worker, tables, job) > 0 and job.board.checkers == ZERO:
                    label_position(worker, tables, job, job.board, nodes)
        advance(job.root, job.following, np.uint64(job.game.moves[ply]), tables)


class Labeller:
    """Labels positions of search trees, game after game; each begins with an empty table and empty
    histories.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self._signals, self._table, self._nodes, self._seed = (
            np.zeros(SIGNALS, np.int64),
            Table(2),
            options.nodes,
            options.seed,
        )
        self._worker, self._job = new_worker(default_parameters(), self._signals), np.zeros(1, JOB)
        plan = PLAN_DEFAULTS | {name: getattr(options, name) for name in PLAN_BOUNDS}
        for name, values in (("plan", plan), ("rules", RULE_DEFAULTS), ("filter", FILTER_DEFAULTS)):
            self._job[0][name] = tuple(values.values())

    def positions(self, played: TrainingGame) -> np.ndarray:
        """The labelled positions of one game (dtype PACKED); `game` is its number."""
        self._table.clear()
        clear_histories(self._worker)
        self._worker[0]["table"] = self._table.record
        job: Any = self._job[0]
        game, count = job["game"], len(played.moves)
        game["random"] = self._seed << 32 | played.number
        game["start"], game["count"] = parse_fen(played.fen).record, count
        game["moves"][:count], game["scores"][:count] = played.moves, played.scores
        job["rules"]["nodes"] = self._nodes
        label_game(self._worker[0], TABLES_RECORD, job)
        found = job["positions"][: int(job["count"])].copy()
        found["game"] = played.number
        return found


def label(options: argparse.Namespace) -> None:
    """Label the positions of all shards that have none yet, with all processors."""
    options.trees.mkdir(parents=True, exist_ok=True)
    threads = local()

    def label_shard(path: Path) -> None:
        target = options.trees / f"{path.stem}.npy"
        if target.exists():
            return
        if not hasattr(threads, "labeller"):
            threads.labeller = Labeller(options)
        found = np.concatenate(
            [threads.labeller.positions(game) for game, _ in read_positions(path, {})]
        )
        unfinished = target.with_suffix(".part.npy")
        np.save(unfinished, found)
        unfinished.replace(target)
        print(f"{target}: {len(found):,} positions", flush=True)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(label_shard, read_sets([options.set])))


def train(options: argparse.Namespace) -> None:
    """Train on the positions of games and of trees; write the network with its float weights."""
    paths = [
        path
        for folder in options.trees
        for path in sorted(folder.glob("*.npy"))
        if not path.stem.endswith(".part")
    ]
    if not paths:
        raise SystemExit(
            f"no positions in {', '.join(map(str, options.trees))}: `label` makes them"
        )
    trees = np.concatenate([np.load(path) for path in paths])
    of_games, games = load_positions(read_sets(options.games), {})
    schedule = Schedule(
        options.epochs,
        rate=options.rate,
        last_rate=options.rate / 50,
        warmup=50,
        decay=0.0,
        blend=options.blend,
    )
    start = read_network(BUILT_IN)
    trainer = Trainer(
        np.concatenate([of_games, trees]), weights_of(start), schedule, os.cpu_count() or 1
    )

    def show(epoch: float, speed: float, training: Errors, validation: Errors | None) -> None:
        if validation is not None:
            values = (
                f"training {training.loss:.6f}, validation {validation.loss:.6f}, of scores "
                f"{validation.score:.6f}"
            )
            print(f"epoch {epoch:.0f}: {speed:,.0f} positions/s, {values}", flush=True)

    errors = trainer.run(show)
    kept_out = trainer.validation[trainer.validation < len(of_games)]
    factor = restore_centipawns(
        trainer.weights[0], of_games[kept_out[:: len(kept_out) // SAMPLE + 1]]
    )
    made = {
        "made by": "docs/distillation/tree_positions.py",
        "start": start.digest,
        "games": games,
        "positions": len(of_games),
    }
    learned = {
        "epochs": options.epochs,
        "rate": options.rate,
        "blend": options.blend,
        "factor": round(factor, 3),
    }
    facts = {
        **options.facts,
        **made,
        "trees": len(trees),
        **learned,
        "validation": round(float(errors.score), 6),
    }
    np.savez(options.network.with_suffix(".weights.npz"), weights=trainer.weights)
    options.network.write_bytes(quantise(trainer.weights[0], facts).to_bytes())
    print(f"{options.network}: {HIDDEN} neurons, {facts}")


def within(least: int, most: int) -> Callable[[str], int]:
    """A type of the command line: whole numbers from `least` to `most`."""

    def number(text: str) -> int:
        value = int(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{value} is not from {least} to {most}")
        return value

    return number


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("label")
    command.set_defaults(work=label)
    command.add_argument("set", type=Path, help="a folder of shards of games")
    command.add_argument("trees", type=Path, help="the folder to write")
    nodes = within(*PLAN_BOUNDS["root_nodes"])
    command.add_argument(
        "--nodes", type=nodes, metavar="N", default=NODES, help=f"for each score (default: {NODES})"
    )
    for name, (least, most) in PLAN_BOUNDS.items():
        flag, default = f"--{name.replace('_', '-')}", PLAN_DEFAULTS[name]
        text = f"{least} to {most} (default: {default})"
        command.add_argument(
            flag, type=within(least, most), metavar="N", default=default, help=text
        )
    command.add_argument(
        "--seed", type=int, default=0, help="another number gives other positions of the same games"
    )
    command = commands.add_parser("train")
    command.set_defaults(work=train)
    command.add_argument("network", type=Path)
    command.add_argument(
        "--trees", type=Path, nargs="+", required=True, help="folders that `label` wrote"
    )
    command.add_argument(
        "--games", type=Path, nargs="+", required=True, help="folders of shards of games"
    )
    command.add_argument(
        "--facts", type=json.loads, default={}, help="JSON for the header of the network"
    )
    for name, value in (("epochs", 4), ("rate", 2e-4), ("blend", 0.25)):
        command.add_argument(f"--{name}", type=type(value), default=value)
    options = parser.parse_args()
    try:
        options.work(options)
    except DataError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()

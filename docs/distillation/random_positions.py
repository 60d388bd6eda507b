"""Positions for distillation: those of the training games, and random quiet ones one or two plies
away from them.

    python random_positions.py SETS OUT [--tries 6]

Two arrays of dtype PACKED (train/positions.py) are written: OUT/games.npy and OUT/random.npy. At
each ply of a game `tries` positions are made by one or two random legal moves. Those in check are
dropped, and those where a capture wins 60 centipawns.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from zobra.engine.attacks import find_checks
from zobra.engine.board import ONE, ZERO
from zobra.engine.fen import parse_fen
from zobra.engine.generator import ALL, generate
from zobra.engine.kernels import VOID, copy_record, entry, kernel, population, record
from zobra.engine.layouts import MOVE_LIST, POSITION, TABLES_TYPE
from zobra.engine.make import make
from zobra.engine.position import TABLES_RECORD
from zobra.engine.see import capture_value, see_at_least
from zobra.train.game_kernel import GAME, LONGEST_GAME, TrainingGame, next_random
from zobra.train.games import read_positions, read_sets
from zobra.train.positions import FILTER_DEFAULTS, PACKED, pack_board

MOST_TRIES, FEWEST_PIECES, LEAST_GAIN = (
    12,
    np.uint64(FILTER_DEFAULTS["fewest_pieces"]),
    np.int64(60),
)
LARGEST_SCORE = FILTER_DEFAULTS["largest_score"]
SAMPLER = np.dtype(
    [
        ("game", GAME),  # its moves, and the state of the random numbers
        ("tries", "i8"),
        ("count", "u8"),
        ("board", POSITION),
        ("child", POSITION),
        ("following", POSITION),
        ("moves", MOVE_LIST),
        ("positions", PACKED, (LONGEST_GAME * MOST_TRIES,)),
    ],
    align=True,
)


@kernel
def random_move(job, tables, source):
    """Make a random legal move of `source`: `job.following` is the position after it.

    False if there is no move.
    """
    job.moves.count = ZERO
    count = generate(source, tables, job.moves, ALL)
    if count == ZERO:
        return False
    make(source, job.following, np.uint64(job.moves.moves[next_random(job.game) % count]), tables)
    find_checks(job.following, tables)
    return True


@kernel
def is_quiet(job, tables, position):
    """Not in check, not over, and no capture wins material?"""
    job.moves.count = ZERO
    few = population(position.colours[ZERO] | position.colours[ONE]) < FEWEST_PIECES
    if few or position.checkers != ZERO or generate(position, tables, job.moves, ALL) == ZERO:
        return False
    for index in range(np.int64(job.moves.count)):
        move = np.uint64(job.moves.moves[index])
        if capture_value(position, move) > 0 and see_at_least(position, tables, move, LEAST_GAIN):
            return False
    return True


@entry(VOID, record(SAMPLER), TABLES_TYPE)
def sample(job, tables):
    """Fill `job.positions` with random quiet positions near the game, from the side to move,
    without score and result.
    """
    copy_record(job.board, job.game.start)
    job.count = ZERO
    for ply in range(np.int64(job.game.count)):
        for _ in range(job.tries if abs(job.game.scores[ply]) <= LARGEST_SCORE else 0):
            if not random_move(job, tables, job.board):
                break
            copy_record(job.child, job.following)
            if next_random(job.game) & ONE:
                if not random_move(job, tables, job.child):
                    continue
                copy_record(job.child, job.following)
            if is_quiet(job, tables, job.child):
                pack_board(job.child, job.positions[job.count])
                job.count += ONE
        make(job.board, job.following, np.uint64(job.game.moves[ply]), tables)
        find_checks(job.following, tables)
        copy_record(job.board, job.following)


def sample_game(job: Any, played: TrainingGame) -> np.ndarray:
    """The random positions of one game (dtype PACKED); `game` is its number."""
    game, count = job["game"], len(played.moves)
    game["start"], game["count"], game["random"] = (
        parse_fen(played.fen).record,
        count,
        played.number,
    )
    game["moves"][:count], game["scores"][:count] = played.moves, played.scores
    sample(job, TABLES_RECORD)
    found = job["positions"][: int(job["count"])].copy()
    found["game"] = played.number
    return found


def read_shards(paths: Sequence[Path], tries: int) -> tuple[np.ndarray, np.ndarray]:
    """The kept positions of all games of these shards, and the random ones; DataError names a
    damaged file.
    """
    job = np.zeros(1, SAMPLER)
    job["tries"] = tries
    kept, made = [np.zeros(0, PACKED)], [np.zeros(0, PACKED)]
    for path in paths:
        for game, positions in read_positions(path, {}):
            kept.append(positions)
            made.append(sample_game(job[0], game))
    return np.concatenate(kept), np.concatenate(made)


def main() -> None:
    """Read the shards with all processors."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", type=Path, help="a folder of sets of games")
    parser.add_argument("out", type=Path)
    parser.add_argument("--tries", type=int, default=6, choices=range(1, MOST_TRIES + 1))
    options = parser.parse_args()
    paths = read_sets([options.sets])
    read_shards(paths[:1], options.tries)  # compiles `sample` before the processes start
    options.out.mkdir(parents=True, exist_ok=True)
    groups = [paths[first : first + 16] for first in range(0, len(paths), 16)]
    with ProcessPoolExecutor() as pool:
        parts = list(pool.map(partial(read_shards, tries=options.tries), groups))
    for name, arrays in zip(("games", "random"), zip(*parts, strict=True), strict=True):
        positions = np.concatenate(arrays)
        np.save(options.out / f"{name}.npy", positions)
        print(f"{name}: {len(positions):,} positions of {len(paths):,} shards")


if __name__ == "__main__":
    main()

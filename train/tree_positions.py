"""Positions of search trees, sampled around the games of a set.

A search evaluates the positions of its tree, which seldom look like those of games, because most
moves in a tree are bad. So some positions of a game are searched, and random walks lead from there
through positions that the search left in the transposition table. Where a walk ends, another search
decides whether the position is quiet.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np

from zobra.engine.attacks import find_checks
from zobra.engine.board import ONE, ZERO
from zobra.engine.fen import parse_fen
from zobra.engine.generator import ALL, generate
from zobra.engine.kernels import VOID, copy_record, entry, kernel, layout, record
from zobra.engine.layouts import CONSTANTS_TYPE, MOVE_LIST, POSITION
from zobra.engine.make import make
from zobra.engine.move import NO_MOVE
from zobra.engine.network import built_in_network
from zobra.engine.position import CONSTANTS_RECORD
from zobra.search.parameters import default_parameters
from zobra.search.worker import SIGNALS, WORKER_TYPE, clear_histories, new_worker
from zobra.train.game_kernel import (
    GAME,
    LONGEST_GAME,
    RULES,
    TrainingGame,
    count_moves,
    next_random,
    search_root,
    set_root,
)
from zobra.train.games import read_positions
from zobra.train.positions import FILTER, PACKED, is_wanted, pack_board
from zobra.train.recipe import Filter, GameRules
from zobra.tt.entry import NO_BOUND
from zobra.tt.table import Table, probe

EVERY = np.uint64(10)  # a position of the game is searched with a chance of 1 / EVERY
WALKS = 3  # from each of them
LONGEST_WALK = 30  # plies
STOP = np.uint64(7)  # a walk stops after each ply with a chance of 1 / STOP
CLEAR_SCORE = 1_500  # internal units: positions of the game with larger scores are skipped
ROOT_NODES = 800  # of the search whose tree is walked
LEAF_NODES = 400  # of the search where a walk ends
TABLE_MEGABYTES = 2

JOB = layout(
    ("rules", RULES),
    ("filter", FILTER),
    ("game", GAME),  # its moves, and the state of the random numbers
    ("root", POSITION),
    ("board", POSITION),
    ("following", POSITION),
    ("moves", MOVE_LIST),
    ("count", "u8"),
    ("positions", PACKED, (LONGEST_GAME * WALKS,)),
)


@kernel
def advance(position, following, move, constants):
    """Make a move on a position. `following` is scratch memory."""
    make(position, following, move, constants)
    find_checks(following, constants)
    copy_record(position, following)


@kernel
def choose_move(worker, constants, job):
    """Return a random move of `job.board` to a position in the table, or NO_MOVE if there is none.

    All such moves are equally likely (reservoir sampling).
    """
    chosen = NO_MOVE
    known = ZERO
    job.moves.count = ZERO
    for index in range(np.int64(generate(job.board, constants, job.moves, ALL))):
        move = np.uint64(job.moves.moves[index])
        make(job.board, job.following, move, constants)
        if probe(worker.tt, job.following.key, 0).bound != NO_BOUND:
            known += ONE
            if next_random(job.game) % known == ZERO:
                chosen = move
    return chosen


@kernel
def walk(worker, constants, job):
    """Make random moves on `job.board` to positions in the table, and return their number."""
    plies = 0
    while plies < LONGEST_WALK:
        if plies > 0 and next_random(job.game) % STOP == ZERO:
            break
        move = choose_move(worker, constants, job)
        if move == NO_MOVE:
            break
        advance(job.board, job.following, move, constants)
        plies += 1
    return plies


@kernel
def search_position(worker, constants, job, position, nodes):
    """Return the best move and the score of a position, or NO_MOVE and 0 without legal moves."""
    set_root(worker, position)
    if count_moves(worker, constants) == ZERO:
        return NO_MOVE, 0
    job.rules.nodes = nodes
    return search_root(worker, constants, job.rules)


@kernel
def keep_position(worker, constants, job):
    """Add `job.board` to the positions if a search finds that it passes the filter."""
    move, score = search_position(worker, constants, job, job.board, LEAF_NODES)
    if move == NO_MOVE or not is_wanted(job.board, move, score, job.filter):
        return
    pack_board(job.board, job.positions[job.count])
    job.count += ONE


@entry(VOID, WORKER_TYPE, CONSTANTS_TYPE, record(JOB))
def sample_game(worker, constants, job):
    """Fill `job.positions` with positions of the search trees of a game."""
    copy_record(job.root, job.game.start)
    job.count = ZERO
    for ply in range(np.int64(job.game.count)):
        is_chosen = next_random(job.game) % EVERY == ZERO
        if is_chosen and abs(np.int64(job.game.scores[ply])) < CLEAR_SCORE:
            search_position(worker, constants, job, job.root, ROOT_NODES)
            for _ in range(WALKS):
                copy_record(job.board, job.root)
                if walk(worker, constants, job) > 0 and job.board.checkers == ZERO:
                    keep_position(worker, constants, job)
        advance(job.root, job.following, np.uint64(job.game.moves[ply]), constants)


class TreeSampler:
    """Samples positions of search trees, game by game.

    A sample depends only on the seed, the game, and the engine with its built-in network: it begins
    with an empty table and empty histories.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._signals = np.zeros(SIGNALS, np.int64)
        self._table = Table(TABLE_MEGABYTES)
        self._worker = new_worker(default_parameters(), self._signals)
        self._worker[0]["network_address"] = built_in_network().ctypes.data
        self._job = np.zeros(1, JOB)
        self._job[0]["rules"] = astuple(GameRules())
        self._job[0]["filter"] = astuple(Filter())

    def positions(self, played: TrainingGame) -> np.ndarray:
        """Return positions of the trees of one game (dtype PACKED), without score and result."""
        self._table.clear()
        clear_histories(self._worker)
        self._worker[0]["tt"] = self._table.record

        job: Any = self._job[0]
        game = job["game"]
        count = len(played.moves)
        digest = hashlib.sha256(f"{self._seed} {played.number}".encode()).digest()
        game["random"] = int.from_bytes(digest[:8], "little")
        game["start"] = parse_fen(played.fen).record
        game["count"] = count
        game["moves"][:count] = played.moves
        game["scores"][:count] = played.scores
        sample_game(self._worker[0], CONSTANTS_RECORD, job)

        found = job["positions"][: int(job["count"])].copy()
        found["game"] = played.number
        return found


def sample_trees(shards: Iterable[Path], seed: int) -> Iterator[np.ndarray]:
    """Yield positions of search trees (dtype PACKED), an array for each game of the shards."""
    sampler = TreeSampler(seed)
    for path in shards:
        for game, _ in read_positions(path, Filter()):
            yield sampler.positions(game)

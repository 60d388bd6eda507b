"""Keys put to the test in play: the keys of random legal games, and what it costs to make one."""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np

from zobra.engine.attacks import find_checks
from zobra.engine.board import FIFTY_MOVES, ONE, SEVEN, WHITE, ZERO
from zobra.engine.fen import START, parse_fen
from zobra.engine.generator import ALL, generate
from zobra.engine.kernels import INT, VOID, WORD, copy_record, entry, kernel, lowest, record, record_at
from zobra.engine.layouts import MOVE_LIST, POSITION, TABLES_TYPE
from zobra.engine.make import make
from zobra.engine.position import TABLES_RECORD, Position
from zobra.engine.zobrist import castling_state, compute_keys

LONGEST_GAME = 200  # plies
SAMPLES = 1024  # positions that a timing walks over

PLAYER = np.dtype(
    [("start", POSITION), ("position", POSITION), ("following", POSITION), ("moves", MOVE_LIST), ("random", "u8")], align=True
)
SAMPLE = np.dtype([("position", POSITION), ("piece", "u8"), ("from_", "u8"), ("to", "u8"), ("key", "u8")], align=True)
TRIAL = np.dtype([("samples", SAMPLE, (SAMPLES,))], align=True)
TRIAL_TYPE = record(TRIAL)

WORD_BYTES = np.uint64(8)
word_at = record_at(np.dtype([("value", "u8")]))

THIRTEEN, SEVENTEEN, TWENTY = np.uint64(13), np.uint64(17), np.uint64(20)


@kernel
def next_random(player):
    """A pseudo-random word: George Marsaglia's xorshift (2003)."""
    word = player.random
    word ^= word << THIRTEEN
    word ^= word >> SEVEN
    word ^= word << SEVENTEEN
    player.random = word
    return word >> TWENTY


@entry(VOID, record(PLAYER), TABLES_TYPE, WORD, INT)
def write_keys(player, tables, address, size):
    """Write to memory the keys of `size` positions of random games from the player's starting position."""
    position, following, moves = player.position, player.following, player.moves
    index = 0
    while index < size:
        copy_record(position, player.start)
        for _ in range(LONGEST_GAME):
            find_checks(position, tables)
            moves.count = ZERO
            count = generate(position, tables, moves, ALL)
            if count == ZERO or position.halfmove >= FIFTY_MOVES or index == size:
                break
            make(position, following, np.uint64(moves.moves[next_random(player) % count]), tables)
            copy_record(position, following)
            word_at(address).value = position.key
            address += WORD_BYTES
            index += 1


def collect(player: np.ndarray, keys: np.ndarray) -> None:
    """Fill `keys` with the keys of all positions of random games from the player's starting position."""
    write_keys(player[0], TABLES_RECORD, keys.ctypes.data, len(keys))


@kernel
def whole_key(position, tables):
    """The key of a position from scratch, without the structure keys that `compute_keys` makes beside it."""
    key = tables.castling_key[castling_state(position)]
    occupied = position.colours[0] | position.colours[1]
    while occupied:
        square = lowest(occupied)
        occupied &= occupied - ONE
        key ^= tables.piece_key[position.board[square], square]
    if position.en_passant:
        key ^= tables.en_passant_key[position.en_passant & SEVEN]
    return key ^ tables.side_key if position.side == WHITE else key


@entry(VOID, TRIAL_TYPE, TABLES_TYPE, INT)
def make_whole_keys(trial, tables, rounds):
    """The key of every sample from scratch, `rounds` times."""
    for _ in range(rounds):
        for index in range(SAMPLES):
            trial.samples[index].key = whole_key(trial.samples[index].position, tables)


@entry(VOID, TRIAL_TYPE, TABLES_TYPE, INT)
def make_all_keys(trial, tables, rounds):
    """The four keys of every sample from scratch, as the engine makes them when a position is set up."""
    for _ in range(rounds):
        for index in range(SAMPLES):
            compute_keys(trial.samples[index].position, tables)


@entry(VOID, TRIAL_TYPE, TABLES_TYPE, INT)
def update_keys(trial, tables, rounds):
    """Keep one key up to date over a quiet move of every sample: out, in, other side; each result is stored."""
    key = tables.side_key
    for _ in range(rounds):
        for index in range(SAMPLES):
            sample = trial.samples[index]
            key ^= tables.piece_key[sample.piece, sample.from_] ^ tables.piece_key[sample.piece, sample.to] ^ tables.side_key
            sample.key = key


def new_player(seed: int) -> np.ndarray:
    """A player of random games from the usual start; the same seed, which is not 0, plays the same games."""
    player = np.zeros(1, PLAYER)
    player["start"] = parse_fen(START).record
    player["random"] = seed
    return player


def distinct_keys(count: int, seed: int) -> np.ndarray:
    """The keys of `count` positions of random games, all different, in random order."""
    player, found = new_player(seed), np.zeros(0, np.uint64)
    while len(found) < count:
        more = np.zeros(count - len(found) + count // 16 + LONGEST_GAME, np.uint64)
        collect(player, more)
        together = np.sort(np.concatenate([found, more]))
        found = together[np.append(True, together[1:] != together[:-1])]
    return np.random.default_rng(seed).permutation(found)[:count]


def new_trial(seed: int) -> np.ndarray:
    """Samples for the timings: positions of random games, each with the squares of a random move."""
    source, player, trial = np.random.default_rng(seed), new_player(seed), np.zeros(1, TRIAL)
    for sample in trial["samples"][0]:
        moves: list[int] = []
        while not moves:
            collect(player, np.zeros(source.integers(1, LONGEST_GAME // 2), np.uint64))
            moves = Position(player["position"]).legal_moves()
        move = int(source.choice(moves))
        sample["position"] = player["position"][0]
        sample["from_"], sample["to"] = move & 63, move >> 6 & 63
        sample["piece"] = sample["position"]["board"][sample["from_"]]
    return trial


def nanoseconds(action: Any, trial: np.ndarray, repeats: int, rounds: int = 100) -> float:
    """Median time that one of the kernels above takes for one sample."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        action(trial[0], TABLES_RECORD, rounds)
        times.append(time.perf_counter() - begin)
    return statistics.median(times) / rounds / SAMPLES * 1e9

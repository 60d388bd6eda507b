"""Random legal games, played by one kernel: a source of positions and their keys."""

import numpy as np

from zobra.engine.attacks import find_checks
from zobra.engine.board import FIFTY_MOVES, SEVEN, ZERO
from zobra.engine.fen import START, parse_fen
from zobra.engine.generator import ALL, generate
from zobra.engine.kernels import VOID, copy_record, entry, kernel, layout, record
from zobra.engine.layouts import CONSTANTS_TYPE, MOVE_LIST, POSITION
from zobra.engine.make import make
from zobra.engine.position import CONSTANTS_RECORD

LONGEST_GAME = 200  # plies
KEYS = 1 << 14  # positions that one call of the kernel visits

GAMES = layout(
    ("start", POSITION),
    ("position", POSITION),
    ("following", POSITION),
    ("moves", MOVE_LIST),
    ("random", "u8"),  # the state of the random numbers, not 0
    ("keys", "u8", (KEYS,)),
)

THIRTEEN = np.uint64(13)
SEVENTEEN = np.uint64(17)
TWENTY = np.uint64(20)


@kernel
def next_random(games):
    """Return a pseudo-random word of 44 bits: George Marsaglia's xorshift (2003)."""
    word = games.random
    word ^= word << THIRTEEN
    word ^= word >> SEVEN
    word ^= word << SEVENTEEN
    games.random = word
    return word >> TWENTY


@entry(VOID, record(GAMES), CONSTANTS_TYPE)
def play_games(games, constants):
    """Play random games from `start` until `keys` is full of the keys of the positions reached."""
    position = games.position
    following = games.following
    moves = games.moves
    index = 0
    while index < KEYS:
        copy_record(position, games.start)
        for _ in range(LONGEST_GAME):
            find_checks(position, constants)
            moves.count = ZERO
            count = generate(position, constants, moves, ALL)
            if count == ZERO or position.halfmove >= FIFTY_MOVES or index == KEYS:
                break
            move = np.uint64(moves.moves[next_random(games) % count])
            make(position, following, move, constants)
            copy_record(position, following)
            games.keys[index] = position.key
            index += 1


def distinct_keys(count: int, seed: int) -> np.ndarray:
    """Return the keys of `count` positions of random games, all different, in random order.

    The same `seed` (not 0) gives the same keys.
    """
    games = np.zeros(1, GAMES)
    games["start"] = parse_fen(START).record
    games["random"] = seed

    found = np.zeros(0, np.uint64)
    while len(found) < count:
        more = []
        for _ in range((count - len(found)) // KEYS + 1):
            play_games(games[0], CONSTANTS_RECORD)
            more.append(games["keys"][0].copy())
        found = np.unique(np.concatenate([found, *more]))
    return np.random.default_rng(seed).permutation(found)[:count]

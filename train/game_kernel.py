"""One game of Zobra against itself, from a random opening to its end, in one kernel call.

The call releases Python's global interpreter lock. A game depends only on its number, the seed, the
rules, the network and the engine, and a branch also on the game that it branches off. No clock is
read. The caller passes an empty table, a worker with empty histories, and random numbers that begin
with a hash of number and seed.
"""

from dataclasses import dataclass, fields

import numpy as np

from zobra.engine.board import FIFTY_MOVES, ONE, WHITE, ZERO
from zobra.engine.generator import ALL, generate
from zobra.engine.kernels import VOID, copy_record, entry, kernel, layout, record
from zobra.engine.layouts import CONSTANTS_TYPE, POSITION, POSITION_TYPE
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import DRAW, LONGEST_MATE
from zobra.search.draw import is_insufficient_material
from zobra.search.iterative_deepening import DEEPEST, list_root_moves, search_depth
from zobra.search.node import make_move
from zobra.search.root import begin_deepening
from zobra.search.worker import WORKER_TYPE
from zobra.train.recipe import GameRules
from zobra.tt.entry import GENERATION_MASK

LONGEST_GAME = 400  # plies after the opening
LAST_PLY = np.uint64(LONGEST_GAME)
BRANCH_TRIES = 32  # positions of the other game to try before giving up

RULES = layout(*((rule.name, "i8") for rule in fields(GameRules)))
GAME = layout(
    ("random", "u8"),  # state of the random numbers, at first the seed
    ("start", POSITION),  # after the opening
    ("result", "i8"),  # half points for White
    ("ending", "i8"),  # index into ENDINGS
    ("count", "u8"),  # plies played
    ("moves", "u2", (LONGEST_GAME,)),
    ("scores", "i2", (LONGEST_GAME,)),  # internal units for White
)

RESULTS = ("0-1", "1/2-1/2", "1-0")  # by half points
LOST, DRAWN, WON = (np.int64(half_points) for half_points in range(3))

ENDINGS = (
    "mate",
    "stalemate",
    "material",
    "fifty moves",
    "repetition",
    "length",
    "mate found",
    "win agreed",
    "draw agreed",
    "imported",
)
MATED, STALEMATE, MATERIAL, FIFTY, REPETITION, LENGTH, MATE_FOUND, WIN_AGREED, DRAW_AGREED = (
    np.int64(index) for index in range(9)
)

# SplitMix64
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
FIRST_SHIFT = np.uint64(30)
SECOND_SHIFT = np.uint64(27)
LAST_SHIFT = np.uint64(31)


class DataError(ValueError):
    """Unusable data. The message names the file and the fault."""


@dataclass(frozen=True)
class TrainingGame:
    """One game, from its position after the opening.

    `moves` (uint16) and `scores` (int16, internal units for White) have one element per ply.
    `result` is in half points for White, and `ending` is an index into ENDINGS.
    """

    number: int
    fen: str
    result: int
    ending: int
    moves: np.ndarray
    scores: np.ndarray


@kernel
def next_random(game):
    """Return the next random number of a game, 64 bits.

    Source: SplitMix64, Steele, Lea and Flood (2014).
    """
    game.random += GOLDEN
    mixed = (game.random ^ (game.random >> FIRST_SHIFT)) * FIRST_FACTOR
    mixed = (mixed ^ (mixed >> SECOND_SHIFT)) * SECOND_FACTOR
    return mixed ^ (mixed >> LAST_SHIFT)


@kernel
def count_moves(worker, constants):
    """Generate the legal moves at the root, and return their number."""
    worker.stack[0].moves.count = ZERO
    return generate(worker.stack[0].position, constants, worker.stack[0].moves, ALL)


@kernel
def advance_root(worker, constants, move):
    """Play a move of the game: the position after it becomes the root."""
    make_move(worker, constants, 0, move)
    copy_record(worker.stack[0], worker.stack[1])
    worker.root_key_index += 1


@kernel
def search_root(worker, constants, rules):
    """Return the best move and score of the last completed depth, or NO_MOVE and 0 without one."""
    worker.stopped = 0
    worker.nodes = 0
    worker.next_check = 0
    worker.null_move_min_ply = 0
    worker.node_limit = rules.node_limit
    worker.tt.generation = (worker.tt.generation + ONE) & GENERATION_MASK
    list_root_moves(worker, constants)
    begin_deepening(worker.root, 1, 1)

    root = worker.root
    move = NO_MOVE
    score = DRAW
    while root.depth < DEEPEST and worker.nodes < rules.nodes and abs(score) < LONGEST_MATE:
        if not search_depth(worker, constants):
            break
        move = root.moves[0].move
        score = root.moves[0].score
    return move, score


@kernel
def forget_moves(worker):
    """Make the root the start of the game, so that earlier positions cannot be repeated."""
    worker.stack[0].position.reversible_plies = 0
    worker.root_key_index = 0
    worker.keys[0] = worker.stack[0].position.key


@kernel
def set_root(worker, position):
    """Start the game at a position."""
    copy_record(worker.stack[0].position, position)
    forget_moves(worker)


@kernel
def open_game(worker, constants, rules, game, plies, margin):
    """Play `plies` random moves from the root, or one more.

    Return True if the game is not over and the score is within ±margin.
    """
    for _ in range(plies + np.int64(next_random(game) & ONE)):
        count = count_moves(worker, constants)
        if count == ZERO:
            return False
        index = next_random(game) % count
        advance_root(worker, constants, np.uint64(worker.stack[0].moves.moves[index]))

    if count_moves(worker, constants) == ZERO:
        return False
    move, score = search_root(worker, constants, rules)
    return move != NO_MOVE and abs(score) <= margin


@kernel
def choose_ply(rules, game, parent):
    """Return a random ply of another game whose score is within the margin, or -1 if there is none.

    All such plies are equally likely (reservoir sampling).
    """
    chosen = -1
    candidates = ZERO
    for ply in range(np.int64(parent.count)):
        if abs(np.int64(parent.scores[ply])) < rules.branch_margin:
            candidates += ONE
            if next_random(game) % candidates == ZERO:
                chosen = ply
    return chosen


@kernel
def branch_off(worker, constants, rules, game, parent):
    """Open a game with random moves from a random position of another game, `parent`.

    Return False if no balanced position was found, as when `parent` has no moves.
    """
    for _ in range(BRANCH_TRIES):
        chosen = choose_ply(rules, game, parent)
        if chosen < 0:
            return False
        set_root(worker, parent.start)
        for ply in range(chosen):
            advance_root(worker, constants, np.uint64(parent.moves[ply]))
        forget_moves(worker)
        if open_game(worker, constants, rules, game, rules.branch_plies, rules.branch_margin):
            return True
    return False


@kernel
def begin_game(worker, constants, rules, game, parent, start):
    """Open a game from a position of `parent`, or from `start` if none is balanced."""
    if branch_off(worker, constants, rules, game, parent):
        return
    set_root(worker, start)
    while not open_game(worker, constants, rules, game, rules.opening_plies, rules.opening_margin):
        set_root(worker, start)


@kernel
def is_threefold(worker):
    """Return whether the position at the root has occurred twice before."""
    position = worker.stack[0].position
    seen = 0
    back = 4
    while back <= position.reversible_plies and back <= worker.root_key_index:
        if worker.keys[worker.root_key_index - back] == position.key:
            seen += 1
        back += 2
    return seen >= 2


@kernel
def is_over(worker, constants, game):
    """Return whether the game is over by the rules of chess or by its length.

    Set its `result` and `ending`.
    """
    position = worker.stack[0].position
    game.result = DRAWN
    if count_moves(worker, constants) == ZERO:
        game.ending = STALEMATE
        if position.checkers != ZERO:
            game.result = LOST if position.side == WHITE else WON
            game.ending = MATED
        return True
    game.ending = LENGTH
    if is_insufficient_material(position):
        game.ending = MATERIAL
    elif position.halfmove >= FIFTY_MOVES:
        game.ending = FIFTY
    elif is_threefold(worker):
        game.ending = REPETITION
    return game.ending != LENGTH or game.count == LAST_PLY


@entry(VOID, WORKER_TYPE, CONSTANTS_TYPE, record(RULES), record(GAME), record(GAME), POSITION_TYPE)
def play_game(worker, constants, rules, game, parent, start):
    """Play one game and fill in `game`, whose `random` is the seed.

    It branches off `parent` if that has moves. `start` is the start position of chess.
    """
    begin_game(worker, constants, rules, game, parent, start)
    copy_record(game.start, worker.stack[0].position)
    game.count = ZERO

    # How many of the last plies, without a break, speak for an adjudication
    white_wins = 0
    black_wins = 0
    draws = 0
    adjudicated = False
    while not adjudicated and not is_over(worker, constants, game):
        move, score = search_root(worker, constants, rules)
        if move == NO_MOVE:  # not even the first depth was completed
            move = worker.root.moves[0].move
        white = score if worker.stack[0].position.side == WHITE else -score
        game.moves[game.count] = np.uint16(move)
        game.scores[game.count] = np.int16(white)
        game.count += ONE

        white_wins = white_wins + 1 if white >= rules.win_score else 0
        black_wins = black_wins + 1 if -white >= rules.win_score else 0
        is_level = abs(white) <= rules.draw_score
        draws = draws + 1 if is_level and np.int64(game.count) > rules.draw_after else 0

        adjudicated = True
        game.result = WON if white > DRAW else LOST
        if abs(score) >= LONGEST_MATE:
            game.ending = MATE_FOUND
        elif white_wins >= rules.win_plies or black_wins >= rules.win_plies:
            game.ending = WIN_AGREED
        elif draws >= rules.draw_plies:
            game.ending = DRAW_AGREED
            game.result = DRAWN
        else:
            adjudicated = False
        advance_root(worker, constants, move)

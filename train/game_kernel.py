"""One game of Zobra against itself, from the random opening to its end, in one kernel call without
Python's global lock.

A game depends on its seed, the rules below, the engine and, if it branches off another game, that
game only. No clock is read. The caller passes an empty table and a worker with empty histories.
"""

from dataclasses import dataclass

import numpy as np

from zobra.engine.board import FIFTY_MOVES, ONE, WHITE, ZERO
from zobra.engine.generator import ALL, generate
from zobra.engine.kernels import VOID, copy_record, entry, kernel, record
from zobra.engine.layouts import CONSTANTS_TYPE, POSITION, POSITION_TYPE
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import DRAW, LONGEST_MATE
from zobra.search.draw import is_insufficient_material
from zobra.search.iterative_deepening import DEEPEST, list_root_moves, search_depth
from zobra.search.node import make_move
from zobra.search.root import begin_deepening
from zobra.search.worker import WORKER_TYPE
from zobra.tt.entry import GENERATION_MASK

LONGEST_GAME = 400  # plies after the opening

RULE_DEFAULTS = {
    "nodes": 800,  # soft limit: no new depth starts after so many nodes
    "node_limit": 8_000,  # hard limit: a search stops here
    "opening_plies": 8,  # random moves before the game; one more in every other game
    "opening_margin": 300,  # centipawns: an opening whose score is farther from 0 is replaced
    "win_score": 2_000,  # centipawns: a win is adjudicated when the score stays beyond this
    "win_plies": 5,
    "draw_score": 8,  # centipawns: a draw is adjudicated when the score stays within this
    "draw_plies": 12,
    "draw_after": 80,  # and at least so many plies were played
    "branches": 0,  # one game in so many begins off a position of another game; 0: none
    "branch_plies": 1,  # random moves after that position; one more in every other game
    "branch_margin": 600,  # centipawns: scores of that position and after those moves stay within
}
# Sets that were made before these rules do not state them, and were played by their defaults.
ADDED_RULES = ("branches", "branch_plies", "branch_margin")
OTHER_BOUNDS = (0, 30_000)  # of every rule that RULE_BOUNDS does not name
RULE_BOUNDS = {"nodes": (1, 1 << 40), "node_limit": (500, 1 << 40), "opening_plies": (0, 200)}
RULE_BOUNDS |= {"branches": (0, 1_000), "branch_plies": (0, 200)}
RULE_BOUNDS |= {"win_plies": (1, OTHER_BOUNDS[1]), "draw_plies": (1, OTHER_BOUNDS[1])}
RULES = np.dtype([(name, "i8") for name in RULE_DEFAULTS], align=True)

# `start` is the position after the opening; scores are centipawns for White; `result` is in half
# points for White.
GAME = np.dtype(
    [
        ("random", "u8"),  # state of the random numbers; before the game, its seed
        ("start", POSITION),
        ("result", "i8"),
        ("ending", "i8"),  # index into ENDINGS
        ("count", "u8"),  # plies played
        ("moves", "u2", (LONGEST_GAME,)),
        ("scores", "i2", (LONGEST_GAME,)),
    ],
    align=True,
)
ENDED_BY_RULE = ("mate", "stalemate", "material", "fifty moves", "repetition", "length")
ENDINGS = (*ENDED_BY_RULE, "mate found", "win agreed", "draw agreed", "imported")
RESULTS = ("0-1", "1/2-1/2", "1-0")  # by half points
MATED, STALEMATE, MATERIAL, FIFTY, REPETITION, LENGTH, MATE_FOUND, WIN_AGREED, DRAW_AGREED = map(
    np.int64, range(9)
)

LOST, DRAWN, WON = np.int64(0), np.int64(1), np.int64(2)
LAST_PLY = np.uint64(LONGEST_GAME)
BRANCH_TRIES = 32  # positions of the other game that a branch may begin off before it gives up
GOLDEN, FIRST_FACTOR, SECOND_FACTOR = map(
    np.uint64, (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
FIRST_SHIFT, SECOND_SHIFT, LAST_SHIFT = map(np.uint64, (30, 27, 31))


class DataError(ValueError):
    """Data that cannot be used; the message names the file and the fault."""


@dataclass(frozen=True)
class TrainingGame:
    """One game: FEN after the opening, moves (uint16) and scores (int16, centipawns for White) of
    equal length. `result` is in half points for White, `ending` an index into ENDINGS.
    """

    number: int
    fen: str
    result: int
    ending: int
    moves: np.ndarray
    scores: np.ndarray


@kernel
def next_random(game):
    """The next of the game's random numbers, 64 bits. Source: SplitMix64, Steele, Lea and Flood."""
    game.random += GOLDEN
    mixed = (game.random ^ (game.random >> FIRST_SHIFT)) * FIRST_FACTOR
    mixed = (mixed ^ (mixed >> SECOND_SHIFT)) * SECOND_FACTOR
    return mixed ^ (mixed >> LAST_SHIFT)


@kernel
def count_moves(worker, constants):
    """Number of legal moves at the root; the moves are left in its node."""
    worker.stack[0].moves.count = ZERO
    return generate(worker.stack[0].position, constants, worker.stack[0].moves, ALL)


@kernel
def advance_root(worker, constants, move):
    """Make a move of the game: the position after it becomes the root."""
    make_move(worker, constants, 0, move)
    copy_record(worker.stack[0], worker.stack[1])
    worker.root_key_index += 1


@kernel
def search_root(worker, constants, rules):
    """Return the best move and score of the last completed depth; NO_MOVE if there is none."""
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
    """Let the game begin at the root: earlier positions are no repetitions."""
    worker.stack[0].position.reversible_plies = 0
    worker.root_key_index = 0
    worker.keys[0] = worker.stack[0].position.key


@kernel
def set_root(worker, position):
    """Let a game begin at a position."""
    copy_record(worker.stack[0].position, position)
    forget_moves(worker)


@kernel
def open_game(worker, constants, rules, game, plies, margin):
    """Play `plies` random moves from the root, or one more.

    True if the position after them is balanced within `margin` and the game can go on.
    """
    for _ in range(plies + np.int64(next_random(game) & ONE)):
        count = count_moves(worker, constants)
        if count == ZERO:
            return False
        advance_root(
            worker, constants, np.uint64(worker.stack[0].moves.moves[next_random(game) % count])
        )
    if count_moves(worker, constants) == ZERO:
        return False
    move, score = search_root(worker, constants, rules)
    return move != NO_MOVE and abs(score) <= margin


@kernel
def branch_off(worker, constants, rules, game, parent):
    """Open a game with random moves off a random position of another one, `parent`.

    False if `parent` has no position within the margin, or no try found a balanced one.
    """
    for _ in range(BRANCH_TRIES):
        candidates = ZERO
        chosen = 0
        for ply in range(np.int64(parent.count)):
            if abs(np.int64(parent.scores[ply])) < rules.branch_margin:
                candidates += ONE
                if next_random(game) % candidates == ZERO:
                    chosen = ply
        if candidates == ZERO:
            return False

        set_root(worker, parent.start)
        for ply in range(chosen):
            advance_root(worker, constants, np.uint64(parent.moves[ply]))
        forget_moves(worker)
        if open_game(worker, constants, rules, game, rules.branch_plies, rules.branch_margin):
            return True
    return False


@kernel
def is_threefold(worker):
    """Has the position at the root occurred twice before?"""
    key, seen, back = worker.stack[0].position.key, 0, 4
    while back <= worker.stack[0].position.reversible_plies and back <= worker.root_key_index:
        if worker.keys[worker.root_key_index - back] == key:
            seen += 1
        back += 2
    return seen >= 2


@kernel
def is_over(worker, constants, game):
    """Is the game over by the rules of chess or by length? Sets `result` and `ending`."""
    position = worker.stack[0].position
    game.result = DRAWN
    if count_moves(worker, constants) == ZERO:
        game.ending = STALEMATE
        if position.checkers != ZERO:
            game.result, game.ending = (LOST if position.side == WHITE else WON), MATED
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
    """Play one game and fill `game`, whose `random` holds the seed.

    It begins off `parent` if that has moves, and else with random moves after `start`.
    """
    if not branch_off(worker, constants, rules, game, parent):
        set_root(worker, start)
        while not open_game(
            worker, constants, rules, game, rules.opening_plies, rules.opening_margin
        ):
            set_root(worker, start)
    copy_record(game.start, worker.stack[0].position)
    game.count = ZERO
    white_wins, black_wins, draws, adjudicated = 0, 0, 0, False
    while not adjudicated and not is_over(worker, constants, game):
        move, score = search_root(worker, constants, rules)
        if move == NO_MOVE:
            move = worker.root.moves[0].move
        white = score if worker.stack[0].position.side == WHITE else -score
        game.moves[game.count], game.scores[game.count] = np.uint16(move), np.int16(white)
        game.count += ONE
        white_wins = white_wins + 1 if white >= rules.win_score else 0
        black_wins = black_wins + 1 if -white >= rules.win_score else 0
        draws = (
            draws + 1
            if abs(white) <= rules.draw_score and np.int64(game.count) > rules.draw_after
            else 0
        )
        adjudicated, game.result = True, WON if white > DRAW else LOST
        if abs(score) >= LONGEST_MATE:
            game.ending = MATE_FOUND
        elif white_wins >= rules.win_plies or black_wins >= rules.win_plies:
            game.ending = WIN_AGREED
        elif draws >= rules.draw_plies:
            game.result, game.ending = DRAWN, DRAW_AGREED
        else:
            adjudicated = False
        advance_root(worker, constants, move)

"""One game of Zobra against itself, from the random opening to its end, in one call that holds no Python lock.

What a game is depends on its seed, the rules below and the engine alone: no clock is read, and the caller hands over an empty
table and a worker that has learned nothing.
"""

from __future__ import annotations

import numpy as np

from zobra.engine.board import FIFTY_MOVES, ONE, WHITE, ZERO
from zobra.engine.generator import ALL, generate
from zobra.engine.kernels import VOID, copy_record, entry, kernel, record
from zobra.engine.layouts import POSITION, POSITION_TYPE, TABLES_TYPE
from zobra.engine.material import is_insufficient_material
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import DRAW, INFINITY, LONGEST_MATE, MAX_PLY
from zobra.search.evaluation import reset_accumulator
from zobra.search.negamax import negamax
from zobra.search.node import make_move
from zobra.search.worker import WORKER_TYPE
from zobra.tt.entry import GENERATION_MASK

LONGEST_GAME = 400  # plies after the opening

RULE_DEFAULTS = {
    "nodes": 800,  # no new depth is begun after so many nodes (a soft limit)
    "node_limit": 8_000,  # and none goes on after these
    "opening_plies": 8,  # random moves before the game; one more in every other game
    "opening_margin": 300,  # centipawns: an opening that a search finds farther from balance is thrown away
    "win_score": 2_000,  # centipawns: a game is won when the score stays beyond this
    "win_plies": 5,
    "draw_score": 8,  # centipawns: a game is drawn when the score stays within this
    "draw_plies": 12,
    "draw_after": 80,  # plies of the game that must have been played before that
}
OTHER_BOUNDS = (0, 30_000)  # of every rule that is not named below
RULE_BOUNDS = {
    "nodes": (1, 1 << 40),
    "node_limit": (500, 1 << 40),
    "opening_plies": (0, 200),
    "win_plies": (1, OTHER_BOUNDS[1]),
    "draw_plies": (1, OTHER_BOUNDS[1]),
}
RULES = np.dtype([(name, "i8") for name in RULE_DEFAULTS], align=True)

# `start` is the position after the opening; scores are centipawns for White; `result` is in half points for White.
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
ENDINGS = ("mate", "stalemate", "material", "fifty moves", "repetition", "length", "mate found", "win agreed", "draw agreed")
MATED, STALEMATE, MATERIAL, FIFTY, REPETITION, LENGTH, MATE_FOUND, WIN_AGREED, DRAW_AGREED = map(np.int64, range(len(ENDINGS)))

ROOT, NONE, ONE_MORE = np.int64(0), np.int64(0), np.int64(1)
LOST, DRAWN, WON = np.int64(0), np.int64(1), np.int64(2)
SOONEST, BOTH_SIDES, TWICE = np.int64(4), np.int64(2), np.int64(2)
LAST = np.uint64(LONGEST_GAME)
DEEPEST = np.int64(MAX_PLY - 1)
WIDENING, WIDEST = np.int64(2), np.int64(1_000)
GOLDEN, FIRST_FACTOR, SECOND_FACTOR = map(np.uint64, (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
FIRST_SHIFT, SECOND_SHIFT, LAST_SHIFT = map(np.uint64, (30, 27, 31))


@kernel
def next_random(game):
    """The next of the game's random numbers, 64 bits. Source: SplitMix64, Steele, Lea and Flood."""
    game.random += GOLDEN
    mixed = (game.random ^ (game.random >> FIRST_SHIFT)) * FIRST_FACTOR
    mixed = (mixed ^ (mixed >> SECOND_SHIFT)) * SECOND_FACTOR
    return mixed ^ (mixed >> LAST_SHIFT)


@kernel
def count_moves(worker, tables):
    """Number of legal moves at the root; they stand in its node."""
    node = worker.stack[ROOT]
    node.moves.count = ZERO
    return generate(node.position, tables, node.moves, ALL)


@kernel
def play_on(worker, tables, move):
    """Make a move of the game: what follows it becomes the root."""
    make_move(worker, tables, ROOT, move)
    copy_record(worker.stack[ROOT], worker.stack[ROOT + ONE_MORE])
    worker.root_key_index += ONE_MORE


@kernel
def search_window(worker, tables, depth, expected):
    """Search one depth in a window around the expected score that widens where it fails; the score.

    Simpler than in play (search/deepening.py): nothing is reduced above the window.
    """
    margin = worker.parameters.aspiration_margin
    alpha, beta = np.int64(-INFINITY), np.int64(INFINITY)
    if depth >= worker.parameters.aspiration_depth and abs(expected) < LONGEST_MATE:
        alpha, beta = np.int64(expected - margin), np.int64(expected + margin)
    worker.root_depth = depth
    while True:
        score = negamax(worker, tables, ROOT, depth, alpha, beta, NONE)
        if worker.stopped or (score > alpha and score < beta):
            return score
        margin *= WIDENING
        if score >= beta:
            beta = np.int64(score + margin if margin <= WIDEST else INFINITY)
        else:
            alpha = np.int64(score - margin if margin <= WIDEST else -INFINITY)


@kernel
def think(worker, tables, rules):
    """Best move at the root and its score, of the last depth that was finished; NO_MOVE if not even one was."""
    worker.stopped = worker.nodes = worker.null_move_min_ply = NONE
    worker.node_limit = rules.node_limit
    worker.root_moves.count = ZERO
    worker.table.generation = (worker.table.generation + ONE) & GENERATION_MASK
    best, move, depth = DRAW, NO_MOVE, NONE
    while depth < DEEPEST and worker.nodes < rules.nodes and abs(best) < LONGEST_MATE:
        depth += ONE_MORE
        score = search_window(worker, tables, depth, best)
        if worker.stopped:
            break
        best, move = score, np.uint64(worker.lines[ROOT, ROOT])
    return move, best


@kernel
def open_game(worker, tables, rules, game, start):
    """Play random moves from `start`; whether that led to a balanced position."""
    copy_record(worker.stack[ROOT].position, start)
    reset_accumulator(worker.stack[ROOT])
    worker.root_key_index = NONE
    worker.keys[NONE] = start.key
    plies = rules.opening_plies + np.int64(next_random(game) & ONE)
    for _ in range(plies):
        count = count_moves(worker, tables)
        if count == ZERO:
            return False
        play_on(worker, tables, np.uint64(worker.stack[ROOT].moves.moves[next_random(game) % count]))
    if count_moves(worker, tables) == ZERO:
        return False
    move, score = think(worker, tables, rules)
    return move != NO_MOVE and abs(score) <= rules.opening_margin


@kernel
def is_threefold(worker):
    """Has the position at the root been on the board twice before?"""
    key, seen, back = worker.stack[ROOT].position.key, NONE, SOONEST
    while back <= worker.stack[ROOT].position.repeatable and back <= worker.root_key_index:
        if worker.keys[worker.root_key_index - back] == key:
            seen += ONE_MORE
        back += BOTH_SIDES
    return seen >= TWICE


@kernel
def is_over(worker, tables, game):
    """By the rules of chess, or by length? Then result and ending are noted."""
    position = worker.stack[ROOT].position
    game.result = DRAWN
    if count_moves(worker, tables) == ZERO:
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
    return game.ending != LENGTH or game.count == LAST


@kernel
def decide(game, result, ending):
    """The game is over before the rules of chess end it."""
    game.result, game.ending = result, ending
    return True


@entry(VOID, WORKER_TYPE, TABLES_TYPE, record(RULES), record(GAME), POSITION_TYPE)
def play_game(worker, tables, rules, game, start):
    """Play the game whose seed stands in `game.random` from random moves after `start`, and write it down."""
    while not open_game(worker, tables, rules, game, start):
        pass
    copy_record(game.start, worker.stack[ROOT].position)
    game.count = ZERO
    white_wins, black_wins, draws = NONE, NONE, NONE
    decided = False
    while not decided and not is_over(worker, tables, game):
        move, score = think(worker, tables, rules)
        if move == NO_MOVE:
            move = np.uint64(worker.stack[ROOT].moves.moves[ZERO])
        white = score if worker.stack[ROOT].position.side == WHITE else -score
        game.moves[game.count], game.scores[game.count] = np.uint16(move), np.int16(white)
        game.count += ONE
        white_wins = white_wins + ONE_MORE if white >= rules.win_score else NONE
        black_wins = black_wins + ONE_MORE if -white >= rules.win_score else NONE
        draws = draws + ONE_MORE if abs(white) <= rules.draw_score and np.int64(game.count) > rules.draw_after else NONE
        if abs(score) >= LONGEST_MATE:
            decided = decide(game, WON if white > DRAW else LOST, MATE_FOUND)
        elif white_wins >= rules.win_plies or black_wins >= rules.win_plies:
            decided = decide(game, WON if white > DRAW else LOST, WIN_AGREED)
        elif draws >= rules.draw_plies:
            decided = decide(game, DRAWN, DRAW_AGREED)
        play_on(worker, tables, move)

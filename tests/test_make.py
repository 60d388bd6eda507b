"""Making moves: what is kept up to date move by move must equal what is computed from scratch."""

import chess
import numpy as np
import pytest

from tests.playouts import playouts
from zobra.engine.attacks import find_checks
from zobra.engine.board import ZERO
from zobra.engine.fen import parse_fen, write_fen
from zobra.engine.generator import ALL, generate
from zobra.engine.jit import INT, copy_record, entry, lowest
from zobra.engine.layouts import MOVE_LIST, MOVE_LIST_TYPE, POSITION, POSITION_TYPE, TABLES_TYPE
from zobra.engine.make import make
from zobra.engine.position import TABLES_RECORD
from zobra.engine.zobrist import compute_keys

HISTORY = ("repeatable",)  # what a FEN does not tell


def same(ours: np.void, other: np.void) -> bool:
    return all(np.array_equal(ours[name], other[name]) for name in POSITION.names if name not in HISTORY)


@pytest.mark.parametrize("seed", range(3))
def test_every_field_equals_a_position_read_from_its_fen(seed):
    for _, position in playouts(10, 100 + seed):
        assert same(position.record, parse_fen(write_fen(position)).record), write_fen(position)


def test_null_move_only_passes():
    for board, position in playouts(6, 9):
        if not position.in_check:
            board.push(chess.Move.null())
            after = position.after(0)
            assert write_fen(after).split()[:4] == board.fen().split()[:4]
            assert same(after.record, parse_fen(write_fen(after)).record)
            board.pop()


def test_repeatable_counts_reversible_plies():
    position = parse_fen("r3k2r/8/8/8/8/8/4P3/R3K2R w KQkq - 0 1")
    for text, expected in (("a1b1", 0), ("a8b8", 0), ("b1c1", 1), ("b8c8", 2), ("e2e4", 0), ("c8c7", 1)):
        position = position.after(position.parse_move(text))
        assert position.record["repeatable"] == expected, text


@entry(INT, POSITION_TYPE, POSITION_TYPE, MOVE_LIST_TYPE, TABLES_TYPE, INT, INT)
def first_difference(position, following, moves, tables, plies, seed):
    """Play random moves; the ply after which keys or sums differ from those computed from scratch, -1 if none does."""
    state = np.uint64(seed)
    for ply in range(plies):
        find_checks(position, tables)
        moves.count = ZERO
        count = generate(position, tables, moves, ALL)
        if count == ZERO or position.halfmove >= 100:
            return -1
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        make(position, following, np.uint64(moves.moves[(state >> np.uint64(20)) % count]), tables)
        copy_record(position, following)
        total = np.int64(0)
        occupied = position.colours[0] | position.colours[1]
        while occupied:
            square = lowest(occupied)
            total += tables.piece_square[position.board[square], square]
            occupied &= occupied - np.uint64(1)
        compute_keys(following, tables)
        wrong = following.key != position.key or total != position.piece_square
        for index in range(3):
            wrong |= following.structure_keys[index] != position.structure_keys[index]
        if wrong:
            return ply
    return -1


@pytest.mark.parametrize("games", [200, pytest.param(8_000, marks=pytest.mark.slow)])
def test_keys_and_sums_stay_right_over_random_games(games):
    """8,000 games are more than a million plies."""
    moves, following = np.zeros(1, MOVE_LIST), np.zeros(1, POSITION)
    starts = [position for board, position in playouts(40, 5, longest=1)]
    plies = 0
    for game in range(games):
        array = starts[game % len(starts)].array.copy()
        assert first_difference(array[0], following[0], moves[0], TABLES_RECORD, 400, 2 * game + 12345) == -1
        plies += int(array[0]["fullmove"]) * 2
    assert plies > games * 100

"""Making moves: what is kept up to date move by move must equal what is computed from scratch."""

import chess
import numpy as np
import pytest

from tests.support import naive
from tests.support.playouts import playouts
from tests.support.search_kernels import call
from zobra.engine.attacks import find_checks
from zobra.engine.board import NO_PIECE, ONE, ZERO
from zobra.engine.fen import parse_fen, write_fen
from zobra.engine.generator import ALL, generate
from zobra.engine.kernels import INT, copy_record, entry, kernel, record
from zobra.engine.layouts import CONSTANTS_TYPE, MOVE_LIST, POSITION
from zobra.engine.make import key_after, make
from zobra.engine.position import CONSTANTS_RECORD, set_up
from zobra.engine.random_games import next_random

PLIES = 400  # of the longest random game
RECORDS = [("made", POSITION, (PLIES + 1,)), ("rebuilt", POSITION, (PLIES + 1,))]
GAME = np.dtype([*RECORDS, ("moves", MOVE_LIST), ("random", "u8")], align=True)


def same(ours: np.void, other: np.void) -> bool:
    names = set(POSITION.names) - {"reversible_plies"}  # no FEN has them
    return all(np.array_equal(ours[name], other[name]) for name in names)


def test_a_null_move_changes_only_the_side_to_move():
    for board, position in playouts(6, 9):
        if not position.in_check:
            board.push(chess.Move.null())
            after = position.after(0)
            assert write_fen(after).split()[:4] == board.fen().split()[:4]
            assert same(after.record, parse_fen(write_fen(after)).record)
            board.pop()


def test_reversible_plies_are_counted():
    position = parse_fen("r3k2r/8/8/8/8/8/4P3/R3K2R w KQkq - 0 1")
    counts = {"a1b1": 0, "a8b8": 0, "b1c1": 1, "b8c8": 2, "e2e4": 0, "c8c7": 1}
    for text, expected in counts.items():
        position = position.after(position.parse_move(text))
        assert position.record["reversible_plies"] == expected, text


def test_key_after_predicts_the_key_of_a_plain_move():
    for _, before in playouts(4, 12):
        given = {"position": before.record, "constants": CONSTANTS_RECORD}
        for move in before.legal_moves():
            after = before.after(move)
            is_plain = move < 1 << 12 and not before.record["en_passant"]
            if is_plain and after.record["castling"] == before.record["castling"]:
                assert call(key_after, move=move, **given) == after.key


@kernel
def rebuild(position, fresh, constants):
    """The same position from its mailbox, side, castling rooks, en-passant square and counters: all
    else computed anew.
    """
    copy_record(fresh, position)
    for kind in range(6):
        fresh.pieces[kind] = ZERO
    fresh.colours[0] = fresh.colours[1] = ZERO
    for square in range(64):
        piece = np.uint64(position.board[square])
        if piece != NO_PIECE:
            fresh.pieces[piece >> ONE] |= ONE << np.uint64(square)
            fresh.colours[piece & ONE] |= ONE << np.uint64(square)
    fresh.key = fresh.checkers = fresh.pinned = ~ZERO
    set_up(fresh, constants)


@entry(INT, record(GAME), CONSTANTS_TYPE)
def play_and_rebuild(game, constants):
    """Play random moves from `made[0]`, and rebuild each position beside it.

    Return the number of plies.
    """
    for ply in range(PLIES):
        position = game.made[ply]
        following = game.made[ply + 1]
        game.moves.count = ZERO
        count = generate(position, constants, game.moves, ALL)
        if count == ZERO or position.halfmove >= 100:
            return ply
        make(position, following, np.uint64(game.moves.moves[next_random(game) % count]), constants)
        find_checks(following, constants)
        rebuild(following, game.rebuilt[ply + 1], constants)
    return PLIES


@pytest.mark.parametrize("games", [200, pytest.param(8_000, marks=pytest.mark.slow)])
def test_every_byte_stays_right_over_random_games(games):
    """After each move the record is the one built from scratch, byte for byte, and its keys are
    those of plain Python.
    """
    game = np.zeros(1, GAME)
    game["random"] = 12345
    starts = [position.record for _, position in playouts(40, 5, longest=1)]
    total = 0
    castlings = 0
    for number in range(games):
        game["made"][0, 0] = starts[number % len(starts)]
        plies = play_and_rebuild(game[0], CONSTANTS_RECORD)
        made = game["made"][0, 1 : plies + 1]
        rebuilt = game["rebuilt"][0, 1 : plies + 1]
        assert made.tobytes() == rebuilt.tobytes()
        assert np.array_equal(made["key"], naive.keys(made))
        assert np.array_equal(made["correction_keys"], naive.correction_keys(made))
        total += plies
        castlings += np.count_nonzero(np.diff(made["castling"]))
    assert total >= games * 125  # 8,000 games are a million plies
    assert castlings > games

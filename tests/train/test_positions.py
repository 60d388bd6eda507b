"""The positions that are learned from, against python-chess."""

from dataclasses import replace

import chess
import numpy as np
import pytest

from tests.support.training_games import positions_of, replayed
from zobra.engine.move import NO_MOVE
from zobra.train.game_kernel import DataError, TrainingGame
from zobra.train.positions import EMPTY, Replayer, mailboxes, unpack_board
from zobra.train.recipe import Filter


def expected_positions(game: TrainingGame, first_ply: int) -> list[tuple[str, int, int, int]]:
    """Board, score, result and mirrored sides of the quiet positions of a game, whose side to move
    plays up the board.
    """
    found = []
    for board, move, score in replayed(game):
        quiet = not board.is_check() and not board.is_capture(move) and not move.promotion
        wanted = board.ply() >= first_ply and abs(score) <= 3_000 and len(board.piece_map()) >= 4
        if not quiet or not wanted:
            continue
        seen = board if board.turn else board.mirror()
        mirrored = 0
        if chess.square_file(seen.king(chess.WHITE)) > 3:
            mirrored |= 1
        if chess.square_file(seen.king(chess.BLACK)) > 3:
            mirrored |= 2
        if board.turn:
            found.append((seen.board_fen(), score, game.result, mirrored))
        else:
            found.append((seen.board_fen(), -score, 2 - game.result, mirrored))
    return found


def test_packed_positions_are_those_of_the_game(games):
    for game in games[:10]:
        positions = positions_of([game], Filter(first_ply=12))
        found = []
        for packed in positions:
            numbers = (int(packed[name]) for name in ("score", "result", "mirrored"))
            found.append((unpack_board(packed).board_fen(), *numbers))
        assert found == expected_positions(game, 12)
        assert set(positions["game"]) <= {game.number}


def piece_counts(positions: np.ndarray) -> np.ndarray:
    return (mailboxes(positions) != EMPTY).sum(axis=1)


def test_positions_with_few_pieces_are_thinned_by_their_keys(games):
    """About half of them are left, the same whatever their order, and all others."""
    everything = Filter(first_ply=0, largest_score=30_000)
    thinned = replace(everything, thinned_pieces=24)
    whole = positions_of(games, everything)
    part = positions_of(games, thinned)
    reversed_part = positions_of(reversed(games), thinned)
    assert sorted(each.tobytes() for each in part) == sorted(
        each.tobytes() for each in reversed_part
    )
    assert {each.tobytes() for each in part} <= {each.tobytes() for each in whole}
    assert (part[piece_counts(part) > 24] == whole[piece_counts(whole) > 24]).all()
    few = (piece_counts(whole) <= 24).sum()
    assert few > 300
    assert 0.35 < (piece_counts(part) <= 24).sum() / few < 0.65


def test_captures_come_first_in_the_order_of_moves(games):
    """The order is part of the form of the files; victims come by their value."""
    replayer = Replayer(Filter())
    for game in games[:3]:
        indices = replayer.indices(game).tolist()
        for (board, played, _), index in zip(replayed(game), indices, strict=True):
            captures = []
            for move in board.legal_moves:
                if board.is_capture(move) and not board.is_en_passant(move):
                    captures.append(move)
            assert (index < len(captures)) == (played in captures)
            if played in captures:
                victims = [board.piece_type_at(move.to_square) for move in captures]
                victim = board.piece_type_at(played.to_square)
                assert index >= sum(other > victim for other in victims)


def test_an_illegal_move_is_named(games):
    game = games[7]
    last = len(game.moves) - 1
    replayer = Replayer(Filter())
    illegal = ((0, int(NO_MOVE)), (last, int(NO_MOVE)), (last, 0xFFFF), (1, int(game.moves[0])))
    for ply, move in illegal:
        moves = game.moves.copy()
        moves[ply] = move
        with pytest.raises(DataError, match=f"game 7: its move at ply {ply} is not legal"):
            replayer.indices(replace(game, moves=moves))

    indices = replayer.indices(game)
    indices[last] = 217
    with pytest.raises(DataError, match=f"game 7: its move at ply {last} is not legal"):
        replayer.read(replace(game, moves=indices))

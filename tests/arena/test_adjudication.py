"""Endings by the rules, by faults, by scores, by length and by tablebases."""

from types import SimpleNamespace

import chess
import chess.syzygy
import pytest

from tests.support.paths import SHARED
from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.model.adjudication import (
    AdjudicationRules,
    Adjudicator,
    Ending,
    ending_by_failure,
    ending_on_board,
    open_tablebase,
)

SYZYGY = SHARED / "data" / "syzygy"
SHUFFLE = ["g1f3", "g8f6", "f3g1", "f6g8"]


def played(move: str, score: int | None = 0, mate: int | None = None) -> PlayedMove:
    return PlayedMove(chess.Move.from_uci(move), score, mate)


def play(rules: AdjudicationRules, scores: list) -> tuple[Ending | None, int]:
    """Knights go to and fro. Return the ending, and after how many plies it came.

    The scores are the movers': centipawns, or "M-3" for a mate.
    """
    board = chess.Board()
    adjudicator = Adjudicator(rules)
    for ply, score in enumerate(scores):
        move = SHUFFLE[ply % 4]
        if isinstance(score, str):
            reported = played(move, None, int(score[1:]))
        else:
            reported = played(move, score)
        board.push(reported.move)
        ending = adjudicator.ending(board, reported)
        if ending is not None:
            return ending, ply + 1
    return None, len(scores)


@pytest.mark.parametrize(
    "fen, moves, ending",
    [
        ("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", ["f7g7"], Ending("1-0", "mate")),
        ("8/8/8/8/8/6k1/5q2/7K b - - 0 1", ["f2g2"], Ending("0-1", "mate")),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", ["f1f7"], Ending("1/2-1/2", "stalemate")),
        ("7k/8/6K1/8/8/8/8/5n2 w - - 0 1", [], Ending("1/2-1/2", "insufficient material")),
        ("7k/8/6K1/8/8/8/8/5R2 w - - 99 80", ["f1f2"], Ending("1/2-1/2", "fifty-move rule")),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 99 80", ["f1f8"], Ending("1-0", "mate")),
        (chess.STARTING_FEN, SHUFFLE * 2, Ending("1/2-1/2", "threefold repetition")),
        (chess.STARTING_FEN, SHUFFLE, None),
    ],
)
def test_the_rules_of_chess(fen, moves, ending):
    board = chess.Board(fen)
    for move in moves:
        assert ending_on_board(board) is None
        board.push_uci(move)
    assert ending_on_board(board) == ending


@pytest.mark.parametrize(
    ("loser", "reason", "result"),
    [
        (chess.WHITE, "time", "1/2-1/2"),
        (chess.BLACK, "time", "1-0"),
        (chess.WHITE, "disconnect", "0-1"),
    ],
)
def test_a_flag_that_falls_against_a_bare_king_is_a_draw(loser, reason, result):
    board = chess.Board("8/8/4k3/8/8/3RK3/8/8 w - - 0 1")
    assert ending_by_failure(board, loser, reason).result == result


DRAW = {"draw": (3, 2, 10)}
RESIGN = {"resign": (2, 500)}
TWOSIDED = {"resign": (2, 500), "resign_twosided": True}


@pytest.mark.parametrize(
    "rules, scores, ending, plies",
    [
        # a draw needs enough quiet moves of both sides, late enough
        (DRAW, [0, 10, -10, 5, 0, 9, 1], Ending("1/2-1/2", "draw adjudication"), 6),
        ({"draw": (0, 2, 10)}, [0] * 9, Ending("1/2-1/2", "draw adjudication"), 4),
        *((DRAW, [0, 0, 0, score] * 5, None, 20) for score in (11, None, "M5")),
        (RESIGN, [-500, 0, -600, 0], Ending("0-1", "resign adjudication"), 3),
        (RESIGN, [0, "M-3", 0, "M-2"], Ending("1-0", "resign adjudication"), 4),
        (RESIGN, [-499, 0] * 4, None, 8),
        (RESIGN, [-600, 0, 0, 0] * 4, None, 16),
        (TWOSIDED, [-600, 0, -600, 0, -600], None, 5),
        (TWOSIDED, [-600, 700, -600, "M9"], Ending("0-1", "resign adjudication"), 4),
        ({"move_limit": 3}, [0] * 9, Ending("1/2-1/2", "move limit"), 6),
    ],
)
def test_endings_by_scores_and_length(rules, scores, ending, plies):
    assert play(AdjudicationRules(**rules), scores) == (ending, plies)


def test_a_pawn_move_starts_the_count_again():
    board = chess.Board()
    adjudicator = Adjudicator(AdjudicationRules(draw=(0, 2, 10)))
    found = []
    for move in ["g1f3", "g8f6", "f3g1", "e7e6", "g1f3", "f6g8", "f3g1"]:
        board.push_uci(move)
        found.append(adjudicator.ending(board, played(move)) is not None)
    assert found == [False] * 6 + [True]  # the pawn move is itself a quiet one, the first of four


@pytest.mark.parametrize(
    "value, result",
    [(2, "0-1"), (-2, "1-0"), (0, "1/2-1/2"), (1, "1/2-1/2"), (-1, "1/2-1/2"), (None, None)],
)
def test_tablebases_decide_where_they_are_exact(value, result):
    board = chess.Board("4k3/8/8/8/8/8/4P3/4K3 w - - 3 40")
    adjudicator = Adjudicator(AdjudicationRules(), SimpleNamespace(get_wdl=lambda _: value))
    board.push_uci("e2e4")
    ending = adjudicator.ending(board, played("e2e4"))
    assert ending == (Ending(result, "tablebase") if result else None)
    # Tables know nothing of a halfmove clock that is not 0
    board.push_uci("e8e7")
    assert adjudicator.ending(board, played("e8e7")) is None


@pytest.mark.skipif(not SYZYGY.is_dir(), reason="../shared/data/syzygy is not there")
@pytest.mark.parametrize(
    "fen, move, result",
    [
        ("3k4/8/3K4/8/8/8/3P4/8 w - - 5 1", "d2d4", "1-0"),
        ("k7/8/8/8/8/8/P7/K7 w - - 5 1", "a2a4", "1/2-1/2"),
        ("8/8/8/8/8/3k4/3p4/R2K4 b - - 5 1", "d3c3", None),
        ("4k3/4r3/8/8/8/8/4P3/4K3 b - - 5 1", "e7e2", "1/2-1/2"),
        ("2k5/8/8/8/8/3p4/1r6/4K3 b - - 5 1", "d3d2", "0-1"),
    ],
)
def test_real_tables(fen, move, result):
    board = chess.Board(fen)
    board.push_uci(move)
    adjudicator = Adjudicator(AdjudicationRules(), open_tablebase(str(SYZYGY)))
    ending = adjudicator.ending(board, played(move))
    assert ending == (Ending(result, "tablebase") if result else None)


def test_missing_and_damaged_tables_are_named(tmp_path):
    assert open_tablebase(None) is None
    with pytest.raises(ValueError, match="no Syzygy tablebases"):
        open_tablebase(str(tmp_path))
    for content in (b"", chess.Board.tbw_magic + bytes(40), bytes(16)):
        (tmp_path / "KQvK.rtbw").write_bytes(content)
        with pytest.raises(ValueError, match=r"KQvK\.rtbw: the Syzygy tablebase is damaged"):
            open_tablebase(str(tmp_path))

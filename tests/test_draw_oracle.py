"""Draws along a line of the search, judged by python-chess: tails of random games that like to repeat and to run out of moves.

The rule: below the root a position is a draw when it has been on the board once since the root (the root itself not counted),
or twice in all; when material cannot mate; and after fifty moves without capture or pawn move, unless the last of them mates.
Two positions are the same when the same moves are possible: an en-passant square counts only where the capture is legal.
"""

from __future__ import annotations

import random
from collections import Counter

import chess
import pytest

from tests.search_kernels import call
from tests.tools.lines import line_fault
from zobra.engine.fen import parse_fen
from zobra.engine.game import Game
from zobra.engine.move import move_text
from zobra.engine.position import TABLES_RECORD
from zobra.engine.scores import is_mate, mate_in_moves
from zobra.search.draw import is_draw
from zobra.search.limits import Limits, Report
from zobra.search.node import make_move
from zobra.search.parameters import default_parameters
from zobra.search.searcher import Searcher
from zobra.search.time_management import TimeManager
from zobra.search.worker import new_worker

# A mate that the fifty-move rule forestalls: the clock stands at 76 and the shortest one takes longer.
TOO_LATE = "8/1p2KP2/1p4q1/1Pp5/2P5/N1Pp1k2/3P4/1N6 b - - 76 40"
CASTLING = ["4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1"]
# White's double push can be answered en passant; or not, for the pawn that would take is pinned in one way or another.
EN_PASSANT = [
    "4k3/8/8/8/3p4/8/2P5/4K3 w - - 0 1",
    "8/8/8/8/k2p3R/8/2P5/4K3 w - - 0 1",
    "3k4/8/8/8/3p4/8/2P5/3RK3 w - - 0 1",
    "8/6k1/8/8/3p4/8/2P5/B3K3 w - - 0 1",
]

MATE_IS_NEAR = ["7k/R7/8/8/8/8/8/KR6 w - - 99 90", "6k1/R7/6K1/8/8/8/8/8 w - - 97 90", "k7/8/1K6/8/8/8/7Q/8 w - - 97 90"]


def scattered(source: random.Random) -> chess.Board:
    """A legal position of few pieces, on which little can be taken; its clock is often near its end."""
    while True:
        board = chess.Board(None)
        squares = source.sample(chess.SQUARES, source.choice([3, 4, 4, 5, 6]))
        for square, piece in zip(squares, "Kk" + "".join(source.choices("QRRrBbNnPp", k=4)), strict=False):
            if piece not in "Pp" or 0 < chess.square_rank(square) < 7:
                board.set_piece_at(square, chess.Piece.from_symbol(piece))
        board.turn = source.random() < 0.5
        board.halfmove_clock = source.choice([0, 0, 90, 94, 97, 98])
        if board.is_valid() and any(board.legal_moves):
            return board


def starting_board(source: random.Random) -> chess.Board:
    """Where a tail begins."""
    if source.random() < 0.3:
        board = chess.Board(source.choice(CASTLING + EN_PASSANT + MATE_IS_NEAR))
        return board.mirror() if source.random() < 0.5 else board
    return scattered(source)


def choose(source: random.Random, board: chess.Board) -> chess.Move | None:
    """A random move, often the way back; a double push if there is one, and a mate when the clock runs out."""
    legal = list(board.legal_moves)
    if not legal:
        return None
    if board.halfmove_clock == 99 and source.random() < 0.8:
        for move in legal:
            board.push(move)
            mates = board.is_checkmate()
            board.pop()
            if mates:
                return move
    double = [
        move
        for move in legal
        if board.piece_type_at(move.from_square) == chess.PAWN and abs(move.to_square - move.from_square) == 16
    ]
    if double and not board.move_stack:
        return double[0]
    if len(board.move_stack) > 1:
        last = board.move_stack[-2]
        back = chess.Move(last.to_square, last.from_square)
        if back in legal and source.random() < 0.7:
            return back
    return source.choice(legal)


def is_double_push(piece: int | None, move: chess.Move) -> bool:
    return piece == chess.PAWN and abs(move.to_square - move.from_square) == 16


class DrawOracle:
    """Steps a worker along random tails, and compares its verdicts with the oracle's."""

    def __init__(self, seed: int) -> None:
        self.source = random.Random(seed)
        self.seen: Counter[str] = Counter()
        self.worker = new_worker(default_parameters(), TimeManager(0).signals)[0]

    def judge_tail(self) -> None:
        """One game to a root, and a line from there."""
        board = starting_board(self.source)
        game = Game(parse_fen(board.fen()))
        keys = [board._transposition_key()]
        for _ in range(self.source.randrange(14)):
            if (move := choose(self.source, board)) is None:
                return
            game.push(game.position.parse_move(move.uci()))
            board.push(move)
            keys.append(board._transposition_key())
        self.follow_line(board, game, keys)

    def follow_line(self, board: chess.Board, game: Game, keys: list[object]) -> None:
        this, root, position = self.worker, len(keys) - 1, game.position
        this["root_key_index"] = len(game.keys)
        this["keys"][: len(game.keys)] = game.keys
        this["keys"][len(game.keys)] = position.key
        this["stack"][0]["position"] = position.record
        for ply in range(self.source.randrange(4, 14)):
            if (move := choose(self.source, board)) is None:
                return
            ours = position.parse_move(move.uci())
            board.push(move)
            position = position.after(ours)
            wanted = self.verdict(board, keys, root)
            call(make_move, ply=ply, worker=this, tables=TABLES_RECORD, move=ours)
            drawn = call(is_draw, ply=ply + 1, worker=this, tables=TABLES_RECORD)
            assert bool(drawn) == wanted, f"{board.fen()} root {root} ply {ply + 1}"
            keys.append(board._transposition_key())

    def verdict(self, board: chess.Board, keys: list[object], root: int) -> bool:
        """The oracle."""
        key = board._transposition_key()
        earlier = [index for index, other in enumerate(keys) if other == key]
        repeated = len(earlier) >= 2 or any(index > root for index in earlier)
        over = board.halfmove_clock >= 100
        reasons = {
            "since the root": any(index > root for index in earlier),
            "twice in all": len(earlier) >= 2 and not any(index > root for index in earlier),
            "once before the root": len(earlier) == 1 and not repeated,
            "material": board.is_insufficient_material(),
            "fifty moves": over and not board.is_checkmate(),
            "mate in time": over and board.is_checkmate(),
            "in check at the end": over and board.is_check() and not board.is_checkmate(),
            "back to an en passant that was illegal": repeated and self.followed_double_push(board, earlier[0]),
        }
        self.seen.update(reason for reason, holds in reasons.items() if holds)
        return repeated or board.is_insufficient_material() or (over and not board.is_checkmate())

    @staticmethod
    def followed_double_push(board: chess.Board, index: int) -> bool:
        """Was the position after so many plies that after a double push? (Its pawn still stands where it went.)"""
        if index == 0:
            return False
        move = board.move_stack[index - 1]
        return is_double_push(board.piece_type_at(move.to_square), move)


def judge_tails(tails: int, seed: int) -> Counter[str]:
    judge = DrawOracle(seed)
    for _ in range(tails):
        judge.judge_tail()
    return judge.seen


def test_tails_of_random_games():
    seen = judge_tails(1_000, seed=11)
    assert len(seen) == 8 and min(seen.values()) >= 4, seen


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_a_hundred_thousand_tails_of_random_games():
    """pytest -m slow tests/test_draw_oracle.py"""
    seen = judge_tails(100_000, seed=12)
    assert len(seen) == 8 and min(seen.values()) >= 400, seen


def mates_told(fen: str, nodes: int) -> list[Report]:
    """Reports of a search with exact mate scores, each of which must have a line that mates in just that many moves."""
    reports: list[Report] = []
    Searcher(16).search(Game(parse_fen(fen)), Limits(nodes=nodes), reports.append)
    found = [report for report in reports if is_mate(report.score) and report.bound == 0]
    for report in found:
        line = [move_text(move) for move in report.pv]
        assert line_fault(chess.Board(fen), line, mate_in_moves(report.score)) is None, f"depth {report.depth}: {line}"
    return found


def test_a_mate_that_comes_too_late_is_none():
    mates_told(TOO_LATE, 150_000)


@pytest.mark.slow
def test_a_mate_that_comes_too_late_is_none_after_a_long_search():
    mates_told(TOO_LATE, 30_000_000)


@pytest.mark.parametrize(
    ("pieces", "moves"), [("7k/R7/8/8/8/8/8/KR6", 1), ("8/7k/R7/8/8/8/8/KR6", 2), ("8/8/5k2/R7/8/8/8/KR6", 3)]
)
def test_a_mate_by_the_hundredth_ply_counts(pieces, moves):
    """Two rooks climb up to the king, and mate just in time; with the clock one ply further on, they do not."""
    found = mates_told(f"{pieces} w - - {101 - 2 * moves} 90", 200_000)
    assert found and mate_in_moves(found[-1].score) == moves
    assert moves == 1 or not mates_told(f"{pieces} w - - {102 - 2 * moves} 90", 200_000)

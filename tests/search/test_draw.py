"""Draws along a line of the search, judged by python-chess: tails of random games that like to
repeat and to run out of moves.

Below the root a position is a draw

- if it has occurred once since the root (not counting the root itself), or twice in all,
- if the material cannot mate,
- after fifty moves without a capture or pawn move, unless the last of them mates.

Two positions are the same if the same moves are possible: an en-passant square counts only if the
capture is legal.
"""

import random
from collections import Counter

import chess
import pytest

from tests.support.search_kernels import PLAIN, Workbench, call
from tests.tools.lines import line_fault
from zobra.engine.fen import START, parse_fen
from zobra.engine.move import move_text
from zobra.engine.position import Game, Position
from zobra.engine.scores import is_mate, mate_in_moves
from zobra.search.draw import is_draw, is_insufficient_material, is_repetition
from zobra.search.limits import Limits, Report
from zobra.search.node import make_move
from zobra.search.searcher import Searcher
from zobra.search.worker import MAX_KEYS
from zobra.tt.entry import EXACT

SPECIAL_STARTS = [
    "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
    "r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1",
    "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1",
    # White's double push can be answered en passant; or not, for the pawn that would take is pinned
    # in one way or another.
    "4k3/8/8/8/3p4/8/2P5/4K3 w - - 0 1",
    "8/8/8/8/k2p3R/8/2P5/4K3 w - - 0 1",
    "3k4/8/8/8/3p4/8/2P5/3RK3 w - - 0 1",
    "8/6k1/8/8/3p4/8/2P5/B3K3 w - - 0 1",
    # A mate is near, and so is the end of the fifty moves.
    "7k/R7/8/8/8/8/8/KR6 w - - 99 90",
    "6k1/R7/6K1/8/8/8/8/8 w - - 97 90",
    "k7/8/1K6/8/8/8/7Q/8 w - - 97 90",
]


def starting_board(source: random.Random) -> chess.Board:
    """Return a special start, or a few pieces that can capture little.

    The half-move clock is often near its end.
    """
    if source.random() < 0.3:
        board = chess.Board(source.choice(SPECIAL_STARTS))
        return board.mirror() if source.random() < 0.5 else board
    while True:
        board = chess.Board(None)
        others = source.choice([1, 2, 2, 3, 4])
        pieces = ["K", "k", *source.choices("QRRrBbNnPp", k=others)]
        squares = source.sample(chess.SQUARES, len(pieces))
        for square, piece in zip(squares, pieces, strict=True):
            if piece not in "Pp" or 0 < chess.square_rank(square) < 7:
                board.set_piece_at(square, chess.Piece.from_symbol(piece))
        board.turn = source.random() < 0.5
        board.halfmove_clock = source.choice([0, 0, 90, 94, 97, 98])
        if board.is_valid() and any(board.legal_moves):
            return board


def is_double_push(board: chess.Board, square: int, move: chess.Move) -> bool:
    """Is this a double push of the pawn that stands on `square`?"""
    return (
        board.piece_type_at(square) == chess.PAWN and abs(move.to_square - move.from_square) == 16
    )


def choose(source: random.Random, board: chess.Board) -> chess.Move | None:
    """Return a random move, often the way back.

    A first double push is preferred, and so is a mate when the clock runs out.
    """
    legal = list(board.legal_moves)
    if board.halfmove_clock == 99 and source.random() < 0.8:
        for move in legal:
            after = board.copy()
            after.push(move)
            if after.is_checkmate():
                return move
    if not board.move_stack:
        legal = [move for move in legal if is_double_push(board, move.from_square, move)] or legal
    elif len(board.move_stack) > 1:
        last = board.move_stack[-2]
        back = chess.Move(last.to_square, last.from_square)
        if back in legal and source.random() < 0.7:
            return back
    return source.choice(legal) if legal else None


def transposition(board: chess.Board) -> object:
    """What equal positions have in common."""
    en_passant = board.ep_square if board.has_legal_en_passant() else None
    return board.board_fen(), board.turn, board.clean_castling_rights(), en_passant


class DrawOracle:
    """Steps a worker along random tails, and compares its verdicts with those of python-chess.

    `seen` counts the reasons.
    """

    def __init__(self, seed: int) -> None:
        self.source = random.Random(seed)
        self.seen: Counter[str] = Counter()
        self.bench = Workbench(parse_fen(START))

    def judge_tail(self) -> None:
        """One game to a root, and a line from there."""
        board = starting_board(self.source)
        game = Game(parse_fen(board.fen()))
        keys = [transposition(board)]
        root = self.source.randrange(14)
        for ply in range(root + self.source.randrange(4, 14)):
            if ply == root:
                self.bench.place(game.position, game.keys)
            move = choose(self.source, board)
            if move is None:
                return
            number = game.position.parse_move(move.uci())
            game.push(number)
            board.push(move)
            if ply >= root:
                call(make_move, self.bench, ply - root, move=number)
                drawn = call(is_draw, self.bench, ply - root + 1)
                expected = self.verdict(board, keys, root)
                assert drawn == expected, f"{board.fen()} root {root} ply {ply + 1}"
            keys.append(transposition(board))

    def verdict(self, board: chess.Board, keys: list[object], root: int) -> bool:
        """Is the position a draw, after positions with these keys?"""
        key = transposition(board)
        earlier = [index for index, other in enumerate(keys) if other == key]
        since_root = any(index > root for index in earlier)
        repeated = since_root or len(earlier) >= 2
        insufficient = board.is_insufficient_material()
        over = board.halfmove_clock >= 100
        mated = board.is_checkmate()
        back_to_pawn = False
        if repeated and earlier[0]:  # the pawn that was pushed then still stands where it went
            pushed = board.move_stack[earlier[0] - 1]
            back_to_pawn = is_double_push(board, pushed.to_square, pushed)
        reasons = {
            "since the root": since_root,
            "twice in all": repeated and not since_root,
            "once before the root": len(earlier) == 1 and not repeated,
            "material": insufficient,
            "fifty moves": over and not mated,
            "mate in time": over and mated,
            "in check at the end": over and board.is_check() and not mated,
            "back to an en passant that was illegal": back_to_pawn,
        }
        self.seen.update(reason for reason, holds in reasons.items() if holds)
        return repeated or insufficient or (over and not mated)


@pytest.mark.parametrize(
    "tails", [1_000, pytest.param(100_000, marks=[pytest.mark.slow, pytest.mark.timeout(3_600)])]
)
def test_tails_of_random_games(tails):
    oracle = DrawOracle(seed=11)
    for _ in range(tails):
        oracle.judge_tail()
    assert len(oracle.seen) == 8, oracle.seen
    assert min(oracle.seen.values()) >= tails // 250, oracle.seen


def mates_reported(fen: str, nodes: int) -> list[Report]:
    """Reports of a search with exact mate scores, each of which must have a line that mates in just
    that many moves.
    """
    reports: list[Report] = []
    Searcher(16).search(Game(parse_fen(fen)), Limits(nodes=nodes), reports.append)
    found = [report for report in reports if is_mate(report.score) and report.bound == EXACT]
    for report in found:
        line = [move_text(move) for move in report.pv]
        fault = line_fault(chess.Board(fen), line, mate_in_moves(report.score))
        assert fault is None, f"depth {report.depth}: {line}"
    return found


@pytest.mark.parametrize("nodes", [150_000, pytest.param(30_000_000, marks=pytest.mark.slow)])
def test_no_mate_is_reported_that_the_fifty_move_rule_forestalls(nodes):
    """The fifty-move rule forestalls it: the clock stands at 76 and the shortest one takes
    longer.
    """
    mates_reported("8/1p2KP2/1p4q1/1Pp5/2P5/N1Pp1k2/3P4/1N6 b - - 76 40", nodes)


@pytest.mark.parametrize(
    ("pieces", "moves"),
    [("7k/R7/8/8/8/8/8/KR6", 1), ("8/7k/R7/8/8/8/8/KR6", 2), ("8/8/5k2/R7/8/8/8/KR6", 3)],
)
def test_a_mate_by_the_hundredth_ply_counts(pieces, moves):
    """Two rooks climb up to the king and mate just in time, or a ply too late."""
    found = mates_reported(f"{pieces} w - - {101 - 2 * moves} 90", 200_000)
    assert mate_in_moves(found[-1].score) == moves
    if moves > 1:
        assert not mates_reported(f"{pieces} w - - {102 - 2 * moves} 90", 200_000)


ROOKS = "7k/8/8/8/8/8/r7/1R5K w - - 0 1"
KING_AND_QUEEN = "8/8/8/8/8/2k5/1q6/6K1 w - - 0 1"


def test_null_moves_make_no_repetition():
    game = Game(parse_fen(ROOKS))
    bench = Workbench(game.position)
    for ply, text in enumerate(("0000", "h8g7", "0000", "g7h8")):
        number = game.position.parse_move(text) if text != "0000" else 0
        call(make_move, bench, ply, move=number)
        game.push(number)
    assert not call(is_repetition, bench, 4)


def shuffled(fen: str, texts: list[str], plies: int) -> Game:
    """A game in which the same four moves come again and again."""
    game = Game(parse_fen(fen))
    for ply in range(plies):
        game.push(game.position.parse_move(texts[ply % 4]))
    return game


def test_of_a_long_game_not_all_keys_are_kept():
    """The latest ones are, and the repetition among them is seen."""
    game = shuffled(ROOKS, ["b1b3", "a2a3", "b3b1", "a3a2"], MAX_KEYS + 200)
    assert len(game.keys) > MAX_KEYS
    bench = Workbench(game.position, keys=game.keys)
    assert bench.this["root_key_index"] == MAX_KEYS - 1
    assert call(is_repetition, bench, 0)
    result = Searcher(1, parameters=PLAIN).search(game, Limits(depth=3))
    assert result.best in game.position.legal_moves()


@pytest.mark.parametrize("depth", range(1, 9))
def test_the_losing_side_seeks_the_repetition_and_the_winning_one_avoids_it(depth):
    def search(plies: int) -> tuple[str, int]:
        reports: list[Report] = []
        game = shuffled(KING_AND_QUEEN, ["g1h1", "c3d3", "h1g1", "d3c3"], plies)
        result = Searcher(1).search(game, Limits(depth=depth), reports.append)
        return move_text(result.best), reports[-1].score

    move, score = search(plies=7)
    assert move != "d3c3"
    assert score > 300
    assert search(plies=8) == ("g1h1", 0)


def test_insufficient_material_matches_python_chess():
    source = random.Random(34)
    answers = 0
    for _ in range(3_000):
        kinds = source.choices("NBBBBBRQnbbbbbrq", k=source.randint(0, 3))
        squares = source.sample(chess.SQUARES, 2 + len(kinds))
        board = chess.Board(None)
        for square, letter in zip(squares, ["K", "k", *kinds], strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        expected = board.is_insufficient_material()
        position = Position.from_board(board)
        found = call(is_insufficient_material, position=position.record)
        assert found == expected, board.fen()
        answers += expected
    assert 300 < answers < 2_700

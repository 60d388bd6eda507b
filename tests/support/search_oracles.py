"""What the search must agree with: slow and plain Python on python-chess boards, sharing no rule
with the kernels.
"""

import random
from collections.abc import Callable, Iterable, Iterator

import chess

from zobra.engine.move import move_text
from zobra.engine.network import built_in_network
from zobra.engine.position import Position
from zobra.search.evaluation import evaluate_position

WORTH = {
    chess.PAWN: 100,
    chess.KNIGHT: 320,
    chess.BISHOP: 320,
    chess.ROOK: 500,
    chess.QUEEN: 950,
    chess.KING: 20_000,
}
MATED = -31_000


def random_boards(
    seed: int, games: int, longest: int = 120, chess960: bool = False
) -> Iterator[chess.Board]:
    """All positions of random games; captures, checks and pawn moves are preferred, so that much
    happens.
    """
    source = random.Random(seed)
    for _ in range(games):
        board = chess.Board.from_chess960_pos(source.randrange(960)) if chess960 else chess.Board()
        for _ in range(longest):
            moves = list(board.legal_moves)
            if not moves or board.is_insufficient_material():
                break
            sharp = [
                m
                for m in moves
                if board.is_capture(m)
                or board.gives_check(m)
                or board.piece_type_at(m.from_square) == 1
            ]
            board.push(source.choice(sharp if sharp and source.random() < 0.35 else moves))
            yield board


def move_numbers(position: Position, board: chess.Board) -> dict[int, chess.Move]:
    """{16-bit number: python-chess move} of the legal moves."""
    return {
        number: board.parse_uci(move_text(number, board.chess960))
        for number in position.legal_moves()
    }


def immediate_gain(board: chess.Board, move: chess.Move) -> int:
    """What the move captures, and what a promotion adds, in centipawns of the exchange scale."""
    if board.is_castling(move):
        return 0
    if board.is_en_passant(move):
        return WORTH[chess.PAWN]
    captured = WORTH.get(board.piece_type_at(move.to_square), 0)
    return captured + (WORTH[move.promotion] - WORTH[chess.PAWN] if move.promotion else 0)


LESSER = {
    chess.KNIGHT: (chess.PAWN,),
    chess.BISHOP: (chess.PAWN,),
    chess.ROOK: (chess.PAWN, chess.KNIGHT, chess.BISHOP),
}
LESSER[chess.QUEEN] = (*LESSER[chess.ROOK], chess.ROOK)


def threats_answered(board: chess.Board, move: chess.Move) -> tuple[int, int]:
    """For a quiet move: 1 if its piece leaves the reach of lesser enemy pieces, -1 if it enters it;
    and 1 for a check. As things stand before the move, the moved piece still on its square; a
    castling king does neither.
    """
    kind = board.piece_type_at(move.from_square)

    def is_threatened(square: chess.Square) -> bool:
        return any(
            board.piece_type_at(other) in LESSER.get(kind, ())
            for other in board.attackers(not board.turn, square)
        )

    moved = board.copy(stack=False)
    moved.set_piece_at(move.to_square, chess.Piece(kind, board.turn))
    king = board.king(not board.turn)
    check = kind != chess.KING and king in moved.attacks(move.to_square)
    return int(is_threatened(move.from_square)) - int(is_threatened(move.to_square)), int(check)


def exchange_value(board: chess.Board, move: chess.Move) -> int:
    """Balance of the exchange that a move begins: each side goes on with its least valuable piece,
    or stops. No pins.
    """
    if board.is_castling(move):
        return 0
    after = chess.BaseBoard(board.board_fen())
    piece = after.remove_piece_at(move.from_square)
    if board.is_en_passant(move):
        after.remove_piece_at(move.to_square ^ 8)
    kind = move.promotion or piece.piece_type
    after.set_piece_at(move.to_square, chess.Piece(kind, board.turn))
    return immediate_gain(board, move) - _swap(after, move.to_square, not board.turn)


def _swap(board: chess.BaseBoard, square: chess.Square, side: chess.Color) -> int:
    """Best that `side` gets by taking on the square, or not."""
    target = board.piece_type_at(square)
    takers = sorted(
        (board.piece_type_at(taker) or 0, taker) for taker in board.attackers(side, square)
    )
    if not takers or target is None:
        return 0
    kind, taker = takers[0]
    board.remove_piece_at(taker)
    board.set_piece_at(square, chess.Piece(kind, side))
    if kind == chess.KING and board.attackers(not side, square):
        return 0
    return max(0, WORTH[target] - _swap(board, square, not side))


def evaluation(board: chess.Board) -> int:
    """Our static evaluation, from the side to move."""
    return evaluate_position(Position.from_board(board), built_in_network())


def check_windows(search: Callable[[int, int], int], value: int) -> None:
    """Fail-soft: `search(alpha, beta)` returns the true value inside a window, else a bound on it
    beyond the window's edge.
    """
    for alpha in (value - 60, value - 1, value, value + 50):
        for beta in (alpha + 1, alpha + 25):
            score = search(alpha, beta)
            if alpha < value < beta:
                assert score == value
            else:
                assert value <= score <= alpha if value <= alpha else beta <= score <= value


class TooLarge(Exception):
    """A tree with more positions than the oracle may visit."""


class Minimax:
    """The value of a position by the definition of the search, without windows, order, table or
    pruning.

    Quiescence tries captures and promotions whose exchange loses nothing, or every evasion.
    """

    def __init__(self, game: chess.Board, most_positions: int = 1 << 60) -> None:
        """`game` is the root, with the moves that led to it on its stack; TooLarge is raised beyond
        `most_positions`.
        """
        self.left, self.board, self.path = most_positions, game.root(), []
        for move in game.move_stack:
            self.path.append(self.board.epd())
            self.board.push(move)
        self.path.append(self.board.epd())
        self.root = len(self.path) - 1

    def value(self, depth: int, moves: Iterable[chess.Move] | None = None) -> int:
        """Score of the root in centipawns, from its side to move; by some `moves` only if they are
        given.
        """
        return self._negamax(depth, 0, moves)

    def quiet_value(self) -> int:
        """Score of the root by quiescence alone."""
        return self._quiescence(0)

    def _drawn(self) -> bool:
        """Was the position there before since the root, or twice in all; or is it drawn by another
        rule?
        """
        earlier = [index for index, epd in enumerate(self.path[:-1]) if epd == self.path[-1]]
        if (
            len(earlier) >= 2
            or any(index > self.root for index in earlier)
            or self.board.is_insufficient_material()
        ):
            return True
        return self.board.halfmove_clock >= 100 and not self.board.is_checkmate()

    def _below(self, move: chess.Move, search: Callable[[], int]) -> int:
        self.left -= 1
        if self.left < 0:
            raise TooLarge
        self.board.push(move)
        self.path.append(self.board.epd())
        score = -search()
        self.path.pop()
        self.board.pop()
        return score

    def _negamax(self, depth: int, ply: int, chosen: Iterable[chess.Move] | None = None) -> int:
        if depth <= 0:
            return self._quiescence(ply)
        if ply > 0 and self._drawn():
            return 0
        scores = [
            self._below(move, lambda: self._negamax(depth - 1, ply + 1))
            for move in chosen or self.board.legal_moves
        ]
        return max(scores, default=MATED + ply if self.board.is_check() else 0)

    def _quiescence(self, ply: int) -> int:
        if self._drawn():
            return 0
        board = self.board
        best, moves = MATED + ply, list(board.legal_moves)
        if not board.is_check():
            best = evaluation(board)
            moves = [move for move in moves if board.is_capture(move) or move.promotion]
            moves = [move for move in moves if exchange_value(board, move) >= 0]
        return max(
            [best, *(self._below(move, lambda: self._quiescence(ply + 1)) for move in moves)]
        )

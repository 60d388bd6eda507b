"""Oracles of the search: plain Python on python-chess boards, with no rule of the kernels."""

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
    """Yield all positions of random games.

    Captures, checks and pawn moves are preferred, so that much happens.
    """
    source = random.Random(seed)
    for _ in range(games):
        board = chess.Board.from_chess960_pos(source.randrange(960)) if chess960 else chess.Board()
        for _ in range(longest):
            moves = list(board.legal_moves)
            if not moves or board.is_insufficient_material():
                break
            sharp = [move for move in moves if _is_sharp(board, move)]
            board.push(source.choice(sharp if sharp and source.random() < 0.35 else moves))
            yield board


def _is_sharp(board: chess.Board, move: chess.Move) -> bool:
    is_pawn_move = board.piece_type_at(move.from_square) == chess.PAWN
    return is_pawn_move or board.is_capture(move) or board.gives_check(move)


def move_numbers(position: Position, board: chess.Board) -> dict[int, chess.Move]:
    """Return python-chess' legal moves by their 16-bit numbers."""
    found = {}
    for number in position.legal_moves():
        found[number] = board.parse_uci(move_text(number, board.chess960))
    return found


def immediate_gain(board: chess.Board, move: chess.Move) -> int:
    """Return the worth of what a move captures, and of what a promotion adds."""
    if board.is_castling(move):
        return 0
    if board.is_en_passant(move):
        return WORTH[chess.PAWN]
    gain = WORTH.get(board.piece_type_at(move.to_square), 0)
    if move.promotion:
        gain += WORTH[move.promotion] - WORTH[chess.PAWN]
    return gain


LESSER = {
    chess.KNIGHT: (chess.PAWN,),
    chess.BISHOP: (chess.PAWN,),
    chess.ROOK: (chess.PAWN, chess.KNIGHT, chess.BISHOP),
    chess.QUEEN: (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK),
}


def threats_answered(board: chess.Board, move: chess.Move) -> tuple[int, int]:
    """Return what a quiet move does about threats, and 1 if it gives check.

    The first is 1 if its piece leaves the reach of lesser enemy pieces, -1 if it enters it. Both
    are seen before the move, with the moved piece still on its square. Castling gives (0, 0).
    """
    kind = board.piece_type_at(move.from_square)

    def is_threatened(square: chess.Square) -> bool:
        attackers = board.attackers(not board.turn, square)
        return any(board.piece_type_at(other) in LESSER.get(kind, ()) for other in attackers)

    moved = board.copy(stack=False)
    moved.set_piece_at(move.to_square, chess.Piece(kind, board.turn))
    king = board.king(not board.turn)
    check = kind != chess.KING and king in moved.attacks(move.to_square)
    return int(is_threatened(move.from_square)) - int(is_threatened(move.to_square)), int(check)


def exchange_value(board: chess.Board, move: chess.Move) -> int:
    """Return the balance of the exchange that a move begins.

    Each side goes on with its least valuable piece, or stops. Pins are not seen.
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
    """Return the best that `side` gets by taking on the square, or not."""
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
    """Return the engine's static evaluation, from the side to move."""
    return evaluate_position(Position.from_board(board), built_in_network())


def check_windows(search: Callable[[int, int], int], value: int) -> None:
    """Assert that a search is fail-soft.

    `search(alpha, beta)` has to return the value if it is inside the window, else a bound on it
    beyond the window's edge.
    """
    for alpha in (value - 60, value - 1, value, value + 50):
        for beta in (alpha + 1, alpha + 25):
            score = search(alpha, beta)
            if value <= alpha:
                assert value <= score <= alpha
            elif value >= beta:
                assert beta <= score <= value
            else:
                assert score == value


class TooLarge(Exception):
    """A tree with more positions than the oracle may visit."""


class Minimax:
    """The value of a position without windows, move ordering, table or pruning.

    Quiescence tries captures and promotions whose exchange loses nothing, or every evasion.
    """

    def __init__(self, game: chess.Board, most_positions: int = 1 << 60) -> None:
        """Begin at the end of a game, whose moves are on its stack.

        The search raises TooLarge beyond `most_positions`.
        """
        self.left = most_positions
        self.board = game.root()
        self.path = []
        for move in game.move_stack:
            self.path.append(self.board.epd())
            self.board.push(move)
        self.path.append(self.board.epd())
        self.root = len(self.path) - 1

    def value(self, depth: int, moves: Iterable[chess.Move] | None = None) -> int:
        """Return the score of the root in centipawns, from its side to move.

        `moves` are the root moves to search, None for all.
        """
        return self._negamax(depth, 0, moves)

    def quiet_value(self) -> int:
        """Return the score of the root by quiescence alone."""
        return self._quiescence(0)

    def _drawn(self) -> bool:
        """Return True for a draw by repetition, material or the fifty-move rule.

        One earlier occurrence since the root, or two in the game, are a repetition.
        """
        earlier = [index for index, epd in enumerate(self.path[:-1]) if epd == self.path[-1]]
        if len(earlier) >= 2 or any(index > self.root for index in earlier):
            return True
        if self.board.is_insufficient_material():
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
        scores = []
        for move in chosen or self.board.legal_moves:
            scores.append(self._below(move, lambda: self._negamax(depth - 1, ply + 1)))
        if not scores:
            return MATED + ply if self.board.is_check() else 0
        return max(scores)

    def _quiescence(self, ply: int) -> int:
        if self._drawn():
            return 0
        board = self.board
        best = MATED + ply
        moves = list(board.legal_moves)
        if not board.is_check():
            best = evaluation(board)
            moves = [move for move in moves if board.is_capture(move) or move.promotion]
            moves = [move for move in moves if exchange_value(board, move) >= 0]
        for move in moves:
            best = max(best, self._below(move, lambda: self._quiescence(ply + 1)))
        return best

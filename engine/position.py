"""Positions and games for Python: a handle on one POSITION record, with the rules as methods.

Kernels work on the record alone. The methods here are for everything outside the search: the UCI
conversation, the tests, the tools.
"""

import chess
import numpy as np

from zobra.engine.attacks import find_checks
from zobra.engine.board import NO_PIECE, ONE, SQUARE_NAMES, ZERO
from zobra.engine.constants import build_constants
from zobra.engine.generator import ALL, generate
from zobra.engine.kernels import VOID, WORD, entry, lowest
from zobra.engine.layouts import CONSTANTS_TYPE, MOVE_LIST, MOVE_LIST_TYPE, POSITION, POSITION_TYPE
from zobra.engine.make import make, make_null
from zobra.engine.move import move_text
from zobra.engine.zobrist import compute_keys

CONSTANTS_ARRAY = build_constants()
CONSTANTS_ARRAY.setflags(write=False)
CONSTANTS_RECORD = CONSTANTS_ARRAY[0]


@entry(VOID, POSITION_TYPE, CONSTANTS_TYPE)
def set_up(position, constants):
    """Complete a record that has bitboards, side, castling rights and en-passant square.

    The board, the keys and the checks are computed from these.
    """
    for square in range(64):
        position.board[square] = NO_PIECE
    for kind in range(6):
        for colour in range(2):
            bits = position.pieces[kind] & position.colours[colour]
            while bits:
                position.board[lowest(bits)] = 2 * kind + colour
                bits &= bits - ONE
    compute_keys(position, constants)
    find_checks(position, constants)


@entry(WORD, POSITION_TYPE, CONSTANTS_TYPE, MOVE_LIST_TYPE, WORD)
def list_moves(position, constants, moves, kind):
    """Write the legal moves of `kind` (NOISY, QUIET or ALL) to the list; return their number."""
    moves.count = ZERO
    return generate(position, constants, moves, kind)


@entry(VOID, POSITION_TYPE, POSITION_TYPE, WORD, CONSTANTS_TYPE)
def play(position, following, move, constants):
    """Write into `following` the position after a legal move or a null move (0).

    Its `checkers` and `pinned` are set.
    """
    if move == ZERO:
        make_null(position, following, constants)
    else:
        make(position, following, move, constants)
    find_checks(following, constants)


class Position:
    """One position. Treat it as immutable: `after` makes new ones."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.record = array[0]

    @classmethod
    def from_board(cls, board: chess.Board) -> "Position":
        """Return the position of a python-chess board, without its history.

        Castling rights and en-passant squares without effect are dropped.
        """
        array = np.zeros(1, POSITION)
        this = array[0]
        this["pieces"] = (
            board.pawns,
            board.knights,
            board.bishops,
            board.rooks,
            board.queens,
            board.kings,
        )
        this["colours"] = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
        this["side"] = not board.turn
        this["castling"] = board.clean_castling_rights()
        if board.ep_square is not None and board.has_legal_en_passant():
            this["en_passant"] = board.ep_square
        this["halfmove"] = board.halfmove_clock
        this["fullmove"] = board.fullmove_number
        set_up(this, CONSTANTS_RECORD)
        return cls(array)

    def to_board(self, chess960: bool = False) -> chess.Board:
        """Return the same position as a python-chess board."""
        this = self.record
        board = chess.Board(None, chess960=chess960)
        kinds = (int(bits) for bits in this["pieces"])
        board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings = kinds
        white, black = (int(bits) for bits in this["colours"])
        board.occupied_co[chess.WHITE] = white
        board.occupied_co[chess.BLACK] = black
        board.occupied = white | black
        board.turn = self.white_to_move()
        board.castling_rights = int(this["castling"])
        board.ep_square = int(this["en_passant"]) or None
        board.halfmove_clock = int(this["halfmove"])
        board.fullmove_number = int(this["fullmove"])
        return board

    @property
    def key(self) -> int:
        """The 64-bit Zobrist key."""
        return int(self.record["key"])

    @property
    def in_check(self) -> bool:
        """Whether the side to move is in check."""
        return bool(self.record["checkers"])

    def pieces(self) -> dict[int, int]:
        """Return {square: piece}, with pieces as in board.py."""
        return {
            square: int(piece)
            for square, piece in enumerate(self.record["board"])
            if piece != NO_PIECE
        }

    def legal_moves(self, kind: int = int(ALL)) -> list[int]:
        """Return the legal moves, in order of generation."""
        moves = np.zeros(1, MOVE_LIST)
        count = list_moves(self.record, CONSTANTS_RECORD, moves[0], kind)
        return [int(move) for move in moves[0]["moves"][:count]]

    def after(self, move: int) -> "Position":
        """Return the position after a legal move, or after a null move (0) if not in check."""
        array = np.zeros(1, POSITION)
        play(self.record, array[0], move, CONSTANTS_RECORD)
        return Position(array)

    def parse_move(self, text: str) -> int:
        """Return the legal move that a UCI text names, castling in either notation.

        Raise ValueError if there is none.
        """
        wanted = text.lower()
        found = [move for move in self.legal_moves() if SQUARE_NAMES[move & 63] == wanted[:2]]
        for chess960 in (False, True):
            for move in found:
                if move_text(move, chess960) == wanted:
                    return move
        raise ValueError(f"{text!r} is not a legal move here")

    def white_to_move(self) -> bool:
        """Return whether White is to move."""
        return not self.record["side"]


class Game:
    """A starting position and the moves played from it.

    `position` is the current one; `keys` are the keys of the positions before it that could still
    be repeated, oldest first: a capture, a pawn move or the loss of a castling right makes all
    earlier positions unreachable.
    """

    def __init__(self, start: Position) -> None:
        self.position = start
        self.keys: list[int] = []

    def push(self, move: int) -> None:
        """Play a legal move."""
        self.keys.append(self.position.key)
        self.position = self.position.after(move)
        if self.position.record["reversible_plies"] == 0:
            self.keys = []

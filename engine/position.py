"""A position as Python sees it: a handle on one POSITION record, with the rules as methods.

Kernels work on the record alone. The methods here serve what is not the search: the conversation, the tests, the tools.
"""

from __future__ import annotations

import chess
import numpy as np

from zobra.engine.attacks import find_checks
from zobra.engine.board import NO_PIECE, SQUARES, WHITE, ZERO
from zobra.engine.generator import ALL, generate
from zobra.engine.kernels import VOID, WORD, entry
from zobra.engine.layouts import MOVE_LIST, MOVE_LIST_TYPE, POSITION, POSITION_TYPE, TABLES_TYPE
from zobra.engine.make import make, make_null
from zobra.engine.move import move_text
from zobra.engine.tables import build_tables
from zobra.engine.zobrist import compute_keys

TABLES_ARRAY = build_tables()
TABLES_RECORD = TABLES_ARRAY[0]


@entry(VOID, POSITION_TYPE, TABLES_TYPE)
def set_up(position, tables):
    """Complete a record of which board, bit sets, side, castling and en-passant square are given: keys and checks."""
    compute_keys(position, tables)
    find_checks(position, tables)


@entry(WORD, POSITION_TYPE, TABLES_TYPE, MOVE_LIST_TYPE, WORD)
def list_moves(position, tables, moves, kind):
    """Write the legal moves of `kind` (NOISY, QUIET or ALL) to the list; their number."""
    moves.count = ZERO
    return generate(position, tables, moves, kind)


@entry(VOID, POSITION_TYPE, POSITION_TYPE, WORD, TABLES_TYPE)
def play(position, following, move, tables):
    """Write into `following` the position after a legal move, or after a null move (0), with its checks found."""
    if move == ZERO:
        make_null(position, following, tables)
    else:
        make(position, following, move, tables)
    find_checks(following, tables)


class Position:
    """One position. Treat it as immutable: `after` makes new ones."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.record = array[0]

    @classmethod
    def from_pieces(
        cls, pieces: dict[int, int], side: int, castling: int, en_passant: int, halfmove: int = 0, fullmove: int = 1
    ) -> Position:
        """Build from {square: piece}, the side to move, the castling rooks as a bit set, and the en-passant square or 0.

        The caller answers for the legality of all of it (see fen.parse_fen).
        """
        array = np.zeros(1, POSITION)
        this = array[0]
        this["board"] = NO_PIECE
        for square, piece in pieces.items():
            this["board"][square] = piece
            this["pieces"][piece >> 1] |= np.uint64(1 << square)
            this["colours"][piece & 1] |= np.uint64(1 << square)
        this["side"], this["castling"], this["en_passant"] = side, castling, en_passant
        this["halfmove"], this["fullmove"] = halfmove, fullmove
        set_up(this, TABLES_RECORD)
        return cls(array)

    @classmethod
    def from_board(cls, board: chess.Board) -> Position:
        """The position of a python-chess board (its history is not carried over)."""
        pieces = {square: 2 * (piece.piece_type - 1) + (0 if piece.color else 1) for square, piece in board.piece_map().items()}
        en_passant = board.ep_square if board.ep_square is not None and board.has_legal_en_passant() else 0
        rooks = board.clean_castling_rights()
        return cls.from_pieces(pieces, 0 if board.turn else 1, rooks, en_passant, board.halfmove_clock, board.fullmove_number)

    def to_board(self, chess960: bool = False) -> chess.Board:
        """The same position as a python-chess board."""
        from zobra.engine.fen import write_fen

        return chess.Board(write_fen(self), chess960=chess960)

    @property
    def key(self) -> int:
        """Zobrist key, 64 bits."""
        return int(self.record["key"])

    @property
    def side(self) -> int:
        """Side to move: 0 White, 1 Black."""
        return int(self.record["side"])

    @property
    def in_check(self) -> bool:
        """Is the side to move in check?"""
        return bool(self.record["checkers"])

    def pieces(self) -> dict[int, int]:
        """{square: piece} with pieces as in board.py."""
        return {square: int(piece) for square, piece in enumerate(self.record["board"]) if piece != NO_PIECE}

    def legal_moves(self, kind: int = int(ALL)) -> list[int]:
        """Legal moves, in order of generation."""
        moves = np.zeros(1, MOVE_LIST)
        count = list_moves(self.record, TABLES_RECORD, moves[0], kind)
        return [int(move) for move in moves[0]["moves"][:count]]

    def after(self, move: int) -> Position:
        """The position after a legal move, or after passing (move 0, not in check)."""
        array = np.zeros(1, POSITION)
        play(self.record, array[0], move, TABLES_RECORD)
        return Position(array)

    def parse_move(self, text: str) -> int:
        """The legal move that a UCI text names, castling in either notation; ValueError if there is none."""
        wanted = text.lower()
        squares = [SQUARES.get(wanted[:2]), SQUARES.get(wanted[2:4])]
        found = [move for move in self.legal_moves() if move & 63 == squares[0]] if None not in squares else []
        for chess960 in (False, True):
            for move in found:
                if move_text(move, chess960) == wanted:
                    return move
        raise ValueError(f"{text!r} is not a legal move here")

    def is_checkmate(self) -> bool:
        """Is the side to move mated?"""
        return self.in_check and not self.legal_moves()

    def is_stalemate(self) -> bool:
        """Is the side to move stalemated?"""
        return not self.in_check and not self.legal_moves()

    def white_to_move(self) -> bool:
        """Is it White's turn?"""
        return self.side == WHITE

"""Positions in FEN, as any program writes them: read, or refused in words that a chess player
understands.

The engine's reader has the same rules in the same words; it wants at least four fields.
"""

import re

import chess

COUNTERS = ("field 5 (half-move clock)", "field 6 (move number)")
MAX_COUNTER = 10_000

# Of what chess.Board.status() finds: checks that cannot arise in play, with which the game can go
# on all the same.
PLAYABLE = chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK
# What is dropped with a notice: rights without king or rook, and squares that no pawn has just
# passed.
DROPPED = chess.STATUS_BAD_CASTLING_RIGHTS | chess.STATUS_INVALID_EP_SQUARE
# What chess cannot be played from, in the order in which it is said.
FAULTS = {
    chess.STATUS_EMPTY: "the board is empty",
    chess.STATUS_NO_WHITE_KING: "White has no king",
    chess.STATUS_NO_BLACK_KING: "Black has no king",
    chess.STATUS_TOO_MANY_KINGS: "{crowned} has more than one king",
    chess.STATUS_TOO_MANY_WHITE_PAWNS: "White has more than 8 pawns",
    chess.STATUS_TOO_MANY_BLACK_PAWNS: "Black has more than 8 pawns",
    chess.STATUS_TOO_MANY_WHITE_PIECES: "White has more than 16 pieces",
    chess.STATUS_TOO_MANY_BLACK_PIECES: "Black has more than 16 pieces",
    chess.STATUS_PAWNS_ON_BACKRANK: "a pawn stands on the first or the last rank",
    chess.STATUS_BAD_CASTLING_RIGHTS: (
        "each castling right needs the king and a rook of its own on their first rank"
    ),
    chess.STATUS_INVALID_EP_SQUARE: (
        "the en-passant square is not one that a pawn of the other side has just passed"
    ),
    chess.STATUS_OPPOSITE_CHECK: "{other} is in check, but {mover} is to move",
}


def read_fen(fen: str, chess960: bool = False) -> tuple[chess.Board, list[str]]:
    """Read a position, and return it with notices of what was dropped. Raise ValueError.

    It is one of Chess960 where that is said, or where only Chess960 knows its castling rights.
    """
    fields = fen.split()
    if len(fields) < 4:
        fields += ["w", "-", "-"][len(fields) - 1 :]
    written = fields[2]
    fields[2] = "".join(sorted(set(written)))  # the rights may stand in any order
    _check_fields(fields)
    board = chess.Board(" ".join(fields), chess960=True)
    notices = []
    rights = board.clean_castling_rights()
    if chess.popcount(rights) < len(fields[2].strip("-")):
        notices.append(f"castling rights {written} without king or rook are dropped")
    elif len(fields[2]) < len(written):
        notices.append(f"castling rights {written} are read as {fields[2]}")
    board.castling_rights = rights
    if board.status() & chess.STATUS_INVALID_EP_SQUARE:
        notices.append(f"en-passant square {fields[3]} is dropped: no pawn has just passed it")
        board.ep_square = None
    board.chess960 = chess960 or board.has_chess960_castling_rights()
    check_possible(board)
    return board, notices


def _check_fields(fields: list[str]) -> None:  # noqa: C901
    """Raise ValueError for a field of a FEN that is misspelt."""
    if len(fields) > 6:
        raise ValueError(
            "a FEN has 4 to 6 fields (board, side to move, castling, en passant, two numbers), "
            f"this one {len(fields)}"
        )
    ranks = fields[0].split("/")
    if len(ranks) != 8:
        raise ValueError(f"the board has 8 ranks, this one {len(ranks)}")
    for number, rank in zip(range(8, 0, -1), ranks, strict=True):
        if odd := re.search("[^1-8pnbrqkPNBRQK]", rank):
            raise ValueError(
                f"{odd[0]!r} in rank {number} is neither a piece nor a digit from 1 to 8"
            )
        if re.search("[1-8]{2}", rank):
            raise ValueError(f"rank {number} ({rank}) has two digits in a row")
        squares = sum(int(letter) if letter.isdigit() else 1 for letter in rank)
        if squares != 8:
            raise ValueError(f"rank {number} ({rank}) has {squares} squares, not 8")
    if fields[1] not in ("w", "b"):
        raise ValueError(f"side to move is w (White) or b (Black), not {fields[1]!r}")
    if not chess.FEN_CASTLING_REGEX.match(fields[2]):
        raise ValueError(
            "castling rights are '-' or letters such as 'KQkq', at most two for a side, not "
            f"{fields[2]!r}"
        )
    if fields[3] != "-" and fields[3] not in chess.SQUARE_NAMES:
        raise ValueError(f"en-passant square: {fields[3]!r} is not a square")
    for name, field in zip(COUNTERS, fields[4:], strict=False):
        if not re.fullmatch("[0-9]{1,5}", field) or int(field) > MAX_COUNTER:
            raise ValueError(f"{name} is a number from 0 to {MAX_COUNTER}, not {field!r}")


def check_possible(board: chess.Board, name: str = "") -> None:
    """Raise ValueError that names what is wrong with a board that chess cannot be played from.

    `name` stands before it.
    """
    status = board.status()
    for flag, fault in FAULTS.items():
        if status & flag:
            mover, other = ("White", "Black") if board.turn else ("Black", "White")
            crowned = "White" if len(board.pieces(chess.KING, chess.WHITE)) > 1 else "Black"
            text = fault.format(mover=mover, other=other, crowned=crowned)
            raise ValueError(f"{name}: {text}" if name else text)

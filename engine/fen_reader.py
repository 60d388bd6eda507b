"""Boards of python-chess from FEN, X-FEN and Shredder-FEN, for the engine and its tools alike.

python-chess reads and checks them; this module says in plain words what is wrong with one.

K and Q name the outermost rook on that side of the king, a file letter any rook. An en-passant
square needs a legal capture. Impossible castling rights and en-passant squares, which some programs
write, are dropped with a notice.
"""

import re

import chess

COUNTERS = ("field 5 (half-move clock)", "field 6 (move number)")
MAX_COUNTER = 10_000

# What chess.Board.status() finds, except checks that cannot arise in play: the game can go on.
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


class FenError(ValueError):
    """A text that is not a position that chess can be played from; the message names the fault."""


def read_board(text: str) -> tuple[chess.Board, list[str]]:
    """Return the board of a FEN, in Chess960 mode, and notices of what was dropped.

    Raise FenError that names what is wrong with the text.
    """
    fields = _checked_fields(text)
    written = text.split()[2]
    board = chess.Board(" ".join(fields), chess960=True)
    notices = []
    rights = board.clean_castling_rights()
    if rights.bit_count() < len(fields[2].strip("-")):
        notices.append(f"castling rights {written} without king or rook are dropped")
    elif len(fields[2]) < len(written):
        notices.append(f"castling rights {written} are read as {fields[2]}")
    board.castling_rights = rights
    if board.status() & chess.STATUS_INVALID_EP_SQUARE:
        notices.append(f"en-passant square {fields[3]} is dropped: no pawn has just passed it")
        board.ep_square = None
    check_board(board)
    return board, notices


def _checked_fields(text: str) -> list[str]:  # noqa: C901
    """Return the four to six fields of a FEN. Raise FenError for an invalid one."""
    fields = text.split()
    if not 4 <= len(fields) <= 6:
        raise FenError(
            "a FEN has 4 to 6 fields (board, side to move, castling, en passant, two numbers), "
            f"this one {len(fields)}"
        )
    fields[2] = "".join(sorted(set(fields[2])))  # the rights may stand in any order, even twice
    ranks = fields[0].split("/")
    if len(ranks) != 8:
        raise FenError(f"the board has 8 ranks, this one {len(ranks)}")
    for number, rank in zip(range(8, 0, -1), ranks, strict=True):
        if odd := re.search("[^1-8pnbrqkPNBRQK]", rank):
            raise FenError(
                f"{odd[0]!r} in rank {number} is neither a piece nor a digit from 1 to 8"
            )
        if re.search("[1-8]{2}", rank):
            raise FenError(f"rank {number} ({rank}) has two digits in a row")
        squares = sum(int(letter) if letter.isdigit() else 1 for letter in rank)
        if squares != 8:
            raise FenError(f"rank {number} ({rank}) has {squares} squares, not 8")
    if fields[1] not in ("w", "b"):
        raise FenError(f"side to move is w (White) or b (Black), not {fields[1]!r}")
    if not chess.FEN_CASTLING_REGEX.match(fields[2]):
        raise FenError(
            "castling rights are '-' or letters such as 'KQkq', at most two for a side, not "
            f"{fields[2]!r}"
        )
    if fields[3] != "-" and fields[3] not in chess.SQUARE_NAMES:
        raise FenError(f"en-passant square: {fields[3]!r} is not a square")
    for name, field in zip(COUNTERS, fields[4:], strict=False):
        if not re.fullmatch("[0-9]{1,5}", field) or int(field) > MAX_COUNTER:
            raise FenError(f"{name} is a number from 0 to {MAX_COUNTER}, not {field!r}")
    return fields


def check_board(board: chess.Board) -> None:
    """Raise FenError that names the fault of a board that chess cannot be played from."""
    status = board.status()
    for flag, fault in FAULTS.items():
        if status & flag:
            mover, other = ("White", "Black") if board.turn else ("Black", "White")
            crowned = "White" if len(board.pieces(chess.KING, chess.WHITE)) > 1 else "Black"
            raise FenError(fault.format(mover=mover, other=other, crowned=crowned))

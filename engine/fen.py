"""Positions as text: FEN, X-FEN and Shredder-FEN, read strictly and written in the shortest form that is unambiguous.

A castling right is stored as the square of its rook. K and Q name the outermost rook on that side of the king; a file letter
names any rook (Chess960). An en-passant square is kept only if a legal capture exists.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from zobra.engine.board import KING, PAWN, PIECE_LETTERS, ROOK, parse_square, square_name
from zobra.engine.move import EN_PASSANT
from zobra.engine.position import Position

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KING_PIECE, ROOK_PIECE, PAWN_PIECE = 2 * int(KING), 2 * int(ROOK), 2 * int(PAWN)
COLOUR_NAMES = ("White", "Black")
MAX_COUNTER = 10_000
CASTLING_LETTERS = frozenset("KQABCDEFGHkqabcdefgh")


class FenError(ValueError):
    """A text is not a position that chess can be played from; the message says why."""


class Fields(NamedTuple):
    """What the fields of a FEN say, each sound by itself and in keeping with the others; see Position.from_pieces."""

    pieces: dict[int, int]
    side: int
    castling: int
    en_passant: int
    halfmove: int
    fullmove: int


def read_fen(text: str) -> Fields:
    """Read a FEN of four to six fields; FenError names what is wrong with it. Who is in check is not looked at."""
    fields = text.split()
    if not 4 <= len(fields) <= 6:
        raise FenError(f"a FEN has 4 to 6 fields, this one {len(fields)}: {text!r}")
    pieces = _parse_board(fields[0])
    _check_material(pieces)
    if fields[1] not in ("w", "b"):
        raise FenError(f"side to move is 'w' or 'b', not {fields[1]!r}")
    side = "wb".index(fields[1])
    castling = _parse_castling(fields[2], pieces)
    target = _parse_en_passant(fields[3], side, pieces)
    halfmove = _parse_counter("half-move clock", fields[4]) if len(fields) > 4 else 0
    fullmove = max(1, _parse_counter("move number", fields[5])) if len(fields) > 5 else 1
    return Fields(pieces, side, castling, target, halfmove, fullmove)


def opposite_check(side: int) -> FenError:
    """The complaint that the side not to move is in check."""
    return FenError(f"{COLOUR_NAMES[side ^ 1]} is in check, but {COLOUR_NAMES[side]} is to move")


def parse_fen(text: str) -> Position:
    """The position of a FEN; FenError names what is wrong with it."""
    fields = read_fen(text)
    if Position.from_pieces(fields.pieces, fields.side ^ 1, 0, 0).in_check:
        raise opposite_check(fields.side)
    position = Position.from_pieces(*fields)
    if fields.en_passant and not any(move >> 12 == EN_PASSANT for move in position.legal_moves()):
        position = Position.from_pieces(*fields._replace(en_passant=0))
    return position


def _parse_board(field: str) -> dict[int, int]:
    ranks = field.split("/")
    if len(ranks) != 8:
        raise FenError(f"the board has 8 ranks, this one {len(ranks)}")
    pieces: dict[int, int] = {}
    for number, rank in zip(range(8, 0, -1), ranks, strict=True):
        file = 0
        if any(one in "12345678" and other in "12345678" for one, other in pairwise(rank)):
            raise FenError(f"rank {number} ({rank!r}) has two digits in a row")
        for letter in rank:
            if letter in "12345678":
                file += int(letter)
            elif letter in PIECE_LETTERS:
                pieces[8 * (number - 1) + file] = PIECE_LETTERS.index(letter)
                file += 1
            else:
                raise FenError(f"{letter!r} in rank {number} is neither a piece nor a digit from 1 to 8")
            if file > 8:
                break
        if file != 8:
            raise FenError(f"rank {number} ({rank!r}) does not describe 8 squares")
    return pieces


def _check_material(pieces: dict[int, int]) -> None:
    placed = list(pieces.values())
    for colour, name in enumerate(COLOUR_NAMES):
        if (kings := placed.count(KING_PIECE + colour)) != 1:
            raise FenError(f"{name} has {kings} kings instead of one")
        if (pawns := placed.count(PAWN_PIECE + colour)) > 8:
            raise FenError(f"{name} has {pawns} pawns, more than 8")
        if (count := sum(piece & 1 == colour for piece in placed)) > 16:
            raise FenError(f"{name} has {count} pieces, more than 16")
    for square, piece in pieces.items():
        if piece >> 1 == PAWN and square // 8 in (0, 7):
            raise FenError(f"a pawn cannot stand on {square_name(square)}")
    white, black = (next(square for square, piece in pieces.items() if piece == KING_PIECE + colour) for colour in (0, 1))
    if abs(white // 8 - black // 8) <= 1 and abs(white % 8 - black % 8) <= 1:
        raise FenError("the kings stand side by side")


def _parse_castling(field: str, pieces: dict[int, int]) -> int:
    if field == "-":
        return 0
    rooks = 0
    for letter in field:
        if letter not in CASTLING_LETTERS:  # before it is made small: the Kelvin sign would become a k
            raise FenError(f"{letter!r} in {field!r} is not a castling right")
        colour = int(letter.islower())
        rank = 56 * colour
        king = next(square for square, piece in pieces.items() if piece == KING_PIECE + colour)
        own_rooks = [square for square in range(rank, rank + 8) if pieces.get(square) == ROOK_PIECE + colour]
        wing = letter.lower()
        if wing == "k":
            found = [rook for rook in own_rooks if rook > king][-1:]
        elif wing == "q":
            found = [rook for rook in own_rooks if rook < king][:1]
        else:
            found = [rook for rook in own_rooks if rook == rank + "abcdefgh".index(wing)]
        if not found or king // 8 != rank // 8:
            raise FenError(f"castling right {letter!r} needs {COLOUR_NAMES[colour]}'s king and that rook on their first rank")
        if rooks >> found[0] & 1:
            raise FenError(f"castling field {field!r} names one right twice")
        rooks |= 1 << found[0]
        same_wing = [rook for rook in own_rooks if rooks >> rook & 1 and (rook > king) == (found[0] > king)]
        if len(same_wing) > 1:
            raise FenError(f"castling field {field!r} names two rooks on one side of {COLOUR_NAMES[colour]}'s king")
    return rooks


def _parse_en_passant(field: str, side: int, pieces: dict[int, int]) -> int:
    if field == "-":
        return 0
    try:
        target = parse_square(field)
    except ValueError as error:
        raise FenError(f"en-passant square: {error}") from None
    forward = 8 if side else -8  # the way the pawn that has just moved went
    if target // 8 != (2 if side else 5):
        raise FenError(f"en-passant square {field} is on the wrong rank for {COLOUR_NAMES[side]} to move")
    if pieces.get(target + forward) != PAWN_PIECE + (side ^ 1):
        raise FenError(f"en-passant square {field} has no pawn in front of it that could be taken")
    if target in pieces or target - forward in pieces:
        raise FenError(f"the pawn in front of en-passant square {field} cannot have come from behind it")
    return target


def _parse_counter(name: str, field: str) -> int:
    # the length first: Python refuses to convert thousands of digits
    if not (field.isascii() and field.isdigit()) or len(field) > len(str(MAX_COUNTER)) or int(field) > MAX_COUNTER:
        raise FenError(f"{name} is a number from 0 to {MAX_COUNTER}, not {field!r}")
    return int(field)


def write_fen(position: Position, shredder: bool = False) -> str:
    """FEN of a position; castling as KQkq, by file letter where that would be ambiguous or where `shredder` asks for it."""
    this = position.record
    pieces = position.pieces()
    ranks = []
    for rank in range(7, -1, -1):
        letters = "".join(PIECE_LETTERS[pieces[s]] if s in pieces else "." for s in range(8 * rank, 8 * rank + 8))
        for run in range(8, 0, -1):
            letters = letters.replace("." * run, str(run))
        ranks.append(letters)
    target = int(this["en_passant"])
    return " ".join(
        [
            "/".join(ranks),
            "wb"[position.side],
            _write_castling(position, pieces, shredder) or "-",
            square_name(target) if target else "-",
            str(int(this["halfmove"])),
            str(int(this["fullmove"])),
        ]
    )


def _write_castling(position: Position, pieces: dict[int, int], shredder: bool) -> str:
    rights = ""
    for colour, rank in ((0, 0), (1, 56)):
        own_rooks = [square for square in range(rank, rank + 8) if pieces.get(square) == ROOK_PIECE + colour]
        castling = [rook for rook in own_rooks if int(position.record["castling"]) >> rook & 1]
        king = next(square for square, piece in pieces.items() if piece == KING_PIECE + colour)
        for rook in reversed(castling):
            kingside = rook > king
            outermost = rook == (own_rooks[-1] if kingside else own_rooks[0])
            letter = ("k" if kingside else "q") if outermost and not shredder else "abcdefgh"[rook % 8]
            rights += letter if colour else letter.upper()
    return rights

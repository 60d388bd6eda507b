"""Threats in the ordering of quiet moves: a piece leaves or enters an attack of a lesser enemy piece, or gives check.

Idea: Stockfish's ordering of quiet moves.
"""

from __future__ import annotations

import numpy as np

from zobra.engine.attacks import bishop_attacks, rook_attacks
from zobra.engine.board import BISHOP, BLACK, EIGHT, FILE_A, FILE_H, KING, KNIGHT, ONE, PAWN, QUEEN, ROOK, SEVEN, WHITE, ZERO
from zobra.engine.kernels import inlined, kernel, lowest
from zobra.engine.move import from_square, to_square

NINE = EIGHT + ONE


@kernel
def pawn_attacks(pawns, colour):
    """All squares that pawns of one colour attack."""
    if colour == WHITE:
        return (pawns & ~FILE_A) << SEVEN | (pawns & ~FILE_H) << NINE
    return (pawns & ~FILE_H) >> SEVEN | (pawns & ~FILE_A) >> NINE


@inlined
def attacked_by(position, tables, colour, kind, occupied):
    """All squares that knights, bishops, rooks or queens of one colour attack; `kind` is a constant."""
    pieces, found = position.pieces[kind] & position.colours[colour], ZERO
    while pieces:
        square = lowest(pieces)
        if kind == KNIGHT:
            found |= tables.knight[square]
        if kind == BISHOP or kind == QUEEN:
            found |= bishop_attacks(tables, square, occupied)
        if kind == ROOK or kind == QUEEN:
            found |= rook_attacks(tables, square, occupied)
        pieces &= pieces - ONE
    return found


@kernel
def minor_attacks(position, tables, colour, occupied):
    """All squares that knights and bishops of one colour attack."""
    knights = attacked_by(position, tables, colour, KNIGHT, occupied)
    return knights | attacked_by(position, tables, colour, BISHOP, occupied)


@kernel
def all_attacks(position, tables, colour):
    """All squares that pieces of one colour attack."""
    own, occupied = position.colours[colour], position.colours[WHITE] | position.colours[BLACK]
    found = pawn_attacks(position.pieces[PAWN] & own, colour) | tables.king[lowest(position.pieces[KING] & own)]
    found |= attacked_by(position, tables, colour, ROOK, occupied) | attacked_by(position, tables, colour, QUEEN, occupied)
    return found | minor_attacks(position, tables, colour, occupied)


@kernel
def set_threats(node, tables):
    """Set `threats` and `checks` of a node for the pieces of the side to move (`NODE` in worker.py says what they hold)."""
    position, threats, checks = node.position, node.threats, node.checks
    them, occupied = position.side ^ ONE, position.colours[WHITE] | position.colours[BLACK]
    threats[PAWN] = threats[KING] = checks[KING] = ZERO
    threats[KNIGHT] = threats[BISHOP] = pawn_attacks(position.pieces[PAWN] & position.colours[them], them)
    threats[ROOK] = threats[KNIGHT] | minor_attacks(position, tables, them, occupied)
    threats[QUEEN] = threats[ROOK] | attacked_by(position, tables, them, ROOK, occupied)
    king = lowest(position.pieces[KING] & position.colours[them])
    checks[PAWN], checks[KNIGHT] = tables.pawn[them, king], tables.knight[king]
    checks[BISHOP], checks[ROOK] = bishop_attacks(tables, king, occupied), rook_attacks(tables, king, occupied)
    checks[QUEEN] = checks[BISHOP] | checks[ROOK]


@kernel
def gives_direct_check(node, move):
    """Does the moved piece itself give check? Discovered checks, castling and promotions do not count. Needs `set_threats`."""
    kind = np.uint64(node.position.board[from_square(move)]) >> ONE
    return node.checks[kind] >> to_square(move) & ONE != ZERO


@kernel
def threat_score(worker, node, move):
    """Bonus in the move order for leaving a threat or giving check, malus for entering a threat."""
    from_, to = from_square(move), to_square(move)
    kind = np.uint64(node.position.board[from_]) >> ONE
    left, entered = np.int64(node.threats[kind] >> from_ & ONE), np.int64(node.threats[kind] >> to & ONE)
    check = np.int64(gives_direct_check(node, move))
    return worker.parameters.threat_bonus * (left - entered) + worker.parameters.check_bonus * check

"""Threats in the order of quiet moves (Stockfish's idea): a piece leaves or enters a lesser one's
attack, or gives check.
"""

import numpy as np

from zobra.engine.attacks import bishop_attacks, rook_attacks
from zobra.engine.board import (
    BISHOP,
    BLACK,
    EIGHT,
    FILE_A,
    FILE_H,
    KING,
    KNIGHT,
    ONE,
    PAWN,
    QUEEN,
    ROOK,
    SEVEN,
    WHITE,
    ZERO,
)
from zobra.engine.kernels import kernel, lowest
from zobra.engine.move import from_square, to_square

NINE = EIGHT + ONE


@kernel
def set_threats(node, tables):
    """Set `threats`, `attacked` and `checks` of a node for the side to move (`NODE` in worker.py
    says what they hold).
    """
    position, threats, checks = node.position, node.threats, node.checks
    them, occupied = position.side ^ ONE, position.colours[WHITE] | position.colours[BLACK]
    theirs = position.colours[them]
    pawns, knights = position.pieces[PAWN] & theirs, position.pieces[KNIGHT] & theirs
    bishops, rooks = position.pieces[BISHOP] & theirs, position.pieces[ROOK] & theirs
    king = lowest(position.pieces[KING] & theirs)

    threats[PAWN] = threats[KING] = ZERO
    if them == WHITE:
        attacked = (pawns & ~FILE_A) << SEVEN | (pawns & ~FILE_H) << NINE
    else:
        attacked = (pawns & ~FILE_H) >> SEVEN | (pawns & ~FILE_A) >> NINE
    threats[KNIGHT] = threats[BISHOP] = attacked
    while knights:
        attacked |= tables.knight[lowest(knights)]
        knights &= knights - ONE
    while bishops:
        attacked |= bishop_attacks(tables, lowest(bishops), occupied)
        bishops &= bishops - ONE
    threats[ROOK] = attacked
    while rooks:
        attacked |= rook_attacks(tables, lowest(rooks), occupied)
        rooks &= rooks - ONE
    threats[QUEEN] = attacked
    queens = position.pieces[QUEEN] & theirs
    while queens:
        attacked |= bishop_attacks(tables, lowest(queens), occupied) | rook_attacks(
            tables, lowest(queens), occupied
        )
        queens &= queens - ONE
    node.attacked = attacked | tables.king[king]

    checks[PAWN], checks[KNIGHT], checks[KING] = tables.pawn[them, king], tables.knight[king], ZERO
    checks[BISHOP], checks[ROOK] = (
        bishop_attacks(tables, king, occupied),
        rook_attacks(tables, king, occupied),
    )
    checks[QUEEN] = checks[BISHOP] | checks[ROOK]


@kernel
def gives_direct_check(node, move):
    """Does the moved piece itself give check?

    Discovered checks, castling and promotions do not count. Needs `set_threats`.
    """
    kind = np.uint64(node.position.board[from_square(move)]) >> ONE
    return node.checks[kind] >> to_square(move) & ONE != ZERO


@kernel
def threat_score(worker, node, move):
    """Bonus in the move order for leaving a threat or giving check, malus for entering a threat."""
    from_, to = from_square(move), to_square(move)
    kind = np.uint64(node.position.board[from_]) >> ONE
    left, entered = (
        np.int64(node.threats[kind] >> from_ & ONE),
        np.int64(node.threats[kind] >> to & ONE),
    )
    check = np.int64(gives_direct_check(node, move))
    return worker.parameters.threat_bonus * (left - entered) + worker.parameters.check_bonus * check

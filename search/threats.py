"""Threats in move ordering: a quiet move escapes or enters an attack by a lesser piece, or checks.

Idea: Stockfish.
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
def set_threats(node, constants):
    """Set `threats`, `attacked` and `checks` of a node for the side to move.

    `NODE` in worker.py says what they hold.
    """
    position = node.position
    threats = node.threats
    checks = node.checks
    them = position.side ^ ONE
    occupied = position.colours[WHITE] | position.colours[BLACK]
    theirs = position.colours[them]
    pawns = position.pieces[PAWN] & theirs
    knights = position.pieces[KNIGHT] & theirs
    bishops = position.pieces[BISHOP] & theirs
    rooks = position.pieces[ROOK] & theirs
    queens = position.pieces[QUEEN] & theirs
    king = lowest(position.pieces[KING] & theirs)

    threats[PAWN] = ZERO
    threats[KING] = ZERO
    if them == WHITE:
        attacked = (pawns & ~FILE_A) << SEVEN | (pawns & ~FILE_H) << NINE
    else:
        attacked = (pawns & ~FILE_H) >> SEVEN | (pawns & ~FILE_A) >> NINE
    threats[KNIGHT] = attacked
    threats[BISHOP] = attacked
    while knights:
        attacked |= constants.knight[lowest(knights)]
        knights &= knights - ONE
    while bishops:
        attacked |= bishop_attacks(constants, lowest(bishops), occupied)
        bishops &= bishops - ONE
    threats[ROOK] = attacked
    while rooks:
        attacked |= rook_attacks(constants, lowest(rooks), occupied)
        rooks &= rooks - ONE
    threats[QUEEN] = attacked
    while queens:
        attacked |= bishop_attacks(constants, lowest(queens), occupied)
        attacked |= rook_attacks(constants, lowest(queens), occupied)
        queens &= queens - ONE
    node.attacked = attacked | constants.king[king]

    checks[PAWN] = constants.pawn[them, king]
    checks[KNIGHT] = constants.knight[king]
    checks[KING] = ZERO
    checks[BISHOP] = bishop_attacks(constants, king, occupied)
    checks[ROOK] = rook_attacks(constants, king, occupied)
    checks[QUEEN] = checks[BISHOP] | checks[ROOK]


@kernel
def gives_direct_check(node, move):
    """Return whether the moved piece itself gives check.

    Discovered checks, castling and promotions do not count. Needs `set_threats`.
    """
    kind = np.uint64(node.position.board[from_square(move)]) >> ONE
    return node.checks[kind] >> to_square(move) & ONE != ZERO


@kernel
def threat_score(worker, node, move):
    """Return the move-ordering bonus for escaping a threat or giving check.

    Entering a threat costs as much as escaping one gains.
    """
    from_ = from_square(move)
    kind = np.uint64(node.position.board[from_]) >> ONE
    leaves_threat = np.int64(node.threats[kind] >> from_ & ONE)
    enters_threat = np.int64(node.threats[kind] >> to_square(move) & ONE)
    gives_check = np.int64(gives_direct_check(node, move))
    parameters = worker.parameters
    threats = parameters.threat_bonus * (leaves_threat - enters_threat)
    return threats + parameters.check_bonus * gives_check

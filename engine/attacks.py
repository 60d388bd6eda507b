"""Which squares a piece attacks, and which pieces attack a square."""

from zobra.engine.board import BISHOP, EIGHT, KING, KNIGHT, ONE, PAWN, QUEEN, ROOK, ZERO
from zobra.engine.kernels import extract_bits, kernel, lowest


@kernel
def index_by_magic(magic, occupied):
    """Return the index of an occupancy in the table of sliding attacks, by multiplication."""
    return magic.offset + (((occupied & magic.mask) * magic.factor) >> magic.shift)


@kernel
def index_by_extraction(magic, occupied):
    """Return the index of an occupancy in the table of sliding attacks, by its relevant bits."""
    return magic.offset + extract_bits(occupied, magic.mask)


slider_index = index_by_extraction if extract_bits else index_by_magic


@kernel
def bishop_attacks(constants, square, occupied):
    """Return the squares that a bishop on `square` attacks, blockers included."""
    return constants.slider[slider_index(constants.bishop[square], occupied)]


@kernel
def rook_attacks(constants, square, occupied):
    """Return the squares that a rook on `square` attacks, blockers included."""
    return constants.slider[slider_index(constants.rook[square], occupied)]


@kernel
def attackers(position, constants, square, colour, occupied):
    """Return the pieces of `colour` that attack `square`, given the `occupied` squares.

    A piece on a square that is not in `occupied` does not count.
    """
    pieces = position.pieces
    found = constants.pawn[colour ^ ONE, square] & pieces[PAWN]
    found |= constants.knight[square] & pieces[KNIGHT] | constants.king[square] & pieces[KING]
    found |= bishop_attacks(constants, square, occupied) & (pieces[BISHOP] | pieces[QUEEN])
    found |= rook_attacks(constants, square, occupied) & (pieces[ROOK] | pieces[QUEEN])
    return found & position.colours[colour] & occupied


@kernel
def find_checks(position, constants):
    """Set `checkers` and `pinned` of the side to move."""
    us = position.side
    ours = position.colours[us]
    theirs = position.colours[us ^ ONE]
    pieces = position.pieces
    king = lowest(pieces[KING] & ours)
    checkers = constants.knight[king] & pieces[KNIGHT] | constants.pawn[us, king] & pieces[PAWN]
    checkers &= theirs
    pinned = ZERO

    # A slider that would attack the king if our pieces were not there: it gives check, or pins the
    # only piece between.
    snipers = bishop_attacks(constants, king, theirs) & (pieces[BISHOP] | pieces[QUEEN])
    snipers |= rook_attacks(constants, king, theirs) & (pieces[ROOK] | pieces[QUEEN])
    snipers &= theirs
    while snipers:
        sniper = lowest(snipers)
        blockers = constants.between[king, sniper] & ours
        if blockers == ZERO:
            checkers |= snipers & (ZERO - snipers)
        elif blockers & (blockers - ONE) == ZERO:
            pinned |= blockers
        snipers &= snipers - ONE
    position.checkers = checkers
    position.pinned = pinned


@kernel
def en_passant_is_legal(position, constants, pawn, target):
    """Return whether the pawn on `pawn` can capture on `target` without exposing its king."""
    us = position.side
    taken = target ^ EIGHT
    occupied = position.colours[us] | position.colours[us ^ ONE]
    occupied = (occupied & ~(ONE << pawn) & ~(ONE << taken)) | ONE << target
    king = lowest(position.pieces[KING] & position.colours[us])
    return attackers(position, constants, king, us ^ ONE, occupied) == ZERO


@kernel
def has_legal_en_passant(position, constants, target):
    """Return whether the side to move can capture en passant on `target`.

    The pawn that has just advanced must stand on the square behind it.
    """
    us = position.side
    pawns = constants.pawn[us ^ ONE, target] & position.pieces[PAWN] & position.colours[us]
    while pawns:
        if en_passant_is_legal(position, constants, lowest(pawns), target):
            return True
        pawns &= pawns - ONE
    return False

"""Which squares a piece attacks, and which pieces attack a square."""

from zobra.engine.board import BISHOP, EIGHT, KING, KNIGHT, ONE, PAWN, QUEEN, ROOK, ZERO
from zobra.engine.kernels import extract_bits, kernel, lowest


@kernel
def index_by_magic(magic, occupied):
    """Return the index of an occupancy in the table of sliders, by multiplication."""
    return magic.offset + (((occupied & magic.mask) * magic.factor) >> magic.shift)


@kernel
def index_by_extraction(magic, occupied):
    """Return the index of an occupancy in the table of sliders: its relevant bits, packed."""
    return magic.offset + extract_bits(occupied, magic.mask)


slider_index = index_by_extraction if extract_bits else index_by_magic


@kernel
def bishop_attacks(tables, square, occupied):
    """Return the squares that a bishop on `square` attacks, blockers included."""
    return tables.slider[slider_index(tables.bishop[square], occupied)]


@kernel
def rook_attacks(tables, square, occupied):
    """Return the squares that a rook on `square` attacks, blockers included."""
    return tables.slider[slider_index(tables.rook[square], occupied)]


@kernel
def attackers(position, tables, square, colour, occupied):
    """Return the pieces of `colour` that attack `square` if exactly the squares in `occupied` are
    occupied.
    """
    pieces = position.pieces
    found = tables.pawn[colour ^ ONE, square] & pieces[PAWN]
    found |= tables.knight[square] & pieces[KNIGHT] | tables.king[square] & pieces[KING]
    found |= bishop_attacks(tables, square, occupied) & (pieces[BISHOP] | pieces[QUEEN])
    found |= rook_attacks(tables, square, occupied) & (pieces[ROOK] | pieces[QUEEN])
    return found & position.colours[colour] & occupied


@kernel
def find_checks(position, tables):
    """Set `checkers` and `pinned` of the side to move."""
    us = position.side
    ours = position.colours[us]
    theirs = position.colours[us ^ ONE]
    pieces = position.pieces
    king = lowest(pieces[KING] & ours)
    checkers = tables.knight[king] & pieces[KNIGHT] | tables.pawn[us, king] & pieces[PAWN]
    checkers &= theirs
    pinned = ZERO

    # A slider that would attack the king if our pieces were not there: it gives check, or pins the
    # only piece between.
    snipers = bishop_attacks(tables, king, theirs) & (pieces[BISHOP] | pieces[QUEEN])
    snipers |= rook_attacks(tables, king, theirs) & (pieces[ROOK] | pieces[QUEEN])
    snipers &= theirs
    while snipers:
        sniper = lowest(snipers)
        blockers = tables.between[king, sniper] & ours
        if blockers == ZERO:
            checkers |= snipers & (ZERO - snipers)
        elif blockers & (blockers - ONE) == ZERO:
            pinned |= blockers
        snipers &= snipers - ONE
    position.checkers = checkers
    position.pinned = pinned


@kernel
def en_passant_is_legal(position, tables, pawn, target):
    """Return whether the pawn on `pawn` may capture en passant on `target` without exposing its
    king.
    """
    us = position.side
    taken = target ^ EIGHT
    occupied = position.colours[us] | position.colours[us ^ ONE]
    occupied = (occupied & ~(ONE << pawn) & ~(ONE << taken)) | ONE << target
    king = lowest(position.pieces[KING] & position.colours[us])
    return attackers(position, tables, king, us ^ ONE, occupied) == ZERO


@kernel
def has_legal_en_passant(position, tables, target):
    """Return whether the side to move can capture en passant on `target`.

    The square behind must hold the pawn that has just advanced.
    """
    us = position.side
    pawns = tables.pawn[us ^ ONE, target] & position.pieces[PAWN] & position.colours[us]
    while pawns:
        if en_passant_is_legal(position, tables, lowest(pawns), target):
            return True
        pawns &= pawns - ONE
    return False

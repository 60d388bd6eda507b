"""The legal moves of a position, by check and pin masks: no move is made to test its legality.

Colour-generic: pawns advance by rotating their bitboard eight places one way or the other. Idea:
the pin and check masks of Daniel Inführ's and Peter Ellis Jones' articles, via the Chess
Programming Wiki.
"""

from typing import Any

import numpy as np

from zobra.engine.attacks import attackers, bishop_attacks, en_passant_is_legal, rook_attacks
from zobra.engine.board import (
    BISHOP,
    EIGHT,
    FILE_A,
    FILE_H,
    KING,
    KNIGHT,
    LAST_RANKS,
    ONE,
    PAWN,
    QUEEN,
    ROOK,
    SEVEN,
    ZERO,
)
from zobra.engine.kernels import (
    append_bits,
    copy_reordered,
    extract_bits,
    inlined,
    kernel,
    lowest,
    popcount,
    rotate_left,
)
from zobra.engine.layouts import BYTE_ORDER, MAX_TARGETS, MOVE_LIST, STEPS
from zobra.engine.move import (
    CASTLING,
    DOUBLE_PUSH,
    EN_PASSANT,
    NORMAL,
    PROMOTION,
    QUEEN_PROMOTION,
    TO_SHIFT,
    encode,
)

# What to generate: captures and promotions, all other moves, or both
NOISY = np.uint64(1)
QUIET = np.uint64(2)
ALL = NOISY | QUIET

TO_UNIT = ONE << TO_SHIFT  # what one square further adds to a move
BYTE = np.uint64(0xFF)
SIXTEEN = np.uint64(16)
THIRD_RANK = np.uint64(0xFF0000)  # White's
THIRD_RANK_STEP = np.uint64(24)  # bits from White's third rank to Black's


@kernel
def push(moves, count, move):
    """Write one move to the list, and return the new count."""
    moves.moves[count] = np.uint16(move)
    return count + ONE


@kernel
def append_by_loop(moves, count, targets, factor, base):
    """Write the move `square × factor + base` for each target square; return the new count.

    Four are written at a time, because the end of a loop is often mispredicted. Surplus moves are
    overwritten by those that follow.
    """
    end = count + np.uint64(popcount(targets))
    while count < end:
        for _ in range(4):
            count = push(moves, count, lowest(targets) * factor + base)
            targets &= targets - ONE
    return end


@kernel
def push_by_bits(moves, count, constants, kind, from_, targets):
    """Write the moves of a piece to its target squares, bit by bit; return the new count."""
    if targets:
        return append(moves, count, targets, TO_UNIT, from_)
    return count


@kernel
def push_by_steps(moves, count, constants, kind, from_, targets):
    """Write the moves of a piece to its target squares; return the new count.

    They are picked from its moves on an empty board, eight at a time and without a loop, whose end
    would often be mispredicted.
    """
    if targets == ZERO:
        return count
    steps = constants.steps[kind, from_]
    chosen = extract_bits(targets, steps.targets)
    end = count + np.uint64(popcount(chosen))
    copy_steps(moves, count, steps, ZERO, constants.packing[chosen & BYTE])
    if kind == BISHOP or kind == ROOK:
        count += np.uint64(popcount(chosen & BYTE))
        copy_steps(moves, count, steps, EIGHT, constants.packing[chosen >> EIGHT])
    return end


# The fastest way that the target has: compress bytes, or extract bits and shuffle bytes, or a loop.
append_compressed = append_bits(MOVE_LIST, "moves", MAX_TARGETS)
append = append_compressed or append_by_loop
copy_steps: Any = copy_reordered(MOVE_LIST, STEPS, BYTE_ORDER, "moves")
push_targets = push_by_steps if copy_steps and not append_compressed else push_by_bits


@kernel
def push_pawns(moves, count, targets, step, flag):
    """Write the pawn moves to `targets`, each from `target - step`; return the new count."""
    if targets:
        base = encode(ZERO, ZERO, flag) - step
        return append(moves, count, targets, TO_UNIT + ONE, base)
    return count


@kernel
def push_promotions(moves, count, targets, step):
    """Write the promotions to `targets`, four moves each, the queen first."""
    flag = QUEEN_PROMOTION
    while flag >= PROMOTION:
        count = push_pawns(moves, count, targets, step, flag)
        flag -= ONE
    return count


@inlined
def pawn_pushes(position, us):
    """Return the squares to which pawns may advance by one step.

    A pinned pawn may advance on the king's file.
    """
    king = lowest(position.pieces[KING] & position.colours[us])
    occupied = position.colours[us] | position.colours[us ^ ONE]
    free = ~position.pinned | FILE_A << (king & SEVEN)
    pawns = position.pieces[PAWN] & position.colours[us] & free
    return rotate_left(pawns, EIGHT - SIXTEEN * us) & ~occupied


@inlined
def noisy_pawn_moves(position, constants, moves, count, allowed, us):
    """Write the captures and promotions of pawns, except en passant; return the new count.

    A pinned pawn may capture along its pin, one of the king's diagonals.
    """
    king = lowest(position.pieces[KING] & position.colours[us])
    pawns = position.pieces[PAWN] & position.colours[us]
    unpinned = ~position.pinned
    theirs = position.colours[us ^ ONE] & allowed
    up = EIGHT - SIXTEEN * us

    free_east = unpinned | constants.diagonal[us, king]
    free_west = unpinned | constants.diagonal[us ^ ONE, king]
    east = rotate_left(pawns & ~FILE_H & free_east, up + ONE) & theirs
    west = rotate_left(pawns & ~FILE_A & free_west, up - ONE) & theirs
    single = pawn_pushes(position, us) & allowed
    if LAST_RANKS & (single | east | west):
        count = push_promotions(moves, count, single & LAST_RANKS, up)
        count = push_promotions(moves, count, east & LAST_RANKS, up + ONE)
        count = push_promotions(moves, count, west & LAST_RANKS, up - ONE)
    count = push_pawns(moves, count, east & ~LAST_RANKS, up + ONE, NORMAL)
    return push_pawns(moves, count, west & ~LAST_RANKS, up - ONE, NORMAL)


@inlined
def quiet_pawn_moves(position, moves, count, allowed, us):
    """Write the pushes of pawns that do not promote; return the new count."""
    pushed = pawn_pushes(position, us)
    up = EIGHT - SIXTEEN * us
    empty = ~(position.colours[us] | position.colours[us ^ ONE])
    double = rotate_left(pushed & THIRD_RANK << THIRD_RANK_STEP * us, up) & empty & allowed
    count = push_pawns(moves, count, pushed & allowed & ~LAST_RANKS, up, NORMAL)
    return push_pawns(moves, count, double, up + up, DOUBLE_PUSH)


@inlined
def piece_moves(position, constants, moves, count, allowed, us):
    """Write the moves of knights, bishops, rooks and queens to allowed squares.

    A pinned piece stays on the line of its pin. Return the new count.
    """
    ours = position.colours[us]
    occupied = ours | position.colours[us ^ ONE]
    pieces = position.pieces
    pinned = position.pinned
    king = lowest(pieces[KING] & ours)

    knights = pieces[KNIGHT] & ours & ~pinned
    while knights:
        from_ = lowest(knights)
        targets = constants.knight[from_] & allowed
        count = push_targets(moves, count, constants, KNIGHT, from_, targets)
        knights &= knights - ONE

    diagonal = (pieces[BISHOP] | pieces[QUEEN]) & ours
    while diagonal:
        from_ = lowest(diagonal)
        targets = bishop_attacks(constants, from_, occupied) & allowed
        if pinned >> from_ & ONE:
            targets &= constants.line[king, from_]
        count = push_targets(moves, count, constants, BISHOP, from_, targets)
        diagonal &= diagonal - ONE

    straight = (pieces[ROOK] | pieces[QUEEN]) & ours
    while straight:
        from_ = lowest(straight)
        targets = rook_attacks(constants, from_, occupied) & allowed
        if pinned >> from_ & ONE:
            targets &= constants.line[king, from_]
        count = push_targets(moves, count, constants, ROOK, from_, targets)
        straight &= straight - ONE
    return count


@inlined
def safe_king_steps(position, constants, king, targets, us):
    """Return the target squares next to the king that are not attacked once it has left its own."""
    them = us ^ ONE
    occupied = (position.colours[us] | position.colours[them]) ^ (ONE << king)
    other_king = lowest(position.pieces[KING] & position.colours[them])
    targets &= constants.king[king] & ~constants.king[other_king]
    safe = ZERO
    while targets:
        if attackers(position, constants, lowest(targets), them, occupied) == ZERO:
            safe |= targets & (ZERO - targets)
        targets &= targets - ONE
    return safe


@kernel
def castling_is_legal(position, constants, king, rook, safe, us):
    """Return whether the castling path is empty and the king's path is not attacked.

    `safe` are the king's safe steps. A rook that is pinned along the rank (Chess960) would expose
    its king.
    """
    occupied = position.colours[us] | position.colours[us ^ ONE]
    if constants.castling_path[king, rook] & occupied or position.pinned >> rook & ONE:
        return False
    path = constants.castling_king_path[king, rook]
    if path & constants.king[king] & ~safe & ~(ONE << rook):
        return False
    path &= ~safe
    while path:
        if attackers(position, constants, lowest(path), us ^ ONE, occupied ^ ONE << king):
            return False
        path &= path - ONE
    return True


@inlined
def generate_for(position, constants, moves, which, us):  # noqa: C901
    """Append legal moves of one colour, NOISY, QUIET or ALL, and return the list's new count."""
    ours = position.colours[us]
    theirs = position.colours[us ^ ONE]
    king = lowest(position.pieces[KING] & ours)
    checkers = position.checkers
    targets = ZERO
    if which & NOISY:
        targets |= theirs
    if which & QUIET:
        targets |= ~(ours | theirs)

    safe = safe_king_steps(position, constants, king, targets, us)
    count = push_targets(moves, moves.count, constants, KING, king, safe)
    if checkers & (checkers - ONE) == ZERO:
        allowed = ~ZERO
        if checkers:
            allowed = checkers | constants.between[king, lowest(checkers)]
        elif which & QUIET and position.castling & ours:
            rooks = position.castling & ours
            while rooks:
                rook = lowest(rooks)
                if castling_is_legal(position, constants, king, rook, safe, us):
                    count = push(moves, count, encode(king, rook, CASTLING))
                rooks &= rooks - ONE
        count = piece_moves(position, constants, moves, count, targets & allowed, us)
        if which & NOISY:
            count = noisy_pawn_moves(position, constants, moves, count, allowed, us)
        if which & QUIET:
            count = quiet_pawn_moves(position, moves, count, allowed, us)
        if which & NOISY and position.en_passant:
            pawns = constants.pawn[us ^ ONE, position.en_passant] & position.pieces[PAWN] & ours
            while pawns:  # rare, so each capture is tried on the board
                pawn = lowest(pawns)
                if en_passant_is_legal(position, constants, pawn, position.en_passant):
                    count = push(moves, count, encode(pawn, position.en_passant, EN_PASSANT))
                pawns &= pawns - ONE
    moves.count = count
    return count


@kernel
def generate(position, constants, moves, which):
    """Append the legal moves, NOISY, QUIET or ALL, to the list, and return its new count.

    `checkers` and `pinned` must be set. The code is compiled twice, with the colour as a constant:
    this is a fifth faster than with the colour in a variable.
    """
    if position.side == ZERO:
        return generate_for(position, constants, moves, which, ZERO)
    return generate_for(position, constants, moves, which, ONE)

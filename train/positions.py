"""The positions that a network learns from: 32 bytes each, made by replaying games.

A position is seen from the side to move, whose pawns move up the board. `pieces` has four bits for
each bit of `occupied`, from the lowest: 2 × type, plus 1 for an enemy piece. Bit 0 of `mirrored` is
set if the side's own king stands on files e to h, and bit 1 if the enemy king does (see
engine/accumulator.py).
"""

from dataclasses import astuple, fields, replace
from typing import Any

import chess
import numpy as np

from zobra.engine.accumulator import RANK_FLIP
from zobra.engine.attacks import find_checks
from zobra.engine.board import BLACK, KING, NO_PIECE, ONE, THREE, TWO, ZERO
from zobra.engine.fen import parse_fen
from zobra.engine.generator import ALL, generate
from zobra.engine.kernels import (
    VOID,
    copy_record,
    entry,
    kernel,
    layout,
    lowest,
    popcount,
    record,
)
from zobra.engine.layouts import CONSTANTS_TYPE, MAX_MOVES, MOVE_LIST, POSITION
from zobra.engine.make import make
from zobra.engine.move import EN_PASSANT, NO_MOVE, PROMOTION, flag_of, from_square, to_square
from zobra.engine.position import CONSTANTS_RECORD
from zobra.train.game_kernel import GAME, LONGEST_GAME, DataError, TrainingGame
from zobra.train.recipe import Filter

MAX_PIECES = 32
EMPTY = 12  # a square without a piece

# `score` and `result` are for the side to move. There is no padding: files hold this dtype.
PACKED = np.dtype(
    [
        ("occupied", "u8"),
        ("pieces", "u1", (MAX_PIECES // 2,)),
        ("score", "i2"),  # internal units
        ("result", "u1"),  # half points
        ("mirrored", "u1"),
        ("game", "u4"),  # its number
    ]
)

FILTER = layout(*((number.name, "i8") for number in fields(Filter)))
REPLAY = layout(
    ("game", GAME),
    ("indices", "u1", (LONGEST_GAME,)),  # of the moves among the legal ones (see sort_moves)
    ("decoding", "u1"),  # 1: compute `game.moves` from `indices`, 0: the other way round
    ("count", "u8"),  # positions kept
    ("played", "i8"),  # plies
    ("board", POSITION),
    ("following", POSITION),
    ("moves", MOVE_LIST),
    ("keys", "u4", (MAX_MOVES,)),
)
KEPT = np.dtype([("positions", PACKED, (LONGEST_GAME,))])

KEY_SHIFT = np.uint64(32)
RIGHT_HALF = np.uint64(4)
NIBBLE = np.uint64(4)
MOVE_BITS = np.uint64(16)
MOVE_MASK = np.uint64(0xFFFF)
QUIET_RANK = np.uint64(63)  # sorts after every capture


@kernel
def is_wanted(position, move, score, wanted):
    """Return whether a position is quiet and passes the filter `wanted`.

    It is quiet if the side to move is not in check, and its move is neither a capture nor a
    promotion.
    """
    flag = flag_of(move)
    enemy = position.colours[position.side ^ ONE]
    is_capture = flag == EN_PASSANT or (enemy >> to_square(move)) & ONE != ZERO
    if is_capture or flag >= PROMOTION or position.checkers != ZERO:
        return False

    pieces = popcount(position.colours[ZERO] | position.colours[ONE])
    if pieces < wanted.fewest_pieces:
        return False
    part = (position.key >> KEY_SHIFT) % np.uint64(wanted.thinning)
    if pieces <= wanted.thinned_pieces and part != ZERO:
        return False

    ply = (position.fullmove - 1) * 2 + np.int64(position.side)
    return ply >= wanted.first_ply and abs(score) <= wanted.largest_score


@kernel
def pack_board(position, packed):
    """Write the board to `packed`, as the side to move sees it."""
    side = position.side
    flip = RANK_FLIP if side == BLACK else ZERO

    occupied = position.colours[ZERO] | position.colours[ONE]
    turned = ZERO
    while occupied:
        turned |= ONE << (lowest(occupied) ^ flip)
        occupied &= occupied - ONE
    packed.occupied = turned

    for byte in range(16):
        packed.pieces[byte] = np.uint8(0)
    index = ZERO
    while turned:
        piece = np.uint64(position.board[lowest(turned) ^ flip]) ^ side
        packed.pieces[index >> ONE] |= np.uint8(piece << (NIBBLE * (index & ONE)))
        turned &= turned - ONE
        index += ONE

    own_king = lowest(position.pieces[KING] & position.colours[side])
    their_king = lowest(position.pieces[KING] & position.colours[side ^ ONE])
    own_bit = ONE if own_king & RIGHT_HALF else ZERO
    their_bit = TWO if their_king & RIGHT_HALF else ZERO
    packed.mirrored = np.uint8(own_bit | their_bit)


@kernel
def sort_moves(job, constants):
    """Write the legal moves to `job.keys`, and return their number.

    Their order is part of the format of games on disk: captures come first, by victim and attacker.
    The low 16 bits of a key are the move.
    """
    position = job.board
    job.moves.count = ZERO
    count = generate(position, constants, job.moves, ALL)
    for index in range(np.int64(count)):
        move = np.uint64(job.moves.moves[index])
        victim = np.uint64(position.board[to_square(move)])
        attacker = np.uint64(position.board[from_square(move)])
        rank = QUIET_RANK
        # The target of castling is the king's own rook.
        if victim != NO_PIECE and (victim & ONE) != position.side:
            rank = (KING - (victim >> ONE)) << THREE | attacker >> ONE

        key = np.uint32(rank << MOVE_BITS | move)
        place = int(index)
        while place > 0 and job.keys[place - 1] > key:
            job.keys[place] = job.keys[place - 1]
            place -= 1
        job.keys[place] = key
    return np.int64(count)


@kernel
def next_move(job, constants, ply):
    """Return the move at a ply, or NO_MOVE if it is not legal.

    If moves are being encoded, also store its index in `job.indices`.
    """
    count = sort_moves(job, constants)
    if job.decoding:
        index = np.int64(job.indices[ply])
        return np.uint64(job.keys[index]) & MOVE_MASK if index < count else NO_MOVE
    move = np.uint64(job.game.moves[ply])
    for candidate in range(count):
        if np.uint64(job.keys[candidate]) & MOVE_MASK == move:
            job.indices[ply] = np.uint8(candidate)
            return move
    return NO_MOVE


@entry(VOID, record(REPLAY), record(FILTER), record(KEPT), CONSTANTS_TYPE)
def replay(job, wanted, kept, constants):
    """Replay a game up to its first illegal move, and store the positions that pass the filter.

    Set `job.played` and `job.count`.
    """
    game = job.game
    copy_record(job.board, game.start)
    job.count = ZERO
    job.played = 0
    for ply in range(np.int64(game.count)):
        move = next_move(job, constants, ply)
        if move == NO_MOVE:
            return
        game.moves[ply] = np.uint16(move)

        score = np.int64(game.scores[ply])
        if is_wanted(job.board, move, score, wanted):
            packed = kept.positions[job.count]
            pack_board(job.board, packed)
            black = job.board.side == BLACK
            packed.score = np.int16(-score if black else score)
            packed.result = np.uint8(2 - game.result if black else game.result)
            job.count += ONE

        make(job.board, job.following, move, constants)
        find_checks(job.following, constants)
        copy_record(job.board, job.following)
        job.played += 1


class Replayer:
    """Replays games, and stores the positions that pass a filter.

    Each method raises DataError for an illegal game.
    """

    def __init__(self, wanted: Filter) -> None:
        self._job = np.zeros(1, REPLAY)
        self._kept = np.zeros(1, KEPT)
        self._filter = np.array([astuple(wanted)], FILTER)

    def indices(self, game: TrainingGame) -> np.ndarray:
        """Return the index of each move of a game among the legal moves (uint8)."""
        self._replay(game, decoding=False)
        return self._job[0]["indices"][: len(game.moves)].copy()

    def read(self, game: TrainingGame) -> tuple[TrainingGame, np.ndarray]:
        """Decode a game whose `moves` are indices.

        Return it with its positions that pass the filter (dtype PACKED).
        """
        found = self._replay(game, decoding=True)
        moves = self._job[0]["game"]["moves"][: len(game.moves)].copy()
        return replace(game, moves=moves), found

    def _replay(self, played: TrainingGame, decoding: bool) -> np.ndarray:
        """Return a game's positions that pass the filter. Its moves are indices if `decoding`."""
        job: Any = self._job[0]
        game = job["game"]
        count = len(played.moves)
        if count > LONGEST_GAME:
            raise DataError(f"game {played.number} has {count} plies, more than {LONGEST_GAME}")
        try:
            game["start"] = parse_fen(played.fen).record
        except ValueError as error:
            raise DataError(f"game {played.number}: {error}") from error
        game["result"] = played.result
        game["count"] = count
        game["scores"][:count] = played.scores
        job["decoding"] = decoding
        moves = job["indices"] if decoding else game["moves"]
        moves[:count] = played.moves

        replay(job, self._filter[0], self._kept[0], CONSTANTS_RECORD)
        ply = int(job["played"])
        if ply < count:
            raise DataError(f"game {played.number}: its move at ply {ply} is not legal")
        found = self._kept[0]["positions"][: int(job["count"])].copy()
        found["game"] = played.number
        return found


def mailboxes(positions: np.ndarray) -> np.ndarray:
    """Return the boards of positions as an array of shape (positions, 64) and dtype uint8.

    A square has the code of its piece as in `pieces`, or EMPTY.
    """
    squares = np.arange(64, dtype=np.uint64)
    taken = (positions["occupied"][:, np.newaxis] >> squares & ONE).astype(bool)

    low = positions["pieces"] & 15
    high = positions["pieces"] >> 4
    pieces = np.stack([low, high], axis=2).reshape(len(positions), MAX_PIECES)
    has_piece = np.arange(MAX_PIECES) < taken.sum(axis=1)[:, np.newaxis]

    boards = np.full(taken.shape, EMPTY, np.uint8)
    boards[taken] = pieces[has_piece]
    return boards


def unpack_board(packed: np.void) -> chess.Board:
    """Return the board of a packed position, with the side to move as White.

    Castling rights and en-passant squares are not stored.
    """
    board = chess.Board(None)
    for square, piece in enumerate(mailboxes(np.array([packed]))[0].tolist()):
        if piece != EMPTY:
            kind = piece // 2 + 1
            board.set_piece_at(square, chess.Piece(kind, piece % 2 == 0))
    return board

"""Positions for the trainer: 32 bytes each, from the point of view of the side to move, made by
replaying games.

The board is turned so that the side to move plays upwards. `pieces` has four bits for each bit of
`occupied`, from the lowest: 2 × type + (0 for own, 1 for theirs). `mirrored` has bit 0 where the
own king stands on the files e to h, bit 1 likewise for theirs (see engine/accumulator.py).
"""

from dataclasses import replace
from typing import Any

import chess
import numpy as np

from zobra.engine.attacks import find_checks
from zobra.engine.board import BLACK, KING, NO_PIECE, ONE, THREE, TWO, ZERO
from zobra.engine.fen import parse_fen
from zobra.engine.generator import ALL, generate
from zobra.engine.kernels import VOID, copy_record, entry, kernel, lowest, population, record
from zobra.engine.layouts import CONSTANTS_TYPE, MAX_MOVES, MOVE_LIST, POSITION
from zobra.engine.make import make
from zobra.engine.move import EN_PASSANT, NO_MOVE, PROMOTION, flag_of, from_square, to_square
from zobra.engine.position import CONSTANTS_RECORD
from zobra.train.game_kernel import GAME, LONGEST_GAME, DataError, TrainingGame

FILTER_DEFAULTS = {
    "first_ply": 16,  # counted from the start position; earlier positions belong to the opening
    "largest_score": 3_000,  # centipawns: positions with larger scores are dropped
    "fewest_pieces": 4,
    "thinned_pieces": 0,  # of positions with so many pieces or fewer ...
    "thinning": 2,  # ... one in so many is kept, chosen by its key
}
FILTER = np.dtype([(name, "i8") for name in FILTER_DEFAULTS], align=True)

# `score` in centipawns and `result` in half points are for the side to move; NO_RESULT: it is of no
# game.
PACKED = np.dtype(
    [
        ("occupied", "u8"),
        ("pieces", "u1", (16,)),
        ("score", "i2"),
        ("result", "u1"),
        ("mirrored", "u1"),
        ("game", "u4"),
    ]
)
REPLAY = np.dtype(
    [
        ("game", GAME),
        ("indices", "u1", (LONGEST_GAME,)),  # of the moves among the legal ones, see sort_moves
        (
            "decoding",
            "u1",
        ),  # 1: `indices` are given and `game.moves` are filled; 0: the other way round
        ("count", "u8"),
        ("played", "i8"),
        ("board", POSITION),
        ("following", POSITION),
        ("moves", MOVE_LIST),
        ("keys", "u4", (MAX_MOVES,)),
    ],
    align=True,
)
KEPT = np.dtype([("positions", PACKED, (LONGEST_GAME,))])
MAX_PIECES, EMPTY, NO_RESULT = 32, 12, np.uint8(255)

KEY_SHIFT = np.uint64(32)
RANK_FLIP, RIGHT_HALF, NIBBLE = np.uint64(56), np.uint64(4), np.uint64(4)
MOVE_BITS, MOVE_MASK, QUIET = np.uint64(16), np.uint64(0xFFFF), np.uint64(63)


@kernel
def is_wanted(position, move, score, rules):
    """Is the position kept: quiet, not decided, and after the opening?"""
    flag, enemy = flag_of(move), position.colours[position.side ^ ONE]
    noisy = flag >= PROMOTION or flag == EN_PASSANT or (enemy >> to_square(move)) & ONE != ZERO
    ply = (position.fullmove - 1) * 2 + np.int64(position.side)
    pieces = population(position.colours[ZERO] | position.colours[ONE])
    is_thinned = (
        pieces <= rules.thinned_pieces
        and (position.key >> KEY_SHIFT) % np.uint64(rules.thinning) != ZERO
    )
    return not (
        noisy
        or pieces < rules.fewest_pieces
        or is_thinned
        or position.checkers != ZERO
        or ply < rules.first_ply
        or abs(score) > rules.largest_score
    )


@kernel
def pack_board(position, packed):
    """Write the board to `packed` from the point of view of the side to move."""
    side = position.side
    flip = RANK_FLIP if side == BLACK else ZERO
    occupied, turned = position.colours[ZERO] | position.colours[ONE], ZERO
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
    own = lowest(position.pieces[KING] & position.colours[side])
    other = lowest(position.pieces[KING] & position.colours[side ^ ONE])
    packed.mirrored = np.uint8(
        (ONE if own & RIGHT_HALF else ZERO) | (TWO if other & RIGHT_HALF else ZERO)
    )


@kernel
def sort_moves(job, constants):
    """Write the legal moves to `job.keys`, sorted: captures by victim and attacker, then other
    moves; number of moves. The low 16 bits of a key are the move. This order is part of the form of
    the games on disk.
    """
    position = job.board
    job.moves.count = ZERO
    count = generate(position, constants, job.moves, ALL)
    for index in range(np.int64(count)):
        move = np.uint64(job.moves.moves[index])
        victim, attacker = (
            np.uint64(position.board[to_square(move)]),
            np.uint64(position.board[from_square(move)]),
        )
        is_capture = (
            victim != NO_PIECE and (victim & ONE) != position.side
        )  # castling: the king's own rook
        rank = (KING - (victim >> ONE)) << THREE | attacker >> ONE if is_capture else QUIET
        key, place = np.uint32(rank << MOVE_BITS | move), int(index)
        while place > 0 and job.keys[place - 1] > key:
            job.keys[place] = job.keys[place - 1]
            place -= 1
        job.keys[place] = key
    return np.int64(count)


@kernel
def next_move(job, constants, ply):
    """The legal move at this ply, and its index if that is wanted; NO_MOVE if it is not legal."""
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
def replay(job, rules, kept, constants):
    """Replay a game up to the first illegal move.

    Sets `job.played` (plies) and `job.count` (positions kept).
    """
    game = job.game
    copy_record(job.board, game.start)
    job.count, job.played = ZERO, 0
    for ply in range(np.int64(game.count)):
        move, score = next_move(job, constants, ply), np.int64(game.scores[ply])
        if move == NO_MOVE:
            return
        game.moves[ply] = np.uint16(move)
        if is_wanted(job.board, move, score, rules):
            packed, black = kept.positions[job.count], job.board.side == BLACK
            pack_board(job.board, packed)
            packed.score = np.int16(-score if black else score)
            packed.result = np.uint8(2 - game.result if black else game.result)
            job.count += ONE
        make(job.board, job.following, move, constants)
        find_checks(job.following, constants)
        copy_record(job.board, job.following)
        job.played += 1


def mailboxes(positions: np.ndarray) -> np.ndarray:
    """Boards of shape (positions, 64), uint8: piece codes as in `pieces`, the side to move as
    White; EMPTY elsewhere.
    """
    taken = (positions["occupied"][:, np.newaxis] >> np.arange(64, dtype=np.uint64) & ONE).astype(
        bool
    )
    nibbles = np.stack([positions["pieces"] & 15, positions["pieces"] >> 4], axis=2).reshape(
        len(positions), MAX_PIECES
    )
    boards = np.full(taken.shape, EMPTY, np.uint8)
    boards[taken] = nibbles[np.arange(MAX_PIECES) < taken.sum(axis=1)[:, np.newaxis]]
    return boards


def unpack_board(packed: np.void) -> chess.Board:
    """A packed position with its side to move as White; castling and en-passant rights are not
    stored.
    """
    board = chess.Board(None)
    for square, piece in enumerate(mailboxes(np.array([packed]))[0].tolist()):
        if piece != EMPTY:
            board.set_piece_at(square, chess.Piece(piece // 2 + 1, piece % 2 == 0))
    return board


class Replayer:
    """Replays games; `rules` are as FILTER_DEFAULTS. DataError for an illegal game."""

    def __init__(self, rules: dict[str, int]) -> None:
        self._job, self._kept, self._rules = (
            np.zeros(1, REPLAY),
            np.zeros(1, KEPT),
            np.zeros(1, FILTER),
        )
        for name, value in (FILTER_DEFAULTS | rules).items():
            self._rules[0][name] = value

    def indices(self, game: TrainingGame) -> np.ndarray:
        """The index (uint8) of each move of a game among the legal moves."""
        self.positions(game)
        return self._job[0]["indices"][: len(game.moves)].copy()

    def read(self, game: TrainingGame) -> tuple[TrainingGame, np.ndarray]:
        """A game whose `moves` are indices, with its moves, and its positions that are kept."""
        found = self.positions(game, decoding=True)
        return replace(game, moves=self._job[0]["game"]["moves"][: len(game.moves)].copy()), found

    def positions(self, played: TrainingGame, decoding: bool = False) -> np.ndarray:
        """The positions of a game that are kept (dtype PACKED); `decoding` says that its moves are
        indices.
        """
        job: Any = self._job[0]
        game, count = job["game"], len(played.moves)
        if count > LONGEST_GAME:
            raise DataError(f"game {played.number} has {count} plies, more than {LONGEST_GAME}")
        try:
            game["start"] = parse_fen(played.fen).record
        except ValueError as error:
            raise DataError(f"game {played.number}: {error}") from error
        game["result"], game["count"], job["decoding"] = played.result, count, decoding
        (job["indices"] if decoding else game["moves"])[:count] = played.moves
        game["scores"][:count] = played.scores
        replay(job, self._rules[0], self._kept[0], CONSTANTS_RECORD)
        if (ply := int(job["played"])) < count:
            raise DataError(f"game {played.number}: its move at ply {ply} is not legal")
        found = self._kept[0]["positions"][: int(job["count"])].copy()
        found["game"] = played.number
        return found

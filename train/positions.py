"""Positions for the trainer: 32 bytes each, from the point of view of the side to move, made by replaying games.

The board is turned so that the side to move plays upwards. `pieces` has four bits for each bit of `occupied`, from the lowest:
2 × type + (0 for own, 1 for theirs). `mirrored` has bit 0 where the own king stands on the files e to h, bit 1 likewise for
theirs (see engine/accumulator.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import chess
import numpy as np

from zobra.engine.attacks import find_checks
from zobra.engine.board import BLACK, KING, ONE, TWO, ZERO
from zobra.engine.fen import parse_fen
from zobra.engine.kernels import VOID, copy_record, entry, kernel, lowest, population, record
from zobra.engine.layouts import TABLES_TYPE
from zobra.engine.legality import is_legal
from zobra.engine.make import make
from zobra.engine.move import EN_PASSANT, PROMOTION, flag_of, to_square
from zobra.engine.position import TABLES_RECORD
from zobra.train.game_kernel import GAME, LONGEST_GAME
from zobra.train.games import DataError, TrainingGame, read_shard

FILTER_DEFAULTS = {
    "first_ply": 16,  # counted from the start position; earlier positions belong to the opening
    "largest_score": 3_000,  # centipawns: positions with larger scores are dropped
    "fewest_pieces": 4,
}
FILTER = np.dtype([(name, "i8") for name in FILTER_DEFAULTS], align=True)

# `score` in centipawns and `result` in half points are for the side to move.
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
    [("game", GAME), ("count", "u8"), ("played", "i8"), ("board", GAME["start"]), ("following", GAME["start"])], align=True
)
KEPT = np.dtype([("positions", PACKED, (LONGEST_GAME,))])
MAX_PIECES, EMPTY = 32, 12

RANK_FLIP, RIGHT_HALF, NIBBLE = np.uint64(56), np.uint64(4), np.uint64(4)


@kernel
def is_wanted(position, move, score, rules):
    """Is the position kept: quiet, not decided, and after the opening?"""
    flag, enemy = flag_of(move), position.colours[position.side ^ ONE]
    noisy = flag >= PROMOTION or flag == EN_PASSANT or (enemy >> to_square(move)) & ONE != ZERO
    ply = (position.fullmove - 1) * 2 + np.int64(position.side)
    few = population(position.colours[ZERO] | position.colours[ONE]) < rules.fewest_pieces
    return not (noisy or few or position.checkers != ZERO or ply < rules.first_ply or abs(score) > rules.largest_score)


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
    packed.mirrored = np.uint8((ONE if own & RIGHT_HALF else ZERO) | (TWO if other & RIGHT_HALF else ZERO))


@entry(VOID, record(REPLAY), record(FILTER), record(KEPT), TABLES_TYPE)
def replay(job, rules, kept, tables):
    """Replay a game up to the first illegal move. Sets `job.played` (plies) and `job.count` (positions kept)."""
    game = job.game
    copy_record(job.board, game.start)
    job.count, job.played = ZERO, 0
    for ply in range(np.int64(game.count)):
        move, score = np.uint64(game.moves[ply]), np.int64(game.scores[ply])
        if not is_legal(job.board, tables, move):
            return
        if is_wanted(job.board, move, score, rules):
            packed = kept.positions[job.count]
            pack_board(job.board, packed)
            black = job.board.side == BLACK
            packed.score = np.int16(-score if black else score)
            packed.result = np.uint8(2 - game.result if black else game.result)
            packed.game = np.uint32(0)
            job.count += ONE
        make(job.board, job.following, move, tables)
        find_checks(job.following, tables)
        copy_record(job.board, job.following)
        job.played += 1


def unpack_board(packed: np.void) -> chess.Board:
    """A packed position with its side to move as White; castling and en-passant rights are not stored."""
    board = chess.Board(None)
    squares = [square for square in range(64) if int(packed["occupied"]) >> square & 1]
    for index, square in enumerate(squares):
        piece = int(packed["pieces"][index >> 1]) >> 4 * (index & 1) & 15
        board.set_piece_at(square, chess.Piece(piece // 2 + 1, piece % 2 == 0))
    return board


def mailboxes(positions: np.ndarray) -> np.ndarray:
    """Boards of shape (positions, 64), uint8: piece codes as in `pieces`, the side to move as White; EMPTY elsewhere."""
    taken = (positions["occupied"][:, np.newaxis] >> np.arange(64, dtype=np.uint64) & ONE).astype(bool)
    nibbles = np.stack([positions["pieces"] & 15, positions["pieces"] >> 4], axis=2).reshape(len(positions), MAX_PIECES)
    boards = np.full(taken.shape, EMPTY, np.uint8)
    boards[taken] = nibbles[np.arange(MAX_PIECES) < taken.sum(axis=1)[:, np.newaxis]]
    return boards


class Replayer:
    """Turns games into positions; `rules` are as FILTER_DEFAULTS."""

    def __init__(self, rules: dict[str, int]) -> None:
        self._job, self._kept, self._rules = np.zeros(1, REPLAY), np.zeros(1, KEPT), np.zeros(1, FILTER)
        for name, value in (FILTER_DEFAULTS | rules).items():
            self._rules[0][name] = value

    def positions(self, played: TrainingGame) -> np.ndarray:
        """The positions of one game that are kept (dtype PACKED); DataError for an illegal game."""
        job: Any = self._job[0]
        game, count = job["game"], len(played.moves)
        if count > LONGEST_GAME:
            raise DataError(f"game {played.number} has {count} plies, more than {LONGEST_GAME}")
        try:
            game["start"] = parse_fen(played.fen).record
        except ValueError as error:
            raise DataError(f"game {played.number}: {error}") from error
        game["result"], game["count"] = played.result, count
        game["moves"][:count], game["scores"][:count] = played.moves, played.scores
        replay(job, self._rules[0], self._kept[0], TABLES_RECORD)
        if (ply := int(job["played"])) < count:
            raise DataError(f"game {played.number}: its move at ply {ply} is not legal")
        found = self._kept[0]["positions"][: int(job["count"])].copy()
        found["game"] = played.number
        return found

    def shard(self, path: Path) -> Iterator[tuple[TrainingGame, np.ndarray]]:
        """The games of a shard, each with the positions that are kept; DataError names the file."""
        for game in read_shard(path):
            try:
                found = self.positions(game)
            except DataError as error:
                raise DataError(f"{path}: {error}") from error
            yield game, found


def load_positions(
    paths: Iterable[Path], rules: dict[str, int], on_shard: Callable[[], None] = lambda: None
) -> tuple[np.ndarray, int]:
    """All positions of these shards that the filter keeps, in order, and the number of games."""
    replayer, parts, games = Replayer(rules), [np.zeros(0, PACKED)], 0
    for path in paths:
        for _, found in replayer.shard(path):
            parts.append(found)
            games += 1
        on_shard()
    return np.concatenate(parts), games

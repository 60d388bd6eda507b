"""`zobra train import`: PGN games with scores in their comments become training games."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import chess.pgn
import numpy as np

from zobra.arena.files import read_text
from zobra.arena.played_move import PlayedMove
from zobra.engine.fen import parse_fen, write_fen
from zobra.train.game_kernel import ENDINGS, LONGEST_GAME
from zobra.train.games import DECIDED_SCORE, keep_settings, shard_path, shards, write_shard
from zobra.train.generate import GAMES_A_SHARD
from zobra.train.training_game import RESULTS, DataError, TrainingGame


def training_game(game: chess.pgn.Game, number: int) -> TrainingGame:
    """A PGN game from its first move with a score on; DataError gives the reason why it is refused."""
    if game.errors:
        raise DataError("an illegal move, or text that is no move")
    if game.headers["Result"] not in RESULTS:
        raise DataError("no result")
    played = [(node.parent.board(), PlayedMove.from_node(node)) for node in game.mainline()]
    first = next((ply for ply, (_, move) in enumerate(played) if move.pawns(1) is not None), len(played))
    if first == len(played):
        raise DataError("no scores")
    played, moves, scores = played[first:], [], []
    if len(played) > LONGEST_GAME:
        raise DataError(f"more than {LONGEST_GAME} plies")
    board = played[0][0]
    try:
        position = parse_fen(board.shredder_fen())
        fen = write_fen(position)
    except ValueError as error:
        raise DataError(str(error)) from error
    for board, move in played:
        pawns = move.pawns(DECIDED_SCORE / 100)
        if pawns is None:
            raise DataError("a move without a score after moves with one")
        moves.append(position.parse_move(move.move.uci()))
        scores.append(round(100 * pawns) * (1 if board.turn else -1))
        position = position.after(moves[-1])
    result, ending = RESULTS.index(game.headers["Result"]), ENDINGS.index("imported")
    return TrainingGame(number, fen, result, ending, np.array(moves, np.uint16), np.array(scores, np.int16))


def import_files(paths: Iterable[Path], folder: Path) -> tuple[int, Counter[str]]:
    """Import PGN files (plain, .gz, .bz2, .zip, .zst) as a new set in `folder`; number of games, and reasons of refused ones.

    DataError where the folder holds games, OSError or ValueError for a file that cannot be read.
    """
    if shards(folder):
        raise DataError(f"{folder}: there are games in it already; name another set")
    kept: list[TrainingGame] = []
    refused: Counter[str] = Counter()
    count = 0
    for path in paths:
        text = io.StringIO(read_text(path))
        while (game := chess.pgn.read_game(text)) is not None:
            try:
                kept.append(training_game(game, count))
                count += 1
            except DataError as error:
                refused[f"{path}: {error}"] += 1
            if len(kept) == GAMES_A_SHARD:
                write_shard(shard_path(folder, kept[0].number), kept, {"first": kept[0].number})
                kept.clear()
    if kept:
        write_shard(shard_path(folder, kept[0].number), kept, {"first": kept[0].number})
    if count:
        keep_settings(folder, {"imported": count, "games_a_shard": GAMES_A_SHARD})
    return count, refused

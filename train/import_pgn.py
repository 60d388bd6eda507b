"""Data sets from PGN files with a score in the comment of each move."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import chess.pgn
import numpy as np

from zobra.arena.formats.files import read_text
from zobra.arena.formats.pgn import GameError, read_games
from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.model.game_record import POINTS_OF_WHITE
from zobra.engine.fen import parse_fen, write_fen
from zobra.search.wdl import USUAL_MATERIAL, fitted
from zobra.train.game_kernel import ENDINGS, LONGEST_GAME, DataError, TrainingGame
from zobra.train.games import (
    DECIDED_SCORE,
    GAMES_PER_SHARD,
    shard_path,
    shards,
    write_settings,
    write_shard,
)


@dataclass
class Import:
    """Counts of the imported games, and what was left out of the PGN files."""

    games: int = 0  # imported
    refused: Counter[str] = field(default_factory=Counter)  # by file and reason
    unreadable: list[str] = field(default_factory=list)  # file, game and reason


def import_files(paths: Iterable[Path], folder: Path) -> Import:
    """Import PGN files (plain, .gz, .bz2, .zip, .zst) as a new set in a folder.

    The set is made in a temporary folder beside it, so an import that fails or is interrupted
    leaves nothing behind. Raise DataError if the folder is not empty, and OSError or ValueError for
    a file that cannot be read.
    """
    folder = folder.resolve()
    if folder.exists() and any(folder.iterdir()):
        fault = "already has games" if shards(folder) else "is not empty"
        raise DataError(f"{folder}: this folder {fault}; name another set")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(".new", f"{folder.name}.", folder.parent) as temporary:
        draft = Path(temporary) / "set"
        found = _import_draft(paths, draft)
        if found.games:
            if folder.exists():
                folder.rmdir()  # Windows cannot replace even an empty folder
            draft.replace(folder)
    return found


def _import_draft(paths: Iterable[Path], folder: Path) -> Import:
    """Import PGN files as a set in a folder that does not exist yet."""
    found = Import()
    shard: list[TrainingGame] = []
    for path in paths:
        for game in read_games(read_text(path)):
            if isinstance(game, GameError):
                found.unreadable.append(f"{path}: {game}")
                continue
            try:
                shard.append(training_game(game, found.games))
            except ValueError as error:
                found.refused[f"{path}: {error}"] += 1
                continue
            found.games += 1
            if len(shard) == GAMES_PER_SHARD:
                write_shard(shard_path(folder, shard[0].number), shard)
                shard = []
    if shard:
        write_shard(shard_path(folder, shard[0].number), shard)
    if found.games:
        write_settings(folder, {"imported": found.games, "games_a_shard": GAMES_PER_SHARD})
    return found


def training_game(game: chess.pgn.Game, number: int) -> TrainingGame:
    """Convert a PGN game, from its first move with a score on, to at most LONGEST_GAME plies.

    Scores are read on the scale on which this engine shows them (see `normalised` in
    search/wdl.py). Raise ValueError with the reason if the game is refused.
    """
    result = POINTS_OF_WHITE.get(game.headers["Result"])
    if result is None:
        raise DataError("no result")
    nodes = list(game.mainline())
    first = 0
    while first < len(nodes) and PlayedMove.from_node(nodes[first]).pawns(1) is None:
        first += 1
    if first == len(nodes):
        raise DataError("no scores")

    pawn = fitted().even_chance(USUAL_MATERIAL)  # what a search scores and the engine shows as 100
    position = parse_fen(nodes[first].parent.board().shredder_fen())
    fen = write_fen(position)
    moves = []
    scores = []
    for node in nodes[first : first + LONGEST_GAME]:
        pawns = PlayedMove.from_node(node).pawns(DECIDED_SCORE / pawn)
        if pawns is None:
            raise DataError("a move without a score after moves with one")
        score = np.rint(pawn * pawns)
        scores.append(score if position.white_to_move() else -score)
        moves.append(position.parse_move(node.move.uci()))
        position = position.after(moves[-1])
    return TrainingGame(
        number,
        fen,
        result,
        ENDINGS.index("imported"),
        np.array(moves, np.uint16),
        np.array(scores, np.int16),
    )

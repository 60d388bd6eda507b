"""Games from elsewhere become shards: PGN games with scores in their comments, and games of the older form of Zobra."""

import io
import json
import struct
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import chess.pgn
import numpy as np

from zobra.arena.files import read_text
from zobra.arena.played_move import PlayedMove
from zobra.engine.fen import parse_fen, write_fen
from zobra.train.game_kernel import ENDINGS, LONGEST_GAME, RESULTS, DataError, TrainingGame
from zobra.train.games import DECIDED_SCORE, OLD_FORMAT, SETTINGS, SUFFIX, keep_settings, shard_path, shards, write_shard
from zobra.train.generate import GAMES_A_SHARD

# Of the older form: number, length of the FEN, plies, result, ending; the FEN, a u16 move and an i16 score for each ply follow.
HEAD = struct.Struct("<IHHBB")


def training_game(game: chess.pgn.Game, number: int) -> TrainingGame:
    """A PGN game from its first move with a score on, cut after LONGEST_GAME plies; ValueError says why it is refused."""
    played = [(node.parent.board(), PlayedMove.from_node(node)) for node in game.mainline()]
    first = next((ply for ply, (_, move) in enumerate(played) if move.pawns(1) is not None), len(played))
    played = played[first : first + LONGEST_GAME]
    for fault, is_found in (
        ("an illegal move, or text that is no move", game.errors),
        ("no result", game.headers["Result"] not in RESULTS),
        ("no scores", not played),
        ("a move without a score after moves with one", any(move.pawns(1) is None for _, move in played)),
    ):
        if is_found:
            raise DataError(fault)
    position = parse_fen(played[0][0].shredder_fen())
    fen, moves = write_fen(position), []
    for _, move in played:
        moves.append(position.parse_move(move.move.uci()))
        position = position.after(moves[-1])
    pawns = [(move.pawns(DECIDED_SCORE / 100) or 0.0) * (1 if board.turn else -1) for board, move in played]
    scores = np.rint(100 * np.array(pawns)).astype(np.int16)
    result, ending = RESULTS.index(game.headers["Result"]), ENDINGS.index("imported")
    return TrainingGame(number, fen, result, ending, np.array(moves, np.uint16), scores)


def import_files(paths: Iterable[Path], folder: Path) -> tuple[int, Counter[str]]:
    """Import PGN files (plain, .gz, .bz2, .zip, .zst) as a new set in `folder`; number of games, and reasons of refused ones.
    DataError where the folder holds games, OSError or ValueError for a file that cannot be read."""
    if shards(folder):
        raise DataError(f"{folder}: there are games in it already; name another set")
    kept, count, refused = list[TrainingGame](), 0, Counter[str]()

    def keep() -> None:
        write_shard(shard_path(folder, kept[0].number), kept, {"first": kept[0].number})
        kept.clear()

    for path in paths:
        for game in iter(partial(chess.pgn.read_game, io.StringIO(read_text(path))), None):
            try:
                kept.append(training_game(game, count))
                count += 1
            except ValueError as error:
                refused[f"{path}: {error}"] += 1
            if len(kept) == GAMES_A_SHARD:
                keep()
    if kept:
        keep()
    if count:
        keep_settings(folder, {"imported": count, "games_a_shard": GAMES_A_SHARD})
    return count, refused


def read_old_shard(path: Path) -> Iterator[TrainingGame]:
    """The games of a shard in the older form; DataError for a foreign, damaged or truncated file."""
    line, _, body = path.read_bytes().partition(b"\n")
    try:
        header = json.loads(line)
        if not isinstance(header, dict) or header.get("format") != OLD_FORMAT:
            raise ValueError(f"not a file of {OLD_FORMAT!r}")
        payload, at = zlib.decompress(body), 0
        if len(payload) != header.get("bytes"):
            raise ValueError(f"{len(payload)} bytes of games, not {header.get('bytes')}")
        while at < len(payload):
            number, letters, plies, result, ending = HEAD.unpack_from(payload, at)
            at += HEAD.size + letters
            fen = payload[at - letters : at].decode("ascii")
            moves, scores = (
                np.frombuffer(payload, kind, plies, at + start) for kind, start in (("<u2", 0), ("<i2", 2 * plies))
            )
            at += 4 * plies
            yield TrainingGame(number, fen, result, ending, moves, scores)
    except (ValueError, struct.error, zlib.error) as error:
        raise DataError(f"{path}: {error}") from error


def convert_set(source: Path, target: Path) -> tuple[int, list[str]]:
    """Convert the set in `source` to a set in `target`; number of games, and what is wrong with the shards passed over.
    DataError if `target` holds other games, or `source` has no settings."""
    try:
        settings = json.loads((source / SETTINGS).read_text())
    except (OSError, ValueError) as error:
        raise DataError(f"{source / SETTINGS}: {error}") from error
    keep_settings(target, {**settings, "games_a_shard": GAMES_A_SHARD})
    groups: dict[int, list[Path]] = defaultdict(list)
    for path in sorted(source.glob(f"*{SUFFIX}")):
        groups[int(path.stem) // GAMES_A_SHARD * GAMES_A_SHARD].append(path)
    count, faults = 0, []
    for first, paths in groups.items():
        games = []
        for path in paths:
            try:
                games += list(read_old_shard(path))
            except DataError as error:
                faults.append(str(error))
        if games:
            write_shard(shard_path(target, first), games, {"first": first})
            count += len(games)
    return count, faults

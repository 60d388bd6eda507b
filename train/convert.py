"""`zobra train convert`: games in the older form ("zobra games 1") become shards of the present form."""

from __future__ import annotations

import json
import struct
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from zobra.train.games import OLD_FORMAT, SETTINGS, keep_settings, shard_path, write_shard
from zobra.train.generate import GAMES_A_SHARD
from zobra.train.training_game import DataError, TrainingGame

# Number, length of the FEN, plies, result, ending; the FEN, a u16 move and an i16 score for each ply follow.
HEAD = struct.Struct("<IHHBB")


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
                np.frombuffer(payload, kind, plies, at + 2 * plies * part) for part, kind in enumerate(("<u2", "<i2"))
            )
            at += 4 * plies
            yield TrainingGame(number, fen, result, ending, moves, scores)
    except (ValueError, struct.error, zlib.error) as error:
        raise DataError(f"{path}: {error}") from error


def convert_set(source: Path, target: Path, on_shard: Callable[[], None] = lambda: None) -> tuple[int, list[str]]:
    """Convert the set in `source` to a set in `target`; number of games, and what is wrong with the shards passed over.

    DataError if `target` holds other games, or `source` has no settings.
    """
    try:
        settings = json.loads((source / SETTINGS).read_text())
    except (OSError, ValueError) as error:
        raise DataError(f"{source / SETTINGS}: {error}") from error
    keep_settings(target, {**settings, "games_a_shard": GAMES_A_SHARD})
    groups: dict[int, list[Path]] = defaultdict(list)
    for path in sorted(source.glob("*.games")):
        groups[int(path.stem) // GAMES_A_SHARD * GAMES_A_SHARD].append(path)
    count, faults = 0, []
    for first, paths in groups.items():
        games = []
        for path in paths:
            try:
                games += list(read_old_shard(path))
            except DataError as error:
                faults.append(str(error))
            on_shard()
        if games:
            write_shard(shard_path(target, first), games, {"first": first})
            count += len(games)
    return count, faults

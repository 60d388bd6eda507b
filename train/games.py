"""Training games on disk: a data set is a folder of shards; a shard is a file of games, one after the other.

A shard is one line of JSON (its header) and then the games, compressed by zlib. Little-endian, of each game:

    u32 number, u16 length of the start's FEN, u16 plies, u8 result (half points for White), u8 ending (game_kernel.ENDINGS),
    the FEN in ASCII, a u16 move for each ply (engine/move.py), an i16 score for each ply (centipawns for White)

`set.json` beside the shards holds the settings of all of them: a set can be resumed, and sets are not mixed.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FORMAT = "zobra games 1"
SETTINGS = "set.json"
SUFFIX = ".games"
HEAD = struct.Struct("<IHHBB")
REMEDY = "delete it, and `zobra train data` plays its games again"


class DataError(ValueError):
    """Data that cannot be used; the message names the file and what is wrong with it."""


@dataclass(frozen=True)
class TrainingGame:
    """One game: FEN after the opening, moves (uint16) and scores (int16, centipawns for White) of equal length."""

    number: int
    fen: str
    result: int
    ending: int
    moves: np.ndarray
    scores: np.ndarray


def default_folder() -> Path:
    """The default folder of data sets, in the user's data directory."""
    from platformdirs import user_data_path

    return user_data_path("zobra", appauthor=False) / "selfplay"


def shard_path(folder: Path, first: int) -> Path:
    """The file of the shard whose first game has number `first`."""
    return folder / f"{first:09d}{SUFFIX}"


def shards(folder: Path) -> list[Path]:
    """All shards of a set, or of every set below a folder, in order."""
    return sorted(folder.rglob(f"*{SUFFIX}"))


def _packed(game: TrainingGame) -> bytes:
    fen = game.fen.encode("ascii")
    head = HEAD.pack(game.number, len(fen), len(game.moves), game.result, game.ending)
    return head + fen + game.moves.astype("<u2").tobytes() + game.scores.astype("<i2").tobytes()


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that it exists as a whole or not at all; OSError names the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error


def write_shard(path: Path, games: Iterable[TrainingGame], facts: dict[str, Any]) -> None:
    """Write games; `facts` goes into the header."""
    games = list(games)
    payload = b"".join(map(_packed, games))
    header = {"format": FORMAT, "games": len(games), "plies": sum(len(game.moves) for game in games), "bytes": len(payload)}
    text = json.dumps({**header, **facts}, sort_keys=True)
    write_atomically(path, text.encode() + b"\n" + zlib.compress(payload, 9))


def _content(path: Path) -> bytes:
    """The games of a shard; DataError where it is damaged."""
    try:
        line, _, body = path.read_bytes().partition(b"\n")
        header = json.loads(line)
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            raise DataError(f"{path}: not a file of {FORMAT!r}")
        payload = zlib.decompress(body)
    except (ValueError, zlib.error) as error:
        raise error if isinstance(error, DataError) else DataError(f"{path}: damaged: {error}; {REMEDY}") from error
    if len(payload) != header.get("bytes"):
        raise DataError(f"{path}: damaged: {len(payload)} bytes of games, not {header.get('bytes')}; {REMEDY}")
    return payload


def read_shard(path: Path) -> Iterator[TrainingGame]:
    """The games of a shard; DataError if it is damaged."""
    payload, at = _content(path), 0
    while at < len(payload):
        try:
            number, letters, plies, result, ending = HEAD.unpack_from(payload, at)
            at += HEAD.size
            fen = payload[at : at + letters].decode("ascii")
            moves = np.frombuffer(payload, "<u2", plies, at + letters)
            scores = np.frombuffer(payload, "<i2", plies, at + letters + 2 * plies)
        except (struct.error, ValueError) as error:
            raise DataError(f"{path}: damaged at byte {at} of its games: {error}") from error
        at += letters + 4 * plies
        yield TrainingGame(number, fen, result, ending, moves, scores)


def read_sets(folders: Iterable[Path]) -> list[Path]:
    """The shards of all these folders; DataError where there are none."""
    found = []
    for folder in folders:
        if not (inside := shards(folder)):
            raise DataError(f"{folder}: there are no games in it")
        found += inside
    return found


def data_digest(paths: Iterable[Path]) -> str:
    """Digest of the content of these shards, whatever their place and order."""
    sums = sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in paths)
    return hashlib.sha256("".join(sums).encode()).hexdigest()[:20]


def keep_settings(folder: Path, settings: dict[str, Any]) -> None:
    """Write the settings of a new set; DataError where the set was made with other settings."""
    path = folder / SETTINGS
    if not path.exists():
        write_atomically(path, (json.dumps(settings, indent=1) + "\n").encode())
        return
    try:
        known = dict(json.loads(path.read_text()))
    except (TypeError, ValueError) as error:
        raise DataError(f"{path}: {error}") from error
    for name in sorted(known.keys() | settings.keys()):
        if known.get(name) != settings.get(name):
            there, here = known.get(name), settings.get(name)
            raise DataError(f"{folder} holds games with {name} = {there}, not {here}: use that, or name another folder")

"""Training games on disk: a data set is a folder of shards, and a shard is a file of games.

A shard is one line of JSON, its header, and then XZ data. Decompressed, these are:

    a table with a row for each game, stored column by column: GAME_HEAD (little-endian), and the
    FEN with dots for empty squares, padded with zeros
    a byte for each ply: the move, as its index among the legal moves (see sort_moves)
    a byte for each ply: the level of its score, minus the level of the ply before, modulo 256

The level of a score is White's winning chance in 8 bits: 127 · tanh(score / 800), which equals
127 · (2 · chance − 1). Levels of ±127 (scores beyond 2,491) are read as ±DECIDED_SCORE. All of it
takes about 1.3 bytes per ply.

The file `set.json` beside the shards has the settings by which all of them were played, so that a
set can be resumed, and games of different settings are never mixed. It also names the version that
plays them, and says how many games are planned.
"""

import json
import lzma
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import chess.pgn
import numpy as np
from chess.engine import Cp, PovScore

from zobra.arena.formats.files import read_json, write_safely
from zobra.engine.move import move_text
from zobra.search.wdl import normalised
from zobra.train.game_kernel import ENDINGS, RESULTS, DataError, TrainingGame
from zobra.train.positions import PACKED, Replayer
from zobra.train.recipe import Filter

FORMAT = "zobra games 2"
SETTINGS = "set.json"
SUFFIX = ".games"
GAMES_PER_SHARD = 128
REMEDY = "delete it and run `zobra train data` again, or import the whole set again"
GAME_HEAD = np.dtype([("number", "<u4"), ("plies", "<u2"), ("result", "u1"), ("ending", "u1")])
COMPRESSION = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 20, "lc": 0, "pb": 0}]
NUMBERS = ("games", "plies", "fen_width")  # of a header
MAX_HEADER = 1 << 16  # bytes
MAX_PAYLOAD = 1 << 28  # bytes, decompressed
MAX_MEMORY = 1 << 26  # bytes for the decompression, which needs little more than `dict_size`
MAX_FEN = 255  # characters

TOP_LEVEL = 127
LEVEL_SCALE = 800
DECIDED_SCORE = 30_000  # internal units
_INNER_LEVELS = np.arange(1 - TOP_LEVEL, TOP_LEVEL)
_INNER_SCORES = np.rint(LEVEL_SCALE * np.arctanh(_INNER_LEVELS / TOP_LEVEL))
LEVEL_SCORES = np.array([-DECIDED_SCORE, *_INNER_SCORES, DECIDED_SCORE], np.int16)


def shard_path(folder: Path, first: int) -> Path:
    """Return the file of the shard whose first game has number `first`."""
    return folder / f"{first:09d}{SUFFIX}"


def shards(folder: Path) -> list[Path]:
    """Return all shards of a set, or of every set below a folder, in order."""
    return sorted(folder.rglob(f"*{SUFFIX}"))


def read_sets(folders: Iterable[Path]) -> list[Path]:
    """Return the shards of all folders. Raise DataError for a folder that has none."""
    found = []
    for folder in folders:
        inside = shards(folder)
        if not inside:
            raise DataError(f"{folder}: this folder has no games")
        found += inside
    return found


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file atomically, and its folder if necessary. Raise OSError that names the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_safely(path, content)


def write_settings(folder: Path, settings: Mapping[str, Any]) -> None:
    """Write the settings of a set."""
    write_atomically(folder / SETTINGS, (json.dumps(settings, indent=1) + "\n").encode())


def read_settings(folder: Path) -> dict[str, Any]:
    """Return the settings of a set. Raise ValueError or OSError."""
    return read_json(folder / SETTINGS, "the settings of a set", dict)


def check_settings(folder: Path, known: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Raise DataError if the settings of a set, `known`, are not as `wanted`."""
    for name, here in wanted.items():
        there = known.get(name)
        if there != here:
            raise DataError(
                f"{folder} holds games with {name} = {there}, not {here}: use that, or name "
                "another folder"
            )


def with_game_count(folder: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a set with its number of games, as `games`.

    Raise DataError if another number was planned, or imported.
    """
    count = count_games(shards(folder))
    planned = settings.get("games", settings.get("imported", count))
    if count < planned:
        raise DataError(
            f"{folder} has only {count:,} of {planned:,} games: `zobra train data` plays missing "
            "ones, and an imported set can be imported again"
        )
    if count > planned:
        raise DataError(
            f"{folder} has {count:,} games, but {planned:,} were planned: set `games` in its "
            "recipe to a number that includes all of them, and run `zobra train data`"
        )
    return {**settings, "games": count}


def levels_of(scores: np.ndarray) -> np.ndarray:
    """Return the levels (int8) of scores in internal units."""
    return np.rint(TOP_LEVEL * np.tanh(scores / LEVEL_SCALE)).astype(np.int8)


def scores_of(levels: np.ndarray) -> np.ndarray:
    """Return the scores (int16, internal units) of levels (int8)."""
    return LEVEL_SCORES[levels.astype(int) + TOP_LEVEL]


def with_dots(fen: str) -> str:
    """Return a FEN with a dot for each empty square: similar boards compress better."""
    board, _, rest = fen.partition(" ")
    return re.sub(r"\d", lambda digit: "." * int(digit[0]), board) + " " + rest


def without_dots(text: str) -> str:
    """Return the FEN from which `with_dots` made this text."""
    board, _, rest = text.partition(" ")
    return re.sub(r"\.+", lambda dots: str(len(dots[0])), board) + " " + rest


def write_shard(path: Path, games: Sequence[TrainingGame]) -> None:
    """Write at least one game. Raise DataError for an illegal move."""
    replayer = Replayer(Filter())
    heads = []
    fens = []
    indices = []
    steps = []
    for game in games:
        heads.append((game.number, len(game.moves), game.result, game.ending))
        fens.append(with_dots(game.fen))
        indices.append(replayer.indices(game).tobytes())
        levels = levels_of(game.scores)
        steps.append(np.diff(levels, prepend=np.int8(0)).tobytes())

    head_rows = np.array(heads, GAME_HEAD).view(np.uint8).reshape(len(games), -1)
    fen_rows = np.array(fens, "S").view(np.uint8).reshape(len(games), -1)
    table = np.concatenate([head_rows, fen_rows], axis=1)
    payload = b"".join([table.T.tobytes(), *indices, *steps])
    header = {
        "format": FORMAT,
        "first": games[0].number,
        "games": len(games),
        "plies": sum(len(game.moves) for game in games),
        "fen_width": fen_rows.shape[1],
    }
    body = lzma.compress(payload, lzma.FORMAT_XZ, filters=COMPRESSION)
    write_atomically(path, json.dumps(header, sort_keys=True).encode() + b"\n" + body)


def count_games(paths: Iterable[Path]) -> int:
    """Return the number of games in shards, according to their headers.

    Raise DataError that names the file.
    """
    total = 0
    for path in paths:
        with path.open("rb") as file:
            total += _header(path, file.readline(MAX_HEADER))["games"]
    return total


def read_positions(path: Path, wanted: Filter) -> Iterator[tuple[TrainingGame, np.ndarray]]:
    """Yield the games of a shard, each with its positions that pass the filter (dtype PACKED).

    Raise DataError that names the file.
    """
    content = _unpack(path)
    replayer = Replayer(wanted)
    begin = 0
    for head, row in zip(content.heads, content.fens, strict=True):
        number, plies, result, ending = head.item()
        end = begin + plies
        levels = np.cumsum(content.steps[begin:end], dtype=np.uint8).view(np.int8)
        indices = content.indices[begin:end]
        begin = end
        try:
            fen = without_dots(bytes(row).rstrip(b"\0").decode("ascii"))
            coded = TrainingGame(number, fen, result, ending, indices, scores_of(levels))
            yield replayer.read(coded)
        except ValueError as error:
            raise DataError(f"{path}: {error}") from error


def load_positions(paths: Iterable[Path], wanted: Filter) -> tuple[np.ndarray, int]:
    """Return the positions of shards that pass the filter, and the number of games."""
    parts = [np.zeros(0, PACKED)]
    games = 0
    for path in paths:
        for _, found in read_positions(path, wanted):
            parts.append(found)
            games += 1
    return np.concatenate(parts), games


class _Content(NamedTuple):
    """The content of a shard."""

    heads: np.ndarray  # dtype GAME_HEAD
    fens: np.ndarray  # uint8, a row for each game
    indices: np.ndarray  # of the moves of all games
    steps: np.ndarray  # of their levels


def _header(path: Path, line: bytes) -> dict[str, Any]:
    """Return the header in the first line of a shard, with the NUMBERS.

    Raise DataError for a foreign or damaged file.
    """
    try:
        header = json.loads(line)
        kind = header["format"]
    except (KeyError, RecursionError, TypeError, ValueError):
        kind = None
    if kind != FORMAT:
        raise DataError(f"{path}: not a file of {FORMAT!r}")
    for name in NUMBERS:
        if type(header.get(name)) is not int:
            raise DataError(f"{path}: damaged: its header has no integer {name!r}; {REMEDY}")
    return header


def _unpack(path: Path) -> _Content:
    """Read a shard. Raise DataError for a foreign, damaged or truncated file."""
    line, _, body = path.read_bytes().partition(b"\n")
    header = _header(path, line)
    try:
        return _unpack_body(header, body)
    except (EOFError, ValueError, lzma.LZMAError) as error:
        raise DataError(f"{path}: damaged: {error}; {REMEDY}") from error


def _unpack_body(header: dict[str, Any], body: bytes) -> _Content:
    """Return the content of a shard's XZ data. Raise one of several errors for damaged data."""
    games, plies, width = (header[name] for name in NUMBERS)
    table_size = games * (GAME_HEAD.itemsize + width)
    size = table_size + 2 * plies
    if games < 1 or plies < 0 or not 0 <= width <= MAX_FEN or size > MAX_PAYLOAD:
        raise ValueError("impossible sizes in its header")

    unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, MAX_MEMORY)
    payload = np.frombuffer(unpacker.decompress(body, size + 1), np.uint8)
    if len(payload) != size or not unpacker.eof or unpacker.unused_data:
        raise ValueError(f"{len(payload)} bytes of games instead of {size}, or data after them")

    table = payload[:table_size].reshape(-1, games).T
    head_rows = table[:, : GAME_HEAD.itemsize]
    heads = np.ascontiguousarray(head_rows).view(GAME_HEAD)[:, 0]
    known_results = heads["result"].max() < len(RESULTS)
    known_endings = heads["ending"].max() < len(ENDINGS)
    if heads["plies"].sum() != plies or not known_results or not known_endings:
        raise ValueError("its games do not fit its header")

    indices = payload[table_size : table_size + plies]
    steps = payload[table_size + plies :]
    return _Content(heads, table[:, GAME_HEAD.itemsize :], indices, steps)


def as_pgn(game: TrainingGame) -> str:
    """Return a game as PGN with the score of each move, such as [%eval 0.31].

    Scores are on the scale on which the engine shows them, so that import_pgn can read the game.
    Which games branch off each other is lost.
    """
    tree = chess.pgn.Game()
    tree.setup(game.fen)
    tree.headers["Event"] = "self-play"
    tree.headers["White"] = "Zobra"
    tree.headers["Black"] = "Zobra"
    tree.headers["Round"] = str(game.number)
    tree.headers["Result"] = RESULTS[game.result]
    tree.headers["Termination"] = ENDINGS[game.ending]
    node: chess.pgn.GameNode = tree
    for number, score in zip(game.moves.tolist(), game.scores.tolist(), strict=True):
        node = node.add_variation(chess.Move.from_uci(move_text(number, chess960=True)))
        node.set_eval(PovScore(Cp(normalised(score)), chess.WHITE))
    return str(tree)

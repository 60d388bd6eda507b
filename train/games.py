"""Training games on disk, and their check: a data set is a folder of shards; a shard is a file of
games, about 1.3 bytes a ply.

A shard is one line of JSON (its header) and then XZ data. Unpacked, that is a table of the games
and two bytes for each ply:

    the table, column by column: of each game a GAME_HEAD (little-endian) and its FEN, with empty
    squares as dots, padded
    for each ply the move, as index among the legal moves in the order of train/positions.py
    for each ply the difference of its level to the ply before (0 before the first), modulo 256

The level of a score is the winning chance for White in 8 bits: 127 · tanh(score / 800), which is
127 · (2 · chance − 1). Levels of ±127 (scores beyond 2,490) are read as ±DECIDED_SCORE. `set.json`
beside the shards holds the settings of all of them: a set can be resumed, and sets are not mixed.
"""

import json
import lzma
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import chess.pgn
import numpy as np
from numpy.lib.recfunctions import repack_fields
from rich.table import Table

from zobra.arena.formats.files import read_json, write_safely
from zobra.engine.move import move_text
from zobra.engine.scores import is_mate, mate_in_moves
from zobra.train.game_kernel import ENDINGS, RESULTS, DataError, TrainingGame
from zobra.train.positions import PACKED, Replayer

FORMAT = "zobra games 2"
SETTINGS, SUFFIX = "set.json", ".games"
REMEDY = "delete it, and `zobra train data` plays its games again"
GAME_HEAD = np.dtype([("number", "<u4"), ("plies", "<u2"), ("result", "u1"), ("ending", "u1")])
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 20, "lc": 0, "pb": 0}]
LONGEST_HEADER = 1 << 16  # bytes
LARGEST_PAYLOAD = 1 << 28  # bytes; a larger file is not ours
MOST_FEN = 255  # characters
TOP_LEVEL, CHANCE_SCALE, DECIDED_SCORE = 127, 800, 30_000
LEVEL_SCORES = np.rint(CHANCE_SCALE * np.arctanh(np.arange(-TOP_LEVEL + 1, TOP_LEVEL) / TOP_LEVEL))
LEVEL_SCORES = np.concatenate([[-DECIDED_SCORE], LEVEL_SCORES, [DECIDED_SCORE]]).astype(np.int16)
CLEAR_SCORE = 300  # centipawns: a side so far ahead mostly wins
CHECKED_GAMES = 100_000  # whose positions are compared with one another
LEAST_COHERENCE, MOST_DUPLICATES = 0.8, 0.2
LEAST_SHARE, LARGEST_SHARE = 0.35, 0.65  # White's share of the points


def shard_path(folder: Path, first: int) -> Path:
    """The file of the shard whose first game has number `first`."""
    return folder / f"{first:09d}{SUFFIX}"


def shards(folder: Path) -> list[Path]:
    """All shards of a set, or of every set below a folder, in order."""
    return sorted(folder.rglob(f"*{SUFFIX}"))


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that it exists as a whole or not at all, with its folder; OSError names the
    file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    write_safely(path, content)


def levels_of(scores: np.ndarray) -> np.ndarray:
    """Levels (int8) of scores in centipawns."""
    return np.rint(TOP_LEVEL * np.tanh(scores / CHANCE_SCALE)).astype(np.int8)


def scores_of(levels: np.ndarray) -> np.ndarray:
    """Scores (int16, centipawns) of levels (int8)."""
    return LEVEL_SCORES[levels.astype(int) + TOP_LEVEL]


def write_shard(path: Path, games: Iterable[TrainingGame], facts: dict[str, Any]) -> None:
    """Write games; `facts` goes into the header. DataError for an illegal move."""
    games, replayer = list(games), Replayer({})
    indices = [replayer.indices(game) for game in games]
    heads = np.array(
        [(game.number, len(game.moves), game.result, game.ending) for game in games], GAME_HEAD
    )
    boards = (game.fen.partition(" ") for game in games)
    fens = np.array(
        [
            re.sub(r"\d", lambda digit: "." * int(digit[0]), board) + " " + rest
            for board, _, rest in boards
        ],
        "S",
    )
    table = np.concatenate(
        [part.view(np.uint8).reshape(len(games), -1) for part in (heads, fens)], axis=1
    )
    steps = [np.diff(levels_of(game.scores), prepend=np.int8(0)).astype(np.uint8) for game in games]
    payload = b"".join(part.tobytes() for part in (table.T, *indices, *steps))
    sizes = {"games": len(games), "plies": int(heads["plies"].sum()), "fen_width": fens.itemsize}
    header = json.dumps({"format": FORMAT, **sizes, **facts}, sort_keys=True)
    write_atomically(
        path, header.encode() + b"\n" + lzma.compress(payload, lzma.FORMAT_XZ, filters=FILTERS)
    )


def _header(path: Path, line: bytes) -> dict[str, Any]:
    """The header in the first line of a shard; DataError for a foreign file."""
    try:
        header = json.loads(line)
        kind = header["format"]
    except (KeyError, TypeError, ValueError):
        kind = None
    if kind != FORMAT:
        raise DataError(f"{path}: not a file of {FORMAT!r}")
    return header


def count_games(paths: Iterable[Path]) -> int:
    """The number of games in these shards, by their headers."""
    total = 0
    for path in paths:
        with path.open("rb") as file:
            total += int(_header(path, file.readline(LONGEST_HEADER))["games"])
    return total


def _unpacked(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Heads, FEN rows, indices and levels' steps of a shard; DataError for a foreign, damaged or
    truncated file.
    """
    line, _, body = path.read_bytes().partition(b"\n")
    header = _header(path, line)
    try:
        games, plies, width = (int(header[name]) for name in ("games", "plies", "fen_width"))
        size = games * (GAME_HEAD.itemsize + width) + 2 * plies
        if games < 1 or min(plies, width) < 0 or width > MOST_FEN or size > LARGEST_PAYLOAD:
            raise ValueError("impossible sizes in its header")
        unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ)
        payload = np.frombuffer(unpacker.decompress(body, size + 1), np.uint8)
        if len(payload) != size or not unpacker.eof or unpacker.unused_data:
            raise ValueError(f"{len(payload)} bytes of games, not {size}, or more after them")
        table = payload[: size - 2 * plies].reshape(-1, games).T
        heads = np.ascontiguousarray(table[:, : GAME_HEAD.itemsize]).view(GAME_HEAD)[:, 0]
        most = heads["plies"].sum(), heads["result"].max(), heads["ending"].max()
        if not (most[0] == plies and most[1] < len(RESULTS) and most[2] < len(ENDINGS)):
            raise ValueError("its games do not fit its header")
    except (EOFError, KeyError, TypeError, ValueError, lzma.LZMAError) as error:
        raise DataError(f"{path}: damaged: {error}; {REMEDY}") from error
    return (
        heads,
        table[:, GAME_HEAD.itemsize :],
        payload[size - 2 * plies : size - plies],
        payload[size - plies :],
    )


def read_positions(path: Path, rules: dict[str, int]) -> Iterator[tuple[TrainingGame, np.ndarray]]:
    """The games of a shard, each with its positions (dtype PACKED) that pass the filter `rules`;
    DataError names the file.
    """
    heads, rows, indices, steps = _unpacked(path)
    replayer, end = Replayer(rules), 0
    for head, row in zip(heads, rows, strict=True):
        number, plies, result, ending = head.item()
        begin, end = end, end + plies
        scores = scores_of(np.cumsum(steps[begin:end], dtype=np.uint8).view(np.int8))
        try:
            board, _, rest = bytes(row).rstrip(b"\0").decode("ascii").partition(" ")
            fen = re.sub(r"\.+", lambda dots: str(len(dots[0])), board) + " " + rest
            yield replayer.read(
                TrainingGame(number, fen, result, ending, indices[begin:end], scores)
            )
        except ValueError as error:
            raise DataError(f"{path}: {error}") from error


def load_positions(paths: Iterable[Path], rules: dict[str, int]) -> tuple[np.ndarray, int]:
    """All positions of these shards that pass the filter, in order, and the number of games."""
    parts = [found for path in paths for _, found in read_positions(path, rules)]
    return np.concatenate([np.zeros(0, PACKED), *parts]), len(parts)


def read_sets(folders: Iterable[Path]) -> list[Path]:
    """The shards of all these folders; DataError where there are none."""
    found = []
    for folder in folders:
        if not (inside := shards(folder)):
            raise DataError(f"{folder}: there are no games in it")
        found += inside
    return found


def keep_settings(
    folder: Path, settings: dict[str, Any], unstated: dict[str, Any] | None = None
) -> None:
    """Write the settings of a new set; DataError where the set was made with other settings.

    `unstated`: the values of settings that an older set does not state.
    """
    path = folder / SETTINGS
    if not path.exists():
        write_atomically(path, (json.dumps(settings, indent=1) + "\n").encode())
        return
    known = (unstated or {}) | read_json(path, "the settings of a set", dict)
    for name in sorted(known.keys() | settings.keys()):
        if (there := known.get(name)) != (here := settings.get(name)):
            raise DataError(
                f"{folder} holds games with {name} = {there}, not {here}: use that, or name "
                "another folder"
            )


def as_pgn(game: TrainingGame) -> str:
    """The game with its scores for White as comments: pawns, or moves to mate."""
    tree = chess.pgn.Game()
    tree.setup(chess.Board(game.fen))
    tree.headers.update(Event="self-play", White="Zobra", Black="Zobra", Round=str(game.number))
    tree.headers.update(Result=RESULTS[game.result], Termination=ENDINGS[game.ending])
    node: chess.pgn.GameNode = tree
    for move, score in zip(game.moves.tolist(), game.scores.tolist(), strict=True):
        comment = f"#{mate_in_moves(score)}" if is_mate(score) else f"{score / 100:+.2f}"
        node = node.add_variation(chess.Move.from_uci(move_text(move)), comment=comment)
    return str(tree)


class DataReport(NamedTuple):
    """What games are like; for `coherence` and `duplicates` see the functions of these names."""

    games: int
    plies: int
    positions: int
    results: Counter[int]
    endings: Counter[str]
    coherence: float | None
    duplicates: float
    median_score: float

    def faults(self) -> list[str]:
        """Reasons not to train on the data, in words."""
        found = []
        if self.coherence is not None and self.coherence < LEAST_COHERENCE:
            found.append(
                f"only {self.coherence:.0%} of the clear scores agree with the result: are they "
                "from the right side?"
            )
        if self.duplicates > MOST_DUPLICATES:
            found.append(f"{self.duplicates:.0%} of the positions occur more than once")
        share = (2 * self.results[2] + self.results[1]) / (2 * max(1, self.games))
        if self.games and not LEAST_SHARE <= share <= LARGEST_SHARE:
            found.append(f"White has {share:.0%} of the points")
        return found

    def table(self) -> Table:
        """The report for a terminal."""
        table = Table(show_header=False)
        won, drawn, lost = (self.results[result] for result in (2, 1, 0))
        table.add_row("games", f"{self.games:,} (White +{won} ={drawn} -{lost})")
        table.add_row("plies", f"{self.plies:,}")
        table.add_row("positions kept", f"{self.positions:,}")
        table.add_row(
            "endings", ", ".join(f"{name} {count}" for name, count in self.endings.most_common())
        )
        table.add_row(
            "coherence",
            "no clear scores"
            if self.coherence is None
            else f"{self.coherence:.1%} of clear scores won",
        )
        table.add_row("duplicates", f"{self.duplicates:.1%}")
        table.add_row("median |score|", f"{self.median_score:.0f} centipawns")
        return table


def coherence(positions: np.ndarray) -> float | None:
    """Share of the clearly scored positions of decided games that the leading side won; None
    without any.
    """
    clear = positions[
        (np.abs(positions["score"].astype(int)) >= CLEAR_SCORE) & (positions["result"] != 1)
    ]
    return float(((clear["score"] > 0) == (clear["result"] == 2)).mean()) if len(clear) else None


def duplicate_share(positions: np.ndarray) -> float:
    """Share of positions that repeat an earlier one."""
    boards = repack_fields(positions[["occupied", "pieces"]])
    return (
        1 - len(np.unique(boards.view(f"V{boards.itemsize}"))) / len(positions)
        if len(positions)
        else 0.0
    )


def sample_boards(positions: np.ndarray, one_in: int) -> np.ndarray:
    """About one in so many positions, chosen by their occupied squares: of equal boards all or
    none.
    """
    mixed = positions["occupied"] * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)
    return positions[mixed % np.uint64(one_in) == 0]


def check_data(
    paths: Iterable[Path], rules: dict[str, int], games: int, most: int = CHECKED_GAMES
) -> DataReport:
    """Replay all games of these shards, `games` in number; DataError where a file is damaged or a
    move is illegal. Of more than `most` games, coherence, duplicates and scores are those of a
    sample of the positions, which fits in memory.
    """
    one_in = 1 + (games - 1) // most
    parts = [np.zeros(0, PACKED)]
    plies = 0
    kept = 0
    results = Counter[int]()
    endings = Counter[str]()
    for path in paths:
        for game, found in read_positions(path, rules):
            parts.append(sample_boards(found, one_in))
            kept += len(found)
            results[game.result] += 1
            endings[ENDINGS[game.ending]] += 1
            plies += len(game.moves)
    sample = np.concatenate(parts)
    median = float(np.median(np.abs(sample["score"]))) if len(sample) else 0.0
    facts = results.total(), plies, kept, results, endings
    return DataReport(*facts, coherence(sample), duplicate_share(sample), median)

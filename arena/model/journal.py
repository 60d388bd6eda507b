"""The folder of a match: everything that happened, written game by game, so that an interrupted
match can be resumed.

`run.json`: {"kind": "match" and the fields of RunConditions and Settings}. `journal.jsonl`: one
finished game a line ({field of GameRecord: value}), in the order of finishing, each on disk at
once. `games.pgn`: the same games, made again from the journal whenever a match is resumed. Each
move has evaluation, depth, time and nodes in a comment: {+0.31/12 0.101s, n=52311}. No file of a
folder is written through a symbolic link.
"""

import contextlib
import json
import os
import re
import textwrap
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import IO, Any

import chess
import chess.pgn
from filelock import FileLock, Timeout

from zobra.arena.formats.files import converted, read_json, typed, write_safely
from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.formats.text import now, printable
from zobra.arena.model.settings import Pairing, Settings

POINTS_OF_WHITE = {"0-1": 0, "1/2-1/2": 1, "1-0": 2}  # half points, so that they count as integers
_COLUMNS = 80
_NUMBERED = re.compile(
    r".*:\d+|random walk \d+|", re.DOTALL
)  # names that openings get where their book has none
_LOSSES = {
    "mate": "is mated",
    "time": "loses on time",
    "illegal move": "makes an illegal move",
    "disconnect": "disconnects",
    "stall": "stalls",
    "resignation": "resigns",
    "resign adjudication": "loses by adjudication",
}
# values of the Termination header that are not "normal", from the PGN standard where it has one
_TERMINATIONS = {
    "time": "time forfeit",
    "illegal move": "rules infraction",
    "disconnect": "abandoned",
    "stall": "abandoned",
}
_TERMINATIONS |= dict.fromkeys(
    ("draw adjudication", "resign adjudication", "move limit", "tablebase"), "adjudication"
)
_LONGEST_LINE = (
    20  # plies of data/openings.tsv: ECO code, name and moves of the common openings, a line each
)
TUNE_PLAN = "tune.json"  # lies beside a journal whose games tune an engine (tune.py)


@dataclass(frozen=True)
class GameRecord:
    """A finished game.

    `opening`: {"root": position where the book moves begin, "moves": these in UCI, "fen": position
    where the engines take over, "name"}. `reason`: one of _LOSSES, "draw adjudication",
    "tablebase", or a rule that makes a draw.
    """

    index: int  # from 0, as `pair`
    pair: int
    round: int  # from 1
    white: str
    black: str
    opening: dict[str, Any]
    result: str
    reason: str
    detail: str = ""
    moves: list[PlayedMove] = field(default_factory=list)
    start: str = ""  # ISO time
    duration: float = 0.0  # seconds

    def belongs_to(self, pairing: Pairing) -> bool:
        """Whether this is the scheduled game."""
        own = self.index, self.white, self.black, self.opening["root"], tuple(self.opening["moves"])
        return own == (
            pairing.index,
            pairing.white,
            pairing.black,
            pairing.opening.fen,
            pairing.opening.moves,
        )

    def points(self, name: str) -> int:
        """Half points of one of the engines. Raises KeyError for a result that is none."""
        white = POINTS_OF_WHITE[self.result]
        return white if name == self.white else 2 - white

    @property
    def ending_text(self) -> str:
        """How the game ended, in words: "White loses on time (35 ms over)"."""
        text = (
            f"{'Black' if self.result == '1-0' else 'White'} "
            f"{_LOSSES.get(self.reason, 'loses by ' + self.reason)}"
        )
        if self.result == "1/2-1/2":
            text = f"Draw by {self.reason}"
        return f"{text} ({self.detail})" if self.detail else text

    def to_json(self) -> dict[str, Any]:
        """The journal's form."""
        return asdict(self) | {"moves": [move.to_json() for move in self.moves]}

    @classmethod
    def from_json(cls, values: dict[str, Any], settings: Settings) -> "GameRecord":
        """Reads the journal's form.

        Raises KeyError, TypeError or ValueError for what is no game of this match.
        """
        moves = [
            PlayedMove.from_json(entry) for entry in typed(list[Any], values["moves"], "moves")
        ]
        record: GameRecord = typed(cls, values | {"moves": []})
        opening = record.opening
        for key, kind in (("fen", str), ("root", str), ("name", str), ("moves", list[str])):
            typed(kind, opening[key], f"opening {key}")
        if min(record.index, record.pair, record.round) < 0 or record.result not in POINTS_OF_WHITE:
            raise ValueError(f"result {record.result!r} or a number below 0")
        texts = {
            key: printable(getattr(record, key)) for key in ("white", "black", "reason", "detail")
        }
        record = replace(record, moves=moves, **texts)  # type: ignore[arg-type]
        if (
            not {record.white, record.black} <= settings.controls.keys()
            or record.white == record.black
        ):
            raise ValueError(f"{record.white} and {record.black} do not play in this match")
        board = chess.Board(opening["root"], chess960=settings.chess960)
        for move in [
            *map(chess.Move.from_uci, opening["moves"]),
            *(played.move for played in moves),
        ]:
            if not board.is_legal(move):
                raise ValueError(f"{move} is not legal in {board.fen()}")
            board.push(move)
        if chess.Board(opening["fen"], chess960=settings.chess960).ply() > board.ply():
            raise ValueError("its moves do not begin at its opening")
        return record

    def to_pgn(self, settings: Settings) -> chess.pgn.Game:
        """The game as a PGN tree.

        The opening's name is the book's, else the one that its moves have.
        """
        game = chess.pgn.Game()
        board = chess.Board(self.opening["root"], chess960=settings.chess960)
        game.setup(board)
        book, book_name = (
            list(map(chess.Move.from_uci, self.opening["moves"])),
            self.opening["name"],
        )
        code, name = opening_name(board, [*book, *(played.move for played in self.moves)])
        white, black = str(settings.controls[self.white]), str(settings.controls[self.black])
        headers = {
            "Event": "Zobra match",
            "Site": "?",
            "Date": self.start[:10].replace("-", ".") or "????.??.??",
            "Round": f"{self.round}.{self.index % 2 + 1}",
            "White": self.white,
            "Black": self.black,
            "Result": self.result,
            "GameStartTime": self.start,
            "GameDuration": f"{self.duration:.1f}",
            "PlyCount": str(len(book) + len(self.moves)),
            "Termination": _TERMINATIONS.get(self.reason, "normal"),
            "ECO": code,
            "Opening": name if name and _NUMBERED.fullmatch(book_name) else book_name,
        }
        headers |= (
            {"TimeControl": white}
            if white == black
            else {"WhiteTimeControl": white, "BlackTimeControl": black}
        )
        game.headers.update(
            {key: printable(value).replace('"', "'") for key, value in headers.items() if value}
        )
        node: chess.pgn.GameNode = game
        for move, comment in [
            *((move, "book") for move in book),
            *((m.move, m.to_comment()) for m in self.moves),
        ]:
            node = node.add_main_variation(move, comment=comment)
        ending = re.sub(r"[{}]", "", self.ending_text)  # a brace would end the comment
        node.comment = f"{node.comment}, {ending}" if node.comment else ending
        return game

    def pgn_text(self, settings: Settings) -> str:
        """The game in lines of at most 80 characters (headers may be longer), with a blank line
        behind it.
        """
        lines = str(self.to_pgn(settings).accept(chess.pgn.StringExporter(columns=_COLUMNS))).split(
            "\n"
        )
        # the exporter does not break a comment that is longer than a line
        fill = partial(
            textwrap.fill, width=_COLUMNS, break_long_words=False, break_on_hyphens=False
        )
        return "\n".join(line if line.startswith("[") else fill(line) for line in lines) + "\n\n"


@dataclass
class RunConditions:
    """What is kept of a run for its report, and to resume it."""

    versions: dict[str, str] = field(
        default_factory=dict
    )  # by engine: the name that it gives itself
    machine: str = ""
    command_line: str = ""
    created: str = ""  # ISO time
    concurrency: int = 1  # games at a time


class Journal:
    """The folder of a match, held by one process at a time.

    `records`: the games that were there, without their moves.
    """

    def __init__(
        self, folder: Path, settings: Settings, conditions: RunConditions | None = None
    ) -> None:
        """Begins or resumes a match in this folder.

        Raises ValueError when another match or process has it, or OSError.
        """
        self.folder, self.settings = folder, settings
        run = folder / "run.json"
        known = Journal.settings_in(folder) if run.exists() else None
        if known is None:
            Journal.check_free(folder)
        elif known != settings:
            differing = [
                f.name
                for f in fields(Settings)
                if getattr(known, f.name) != getattr(settings, f.name)
            ]
            raise ValueError(f"{folder} holds another match: {', '.join(differing)} differs")
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(folder / ".lock")
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise ValueError(f"{folder}: another process plays this match") from None
        if known is None:
            kept = (
                {"kind": "match"}
                | asdict(conditions or RunConditions())
                | {"created": now()}
                | asdict(settings)
            )
            write_safely(run, json.dumps(kept, indent=1))
        path = folder / "journal.jsonl"
        content = path.read_bytes() if path.exists() else b""
        whole = content[
            : content.rfind(b"\n") + 1
        ]  # half a line at the end, left by a sudden end, is cut off
        lines, pgn = whole.splitlines(), folder / "games.pgn"
        games = (
            read_game(line, f"{path}:{number}", settings)
            for number, line in enumerate(lines, start=1)
        )
        self.records = [replace(record, moves=[]) for record in games]
        texts = (
            read_game(line, str(path), settings).pgn_text(settings)
            for line in (*lines[-1:], *lines)
        )
        written, last = pgn.read_bytes() if pgn.is_file() else b"", next(texts, "")
        if written.count(b"[Event ") != len(lines) or not written.endswith(
            last.encode()
        ):  # to make it anew takes minutes
            write_safely(pgn, "".join(texts))
        self._files = [_open_to_append(folder / name) for name in ("journal.jsonl", "games.pgn")]
        self._files[0].truncate(len(whole))

    @staticmethod
    def check_free(folder: Path) -> None:
        """Raises ValueError when games lie in a folder in which no match has begun: they would be
        overwritten.
        """
        for name in ("games.pgn", "journal.jsonl"):
            if (folder / name).exists():
                raise ValueError(
                    f"{folder} holds a {name} of something else, as there is no run.json: name "
                    "another folder"
                )

    @staticmethod
    def settings_in(folder: Path) -> Settings:
        """The settings of the match in this folder. Raises ValueError or OSError."""

        def convert(values: dict) -> Settings:
            if values["kind"] != "match":
                raise ValueError(f"it is a {values['kind']}")
            return typed(Settings, values)

        return read_json(folder / "run.json", "a match", convert)

    @staticmethod
    def conditions_in(folder: Path) -> RunConditions:
        """The conditions of the match in this folder. Raises ValueError or OSError."""

        def convert(values: dict) -> RunConditions:
            if (found := typed(RunConditions, values)).concurrency < 1:
                raise ValueError(f"concurrency must be at least 1, not {found.concurrency}")
            return found

        return read_json(folder / "run.json", "a match", convert)

    def add(self, record: GameRecord) -> None:
        """Keeps a finished game; it is on disk when this returns.

        Raises OSError that names the file.
        """
        line = json.dumps(record.to_json(), separators=(",", ":")) + "\n"
        for file, text in zip(self._files, (line, record.pgn_text(self.settings)), strict=True):
            try:
                left = memoryview(text.encode())
                while left:
                    left = left[file.write(left) :]
                os.fsync(file.fileno())
            except OSError as error:
                raise OSError(error.errno, error.strerror, file.name) from error

    def close(self) -> None:
        """Closes the files, and frees the folder for other processes."""
        for file in self._files:
            with contextlib.suppress(OSError):
                file.close()
        self._lock.release()


def read_game(line: bytes | str, place: str, settings: Settings) -> GameRecord:
    """A line of a journal.

    Raises ValueError that begins with `place` for what is no game of this match.
    """
    return converted(
        line, f"{place}: not a game", lambda values: GameRecord.from_json(values, settings)
    )


def _open_to_append(path: Path) -> IO[bytes]:
    if path.is_symlink():
        raise ValueError(f"{path} is a symbolic link, and is not written")
    return path.open("ab", buffering=0)


@cache
def _known_positions() -> dict[str, tuple[str, str]]:
    """ECO code and name by position (the first four fields of a FEN)."""
    found = {}
    for line in (
        files("zobra.arena.model")
        .joinpath("data/openings.tsv")
        .read_text(encoding="utf-8")
        .splitlines()
    ):
        code, name, moves = line.split("\t")
        board = chess.Board()
        for san in moves.split():
            board.push_san(san)
        found[board.epd()] = (code, name)
    return found


def opening_name(board: chess.Board, moves: list[chess.Move]) -> tuple[str, str]:
    """ECO code and name of the last position with a name, after moves from this board; empty where
    there is none.
    """
    board, found = board.copy(stack=False), ("", "")
    for move in moves[:_LONGEST_LINE]:
        board.push(move)
        found = _known_positions().get(board.epd(), found)
    return found

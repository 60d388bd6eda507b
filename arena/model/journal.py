"""The folder of a match: every game is written as it ends, so that the match can be resumed.

`run.json`: {"kind": "match" and the fields of RunConditions and Settings}. `journal.jsonl`: one
finished game per line ({field of GameRecord: value}), in the order of finishing, each on disk at
once. `games.pgn`: the same games, written again from the journal if they differ when a match is
resumed. No file of a folder is written through a symbolic link.
"""

import contextlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO

from filelock import FileLock, Timeout

from zobra.arena.formats.files import converted, read_json, typed, write_safely
from zobra.arena.formats.text import now
from zobra.arena.model.engines import Resources
from zobra.arena.model.game_record import GameRecord
from zobra.arena.model.settings import Settings

# Files that the commands write into the folder of a run
RUN_FILES = (
    "games.pgn",
    "journal.jsonl",
    "ratings.json",
    "ablation.json",
    "ablation.md",
    "values.csv",
    "values.svg",
    "tuned.toml",
)


@dataclass
class RunConditions:
    """What is stored about a run for its report and for resuming it."""

    versions: dict[str, str] = field(default_factory=dict)  # the names that engines give themselves
    resources: dict[str, Resources] = field(default_factory=dict)  # by engine
    machine: str = ""
    command_line: str = ""
    created: str = ""  # ISO time
    concurrency: int = 1  # games at a time


class Journal:
    """The folder of a match, held by one process at a time.

    `records` are the games already there, without their moves.
    """

    def __init__(
        self, folder: Path, settings: Settings, conditions: RunConditions | None = None
    ) -> None:
        """Begin, resume or extend a match in this folder.

        The settings of a match that is extended are written by `set_conditions` only. Raise
        ValueError if the folder holds another match or another process uses it, or OSError.
        """
        self.folder = folder
        self.settings = settings
        run = folder / "run.json"
        known = Journal.settings_in(folder) if run.exists() else None
        if known is None:
            Journal.check_free(folder)
        else:
            self._check_same(known)
        folder.mkdir(parents=True, exist_ok=True)
        self.conditions = conditions or RunConditions()
        self._lock = FileLock(folder / ".lock")
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise ValueError(f"{folder}: another process is playing this match") from None
        if known is None:
            self.set_conditions(replace(self.conditions, created=now()))
        else:
            self.conditions = Journal.conditions_in(folder)
        path = folder / "journal.jsonl"
        content = path.read_bytes() if path.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]  # half a line, left by a sudden end, is cut off
        lines = whole.splitlines()
        self.records = []
        for number, line in enumerate(lines, start=1):
            record = read_game(line, f"{path}:{number}", settings)
            self.records.append(replace(record, moves=[]))

        self._complete_pgn(lines)
        self._files = [_open_to_append(path), _open_to_append(folder / "games.pgn")]
        self._files[0].truncate(len(whole))

    def _complete_pgn(self, lines: Sequence[bytes]) -> None:
        """Write games.pgn again, which takes minutes, unless it has the games of these lines."""
        path = self.folder / "games.pgn"
        written = path.read_bytes() if path.is_file() else b""
        last = self._pgn_text(lines[-1]) if lines else ""
        is_complete = written.count(b"[Event ") == len(lines)
        if not is_complete or not written.endswith(last.encode()):
            write_safely(path, "".join(self._pgn_text(line) for line in lines))

    def _pgn_text(self, line: bytes) -> str:
        record = read_game(line, str(self.folder / "journal.jsonl"), self.settings)
        return record.pgn_text(self.settings)

    def _check_same(self, known: Settings) -> None:
        """Raise ValueError if the folder's match is not this one, or a shorter run of it."""
        if self.settings.continues(known):
            return
        differences = self.settings.differences(known)
        if differences == ["--games"]:
            raise ValueError(
                f"{self.folder} has {2 * known.rounds} games per pair of engines: a match can "
                "be extended, but not shortened"
            )
        raise ValueError(f"{self.folder} holds another match: {', '.join(differences)} differ")

    def set_conditions(self, conditions: RunConditions) -> None:
        """Write run.json with these conditions and the settings."""
        self.conditions = conditions
        content = {"kind": "match"} | asdict(conditions) | asdict(self.settings)
        write_safely(self.folder / "run.json", json.dumps(content, indent=1))

    @staticmethod
    def check_free(folder: Path) -> None:
        """Raise ValueError if a folder without a match has files that would be overwritten."""
        for name in RUN_FILES:
            if (folder / name).exists():
                raise ValueError(
                    f"{folder} has a {name} but no run.json, so it is not a match folder: name "
                    "another folder"
                )

    @staticmethod
    def settings_in(folder: Path) -> Settings:
        """Return the settings of the match in this folder. Raise ValueError or OSError."""

        def convert(values: dict) -> Settings:
            if values["kind"] != "match":
                raise ValueError(f"it is a {values['kind']}")
            return typed(Settings, values)

        return read_json(folder / "run.json", "a match", convert)

    @staticmethod
    def conditions_in(folder: Path) -> RunConditions:
        """Return the conditions of the match in this folder. Raise ValueError or OSError."""

        def convert(values: dict) -> RunConditions:
            found: RunConditions = typed(RunConditions, values)
            if found.concurrency < 1:
                raise ValueError(f"concurrency must be at least 1, not {found.concurrency}")
            return found

        return read_json(folder / "run.json", "a match", convert)

    def add(self, record: GameRecord) -> None:
        """Write a finished game; it is on disk when this returns.

        Raise OSError that names the file.
        """
        line = json.dumps(record.to_json(), separators=(",", ":")) + "\n"
        texts = (line, record.pgn_text(self.settings))
        for file, text in zip(self._files, texts, strict=True):
            try:
                left = memoryview(text.encode())
                while left:
                    left = left[file.write(left) :]
                os.fsync(file.fileno())
            except OSError as error:
                raise OSError(error.errno, error.strerror, file.name) from error

    def close(self) -> None:
        """Close the files, and release the folder for other processes."""
        for file in self._files:
            with contextlib.suppress(OSError):
                file.close()
        self._lock.release()


def read_game(line: bytes | str, place: str, settings: Settings) -> GameRecord:
    """Return the game in a line of a journal.

    Raise ValueError, whose message begins with `place`, if the line is not a game of this match.
    """
    return converted(
        line, f"{place}: not a game", lambda values: GameRecord.from_json(values, settings)
    )


def _open_to_append(path: Path) -> IO[bytes]:
    if path.is_symlink():
        raise ValueError(f"{path} is a symbolic link, so it is not written to")
    return path.open("ab", buffering=0)

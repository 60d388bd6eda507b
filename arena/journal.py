"""The folder of a match: everything that happened, written game by game, so that an interrupted match goes on where it stood.

`run.json`: {"kind": "match", "engines": [{"name", "command", "options", "protocol", ...}], "time_control", "rounds",
"tournament", "sprt": null or {"elo0", "elo1", "alpha", "beta", "model"}, ..., "created": ISO time}.

`journal.jsonl`: one finished game a line (game_record.py), in the order of finishing, on disk before the next line begins.

`games.pgn`: the same games for other tools; made again from the journal whenever a match is resumed.
"""

import errno
import json
import os
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import IO

from filelock import FileLock, Timeout

from zobra.arena.game_record import GameRecord
from zobra.arena.pgn import pgn_text
from zobra.arena.settings import Settings


class Journal:
    """The folder of one match, held by one process at a time."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder, self.settings = folder, settings
        self.records: list[GameRecord] = []  # those that lay there when it was opened
        self._lock = FileLock(folder / ".lock")
        self._journal: IO[bytes] | None = None
        self._pgn: IO[bytes] | None = None

    @classmethod
    def open(cls, folder: Path, settings: Settings) -> "Journal":
        """Begins a match in this folder, or takes up the one that lies there.

        Raises ValueError when that is another one or not a match at all, or another process plays it; OSError.
        """
        run = folder / "run.json"
        known = cls.settings_in(folder) if run.exists() else None
        if known is None:
            cls.check_free(folder)
        if known not in (None, settings):
            raise ValueError(f"{folder} holds another match: {_difference(known, settings)} differs")
        folder.mkdir(parents=True, exist_ok=True)
        journal = cls(folder, settings)
        try:
            journal._lock.acquire(timeout=0)
        except Timeout:
            raise ValueError(f"{folder}: another process plays this match") from None
        if known is None:
            content = {"kind": "match", "created": now()} | asdict(settings)
            write_safely(run, json.dumps(content, indent=1).encode())
        journal._take_up()
        return journal

    @staticmethod
    def check_free(folder: Path) -> None:
        """Raises ValueError when games lie in a folder in which no match has begun: they would be overwritten."""
        for name in ("games.pgn", "journal.jsonl"):
            if (folder / name).exists():
                raise ValueError(f"{folder} holds a {name} of something else, as there is no run.json: name another folder")

    @staticmethod
    def settings_in(folder: Path) -> Settings:
        """The settings of the match in this folder. Raises ValueError or OSError."""
        return Journal.run_in(folder)[0]

    @staticmethod
    def run_in(folder: Path) -> tuple[Settings, str]:
        """The settings of the match in this folder, and when it was begun. Raises ValueError or OSError."""
        path = folder / "run.json"
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            if values["kind"] != "match":
                raise ValueError(f"it is a {values['kind']}")
            return Settings.from_json(values), str(values.get("created", ""))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}: not a match: {type(error).__name__}: {error}") from error

    def _take_up(self) -> None:
        """Reads the games so far; half a line at the end, left by a sudden death, is cut off."""
        path = self.folder / "journal.jsonl"
        content = path.read_bytes() if path.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        texts = []
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                record = GameRecord.from_json(json.loads(line))
                texts.append(pgn_text(record, self.settings))
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"{path}:{number}: not a game: {type(error).__name__}: {error}") from error
            self.records.append(record)
        write_safely(self.folder / "games.pgn", "".join(texts).encode())
        self._journal, self._pgn = path.open("ab"), (self.folder / "games.pgn").open("ab")
        self._journal.truncate(len(whole))

    def add(self, record: GameRecord) -> None:
        """Keeps a finished game; it is on disk when this returns."""
        assert self._journal is not None and self._pgn is not None
        for file, text in (
            (self._journal, json.dumps(record.to_json(), separators=(",", ":")) + "\n"),
            (self._pgn, pgn_text(record, self.settings)),
        ):
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())

    def close(self) -> None:
        """Lets go of the folder."""
        for file in (self._journal, self._pgn):
            if file is not None:
                file.close()
        self._lock.release()


def now() -> str:
    """The time in ISO format, seconds and zone."""
    return datetime.now(timezone.utc).astimezone().isoformat(timespec="seconds")


def _difference(known: Settings, settings: Settings) -> str:
    return ", ".join(name for name in Settings.__dataclass_fields__ if getattr(known, name) != getattr(settings, name))


def write_safely(path: Path, content: bytes) -> None:
    """Replaces a file so that at any moment either the old or the new one is there."""
    path, temporary = _places(path)
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def check_writable(path: Path) -> None:
    """Raises OSError where write_safely would; what is there stays as it is."""
    path, temporary = _places(path)
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "not a file", str(path))
    temporary.open("wb").close()
    temporary.unlink()


def _places(path: Path) -> tuple[Path, Path]:
    """Where a file really is, and what is written in its place first."""
    path = path.resolve()
    return path, path.with_suffix(path.suffix + ".new")

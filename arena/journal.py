"""The folder of a match: everything that happened, written game by game, so that an interrupted match can be resumed.

`run.json`: {"kind": "match", "created": ISO time, "versions": {engine: the name it gives itself}, "machine", "command_line",
and the fields of Settings (settings.py)}.

`journal.jsonl`: one finished game a line (game_record.py), in the order of finishing, on disk before the next line begins.

`games.pgn`: the same games for other tools; made again from the journal whenever a match is resumed.

No file of a folder is written through a symbolic link.
"""

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from filelock import FileLock, Timeout

from zobra.arena.files import converted, read_json, typed, write_safely
from zobra.arena.game_record import GameRecord, now
from zobra.arena.pgn import pgn_text
from zobra.arena.settings import Settings


class Journal:
    """The folder of one match, held by one process at a time."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder, self.settings = folder, settings
        self.records: list[GameRecord] = []  # the games that were there when it was opened
        self._lock = FileLock(folder / ".lock")
        self._files: list[IO[bytes]] = []

    @classmethod
    def open(cls, folder: Path, settings: Settings, conditions: Mapping[str, Any] | None = None) -> "Journal":
        """Begins a match in this folder, with its conditions for reports, or resumes the one that lies there.

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
            content = {"kind": "match", "created": now()} | dict(conditions or {}) | asdict(settings)
            write_safely(run, json.dumps(content, indent=1))
        journal._read()
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

        def convert(values: dict) -> tuple[Settings, str]:
            if values["kind"] != "match":
                raise ValueError(f"it is a {values['kind']}")
            return typed(Settings, values), typed(str, values.get("created", ""), "created")

        return read_json(folder / "run.json", "a match", convert)

    def _read(self) -> None:
        """Reads the games so far. Half a line at the end, left by a sudden end, is cut off."""
        path = self.folder / "journal.jsonl"
        content = path.read_bytes() if path.exists() else b""
        whole = content[: content.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), start=1):
            self.records.append(read_game(line, f"{path}:{number}", self.settings))
        texts = [pgn_text(record, self.settings) for record in self.records]
        write_safely(self.folder / "games.pgn", "".join(texts))
        self._files = [_open_to_append(self.folder / name) for name in ("journal.jsonl", "games.pgn")]
        self._files[0].truncate(len(whole))

    def add(self, record: GameRecord) -> None:
        """Keeps a finished game; it is on disk when this returns. Raises OSError that names the file."""
        line = json.dumps(record.to_json(), separators=(",", ":")) + "\n"
        for file, text in zip(self._files, (line, pgn_text(record, self.settings)), strict=True):
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
    """A line of a journal. Raises ValueError that begins with `place` for what is no game of this match."""

    def convert(values: dict) -> GameRecord:
        record = GameRecord.from_json(values)
        if not {record.white, record.black} <= settings.controls.keys() or record.white == record.black:
            raise ValueError(f"{record.white} and {record.black} do not play in this match")
        record.check_moves(settings.chess960)
        return record

    return converted(line, f"{place}: not a game", convert)


def _open_to_append(path: Path) -> IO[bytes]:
    if path.is_symlink():
        raise ValueError(f"{path} is a symbolic link, and is not written")
    return path.open("ab", buffering=0)


def _difference(known: Settings, settings: Settings) -> str:
    return ", ".join(name for name in Settings.__dataclass_fields__ if getattr(known, name) != getattr(settings, name))

"""What tests of the arena share: commands in this process or another one, the scripted engine, and
whether processes have ended.
"""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from typer.testing import CliRunner

from zobra.arena.model.engines import EngineSpec
from zobra.arena.model.game_record import GameRecord
from zobra.cli.command_line import app

SCRIPTED = (sys.executable, str(Path(__file__).parent / "scripted_engine.py"))
ENGINE = " ".join(SCRIPTED)


def scripted(name: str, *arguments: str, **more) -> EngineSpec:
    return EngineSpec(name, (*SCRIPTED, *arguments), **more)


class Observer:
    """Keeps the games of a match or a tuning run; may stop it after some games as Ctrl-C would."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.stop_after = stop_after
        self.seen: list[GameRecord] = []

    def begin(self, match) -> None:
        pass

    def started(self, pairing) -> None:
        pass

    def finished(self, record, match) -> None:
        self.seen.append(record)
        if len(self.seen) == self.stop_after:
            raise KeyboardInterrupt


def finished(
    index: int, result: str, names: tuple[str, str] = ("A", "B"), reason: str = "mate"
) -> GameRecord:
    """Return a game, without moves, of a match between two engines that change colours."""
    white, black = names if index % 2 == 0 else names[::-1]
    return GameRecord(index, index // 2, 1, white, black, {}, result, reason)


def run(*arguments, code: int = 0) -> str:
    """Run a command of `zobra` in this process, and return what it prints."""
    words = [str(argument) for argument in arguments]
    result = CliRunner().invoke(app, words, env={"COLUMNS": "300"})
    assert result.exit_code == code, (result.output, result.exception)
    assert "Traceback" not in result.output
    return result.output


def flat(text: str) -> str:
    """Return the text of a message without its frame and line breaks."""
    return " ".join(text.replace("│", " ").split())


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def start(*arguments) -> subprocess.Popen:
    """Start a command of `zobra` as a process.

    It heeds Ctrl-C, as a process that a background job starts would not.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    command = [sys.executable, "-m", "zobra.cli", *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    signal.signal(signal.SIGINT, before)
    return process


def is_alive(pid: str) -> bool:
    """Return True if a process runs, and is not only waited for by its parent. Linux only."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False
    state = status.rpartition(")")[2].split()[0]
    return state != "Z"


def any_alive(pids: Path) -> bool:
    """Return True if a process runs whose number is the name of a file in this folder."""
    return any(is_alive(path.name) for path in pids.iterdir())

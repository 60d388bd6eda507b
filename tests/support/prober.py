"""A conversation with a Zobra process over its pipes."""

import queue
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

TIMEOUT = 90.0  # seconds; the first start may have to compile


def best(lines: list[str]) -> list[str]:
    """Return the bestmove lines among these."""
    return [line for line in lines if line.startswith("bestmove")]


def leaves_when_nobody_reads(
    *arguments: str, typed: str, until: str, environment: dict[str, str] | None = None
) -> bool:
    """Return True if a process ends quietly once nobody reads its output.

    The output is closed after a line that begins with `until`.
    """
    command = [sys.executable, "-m", "zobra.cli", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True, bufsize=1
    ) as process:
        process.stdin.write(typed)
        while not process.stdout.readline().startswith(until):
            pass
        process.stdout.close()
        with suppress(BrokenPipeError):
            process.stdin.write("isready\n")
        return process.wait(15) == 0 and process.stderr.read() == ""


class Prober:
    """Starts `zobra`, sends lines, and waits for lines. Use as a context manager."""

    def __init__(
        self, *arguments: str, environment: dict[str, str] | None = None, folder: Path | None = None
    ) -> None:
        command = [sys.executable, "-m", "zobra.cli", *arguments]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, cwd=folder
        )
        self.lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line.decode().rstrip("\n"))
        self.lines.put(None)

    def __enter__(self) -> "Prober":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def send(self, *lines: str) -> None:
        """Send lines of text."""
        self.send_bytes("".join(line + "\n" for line in lines).encode())

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def expect(self, start: str, timeout: float = TIMEOUT) -> list[str]:
        """Return the lines up to and including the first that begins with `start`.

        Raise AssertionError if it does not come.
        """
        got: list[str] = []
        deadline = time.monotonic() + timeout
        while not got or not got[-1].startswith(start):
            try:
                line = self.lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no {start!r} within {timeout} s; got {got}") from None
            assert line is not None, f"the engine ended before {start!r}; got {got}"
            got.append(line)
        return got

    def expect_end(self, timeout: float = TIMEOUT) -> list[str]:
        """Return all further lines to the end of the output."""
        return list(iter(lambda: self.lines.get(timeout=timeout), None))

    def ask(self, *lines: str, answer: str) -> list[str]:
        """Send lines and wait for an answer that begins with `answer`."""
        self.send(*lines)
        return self.expect(answer)

    def settle(self) -> list[str]:
        """Return everything printed until the engine answers `isready`."""
        return self.ask("isready", answer="readyok")[:-1]

    def end(self, how: str) -> None:
        """End the conversation: by "quit", by "end of input", or by a signal of this name."""
        if how == "quit":
            self.send("quit")
        elif how == "end of input":
            self.process.stdin.close()
        else:
            self.process.send_signal(getattr(signal, how))

    def wait(self, timeout: float = 10.0) -> int:
        """Return the exit status of the process."""
        return self.process.wait(timeout)

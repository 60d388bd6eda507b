"""Reaction time during a search: from `isready` to `readyok`, and from `stop` to `bestmove`.

    python benchmarks/latency.py [--searches 300] [--threads 1] [--command COMMAND]

Each search is infinite, of a position of a random game; `isready` and `stop` come after a random
pause. Prints median, 99th percentile and worst in milliseconds. On a busy machine, waiting for the
processor counts too.
"""

from __future__ import annotations

import random
import shlex
import statistics
import subprocess
import sys
import time

import chess
import typer

LONGEST_PAUSE, LONGEST_GAME = 0.15, 80  # seconds, plies


class PipedEngine:
    """A UCI engine on pipes."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process_id = self._process.pid

    def send(self, line: str) -> None:
        """Send a line."""
        assert self._process.stdin
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()

    def wait_for(self, answer: str) -> str:
        """The next line that begins with `answer`."""
        assert self._process.stdout
        for line in self._process.stdout:
            if line.startswith(answer.encode()):
                return line.decode()
        raise SystemExit(f"the engine ended before {answer}")

    def ask(self, line: str, answer: str) -> str:
        """Send a line; the answer."""
        self.send(line)
        return self.wait_for(answer)

    def measure(self, line: str, answer: str) -> float:
        """Milliseconds from a line to its answer."""
        began = time.perf_counter()
        self.ask(line, answer)
        return (time.perf_counter() - began) * 1e3

    def quit(self) -> float:
        """Milliseconds from `quit` to the end of the process."""
        began = time.perf_counter()
        self.send("quit")
        self._process.wait()
        return (time.perf_counter() - began) * 1e3


def random_position(source: random.Random) -> str:
    """The FEN of a random game after some moves."""
    board = chess.Board()
    for _ in range(source.randrange(LONGEST_GAME)):
        if board.is_game_over():
            break
        board.push(source.choice(list(board.legal_moves)))
    return board.fen()


def summary(name: str, times: list[float]) -> str:
    """One line of the report."""
    times = sorted(times)
    percentile = times[min(len(times) - 1, len(times) * 99 // 100)]
    return (
        f"{name:24} median {statistics.median(times):6.2f} ms   99 % {percentile:6.2f} ms   "
        f"worst {times[-1]:6.2f} ms"
    )


def main(command: str = "", searches: int = 300, threads: int = 1, seed: int = 1) -> None:
    """Measure; `command` starts an engine (default: Zobra)."""
    source = random.Random(seed)
    engine = PipedEngine(shlex.split(command) if command else [sys.executable, "-m", "zobra.uci"])
    engine.ask("uci", "uciok")
    engine.send(f"setoption name Threads value {threads}")
    engine.measure("isready", "readyok")
    ready, stopped = [], []
    for _ in range(searches):
        engine.send(f"position fen {random_position(source)}")
        engine.send("go infinite")
        time.sleep(source.random() * LONGEST_PAUSE)
        ready.append(engine.measure("isready", "readyok"))
        time.sleep(source.random() * LONGEST_PAUSE)
        stopped.append(engine.measure("stop", "bestmove"))
    print(f"{searches} searches, {threads} thread(s)")
    print(summary("isready to readyok", ready))
    print(summary("stop to bestmove", stopped))
    print(f"quit to the end          {engine.quit():.2f} ms")


if __name__ == "__main__":
    typer.run(main)

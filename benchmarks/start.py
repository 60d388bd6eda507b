"""How long a start takes: to `uciok`, and to `readyok`, with a full store of kernels, with an empty one and without any.

    python benchmarks/start.py

Warm: the kernels are in the store; one start that is not counted sees to that. Cold: an empty store, and how long it is until
the engine itself answers and not the simple player. Without: the place of the store cannot be written.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import typer

COMMAND = (sys.executable, "-m", "zobra.uci")


def start(environment: dict[str, str] | None = None, *more: tuple[str, str]) -> list[float]:
    """Seconds from the start of the process to `uciok`, `readyok` and the answers to more questions."""
    begin = time.perf_counter()
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, env=environment
    ) as process:
        times = []
        for question, answer in (("uci", "uciok"), ("isready", "readyok"), *more):
            assert process.stdin and process.stdout
            process.stdin.write(question + "\n")
            if not any(line.startswith(answer) for line in process.stdout):
                raise SystemExit(f"the engine ended without {answer}")
            times.append(time.perf_counter() - begin)
        process.stdin.write("quit\n")
    return times


def processor_seconds() -> float:
    """Processor time of all child processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def told(times: list[list[float]]) -> str:
    """Median and worst of each answer, in milliseconds."""
    columns = zip(("uciok", "readyok"), zip(*times, strict=True), strict=True)
    return "; ".join(f"{name} median {statistics.median(c) * 1e3:.0f} ms, worst {max(c) * 1e3:.0f} ms" for name, c in columns)


def main(starts: int = 10, cold: bool = True) -> None:
    """Measure."""
    start(None, ("d", "Checkers"))
    before = processor_seconds()
    times = [start() for _ in range(starts)]
    used = (processor_seconds() - before) / starts
    print(f"warm, {starts} starts: {told(times)}; {used:.2f} s of processor time each")
    if not cold:
        return
    times = []
    for _ in range(starts):
        with tempfile.TemporaryDirectory() as folder:
            times.append(start({**os.environ, "ZOBRA_CACHE_DIR": folder}))
    print(f"cold, {starts} starts: {told(times)}")
    with tempfile.TemporaryDirectory() as folder:
        before = processor_seconds()
        *_, compiled = start({**os.environ, "ZOBRA_CACHE_DIR": folder}, ("d", "Checkers"))
        used = processor_seconds() - before
    print(f"cold, one start: all kernels there after {compiled:.1f} s, {used:.1f} s of processor time")
    with tempfile.NamedTemporaryFile() as file:
        times = [start({**os.environ, "ZOBRA_CACHE_DIR": str(Path(file.name))}) for _ in range(starts)]
    print(f"without a store, {starts} starts: {told(times)}")


if __name__ == "__main__":
    typer.run(main)

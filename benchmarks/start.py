"""How long a start takes: to `uciok`, and to `readyok`, warm and cold.

    python benchmarks/start.py

Warm: the kernels are in the cache; one start that is not counted sees to that. Cold: an empty cache, once; with the processor
time that compiling everything takes.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

import typer

COMMAND = (sys.executable, "-m", "zobra.uci")


def start(environment: dict[str, str] | None = None) -> tuple[float, float]:
    """Seconds from the start of the process to `uciok` and to `readyok`."""
    begin = time.perf_counter()
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, env=environment
    ) as process:
        times = []
        for question, answer in (("uci", "uciok"), ("isready", "readyok")):
            assert process.stdin and process.stdout
            process.stdin.write(question + "\n")
            if not any(line.strip() == answer for line in process.stdout):
                raise SystemExit(f"the engine ended without {answer}")
            times.append(time.perf_counter() - begin)
        process.stdin.write("quit\n")
    return times[0], times[1]


def processor_seconds() -> float:
    """Processor time of all child processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def told(times: list[float]) -> str:
    """Median and worst, in milliseconds."""
    return f"median {statistics.median(times) * 1e3:.0f} ms, worst {max(times) * 1e3:.0f} ms"


def main(starts: int = 10, cold: bool = True) -> None:
    """Measure."""
    start()
    before = processor_seconds()
    answers, ready = (list(times) for times in zip(*(start() for _ in range(starts)), strict=True))
    used = (processor_seconds() - before) / starts
    print(f"warm, {starts} starts: uciok {told(answers)}; readyok {told(ready)}; {used:.2f} s of processor time each")
    if not cold:
        return
    with tempfile.TemporaryDirectory() as folder:
        before = processor_seconds()
        answer, compiled = start({**os.environ, "ZOBRA_CACHE_DIR": folder})
        used = processor_seconds() - before
    print(f"cold, one start: uciok {answer * 1e3:.0f} ms; readyok {compiled:.1f} s, {used:.1f} s of processor time")


if __name__ == "__main__":
    typer.run(main)

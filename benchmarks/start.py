"""Start-up time: from the start of the process to `uciok` and to `readyok`.

    python benchmarks/start.py

A first start, which is not counted, compiles kernels if they are missing. The output has the
median and worst times, and the processor time.
"""

import os
import statistics
import subprocess
import sys
import time

import typer

COMMAND = (sys.executable, "-m", "zobra.uci")
QUESTIONS = {"uci": "uciok", "isready": "readyok"}


def start() -> list[float]:
    """Start the engine, and return the seconds to each answer."""
    times = []
    begin = time.perf_counter()
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        assert process.stdin and process.stdout
        for question, answer in QUESTIONS.items():
            process.stdin.write(question + "\n")
            if not any(line.startswith(answer) for line in process.stdout):
                raise SystemExit(f"the engine ended without {answer}")
            times.append(time.perf_counter() - begin)
        process.stdin.write("quit\n")
    return times


def processor_seconds() -> float:
    """Return the processor time of all child processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def main(starts: int = 10) -> None:
    """Measure."""
    start()
    before = processor_seconds()
    columns = zip(*(start() for _ in range(starts)), strict=True)
    for answer, times in zip(QUESTIONS.values(), columns, strict=True):
        print(
            f"{answer}: median {statistics.median(times) * 1e3:.0f} ms, worst "
            f"{max(times) * 1e3:.0f} ms of {starts} starts"
        )
    print(f"processor time: {(processor_seconds() - before) / starts:.2f} s a start")


if __name__ == "__main__":
    typer.run(main)

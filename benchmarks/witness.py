"""Stands between a GUI or match tool and an engine, and writes down every line that passes.

    zobra match "Zobra=python benchmarks/witness.py FOLDER zobra" … --folder MATCH
    python benchmarks/judge.py MATCH --transcripts FOLDER

One file for each process, FOLDER/<process id>-<time>.txt: the second since its start, `>` for what the engine is told or `<`
for what it says, and the line; at the end `# ended with STATUS`. What passes is not looked at, and costs a fraction of a
millisecond on the way.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO


class Transcript:
    """The file of one conversation; `note` may be called from any thread."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = (folder / f"{os.getpid()}-{time.time_ns()}.txt").open("wb", buffering=0)  # it may be killed
        self._lock = threading.Lock()
        self._began = time.monotonic()

    def note(self, mark: bytes, line: bytes) -> None:
        """Add a line."""
        with self._lock:
            self._file.write(b"%.3f %s %s\n" % (time.monotonic() - self._began, mark, line.rstrip(b"\r\n")))

    def end(self, status: int) -> None:
        """Add how it ended, and close."""
        with self._lock:
            self._file.write(b"# ended with %d\n" % status)
            self._file.close()


def pass_on(source: IO[bytes], target: IO[bytes], transcript: Transcript, mark: bytes) -> None:
    """Hand lines on until one side closes; the target is closed then."""
    try:
        for line in source:
            transcript.note(mark, line)  # first, or the answer could stand before it
            target.write(line)
            target.flush()
        target.close()
    except OSError:
        pass  # nobody listens any more: the other side has ended, which its own end tells


def main(folder: str, *command: str) -> None:
    """Run the engine."""
    transcript = Transcript(Path(folder))
    engine = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert engine.stdin and engine.stdout
    told = threading.Thread(target=pass_on, args=(sys.stdin.buffer, engine.stdin, transcript, b">"), daemon=True)
    told.start()
    pass_on(engine.stdout, sys.stdout.buffer, transcript, b"<")
    status = engine.wait()
    transcript.end(status)
    os._exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit("python benchmarks/witness.py FOLDER COMMAND…")
    main(*sys.argv[1:])

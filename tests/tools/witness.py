"""Records the conversation between a match tool and an engine.

    zobra match "Zobra=python tests/tools/witness.py FOLDER zobra" … --folder MATCH
    python -m tests.tools.judge MATCH --transcripts FOLDER

Writes one file for each process, FOLDER/<process id>-<time>.txt: seconds since the start, `>` for input of the engine or `<`
for its output, and the line; at the end `# ended with STATUS`. A line is delayed by a fraction of a millisecond.
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
        """Add the exit status and close."""
        with self._lock:
            self._file.write(b"# ended with %d\n" % status)
            self._file.close()


def pass_on(source: IO[bytes], target: IO[bytes], transcript: Transcript, mark: bytes) -> None:
    """Copy lines until one side closes; then close the target."""
    try:
        for line in source:
            transcript.note(mark, line)  # before it is sent, so that the answer comes after it
            target.write(line)
            target.flush()
        target.close()
    except OSError:
        pass  # the reader has ended; its exit status is recorded elsewhere


def main(folder: str, *command: str) -> None:
    """Run the engine."""
    transcript = Transcript(Path(folder))
    engine = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert engine.stdin and engine.stdout
    sender = threading.Thread(target=pass_on, args=(sys.stdin.buffer, engine.stdin, transcript, b">"), daemon=True)
    sender.start()
    pass_on(engine.stdout, sys.stdout.buffer, transcript, b"<")
    status = engine.wait()
    transcript.end(status)
    os._exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit("python tests/tools/witness.py FOLDER COMMAND…")
    main(*sys.argv[1:])

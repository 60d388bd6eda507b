"""Record the conversation between a match tool and an engine.

    zobra match "Zobra=python tests/tools/witness.py FOLDER zobra" … --folder MATCH
    python -m tests.tools.judge MATCH --transcripts FOLDER

There is a file for each process, FOLDER/<process id>-<time>.txt, with a line for each line: seconds
since the start, `>` for input of the engine or `<` for its output, and the text. It ends with
`# ended with STATUS`. A line is delayed by a fraction of a millisecond.
"""

import os
import subprocess
import sys
import threading
import time
from io import FileIO
from pathlib import Path
from typing import IO


def main(folder: str, *command: str) -> None:
    """Run the engine, and end with its status."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    # Without a buffer, as this process may be killed
    transcript = FileIO(Path(folder, f"{os.getpid()}-{time.time_ns()}.txt"), "w")
    began = time.monotonic()
    lock = threading.Lock()
    engine = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert engine.stdin
    assert engine.stdout

    def pass_on(source: IO[bytes], target: IO[bytes], mark: bytes) -> None:
        """Copy lines until one side closes; then close the target."""
        try:
            for line in source:
                text = line.rstrip(b"\r\n")
                with lock:  # before it is sent, so that the answer comes after it
                    transcript.write(b"%.3f %s %s\n" % (time.monotonic() - began, mark, text))
                target.write(line)
                target.flush()
            target.close()
        except OSError:
            pass  # the reader has ended; its exit status is recorded elsewhere

    told = (sys.stdin.buffer, engine.stdin, b">")
    threading.Thread(target=pass_on, args=told, daemon=True).start()
    pass_on(engine.stdout, sys.stdout.buffer, b"<")
    status = engine.wait()
    with lock:
        transcript.write(b"# ended with %d\n" % status)
    os._exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit("python tests/tools/witness.py FOLDER COMMAND…")
    main(*sys.argv[1:])

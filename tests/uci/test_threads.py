"""Between `go` and `bestmove` no thread is created: on a busy machine a new thread waits long for
its first instruction.
"""

import threading
import time

import chess
import psutil
import pytest

from tests.support.prober import Prober
from zobra.api import Engine

SECONDS = 2.0


def thread_ids(process: psutil.Process) -> set[int]:
    """The system's numbers of a process's threads, which it does not soon use again."""
    return {thread.id for thread in process.threads()}


class ThreadWatch:
    """Collects all threads that a process has, every few milliseconds."""

    def __init__(self, process: psutil.Process) -> None:
        self._process = process
        self._ends = threading.Event()
        self.seen: set[int] = set()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "ThreadWatch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ends.wait(0.005):
            self.seen |= thread_ids(self._process)


@pytest.mark.parametrize("threads", [1, 4])
def test_a_conversation_starts_no_thread_for_a_search(threads):
    with Prober() as prober:
        prober.send(f"setoption name Threads value {threads}")
        prober.ask("isready", answer="readyok")
        process = psutil.Process(prober.process.pid)
        before = thread_ids(process)
        assert len(before) >= 1 + threads
        with ThreadWatch(process) as watch:
            said = prober.ask(f"go movetime {SECONDS * 1000:.0f}", answer="bestmove")
        assert any(" currmovenumber " in line for line in said)
        assert not any(line.endswith("currmovenumber 0") for line in said)
        assert watch.seen == before == thread_ids(process)


@pytest.mark.parametrize("threads", [1, 4])
def test_the_api_starts_no_thread_for_a_search(monkeypatch, threads):
    started: list[threading.Thread] = []
    with Engine(hash=4, threads=threads) as engine:
        monkeypatch.setattr(threading.Thread, "start", started.append)
        before = thread_ids(psutil.Process())
        begin = time.monotonic()
        assert engine.play(chess.Board(), chess.engine.Limit(time=SECONDS)).move
        assert time.monotonic() - begin > SECONDS / 2
        assert thread_ids(psutil.Process()) <= before  # those of earlier tests may end meanwhile
        assert not started

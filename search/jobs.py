"""The engine's thread, which carries out jobs one after another, in order of submission.

A job that takes long (a search, perft or bench) is a `LongJob`: it can be stopped, and questions
asked after it do not wait for its end. The thread waits on a condition between jobs, so a job never
waits for the start of a new thread, which can take a tenth of a second on a busy system.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zobra.search.searcher import Searcher

POLL = 0.1  # seconds; on Windows nothing interrupts an endless wait, not even Ctrl-C


class Job:
    """A call for the engine's thread to make; `on_error` gets the exception that it raises."""

    def __init__(
        self,
        call: Callable[..., None],
        *arguments: Any,
        on_error: Callable[[BaseException], None] = lambda error: None,
    ) -> None:
        self._call = call
        self._arguments = arguments
        self._on_error = on_error
        self._done = threading.Event()
        self._error: BaseException | None = None

    def run(self) -> None:
        """Make the call. No exception ends the engine's thread."""
        call = self._call
        arguments = self._arguments
        on_error = self._on_error
        del self._call, self._arguments, self._on_error  # what they refer to may go afterwards
        try:
            call(*arguments)
        except BaseException as error:
            self._error = error
            on_error(error)
        finally:
            self._done.set()

    def wait(self) -> None:
        """Wait until the job is done, and raise the exception that it raised."""
        while not self._done.wait(POLL):
            pass
        if self._error is not None:
            raise self._error


class Question(Job):
    """A job that only asks, so it need not wait for a search, perft or bench to end."""


class LongJob(Job):
    """A search, perft or bench.

    The call gets the job itself as its first argument. `stop` and `ponderhit` may come at any
    time, even before the job begins, and from any thread.
    """

    def __init__(
        self,
        call: Callable[..., None],
        *arguments: Any,
        on_error: Callable[[BaseException], None] = lambda error: None,
        is_search: bool = False,
    ) -> None:
        super().__init__(call, self, *arguments, on_error=on_error)
        self.is_search = is_search
        self.begun = False
        self.stopped = False
        self._ponder_hit = False
        self._submitted = time.monotonic_ns()
        self._searcher: Searcher | None = None
        self._changed = threading.Condition()

    def attach(self, searcher: "Searcher") -> None:
        """Pass on every stop and ponderhit to a searcher, including earlier ones.

        The time of a search counts from the submission of this job.
        """
        with self._changed:
            searcher.arm(time.monotonic_ns() - self._submitted if self.is_search else None)
            self._searcher = searcher
            if self.stopped:
                searcher.stop()
            if self._ponder_hit:
                searcher.ponderhit()

    def stop(self) -> None:
        """End the job as soon as possible."""
        with self._changed:
            self.stopped = True
            if self._searcher is not None:
                self._searcher.stop()
            self._changed.notify_all()

    def ponderhit(self) -> None:
        """Note that the opponent has played the move that the search ponders on."""
        with self._changed:
            self._ponder_hit = True
            if self._searcher is not None:
                self._searcher.ponderhit()
            self._changed.notify_all()

    def wait_until_stopped(self, seconds: float = threading.TIMEOUT_MAX) -> None:
        """Wait for a stop, for at most `seconds`."""
        with self._changed:
            self._changed.wait_for(lambda: self.stopped, min(seconds, threading.TIMEOUT_MAX))

    def wait_until_released(self) -> None:
        """Wait for a stop or a ponderhit."""
        with self._changed:
            self._changed.wait_for(lambda: self.stopped or self._ponder_hit)


class JobThread:
    """A thread and the jobs that wait for it. After `close` it ends when no job is left."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[Job] = deque()
        self._running: Job | None = None
        self._closed = False
        threading.Thread(target=self._run, daemon=True, name="engine").start()

    def submit(self, job: Job) -> None:
        """Stop all searches that are running or waiting, and carry out the job after them."""
        with self._changed:
            for earlier in self._long_jobs():
                if earlier.is_search:
                    earlier.stop()
            self._waiting.append(job)
            self._changed.notify_all()

    def ask(self, question: Question) -> None:
        """Answer a question once all earlier jobs are done, or are long jobs that have begun.

        If this is already so, the calling thread answers it.
        """
        with self._changed:
            is_open = self._running is None or (
                isinstance(self._running, LongJob) and self._running.begun
            )
            if self._waiting or not is_open:
                self._waiting.append(question)
                self._changed.notify_all()
                return
        question.run()

    def stop(self) -> None:
        """Stop the searches, perfts and benches that are running or waiting."""
        with self._changed:
            for job in self._long_jobs():
                job.stop()

    def stop_searches(self) -> None:
        """Stop the searches that are running or waiting, but neither perft nor bench."""
        with self._changed:
            for job in self._long_jobs():
                if job.is_search:
                    job.stop()

    def ponderhit(self) -> None:
        """Pass on a ponderhit to the searches that are running or waiting."""
        with self._changed:
            for job in self._long_jobs():
                job.ponderhit()

    def has_waiting(self) -> bool:
        """Return True if jobs are waiting."""
        return bool(self._waiting)

    def has_counts(self) -> bool:
        """Return True if a perft or bench is running or waiting."""
        with self._changed:
            return any(not job.is_search for job in self._long_jobs())

    def wait(self, is_enough: Callable[[], bool] = lambda: False) -> None:
        """Wait until all jobs are done, or until `is_enough()`."""
        with self._changed:
            while self._waiting or self._running is not None:
                if is_enough():
                    break
                self._changed.wait(POLL)

    def close(self) -> None:
        """End the thread once all jobs are done."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _long_jobs(self) -> list[LongJob]:
        """Return the long jobs that are running or waiting."""
        return [job for job in (self._running, *self._waiting) if isinstance(job, LongJob)]

    def _run(self) -> None:
        while (job := self._next()) is not None:
            if isinstance(job, LongJob):
                self._answer_questions(job)
            job.run()
            del job  # what it refers to may go

    def _next(self) -> Job | None:
        """Wait for the next job and return it, or return None when there will be no more."""
        with self._changed:
            self._running = None
            self._changed.notify_all()
            while not self._waiting:
                if self._closed:
                    return None
                self._changed.wait()
            self._running = self._waiting.popleft()
            return self._running

    def _answer_questions(self, job: LongJob) -> None:
        """Answer the questions asked right after a long job was submitted, then let it begin."""
        while True:
            with self._changed:
                if not self._waiting or not isinstance(self._waiting[0], Question):
                    job.begun = True
                    return
                question = self._waiting.popleft()
            question.run()

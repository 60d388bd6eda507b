"""The engine's thread: it carries out jobs one after another, in the order of their submission.

A job that takes long (a search, perft or bench) is a `LongJob`: it can be stopped, and what is
asked after it does not wait for its end. The thread waits on a condition between jobs, so a job
never waits for a new thread, which a busy system can keep waiting for a tenth of a second.
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
    """A call that the engine's thread is to make; `on_error` gets what it raises."""

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
        """Make the call. No error ends the engine's thread."""
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
        """Wait until the job is done, and raise what it raised."""
        while not self._done.wait(POLL):
            pass
        if self._error is not None:
            raise self._error


class Question(Job):
    """A job that only asks, so it need not wait for the end of a long one."""


class LongJob(Job):
    """A search, perft or bench.

    The call gets the job itself as its first argument. `stop` and `ponderhit` may come at any time
    and from any thread, before the job begins too.
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
        """Pass every stop and ponderhit on to a searcher, those before now too.

        Its time counts from the submission of this job.
        """
        with self._changed:
            searcher.arm(time.monotonic_ns() - self._submitted)
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
        """The opponent has played the move that the search ponders on."""
        with self._changed:
            self._ponder_hit = True
            if self._searcher is not None:
                self._searcher.ponderhit()
            self._changed.notify_all()

    def wait_until_stopped(self, seconds: float | None = None) -> None:
        """Wait for a stop, at most so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self.stopped, seconds)

    def wait_until_released(self) -> None:
        """Wait for a stop or a ponderhit."""
        with self._changed:
            self._changed.wait_for(lambda: self.stopped or self._ponder_hit)


class JobThread:
    """A thread and the jobs that wait for it. It ends after `close`, when no job is left."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[Job] = deque()
        self._running: Job | None = None
        self._closed = False
        threading.Thread(target=self._run, daemon=True, name="engine").start()

    def submit(self, job: Job) -> None:
        """End the searches that run or wait, and carry out the job after them."""
        with self._changed:
            for earlier in self._long_jobs():
                if earlier.is_search:
                    earlier.stop()
            self._waiting.append(job)
            self._changed.notify_all()

    def ask(self, question: Question) -> None:
        """Answer a question once all earlier jobs are done, or are works that have begun.

        If that is so now, the calling thread answers it.
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
        """End the works that run or wait."""
        with self._changed:
            for job in self._long_jobs():
                job.stop()

    def stop_searches(self) -> None:
        """End the searches that run or wait, but neither perft nor bench."""
        with self._changed:
            for job in self._long_jobs():
                if job.is_search:
                    job.stop()

    def ponderhit(self) -> None:
        """Pass a ponderhit on to the searches that run or wait."""
        with self._changed:
            for job in self._long_jobs():
                job.ponderhit()

    def has_waiting(self) -> bool:
        """Return True if jobs wait."""
        return bool(self._waiting)

    def has_counts(self) -> bool:
        """Return True if a perft or bench runs or waits."""
        with self._changed:
            return any(not job.is_search for job in self._long_jobs())

    def wait(self, is_enough: Callable[[], bool] = lambda: False) -> None:
        """Wait until all jobs are done, or `is_enough()`."""
        with self._changed:
            while self._waiting or self._running is not None:
                if is_enough():
                    break
                self._changed.wait(POLL)

    def close(self) -> None:
        """Let the thread end."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _long_jobs(self) -> list[LongJob]:
        """Return the works that run or wait."""
        return [job for job in (self._running, *self._waiting) if isinstance(job, LongJob)]

    def _run(self) -> None:
        while (job := self._next()) is not None:
            if isinstance(job, LongJob):
                self._answer_questions(job)
            job.run()
            del job  # what it refers to may go

    def _next(self) -> Job | None:
        """Wait for the next job; return None when there will be no more."""
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
        """Answer what was asked right after a long job was submitted, then let it begin."""
        while True:
            with self._changed:
                if not self._waiting or not isinstance(self._waiting[0], Question):
                    job.begun = True
                    return
                question = self._waiting.popleft()
            question.run()

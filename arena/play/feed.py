"""Messages from the event loop to the page, and whether the page is open."""

import threading
import time

STATE = "state"
EVALUATION = "evaluation"
END = "end"

_GOODBYE_SECONDS = 10.0  # a closed page may be reloading
_LOST_SECONDS = 60.0  # a connection may be lost, or a browser asleep
_NEAR_SECONDS = 5.0  # between a page's goodbye and the end of its connection, in either order


class Feed:
    """The latest text of each topic, for any number of readers in other threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._texts: dict[str, str] = {}
        self._versions: dict[str, int] = {}

    def publish(self, topic: str, text: str) -> None:
        """Replace the text of a topic, and wake the readers if it has changed."""
        with self._changed:
            if self._texts.get(topic) == text:
                return
            self._texts[topic] = text
            self._versions[topic] = self._versions.get(topic, 0) + 1
            self._changed.notify_all()

    def wait(self, seen: dict[str, int], seconds: float) -> dict[str, str]:
        """Return the texts that are newer than `seen`, and update `seen`.

        If there are none, wait for one for at most `seconds`.
        """
        with self._changed:
            self._changed.wait_for(lambda: seen != self._versions, seconds)
            new = {
                topic: text
                for topic, text in self._texts.items()
                if seen.get(topic) != self._versions[topic]
            }
            seen.update(self._versions)
            return new


class Presence:
    """Tells whether the page is open, by the connections that read the feed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._readers = 0
        self._left: float | None = None  # when the last reader went
        self._goodbyes: list[float] = []  # when pages said that they were closed

    def enter(self) -> None:
        """Count a page that starts to read."""
        with self._lock:
            if self._readers == 0:
                self._goodbyes.clear()
            self._readers += 1
            self._left = None

    def leave(self) -> None:
        """Count a page whose connection has ended."""
        with self._lock:
            self._readers -= 1
            if self._readers == 0:
                self._left = time.monotonic()
            elif self._goodbyes:  # the goodbye of this page says nothing about the others
                self._goodbyes.pop()

    def say_goodbye(self) -> None:
        """Note that a page has said that it was closed."""
        with self._lock:
            self._goodbyes.append(time.monotonic())

    @property
    def readers(self) -> int:
        """The number of pages that are reading."""
        with self._lock:
            return self._readers

    def has_gone(self, now: float) -> bool:
        """Return whether the last page was closed, or its connection has been lost for long."""
        with self._lock:
            if self._left is None:
                return False
            left = self._left
            was_closed = any(abs(said - left) < _NEAR_SECONDS for said in self._goodbyes)
            patience = _GOODBYE_SECONDS if was_closed else _LOST_SECONDS
            return now - left >= patience

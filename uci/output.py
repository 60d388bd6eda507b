"""The one writer: whole lines, one write and one flush each, from whichever thread."""

from __future__ import annotations

import os
import sys
import threading

_lock = threading.Lock()


def say(text: str) -> None:
    """Print one line. When nobody listens any more the process ends quietly."""
    with _lock:
        try:
            sys.stdout.buffer.write(text.encode() + b"\n")
            sys.stdout.buffer.flush()
        except (BrokenPipeError, ValueError, OSError):
            os._exit(0)


def inform(text: str) -> None:
    """Tell the user something outside the protocol's fields; line breaks would be taken for commands."""
    say("info string " + " ".join(text.split()))

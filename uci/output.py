"""The one writer: whole lines, one write and one flush each, from whichever thread."""

from __future__ import annotations

import os
import sys
import threading

from zobra.uci.debug_log import OUT, DebugLog

LONGEST_REMARK = 400  # characters of an info string; a remark may quote a line of any length

log = DebugLog()
debugging = threading.Event()  # set while remarks on what was understood are wanted
_lock = threading.Lock()


def say(text: str) -> None:
    """Print one line. When nobody listens any more the process ends quietly."""
    line = text.encode(errors="replace") + b"\n"
    with _lock:
        try:
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
        except (OSError, ValueError):
            os._exit(0)
        log.note(OUT, text)
    if trouble := log.trouble():
        inform(trouble)


def remark(text: str) -> None:
    """Tell something that only `debug on` asks for."""
    if debugging.is_set():
        inform(text)


def inform(text: str) -> None:
    """Tell the user something outside the protocol's fields; line breaks would be taken for commands."""
    line = " ".join(text.split())
    say("info string " + (line if len(line) <= LONGEST_REMARK else line[:LONGEST_REMARK] + " …"))

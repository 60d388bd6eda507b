"""Leaving on SIGINT and SIGTERM, at once and with status 0, whatever the threads of the process are doing.

A Python handler alone would not do. It runs when the main thread comes to it, and a signal that arrives just before that thread
blocks in a read is noted but does not wake it. The handler in C beneath writes to a pipe, and whoever reads that always hears.
"""

from __future__ import annotations

import os
import signal
import threading


def leave_on_signals() -> None:
    """From now on SIGINT and SIGTERM end the process; to be called from the main thread."""
    heard, told = os.pipe()
    if hasattr(os, "set_blocking"):  # not on Windows before Python 3.12, which does not ask for it either
        os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)

    def leave() -> None:
        os.read(heard, 1)
        os._exit(0)

    threading.Thread(target=leave, daemon=True, name="signals").start()

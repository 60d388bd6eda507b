"""Hides from Python what only POSIX systems have. With this folder on PYTHONPATH every Python that
starts, and every one that it starts, is without them.

What subprocess, multiprocessing and asyncio themselves need on this system stays, and user ids,
which are used where os.name is "posix" only.
"""

import builtins
import io
import mmap
import os
import signal
import sys
import warnings

MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
OS_NAMES = (
    "O_NOFOLLOW",
    "O_NONBLOCK",
    "getloadavg",
    "getpgid",
    "getpgrp",
    "getpriority",
    "killpg",
    "mkfifo",
    "nice",
    "sched_getaffinity",
    "sched_setaffinity",
    "setpgid",
    "setpriority",
    "setsid",
)
SIGNAL_NAMES = ("SIGALRM", "SIGHUP", "SIGUSR1", "pthread_sigmask", "setitimer")
MMAP_NAMES = ("MADV_HUGEPAGE", "MAP_ANONYMOUS", "MAP_PRIVATE")
LINUX_FOLDERS = ("/proc", "/sys")

for module in MODULES:
    sys.modules[module] = None
for owner, names in ((os, OS_NAMES), (signal, SIGNAL_NAMES), (mmap, MMAP_NAMES)):
    for name in names:
        if hasattr(owner, name):
            delattr(owner, name)

# Windows has file locks of its own
warnings.filterwarnings("ignore", "only soft file lock is available")

from multiprocessing import resource_tracker  # noqa: E402 - it looks for signal masks now


def without_linux_folders(function):
    """Return the function, for which files of Linux about itself do not exist."""

    def guarded(path=".", *arguments, **keywords):
        if isinstance(path, (str, os.PathLike)) and os.fspath(path).startswith(LINUX_FOLDERS):
            raise FileNotFoundError(2, "hidden", os.fspath(path))
        return function(path, *arguments, **keywords)

    return guarded


io.open = builtins.open = without_linux_folders(open)
os.scandir = without_linux_folders(os.scandir)
os.stat = without_linux_folders(os.stat)


def ensure_running():
    """Fail as where there is no `_posixsubprocess`."""
    raise ModuleNotFoundError("No module named '_posixsubprocess'")


resource_tracker.ensure_running = ensure_running

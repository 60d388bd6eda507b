"""Hides from Python what only POSIX systems have. With this folder on PYTHONPATH every Python that
starts, and every one that it starts, is without them.

What subprocess, multiprocessing and asyncio themselves need on this system stays.
"""

import builtins
import io
import mmap
import os
import signal
import sys

MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
OS_NAMES = (
    "O_NOFOLLOW",
    "O_NONBLOCK",
    "geteuid",
    "getloadavg",
    "getpgid",
    "getpgrp",
    "getpriority",
    "getuid",
    "killpg",
    "mkfifo",
    "nice",
    "sched_getaffinity",
    "sched_setaffinity",
    "setpgid",
    "setpriority",
    "setsid",
    "sysconf",
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


class _NoResourceTracker:
    """Replaces multiprocessing.resource_tracker.ensure_running as soon as that is imported."""

    def find_spec(self, name, path=None, target=None):
        if name != "multiprocessing.resource_tracker":
            return None
        sys.meta_path.remove(self)
        import multiprocessing.resource_tracker as tracker

        def ensure_running():
            raise ModuleNotFoundError("No module named '_posixsubprocess'")

        tracker.ensure_running = ensure_running
        return tracker.__spec__


sys.meta_path.insert(0, _NoResourceTracker())

"""Signals end the process even when they cannot wake its main thread."""

import os
import subprocess
import sys

import pytest

CODE = """
import os, signal, threading
from zobra.uci.signals import leave_on_signals
leave_on_signals()
threading.Timer(0.2, lambda: signal.pthread_kill(threading.get_ident(), signal.{name})).start()
os.read(0, 1)  # the signal goes to the other thread, and this read sleeps on
"""


@pytest.mark.skipif(os.name == "nt", reason="needs pthread_kill")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_that_wakes_nobody_still_ends_the_process(name):
    with subprocess.Popen([sys.executable, "-c", CODE.format(name=name)], stdin=subprocess.PIPE) as process:
        assert process.wait(20) == 0

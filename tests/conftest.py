"""Before any test: all kernels are compiled, so that no process that a test starts has to compile
them.
"""

import signal
import threading

import pytest
from hypothesis import settings

from tests.support.prober import Prober
from zobra.engine.kernels import compile_missing

settings.register_profile("zobra", deadline=None)  # a busy machine is no fault
settings.load_profile("zobra")


if (
    threading.current_thread() is threading.main_thread()
):  # a run in the background may have begun with signals ignored
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def kernels():
    compile_missing()


@pytest.fixture(scope="module")
def running_engine():
    """A process that speaks UCI, for the tests of one module."""
    with Prober() as prober:
        prober.ask("uci", answer="uciok")
        prober.settle()
        yield prober
        prober.send("quit")
        assert prober.wait() == 0
        assert prober.process.stderr.read() == b""


@pytest.fixture
def engine(running_engine):
    """That process, idle, at the start position, with options that tests set taken back."""
    options = ("UCI_Chess960 value false", "MultiPV value 1", "Threads value 1")
    running_engine.send(
        "stop",
        *(f"setoption name {option}" for option in options),
        "debug off",
        "position startpos",
    )
    running_engine.settle()
    return running_engine

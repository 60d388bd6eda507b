"""What holds for all tests, and an engine process that the tests of a module share."""

import signal
import threading

import pytest
from hypothesis import settings

from tests.support.prober import Prober
from zobra.engine.kernels import compile_missing

settings.register_profile("zobra", deadline=None)  # a busy machine is no fault
settings.load_profile("zobra")


# A run in the background may have begun with signals ignored
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def kernels():
    """Compile all kernels, so that no process that a test starts has to compile them."""
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
    """That process, idle at the start position, with the default options."""
    running_engine.send("stop", "debug off")
    for option in ("UCI_Chess960 value false", "MultiPV value 1", "Threads value 1"):
        running_engine.send(f"setoption name {option}")
    running_engine.send("position startpos")
    running_engine.settle()
    return running_engine

"""The start: `uciok` before anything heavy is imported, and missing kernels are compiled before
`readyok`.
"""

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from tests.support.commands import zobra
from tests.support.kernel_tree import copy_zobra
from tests.support.prober import Prober, leaves_when_nobody_reads
from zobra.engine import kernels
from zobra.engine.version import full_version
from zobra.search import player
from zobra.search.engine import Engine

COMPILING = "info string compiling the engine"


@pytest.fixture
def without_kernels(tmp_path) -> dict[str, str]:
    """An environment with a copy of the sources that has no kernels, and with an empty store.

    Numba compiles all the same when it is told not to.
    """
    return copy_zobra(tmp_path) | {"NUMBA_DISABLE_JIT": "1"}


@contextmanager
def engine(environment: dict[str, str]):
    """A fresh process, which has answered `uci` with nothing but what it is asked."""
    with Prober(environment=environment) as prober:
        said = prober.ask("uci", answer="uciok")
        assert not any("info string" in line for line in said)
        yield prober


HANDSHAKE = """
import sys
from zobra.uci.commands import parse
from zobra.uci.console import Console
from zobra.uci.dispatcher import Dispatcher
dispatcher = Dispatcher(Console(), tunable=True)
dispatcher.engine.load = lambda: None
dispatcher.execute(parse('uci'))
heavy = {'numpy', 'numba', 'llvmlite', 'chess', 'typer', 'rich', 'scipy'} & set(sys.modules)
assert not heavy, heavy
"""


@pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals on Windows")
def test_a_terminal_is_greeted():
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "zobra"]
    with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, text=True) as process:
        os.write(ours, b"quit\n")
        first, second = process.stdout.read().splitlines()
        assert process.wait(60) == 0
    os.close(ours)
    os.close(theirs)
    assert first.startswith(f"Zobra {full_version()}, a UCI chess engine")
    assert "help lists" in second
    assert "zobra --help" in second
    assert max(len(first), len(second)) <= 80


def test_handshake_imports_nothing_heavy():
    done = subprocess.run(
        [sys.executable, "-c", HANDSHAKE], capture_output=True, text=True, check=True
    )
    name, author, *_, last = done.stdout.splitlines()
    assert name.startswith("id name Zobra")
    assert author.startswith("id author")
    assert last == "uciok"


def test_a_compilation_and_notices_are_reported(monkeypatch):
    def compile_missing(report):
        for number in range(4):
            report(number, 4, "kernel")

    monkeypatch.setattr(player, "Player", lambda *_: SimpleNamespace(warm_up=lambda: None))
    monkeypatch.setattr(kernels, "missing", lambda: ["kernel"] * 4)
    monkeypatch.setattr(kernels, "compile_missing", compile_missing)
    monkeypatch.setattr(kernels, "notices", ["kernels cannot be kept"])
    said: list[str] = []
    Engine(on_message=said.append).load().wait()
    assert said[0].startswith("compiling the engine (4 kernels)")
    assert said[1:5] == [f"compiled {number} of 4 kernels" for number in range(4)]
    assert said[5:] == ["kernels cannot be kept"]


@pytest.mark.parametrize("work", [(), ("go infinite", "stop")])
@pytest.mark.parametrize("ending", ["quit", "end of input", "SIGTERM"])
def test_leaves_at_once_while_it_compiles(without_kernels, work, ending):
    with engine(without_kernels) as prober:
        prober.ask("isready", answer=COMPILING)
        begin = time.monotonic()
        prober.send(*work)
        prober.end(ending)
        assert prober.wait() == 0
        assert time.monotonic() - begin < 8
        assert prober.process.stderr.read() == b""


def test_leaves_when_nobody_listens_to_the_progress(without_kernels):
    assert leaves_when_nobody_reads(typed="isready\n", until=COMPILING, environment=without_kernels)


def test_quit_does_not_wait_for_a_compilation_that_begins_later(without_kernels):
    with Prober(environment=without_kernels) as prober:
        begin = time.monotonic()
        prober.send("uci", "isready", "quit")
        assert prober.wait() == 0
        assert time.monotonic() - begin < 8


@pytest.mark.slow
def test_commands_wait_for_the_kernels_and_are_carried_out_in_order(without_kernels, tmp_path):
    with engine(without_kernels) as prober:
        prober.send(
            "setoption name MultiPV value 2",
            "setoption name UCI_Chess960 value true",
            "setoption name Nonsense",
        )
        prober.send(
            "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1h1", "isready", "go depth 5"
        )
        said = prober.expect("readyok")
        assert any(line.startswith(COMPILING) for line in said)
        assert sum("kernels" in line for line in said) > 2
        assert any("no option 'Nonsense'" in line for line in said)
        said = prober.expect("bestmove")
        assert any(line.startswith("info depth 5 ") and "multipv 2 " in line for line in said)
        assert any("5rk1" in line.lower() for line in prober.ask("d", answer="Checkers"))
    other_store = without_kernels | {"ZOBRA_CACHE_DIR": str(tmp_path / "other")}
    script = zobra(environment=other_store, typed="go perft 3\nquit\n")
    assert "Nodes searched: 8902" in script.stdout and script.stderr == ""
    with engine(without_kernels) as prober:  # the next start finds them
        assert not any(
            "info string" in line for line in prober.ask("go depth 5", answer="bestmove")
        )

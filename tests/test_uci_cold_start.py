"""The first start: it answers and plays at once, compiles meanwhile, and leaves nothing behind."""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import chess
import psutil
import pytest

from tests.prober import Prober
from zobra.uci import commands
from zobra.uci.cold_start import ColdStart
from zobra.uci.loader import COMPILING, WAITING
from zobra.uci.output import log, say

COMPILED = "info string the kernels are compiled"


@contextmanager
def engine(store: Path, **variables: str):
    """A fresh process with this store, which answers nothing but what it is asked."""
    with Prober(environment={**os.environ, "ZOBRA_CACHE_DIR": str(store), **variables}) as prober:
        said = prober.ask("uci", answer="uciok")
        assert not any("info string" in line for line in said)
        yield prober


def children(prober: Prober) -> list[psutil.Process]:
    return psutil.Process(prober.process.pid).children(recursive=True)


def move_of(said: list[str], board: chess.Board) -> chess.Move:
    """The bestmove, which is the last line and the only one."""
    assert sum(line.startswith("bestmove") for line in said) == 1
    move = chess.Move.from_uci(said[-1].split()[1])
    assert move in board.legal_moves
    return move


def test_plays_while_it_compiles(tmp_path):
    with engine(tmp_path) as prober:
        assert prober.ask("isready", answer="readyok") == ["readyok"]
        prober.send("setoption name Hash value 99999999", "setoption name Nonsense", "setoption name MultiPV value 2")
        said = prober.ask("position startpos moves e2e4 e7e5", "go movetime 200", answer="bestmove")
        assert any("option Hash set to" in line for line in said) and any("no option 'Nonsense'" in line for line in said)
        board = chess.Board("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
        move_of(said, board)
        assert sum(COMPILING in line for line in said) == 1
        said = prober.ask("position fen 8/8 w - -", "go movetime 50", answer="bestmove")
        assert any("error in fen" in line for line in said) and said[-1] == "bestmove (none)"
        said = prober.ask("position startpos moves e2e5", "go movetime 50", answer="bestmove")
        assert any("error in move 1" in line for line in said) and said[-1] == "bestmove (none)"
        (child,) = children(prober)
        prober.send("quit")
        begin = time.monotonic()
        assert prober.wait() == 0 and prober.process.stderr.read() == b""
        psutil.wait_procs([child], timeout=5)
        assert not child.is_running() and time.monotonic() - begin < 5


@pytest.mark.parametrize("ending", ["end of input", "SIGTERM", "SIGKILL", "quit in a search"])
def test_leaves_no_child_and_no_folder(tmp_path, ending):
    (tmp_path / "file").write_text("where the store should be: a temporary folder takes its place")
    with engine(tmp_path / "file", TMPDIR=str(tmp_path)) as prober:
        prober.ask("isready", answer="readyok")
        helpers = children(prober)
        assert len(helpers) == 1 and list(tmp_path.glob("zobra-*"))
        if ending == "quit in a search":
            prober.send("go infinite", "quit")
        elif ending == "end of input":
            prober.process.stdin.close()
        else:
            prober.process.send_signal(getattr(signal, ending))
        assert prober.wait() == (-signal.SIGKILL if ending == "SIGKILL" else 0)
        _, alive = psutil.wait_procs(helpers, timeout=20)
        assert not alive
        if ending not in ("SIGTERM", "SIGKILL"):
            assert sum(line.startswith("bestmove") for line in prober.expect_end()) == (ending == "quit in a search")
    deadline = time.monotonic() + 10
    while list(tmp_path.glob("zobra-*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not list(tmp_path.glob("zobra-*"))


@pytest.mark.slow
def test_the_engine_takes_over_what_was_said(tmp_path):
    with engine(tmp_path) as prober:
        prober.send("setoption name MultiPV value 2", "setoption name UCI_Chess960 value true")
        prober.send("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1h1", "go depth 14")
        said = prober.expect("bestmove")
        assert sum(line.startswith(COMPILED) for line in said) == 1
        after = said[[line.startswith(COMPILED) for line in said].index(True) :]
        assert any(re.match("info depth 14 .*multipv 2 ", line) for line in after)
        assert not any(COMPILING in line for line in prober.ask("go depth 5", answer="bestmove"))
        assert any("5rk1" in line.lower() for line in prober.ask("d", answer="Checkers"))
        prober.send("quit")
        assert prober.wait() == 0
    with engine(tmp_path) as prober:
        assert not any("info string" in line for line in prober.ask("go depth 5", answer="bestmove"))


@pytest.mark.slow
def test_a_search_with_a_clock_is_not_cut_short_by_the_engine(tmp_path):
    """Nor does `isready` touch it, or wait for it."""
    with engine(tmp_path) as prober:
        for _ in range(30):
            begin = time.monotonic()
            prober.send("go movetime 4000")
            said = []
            for _ in range(6):
                time.sleep(0.5)
                said += prober.settle()
            assert not any(line.startswith("bestmove") for line in said)
            said += prober.expect("bestmove")
            assert time.monotonic() - begin > 3.9
            if not any(COMPILING in line for line in said):
                return
        pytest.fail("the engine did not take over")


def test_what_was_said_is_told_to_the_session(capfd, tmp_path):
    told = []

    class Listener:
        set_option, set_position, go = told.append, told.append, told.append

    cold = ColdStart(lambda: "none of it done")
    lines = [
        "setoption name hash value 0",
        "setoption name None",
        "position startpos moves e2e4",
        "position startpos moves e2e5",
    ]
    for line in lines:
        command = commands.parse(line)
        cold.set_option(command) if isinstance(command, commands.SetOption) else cold.set_position(command)
    log_file = tmp_path / "log.txt"
    cold.set_option(commands.SetOption("Debug Log File", str(log_file)))
    say("said before there is an engine")
    cold.hand_over(Listener())
    log.open("")
    assert "said before there is an engine" in log_file.read_text()
    assert told == [commands.SetOption("Hash", "1"), commands.parse(lines[-1])]
    told.clear()
    cold.set_position(commands.parse(lines[-2]))
    cold.go(commands.parse("go infinite"))
    assert not cold.is_bound()
    cold.hand_over(Listener())
    assert told[-2:] == [commands.parse(lines[-2]), commands.Go(infinite=True)]
    assert "bestmove" not in capfd.readouterr().out


def test_an_option_that_fails_costs_itself_only(capfd):
    told = []

    class Listener:
        set_position = told.append

        def set_option(self, option):
            if option.name == "Threads":
                raise MemoryError("too many")
            told.append(option)

    cold = ColdStart(lambda: "none of it done")
    for line in ("setoption name Threads value 8", "setoption name Hash value 32", "position startpos moves e2e4"):
        command = commands.parse(line)
        cold.set_option(command) if isinstance(command, commands.SetOption) else cold.set_position(command)
    cold.hand_over(Listener())
    assert told == [commands.SetOption("Hash", "32"), commands.parse("position startpos moves e2e4")]
    assert "error: option Threads: MemoryError: too many" in capfd.readouterr().out


@pytest.mark.slow
def test_what_needs_kernels_waits_for_them(tmp_path):
    with engine(tmp_path) as prober:
        said = prober.ask("d", answer="Checkers")
        assert f"info string {WAITING}" in said


@pytest.mark.slow
def test_without_a_place_for_kernels_it_says_so_once_and_plays(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with engine(tmp_path / "file", TMPDIR=str(tmp_path)) as prober:
        said = prober.ask("isready", "go depth 16", answer="bestmove")
        assert sum("kernel cache is not usable" in line for line in said) == 1
        move_of(said, chess.Board())
        assert not any("info string" in line for line in prober.ask("go depth 5", "eval", answer="bestmove"))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.slow
def test_of_several_first_starts_one_compiles(tmp_path):
    probers = [Prober(environment={**os.environ, "ZOBRA_CACHE_DIR": str(tmp_path)}) for _ in range(8)]
    try:
        for prober in probers:
            prober.send("uci", "isready", "go movetime 300")
        for prober in probers:
            move_of(prober.expect("bestmove"), chess.Board())
        used = 0.0
        helpers = [child for prober in probers for child in children(prober)]
        while any(helper.is_running() and helper.status() != psutil.STATUS_ZOMBIE for helper in helpers):
            working = []
            for helper in helpers:
                try:
                    times = helper.cpu_times()
                    working.append(times.user + times.system)
                except psutil.Error:
                    continue
            used = max(used, sorted([0.0, 0.0, *working])[-2])
            time.sleep(0.1)
        assert len(helpers) == 8 and used < 3  # seconds, of the one that worked most beside the one that compiled
        for prober in probers:
            assert any("info depth 9 " in line for line in prober.ask("go depth 9", answer="bestmove"))
    finally:
        for prober in probers:
            prober.__exit__()


@pytest.mark.slow
def test_damage_costs_a_compilation_and_a_remark(tmp_path):
    environment = {**os.environ, "ZOBRA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-m", "zobra.uci", "warmup"], env=environment, check=True, capture_output=True)
    (kernel,) = tmp_path.rglob("*.set_up.kernel")
    kernel.write_bytes(kernel.read_bytes()[:-1])
    with engine(tmp_path) as prober:
        said = prober.ask("isready", "d", answer="Checkers")
        assert sum("damaged files removed" in line for line in said) == 1
    assert kernel.exists()

"""The whole engine over its pipes: whatever a GUI sends, the conversation goes on."""

import signal
import subprocess
import sys

import pytest

from tests.prober import Prober, best


def test_isready_and_stop_during_an_infinite_search(engine):
    engine.send("go infinite")
    assert not best(engine.settle())
    assert best(engine.ask("stop", answer="bestmove"))
    assert not best(engine.settle())


def test_perft_and_board(engine):
    assert engine.ask("go perft 3", answer="Nodes searched")[-1] == "Nodes searched: 8902"
    assert "Key: 463B96181691FC9C" in engine.ask("d", answer="Checkers")
    assert any("Evaluation" in line for line in engine.ask("eval", answer="Evaluation"))


def test_flip_and_compiler(engine):
    engine.send("position startpos moves e2e4", "flip")
    assert "Fen: rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" in engine.ask("d", answer="Checkers")
    assert "numba" in engine.ask("compiler", answer="info string Python")[-1]


def test_the_last_good_position_stays_on_the_board(engine):
    engine.send("position startpos moves d2d4", "position fen rubbish")
    assert any("3P4" in line for line in engine.ask("d", answer="Checkers"))


def test_ready_and_stop_during_a_count(engine):
    for count in ("go perft 12", "bench 60"):
        engine.send(count)
        engine.settle()
        engine.send("stop", "go depth 1")
        assert any("stopped" in line for line in engine.expect("bestmove"))


@pytest.mark.parametrize("ending", ["quit", "end of input", "terminate", "interrupt"])
def test_leaves_at_once_while_it_searches(ending):
    with Prober() as prober:
        prober.ask("isready", answer="readyok")
        prober.send("go infinite")
        prober.settle()
        end(prober, ending)
        assert prober.wait() == 0
        assert len(best(prober.expect_end())) == (ending in ("quit", "end of input"))
        assert prober.process.stderr.read() == b""


@pytest.mark.parametrize("ending", ["terminate", "interrupt"])
def test_a_signal_ends_it_while_it_counts(ending):
    with Prober() as prober:
        prober.ask("isready", answer="readyok")
        prober.ask("go perft 12", "isready", answer="readyok")
        end(prober, ending)
        assert prober.wait() == 0 and prober.process.stderr.read() == b""


def end(prober, ending):
    if ending == "quit":
        prober.send("quit")
    elif ending == "end of input":
        prober.process.stdin.close()
    else:
        prober.process.send_signal(signal.SIGTERM if ending == "terminate" else signal.SIGINT)


@pytest.mark.parametrize("work", ["go infinite", "go perft 12"])
def test_leaves_when_nobody_listens(work):
    command = [sys.executable, "-m", "zobra.uci"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdin.write(f"isready\n{work}\n".encode())
        process.stdin.flush()
        while process.stdout.readline() != b"readyok\n":
            pass
        process.stdout.close()
        process.stdin.write(b"isready\n")
        process.stdin.flush()
        assert process.wait(10) == 0
        assert process.stderr.read() == b""


@pytest.mark.parametrize("ending", ["", "quit\n"])
def test_a_script_is_carried_out(ending):
    script = "position startpos moves e2e4\ngo perft 3\ngo infinite\n" + ending
    command = [sys.executable, "-m", "zobra.uci"]
    done = subprocess.run(command, check=False, input=script, capture_output=True, text=True, timeout=120)
    lines = done.stdout.splitlines()
    assert "Nodes searched: 13160" in lines and lines[-1].startswith("bestmove")
    assert (done.returncode, done.stderr) == (0, "")

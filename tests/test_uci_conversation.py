"""The whole engine over its pipes: whatever a GUI sends, the conversation goes on."""

import subprocess
import sys

import pytest

from tests.prober import Prober, best


def test_perft_board_flip_and_compiler(engine):
    assert engine.ask("go perft 3", answer="Nodes searched")[-1] == "Nodes searched: 8902"
    assert "Key: 463B96181691FC9C" in engine.ask("d", answer="Checkers")
    assert engine.ask("eval", answer="Evaluation")
    engine.send("position startpos moves e2e4", "flip", "position fen rubbish")  # the last good position stays
    assert "Fen: rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" in engine.ask("d", answer="Checkers")
    assert "numba" in engine.ask("compiler", answer="info string Python")[-1]


def test_ready_and_stop_during_a_count(engine):
    for count in ("go perft 12", "bench 60"):
        engine.send(count)
        engine.settle()
        engine.send("stop", "go depth 1")
        assert any("stopped" in line for line in engine.expect("bestmove"))


@pytest.mark.parametrize(
    ("work", "ending"),
    [
        *(("go infinite", ending) for ending in ("quit", "end of input", "SIGTERM", "SIGINT")),
        *(("go perft 12", ending) for ending in ("SIGTERM", "SIGINT")),
    ],
)
def test_leaves_at_once_while_it_works(work, ending):
    with Prober() as prober:
        prober.ask("isready", answer="readyok")
        prober.send(work)
        prober.settle()
        prober.end(ending)
        assert prober.wait() == 0
        assert len(best(prober.expect_end())) == (ending in ("quit", "end of input"))
        assert prober.process.stderr.read() == b""


@pytest.mark.parametrize("work", ["go infinite", "go perft 12"])
def test_leaves_when_nobody_listens(work):
    command, pipe = [sys.executable, "-m", "zobra.uci"], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        process.stdin.write(f"isready\n{work}\n".encode())
        process.stdin.flush()
        while process.stdout.readline() != b"readyok\n":
            pass
        process.stdout.close()
        process.stdin.write(b"isready\n")
        process.stdin.flush()
        assert process.wait(10) == 0 and process.stderr.read() == b""


@pytest.mark.parametrize("ending", ["", "quit\n"])
def test_a_script_is_carried_out(ending):
    script = "go perft 5\nucinewgame\nposition startpos moves e2e4\ngo perft 3\ngo infinite\n" + ending
    command = [sys.executable, "-m", "zobra.uci"]
    done = subprocess.run(command, check=False, input=script, capture_output=True, text=True, timeout=120)
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith("Nodes")] == ["Nodes searched: 4865609", "Nodes searched: 13160"]
    assert lines[-1].startswith("bestmove") and (done.returncode, done.stderr) == (0, "")

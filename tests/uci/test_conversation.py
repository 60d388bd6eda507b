"""The whole engine over its pipes: whatever a GUI sends, the conversation goes on."""

import re

import pytest

from tests.support.commands import zobra
from tests.support.prober import Prober, best, leaves_when_nobody_reads


def test_perft_board_flip_and_versions(engine):
    assert engine.ask("go perft 3", answer="Nodes searched")[-1] == "Nodes searched: 8902"
    assert "Key: 463B96181691FC9C" in engine.ask("d", answer="Checkers")
    assert engine.ask("eval", answer="Evaluation")
    # The last good position stays.
    engine.send("position startpos moves e2e4", "flip", "position fen rubbish")
    flipped = "Fen: rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert flipped in engine.ask("d", answer="Checkers")
    assert "numba" in engine.ask("compiler", answer="info string Python")[-1]


def test_a_bench_of_a_file(engine, tmp_path):
    book = tmp_path / "book.epd"
    book.write_text("8/8/8/8/8/4k3/4p3/4K3 w - - bm Ke2;\n8/8/8/4k3/8/8/4P3/4K3 w - -\n")
    first, second = engine.ask(f"bench 1 1 2 {book} perft", answer="44 nodes")[-3:-1]
    assert first.startswith("1/2 0 nodes") and second.startswith("2/2 44 nodes")
    assert engine.ask(f"bench 1 1 2 {book}", answer="2/2")[-1].endswith("w - -")
    said = engine.ask("bench 1 1 2 nowhere.epd", answer="info string error")[-1]
    assert said == "info string error: nowhere.epd: No such file or directory"


def test_debug_tells_what_a_search_did(engine):
    *_, table, cutoffs, late, windows, _ = engine.ask("debug on", "go depth 10", answer="bestmove")
    for line, form in (
        (table, r"table: \d+ hits and \d+ cutoffs in \d+ nodes"),
        (cutoffs, r"beta cutoffs: \d+, \d+\.\d% by the first move"),
        (late, r"late moves: \d+, \d+\.\d% searched again"),
        (windows, r"aspiration windows that failed: \d+; threads: 1"),
    ):
        assert re.fullmatch(f"info string {form}", line)
    said = engine.ask("debug off", "go depth 10", answer="bestmove")
    assert not any("info string" in line for line in said)


@pytest.mark.parametrize(
    ("work", "ending"),
    [
        ("go infinite", "quit"),
        ("go infinite", "end of input"),
        ("go infinite", "SIGTERM"),
        ("go infinite", "SIGINT"),
        ("go perft 12", "SIGTERM"),
        ("go perft 12", "SIGINT"),
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
    assert leaves_when_nobody_reads(typed=f"isready\n{work}\n", until="readyok")


@pytest.mark.parametrize("ending", ["", "quit\n"])
def test_a_script_is_executed(ending):
    script = "go perft 4\nucinewgame\nposition startpos moves e2e4\ngo perft 3\ngo infinite\n"
    done = zobra(typed=script + ending)
    lines = done.stdout.splitlines()
    counts = [line for line in lines if line.startswith("Nodes")]
    assert counts == ["Nodes searched: 197281", "Nodes searched: 13160"]
    assert lines[-1].startswith("bestmove")
    assert (done.returncode, done.stderr) == (0, "")

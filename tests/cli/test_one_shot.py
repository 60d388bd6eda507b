"""UCI commands from the command line: each runs to its end, and so does the process."""

import os
import re
import signal
import sys
from subprocess import DEVNULL, Popen

import chess
import pytest

from tests.support.commands import zobra
from tests.support.prober import Prober, leaves_when_nobody_reads

FEN = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"


def test_a_search():
    done = zobra(*f"position fen {FEN} moves e1g1 go depth 5 --multipv 2".split())
    lines = done.stdout.splitlines()
    board = chess.Board(FEN)
    assert (done.returncode, done.stderr) == (0, "")
    assert any(line.startswith("info depth 5 ") and " multipv 2 " in line for line in lines)
    board.push_uci("e1g1")
    assert chess.Move.from_uci(lines[-1].split()[1]) in board.legal_moves
    assert lines[-1].startswith("bestmove ")


@pytest.mark.parametrize(
    ("arguments", "ending"),
    [
        ("uci", "uciok"),
        ("IsReady", "readyok"),
        (f"position fen {FEN} go perft 2", "Nodes searched: 2039"),
        (f"position fen {MATED}", "Checkers: h4"),
        (f"position fen {MATED} go depth 3", "bestmove (none)"),
        (
            "position startpos moves e2e4 GO nodes 50 --hash 4 --threads 2 --multipv 3",
            r"bestmove [a-h][1-8]\w+( ponder \w+)?",
        ),
        (f"d {MATED}", "Checkers: h4"),
        ("d startpos moves e2e4", "Checkers: "),
        (f"eval {FEN}", r"Evaluation: [+-]\d\.\d\d pawns \(White's side\)"),
        ("compiler", "info string Python .* numba .*"),
    ],
)
def test_the_last_line(arguments, ending):
    done = zobra(*arguments.split())
    assert (done.returncode, done.stderr) == (0, "")
    last = done.stdout.splitlines()[-1]
    assert re.fullmatch(ending, last) or last == ending


def test_a_position_that_is_named_is_shown():
    assert f"Fen: {FEN}" in zobra("d", FEN).stdout
    assert f"Fen: {FEN}" in zobra("d", *FEN.split()).stdout
    assert zobra("eval", FEN).stdout.splitlines()[-1] != zobra("eval").stdout.splitlines()[-1]
    assert "bestmove" in zobra("go depth 2").stdout  # quoted as a whole


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("go depth", "no number after depth"),
        ("go nodes 1e6", "no number after nodes"),
        ("go dpeth 5", "not understood: dpeth 5"),
        ("go movetime 0", "movetime is at least 1, not 0"),
        ("go perft x", "perft takes a depth"),
        ("go --depth 3", "No such option: --depth"),
        ("go depth 3 --hash 0", "--hash"),
        # Without the word `moves`
        ("position startpos e2e4 go depth 1", "position: not understood: e2e4"),
        ("position startpos flip", "position: not understood: flip"),
        ("position startpos moves e2e4 Nf6", "UCI writes moves as e2e4"),
    ],
)
def test_what_is_not_understood_is_refused(arguments, complaint):
    done = zobra(*arguments.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("position", "problem"),
    [
        ("startpos moves e2e5 go depth 3", "in move 1"),
        ("fen rubbish eval", "in fen"),
        ("", "in fen"),
    ],
)
def test_what_is_wrong_is_named(position, problem):
    done = zobra("position", position)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"zobra: error {problem}: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("go perft 40", "perft takes a depth from 1 to 32"),
        ("go --hash 1048576 depth 2", "a table of 1048576 MB does not fit"),
    ],
)
def test_an_error_ends_it(arguments, problem):
    done = zobra(*arguments.split())
    assert (done.returncode, done.stdout) == (1, "")
    assert problem in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT for one process on Windows")
def test_interrupted_it_still_names_its_move():
    with Prober("go", "infinite") as prober:
        prober.expect("info depth 3")
        prober.process.send_signal(signal.SIGINT)
        assert prober.expect("bestmove")[-1] != "bestmove (none)"
        assert prober.wait() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals on Windows")
def test_a_person_is_told_how_to_stop_a_search_without_a_limit():
    controller, terminal = os.openpty()
    command = [sys.executable, "-m", "zobra.cli", "go"]
    with Popen(command, stdout=DEVNULL, stderr=terminal) as process:
        assert b"Ctrl-C stops it" in os.read(controller, 1000)
        process.kill()
    os.close(controller)
    os.close(terminal)


def test_a_reader_that_leaves_ends_it():
    assert leaves_when_nobody_reads("go", "infinite", typed="", until="info ")

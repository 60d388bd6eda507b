"""Text to commands, and `go` lines to limits: pure, tolerant, without an engine."""

import pytest

from zobra.search.bench_conditions import Conditions
from zobra.search.limits import ClockTimes, Limits
from zobra.uci.commands import (
    HELP,
    SHORT_SEARCH,
    Bench,
    Go,
    Perft,
    SetOption,
    SetPosition,
    Simple,
    limits_of,
    parse,
)


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("uci", Simple("uci")),
        ("  \t isready \t", Simple("isready")),
        ("   joho   debug\ton isready", Simple("debug on")),
        ("stop the isready", Simple("stop")),
        ("debug off", Simple("debug off")),
        ("", None),
        ("# stop", None),
        ("nonsense of all sorts", None),
        ("setoption name Hash value 64", SetOption("Hash", "64")),
        ("setoption name  Move   Overhead   value 20 ", SetOption("Move Overhead", "20")),
        ("SETOPTION NAME Clear Hash", SetOption("Clear Hash", None)),
        (
            "setoption name BookFile value C:\\my books\\a value.bin",
            SetOption("BookFile", "C:\\my books\\a value.bin"),
        ),
        ("setoption name BookFile value a  b", SetOption("BookFile", "a  b")),
        ("setoption name X value 3 value 4", SetOption("X", "3 value 4")),
        ("setoption name Hash value", SetOption("Hash", None)),
        ("setoption name value 3", None),
        ("setoption", None),
        ("position", SetPosition("", ())),
        ("position startpos moves e2e4 e7e5", SetPosition(None, ("e2e4", "e7e5"))),
        (
            "position startpos e2e4 moves d2d4",
            SetPosition(None, ("d2d4",), ("position: not understood: e2e4",)),
        ),
        (
            "position fen 8/8/8/8/8/8/8/8 w - - moves a1a2",
            SetPosition("8/8/8/8/8/8/8/8 w - -", ("a1a2",)),
        ),
        ("POSITION StartPos MOVES E7E8Q", SetPosition(None, ("E7E8Q",))),
        (
            "go wtime -50 btime 0 winc",
            Go({"wtime": -50, "btime": 0, "winc": None}, problems=("go: no number after winc",)),
        ),
        (
            "go depth x nodes 7",
            Go({"depth": None, "nodes": 7}, problems=("go: no number after depth",)),
        ),
        ("go depth depth 5", Go({"depth": 5}, problems=("go: no number after depth",))),
        ("go searchmoves e2e4 d2d4 movetime 9", Go({"movetime": 9}, searchmoves=("e2e4", "d2d4"))),
        ("go searchmoves", Go()),
        ("go dpeth 5 nodes 7 now", Go({"nodes": 7}, problems=("go: not understood: dpeth 5 now",))),
        ("go nodes " + "9" * 400, Go({"nodes": 1 << 62})),
        ("go perft 4", Perft(4)),
        ("go perft", Perft(None)),
        ("bench", Bench(Conditions())),
        ("bench 5", Bench(Conditions(limit=5))),
        ("bench 16 1 13 default depth", Bench(Conditions(limit=13))),
        ("bench 16 1 13", Bench(Conditions(limit=13))),
        ("bench 16 1", Bench(Conditions())),
        ("bench 64 2 9000 book.epd NODES", Bench(Conditions(64, 2, 9000, "book.epd", "nodes"))),
        ("bench 1 1 5 default movetime", Bench(Conditions(1, 1, 5, "default", "movetime"))),
        ("bench 1 1 5 default perft", Bench(Conditions(1, 1, 5, "default", "perft"))),
    ],
)
def test_parse(line, command):
    assert parse(line) == command


@pytest.mark.parametrize(
    ("moves", "named"),
    [
        ("Nf3", "Nf3"),
        ("e2e4 e7e5 Bxb5+", "Bxb5+"),
        ("O-O", "O-O"),
        ("a7a8q e8=Q", "e8=Q"),
        ("e2e4 0000 A7A8Q", None),
        ("e2e5 rubbish e4", None),  # the first that is unknown is no SAN
        ("", None),
    ],
)
def test_moves_in_san_are_answered_with_a_hint(moves, named):
    found = parse(f"position startpos moves {moves}").problems
    if named is None:
        assert found == ()
    else:
        (problem,) = found
        assert problem.endswith(f"not as {named}")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("0", "depth is a number from 1 to 64, not '0'"),
        ("many", "not 'many'"),
        ("16 0", "threads is a number from 1"),
        ("²6 1", "megabytes is a number from 1"),
        ("16 1 33 default perft", "perft is a number from 1 to 32"),
        ("16 1 6 default score", "depth, nodes, movetime, perft, not 'score'"),
        ("16 1 6 default depth 7", "bench takes"),
        ("16 1 " + "9" * 5000, "depth is a number"),
    ],
)
def test_words_that_no_bench_has_are_refused(words, problem):
    assert problem in parse(f"bench {words}").problems[0]


def test_help_fits_a_terminal():
    assert max(map(len, HELP.splitlines())) <= 80


@pytest.mark.parametrize(
    "word",
    ["a ", "setoption name x ", "go depth ", "go depth 1 ", "position moves ", "debug name "],
)
def test_a_megabyte_of_words_is_read_at_once(word):
    parse(word * (1_000_000 // len(word)))
    parse(word + " " * 1_000_000 + word)


@pytest.mark.parametrize(
    ("words", "limits"),
    [
        ("", Limits()),
        ("infinite wtime 100", Limits(infinite=True)),
        ("ponder wtime 100 btime 100", Limits(clock=ClockTimes(100, 100), ponder=True)),
        ("ponder movetime x", Limits(ponder=True, movetime=SHORT_SEARCH)),
        ("ponder infinite wtime 9", Limits(infinite=True)),
        ("depth 7 nodes 8 movetime 9 mate 2", Limits(depth=7, nodes=8, movetime=9, mate=2)),
        ("depth 0", Limits(depth=1)),
        ("nodes -3", Limits(nodes=1)),
        ("wtime -50 btime 20 winc 3 binc -1", Limits(clock=ClockTimes(-50, 20, 3, 0))),
        ("wtime 70", Limits(clock=ClockTimes(70, 70))),
        ("btime 70 movestogo 5", Limits(clock=ClockTimes(70, 70, moves_to_go=5))),
        ("wtime 9 btime 8 movestogo 0", Limits(clock=ClockTimes(9, 8))),
        ("movetime", Limits(movetime=SHORT_SEARCH)),
        ("wtime winc x", Limits(movetime=SHORT_SEARCH)),
        ("wtime btime 500", Limits(clock=ClockTimes(500, 500))),
        ("winc 10 binc 10", Limits(movetime=SHORT_SEARCH)),
        ("movestogo 5 nodes 9", Limits(nodes=9)),
        ("winc 10 ponder", Limits(ponder=True, movetime=SHORT_SEARCH)),
        ("depth infinite", Limits(infinite=True)),
    ],
)
def test_limits(words, limits):
    assert limits_of(parse(f"go {words}")) == limits

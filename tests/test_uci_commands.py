"""Text to commands: pure, tolerant, without an engine."""

import pytest

from zobra.uci.commands import Count, Go, SetOption, SetPosition, Simple, parse


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("uci", Simple("uci")),
        ("  \t isready \t", Simple("isready")),
        ("joho debug on", Simple("debug on")),
        ("debug off", Simple("debug off")),
        ("", None),
        ("# stop", None),
        ("nonsense of all sorts", None),
        ("setoption name Hash value 64", SetOption("Hash", "64")),
        ("setoption name  Move   Overhead   value 20 ", SetOption("Move Overhead", "20")),
        ("SETOPTION NAME Clear Hash", SetOption("Clear Hash", None)),
        ("setoption name BookFile value C:\\my books\\a value.bin", SetOption("BookFile", "C:\\my books\\a value.bin")),
        ("setoption name Hash value", SetOption("Hash", None)),
        ("setoption", None),
        ("setoption value 3", None),
        ("position startpos", SetPosition(None, ())),
        ("position startpos moves", SetPosition(None, ())),
        ("position startpos moves e2e4 e7e5", SetPosition(None, ("e2e4", "e7e5"))),
        ("position fen 8/8/8/8/8/8/8/8 w - - moves a1a2", SetPosition("8/8/8/8/8/8/8/8 w - -", ("a1a2",))),
        ("go", Go()),
        ("go infinite", Go(infinite=True)),
        ("go ponder wtime 5 btime 6", Go({"wtime": 5, "btime": 6}, ponder=True)),
        ("go wtime -50 btime 0 winc", Go({"wtime": -50, "btime": 0}, ("winc",))),
        ("go depth x nodes 7", Go({"nodes": 7}, ("depth",))),
        ("go depth depth 5", Go({"depth": 5}, ("depth",))),
        ("go searchmoves e2e4 d2d4 movetime 9", Go({"movetime": 9}, searchmoves=("e2e4", "d2d4"))),
        ("go searchmoves", Go()),
        ("go dpeth 5 nodes 7 now", Go({"nodes": 7}, unknown=("dpeth", "5", "now"))),
        ("position startpos e2e4 moves d2d4", SetPosition(None, ("d2d4",), ("e2e4",))),
        ("go perft 4", Count("perft", 4)),
        ("go perft", Count("perft", None)),
        ("position", SetPosition("", ())),
        ("POSITION StartPos MOVES E7E8Q", SetPosition(None, ("E7E8Q",))),
        ("setoption name BookFile value a  b", SetOption("BookFile", "a  b")),
        ("setoption name X value 3 value 4", SetOption("X", "3 value 4")),
        ("setoption name value 3", None),
        ("bench", Count("bench", None)),
        ("bench 5", Count("bench", 5)),
    ],
)
def test_parse(line, command):
    assert parse(line) == command


def test_numbers_beyond_all_measure_are_cut():
    assert parse("go nodes " + "9" * 400) == Go({"nodes": 1 << 62})


@pytest.mark.parametrize("word", ["a ", "setoption name x ", "go depth ", "position moves ", "debug name value "])
def test_a_megabyte_of_words_is_read_at_once(word):
    parse(word * (1_000_000 // len(word)))
    parse(word + " " * 1_000_000 + word)

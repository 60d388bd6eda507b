"""Thousands of damaged lines, idle and searching: the engine lives, answers, and owes nobody a
bestmove.

The lines of a corpus with every command and option are damaged at random. The engine runs in an
empty folder, the only place where a line that names a log file may put it.
"""

import random
import time

import pytest

from tests.support.prober import Prober
from zobra.uci.commands import Command, Count, Go, SetOption, Simple, parse
from zobra.uci.console import Console
from zobra.uci.options import OPTIONS

COMMANDS = (
    "uci; isready; ucinewgame; stop; ponderhit; debug on; debug off; register later; d; eval; "
    "flip; compiler; help; # comment; "
    "xboard; position startpos; position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6; "
    "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 moves "
    "e1g1 e8c8; "
    "position fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9; "
    "position fen rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3; "
    "go infinite; go ponder wtime 30 btime 30; go depth 2 ponder; go nodes 500 mate 2 movetime 20; "
    "go wtime 20 btime 20 winc 1 binc 1 movestogo 2; go depth 3 searchmoves e2e4 d2d4; go perft "
    "2; zobra go depth 2; "
    "bench; speedtest; quit"
)
VALUES = {
    "check": ("true", "false"),
    "button": ("",),
    "string": ("no/such/file", "log.txt", "<empty>"),
}
TEMPLATES = COMMANDS.encode().split(b"; ") + [
    f"setoption name {option.name} value {value}".encode()
    for option in OPTIONS
    for value in VALUES.get(option.kind, (option.default, str(option.low), str(option.low + 3)))
]
ENDS = [b"\n", b"\r\n", b"\r", b"\n\r", b"\r\r\n", b"\n\n"]
LOOSE_BYTES = [
    b"\t",
    b"  ",
    b"-",
    b"999999999999",
    b"\x00",
    b"\xff\xfe",
    "ü".encode(),
    b"\xc3",
    b"\x1b[2J",
    b"\x0b\x0c",
]
MEGABYTE = 1 << 20
OVERSIZED = (  # lines of words, of one word, of moves, and of bytes of any kind
    b"position startpos moves " + b"e2e4 " * (MEGABYTE // 5),
    b"setoption name " + b"x" * MEGABYTE,
    b"position startpos moves " + b"g1f3 g8f6 f3g1 f6g8 " * 1_000,
    b"?" + random.Random(3).randbytes(MEGABYTE).translate(None, b"\r\n"),
)
FOLLOWS_PATHS = ("debug log file", "syzygypath", "bookfile", "evalfile")


def damaged(source: random.Random) -> bytes:
    """A template with a few bytes or words altered, doubled, swapped or lost."""
    line = bytearray(source.choice(TEMPLATES))
    for _ in range(source.choice([0, 0, 1, 1, 2, 4])):
        place = source.randrange(len(line) + 1)
        kind = source.randrange(5)
        if kind == 0:
            line[place:place] = source.randbytes(source.randrange(4))
        elif kind == 1:
            del line[place : place + source.randrange(6)]
        elif kind == 2:
            line[place:place] = source.choice(LOOSE_BYTES)
        elif kind == 3:
            words = line.split()
            source.shuffle(words)
            line = bytearray(b" ".join(words))
        else:
            line += b" " + source.choice(TEMPLATES)
    return bytes(line)


def commands(data: bytes) -> list[Command | None]:
    """The commands in lines."""
    return [parse(text) for text in Console(iter([data, b""]).__next__).lines()]


def is_harmless(command: Command | None) -> bool:
    """It does not end the conversation, keep this machine busy or full, or name a file outside the
    folder.
    """
    if isinstance(command, Count):
        return command.kind == "perft" and (command.depth or 0) <= 3
    if not isinstance(command, SetOption):
        return command != Simple("quit")
    name, value = command.name.lower(), command.value or ""
    if name in FOLLOWS_PATHS and (
        "/" in value.replace("no/such", "") or ".." in value or "\\" in value
    ):
        return False
    try:
        return int(value) <= {"hash": 16, "threads": 4}.get(name, int(value))
    except ValueError:
        return True


def volley(source: random.Random) -> bytes:
    """Fifty lines, most of them damaged."""
    data = b""
    while data.count(b"\n") + data.count(b"\r") < 50:
        line = source.choice(OVERSIZED) if source.random() < 0.0005 else damaged(source)
        line += source.choice(ENDS)
        data += line if all(map(is_harmless, commands(line))) else b""
    return data


@pytest.mark.parametrize(
    "lines", [1_000, pytest.param(100_000, marks=[pytest.mark.slow, pytest.mark.timeout(7_200)])]
)
def test_damaged_lines(tmp_path, lines):
    """Each search is owed exactly one bestmove, each isready one readyok; in the end the engine
    plays and leaves in silence.
    """
    source, slowest = random.Random(lines), 0.0
    with Prober(folder=tmp_path) as prober:
        prober.ask("uci", answer="uciok")
        prober.settle()
        for number in range(1, lines // 50 + 1):
            data, began = volley(source), time.monotonic()
            prober.send_bytes(data + b"\n")
            # No damaged line asks for that
            mark = f"info string option Move Overhead set to 0, not to -{number}"
            said = prober.ask(
                "position startpos", f"setoption name Move Overhead value -{number}", answer=mark
            )
            slowest, asked = max(slowest, time.monotonic() - began), commands(data)
            given = [
                sum(line.startswith(answer) for line in said) for answer in ("bestmove", "readyok")
            ]
            wanted = [
                sum(isinstance(command, Go) for command in asked),
                asked.count(Simple("isready")),
            ]
            assert given == wanted, data[:10_000]
        assert prober.ask("go depth 3", answer="bestmove")[-1] != "bestmove (none)"
        prober.send("quit")
        assert prober.wait() == 0 and prober.process.stderr.read() == b""
    print(f"slowest fifty lines: {slowest:.2f} s")

"""Thousands of damaged lines, idle and searching: the engine lives, answers, and owes nobody a bestmove.

The lines of a corpus with every command and option are damaged at random. The engine runs in an empty folder, the only place
where a line that names a log file may put it.
"""

import random
import time
from pathlib import Path

import pytest

from tests.prober import Prober
from zobra.uci.commands import Command, Count, Go, SetOption, Simple, parse
from zobra.uci.console import Console
from zobra.uci.options import OPTIONS

COMMANDS = (
    "uci; isready; ucinewgame; stop; ponderhit; debug on; debug off; register later; d; eval; flip; compiler; help; # comment; "
    "xboard; position startpos; position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6; "
    "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 moves e1g1 e8c8; "
    "position fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9; "
    "position fen rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3; "
    "go infinite; go ponder wtime 30 btime 30; go depth 2 ponder; go nodes 500 mate 2 movetime 20; "
    "go wtime 20 btime 20 winc 1 binc 1 movestogo 2; go depth 3 searchmoves e2e4 d2d4; go perft 2; zobra go depth 2; "
    "bench; speedtest; quit"
)
VALUES = {"check": ("true", "false"), "button": ("",), "string": ("no/such/file", "log.txt", "<empty>")}
TEMPLATES = COMMANDS.encode().split(b"; ") + [
    f"setoption name {option.name} value {value}".encode()
    for option in OPTIONS
    for value in VALUES.get(option.kind, (option.default, str(option.low), str(option.low + 3)))
]
ENDS = [b"\n", b"\r\n", b"\r", b"\n\r", b"\r\r\n", b"\n\n"]
LOOSE_BYTES = [b"\t", b"  ", b"-", b"999999999999", b"\x00", b"\xff\xfe", "ü".encode(), b"\xc3", b"\x1b[2J", b"\x0b\x0c"]
MEGABYTE = 1 << 20
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


def oversized(source: random.Random) -> bytes:
    """A line of a megabyte: words, one word, moves, or bytes of any kind."""
    lines = (
        b"position startpos moves " + b"e2e4 " * (MEGABYTE // 5),
        b"setoption name " + b"x" * MEGABYTE,
        b"position startpos moves " + b"g1f3 g8f6 f3g1 f6g8 " * 1_000,
        b"?" + source.randbytes(MEGABYTE).translate(None, b"\r\n"),
    )
    return source.choice(lines)


def commands(data: bytes) -> list[Command | None]:
    """The commands in lines."""
    return [parse(text) for text in Console(iter([data, b""]).__next__).lines()]


def is_harmless(command: Command | None) -> bool:
    """It does not end the conversation, keep this machine busy or full, or name a file outside the folder."""
    if isinstance(command, Count):
        return command.kind == "perft" and (command.depth or 0) <= 3
    if not isinstance(command, SetOption):
        return command != Simple("quit")
    name, value = command.name.lower(), command.value or ""
    if name in FOLLOWS_PATHS and ("/" in value.replace("no/such", "") or ".." in value or "\\" in value):
        return False
    try:
        return int(value) <= {"hash": 16, "threads": 4}.get(name, int(value))
    except ValueError:
        return True


class Target:
    """An engine under fire; it is asked after each volley whether it is still there, and how long that took."""

    def __init__(self, folder: Path) -> None:
        self.prober = Prober(folder=folder)
        self.volleys, self.slowest = 0, 0.0
        self.prober.ask("uci", answer="uciok")
        self.prober.settle()

    def fire(self, data: bytes) -> None:
        """Send lines; each search that they began is owed exactly one bestmove, each isready one readyok."""
        asked, began = commands(data), time.monotonic()
        self.volleys += 1
        self.prober.send_bytes(data + b"\n")
        mark = f"info string option Move Overhead set to 0, not to -{self.volleys}"  # no damaged line asks for that
        end = ("position startpos", f"setoption name Move Overhead value -{self.volleys}")
        lines = self.prober.ask(*end, answer=mark)
        self.slowest = max(self.slowest, time.monotonic() - began)
        given = [sum(line.startswith(answer) for line in lines) for answer in ("bestmove", "readyok")]
        wanted = [sum(isinstance(command, Go) for command in asked), asked.count(Simple("isready"))]
        assert given == wanted, data[:10_000]

    def end(self) -> None:
        """The engine still plays, and leaves as it should, without a word of complaint."""
        assert self.prober.ask("go depth 3", answer="bestmove")[-1] != "bestmove (none)"
        self.prober.send("quit")
        assert self.prober.wait() == 0 and self.prober.process.stderr.read() == b""


def fuzz(lines: int, seed: int, folder: Path) -> float:
    """Fire so many damaged lines; seconds that the slowest volley of fifty took, with all its searches."""
    source = random.Random(seed)
    target = Target(folder)
    with target.prober:
        for _ in range(0, lines, 50):
            data = b""
            while data.count(b"\n") + data.count(b"\r") < 50:
                line = oversized(source) if source.random() < 0.0005 else damaged(source)
                line += source.choice(ENDS)
                data += line if all(map(is_harmless, commands(line))) else b""
            target.fire(data)
        target.end()
    return target.slowest


def test_damaged_lines(tmp_path):
    fuzz(1_000, 1, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(7_200)
def test_a_hundred_thousand_damaged_lines(tmp_path):
    """pytest -m slow -s tests/test_uci_fuzz.py"""
    print(f"slowest fifty lines: {fuzz(100_000, 2, tmp_path):.2f} s")

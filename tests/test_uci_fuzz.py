"""Thousands of damaged lines, idle and searching: the engine lives, answers, and owes nobody a bestmove."""

import random

import pytest

from tests.prober import Prober
from zobra.uci.commands import Bench, Go, Perft, SetOption, Simple, parse
from zobra.uci.input import decode, read_lines
from zobra.uci.options import find

TEMPLATES = [
    b"uci",
    b"isready",
    b"ucinewgame",
    b"stop",
    b"ponderhit",
    b"debug on",
    b"debug off",
    b"register later",
    b"d",
    b"eval",
    b"flip",
    b"compiler",
    b"# a comment",
    b"xboard",
    b"position startpos",
    b"position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
    b"position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 moves e1g1 e8c8",
    b"position fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    b"position fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    b"position fen rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
    b"go",
    b"go infinite",
    b"go ponder",
    b"go depth 2",
    b"go nodes 100",
    b"go movetime 5",
    b"go mate 1 depth 3",
    b"go wtime 20 btime 20 winc 1 binc 1 movestogo 2",
    b"go depth 3 searchmoves e2e4 d2d4",
    b"go perft 2",
    b"setoption name Hash value 4",
    b"setoption name Threads value 1",
    b"setoption name Move Overhead value 30",
    b"setoption name Clear Hash",
    b"setoption name UCI_Chess960 value true",
    b"setoption name UCI_Chess960 value false",
    b"setoption name Skill Level value 3",
]
ENDS = [b"\n", b"\r\n", b"\r"]


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
            line[place:place] = source.choice([b"\t", b"  ", b"-", b"999999999999", b"\x00", b"\xff\xfe", "ü".encode()])
        elif kind == 3:
            words = line.split()
            source.shuffle(words)
            line = bytearray(b" ".join(words))
        else:
            line += b" " + source.choice(TEMPLATES)
    return bytes(line)


def is_harmless(data: bytes) -> bool:
    """No command in it ends the conversation, or keeps this machine busy or full."""
    for text in read_lines(iter([data, b""]).__next__):
        command = parse(text)
        if command == Simple("quit") or isinstance(command, Bench):
            return False
        if isinstance(command, Perft) and (command.depth or 0) > 3:
            return False
        if isinstance(command, SetOption) and "hash" in command.name.lower().split():
            try:
                if int(find(command.name).read(command.value)[0] or 1) > 16:
                    return False
            except ValueError:
                pass
    return True


def searches(data: bytes) -> int:
    return sum(isinstance(parse(text), Go) for text in read_lines(iter([data, b""]).__next__))


def fuzz(lines: int, seed: int) -> None:
    source = random.Random(seed)
    with Prober() as prober:
        prober.ask("uci", answer="uciok")
        prober.settle()
        started = finished = 0
        for number in range(0, lines, 50):
            data = b""
            while data.count(b"\n") + data.count(b"\r") < 50:
                line = damaged(source) + source.choice(ENDS)
                data += line if is_harmless(line) else b""
            prober.send_bytes(data)
            started += searches(data)
            prober.send_bytes(b"position startpos\n")
            finished += sum(line.startswith("bestmove") for line in synchronise(prober, number))
            assert finished == started, decode(data)
        assert prober.ask("go depth 3", answer="bestmove")[-1] != "bestmove (none)"
        prober.send("quit")
        assert prober.wait() == 0
        assert prober.process.stderr.read() == b""


def synchronise(prober: Prober, number: int) -> list[str]:
    """Everything up to the answer to a request that no damaged line can have made."""
    mark = f"info string option Move Overhead set to 0, not to -{number + 1}"
    return prober.ask(f"setoption name Move Overhead value -{number + 1}", answer=mark)


def test_damaged_lines():
    fuzz(1_000, seed=1)


@pytest.mark.slow
def test_a_hundred_thousand_damaged_lines():
    fuzz(100_000, seed=2)

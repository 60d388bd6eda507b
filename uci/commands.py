"""Text to values: one line of UCI becomes one frozen command. Pure; knows no engine.

The protocol asks for tolerance: any white space between tokens, unknown words skipped and the rest of the line read, a missing
value as if its word had not been there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Simple:
    """A command without arguments: uci, isready, ucinewgame, stop, ponderhit, quit, d, eval, flip, compiler, help."""

    name: str


@dataclass(frozen=True)
class Debug:
    """`debug on` or `debug off`."""

    on: bool


@dataclass(frozen=True)
class SetOption:
    """`setoption name … [value …]`; the value is None where none was given."""

    name: str
    value: str | None


@dataclass(frozen=True)
class SetPosition:
    """`position`: a FEN, or None for the start, and moves in UCI notation."""

    fen: str | None
    moves: tuple[str, ...]


@dataclass(frozen=True)
class Go:
    """`go` with what the line said; numbers are None where absent or unreadable."""

    numbers: dict[str, int] = field(default_factory=dict)
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()


@dataclass(frozen=True)
class Perft:
    """`go perft N` or `perft N`."""

    depth: int


@dataclass(frozen=True)
class Bench:
    """`bench [DEPTH]`."""

    depth: int | None


Command = Simple | Debug | SetOption | SetPosition | Go | Perft | Bench

SIMPLE = ("uci", "isready", "ucinewgame", "stop", "ponderhit", "quit", "d", "eval", "flip", "compiler", "register")
NUMBERS = ("wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime", "perft")
GO_WORDS = (*NUMBERS, "infinite", "ponder", "searchmoves")
LARGEST = 1 << 62


def parse(line: str) -> Command | None:
    """The command in a line, None if there is none; a comment begins with #."""
    words = line.split()
    if words and words[0].startswith("#"):
        return None
    for index, word in enumerate(words):
        rest = words[index + 1 :]
        name = word.lower()
        if name in SIMPLE:
            return Simple(name)
        if name == "debug":
            return Debug(not rest or rest[0].lower() != "off")
        if name == "setoption":
            return _parse_option(line[line.lower().index("setoption") + len("setoption") :])
        if name == "position":
            return _parse_position(rest)
        if name == "go":
            return _parse_go(rest)
        if name in ("perft", "bench"):
            depth = _number(rest[0]) if rest else None
            if name == "bench":
                return Bench(depth)
            return Perft(depth) if depth is not None else None
    return None


def _number(word: str) -> int | None:
    try:
        return max(-LARGEST, min(int(word), LARGEST))
    except ValueError:
        return None


OPTION = re.compile(r"\bname\s+(?P<name>.+?)(\s+value(\s+(?P<value>.*))?)?\s*$", re.IGNORECASE | re.DOTALL)


def _parse_option(rest: str) -> SetOption | None:
    """Names may hold spaces and come in any case; a value is the rest of the line."""
    found = OPTION.search(rest)
    if found is None:
        return None
    return SetOption(" ".join(found["name"].split()), (found["value"] or "").strip() or None)


def _parse_position(words: list[str]) -> SetPosition | None:
    lowered = [word.lower() for word in words]
    end = lowered.index("moves") if "moves" in lowered else len(words)
    moves = tuple(words[end + 1 :])
    if "fen" in lowered[:end]:
        return SetPosition(" ".join(words[lowered.index("fen") + 1 : end]), moves)
    if "startpos" in lowered[:end]:
        return SetPosition(None, moves)
    return SetPosition(" ".join(words[:end]), moves)


def _parse_go(words: list[str]) -> Command:
    numbers: dict[str, int] = {}
    flags: set[str] = set()
    moves: list[str] = []
    index = 0
    while index < len(words):
        word = words[index].lower()
        index += 1
        if word in NUMBERS and index < len(words) and (number := _number(words[index])) is not None:
            numbers[word] = number
            index += 1
        elif word in ("infinite", "ponder"):
            flags.add(word)
        elif word == "searchmoves":
            while index < len(words) and words[index].lower() not in GO_WORDS:
                moves.append(words[index])
                index += 1
    if "perft" in numbers:
        return Perft(numbers["perft"])
    return Go(numbers, "infinite" in flags, "ponder" in flags, tuple(moves))

"""Text to values: one line of UCI becomes one frozen command. Pure; knows no engine.

The protocol asks for tolerance: any white space between tokens, unknown words skipped and the rest of the line read, a missing
value as if its word had not been there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Simple:
    """A command without arguments: see SIMPLE; also `debug on` and `debug off`."""

    name: str


@dataclass(frozen=True)
class SetOption:
    """`setoption name … [value …]`; the value is None where none was given."""

    name: str
    value: str | None


@dataclass(frozen=True)
class SetPosition:
    """`position`: a FEN, or None for the start, and moves in UCI notation; `unknown` are words that are neither."""

    fen: str | None
    moves: tuple[str, ...]
    unknown: tuple[str, ...] = ()

    def problems(self) -> list[str]:
        """What could not be read, in words."""
        return _not_understood("position", self.unknown)


@dataclass(frozen=True)
class Go:
    """`go` with what the line said; `unreadable` are the words that wanted a number and got none, `unknown` the rest."""

    numbers: dict[str, int] = field(default_factory=dict)
    unreadable: tuple[str, ...] = ()
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    def problems(self) -> list[str]:
        """What could not be read, in words."""
        missing = [f"go: no number after {word}" for word in self.unreadable]
        return missing + _not_understood("go", self.unknown)


@dataclass(frozen=True)
class Count:
    """`go perft N`, `perft N` or `bench [N]`: the kind is perft or bench, the depth None where it is missing."""

    kind: str
    depth: int | None


Command = Simple | SetOption | SetPosition | Go | Count

SIMPLE = ("uci", "isready", "ucinewgame", "stop", "ponderhit", "quit", "d", "eval", "flip", "compiler", "register", "help")
HELP = """\
uci                                identify the engine and list its options
isready                            answer readyok when all earlier commands are done
setoption name NAME value VALUE    set an option
ucinewgame                         forget the last game
position startpos|fen FEN [moves MOVE …]
go [depth N] [nodes N] [movetime MS] [wtime MS btime MS winc MS binc MS movestogo N]
   [mate N] [infinite] [ponder] [searchmoves MOVE …]
stop, ponderhit                    end a search; begin its clock after go ponder
go perft N, bench [N]              count the leaves N plies deep; search fixed positions
d, eval, flip                      show the position, show its evaluation, exchange its colours
debug on|off                       print what was understood, or do not
compiler, help, quit               print versions; print this; leave"""
NUMBERS = ("wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime", "perft")
GO_WORDS = (*NUMBERS, "infinite", "ponder", "searchmoves")
LARGEST = 1 << 62


def _not_understood(command: str, words: tuple[str, ...]) -> list[str]:
    return [f"{command}: not understood: {' '.join(words)}"] if words else []


def parse(line: str) -> Command | None:
    """The command in a line, None if there is none; a comment begins with #."""
    words = line.split()
    if words and words[0].startswith("#"):
        return None
    for index, word in enumerate(words):
        name = word.lower()
        if name in SIMPLE:
            return Simple(name)
        if name == "setoption":
            return _parse_option(line, words, index + 1)
        if name in ARGUMENTS:
            return ARGUMENTS[name](words[index + 1 :])
    return None


def _number(word: str) -> int | None:
    try:
        return max(-LARGEST, min(int(word), LARGEST))
    except ValueError:
        return None


def _first_number(words: list[str]) -> int | None:
    return _number(words[0]) if words else None


def _parse_debug(words: list[str]) -> Simple:
    return Simple("debug off" if words and words[0].lower() == "off" else "debug on")


def _parse_option(line: str, words: list[str], start: int) -> SetOption | None:
    """Names may hold spaces and come in any case; a value is the rest of the line, spaces and all."""
    lowered = [word.lower() for word in words[start:]]
    if "name" not in lowered:
        return None
    first = start + lowered.index("name") + 1
    end = start + lowered.index("value", first - start) if "value" in lowered[first - start :] else len(words)
    if first == end:
        return None
    value = line.split(None, end + 1)[end + 1 :]
    return SetOption(" ".join(words[first:end]), value[0].rstrip() if value else None)


def _parse_position(words: list[str]) -> SetPosition:
    lowered = [word.lower() for word in words]
    end = lowered.index("moves") if "moves" in lowered else len(words)
    moves = tuple(words[end + 1 :])
    if "fen" in lowered[:end]:
        return SetPosition(" ".join(words[lowered.index("fen") + 1 : end]), moves)
    if "startpos" in lowered[:end]:
        unknown = words[:end]
        del unknown[lowered.index("startpos")]
        return SetPosition(None, moves, tuple(unknown))
    return SetPosition(" ".join(words[:end]), moves)


def _parse_go(words: list[str]) -> Command:
    numbers: dict[str, int] = {}
    unreadable: list[str] = []
    unknown: list[str] = []
    flags: set[str] = set()
    moves: list[str] = []
    index = 0
    while index < len(words):
        word = words[index].lower()
        index += 1
        if word in NUMBERS:
            is_last = index == len(words) or words[index].lower() in GO_WORDS
            if is_last or (number := _number(words[index])) is None:
                unreadable.append(word)
            else:
                numbers[word] = number
            index += not is_last
        elif word in ("infinite", "ponder"):
            flags.add(word)
        elif word == "searchmoves":
            while index < len(words) and words[index].lower() not in GO_WORDS:
                moves.append(words[index])
                index += 1
        else:
            unknown.append(words[index - 1])
    if "perft" in numbers or "perft" in unreadable:
        return Count("perft", numbers.get("perft"))
    return Go(numbers, tuple(unreadable), "infinite" in flags, "ponder" in flags, tuple(moves), tuple(unknown))


ARGUMENTS: dict[str, Callable[[list[str]], Command]] = {
    "debug": _parse_debug,
    "position": _parse_position,
    "go": _parse_go,
    "perft": lambda words: Count("perft", _first_number(words)),
    "bench": lambda words: Count("bench", _first_number(words)),
}

"""The parser: it converts one line of UCI to a frozen command, and the words of `go` to limits.

The protocol demands tolerance: any white space between tokens is accepted, unknown words are
skipped, and a keyword without its value is ignored.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from zobra.search.bench_conditions import Conditions, read_conditions
from zobra.search.limits import ClockTimes, Limits


@dataclass(frozen=True)
class Simple:
    """A command without arguments (see SIMPLE); also `debug on` and `debug off`."""

    name: str


@dataclass(frozen=True)
class SetOption:
    """`setoption name … [value …]`; without a value it is None."""

    name: str
    value: str | None


@dataclass(frozen=True)
class SetPosition:
    """`position`: a FEN (None: the start position), and moves in UCI notation.

    `problems` has messages about what could not be read.
    """

    fen: str | None
    moves: tuple[str, ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Go:
    """`go` with its arguments.

    A keyword without a valid number has None; `problems` is as in SetPosition.
    """

    numbers: dict[str, int | None] = field(default_factory=dict)
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Perft:
    """`go perft N` or `perft N`; without N the depth is None."""

    depth: int | None


@dataclass(frozen=True)
class Bench:
    """`bench`; `problems` is as in SetPosition."""

    conditions: Conditions
    problems: tuple[str, ...] = ()


Command = Simple | SetOption | SetPosition | Go | Perft | Bench

SIMPLE = (
    "uci",
    "isready",
    "ucinewgame",
    "stop",
    "ponderhit",
    "quit",
    "d",
    "eval",
    "flip",
    "compiler",
    "register",
    "help",
)
HELP = """\
uci                              identify the engine and list its options
isready                          answer readyok; a search goes on meanwhile
setoption name NAME value VALUE  set an option
ucinewgame                       forget the last game
position startpos [moves …]      set up a position; moves are written as e2e4
position fen FEN [moves …]
go [depth N] [nodes N] [movetime MS] [mate N] [infinite] [ponder]
   [wtime MS btime MS winc MS binc MS movestogo N]
   [searchmoves MOVE …]
stop, ponderhit                  end a search; begin its clock after go ponder
go perft N                       count the leaves N plies deep
bench [N]                        search fixed positions N plies deep
bench MB THREADS [LIMIT [FILE|default [depth|nodes|movetime|perft]]]
d, eval, flip                    show the position; its value; exchange colours
debug on|off                     print what was understood and what a search did
compiler, help, quit             print versions; print this; leave"""
AT_LEAST_ONE = ("depth", "nodes", "movetime", "mate")
CLOCK_DETAILS = ("winc", "binc", "movestogo")  # of no use without wtime or btime
CLOCK = ("wtime", "btime", *CLOCK_DETAILS)  # in the order of ClockTimes
NUMBERS = (*AT_LEAST_ONE, *CLOCK, "perft")
GO_WORDS = (*NUMBERS, "infinite", "ponder", "searchmoves")
LARGEST = 1 << 62
SHORT_SEARCH = 50  # milliseconds: of a search whose limits are of no use
MOVE = re.compile("[a-h][1-8][a-h][1-8][nbrq]?|0000", re.IGNORECASE)
SAN = re.compile("([KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](=?[QRBN])?|[O0]-[O0](-[O0])?)[+#]?")


def parse(line: str) -> Command | None:
    """Return the command in a line, or None if there is none; a comment begins with #."""
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


def _number(words: list[str]) -> int | None:
    """Return the first word as a number, or None if it is not one."""
    try:
        return max(-LARGEST, min(int(words[0]), LARGEST))
    except (IndexError, ValueError):
        return None


def _parse_option(line: str, words: list[str], start: int) -> SetOption | None:
    """Return the option and value of a line, or None if it names no option.

    Names may contain spaces and are case-insensitive; a value is the rest of the line, with its
    spaces.
    """
    lowered = [word.lower() for word in words]
    if "name" not in lowered[start:]:
        return None
    first = lowered.index("name", start) + 1
    end = lowered.index("value", first) if "value" in lowered[first:] else len(words)
    if first == end:
        return None
    value = line.split(None, end + 1)[end + 1 :]
    return SetOption(" ".join(words[first:end]), value[0].rstrip() if value else None)


def _parse_position(words: list[str]) -> SetPosition:
    lowered = [word.lower() for word in words]
    end = lowered.index("moves") if "moves" in lowered else len(words)
    moves = tuple(words[end + 1 :])
    problems: list[str] = []
    fen: str | None
    if "fen" in lowered[:end]:
        fen = " ".join(words[lowered.index("fen") + 1 : end])
    elif "startpos" in lowered[:end]:
        fen = None
        start = lowered.index("startpos")
        unknown = words[:start] + words[start + 1 : end]
        if unknown:
            problems.append(f"position: not understood: {' '.join(unknown)}")
    else:
        fen = " ".join(words[:end])
    problems += _hints(moves)
    return SetPosition(fen, moves, tuple(problems))


def _hints(moves: Sequence[str]) -> list[str]:
    """Return a hint on move notation if the first move that UCI does not know is in SAN."""
    for move in moves:
        if MOVE.fullmatch(move):
            continue
        if SAN.fullmatch(move):
            return [f"position: UCI writes moves as e2e4, g1f3 or e7e8q, not as {move}"]
        break
    return []


def _parse_go(words: list[str]) -> Command:
    # Each word of the protocol, with the words that follow it
    groups: list[tuple[str, list[str]]] = [("", [])]
    for word in words:
        if word.lower() in GO_WORDS:
            groups.append((word.lower(), []))
        else:
            groups[-1][1].append(word)
    numbers: dict[str, int | None] = {}
    problems: list[str] = []
    moves: list[str] = []
    unknown: list[str] = []
    for name, values in groups:
        if name in NUMBERS:
            number = _number(values)
            if number is None:
                problems.append(f"go: no number after {name}")
                number = numbers.get(name)
            numbers[name] = number
            unknown += values[1:]
        elif name == "searchmoves":
            moves += values
        else:
            unknown += values

    if "perft" in numbers:
        return Perft(numbers["perft"])
    if unknown:
        problems.append(f"go: not understood: {' '.join(unknown)}")
    names = {name for name, _ in groups}
    return Go(numbers, "infinite" in names, "ponder" in names, tuple(moves), tuple(problems))


def _parse_bench(words: list[str]) -> Bench:
    try:
        return Bench(read_conditions(words))
    except ValueError as error:
        return Bench(Conditions(), (f"bench: {error}",))


ARGUMENTS: dict[str, Callable[[list[str]], Command]] = {
    "debug": lambda words: Simple(
        "debug off" if words and words[0].lower() == "off" else "debug on"
    ),
    "position": _parse_position,
    "go": _parse_go,
    "perft": lambda words: Perft(_number(words)),
    "bench": _parse_bench,
}


def limits_of(command: Go) -> Limits:
    """Return the limits of a `go`, without its searchmoves.

    Numbers below the smallest sensible one are raised to it, and clocks are passed on unchanged. If
    only one side's clock was sent, it stands for both. If none of the keywords sent limits the
    search, it takes 50 ms.
    """
    given = {name: number for name, number in command.numbers.items() if number is not None}
    numbers = {name: max(1, given[name]) for name in AT_LEAST_ONE if name in given}
    clock = None
    white = given.get("wtime", given.get("btime"))
    if white is not None and not command.infinite:
        black = given.get("btime", white)
        details = (max(0, given.get(word, 0)) for word in CLOCK_DETAILS)
        white_increment, black_increment, to_go = details
        clock = ClockTimes(white, black, white_increment, black_increment, to_go or None)
    if command.numbers and not (numbers or clock or command.infinite):
        numbers["movetime"] = SHORT_SEARCH
    ponder = command.ponder and not command.infinite
    return Limits(
        depth=numbers.get("depth"),
        nodes=numbers.get("nodes"),
        movetime=numbers.get("movetime"),
        mate=numbers.get("mate"),
        clock=clock,
        infinite=command.infinite,
        ponder=ponder,
    )


def limits_text(limits: Limits) -> str:
    """Return limits in the words of `go`, such as "depth 12 nodes 5000"."""
    words = []
    if limits.clock is not None:
        for name, value in zip(CLOCK, limits.clock, strict=True):
            if value is not None:
                words.append(f"{name} {value}")
    for name in AT_LEAST_ONE:
        value = getattr(limits, name)
        if value is not None:
            words.append(f"{name} {value}")
    if limits.infinite:
        words.append("infinite")
    if limits.ponder:
        words.append("ponder")
    return " ".join(words) or "no limit"

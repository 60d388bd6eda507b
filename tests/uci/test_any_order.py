"""Any commands in any order, whole or damaged: each `go` but `go perft` has one bestmove, each
`isready` one readyok, and both come in order.

Other engines deadlock when a command comes during a search, or answer twice. The engine runs in an
empty folder, the only place where a line that names a log file may put it.
"""

import tempfile
from contextlib import suppress

import chess
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from tests.support.prober import Prober
from zobra.search.options import OPTIONS
from zobra.uci.commands import Bench, Command, Go, Perft, SetOption, Simple, parse
from zobra.uci.console import Console

TIMEOUT = 60.0  # seconds
ENDLESS = ("go infinite", "go ponder wtime 1000 btime 1000", "go perft 9", "bench 60")
GOES = (
    "go nodes 100",
    "go depth 3 searchmoves e2e4 d2d4",
    "go movetime 1",
    "go wtime 20 btime 20 winc 1 binc 1 movestogo 2",
    "go nodes 500 mate 2 movetime 20",
    "go perft 2",
)
COMMANDS = """
    uci; ucinewgame; ponderhit; debug on; debug off; register later; d; eval; flip; compiler; help;
    # comment; xboard; position fen rubbish; position startpos moves d2d4;
    position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6;
    position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - moves e1g1 e8c8;
    position fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9;
    position fen rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3
"""
ODD_LINES = (
    "isready\nisready",
    "stop\nponderhit\nstop",
    "uci\x00 isready",
    "\N{NO-BREAK SPACE}isready",
    "\r\n\r\n\n\rdebug off",
    "setoption name \xff\xfe value \x00\xe9\x80",
    f"setoption name {'9' * 10_000}",
    f"setoption name Hash value {'9' * 10_000}",
)
ODD_OPTIONS = """
    setoption; setoption name; setoption value 3; setoption name value; setoption name Hash;
    setoption name value value value; setoption name Hash value; setoption name Hash value -1;
    setoption name Hash value abc; setoption name Hash value 2 3; setoption name clear hash;
    setoption name Hash value 1e3; setoption name Clear Hash value true;
    setoption name No Such Option value 7; setoption name UCI_Chess960 value maybe;
    setoption name UCI_Elo value 0; setoption name Threads value 0; setoption Name HASH Value 1;
    setoption name SyzygyPath value /no/such/folder; setoption name BookFile value /no/such.bin
"""
VALUES = {bool: ("true", "false"), str: ("no/such/file", "log.txt", "<empty>"), type(None): ("",)}
OPTION_LINES = [
    f"setoption name {option.name} value {value}"
    for option in OPTIONS
    for value in VALUES.get(type(option.default), (option.default, option.low, option.low + 3))
]
LISTED = [line.strip() for line in (COMMANDS + ";" + ODD_OPTIONS).split(";")]
WHOLE = [*GOES, *LISTED, *ODD_LINES, *OPTION_LINES]
PIECES = [
    "\t",
    "-",
    "999999999999",
    "\x00",
    "\xff\xfe",
    "\xfc",
    "\x1b[2J",
    "\x0b\x0c",
    "go",
    "moves",
]
DEFAULTS = ("MultiPV value 1", "Threads value 1", "Hash value 4", "UCI_LimitStrength value false")
NOT_QUEUED = {"uci", "isready", "d", "eval", "debug on", "debug off", "compiler", "help"}
FOLLOWS_PATHS = ("debug log file", "syzygypath", "bookfile", "evalfile")


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A line with pieces lost, put in or repeated, or two lines in one."""
    line = draw(st.sampled_from(WHOLE))
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(line)))
        piece = draw(st.sampled_from(["", *PIECES]) | st.sampled_from(WHOLE))
        line = line[:place] + piece + line[place + draw(st.integers(0, 5)) :]
    return line


def commands(text: str) -> list[Command | None]:
    """The commands in lines."""
    data = text.encode("latin-1", "replace")
    return [parse(line) for line in Console(iter([data, b""]).__next__).lines()]


def is_harmless(command: Command | None) -> bool:
    """It does not end the conversation, keep this machine busy or full, or name a file outside the
    folder.
    """
    if isinstance(command, Perft):
        return (command.depth or 0) <= 3
    if isinstance(command, Bench):
        return bool(command.problems)
    if not isinstance(command, SetOption):
        return command != Simple("quit")
    name = command.name.lower()
    value = command.value or ""
    if name in FOLLOWS_PATHS:
        inside = value.replace("no/such", "").replace("/no", "")
        return not any(text in inside for text in ("/", "..", "\\"))
    with suppress(ValueError):
        return int(value) <= {"hash": 16, "threads": 4}.get(name, int(value))
    return True


class Conversation(RuleBasedStateMachine):
    """Sends lines to one process, and counts what it owes."""

    engine: Prober | None = None
    is_settled = False  # did the last conversation end well?

    def __init__(self) -> None:
        super().__init__()
        if not Conversation.is_settled:
            close()
            Conversation.engine = Prober(folder=tempfile.mkdtemp())
        Conversation.is_settled = False
        self.prober = Conversation.engine
        self.said: list[str] = []
        self.goes = 0
        self.goes_before_mark: list[int] = []
        self.marks_before_ready: list[int] = []
        self.counts = False  # does a perft or bench run that does not end?
        self.waits = False  # does anything wait for its end?

    def send(self, text: str) -> None:
        """Send lines, and note what they are owed."""
        self.prober.send_bytes(text.encode("latin-1", "replace") + b"\n")
        for command in commands(text):
            if isinstance(command, Go):
                self.goes += 1
            elif command == Simple("isready"):
                self.marks_before_ready.append(len(self.goes_before_mark))
            elif command == Simple("stop"):
                self.counts = False
                self.waits = False
            if self.counts and command not in map(Simple, NOT_QUEUED):
                self.waits = True
            is_bench = isinstance(command, Bench) and not command.problems
            if is_bench or command == Perft(9):
                self.counts = True

    def read_answers(self) -> None:
        """Read until every `isready` is answered."""
        while self.said.count("readyok") < len(self.marks_before_ready):
            self.said += self.prober.expect("readyok", TIMEOUT)

    @rule(line=st.sampled_from(ENDLESS))
    def begin_what_does_not_end(self, line):
        self.send(line)

    @rule(line=st.sampled_from(WHOLE))
    def send_line(self, line):
        self.send(line)

    @rule(line=damaged())
    def send_damaged_line(self, line):
        if all(map(is_harmless, commands(line))):
            self.send(line)

    @rule()
    def stop(self):
        self.send("stop")

    @rule()
    def mark(self):
        """Send a position whose refusal shows when it takes effect."""
        self.goes_before_mark.append(self.goes)
        self.send(f"position startpos moves mark{len(self.goes_before_mark)}")
        self.send("position startpos")

    @rule()
    def is_ready(self):
        """The answer comes at once, unless something waits for a count that does not end."""
        self.send("isready")
        if not self.waits:
            self.read_answers()

    def teardown(self):
        """Stop, check the order of all answers, and play on."""
        self.send("stop")
        self.mark()
        self.send("isready")
        self.read_answers()
        bestmoves = 0
        readies = 0
        marks = 0
        for line in self.said:
            if line.startswith("bestmove"):
                bestmoves += 1
            elif line == "readyok":
                assert marks >= self.marks_before_ready[readies], f"readyok {readies + 1} is early"
                readies += 1
            elif line.startswith(f"info string error in move 1: 'mark{marks + 1}'"):
                assert bestmoves == self.goes_before_mark[marks], f"mark {marks + 1}"
                marks += 1
        assert marks == len(self.goes_before_mark)
        assert bestmoves == self.goes
        assert readies == len(self.marks_before_ready)
        for name in DEFAULTS:
            self.send(f"setoption name {name}")
        lines = self.prober.ask("position startpos", "go nodes 100", answer="bestmove")
        assert chess.Move.from_uci(lines[-1].split()[1]) in chess.Board().legal_moves
        assert not any(line.startswith("bestmove") for line in self.prober.settle())
        Conversation.is_settled = True


def close() -> None:
    """End the process, if there is one."""
    if Conversation.engine is not None:
        Conversation.engine.process.kill()
        Conversation.engine.process.wait()
        Conversation.engine = None


@pytest.fixture(scope="module", autouse=True)
def last_process():
    yield
    close()


def run(examples: int, **more: bool) -> None:
    """Have so many conversations, in one process as long as they end well."""
    run_state_machine_as_test(
        Conversation,
        settings=settings(
            max_examples=examples,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            **more,
        ),
    )


def test_conversations():
    run(40, derandomize=True)


@pytest.mark.slow
@pytest.mark.timeout(7_200)
def test_many_conversations():
    run(4_000)

"""From lines to the engine and back, with a search that the test controls."""

import sys
import threading
import time
from unittest.mock import MagicMock

import pytest

from tests.support.prober import best
from zobra.search import player
from zobra.search.limits import Progress, Report, Result
from zobra.search.skill import skill_from_elo, skill_from_level
from zobra.uci.commands import ARGUMENTS, SIMPLE, parse
from zobra.uci.console import Console
from zobra.uci.dispatcher import Dispatcher

E2E4 = 12 | 28 << 6 | 1 << 12
TIMEOUT = 30.0


def fake_searcher(*_, **__):
    """It answers e2e4, waits for stop when infinite, and fails on request."""
    stopped = threading.Event()
    searcher = MagicMock(
        nodes=1, skill=None, threads_remark="", failure=None, progress=Progress(0, 0, 0)
    )
    searcher.arm = lambda elapsed: stopped.clear()
    searcher.stop = stopped.set
    searcher.evaluate = lambda position: 17

    def search(game, limits, on_report=lambda report: None):
        if searcher.failure:
            raise searcher.failure
        assert not limits.infinite or stopped.wait(TIMEOUT)
        on_report(Report(1, 1, 20, 0, 5, 1, 0, (E2E4,)))
        return Result(E2E4, 0)

    def resize(megabytes):
        searcher.tt.megabytes = megabytes

    searcher.search = search
    searcher.resize.side_effect = resize
    return searcher


class Conversation:
    """A conversation whose lines are given one by one, and that keeps what it prints in `said`."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.dispatcher = Dispatcher(
            Console(write=lambda line: self.said.append(line.decode().rstrip("\n")))
        )
        self.engine = self.dispatcher.engine

    def send(self, *lines: str) -> list[str]:
        """Carry out lines to their end; what they print."""
        self.said.clear()
        self.begin(*lines)
        self.engine.wait()
        return list(self.said)

    def begin(self, *lines: str) -> None:
        """Give lines to the dispatcher."""
        for line in lines:
            command = parse(line)
            if command is None:
                self.dispatcher._reject(line)
            else:
                self.dispatcher.execute(command)

    def still_searches(self) -> bool:
        """Does the search go on, without a bestmove?"""
        time.sleep(0.1)
        return not best(self.said)


@pytest.fixture
def conversation(monkeypatch):
    monkeypatch.setattr(player, "Searcher", fake_searcher)
    made = Conversation()
    made.engine.load().wait()
    made.searcher = made.engine._player.searcher
    return made


DISTURBING = (
    "go depth 1",
    "position startpos moves e2e4",
    "setoption name Hash value 8",
    "ucinewgame",
    "flip",
    "go perft 1",
)


@pytest.mark.parametrize("line", [*DISTURBING, "bench 1"])
def test_what_disturbs_a_search_ends_it_first(conversation, line):
    conversation.begin("go infinite")
    assert conversation.still_searches()
    conversation.begin(line)
    conversation.engine.wait()
    assert conversation.said.index("bestmove e2e4") == 1, conversation.said


def test_a_search_that_fails_costs_itself_only(conversation):
    conversation.searcher.failure = ZeroDivisionError("oh")
    failed = conversation.send("go depth 3")
    assert "info string error in search: ZeroDivisionError: oh" in failed
    assert len(best(failed)) == 1 and best(failed)[0] != "bestmove (none)"
    conversation.searcher.failure = None
    assert best(conversation.send("go depth 3")) == ["bestmove e2e4"]


def test_options_reach_the_search(conversation):
    searcher = conversation.searcher
    lines = (
        "move OVERHEAD value 250",
        "hash value 64",
        "multipv value 7",
        "NodesTime value 600",
    )
    said = conversation.send(*(f"setoption name {line}" for line in lines), "go depth 1")
    assert len(said) == 2 and best(said)
    assert (searcher.time.overhead, searcher.multipv, searcher.time.node_time.rate) == (250, 7, 600)
    searcher.resize.assert_called_once_with(64)
    searcher.clear.reset_mock()
    conversation.send("setoption name Clear Hash")
    searcher.clear.assert_called_once_with()
    searcher.threads_remark = "8 threads are more than the 2 usable processors"
    assert conversation.send("setoption name Threads value 8") == [
        f"info string {searcher.threads_remark}"
    ]
    assert searcher.threads == 8
    searcher.resize.side_effect = MemoryError("a table of 2000 MB does not fit")
    assert conversation.send("setoption name Hash value 2000") == [
        "info string error: a table of 2000 MB does not fit"
    ]
    assert conversation.engine.options["Hash"] == 64


def test_debug_tells_what_was_understood(conversation):
    position, option = conversation.send(
        "debug on", "position startpos moves e2e4", "setoption name Hash value 2"
    )
    assert position.startswith("info string position rnbqkbnr/pppppppp/8/8/4P3")
    assert option == "info string option Hash is 2"


def test_searchmoves_that_are_illegal_are_named_and_dropped(conversation):
    said = conversation.send("go searchmoves e2e4 e2e5 e2e4 0000")
    assert "'e2e5'" in said[0] and "'0000'" in said[1] and best(said) == ["bestmove e2e4"]


def test_without_an_engine_the_conversation_still_answers(monkeypatch):
    monkeypatch.setitem(sys.modules, "zobra.search.player", None)
    conversation = Conversation()
    said = conversation.send("uci", "isready", "go depth 1", "d", "stop")
    assert "readyok" in said and best(said) == ["bestmove (none)"]
    assert sum("error: the engine could not be loaded" in line for line in said) == 4


PONDER = "go ponder wtime 100 btime 100"  # this search ends at once


@pytest.mark.parametrize(
    ("before", "go", "end", "move"),
    [
        ("position fen 8/8/8/8", "go infinite", "stop", "(none)"),
        ("position fen 8/8/8/8", "go ponder", "ponderhit", "(none)"),
        ("position startpos", PONDER, "ponderhit", "e2e4"),
        ("position startpos", PONDER, "stop", "e2e4"),
        ("ponderhit", "go infinite\nponderhit", "stop", "e2e4"),
    ],
)
def test_a_bestmove_waits_for_its_time(conversation, before, go, end, move):
    conversation.begin(before, *go.splitlines())
    assert conversation.still_searches()
    conversation.begin(end)
    conversation.engine.wait()
    assert best(conversation.said) == [f"bestmove {move}"] == conversation.said[-1:]


def test_a_command_that_fails_is_told(monkeypatch):
    said: list[str] = []
    chunks = iter([b"help\nisready\nquit\n", b""])
    dispatcher = Dispatcher(
        Console(lambda: next(chunks), lambda line: said.append(line.decode().rstrip("\n")))
    )
    monkeypatch.setattr("zobra.uci.dispatcher.HELP", None)
    dispatcher.run()
    assert said[0].startswith("info string error: AttributeError") and said[1:] == ["readyok"]


def test_strength_options_reach_the_search(conversation):
    def skill(*options):
        conversation.send(*(f"setoption name {option}" for option in options))
        return conversation.engine._player.skill()

    assert skill("UCI_Elo value 1400") is None
    assert skill("UCI_LimitStrength value true") == skill_from_elo(1400)
    assert skill("Skill Level value 3") == skill_from_elo(1400)
    assert skill("UCI_AnalyseMode value true") is None
    assert skill(
        "UCI_AnalyseMode value false", "UCI_LimitStrength value false"
    ) == skill_from_level(3)
    weak = skill_from_level(3)
    conversation.send("setoption name Natural Time value false")
    for line, used in (
        ("go depth 1", weak),
        ("go infinite\nstop", None),
        ("go nodes 9", weak),
        ("go mate 1 nodes 9", None),
    ):
        conversation.send(*line.splitlines())
        assert conversation.searcher.skill == used
    assert skill("Skill Level value 20") is None


@pytest.mark.parametrize("line", ["eval", "flip", "go perft 2"])
def test_what_asks_about_a_position_that_could_not_be_read_is_refused(conversation, line):
    conversation.send("position fen 8/8/8/8")
    assert conversation.send(line) == [
        "info string error: there is no position, since the last one could not be read"
    ]
    conversation.send("position startpos")
    assert not any("error" in text for text in conversation.send(line))


def test_words_that_mean_nothing_are_named(conversation):
    for line in ("setoption Hash value 64", "setoption"):
        assert conversation.send(line) == [f"info string not understood: {line}"]
    assert conversation.send("position startpos e2e4 e7e5") == [
        "info string position: not understood: e2e4 e7e5"
    ]
    said = conversation.send("go dpeth 1 depth")
    assert said[:2] == [
        "info string go: no number after depth",
        "info string go: not understood: dpeth 1",
    ]
    assert conversation.send("# setoption", "nonsense") == []


def test_a_person_is_helped():
    conversation = Conversation()
    conversation.dispatcher._interactive = True
    conversation.begin("hocus pocus", "# a comment", "", "setoption Hash 64", "help")
    *said, text = conversation.said
    assert said == [
        "unknown command 'hocus': help lists the commands",
        "info string not understood: setoption Hash 64",
    ]
    for word in (*SIMPLE, *ARGUMENTS, "setoption"):
        assert word in text or word == "register", word

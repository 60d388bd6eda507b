"""Session, its search thread, and the loop, with a search that the test controls."""

import sys
import threading
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from tests.support.prober import best
from zobra.search.limits import Progress, Report, Result
from zobra.search.skill import skill_from_elo, skill_from_level
from zobra.uci import session
from zobra.uci.commands import ARGUMENTS, SIMPLE, parse
from zobra.uci.console import Console
from zobra.uci.loop import Loop
from zobra.uci.session import Session

E2E4 = 12 | 28 << 6 | 1 << 12


def fake_searcher(*_, **__):
    """It answers e2e4, waits for stop when infinite, and fails on request."""
    stopped = threading.Event()
    searcher = MagicMock(
        nodes=1, skill=None, threads_remark="", failure=None, progress=Progress(0, 0, 0)
    )
    searcher.arm, searcher.stop, searcher.evaluate = stopped.clear, stopped.set, lambda position: 17

    def search(game, limits, on_report=lambda report: None):
        if searcher.failure:
            raise searcher.failure
        assert not limits.infinite or stopped.wait(30)
        on_report(Report(1, 1, 20, 0, 5, 1, 0, (E2E4,)))
        return Result(E2E4, 0)

    searcher.search = search
    return searcher


class Conversation(Loop):
    """A loop that has loaded a session, and keeps what it prints in `said`."""

    def __init__(self, said):
        super().__init__(
            Console(read=lambda: b"", write=lambda line: said.append(line.decode().rstrip("\n")))
        )
        self.said, self.made = said, Session(self._console)
        self.session, self._loaded = lambda: self.made, self.made
        self.searcher, self.searches = self.made.searcher, self.made.searches

    def send(self, *lines):
        """Carry out lines; what they and the end of their search print."""
        self.said.clear()
        for line in lines:
            self.obey(parse(line) or line)
        self.searches.finish()
        return list(self.said)

    def still_searches(self):
        """Does the search go on, without a bestmove?"""
        self.searches._thread.join(0.1)
        return self.searches._thread.is_alive() and not best(self.said)


@pytest.fixture
def said():
    """The lines that the console has printed."""
    return []


@pytest.fixture
def conversation(monkeypatch, said):
    monkeypatch.setattr(session, "Searcher", fake_searcher)
    return Conversation(said)


@pytest.fixture
def empty_loop(said):
    """A loop that has not loaded the engine."""
    return Loop(Console(write=lambda line: said.append(line.decode().rstrip("\n"))))


DISTURBING = (
    "go depth 1",
    "position startpos moves e2e4",
    "setoption name Hash value 8",
    "ucinewgame",
    "flip",
    "go perft 1",
)


@pytest.mark.parametrize("line", [*DISTURBING, "bench 1"])
def test_what_disturbs_a_search_ends_it_first(conversation, said, line):
    conversation.obey(parse("go infinite"))
    assert not best(said)
    conversation.obey(parse(line))
    assert said.index("bestmove e2e4") == 1, said
    conversation.searches.finish()


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
        "Clear Hash",
        "multipv value 7",
        "NodesTime value 600",
    )
    assert conversation.send(*(f"setoption name {line}" for line in lines)) == []
    assert (searcher.time.overhead, searcher.multipv, searcher.time.node_time.rate) == (250, 7, 600)
    searcher.clear.assert_called_once_with()
    searcher.resize.assert_called_once_with(64)
    searcher.threads_remark = "8 threads are more than the 2 usable processors"
    assert conversation.send("setoption name Threads value 8") == [
        f"info string {searcher.threads_remark}"
    ]
    assert searcher.threads == 8
    searcher.resize.side_effect = MemoryError("a table of 2000 MB does not fit")
    assert conversation.send("setoption name Hash value 2000") == [
        "info string error: a table of 2000 MB does not fit"
    ]
    assert conversation.made.values["Hash"] == "64"


def test_debug_tells_what_was_understood(conversation):
    position, option = conversation.send(
        "debug on", "position startpos moves e2e4", "setoption name Hash value 2"
    )
    assert position.startswith("info string position rnbqkbnr/pppppppp/8/8/4P3") and "'2'" in option


def test_searchmoves_that_are_illegal_are_named_and_dropped(conversation, said):
    assert conversation.searches._search_moves(("e2e4", "e2e5", "e2e4", "0000")) == (E2E4,)
    assert len(said) == 2 and "'e2e5'" in said[0] and "'0000'" in said[1]


def test_without_an_engine_the_conversation_still_answers(monkeypatch, empty_loop, said):
    monkeypatch.setitem(sys.modules, "zobra.uci.session", None)
    for line in ("uci", "isready", "go depth 1", "stop"):
        empty_loop.obey(parse(line))
    assert "readyok" in said and best(said) == ["bestmove (none)"]
    assert sum("could not be loaded" in line for line in said) == 2
    with pytest.raises(RuntimeError, match="could not be loaded"):
        empty_loop.obey(parse("d"))


def test_a_search_that_the_system_has_no_thread_for_is_short(monkeypatch, conversation):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as system:
        system.setattr(threading.Thread, "start", refuse)
        assert best(conversation.send("go infinite")) == ["bestmove e2e4"]
    assert best(conversation.send("go depth 1")) == ["bestmove e2e4"]


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
def test_a_bestmove_waits_for_its_time(conversation, said, before, go, end, move):
    for line in (before, *go.splitlines()):
        conversation.obey(parse(line))
    assert conversation.still_searches()
    conversation.obey(parse(end))
    conversation.searches._thread.join(30)
    assert best(said) == [f"bestmove {move}"] == said[-1:]
    assert conversation.searcher.ponderhit.called == any(
        "ponderhit" in line for line in (before, go, end)
    )


def test_a_command_that_fails_is_told(monkeypatch, said):
    chunks = iter([b"d\nisready\nquit\n", b""])
    loop = Loop(Console(lambda: next(chunks), lambda line: said.append(line.decode().rstrip("\n"))))
    monkeypatch.setattr(loop, "session", lambda: SimpleNamespace(obey=lambda command: 1 / 0))
    loop.run()
    assert said == ["info string error: ZeroDivisionError: division by zero", "readyok"]


def test_strength_options_reach_the_search(conversation):
    def skill(*options):
        conversation.send(*(f"setoption name {option}" for option in options))
        return conversation.searches.skill()

    assert skill("UCI_Elo value 1400") is None
    assert skill("UCI_LimitStrength value true") == skill_from_elo(1400)
    assert skill("Skill Level value 3") == skill_from_elo(1400)
    assert skill("UCI_AnalyseMode value true") is None
    assert skill(
        "UCI_AnalyseMode value false", "UCI_LimitStrength value false"
    ) == skill_from_level(3)
    weak = skill_from_level(3)
    for line, used in (
        ("go depth 1", weak),
        ("go infinite", None),
        ("go nodes 9", weak),
        ("go mate 1 nodes 9", None),
    ):
        conversation.send(line)
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


def test_a_person_is_helped(empty_loop, said):
    empty_loop._interactive = True
    for line in ("hocus pocus", "# a comment", "", "setoption Hash 64", "help"):
        empty_loop.obey(parse(line) or line)
    assert said[:-1] == [
        "unknown command 'hocus': help lists the commands",
        "info string not understood: setoption Hash 64",
    ]
    for word in (*SIMPLE, *ARGUMENTS, "setoption"):
        assert word in said[-1] or word == "register", word

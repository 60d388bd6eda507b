"""Session, search thread and loop with a search that does as it is told."""

import sys
import threading
from types import SimpleNamespace

import pytest

from zobra.search.limits import Progress, Report, Result
from zobra.search.skill import skill_from_elo, skill_from_level
from zobra.search.wdl import normalised
from zobra.uci import session
from zobra.uci.commands import ARGUMENTS, SIMPLE, Count, Go, SetOption, SetPosition, Simple, parse
from zobra.uci.console import Console
from zobra.uci.loop import Loop
from zobra.uci.search_thread import SearchThread
from zobra.uci.session import Session

E2E4 = 12 | 28 << 6 | 1 << 12


class FakeSearcher:
    """Answers e2e4; waits for stop when infinite; fails when told to."""

    def __init__(self, megabytes=16, move_overhead=10):
        self.megabytes = megabytes
        self.time = SimpleNamespace(overhead=move_overhead, node_time=SimpleNamespace(rate=0))
        self.cleared = 0
        self.nodes = 1
        self.failure: Exception | None = None
        self.stopped = threading.Event()
        self.multipv, self.skill, self.seed, self.ponderhits = 1, None, 0, 0
        self.parameters = {}
        self.threads, self.threads_remark = 1, ""
        self.progress = Progress(0, 0, 0)

    def ponderhit(self):
        self.ponderhits += 1

    def resize(self, megabytes):
        if megabytes > 1000:
            raise MemoryError(f"a table of {megabytes} MB does not fit")
        self.megabytes = megabytes

    def clear(self):
        self.cleared += 1

    def arm(self):
        self.stopped.clear()

    def stop(self):
        self.stopped.set()

    def evaluate(self, position):
        return 17

    def search(self, game, limits, on_report=lambda report: None):
        if self.failure:
            raise self.failure
        if limits.infinite:
            assert self.stopped.wait(30)
        if limits.nodes != 1:
            on_report(Report(1, 1, 20, 0, 5, 1, 0, (E2E4,)))
        return Result(E2E4, 0)


@pytest.fixture
def said():
    """The lines that the console has printed."""
    return []


@pytest.fixture
def console(said):
    return Console(read=lambda: b"", write=lambda line: said.append(line.decode().rstrip("\n")))


def refuse(thread):
    raise RuntimeError("can't start new thread")


@pytest.fixture
def conversation(monkeypatch, said, console):
    monkeypatch.setattr(session, "Searcher", FakeSearcher)
    made = Session(console)
    said.clear()
    return made


@pytest.fixture
def loop(console, conversation):
    """A loop that has loaded the conversation's session."""
    made = Loop(console)
    made._startup.loaded = conversation
    made._startup._thread = SimpleNamespace(join=lambda: None)
    return made


def best(said):
    return [line for line in said if line.startswith("bestmove")]


@pytest.mark.parametrize(
    "disturb",
    [
        lambda session: session.searches.go(Go({"depth": 1})),
        lambda session: session.set_position(SetPosition(None, ("e2e4",))),
        lambda session: session.set_option(SetOption("Hash", "8")),
        lambda session: session.new_game(),
        lambda session: session.flip(),
        lambda session: session.count(Count("perft", 1)),
        lambda session: session.count(Count("bench", 1)),
        lambda session: session.leave(),
    ],
)
def test_what_disturbs_a_search_ends_it_first(conversation, said, disturb):
    conversation.searches.go(Go(infinite=True))
    assert not best(said)
    disturb(conversation)
    assert said.index("bestmove e2e4") == 1, said
    conversation.searches.thread.finish()


def test_a_search_that_fails_costs_itself_only(conversation, said):
    conversation.searcher.failure = ZeroDivisionError("oh")
    conversation.searches.go(Go({"depth": 3}))
    conversation.searches.thread.finish()
    assert "info string error in search: ZeroDivisionError: oh" in said
    assert len(best(said)) == 1 and best(said)[0] != "bestmove (none)"
    conversation.searcher.failure = None
    conversation.searches.go(Go({"depth": 3}))
    conversation.searches.thread.finish()
    assert best(said)[1:] == ["bestmove e2e4"]


def test_even_the_shortest_search_reports(conversation, said):
    conversation.searches.go(Go({"nodes": 1}))
    conversation.searches.thread.finish()
    assert said == [
        f"info depth 0 seldepth 0 multipv 1 score cp {normalised(17)} nodes 1 nps 1000 hashfull 0 tbhits 0 time 0 pv e2e4",
        "bestmove e2e4",
    ]


def test_options_reach_the_search(conversation, said):
    conversation.set_option(SetOption("move OVERHEAD", "250"))
    conversation.set_option(SetOption("hash", "64"))
    conversation.set_option(SetOption("Clear Hash", None))
    assert (conversation.searcher.time.overhead, conversation.searcher.megabytes, conversation.searcher.cleared) == (250, 64, 1)
    assert said == []
    conversation.set_option(SetOption("Hash", "2000"))
    assert said == ["info string error: a table of 2000 MB does not fit"]
    assert conversation.values["Hash"] == "64"


def test_debug_tells_what_was_understood(conversation, said):
    conversation.console.debug = True
    conversation.set_position(SetPosition(None, ("e2e4",)))
    conversation.set_option(SetOption("Hash", "2"))
    assert said[0].startswith("info string position rnbqkbnr/pppppppp/8/8/4P3") and "'2'" in said[1]


def test_searchmoves_that_are_illegal_are_named_and_dropped(conversation, said):
    command = parse("go depth 1 searchmoves e2e4 e2e5 e2e4 0000")
    assert isinstance(command, Go)
    assert conversation.searches._search_moves(command.searchmoves) == (E2E4,)
    assert len(said) == 2 and "'e2e5'" in said[0] and "'0000'" in said[1]


def test_without_an_engine_the_conversation_still_answers(monkeypatch, console, said):
    monkeypatch.setitem(sys.modules, "zobra.uci.session", None)
    loop = Loop(console)
    for line in ("uci", "isready", "go depth 1", "stop"):
        loop.obey(parse(line))
    assert "readyok" in said and best(said) == ["bestmove (none)"]
    assert sum("could not be loaded" in line for line in said) == 2
    with pytest.raises(RuntimeError, match="could not be loaded"):
        loop.obey(parse("d"))


def test_a_search_that_the_system_has_no_thread_for_is_short(monkeypatch, loop, conversation, said):
    with monkeypatch.context() as system:
        system.setattr(threading.Thread, "start", refuse)
        loop.obey(parse("go infinite"))
    assert best(said) == ["bestmove e2e4"]
    said.clear()
    loop.obey(parse("go depth 1"))
    conversation.searches.thread.finish()
    assert best(said) == ["bestmove e2e4"]


@pytest.mark.parametrize("command, end", [(Go(infinite=True), SearchThread.stop), (Go(ponder=True), SearchThread.ponderhit)])
def test_without_a_position_too_a_bestmove_waits_for_its_time(conversation, said, command, end):
    conversation.set_position(SetPosition("8/8/8/8", ()))
    conversation.searches.go(command)
    conversation.searches.thread._thread.join(0.1)
    assert conversation.searches.thread._thread.is_alive() and not best(said)
    end(conversation.searches.thread)
    conversation.searches.thread._thread.join(30)
    assert best(said) == ["bestmove (none)"]


def test_a_command_that_fails_is_told(monkeypatch, said):
    chunks = iter([b"uci\nisready\nquit\n", b""])
    loop = Loop(Console(lambda: next(chunks), lambda line: said.append(line.decode().rstrip("\n"))))
    monkeypatch.setattr(loop, "introduce", lambda: 1 / 0)
    monkeypatch.setattr(loop, "session", lambda: None)
    loop.run()
    assert said == ["info string error: ZeroDivisionError: division by zero", "readyok"]


def test_simple_commands_that_mean_nothing_here(console, said):
    loop = Loop(console)
    for name in ("register", "stop", "ponderhit"):
        loop.obey(Simple(name))
    assert said == []


def test_pondering_keeps_its_bestmove_until_the_ponderhit(conversation, said):
    for end in (conversation.searches.thread.ponderhit, conversation.searches.thread.stop):
        said.clear()
        conversation.searches.go(Go({"wtime": 100, "btime": 100}, ponder=True))  # this search ends at once
        conversation.searches.thread._thread.join(0.1)
        assert conversation.searches.thread._thread.is_alive() and not best(said)
        end()
        conversation.searches.thread._thread.join(30)
        assert best(said) == ["bestmove e2e4"] and said[-1] == "bestmove e2e4"
    assert conversation.searcher.ponderhits == 1


def test_a_ponderhit_without_pondering_is_nothing(conversation, said):
    conversation.searches.thread.ponderhit()
    conversation.searches.go(Go(infinite=True))
    conversation.searches.thread.ponderhit()
    conversation.searches.thread._thread.join(0.1)
    assert conversation.searches.thread._thread.is_alive() and not best(said)
    conversation.searches.thread.finish()
    assert best(said) == ["bestmove e2e4"]


def test_strength_options_reach_the_search(conversation):
    def set_options(*pairs):
        for name, value in pairs:
            conversation.set_option(SetOption(name, value))
        return conversation.searches.skill()

    assert set_options(("UCI_Elo", "1400")) is None
    assert set_options(("UCI_LimitStrength", "true")) == skill_from_elo(1400)
    assert set_options(("Skill Level", "3")) == skill_from_elo(1400)
    assert set_options(("UCI_AnalyseMode", "true")) is None
    assert set_options(("UCI_AnalyseMode", "false"), ("UCI_LimitStrength", "false")) == skill_from_level(3)
    assert set_options(("Skill Level", "20")) is None


def test_an_analysis_without_end_is_not_weakened(conversation):
    conversation.set_option(SetOption("Skill Level", "3"))
    for line, skill in (("go depth 1", skill_from_level(3)), ("go infinite", None), ("go nodes 9", skill_from_level(3))):
        conversation.searches.go(parse(line))
        conversation.searches.thread.finish()
        assert conversation.searcher.skill == skill


def test_missing_threads_are_told(conversation, said):
    conversation.searcher.threads_remark = "8 threads are more than the 2 usable processors"
    conversation.set_option(SetOption("Threads", "8"))
    assert conversation.searcher.threads == 8
    assert "info string 8 threads are more than the 2 usable processors" in said


@pytest.mark.parametrize("ask", [Session.show_evaluation, Session.flip, lambda session: session.count(Count("perft", 2))])
def test_what_asks_about_a_position_that_could_not_be_read_is_refused(conversation, said, ask):
    conversation.set_position(SetPosition("8/8/8/8", ()))
    said.clear()
    ask(conversation)
    conversation.searches.thread.finish()
    assert said == ["info string error: there is no position, since the last one could not be read"]
    assert not conversation.readable
    conversation.set_position(SetPosition(None, ()))
    said.clear()
    ask(conversation)
    conversation.searches.thread.finish()
    assert conversation.readable and not any("error" in line for line in said)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("setoption Hash value 64", "info string not understood: setoption Hash value 64"),
        ("setoption", "info string not understood: setoption"),
        ("position startpos e2e4 e7e5", "info string position: not understood: e2e4 e7e5"),
        ("go dpeth 1 depth 1", "info string go: not understood: dpeth 1"),
        ("go depth", "info string go: no number after depth"),
        ("# setoption", None),
        ("nonsense", None),
    ],
)
def test_words_that_mean_nothing_are_named(loop, conversation, said, line, told):
    command = parse(line)
    loop.obey(line if command is None else command)
    conversation.searches.thread.finish()
    assert [text for text in said if "understood" in text or "number after" in text] == ([told] if told else [])


def test_lines_and_node_time_reach_the_search(conversation):
    conversation.set_option(SetOption("multipv", "7"))
    conversation.set_option(SetOption("NodesTime", "600"))
    assert (conversation.searcher.multipv, conversation.searcher.time.node_time.rate) == (7, 600)


def test_chances_are_shown_where_asked_for(conversation, said):
    conversation.set_option(SetOption("UCI_ShowWDL", "true"))
    conversation.searches.go(Go({"depth": 1}))
    conversation.searches.thread.finish()
    numbers = [int(word) for word in said[0].split(" wdl ")[1].split()[:3]]
    assert sum(numbers) == 1000 and numbers[0] >= numbers[2]


def test_a_person_is_helped(console, said):
    loop = Loop(console, interactive=True)
    for line in ("hocus pocus", "# a comment", "", "help"):
        loop.obey(parse(line) or line)
    assert said[0] == "unknown command 'hocus': help lists the commands" and len(said) == 2
    for word in (*SIMPLE, *ARGUMENTS, "setoption"):
        assert word in said[1] or word == "register", word

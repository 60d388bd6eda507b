"""From lines to the engine and back, with a search that the test controls."""

import sys
import threading
import time
from unittest.mock import MagicMock

import pytest

from tests.support.conversation import Conversation
from tests.support.prober import best
from zobra.search import player
from zobra.search.limits import Progress, Report, Result
from zobra.search.skill import skill_from_elo, skill_from_level
from zobra.tt.entry import EXACT
from zobra.uci.commands import ARGUMENTS, SIMPLE
from zobra.uci.console import Console
from zobra.uci.dispatcher import Dispatcher

E2E4 = 12 | 28 << 6 | 1 << 12
TIMEOUT = 30.0


def fake_searcher() -> MagicMock:
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
        on_report(Report(1, 1, 20, EXACT, 5, 1, 0, (E2E4,)))
        return Result(E2E4, 0)

    def resize(megabytes):
        searcher.tt.megabytes = megabytes

    searcher.search = search
    searcher.resize.side_effect = resize
    return searcher


@pytest.fixture
def searcher(monkeypatch):
    made = fake_searcher()
    monkeypatch.setattr(player, "Searcher", lambda *_, **__: made)
    return made


@pytest.fixture
def conversation(searcher):
    made = Conversation()
    made.engine.load().wait()
    return made


def still_searches(conversation: Conversation) -> bool:
    """Does the search go on, without a bestmove?"""
    time.sleep(0.1)
    return not best(conversation.said)


def set_options(conversation: Conversation, *options: str) -> list[str]:
    return conversation.send(*(f"setoption name {option}" for option in options))


# Searches


@pytest.mark.parametrize(
    "line",
    [
        "go depth 1",
        "position startpos moves e2e4",
        "setoption name Hash value 8",
        "ucinewgame",
        "flip",
        "go perft 1",
        "bench 1",
    ],
)
def test_commands_that_end_a_search(conversation, line):
    conversation.begin("go infinite")
    assert still_searches(conversation)
    conversation.begin(line)
    conversation.engine.wait()
    assert conversation.said.index("bestmove e2e4") == 1, conversation.said


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
    assert still_searches(conversation)
    conversation.begin(end)
    conversation.engine.wait()
    assert best(conversation.said) == [f"bestmove {move}"] == conversation.said[-1:]


def test_a_search_that_fails_costs_itself_only(conversation, searcher):
    searcher.failure = ZeroDivisionError("oh")
    failed = conversation.send("go depth 3")
    assert "info string error in search: ZeroDivisionError: oh" in failed
    assert len(best(failed)) == 1
    assert best(failed) != ["bestmove (none)"]
    searcher.failure = None
    assert best(conversation.send("go depth 3")) == ["bestmove e2e4"]


def test_searchmoves_that_are_illegal_are_named_and_dropped(conversation):
    said = conversation.send("go searchmoves e2e4 e2e5 e2e4 0000")
    assert "'e2e5'" in said[0]
    assert "'0000'" in said[1]
    assert best(said) == ["bestmove e2e4"]


def test_without_an_engine_the_conversation_still_answers(monkeypatch):
    monkeypatch.setitem(sys.modules, "zobra.search.player", None)
    said = Conversation().send("uci", "isready", "go depth 1", "d", "stop")
    assert "readyok" in said
    assert best(said) == ["bestmove (none)"]
    assert sum("error: the engine could not be loaded" in line for line in said) == 4


# Options


def test_options_reach_the_search(conversation, searcher):
    assert not set_options(
        conversation,
        "move OVERHEAD value 250",
        "hash value 64",
        "multipv value 7",
        "NodesTime value 600",
    )
    conversation.send("go depth 1")
    assert searcher.time.overhead == 250
    assert searcher.multipv == 7
    assert searcher.time.node_time.rate == 600
    searcher.resize.assert_called_once_with(64)
    searcher.clear.reset_mock()
    set_options(conversation, "Clear Hash")
    searcher.clear.assert_called_once_with()


def test_remarks_and_errors_of_options_are_printed(conversation, searcher):
    searcher.threads_remark = "8 threads are more than the 2 usable processors"
    said = set_options(conversation, "Threads value 8")
    assert said == [f"info string {searcher.threads_remark}"]
    assert searcher.threads == 8
    searcher.resize.side_effect = MemoryError("a table of 2000 MB does not fit")
    said = set_options(conversation, "Hash value 2000")
    assert said == ["info string error: a table of 2000 MB does not fit"]
    assert conversation.engine.options["Hash"] == 32


def test_strength_options_reach_the_search(conversation, searcher):
    def skill(*options):
        set_options(conversation, "Natural Time value false", *options)
        conversation.send("go depth 1")
        return searcher.skill

    weak = skill_from_level(3)
    assert skill("UCI_Elo value 1400") is None
    assert skill("UCI_LimitStrength value true") == skill_from_elo(1400)
    assert skill("Skill Level value 3") == skill_from_elo(1400)
    assert skill("UCI_AnalyseMode value true") is None
    assert skill("UCI_AnalyseMode value false", "UCI_LimitStrength value false") == weak
    for line, used in (
        ("go nodes 9", weak),
        ("go infinite\nstop", None),
        ("go mate 1 nodes 9", None),
    ):
        conversation.send(*line.splitlines())
        assert searcher.skill == used
    assert skill("Skill Level value 20") is None


# What is said of a line


def test_debug_tells_what_was_understood(conversation):
    position, number, switch = conversation.send(
        "debug on",
        "position startpos moves e2e4",
        "setoption name Hash value 2",
        "setoption name Ponder value true",
    )
    assert position.startswith("info string position rnbqkbnr/pppppppp/8/8/4P3")
    assert number == "info string option Hash is 2"
    assert switch == "info string option Ponder is true"


@pytest.mark.parametrize(
    ("line", "limits"),
    [
        ("go depth 3 nodes 70", "depth 3 nodes 70"),
        (
            "go wtime 90 winc 5 movestogo 7 ponder",
            "wtime 90 btime 90 winc 5 binc 0 movestogo 7 ponder",
        ),
        ("go infinite\nstop", "infinite"),
        ("go", "no limit"),
    ],
)
def test_debug_tells_the_limits_in_words_of_the_protocol(conversation, line, limits):
    said = conversation.send("debug on", *line.splitlines(), "ponderhit", "stop")
    assert f"info string go: understood as {limits}" in said


def test_a_board_of_an_earlier_position_says_so(conversation):
    assert "earlier" not in conversation.send("d")[-1]
    conversation.send("position fen 8/8/8/8")
    said = conversation.send("d")
    assert said[-1] == ("info string this is an earlier position: the last one could not be read")


def test_a_limited_strength_that_cuts_a_search_says_so(conversation):
    set_options(conversation, "UCI_LimitStrength value true", "UCI_Elo value 1000")
    remark = "info string at this limited strength at most 400 nodes are searched"
    assert remark in conversation.send("go nodes 1000")
    assert remark in conversation.send("go depth 20")
    assert remark not in conversation.send("go nodes 400")
    assert remark not in conversation.send("go movetime 1")


@pytest.mark.parametrize("line", ["eval", "flip", "go perft 2"])
def test_commands_that_need_a_position_are_refused_without_one(conversation, line):
    conversation.send("position fen 8/8/8/8")
    refusal = "info string error: there is no position, since the last one could not be read"
    assert conversation.send(line) == [refusal]
    conversation.send("position startpos")
    assert not any("error" in text for text in conversation.send(line))


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("setoption Hash value 64", ["not understood: setoption Hash value 64"]),
        ("setoption", ["not understood: setoption"]),
        ("position startpos e2e4 e7e5", ["position: not understood: e2e4 e7e5"]),
        (
            "go dpeth 1 depth",
            [
                "go: no number after depth",
                "go: not understood: dpeth 1",
                "go: understood as movetime 50",
            ],
        ),
        ("# setoption", []),
        ("goo depth 3", ["unknown command: goo depth 3"]),
    ],
)
def test_unknown_words_are_reported(conversation, line, named):
    remarks = [text for text in conversation.send(line) if text.startswith("info string ")]
    assert remarks == [f"info string {text}" for text in named]


def test_a_failing_command_does_not_end_the_conversation(monkeypatch):
    said: list[bytes] = []
    chunks = iter([b"help\nisready\nquit\n", b""])
    monkeypatch.setattr("zobra.uci.dispatcher.HELP", None)
    Dispatcher(Console(chunks.__next__, said.append)).run()
    assert said[0].startswith(b"info string error: AttributeError")
    assert said[1:] == [b"readyok\n"]


def test_unknown_commands_are_answered_at_a_terminal():
    conversation = Conversation(interactive=True)
    conversation.begin("hocus pocus", "# a comment", "", "setoption Hash 64", "help")
    *said, text = conversation.said
    assert said == [
        "unknown command 'hocus': help lists the commands",
        "info string not understood: setoption Hash 64",
    ]
    for word in {*SIMPLE, *ARGUMENTS, "setoption"} - {"register"}:
        assert word in text, word

"""Suites with a scripted engine: verdicts, stable solutions, early stops, engines that fail, and
the results file.
"""

import asyncio
import json
import os
import re
from pathlib import Path

import chess.engine
import pytest

from tests.support.arena_runs import ENGINE, flat, run, scripted
from zobra.arena.model import suite_results
from zobra.arena.model.engines import read_engine
from zobra.arena.model.suite_positions import read_position, why_unsolved
from zobra.arena.model.suite_results import Effort, EngineResult, Outcome, SuiteResult
from zobra.arena.runner.suite import SuiteLimits, run_suite

QUEENS = "6k1/8/6K1/8/8/8/8/Q7 w - -"
MATE_IN_TWO = "7k/8/5K2/8/8/8/8/6Q1 w - -"
LOST = "6k1/3Q4/6K1/8/8/8/8/8 b - -"
PAWNS = "4k3/4p3/8/8/8/8/4P3/4K3 w - -"
STOCKFISH = Path("/usr/games/stockfish")


@pytest.fixture
def answering(tmp_path):
    """A function that makes the command of an engine from its answers.

    They are the lines that it prints, by the first four fields of the position's FEN.
    """

    def make(script: dict[str, list[str]], name: str = "scripted") -> str:
        (tmp_path / f"{name}.json").write_text(json.dumps(script))
        return f"{ENGINE} --script {tmp_path / name}.json"

    return make


def outcomes_of(command: str, lines: list[str], limit=None, **settings) -> list:
    positions = [
        read_position(line, "suite.epd", number) for number, line in enumerate(lines, start=1)
    ]
    result = EngineResult("e", [], {}, [None] * len(positions))
    limits = SuiteLimits(limit or chess.engine.Limit(nodes=100), **settings)
    asyncio.run(run_suite(positions, read_engine(command), result, limits))
    return result.outcomes


def info(depth: int, pv: str, score: str = "cp 10") -> str:
    return f"info depth {depth} score {score} nodes {depth * 100} time {depth * 7} pv {pv}"


def test_best_and_avoided_moves(answering):
    queens = [info(1, "a1a8"), "bestmove a1a8"]
    pawns = [info(1, "e2e4"), "bestmove e2e4"]
    expected = {
        f"{QUEENS} bm Qa8#;": "",
        f"{QUEENS} bm Qa7;": "best is Qa7",
        f"{PAWNS} am e4;": "e4 is to be avoided",
        f"{PAWNS} am e3;": "",
        f"{PAWNS} bm e3; am e4;": "best is e3",
    }
    outcomes = outcomes_of(answering({QUEENS: queens, PAWNS: pawns}), list(expected), workers=3)
    assert [outcome.why for outcome in outcomes] == list(expected.values())
    assert [outcome.solved for outcome in outcomes] == [True, False, False, True, False]
    first = outcomes[0]
    assert first.effort == Effort(time_ms=7, nodes=100, depth=1)
    assert (first.move, first.score_cp, first.line) == ("a1a8", 10, ("a1a8",))

    (outcome,) = outcomes_of(answering({PAWNS: ["bestmove 0000"]}), [f"{PAWNS} am e4;"])
    assert not outcome.solved


@pytest.mark.parametrize(
    ("answers", "best", "since", "whole"),
    [
        (
            [info(1, "e2e4"), info(2, "e2e3"), info(3, "e2e4"), info(4, "e2e4"), "bestmove e2e4"],
            "e4",
            3,
            4,
        ),
        ([info(1, "e2e4"), info(2, "e2e3"), "bestmove e2e3"], "e4", None, 2),
        # The move played counts, not the last line
        ([info(1, "e2e4"), info(2, "e2e3"), "bestmove e2e4"], "e4", 2, 2),
        ([info(1, "e2e4"), info(2, "e2e3"), "bestmove e2e4"], "e3", None, 2),
        # A bound of the same move changes nothing, that of another move does
        (
            [info(2, "e2e4 e7e5"), info(3, "e2e4", "cp 5 upperbound"), "bestmove e2e4"],
            "e4",
            2,
            3,
        ),
        (
            [
                info(2, "e2e4"),
                info(3, "e2e3", "cp 50 lowerbound"),
                info(4, "e2e4"),
                "bestmove e2e4",
            ],
            "e4",
            4,
            4,
        ),
    ],
)
def test_a_solution_counts_from_where_the_engine_never_left_it_again(
    answering, answers, best, since, whole
):
    def effort(depth: int) -> Effort:
        return Effort(time_ms=7 * depth, nodes=100 * depth, depth=depth)

    (outcome,) = outcomes_of(answering({PAWNS: answers}), [f"{PAWNS} bm {best};"])
    assert outcome.solution == (since and effort(since))
    assert outcome.effort == effort(whole)
    assert outcome.solved == bool(since)


@pytest.mark.parametrize(("move", "points"), [("e2e4", 10), ("e2e3", 4), ("e1d1", 0)])
def test_points_per_move(answering, move, points):
    command = answering({PAWNS: [info(1, move), f"bestmove {move}"]})
    given = 'c8 "10 4"; c9 "e2e4 e2e3";'
    for outcome in outcomes_of(command, [f"{PAWNS} bm e4; {given}", f"{PAWNS} {given}"]):
        assert (outcome.points, outcome.solved) == (points, points == 10)


@pytest.mark.parametrize(
    ("fen", "asked", "claimed", "line", "why"),
    [
        (MATE_IN_TWO, 2, 2, "f6f7 h8h7 g1h1", ""),
        (MATE_IN_TWO, 3, 2, "f6f7 h8h7 g1h1", ""),
        (MATE_IN_TWO, 1, 2, "f6f7 h8h7 g1h1", "mate in 2 instead of 1"),
        (MATE_IN_TWO, 2, None, "f6f7 h8h7 g1h1", "mate in 2 not seen"),
        (MATE_IN_TWO, 2, -2, "f6f7 h8h7 g1h1", "mate in 2 not seen"),
        (MATE_IN_TWO, 2, 2, "f6f7 h8h7", "mate in 2 without its whole line"),
        (MATE_IN_TWO, 2, 2, "", "no move"),
        (MATE_IN_TWO, 2, 2, "f6f7 h8h7 g1g2", "mate in 2 with a line that does not mate"),
        (MATE_IN_TWO, 2, 2, "f6f7 h8g8 g1h1", "mate in 2 with an illegal uci"),
        (LOST, -2, -1, "g8f8 d7c7", "mate in -1 instead of -2"),
        (LOST, -1, -1, "g8f8 d7c7", "mate in -1 with a line that does not mate"),
        (LOST, -1, -1, "g8f8 d7f7", ""),
    ],
)
def test_a_mate_needs_its_score_and_a_whole_legal_mating_line(fen, asked, claimed, line, why):
    moves = line.split()
    first = moves[0] if moves else None
    found = why_unsolved(read_position(f"{fen} dm {asked};"), first, claimed, moves)
    assert found.startswith(why)
    assert bool(found) == bool(why)


def test_a_search_ends_early_only_when_asked(answering, monkeypatch):
    monkeypatch.setattr("zobra.arena.runner.suite.GRACE", 0.3)
    answers = [info(depth, "e2e4") for depth in range(1, 6)]
    answers += ["wait for stop", info(6, "e2e3"), "bestmove e2e3"]
    command = answering({PAWNS: answers})
    limit = chess.engine.Limit(time=0.01)
    (outcome,) = outcomes_of(command, [f"{PAWNS} bm e3;"], limit, solved_plies=0)
    assert outcome.why.startswith("no answer")
    (outcome,) = outcomes_of(command, [f"{PAWNS} bm e4;"], solved_plies=4)
    assert outcome.effort.depth == 6


@pytest.mark.parametrize(
    ("script", "why", "timeout"),
    [
        ({PAWNS: ["crash"]}, "engine failed: engine process died", 9),
        ({PAWNS: ["bestmove e2e5"]}, "engine failed: illegal uci", 9),
        ({PAWNS: ["bestmove nonsense"]}, "engine failed: ", 9),
        ({PAWNS: ["bestmove (none)"]}, "no move", 9),
        ({PAWNS: ["hang"]}, "no answer within 1 s", 1),
    ],
)
def test_an_engine_that_fails_loses_the_position_and_goes_on(answering, script, why, timeout):
    command = answering({QUEENS: [info(1, "a1a8"), "bestmove a1a8"]} | script)
    failed, good = outcomes_of(command, [f"{PAWNS} bm e4;", f"{QUEENS} bm Qa8;"], timeout=timeout)
    assert not failed.solved
    assert failed.why.startswith(why)
    assert good.solved


def test_failures_of_an_engine_are_in_the_summary(answering, tmp_path):
    suite = tmp_path / "two.epd"
    suite.write_text(f"{PAWNS} bm e3;\n{QUEENS} bm Qa8;\n")
    output = ["--json", tmp_path / "x.json"]
    queens = [info(1, "a1a8"), "bestmove a1a8"]
    weak = answering({PAWNS: ["bestmove e2e4"], QUEENS: queens}, "weak")
    text = run("suite", suite, "-e", f"weak={weak}", *output)  # status 0: it has answered
    assert "1 of 2 (50.0%)" in text
    assert "failed" not in text
    crashing = answering({PAWNS: ["crash"], QUEENS: queens}, "crashing")
    text = run("suite", suite, "-e", f"crashing={crashing}", *output, "--force", code=1)
    assert re.search("engine failed +│ +1 ", text)


def test_an_engine_that_dies_before_its_search_is_not_waited_for():
    (failed,) = outcomes_of(f"{ENGINE} --crash 0", [f"{PAWNS} bm e4;"], timeout=60)
    assert failed.why == "engine failed: died before its search (exit code: 3)"


@pytest.fixture
def suite_file(tmp_path):
    path = tmp_path / "two.epd"
    path.write_text(
        f'{PAWNS} bm e4; id "pawns";\nbroken line\n{QUEENS} bm Qa8; id "queens"; c0 "Qa8=10";\n'
    )
    return path


def test_the_command_compares_engines_and_writes_results(answering, suite_file, tmp_path):
    queens = [info(3, "a1a8"), "bestmove a1a8"]
    good = answering({PAWNS: ["bestmove e2e4"], QUEENS: queens}, "good")
    weak = answering({PAWNS: ["bestmove e2e3"], QUEENS: queens}, "weak")
    output = tmp_path / "results.json"
    arguments = ["-e", f"good={good}", "-e", f"weak={weak}", "-o", "Hash=8", "--nodes", "50"]
    text = run("suite", suite_file, *arguments, "--json", output, code=1)
    assert f"{suite_file}:2: " in text
    assert "2 positions at 50 nodes, 1 line skipped" in text
    assert "2 of 2 (100.0%)" in text
    assert "1 of 2 (50.0%)" in text

    result = suite_results.load(output)
    first, second = result.engines
    assert (first.name, first.solved, first.points) == ("good", 2, 10)
    assert (second.name, second.solved, second.points) == ("weak", 1, 10)
    assert first.version == second.version == "Scripted"
    assert second.outcomes[0].why == "best is e4"
    assert "processor" in result.machine
    assert "1 thread, 8 MB hash" in text
    limit = {"time_ms": None, "nodes": 50, "depth": None, "stable_plies": None}
    assert result.limit == limit
    assert result.finished
    assert result.command_line
    assert [bad.line for bad in result.bad_lines] == [2]

    run("report", output)
    page = (tmp_path / "results.html").read_text()
    for text in (
        result.machine,
        "<dd>Scripted; ",
        "; 1 thread, 8 MB hash; options",
        "<dt>command</dt>",
    ):
        assert text in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.epd"], "missing.epd"),
        (["{suite}", "-o", "Hash"], "NAME=VALUE"),
        (["{suite}", "--nodes", "0"], "--nodes"),
        (["{suite}", "--json", "{empty}/results.json"], "no such folder"),
        (["{suite}", "--json", "{folder}"], "not a file"),
        pytest.param(
            ["{suite}", "--json", os.devnull],
            "not a file",
            marks=pytest.mark.skipif(os.name != "posix", reason="no device"),
        ),
        (["{empty}"], "no position to solve"),
    ],
)
def test_wrong_arguments_are_named(suite_file, tmp_path, arguments, message):
    empty = tmp_path / "empty.epd"
    empty.write_text("")
    filled = [word.format(suite=suite_file, empty=empty, folder=tmp_path) for word in arguments]
    assert message in flat(run("suite", "--json", tmp_path / "x.json", *filled, code=2))


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        ({}, []),
        ({"UCI_AnalyseMode": True}, ["true"]),
        ({"uci_analysemode": "false"}, []),  # what is so needs no telling
    ],
)
def test_an_engine_keeps_the_options_of_its_games(tmp_path, options, sent):
    log = tmp_path / "log.txt"
    spec = scripted("e", "--analyses", "--log", str(log), options=options)
    positions = [read_position(f"{PAWNS} bm e4;", "suite.epd", 1)]
    result = EngineResult("e", [], {}, [None])
    asyncio.run(run_suite(positions, spec, result, SuiteLimits(chess.engine.Limit(nodes=1))))
    lines = log.read_text().splitlines()
    settings = [line.split()[-1] for line in lines if "analysemode" in line.lower()]
    assert settings == sent


@pytest.fixture
def good(answering) -> str:
    """The command of an engine that solves the suite."""
    return answering({PAWNS: ["bestmove e2e4"], QUEENS: ["bestmove a1a8"]})


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["-e", "no-such-engine-anywhere"], "no program no-such-engine-anywhere"),
        (["-o", "good:NoSuchOption=1"], "does not support option NoSuchOption"),
    ],
)
def test_nothing_is_searched_if_an_engine_cannot_start(
    good, suite_file, tmp_path, arguments, problem
):
    output = tmp_path / "x.json"
    output.write_text("hours of work")
    engines = ["-e", f"first={good}", "-e", f"good={good}"]
    text = run("suite", suite_file, *engines, *arguments, "--json", output, "--force", code=2)
    assert problem in flat(text)
    assert "1/2" not in text
    assert output.read_text() == "hours of work"


def test_an_engine_that_can_start_only_once_is_named(good, suite_file, tmp_path):
    script = tmp_path / "engine"
    script.write_text(f"#!/bin/sh\nmkdir {tmp_path}/started && exec {good}\n")
    script.chmod(0o755)
    output = tmp_path / "x.json"
    engines = ["-e", f"once={script}", "-e", f"good={good}"]
    assert "once: " in run("suite", suite_file, *engines, "--json", output, code=1)
    result = suite_results.load(output)
    assert not result.finished
    assert result.engines[1].solved == 2


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (["--nodes", "60"], "limits"),
        (["--stop-when-solved", "2"], "limits"),
        (["-o", "Hash=8"], "engines"),
        (["-e", "another={good}"], "engines"),
        (["{other}"], "suites"),
        (["-e", "good={good} --name 2"], "versions of the engines"),
    ],
)
def test_results_of_another_run_are_not_overwritten(good, suite_file, tmp_path, change, difference):
    script = tmp_path / "engine"
    other = tmp_path / "other.epd"
    other.write_text(f"{QUEENS} bm Qa8;\n")
    output = tmp_path / "x.json"

    def solve(*arguments, code: int) -> str:
        words = ["suite", suite_file, "-e", f"good={script}", "--json", output]
        return run(*words, "--nodes", "50", *arguments, code=code)

    def install(command: str) -> None:
        script.write_text(f"#!/bin/sh\nexec {command}\n")
        script.chmod(0o755)

    install(good)
    solve(code=1)  # because of the broken line
    solve(code=1)
    before = output.read_text()
    arguments = [word.format(good=good, other=other) for word in change]
    if difference.startswith("versions"):
        install(f"{good} --name 2")
        arguments = []
    text = flat(solve(*arguments, code=2))
    assert f"holds results with other {difference}: name another file with --json" in text
    assert output.read_text() == before
    solve(*arguments, "--force", code=1)
    assert output.read_text() != before


def test_an_interrupted_run_is_resumed(good, suite_file, tmp_path):
    output = tmp_path / "x.json"
    arguments = ["suite", suite_file, "-e", f"good={good}", "--json", output]
    run(*arguments, code=1)
    whole = json.loads(output.read_text())
    whole["engines"][0]["outcomes"][0] = None
    del whole["limit"]["stable_plies"]  # as an earlier version wrote it
    output.write_text(json.dumps(whole | {"finished": False}))
    text = run(*arguments, code=1)
    assert "resuming after 1 of 2 positions" in text
    assert "good 2/2" in text
    assert "good 1/2" not in text


def test_results_survive_the_file(tmp_path):
    position = read_position(f'{PAWNS} bm e4; dm 3; id "ä"; c8 "10"; c9 "e2e4";', "f.epd", 3)
    outcome = Outcome("e2e4", True, "", 10, None, 3, ("e2e4",), Effort(5, 6, 7), Effort(1, 2, 3))
    limit = {"time_ms": 5, "nodes": None, "depth": 9}
    result = SuiteResult(["f.epd"], limit, 2, [position, position])
    result.engines.append(EngineResult("e", ["engine"], {"Hash": 8}, [outcome, None]))
    path = tmp_path / "r.json"
    link = tmp_path / "link.json"
    link.symlink_to(path)
    result.save(link)
    assert link.is_symlink()
    assert suite_results.load(path) == result
    assert json.loads(path.read_text())["finished"] is False
    assert result.limit_text() == "5 ms, 9 plies"


@pytest.mark.skipif(not os.access(STOCKFISH, os.X_OK), reason="no Stockfish in /usr/games")
def test_a_real_engine_solves_and_proves():
    lines = [f"{QUEENS} dm 1;", f"{MATE_IN_TWO} dm 2;"]
    outcomes = outcomes_of(str(STOCKFISH), lines, chess.engine.Limit(depth=8), workers=2)
    assert [outcome.why for outcome in outcomes] == ["", ""]

"""Suites with a scripted engine: verdicts, stable solutions, early stops, engines that fail, and
the results file.
"""

import asyncio
import json
import os
from pathlib import Path

import chess.engine
import pytest

from tests.support.arena_runs import ENGINE, flat, run, scripted
from zobra.arena.model import suite_results
from zobra.arena.model.engines import read_engine
from zobra.arena.model.suite_positions import read_position, why_unsolved
from zobra.arena.model.suite_results import Effort, EngineResult, Outcome, SuiteResult
from zobra.arena.runner.suite import SuiteLimits, run_suite

QUEENS, MATE_IN_TWO = "6k1/8/6K1/8/8/8/8/Q7 w - -", "7k/8/5K2/8/8/8/8/6Q1 w - -"
LOST, PAWNS = "6k1/3Q4/6K1/8/8/8/8/8 b - -", "4k3/4p3/8/8/8/8/4P3/4K3 w - -"
STOCKFISH = Path("/usr/games/stockfish")


@pytest.fixture
def answering(tmp_path):
    """Returns a function that makes the command of an engine answering by a script {four FEN
    fields: lines}.
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
    command = answering(
        {QUEENS: [info(1, "a1a8"), "bestmove a1a8"], PAWNS: [info(1, "e2e4"), "bestmove e2e4"]}
    )
    lines = [
        f"{QUEENS} bm Qa8#;",
        f"{QUEENS} bm Qa7;",
        f"{PAWNS} am e4;",
        f"{PAWNS} am e3;",
        f"{PAWNS} bm e3; am e4;",
    ]
    outcomes = outcomes_of(command, lines, workers=3)
    assert [outcome.solved for outcome in outcomes] == [True, False, False, True, False]
    assert not outcomes_of(answering({PAWNS: ["bestmove 0000"]}), [f"{PAWNS} am e4;"])[0].solved
    assert [outcome.why for outcome in outcomes][1:3] == ["best is Qa7", "e4 is to be avoided"]
    assert outcomes[0].effort == Effort(time_ms=7, nodes=100, depth=1)
    assert (outcomes[0].move, outcomes[0].score_cp, outcomes[0].line) == ("a1a8", 10, ("a1a8",))


BOUND, OTHER = info(3, "e2e4", "cp 5 upperbound"), info(3, "e2e3", "cp 50 lowerbound")


@pytest.mark.parametrize(
    "answers, best, since, whole",
    [
        (
            [info(1, "e2e4"), info(2, "e2e3"), info(3, "e2e4"), info(4, "e2e4"), "bestmove e2e4"],
            "e4",
            3,
            4,
        ),
        ([info(1, "e2e4"), info(2, "e2e3"), "bestmove e2e3"], "e4", None, 2),
        # the move played counts, not the last line
        ([info(1, "e2e4"), info(2, "e2e3"), "bestmove e2e4"], "e4", 2, 2),
        ([info(1, "e2e4"), info(2, "e2e3"), "bestmove e2e4"], "e3", None, 2),
        # a bound of the same move changes nothing, that of another move does
        ([info(2, "e2e4 e7e5"), BOUND, "bestmove e2e4"], "e4", 2, 3),
        ([info(2, "e2e4"), OTHER, info(4, "e2e4"), "bestmove e2e4"], "e4", 4, 4),
    ],
)
def test_a_solution_counts_from_where_the_engine_never_left_it_again(
    answering, answers, best, since, whole
):
    (outcome,) = outcomes_of(answering({PAWNS: answers}), [f"{PAWNS} bm {best};"])
    assert outcome.solution == (since and Effort(time_ms=7 * since, nodes=100 * since, depth=since))
    assert outcome.effort == Effort(
        time_ms=7 * whole, nodes=100 * whole, depth=whole
    ) and outcome.solved == bool(since)


@pytest.mark.parametrize("move, points", [("e2e4", 10), ("e2e3", 4), ("e1d1", 0)])
def test_points_per_move(answering, move, points):
    command, given = (
        answering({PAWNS: [info(1, move), f"bestmove {move}"]}),
        'c8 "10 4"; c9 "e2e4 e2e3";',
    )
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
    found = why_unsolved(
        read_position(f"{fen} dm {asked};"), moves[0] if moves else None, claimed, moves
    )
    assert found.startswith(why) if why else found == ""


def test_a_search_ends_early_only_when_asked(answering, monkeypatch):
    monkeypatch.setattr("zobra.arena.runner.suite.GRACE", 0.3)
    answers = [info(depth, "e2e4") for depth in range(1, 6)]
    command = answering({PAWNS: [*answers, "wait for stop", info(6, "e2e3"), "bestmove e2e3"]})
    (outcome,) = outcomes_of(
        command, [f"{PAWNS} bm e3;"], chess.engine.Limit(time=0.01), solved_plies=0
    )
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
    assert not failed.solved and failed.why.startswith(why) and good.solved


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
    good = answering({PAWNS: ["bestmove e2e4"], QUEENS: [info(3, "a1a8"), "bestmove a1a8"]}, "good")
    weak = answering({PAWNS: ["bestmove e2e3"], QUEENS: [info(3, "a1a8"), "bestmove a1a8"]}, "weak")
    output = tmp_path / "results.json"
    engines = ["-e", f"good={good}", "-e", f"weak={weak}", "-o", "Hash=8"]
    text = run("suite", suite_file, *engines, "--nodes", "50", "--json", output, code=1)
    assert f"{suite_file}:2: " in text and "2 of 2 (100.0%)" in text and "1 of 2 (50.0%)" in text
    result = suite_results.load(output)
    assert [(engine.name, engine.solved, engine.points) for engine in result.engines] == [
        ("good", 2, 10),
        ("weak", 1, 10),
    ]
    assert [engine.version for engine in result.engines] == [
        "Scripted"
    ] * 2 and "processors" in result.machine
    assert (
        result.limit == {"time_ms": None, "nodes": 50, "depth": None}
        and result.finished
        and result.command_line
    )
    assert [bad.line for bad in result.bad_lines] == [2] and result.engines[1].outcomes[
        0
    ].why == "best is e4"
    run("report", output)
    page = (tmp_path / "results.html").read_text()
    assert result.machine in page and "<dd>Scripted; " in page and "<dt>command</dt>" in page


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
    (tmp_path / "empty.epd").write_text("")
    filled = [
        text.format(suite=suite_file, empty=tmp_path / "empty.epd", folder=tmp_path)
        for text in arguments
    ]
    assert message in flat(run("suite", "--json", tmp_path / "x.json", *filled, code=2))


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        ({}, []),
        ({"UCI_AnalyseMode": True}, ["true"]),
        ({"uci_analysemode": "false"}, []),
    ],  # what is so needs no telling
)
def test_an_engine_keeps_the_options_of_its_games(tmp_path, options, sent):
    log, result = tmp_path / "log.txt", EngineResult("e", [], {}, [None])
    spec = scripted("e", "--analyses", "--log", str(log), options=options)
    positions = [read_position(f"{PAWNS} bm e4;", "suite.epd", 1)]
    asyncio.run(run_suite(positions, spec, result, SuiteLimits(chess.engine.Limit(nodes=1))))
    settings = [
        line.split() for line in log.read_text().splitlines() if "analysemode" in line.lower()
    ]
    assert [words[-1] for words in settings] == sent


@pytest.mark.parametrize("extra", [["-e", "no-such-engine-anywhere"], ["-o", "NoSuchOption=1"]])
def test_an_engine_that_cannot_start_is_named_and_the_others_play(
    answering, suite_file, tmp_path, extra
):
    good, output = (
        answering({PAWNS: ["bestmove e2e4"], QUEENS: ["bestmove a1a8"]}),
        tmp_path / "x.json",
    )
    output.write_text("hours of work")
    arguments = ["-e", f"good={good}", "--json", output, "--force"]
    text = run("suite", suite_file, *extra, *arguments, code=1)
    assert extra[1].partition("=")[0] in text
    if extra[0] == "-o":  # no engine takes it: what was there is kept
        assert output.read_text() == "hours of work"
        return
    result = suite_results.load(output)
    assert not result.finished and result.engines[1].solved == 2


def test_results_survive_the_file(tmp_path):
    position = read_position(f'{PAWNS} bm e4; dm 3; id "ä"; c8 "10"; c9 "e2e4";', "f.epd", 3)
    outcome = Outcome("e2e4", True, "", 10, None, 3, ("e2e4",), Effort(5, 6, 7), Effort(1, 2, 3))
    result = SuiteResult(
        ["f.epd"], {"time_ms": 5, "nodes": None, "depth": 9}, 2, [position, position]
    )
    result.engines.append(EngineResult("e", ["engine"], {"Hash": 8}, [outcome, None]))
    (tmp_path / "link.json").symlink_to(tmp_path / "r.json")
    result.save(tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink() and suite_results.load(
        tmp_path / "r.json"
    ) == result
    assert json.loads((tmp_path / "r.json").read_text())["finished"] is False
    assert result.limit_text() == "5 ms, 9 plies"
    for content in (
        "",
        "[]",
        "{}",
        '{"kind": "suite", "format": 99}',
        '{"kind": "suite", "format": 1}',
    ):
        (tmp_path / "r.json").write_text(content)
        with pytest.raises(ValueError, match="not a file of suite results"):
            suite_results.load(tmp_path / "r.json")


@pytest.mark.skipif(not os.access(STOCKFISH, os.X_OK), reason="no Stockfish in /usr/games")
def test_a_real_engine_solves_and_proves():
    lines = [f"{QUEENS} dm 1;", f"{MATE_IN_TWO} dm 2;"]
    outcomes = outcomes_of(str(STOCKFISH), lines, chess.engine.Limit(depth=8), workers=2)
    assert [outcome.why for outcome in outcomes] == ["", ""]

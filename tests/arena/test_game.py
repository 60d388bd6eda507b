"""One game between scripted engines: every way to lose is named, clocks are measured, moves are
kept.
"""

import asyncio
import sys
from pathlib import Path

import chess
import pytest

from tests.support.arena_runs import scripted
from zobra.arena.model.adjudication import AdjudicationRules
from zobra.arena.model.clock import TimeControl
from zobra.arena.model.engines import EngineSpec
from zobra.arena.model.game_record import GameRecord
from zobra.arena.model.openings import Opening
from zobra.arena.model.settings import Pairing, Settings
from zobra.arena.runner import player as players
from zobra.arena.runner.player import EngineFailure, EnginePlayer
from zobra.arena.runner.protocols import Features, XBoard
from zobra.arena.runner.worker import EngineSet

START = Opening(chess.STARTING_FEN)
XBOARD = """
import sys, time, chess
log, behaviour = open(sys.argv[1], "a"), sys.argv[2]
for line in sys.stdin:
    print(line, end="", file=log, flush=True)
    word, *rest = line.split()
    if word == "protover":
        features = "ping=1 setboard=1 usermove=1 colors=0 sigint=0 sigterm=0 memory=1 smp=1"
        print("feature", features, "done=1", flush=True)
    elif word == "ping":
        print("pong", *rest, flush=True)
    elif word == "new":
        board = chess.Board()
    elif word == "usermove":
        board.push_uci(rest[0])
    elif word == "go" and behaviour == "illegal":
        print("move e1e8", flush=True)
    elif word == ("?" if behaviour == "late" else "go"):
        move = min(board.legal_moves, key=chess.Move.uci)
        board.push(move)
        print("move", move, flush=True)
        time.sleep(0.6 if behaviour == "busy" else 0)
    elif word == "quit":
        break
"""
W = scripted("W")
B = scripted("B")
BOTH = {"W", "B"}


def xboard(name: str, log: Path, behaviour: str = "plain", **more) -> EngineSpec:
    command = (sys.executable, "-c", XBOARD, str(log), behaviour)
    return EngineSpec(name, command, protocol="xboard", **more)


def play(
    white: EngineSpec,
    black: EngineSpec = B,
    time_control: str = "20",
    opening: Opening = START,
    games: int = 1,
    move_limit: int = 6,
    **more,
) -> tuple[GameRecord, set[str]]:
    """Play games between the two. Return the last one, and the engines that run after it."""
    rules = AdjudicationRules(move_limit=move_limit)
    engines = EngineSet(Settings((white, black), time_control, 1, rules=rules, **more))

    async def run():
        try:
            for index in range(games):
                record = await engines.play(Pairing(index, 0, 1, "W", "B", opening))
            return record, set(engines._players)
        finally:
            await engines.kill()

    return asyncio.run(run())


def outcome(record: GameRecord) -> tuple[str, str, int]:
    return record.result, record.reason, len(record.moves)


def test_an_ordinary_game():
    bound = "cp 31 pv e2e4\ninfo depth 6 nodes 150 score cp -900 lowerbound"  # which is no score
    bound += "\ninfo string the score cp 77 of a friend"  # nor is text
    record, running = play(scripted("W", "--score", bound), scripted("B", "--score", "mate -2"))
    assert outcome(record) == ("1/2-1/2", "move limit", 12)
    assert running == BOTH
    board = chess.Board()
    for ply, played in enumerate(record.moves):
        assert played.move == min(board.legal_moves, key=board.uci)
        board.push(played.move)
        assert (played.score, played.mate) == ((31, None), (None, -2))[ply % 2]
        assert (played.depth, played.nodes) == (5, 99)
        assert 0 <= played.milliseconds < 20_000
        assert 20_000 - 13 * 1000 < played.clock_ms <= 20_000
    assert record.start
    assert record.duration > 0


@pytest.mark.parametrize(
    ("arguments", "reason", "detail", "usable"),
    [
        (("--crash", "3"), "disconnect", "exit code 7; it said: the reason of the crash", False),
        (("--illegal", "3"), "illegal move", "e1e8", True),
        (("--null", "3"), "illegal move", "(none)", True),
    ],
)
def test_a_game_is_lost_by_misbehaviour(arguments, reason, detail, usable):
    record, running = play(W, scripted("B", *arguments))
    assert outcome(record) == ("1-0", reason, 5)
    assert record.detail == detail
    assert running == (BOTH if usable else {"W"})
    record, _ = play(scripted("W", *arguments))
    assert outcome(record) == ("0-1", reason, 4)


def test_an_engine_plays_on_after_a_fault():
    record, running = play(W, scripted("B", "--illegal", "3"), games=2)
    assert record.index == 1
    assert outcome(record) == ("1-0", "illegal move", 5)
    assert running == BOTH


@pytest.mark.parametrize(
    ("late_ms", "time_control", "least"),
    [
        ("1200", "0.8", 390),  # after the stop
        ("650", "movetime=500", 140),  # before it
    ],
)
def test_an_engine_that_overruns_its_clock_loses_by_the_overshoot(late_ms, time_control, least):
    black = scripted("B", "--late", "2", "--late-ms", late_ms)
    record, running = play(W, black, time_control)
    assert outcome(record) == ("1-0", "time", 3)
    assert running == BOTH
    assert int(record.detail.removesuffix(" ms over")) >= least


@pytest.mark.parametrize(
    ("fen", "result", "reason"),
    [
        ("8/8/4k3/8/8/3RK3/8/8 w - - 0 1", "1/2-1/2", "time against insufficient material"),
        ("8/8/4kp2/8/8/3RK3/8/8 w - - 0 1", "0-1", "time"),
    ],
)
def test_time_does_not_lose_to_a_bare_king(fen, result, reason):
    white = scripted("W", "--late", "1", "--late-ms", "1200")
    record, running = play(white, B, "0.8", Opening(fen))
    assert (record.result, record.reason, running) == (result, reason, BOTH)
    assert record.detail.endswith(" ms over")


def test_options_that_are_not_understood_cost_nothing():
    lines = [
        "option",
        "option name",
        "option name Book default false",
        "option name Path type string empty",
        "option name Level type spin default many min 0 max 9",
        "option name Rank type spin default 10 min 0 max 9",
        "option name Style type combo default wild var solid var normal",
        "option name Fruit type banana default ripe",
        "option name type spin",
    ]
    arguments = [word for line in lines for word in ("--option-line", line)]
    record, running = play(scripted("W", *arguments), B, move_limit=2)
    assert (record.reason, running) == ("move limit", BOTH)


def test_a_margin_forgives_lateness():
    white = scripted("W", "--late", "2", "--late-ms", "150")
    record, running = play(white, B, "movetime=100", margin_ms=5000)
    assert (record.reason, running) == ("move limit", BOTH)


@pytest.mark.parametrize(
    ("arguments", "time_control", "stall", "detail"),
    [
        (("--hang", "2"), "1.5", 60, "stop not obeyed"),
        (("--stall", "1"), "9", 0.5, "no answer to a ping in 0.5 s"),
        (("--hang", "2"), "nodes=5", 0.5, "no move"),
    ],
)
def test_an_engine_that_hangs_stalls(monkeypatch, arguments, time_control, stall, detail):
    monkeypatch.setattr(players, "LATE_TIME", 0.3)
    record, running = play(W, scripted("B", *arguments), time_control, stall_seconds=stall)
    assert outcome(record) == ("1-0", "stall", 3)
    assert running == {"W"}
    assert detail in record.detail


def test_xboard_engines_that_fail_and_obey_play_on(tmp_path):
    record, running = play(xboard("W", tmp_path / "log", "illegal"), games=2, stall_seconds=5)
    assert (record.index, record.reason, record.detail) == (1, "illegal move", "e1e8")
    assert running == BOTH
    record, running = play(W, xboard("B", tmp_path / "log", "late"), "0.5")
    assert outcome(record) == ("1-0", "time", 1)
    assert running == BOTH
    # A move in time counts although the engine is busy after it
    record, running = play(xboard("W", tmp_path / "log", "busy"), B, "movetime=300", move_limit=1)
    assert (record.reason, running) == ("move limit", BOTH)


@pytest.mark.parametrize(
    ("options", "cores"),
    [({}, "1"), ({"cores": "2", "memory": "16"}, "2"), ({"cores": 1, "memory": 16}, "1")],
)
def test_an_xboard_engine_gets_its_settings_once(tmp_path, options, cores):
    log = tmp_path / "log"
    record, _ = play(xboard("W", log, options=options), move_limit=3)
    assert (record.reason, len(record.moves)) == ("move limit", 6)
    lines = log.read_text().splitlines()
    settings = [line for line in lines if line.startswith(("cores", "memory"))]
    expected = [f"cores {cores}"]
    if "memory" in options:
        expected.append("memory 16")
    assert sorted(settings) == expected


def test_engines_get_the_time_and_the_moves(tmp_path):
    log = tmp_path / "log"
    opening = Opening(chess.STARTING_FEN, ("e2e4", "e7e5"))
    white = scripted("W", "--log", str(log), options={"Hash": "2"}, time_odds=0.5)
    record, _ = play(white, B, "40/60+1", opening, move_limit=3)
    assert len(record.moves) == 4
    lines = log.read_text().splitlines()
    assert "setoption name Hash value 2" in lines
    assert lines.count("ucinewgame") == 1
    assert lines.count("isready") >= 4
    first, second = [line for line in lines if line.startswith("position")]
    assert first == "position startpos moves e2e4 e7e5"
    assert second == f"{first} {record.moves[0].move} {record.moves[1].move}"
    first, second = [line for line in lines if line.startswith("go")]
    assert first == "go wtime 30000 btime 60000 winc 500 binc 1000 movestogo 40"
    assert second.endswith("movestogo 39")


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        ({"Caution": "False"}, ["Caution value false", "Threads value 1"]),
        ({"Caution": "0"}, ["Caution value false", "Threads value 1"]),
        ({}, ["Threads value 1"]),  # one thread unless another number is given
        ({"Threads": "3"}, ["Threads value 3"]),
    ],
)
def test_options_have_the_values_of_their_types(tmp_path, options, sent):
    log = tmp_path / "log"
    play(scripted("W", "--log", str(log), options=options), move_limit=1)
    prefix = "setoption name "
    lines = log.read_text().splitlines()
    assert [line.removeprefix(prefix) for line in lines if line.startswith(prefix)] == sent


@pytest.mark.parametrize(
    ("nps", "control", "problem"),
    [
        (1, "nodes=9", ""),
        (1, "10 nodes=9", "not both"),
        (0, "nodes=9", "cannot be held to a number"),
    ],
)
def test_an_xboard_engine_is_not_asked_for_nodes_that_it_cannot_count(nps, control, problem):
    protocol = XBoard.__new__(XBoard)
    protocol.features = Features(setboard=1, nps=nps)
    found = protocol.problem(False, True, TimeControl.parse(control))
    assert problem in found
    assert bool(problem) == bool(found)


def test_chess960_castles_by_taking_the_rook():
    fen = "bnrkbrqn/pppppppp/8/8/8/8/PPPPPPPP/5KR1 w G - 0 1"
    white = scripted("W", "--last")
    record, running = play(white, opening=Opening(fen), chess960=True, move_limit=1)
    assert running == BOTH
    assert record.opening["root"] == fen
    board = chess.Board(fen, chess960=True)
    legal = sorted(board.uci(move) for move in board.legal_moves)
    assert "f1g1" in legal
    assert record.moves[0].move.uci() == legal[-1]


def test_a_game_that_is_over_at_once():
    record, running = play(W, opening=Opening("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"))
    assert outcome(record) == ("1/2-1/2", "stalemate", 0)
    assert running == BOTH


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        (EngineSpec("x", ("no-such-program",)), "no program no-such-program"),
        (EngineSpec("x", (sys.executable, "-c", "import sys; sys.exit('sorry')")), "sorry"),
        (scripted("x", options={"Nonsense": "1"}), "does not support option Nonsense"),
        (scripted("x", options={"Hash": "lots"}), "Hash"),
        (scripted("x", options={"Caution": "maybe"}), "Caution is true or false, not 'maybe'"),
    ],
)
def test_an_engine_that_cannot_be_started_says_why(spec, problem):
    with pytest.raises(EngineFailure) as failure:
        asyncio.run(EnginePlayer.start(spec, 5))
    assert failure.value.reason == "disconnect"
    assert problem in failure.value.detail

"""One game between scripted engines: every way to lose is named, clocks are measured, moves are kept."""

import asyncio
import sys
from pathlib import Path

import chess
import pytest

from tests.arena_runs import scripted
from zobra.arena import player as players
from zobra.arena.adjudication import AdjudicationRules
from zobra.arena.clock import TimeControl
from zobra.arena.engines import EngineSpec
from zobra.arena.game import EngineSet
from zobra.arena.game_record import GameRecord
from zobra.arena.openings import Opening
from zobra.arena.player import EngineFailure, EnginePlayer
from zobra.arena.protocol import Features, XBoard
from zobra.arena.settings import Pairing, Settings

START = Opening(chess.STARTING_FEN)
LATE_XBOARD = """
for line in iter(input, "quit"):
    if line.startswith("protover"):
        print('feature ping=1 setboard=1 usermove=1 colors=0 sigint=0 sigterm=0 done=1')
    elif line.startswith("ping"):
        print("pong" + line[4:])
    elif line == "?":
        print("move e7e5")
"""

PLAYING_XBOARD = """
import sys, time, chess
log, behaviour = open(sys.argv[1], "a"), sys.argv[2]
for line in sys.stdin:
    print(line, end="", file=log, flush=True)
    word, *rest = line.split()
    if word == "protover":
        print("feature ping=1 setboard=1 usermove=1 colors=0 sigint=0 sigterm=0 memory=1 smp=1 done=1", flush=True)
    elif word == "ping":
        print("pong", *rest, flush=True)
    elif word == "new":
        board = chess.Board()
    elif word == "usermove":
        board.push_uci(rest[0])
    elif word == "go" and behaviour == "illegal":
        print("move e1e8", flush=True)
    elif word == "go":
        move = min(board.legal_moves, key=chess.Move.uci)
        board.push(move)
        print("move", move, flush=True)
        time.sleep(0.6 if behaviour == "busy" else 0)
    elif word == "quit":
        break
"""


def playing_xboard(log: Path, behaviour: str = "plain", **more) -> EngineSpec:
    return EngineSpec("W", (sys.executable, "-c", PLAYING_XBOARD, str(log), behaviour), protocol="xboard", **more)


def play(
    white: EngineSpec, black: EngineSpec, time_control: str = "20", opening: Opening = START, games: int = 1, **more
) -> tuple[GameRecord, set[str]]:
    """Plays games between the two: the last one, and the engines that run after it."""
    more = {"rules": AdjudicationRules(move_limit=6)} | more
    engines = EngineSet(Settings((white, black), time_control, 1, **more))

    async def run():
        try:
            for index in range(games):
                record = await engines.play(Pairing(index, 0, 1, "W", "B", opening))
            return record, set(engines._players)
        finally:
            await engines.kill()

    return asyncio.run(run())


W, B = scripted("W"), scripted("B")


def test_an_ordinary_game():
    record, running = play(scripted("W", "--score", "cp 31"), scripted("B", "--score", "mate -2"))
    assert running == {"W", "B"}
    assert (record.result, record.reason, len(record.moves)) == ("1/2-1/2", "move limit", 12)
    board = chess.Board()
    for ply, played in enumerate(record.moves):
        assert played.move == min(board.legal_moves, key=board.uci)
        board.push(played.move)
        assert (played.score, played.mate) == ((31, None), (None, -2))[ply % 2]
        assert (played.depth, played.nodes) == (5, 99) and 0 <= played.milliseconds < 20_000
        assert 20_000 - 13 * 1000 < played.clock_ms <= 20_000
    assert record.start and record.duration > 0


@pytest.mark.parametrize(
    "arguments, reason, detail, usable",
    [
        (("--crash", "3"), "disconnect", "exit code 7; it said: the reason of the crash", False),
        (("--illegal", "3"), "illegal move", "e1e8", True),
        (("--null", "3"), "illegal move", "(none)", True),
    ],
)
def test_a_game_is_lost_by_misbehaviour(arguments, reason, detail, usable):
    record, running = play(W, scripted("B", *arguments))
    assert (record.result, record.reason, record.detail, len(record.moves)) == ("1-0", reason, detail, 5)
    assert running == ({"W", "B"} if usable else {"W"})
    record, _ = play(scripted("W", *arguments), B)
    assert (record.result, record.reason, len(record.moves)) == ("0-1", reason, 4)


def test_an_engine_that_overruns_its_clock_loses_by_the_overshoot():
    record, running = play(W, scripted("B", "--late", "2", "--late-ms", "1200"), "0.8")
    assert (record.result, record.reason, len(record.moves)) == ("1-0", "time", 3)
    assert running == {"W", "B"}
    over = int(record.detail.removesuffix(" ms over"))
    assert over >= 390


def test_an_xboard_engine_that_overruns_its_clock_and_obeys_is_late_and_usable():
    late = EngineSpec("B", (sys.executable, "-u", "-c", LATE_XBOARD), protocol="xboard")
    record, running = play(W, late, "0.5")
    assert (record.result, record.reason, len(record.moves)) == ("1-0", "time", 1)
    assert running == {"W", "B"}


def test_a_late_move_that_comes_before_the_stop_is_a_loss_on_time_too():
    record, _ = play(scripted("W", "--late", "2", "--late-ms", "650"), B, "movetime=500")
    assert (record.result, record.reason) == ("0-1", "time")
    assert int(record.detail.removesuffix(" ms over")) >= 140


def test_a_margin_forgives_lateness():
    record, running = play(scripted("W", "--late", "2", "--late-ms", "150"), B, "movetime=100", margin_ms=5000)
    assert (record.reason, running) == ("move limit", {"W", "B"})


def test_an_engine_that_hangs_stalls(monkeypatch):
    monkeypatch.setattr(players, "LATE_TIME", 0.3)
    record, running = play(W, scripted("B", "--hang", "2"), "1.5")
    assert (record.result, record.reason, len(record.moves)) == ("1-0", "stall", 3)
    assert "stop not obeyed" in record.detail
    assert running == {"W"}


def test_an_engine_that_stops_answering_pings_stalls():
    record, running = play(W, scripted("B", "--stall", "2"), "9", stall_seconds=0.5)
    assert (record.result, record.reason, record.detail) == ("1-0", "stall", "no answer to a ping in 0.5 s")
    assert running == {"W"}


def test_without_a_clock_patience_ends(monkeypatch):
    monkeypatch.setattr(players, "LATE_TIME", 0.3)
    record, _ = play(scripted("W", "--hang", "1"), B, "nodes=5", stall_seconds=0.5)
    assert (record.result, record.reason) == ("0-1", "stall")


def test_a_usable_engine_plays_on_after_its_loss():
    record, _ = play(W, scripted("B", "--illegal", "3"), games=2)
    assert (record.index, record.reason, len(record.moves)) == (1, "illegal move", 5)


def test_an_xboard_engine_plays_on_after_an_illegal_move(tmp_path):
    record, running = play(playing_xboard(tmp_path / "log", "illegal"), B, games=2, stall_seconds=5)
    assert (record.index, record.reason, record.detail) == (1, "illegal move", "e1e8")
    assert running == {"W", "B"}


@pytest.mark.parametrize(
    ("options", "cores"), [({}, "1"), ({"cores": "2", "memory": "16"}, "2"), ({"cores": 1, "memory": 16}, "1")]
)
def test_an_xboard_engine_is_told_its_settings_once(tmp_path, options, cores):
    record, _ = play(playing_xboard(tmp_path / "log", options=options), B, rules=AdjudicationRules(move_limit=3))
    assert (record.reason, len(record.moves)) == ("move limit", 6)
    told = [line for line in (tmp_path / "log").read_text().splitlines() if line.startswith(("cores", "memory"))]
    assert sorted(told) == [f"cores {cores}"] + ["memory 16"] * ("memory" in options)


def test_an_xboard_move_in_time_counts_although_the_engine_is_busy_after_it(tmp_path):
    record, running = play(playing_xboard(tmp_path / "log", "busy"), B, "movetime=300", rules=AdjudicationRules(move_limit=1))
    assert (record.reason, running) == ("move limit", {"W", "B"})


def test_engines_are_told_the_time_and_the_moves(tmp_path):
    log = tmp_path / "log"
    opening = Opening(chess.STARTING_FEN, ("e2e4", "e7e5"))
    white = scripted("W", "--log", str(log), options={"Hash": "2"}, time_odds=0.5)
    record, _ = play(white, B, "40/60+1", opening, rules=AdjudicationRules(move_limit=3))
    assert len(record.moves) == 4
    lines = log.read_text().splitlines()
    assert "setoption name Hash value 2" in lines
    assert lines.count("ucinewgame") == 1
    positions = [line for line in lines if line.startswith("position")]
    assert positions[0] == "position startpos moves e2e4 e7e5"
    assert positions[1] == f"position startpos moves e2e4 e7e5 {record.moves[0].move} {record.moves[1].move}"
    go = [line for line in lines if line.startswith("go")]
    assert go[0] == "go wtime 30000 btime 60000 winc 500 binc 1000 movestogo 40"
    assert go[1].endswith("movestogo 39")
    assert lines.count("isready") >= 4


@pytest.mark.parametrize("text", ["false", "False", "0"])
def test_what_is_to_be_off_is_off(tmp_path, text):
    log = tmp_path / "log"
    play(scripted("W", "--log", str(log), options={"Caution": text}), B, rules=AdjudicationRules(move_limit=1))
    assert "setoption name Caution value false" in log.read_text().splitlines()


@pytest.mark.parametrize(("options", "threads"), [({}, "1"), ({"Threads": "3"}, "3")])
def test_engines_think_with_one_thread_unless_told_otherwise(tmp_path, options, threads):
    log = tmp_path / "log"
    play(scripted("W", "--log", str(log), options=options), B, rules=AdjudicationRules(move_limit=1))
    told = [line for line in log.read_text().splitlines() if "threads" in line.lower()]
    assert [line.split()[-1] for line in told] == [threads]


def test_an_xboard_engine_is_not_asked_for_nodes_that_it_cannot_count():
    spec = EngineSpec("x", ("x",), protocol="xboard")
    for nps, control, problem in (
        (1, "nodes=9", ""),
        (1, "10 nodes=9", "not both"),
        (0, "nodes=9", "cannot be held to a number"),
    ):
        protocol = XBoard.__new__(XBoard)
        protocol.features = Features(setboard=1, nps=nps)
        player = EnginePlayer(spec, None, protocol, 5)
        if not problem:
            player.check_able(False, True, TimeControl.parse(control))
            continue
        with pytest.raises(EngineFailure, match=problem):
            player.check_able(False, True, TimeControl.parse(control))


def test_chess960_castles_by_taking_the_rook():
    fen = "bnrkbrqn/pppppppp/8/8/8/8/PPPPPPPP/5KR1 w G - 0 1"
    record, running = play(
        scripted("W", "--last"), B, opening=Opening(fen), chess960=True, rules=AdjudicationRules(move_limit=1),
    )  # fmt: skip
    assert running == {"W", "B"} and record.opening["root"] == fen
    board = chess.Board(fen, chess960=True)
    legal = sorted(board.uci(move) for move in board.legal_moves)
    assert "f1g1" in legal
    assert record.moves[0].move.uci() == legal[-1]


def test_a_game_that_is_over_at_once():
    record, running = play(W, B, opening=Opening("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"))
    assert (record.result, record.reason, record.moves, running) == ("1/2-1/2", "stalemate", [], {"W", "B"})


@pytest.mark.parametrize(
    "spec, problem",
    [
        (EngineSpec("x", ("no-such-program",)), "no program no-such-program"),
        (EngineSpec("x", (sys.executable, "-c", "import sys; sys.exit('sorry')")), "sorry"),
        (scripted("x", options={"Nonsense": "1"}), "does not support option Nonsense"),
        (scripted("x", options={"Hash": "lots"}), "Hash"),
        (scripted("x", options={"Caution": "maybe"}), "option Caution is true or false, not 'maybe'"),
    ],
)
def test_an_engine_that_cannot_be_started_says_why(spec, problem):
    with pytest.raises(EngineFailure) as failure:
        asyncio.run(EnginePlayer.start(spec, 5))
    assert failure.value.reason == "disconnect"
    assert problem in failure.value.detail


def test_an_engine_that_never_comes_up(monkeypatch):
    monkeypatch.setattr(players, "START_TIME", 0.5)
    with pytest.raises(EngineFailure, match="did not come up as a uci engine"):
        asyncio.run(EnginePlayer.start(scripted("x", "--no-uciok"), 5))

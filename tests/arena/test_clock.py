"""Time controls and clocks."""

import chess
import chess.engine
import pytest

from zobra.arena.model.clock import GameClock, TimeControl, engine_limit


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("10+0.1", TimeControl(base_ms=10_000, increment_ms=100)),
        ("40/60", TimeControl(base_ms=60_000, moves=40)),
        ("40/1:30+0.5", TimeControl(base_ms=90_000, increment_ms=500, moves=40)),
        (".5", TimeControl(base_ms=500)),
        ("movetime=100", TimeControl(movetime=100)),
        ("nodes=5000", TimeControl(nodes=5000)),
        ("depth=8", TimeControl(depth=8)),
        ("60+1 depth=8", TimeControl(base_ms=60_000, increment_ms=1000, depth=8)),
    ],
)
def test_texts(text, control):
    assert TimeControl.parse(text) == control
    assert TimeControl.parse(str(control)) == control


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("5+3", "5 s + 3 s per move"),
        ("300+3", "5 min + 3 s per move"),
        ("90", "90 s"),
        ("40/60", "40 moves in 1 min"),
        ("movetime=100", "0.1 s per move"),
        ("nodes=5000 depth=8", "5,000 nodes per move, depth 8"),
    ],
)
def test_time_controls_in_words(text, words):
    assert TimeControl.parse(text).in_words() == words


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fast",
        "10+",
        "0",
        "nodes=0",
        "1+1 movetime=5",
        "40/",
        "-1",
        "depth=x",
        "1+1+1",
        "0/9",
        "9" * 400,
        "9" * 400 + ":1",
        "nodes=" + "9" * 400,
    ],
)
def test_bad_texts_are_named(text):
    with pytest.raises(ValueError, match="time control"):
        TimeControl.parse(text)


def test_odds_scale_time_and_nodes():
    parse = TimeControl.parse
    assert parse("40/10+0.1").scaled(0.5) == parse("40/5+0.05")
    assert parse("nodes=1000 depth=9").scaled(2) == parse("nodes=2000 depth=9")


@pytest.mark.parametrize(
    ("control", "margin", "moves"),  # the time of each move, its lateness, and what remains
    [
        ("1+0.5", 0, [(400, 0, 1100), (1100, 0, 500), (535.9, 35, 500)]),
        ("1", 0, [(1000.9, 0, 0), (1, 1, 0)]),  # a part of a millisecond is no loss
        ("1", 50, [(1040, 0, 0), (60, 60, 0)]),  # a margin forgives but gives no time
        ("movetime=100", 0, [(90, 0, None), (100, 0, None), (117, 17, None)]),
    ],
)
def test_a_clock_runs_down(control, margin, moves):
    clock = GameClock(TimeControl.parse(control), margin)
    assert clock.allowance_ms() == (clock.remaining_ms or clock.control.movetime) + margin
    for spent, late, remaining in moves:
        assert clock.spend(spent) == late
        assert clock.remaining_ms == remaining


def test_a_limit_of_nodes_allows_any_time():
    assert GameClock(TimeControl.parse("nodes=5"), 50).allowance_ms() is None


def test_a_period_of_moves_brings_new_time():
    clock = GameClock(TimeControl.parse("2/1"))
    for remaining, moves_to_go in ((1000, 2), (700, 1), (1400, 2), (1100, 1)):
        assert (clock.remaining_ms, clock.moves_to_go) == (remaining, moves_to_go)
        clock.spend(300)


def test_what_engines_are_sent():
    clocks = {
        chess.WHITE: GameClock(TimeControl.parse("40/60+1")),
        chess.BLACK: GameClock(TimeControl.parse("5+0.1 nodes=7")),
    }
    own = {"white_clock": 60, "white_inc": 1, "black_clock": 5, "black_inc": 0.1, "clock_id": 3}
    assert engine_limit(clocks, chess.BLACK, 3) == chess.engine.Limit(nodes=7, **own)
    assert engine_limit(clocks, chess.WHITE, 3) == chess.engine.Limit(remaining_moves=40, **own)
    clocks[chess.WHITE] = GameClock(TimeControl.parse("movetime=250"))
    assert engine_limit(clocks, chess.WHITE, 3) == chess.engine.Limit(time=0.25, clock_id=3)

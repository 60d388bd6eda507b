"""Reading EPD suites: every goal as python-chess reads it, and every broken line named."""

import re

import chess
import pytest

from tests.support.paths import ROOT, SHARED
from zobra.arena.formats.epd import read_epd
from zobra.arena.formats.game_source import open_source
from zobra.arena.model.suite_positions import (
    read_position,
    read_suites,
    suite_position,
    why_unsolved,
)

DATA = SHARED / "data"
SUITES = [ROOT / "examples" / "suite.epd"]
SUITES += sorted([*(DATA / "tactics").glob("*.epd"), *(DATA / "strategy").glob("*.epd")])
DESTRUCTIVE = DATA / "robustness" / "destruction_test.epd"
STARTING_EPD = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


@pytest.mark.parametrize("path", SUITES, ids=lambda path: path.stem)
def test_verdicts_are_those_of_python_chess(path):
    """The suite in examples/, and those of ../shared where that folder is there."""
    positions, bad_lines = read_suites([path])
    assert not bad_lines
    lines = path.read_text(encoding="utf-8").splitlines()
    for position, line in zip(positions, lines, strict=True):
        board, operations = chess.Board.from_epd(line)
        assert position.fen == board.fen()
        best = operations.get("bm", [])
        avoid = operations.get("am", [])
        others = [move for move in board.legal_moves if move not in best + avoid][:3]
        for move in best + avoid + others:
            solved = (not best or move in best) and move not in avoid
            why = why_unsolved(position, board.uci(move))
            assert (why == "") == solved, f"{path.name}:{position.line} {move}: {why}"
        if path.stem == "sts_half":  # its points stand in a comment too
            points = {}
            for item in str(operations["c0"]).split(","):
                san, number = item.strip().rsplit("=", 1)
                points[board.uci(board.parse_san(san))] = int(number)
            assert dict(position.points) == points


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (
            f'{STARTING_EPD} bm e4 d4; am f3; dm 3; id "all"; c8 "10 4"; c9 "e2e4 g1f3";',
            {
                "file": "suite.epd",
                "line": 12,
                "name": "all",
                "best": ("e2e4", "d2d4"),
                "avoid": ("f2f3",),
                "mate_in": 3,
                "points": (("e2e4", 10), ("g1f3", 4)),
            },
        ),
        (
            '4k3/P7/8/8/8/8/8/4K3 w - - c0 "a8=Q+=10, Kd2=3";',
            {"points": (("a7a8q", 10), ("e1d2", 3))},
        ),
        (
            f'{STARTING_EPD} bm e4; c0 "Fischer, Reykjavik 1972";',
            {"points": (), "name": "suite:12"},
        ),
        (
            "4k3/8/8/8/8/8/8/4KQ2 w - - 42 77 bm Qf6;",
            {"fen": "4k3/8/8/8/8/8/8/4KQ2 w - - 42 77", "best": ("f1f6",)},
        ),
        ("4k2r/8/8/8/8/8/8/5K1R w Kk - bm O-O;", {"chess960": True, "best": ("f1h1",)}),
    ],
)
def test_what_lines_mean(line, found):
    position = read_position(line, "suite.epd", 12)
    assert {name: getattr(position, name) for name in found} == found
    assert position.board().is_valid()


@pytest.mark.parametrize(
    ("operations", "problem"),
    [
        ("", "nothing to solve"),
        ('id "nothing";', "nothing to solve"),
        ("bm e5;", "e5"),
        ("am Ke2;", "Ke2"),
        ("bm;", "bm needs moves"),
        ("bm 5;", "bm needs moves"),
        ("bm Sf3;", "bm needs moves, not 'Sf3'"),
        ("bm e4 + ++;", "bm needs moves, not 'e4+++'"),
        ("bm e4; bm d4;", "two operations bm"),
        ("bm e4 bm d4;", "two operations bm"),
        ("am e4; am e4;", "two operations am"),
        ("dm 3; dm 4;", "two operations dm"),
        ("dm 0;", "dm needs a number of moves"),
        ("dm x;", "dm needs an integer"),
        ("dm 1.5;", "dm needs an integer"),
        ('c8 "1 2"; c9 "e2e4";', "c8 gives 2 numbers for the 1 moves of c9"),
        ('c8 "1"; c9 "e2e5";', "c9: "),
        ('c0 "e4=10, Ke2=3";', "c0: illegal move Ke2"),
        ("bm e4; hmvc many;", "hmvc needs an integer"),
    ],
)
def test_operations_that_a_suite_needs_must_be_right(operations, problem):
    with pytest.raises(ValueError, match=re.escape(problem)):
        read_position(f"{STARTING_EPD} {operations}")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("garbage", "at least 4 fields"),
        ("\x00\x01\ufffd;;; \x7f", "at least 4 fields"),
        ("8/8/8/8/8/8/8/8 w - - bm e4;", "the board is empty"),
        ("kk6/8/8/8/8/8/8/K7 w - - dm 1;", "Black has more than one king"),
        ("4k3/8/8/8/8/8/8/K7 w - - bm Kb1 Kxe8;", "Kxe8"),
        ("k7/8/1Q6/8/8/8/8/K7 b - - dm 1;", "no legal move"),
    ],
)
def test_positions_that_cannot_be_are_refused(line, problem):
    with pytest.raises(ValueError, match=problem):
        read_position(line)


def test_broken_lines_are_listed_and_the_rest_is_read(tmp_path):
    path = tmp_path / "mixed.epd"
    good = f"{STARTING_EPD} bm e4;"
    text = f"# comment\r\n{good}\r\n\r\nbroken\r\n{good}\r\n"
    path.write_bytes(text.encode("utf-8-sig") + b"\xff\xfe bm\n")
    positions, bad_lines = read_suites([path])
    assert [position.line for position in positions] == [2, 5]
    assert [bad.line for bad in bad_lines] == [4, 6]
    assert (bad_lines[0].file, bad_lines[0].text) == (str(path), "broken")


@pytest.mark.skipif(
    not DESTRUCTIVE.exists(), reason="../shared/data/robustness/destruction_test.epd is not there"
)
def test_a_file_of_broken_lines_breaks_nothing():
    positions, bad_lines = read_suites([DESTRUCTIVE])
    lines = [line for line in DESTRUCTIVE.read_text(errors="replace").split("\n") if line.strip()]
    assert len(positions) + len(bad_lines) == len(lines)
    assert all(bad.problem for bad in bad_lines)


@pytest.mark.parametrize(
    ("operations", "kept"),
    [
        ("bm e4; noop any words here;", {"noop": "any words here"}),
        ('bm e4; ptp Event "x y" Site "z";', {"ptp": "Event x y Site z"}),
        ("bm e4; refreq soon; eco A00", {"refreq": "soon", "eco": "A00"}),
        ("bm e4; id START.001;", {"id": "START.001"}),
        ("bm e4; acd 20+; ce 1e400;", {"acd": "20+", "ce": "1e400"}),
        ('bm e4; c0 "a;b \\"c\\""; c1 "open', {"c0": 'a;b "c"', "c1": "open"}),
        ("bm e4; pv e5 e4; sm Ke2;", {"pv": "e5 e4", "sm": "Ke2"}),
        ("bm e4;;  ; draw_offer", {"draw_offer": ""}),
        ("bm e4!; id x\0\0", {"id": "x"}),
    ],
)
def test_operations_that_nobody_needs_are_kept_as_text(operations, kept):
    record = read_epd(f"{STARTING_EPD} {operations}")
    position = suite_position(record)
    assert position.best == ("e2e4",)
    assert {name: record.operations[name] for name in kept} == kept


@pytest.mark.parametrize(
    ("line", "best", "kept"),
    [
        ("4k3/8/8/8/8/8/8/3QK3 w - - bm Qa4 +; c0 x", ("d1a4",), {"c0": "x"}),
        ("4k3/2P5/8/8/8/8/8/4K3 w - - ; bm c8 = Q + c8 = R +;", ("c7c8q", "c7c8r"), {}),
        ("4k3/8/8/8/8/8/4P3/4K3 w - -3 9 bm e4", ("e2e4",), {}),
        ("4k3/8/8/8/8/8/4P3/4K3 w - -3 ; bm e4", ("e2e4",), {}),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - - bm e4; dm 9", ("e2e4",), {"dm": "9"}),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 3 9 bm e4 Kd2 dm 9", ("e2e4", "e1d2"), {"dm": "9"}),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - am e3 bm e4 id No. 7;", ("e2e4",), {"id": "No. 7"}),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; c0 bm e3 dm 4;", ("e2e4",), {"c0": "bm e3 dm 4"}),
    ],
)
def test_what_is_meant_is_read(line, best, kept):
    """Lines as they are found in public collections: blanks or semicolons too many or too few."""
    record = read_epd(line)
    assert suite_position(record).best == best
    assert {name: record.operations[name] for name in kept} == kept
    if "-3" in line or "3 9" in line:
        assert record.board.halfmove_clock == 3


def test_a_castling_letter_that_stands_twice_counts_once():
    record = read_epd("4k2r/8/8/8/8/8/8/4K2R w Kkk - bm O-O;")
    assert record.board.castling_xfen() == "Kk"
    assert record.notices == ("castling rights Kkk are read as Kk",)


@pytest.mark.parametrize("comment", ["eval=3", "Fischer=1972", "x=1, y=2"])
def test_comments_that_are_no_points(comment):
    assert read_position(f'{STARTING_EPD} bm e4; c0 "{comment}";').points == ()


@pytest.mark.parametrize(
    ("fields", "clocks"),
    [("", (0, 1)), ("3 9", (3, 9)), ("3; 9;", (3, 9)), ("3", (3, 1)), ("hmvc 3; fmvn 9;", (3, 9))],
)
def test_clocks(fields, clocks):
    board = read_epd(f"{STARTING_EPD} {fields}").board
    assert (board.halfmove_clock, board.fullmove_number) == clocks


@pytest.mark.parametrize(("move", "uci"), [("e1g1", "e1g1"), ("O-O", "e1g1"), ("0-0-0", "e1c1")])
def test_castling_in_either_notation(move, uci):
    assert read_position(f"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - bm {move};").best == (uci,)


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("8/7B/8/8/4k3/8/8/1B2K3 b - - bm Ke5;", chess.STATUS_IMPOSSIBLE_CHECK),
        ("8/8/8/R3k3/8/8/8/B3RK2 b - - bm Kd6;", chess.STATUS_TOO_MANY_CHECKERS),
    ],
)
def test_double_checks_that_cannot_arise_are_played_and_analysed(line, status, tmp_path):
    position = read_position(line)
    assert position.board().status() & status
    assert len(position.best) == 1
    path = tmp_path / "check.epd"
    path.write_text(line)
    (game,) = open_source([str(path)]).games()
    assert game.board().status() & status

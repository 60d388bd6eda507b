"""Reading EPD suites: every goal as python-chess reads it, and every broken line named."""

from pathlib import Path

import chess
import pytest

from zobra.arena.model.suite_positions import read_position, read_suites, why_unsolved

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
SUITES = sorted(
    path for folder in ("tactics", "strategy") for path in (DATA / folder).glob("*.epd")
)
STARTING_EPD = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"

needs_suites = pytest.mark.skipif(
    not SUITES, reason="the test suites of ../shared/data are not there"
)


@needs_suites
@pytest.mark.parametrize("path", SUITES, ids=lambda path: path.stem)
def test_verdicts_are_those_of_python_chess(path):
    positions, bad_lines = read_suites([path])
    assert not bad_lines
    for position, line in zip(
        positions, path.read_text(encoding="utf-8").splitlines(), strict=True
    ):
        board, operations = chess.Board.from_epd(line)
        assert position.fen == board.fen()
        best, avoid = operations.get("bm", []), operations.get("am", [])
        others = [move for move in board.legal_moves if move not in best + avoid][:3]
        for move in best + avoid + others:
            solved = (not best or move in best) and move not in avoid
            why = why_unsolved(position, board.uci(move))
            assert (why == "") == solved, f"{path.name}:{position.line} {move}: {why}"
        if path.stem == "sts_half":  # its points stand in a comment too
            pairs = (item.strip().rsplit("=", 1) for item in str(operations["c0"]).split(","))
            assert dict(position.points) == {
                board.uci(board.parse_san(san)): int(points) for san, points in pairs
            }


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
            }
            | {"points": (("e2e4", 10), ("g1f3", 4))},
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
    assert {
        name: getattr(position, name) for name in found
    } == found and position.board().is_valid()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("garbage", "at least 4 fields"),
        (f"{STARTING_EPD} bm e5;", "e5"),
        (f"{STARTING_EPD} am Ke2;", "Ke2"),
        (f"{STARTING_EPD} bm 5;", "bm needs moves"),
        (f"{STARTING_EPD} dm 0;", "dm needs a number of moves"),
        (f"{STARTING_EPD} dm x;", ""),
        (f'{STARTING_EPD} id "nothing";', "nothing to solve"),
        (STARTING_EPD, "nothing to solve"),
        (f'{STARTING_EPD} c8 "1 2"; c9 "e2e4";', "c8 gives 2 numbers for the 1 moves of c9"),
        (f'{STARTING_EPD} c8 "1"; c9 "e2e5";', "c9: "),
        ("8/8/8/8/8/8/8/8 w - - bm e4;", ""),
        ("4k3/8/8/8/8/8/8/K7 w - - bm Kb1 Kxe8;", "Kxe8"),
        ("k7/8/1Q6/8/8/8/8/K7 b - - dm 1;", "no legal move"),
        ("kk6/8/8/8/8/8/8/K7 w - - dm 1;", "too many kings"),
        ("\x00\x01\ufffd;;; \x7f", ""),
    ],
)
def test_broken_lines_say_what_is_wrong(line, problem):
    with pytest.raises(ValueError) as caught:
        read_position(line)
    assert problem in str(caught.value)


def test_broken_lines_are_listed_and_the_rest_is_read(tmp_path):
    path = tmp_path / "mixed.epd"
    good = f"{STARTING_EPD} bm e4;"
    path.write_bytes(
        f"# comment\r\n{good}\r\n\r\nbroken\r\n{good}\r\n".encode("utf-8-sig") + b"\xff\xfe bm\n"
    )
    positions, bad_lines = read_suites([path])
    assert ([position.line for position in positions], [bad.line for bad in bad_lines]) == (
        [2, 5],
        [4, 6],
    )
    assert (bad_lines[0].file, bad_lines[0].text) == (str(path), "broken")


@pytest.mark.skipif(
    not (DATA / "robustness").is_dir(), reason="../shared/data/robustness is not there"
)
def test_a_file_of_broken_lines_breaks_nothing():
    path = DATA / "robustness" / "destruction_test.epd"
    positions, bad_lines = read_suites([path])
    lines = [line for line in path.read_text(errors="replace").split("\n") if line.strip()]
    assert len(positions) + len(bad_lines) == len(lines)
    assert all(bad.problem for bad in bad_lines)

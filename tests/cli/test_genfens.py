"""`zobra genfens`: legal, balanced and different openings, the same for one seed."""

import chess
import pytest

from tests.support.arena_runs import run
from tests.support.commands import zobra
from zobra.cli.genfens import MARGIN, NODES, openings
from zobra.engine.fen import parse_fen
from zobra.engine.position import Game
from zobra.search.limits import Limits, Report
from zobra.search.searcher import Searcher

LOST = "4k3/8/8/8/8/8/8/QQQ1K3 w - - 0 1"
BLOCKED = "8/8/8/3k4/3p4/3P4/3K4/8 w - -"  # few positions can arise from it
EVEN = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -"


def boards_of(fens: list[str]) -> list[chess.Board]:
    boards = [chess.Board(fen) for fen in fens]
    assert all(board.is_valid() and not board.is_game_over() for board in boards)
    return boards


def test_openings_are_legal_balanced_and_different():
    fens = list(openings(100, 7, "None"))
    assert len({board.epd() for board in boards_of(fens)}) == 100
    searcher = Searcher(1)
    for fen in fens:
        reports: list[Report] = []
        searcher.clear()
        searcher.search(Game(parse_fen(fen)), Limits(nodes=NODES), reports.append)
        assert abs(reports[-1].score) <= MARGIN, fen


def test_one_seed_gives_the_same_openings():
    first = list(openings(20, 7, "none"))
    longer = list(openings(30, 7, "none"))
    other = list(openings(20, 8, "none"))
    assert longer[:20] == first
    assert not set(first) & set(other)


def test_no_opening_comes_twice(tmp_path):
    book = tmp_path / "book.epd"
    book.write_text(BLOCKED)
    fens = list(openings(40, 1, str(book)))
    assert len(fens) == len(set(fens)) == 40


def test_a_book_without_a_balanced_opening_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("zobra.cli.genfens.TRIES", 20)
    book = tmp_path / "book.epd"
    book.write_text(LOST)
    with pytest.raises(ValueError, match="no balanced opening"):
        list(openings(1, 1, str(book)))


def test_a_book_is_read_as_matches_read_it(tmp_path):
    book = tmp_path / "book.epd"
    lines = ["\ufeff# a remark", f"{EVEN} eco C44;", f"{EVEN} 2 3;", "nothing"]
    book.write_text("\n".join(lines), encoding="utf-8")
    problems: list[str] = []
    assert len(boards_of(list(openings(20, 1, str(book), problems.append)))) == 20
    (problem,) = problems
    assert problem.startswith(f"{book}:4: a position has at least 4 fields")
    done = zobra(f"genfens 20 seed 1 book {book}")
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == 20
    assert done.stderr == f"{problem}\n"


def test_as_openbench_calls_it():
    done = zobra("genfens 3 seed 42 book None", "quit")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("info string genfens ") for line in lines)
    fens = [line.removeprefix("info string genfens ") for line in lines]
    boards_of(fens)

    book = zobra("genfens", "3", "seed", "42", "--epd").stdout.splitlines()
    assert book == [" ".join(fen.split()[:4]) for fen in fens]


@pytest.mark.parametrize("words", ["x seed 1", "0 seed 1", "2 seed x book None"])
def test_bad_words_are_named(words):
    assert "Invalid value" in run("genfens", *words.split(), code=2)

"""The bench: positions of files, and what is counted."""

import pytest

from zobra.engine.fen import START
from zobra.engine.perft import PerftStopped
from zobra.search.bench import POSITIONS, read_positions, run
from zobra.search.bench_conditions import Conditions
from zobra.search.searcher import Searcher

MATE_IN_1 = "6k1/5ppp/8/8/8/8/8/K2R4 w - -"


@pytest.fixture
def book(tmp_path):
    """Writes a file, and returns its name."""

    def write(content: bytes) -> str:
        path = tmp_path / "book.epd"
        path.write_bytes(content)
        return str(path)

    return write


def test_files_have_fen_or_epd_lines(book):
    lines = f'\ufeff{START}\r\n\n# a comment\n{MATE_IN_1} bm Rd8#; id "1";\n{MATE_IN_1} 3;\n'
    found = read_positions(book(lines.encode()))
    assert found == (START, MATE_IN_1, f"{MATE_IN_1} 3")
    assert read_positions("default") == POSITIONS


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "this file has no positions"),
        (b"# nothing\n", "this file has no positions"),
        (START.encode() + b"\n8/8/8/8 w - -\n", ":2: the board has 8 ranks"),
        (b"\xff\xfe\n", "not UTF-8 text"),
    ],
)
def test_files_that_cannot_be_read_are_named(content, problem, book):
    with pytest.raises(ValueError, match="book.epd.*" + problem):
        read_positions(book(content))


def test_a_file_that_is_not_there_is_named(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere.epd"):
        with pytest.raises(ValueError, match=str(path)):
            read_positions(str(path))


def test_perft_counts_leaves(book):
    conditions = Conditions(1, 1, 3, book(f"{START}\n{START}\n".encode()), "perft")
    first, second, total = run(Searcher(1), conditions)
    assert first == f"1/2 8902 nodes: {START}" and second.startswith("2/2 8902 nodes")
    assert total.startswith("17804 nodes ")
    with pytest.raises(PerftStopped):
        next(run(Searcher(1), conditions, lambda: True))


@pytest.mark.parametrize(("kind", "limit"), [("nodes", 500), ("depth", 3), ("movetime", 5)])
def test_limits_of_each_kind(kind, limit, book):
    name = book(f"{START}\n{MATE_IN_1}\n".encode())
    *lines, total = run(Searcher(1), Conditions(1, 1, limit, name, kind))
    counts = [int(line.split()[1]) for line in lines]
    assert int(total.split()[0]) == sum(counts) and all(counts)
    if kind == "nodes":
        assert counts[0] <= 500

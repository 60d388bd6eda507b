"""Opening books."""

import re
import zipfile
from pathlib import Path

import chess
import chess.polyglot
import pytest

from zobra.arena.model.openings import (
    MOST_RANDOM_PLIES,
    RANDOM,
    SEQUENTIAL,
    Opening,
    opening_source,
)


def openings(path: Path | None, count: int, **how) -> list[Opening]:
    return list(map(opening_source(path, count, **how), range(count)))


FENS = [
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1",
]
PGN = """[Event "a"]
[Opening "King's pawn"]

1. e4 e5 2. Nf3 Nc6 *

[Event "b"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]

1. e4 Kd7 *

"""


def test_epd_in_order(tmp_path):
    epd = tmp_path / "book.epd"
    lines = ["# a comment", f"{FENS[0]};", "", f'{FENS[1][:-4]} hmvc 0; fmvn 1; id "queen";']
    lines.append(f"{FENS[2]} eco A04;")
    epd.write_text("\n".join(lines))
    found = openings(epd, 5)
    assert [opening.fen for opening in found] == [*FENS, *FENS[:2]]
    assert [opening.name for opening in found[:2]] == ["book:2", "queen"]


def test_epd_at_random(tmp_path):
    """The seed fixes the order, which uses all lines before any twice."""
    epd = tmp_path / "book.epd"
    epd.write_text("\n".join(FENS))
    orders = set()
    for seed in range(20):
        found = openings(epd, 3, order=RANDOM, seed=seed)
        orders.add(tuple(opening.fen for opening in found))
    assert len(orders) > 2
    assert all(set(order) == set(FENS) for order in orders)
    assert openings(epd, 6, order=RANDOM, seed=4) == openings(epd, 6, order=RANDOM, seed=4)


def test_pgn_games_are_openings_with_their_moves(tmp_path):
    path = tmp_path / "book.pgn"
    path.write_text(PGN)
    first, second = openings(path, 2, plies=3)
    moves = ("e2e4", "e7e5", "g1f3")
    assert (first.fen, first.moves, first.name) == (chess.STARTING_FEN, moves, "King's pawn")
    assert (second.fen, second.moves) == ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", ("e2e4", "e8d7"))
    board = second.board(chess960=False)
    assert (board.fen(), len(board.move_stack)) == ("8/3k4/8/8/4P3/8/8/4K3 w - - 1 2", 2)
    assert second.entry(False) == {
        "fen": board.fen(),
        "name": "book:2",
        "root": second.fen,
        "moves": ["e2e4", "e8d7"],
    }


START_960 = chess.Board.from_chess960_pos(3).fen()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1", "8 ranks, this one 7"),
        ("8/8/8/8/8/8/8/K7 w - - 0 1", "Black has no king"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "over in this position .stalemate"),
        ("7k/5R2/6K1/8/8/8/8/8 w - - 100 80", "over .*fifty-move rule"),
        ("bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w FCfc - 0 1", "Chess960"),
    ],
)
def test_a_bad_line_of_a_book_costs_itself(tmp_path, line, problem):
    path = tmp_path / "book.epd"
    path.write_text(f"{FENS[0]}\n{line}\n")
    source = opening_source(path, 2)
    assert source(0) == source(1)
    assert len(source.problems) == 1
    assert re.search(rf"book\.epd:2: .*{problem}", source.problems[0])
    # What is not needed is not judged
    assert opening_source(path, 1).problems == []


def test_a_bad_game_of_a_book_costs_itself(tmp_path):
    path = tmp_path / "book.pgn"
    path.write_text("1. e4 e5 *\n\n1. d4 d5 2. Ke3 *\n\n")
    source = opening_source(path, 2)
    assert source(0) == source(1)
    problem = "game 2 is left out: illegal move Ke3 at move 2"
    assert len(source.problems) == 1
    assert problem in source.problems[0]
    assert opening_source(path, 1).problems == []


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("book.epd", "\n", r"book\.epd: no openings"),
        (
            "book.pgn",
            f'[Variant "Chess960"]\n[FEN "{START_960}"]\n\n1. e4 e5 *\n',
            r"game 1 is left out: a Chess960 .* needs --chess960",
        ),
        (
            "book.pgn",
            '[Variant "Atomic"]\n\n1. e4 e5 *\n\n',
            r"book\.pgn: game 1 is left out: its variant is atomic",
        ),
        ("book.pgn", "any text\n\nand more\n", "game 1 is left out: not understood: any"),
        ("book.pgn", '[Event "x"]\n\n*\n\n[Event "y"]\n\n1-0\n', "1 is left out: it has no moves"),
        ("book.bin", "", "no move for the start position"),
    ],
)
def test_books_without_an_opening_are_refused(tmp_path, name, text, problem):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=problem):
        openings(tmp_path / name, 2)


def test_others_stand_in_for_bad_lines(tmp_path):
    path = tmp_path / "book.epd"
    bad = "8/8/8/8/8/8/8/8 w - - 0 1"
    path.write_text("\n".join([FENS[0], "bad", FENS[1], bad, FENS[2]]))
    source = opening_source(path, 3, order=SEQUENTIAL)
    assert [source(index).fen for index in range(4)] == [*FENS, FENS[0]]
    places = [problem.split(": ")[0] for problem in source.problems]
    assert places == [f"{path}:2", f"{path}:4"]
    for seed in range(10):
        source = opening_source(path, 3, order=RANDOM, seed=seed)
        assert {source(index).fen for index in range(3)} == set(FENS)


def test_what_is_dropped_is_said(tmp_path):
    path = tmp_path / "odds.epd"
    path.write_text("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w KQkq - 0 1\n")
    source = opening_source(path, 1)
    assert source(0).fen == "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w Kkq - 0 1"
    assert source.problems == [f"{path}:1: castling rights KQkq without king or rook are dropped"]


def test_pgn_games_of_chess960(tmp_path):
    path = tmp_path / "book.pgn"
    path.write_text(f'[Variant "Chess960"]\n[FEN "{START_960}"]\n[SetUp "1"]\n\n1. e4 e5 *\n\n')
    assert openings(path, 1, chess960=True)[0].moves == ("e2e4", "e7e5")
    # the start position, with its castling, is one of both
    path.write_text('[Variant "Chess960"]\n\n1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O *\n\n')
    (opening,) = openings(path, 1)
    assert opening.moves[-1] == "e1g1"
    assert opening.board(False).fen().split()[2] == "kq"


def polyglot_entry(weight: int, *line: str) -> bytes:
    """Return the entry of a book for the last move of a line."""
    board = Opening(chess.STARTING_FEN, line).board(False)
    move = board.pop()
    raw = move.to_square | move.from_square << 6
    key = chess.polyglot.zobrist_hash(board)
    return key.to_bytes(8, "big") + raw.to_bytes(2, "big") + weight.to_bytes(2, "big") + bytes(4)


def test_polyglot_walks(tmp_path):
    """A book of 1. e4 and 1. d4, weighted three to one, with one answer to each."""
    path = tmp_path / "book.bin"
    entries = [
        polyglot_entry(3, "e2e4"),
        polyglot_entry(1, "d2d4"),
        polyglot_entry(1, "e2e4", "c7c5"),
        polyglot_entry(1, "d2d4", "d7d5"),
    ]
    path.write_bytes(b"".join(sorted(entries)))
    found = openings(path, 200, seed=1)
    lines = [opening.moves for opening in found]
    assert set(lines) == {("e2e4", "c7c5"), ("d2d4", "d7d5")}
    assert 120 < lines.count(("e2e4", "c7c5")) < 180
    assert {opening.moves for opening in openings(path, 20, plies=1)} == {("e2e4",), ("d2d4",)}
    assert openings(path, 200, seed=1) == found


def test_without_a_book():
    starts = openings(None, 960, chess960=True, seed=3)
    assert len({opening.fen for opening in starts}) == 960
    assert all(opening.board(True).is_valid() for opening in starts)
    assert {opening.fen for opening in openings(None, 4)} == {chess.STARTING_FEN}

    walks = openings(None, 30, plies=6, seed=2, order=RANDOM)
    assert len({opening.moves for opening in walks}) == 30
    for opening in walks:
        board = opening.board(False)
        assert len(board.move_stack) == 6
        assert chess.popcount(board.occupied) == 32  # nothing has been captured
        assert not board.is_check()
    assert len(openings(None, 1, plies=MOST_RANDOM_PLIES)[0].moves) == MOST_RANDOM_PLIES
    with pytest.raises(ValueError, match="--plies 100: at most 16 without a book"):
        openings(None, 1, plies=100)


@pytest.mark.parametrize(("name", "content"), [("b.pgn", PGN), ("b.epd", "\n".join(FENS))])
def test_packed_books_are_read(tmp_path, name, content):
    plain = tmp_path / name
    plain.write_text(content)
    packed = tmp_path / f"{name}.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(plain, name)
    expected = [(opening.fen, opening.moves) for opening in openings(plain, 2)]
    assert [(opening.fen, opening.moves) for opening in openings(packed, 2)] == expected


@pytest.mark.parametrize("order", [RANDOM, SEQUENTIAL])
@pytest.mark.parametrize("kind", ["book", "bad lines", "walks", "Chess960"])
def test_more_openings_leave_the_first_ones_as_they_were(tmp_path, order, kind):
    lines = []
    for number, move in enumerate(chess.Board().legal_moves):
        board = chess.Board()
        board.push(move)
        lines.append("nothing" if kind == "bad lines" and number % 3 == 1 else board.fen())
    book = tmp_path / "book.epd"
    book.write_text("\n".join(lines))
    how = {"order": order, "seed": 3, "chess960": kind == "Chess960"}
    if kind in ("walks", "Chess960"):
        book = None
        how["plies"] = 4
    first = openings(book, 4, **how)
    larger = [openings(book, count, drawn=4, **how) for count in (5, 9, 13)]
    for found in larger:
        assert found[:4] == first
        assert len(set(found)) == len(found)
    assert larger[2][:9] == larger[1]


def test_a_polyglot_book_castles_in_chess960_as_its_games_do(tmp_path):
    line = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1h1")  # as Polyglot writes castling
    entries = []
    board = chess.Board()
    for move in line:
        raw = chess.Move.from_uci(move)
        key = chess.polyglot.zobrist_hash(board).to_bytes(8, "big")
        packed = raw.to_square | raw.from_square << 6
        entries.append(key + packed.to_bytes(2, "big") + b"\0\1" + bytes(4))
        board.push(board.parse_uci("e1g1" if move == "e1h1" else move))
    path = tmp_path / "book.bin"
    path.write_bytes(b"".join(sorted(entries)))
    for chess960, castling in ((False, "e1g1"), (True, "e1h1")):
        (opening,) = openings(path, 1, chess960=chess960)
        assert opening.moves == (*line[:-1], castling)
        played = chess.Board(opening.fen, chess960=chess960)
        for move in opening.moves:
            assert played.is_legal(chess.Move.from_uci(move))
            played.push_uci(move)
        assert played.fen() == board.fen()

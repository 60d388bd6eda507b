"""The opening book: weights, variety, and files that are none."""

import random
import struct
import time
from collections import Counter
from pathlib import Path

import chess
import chess.polyglot
import pytest

from tests.support.paths import SHARED
from zobra.engine.fen import START, parse_fen
from zobra.engine.move import move_text
from zobra.engine.position import Position
from zobra.search.book import Book, BookMove
from zobra.search.engine import Engine
from zobra.search.limits import ClockTimes, Limits
from zobra.search.listener import Collector

BOOKS = SHARED / "data" / "books"
CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
TRIALS = 4000


def write_book(path: Path, *entries: tuple[str, str, int]) -> Path:
    """A book of (FEN, move with castling as king takes rook, weight)."""
    packed = []
    for fen, text, weight in entries:
        key = chess.polyglot.zobrist_hash(chess.Board(fen))
        move = chess.Move.from_uci(text)
        promotion = move.promotion - 1 if move.promotion else 0
        raw = promotion << 12 | move.from_square << 6 | move.to_square
        packed.append(struct.pack(">QHHI", key, raw, weight, 0))
    path.write_bytes(b"".join(sorted(packed, key=lambda entry: entry[:8])))
    return path


@pytest.fixture
def small(tmp_path):
    return write_book(
        tmp_path / "small.bin",
        (START, "e2e4", 60),
        (START, "d2d4", 30),
        (START, "c2c4", 10),
        (START, "a2a3", 0),
    )


def opened(path: Path, variety: int = 100) -> Book:
    book = Book(lambda text: None, random.Random(1))
    book.variety = variety
    book.open(str(path))
    return book


@pytest.mark.parametrize(
    ("variety", "weights"),
    [
        (100, {"e2e4": 60, "d2d4": 30, "c2c4": 10}),
        (50, {"e2e4": 3600, "d2d4": 900, "c2c4": 100}),
        (1, {"e2e4": 1}),
        (0, {"e2e4": 1}),
    ],
)
def test_moves_are_drawn_by_weight_and_variety(small, variety, weights):
    book = opened(small, variety)
    position = parse_fen(START)
    legal = position.legal_moves()
    drawn = Counter(move_text(book.choose(position, legal).move) for _ in range(TRIALS))
    expected = {text: TRIALS * weight / sum(weights.values()) for text, weight in weights.items()}
    assert drawn == pytest.approx(expected, abs=0.04 * TRIALS)  # five standard deviations


def test_only_allowed_moves_are_played(small):
    position = parse_fen(START)
    book = opened(small)
    c2c4, h2h3, a2a3 = map(position.parse_move, ("c2c4", "h2h3", "a2a3"))
    assert book.choose(position, [c2c4, h2h3]) == BookMove(c2c4, 0, weight=10, total=10)
    assert book.choose(position, [a2a3]) is None  # its weight is 0
    assert book.choose(parse_fen(CASTLING), [a2a3]) is None


AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


@pytest.mark.parametrize(
    ("fen", "entries", "move", "reply"),
    [
        # The best reply is expected, and castling is king takes rook.
        (START, [(START, "e2e4", 1), (AFTER_E4, "c7c5", 5), (AFTER_E4, "e7e5", 8)], "e2e4", "e7e5"),
        (CASTLING, [(CASTLING, "e1h1", 7)], "e1h1", "0000"),
        (CASTLING, [(CASTLING, "e1a1", 7)], "e1a1", "0000"),
        (START, [(START, "e2e5", 9)], None, None),  # illegal
    ],
)
def test_moves_of_a_book(tmp_path, fen, entries, move, reply):
    position = parse_fen(fen)
    book = opened(write_book(tmp_path / "b.bin", *entries))
    found = book.choose(position, position.legal_moves())
    if move is None:
        assert found is None
    else:
        assert move_text(found.move, chess960=True) == move
        assert move_text(found.reply) == reply


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "no such file"),
        ("a folder", "not a regular file"),
        (b"", "0 bytes"),
        (b"x" * 17, "17 bytes"),
        (struct.pack(">QQQQ", 5, 1, 4, 1), "not sorted"),
    ],
)
def test_an_invalid_book_is_refused_and_the_last_one_kept(tmp_path, small, content, reason):
    path = tmp_path / "bad.bin"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content:
        path.mkdir()
    book = Book(lambda text: None)
    position = parse_fen(START)
    legal = position.legal_moves()
    for used, is_known in (("no book is used", False), (f"{small.name} stays in use", True)):
        with pytest.raises(ValueError, match=reason) as error:
            book.open(str(path))
        assert str(path) in str(error.value)
        assert used in str(error.value)
        assert (book.choose(position, legal) is not None) == is_known
        book.open(str(small))
    book.open("")
    assert book.path.name == ""
    assert book.choose(position, legal) is None


@pytest.mark.skipif(not BOOKS.is_dir(), reason="no opening books at ../shared/data/books")
def test_a_big_book_is_read_as_python_chess_reads_it():
    source = random.Random(3)
    book = opened(BOOKS / "gm2001.bin")
    with chess.polyglot.open_reader(BOOKS / "gm2001.bin") as reader:
        for _ in range(10):
            board = chess.Board()
            while entries := {entry.move: entry.weight for entry in reader.find_all(board)}:
                position = Position.from_board(board)
                found = book.choose(position, position.legal_moves())
                assert found.total == sum(entries.values())
                assert entries[board.parse_uci(move_text(found.move))] == found.weight
                board.push(source.choice(list(entries)))


# In the engine


@pytest.fixture
def said():
    """The messages of the engine."""
    return []


@pytest.fixture
def engine(small, said):
    engine = Engine(on_message=said.append)
    engine.set_option("BookFile", str(small)).wait()
    assert said[-1].endswith("4 entries")
    engine.set_option("OwnBook", True)
    engine.set_option("Book Variety", 0)
    yield engine
    engine.close()


def search(engine: Engine, limits: Limits, *moves: str) -> Collector:
    found = Collector()
    engine.go(limits, found, moves).wait()
    return found


CLOCK = ClockTimes(60_000, 60_000)


def test_the_engine_plays_from_its_book(engine, said):
    found = search(engine, Limits(clock=CLOCK))
    assert move_text(found.result.best) == "e2e4"
    assert said[-1] == "book move e2e4 from small.bin, weight 60 of 100"
    assert found.lines[1].depth == 0
    assert found.lines[1].pv == (found.result.best,)
    assert found.lines[1].score == engine.evaluate(parse_fen(START))


def test_a_book_move_is_one_of_those_to_search(engine):
    found = search(engine, Limits(depth=1), "d2d4")
    assert move_text(found.result.best) == "d2d4"
    assert found.lines[1].depth == 0
    assert search(engine, Limits(depth=1), "h2h3").lines[1].depth == 1


@pytest.mark.parametrize("name", ["OwnBook", "UCI_AnalyseMode"])
def test_no_book_is_used_without_the_option_or_in_analysis(engine, name):
    engine.set_option(name, name == "UCI_AnalyseMode")
    assert search(engine, Limits(depth=2)).lines[1].depth == 2


def test_an_infinite_search_uses_no_book(engine):
    found = Collector()
    searching = engine.go(Limits(infinite=True), found)
    time.sleep(0.1)
    engine.stop()
    searching.wait()
    assert found.lines[1].depth > 0


def test_a_book_that_vanishes_is_given_up(engine, small, said):
    small.unlink()
    assert search(engine, Limits(depth=2)).lines[1].depth == 2
    assert "small.bin is no longer used" in said[-1]

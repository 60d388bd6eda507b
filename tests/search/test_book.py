"""The opening book: weights, variety, and files that are none."""

import random
import struct
from collections import Counter
from pathlib import Path

import chess
import chess.polyglot
import pytest

from tests.support.paths import SHARED
from tests.support.prober import Prober
from zobra.engine.fen import START, parse_fen
from zobra.engine.move import move_text
from zobra.engine.position import Position
from zobra.search.book import Book

BOOKS = SHARED / "data" / "books"
CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
TRIALS = 4000


def write_book(path: Path, *entries: tuple[str, str, int]) -> Path:
    """A book of (FEN, move with castling as king takes rook, weight)."""
    packed = []
    for fen, text, weight in entries:
        move = chess.Move.from_uci(text)
        promotion = move.promotion - 1 if move.promotion else 0
        raw = promotion << 12 | move.from_square << 6 | move.to_square
        packed.append(
            struct.pack(">QHHI", chess.polyglot.zobrist_hash(chess.Board(fen)), raw, weight, 0)
        )
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
def test_moves_are_drawn_by_weight_and_with_less_variety_the_heavy_ones(small, variety, weights):
    book, position = opened(small, variety), parse_fen(START)
    drawn = Counter(
        move_text(book.choose(position, position.legal_moves()).move) for _ in range(TRIALS)
    )
    expected = {text: TRIALS * weight / sum(weights.values()) for text, weight in weights.items()}
    assert drawn == pytest.approx(expected, abs=0.04 * TRIALS)  # five standard deviations


def test_only_allowed_moves_are_played(small):
    position, book = parse_fen(START), opened(small)
    found = book.choose(position, [position.parse_move("c2c4"), position.parse_move("h2h3")])
    assert found is not None and (move_text(found.move), found.weight, found.total) == (
        "c2c4",
        10,
        10,
    )
    assert book.choose(position, [position.parse_move("a2a3")]) is None  # its weight is 0
    assert book.choose(parse_fen(CASTLING), [position.parse_move("a2a3")]) is None


AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


@pytest.mark.parametrize(
    ("fen", "entries", "move", "reply"),
    [
        (
            START,
            [(START, "e2e4", 1), (AFTER_E4, "c7c5", 5), (AFTER_E4, "e7e5", 8)],
            "e2e4",
            "e7e5",
        ),  # the best reply
        (CASTLING, [(CASTLING, "e1h1", 7)], "e1h1", "0000"),  # castling is king takes rook
        (CASTLING, [(CASTLING, "e1a1", 7)], "e1a1", "0000"),
        (START, [(START, "e2e5", 9)], None, None),  # illegal
    ],
)
def test_moves_of_a_book(tmp_path, fen, entries, move, reply):
    position = parse_fen(fen)
    found = opened(write_book(tmp_path / "b.bin", *entries)).choose(
        position, position.legal_moves()
    )
    assert (found and move_text(found.move, chess960=True)) == move and (
        found and move_text(found.reply)
    ) == reply


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "no such file"),
        ("a folder", "not a file"),
        (b"", "0 bytes"),
        (b"x" * 17, "17 bytes"),
        (struct.pack(">QQ", 5, 1) + struct.pack(">QQ", 4, 1), "not sorted"),
    ],
)
def test_a_book_that_is_none_is_named_and_the_last_one_stays(tmp_path, small, content, reason):
    path = tmp_path / "bad.bin"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content:
        path.mkdir()
    book, position = Book(lambda text: None), parse_fen(START)
    for used, known in (("no book is used", False), (f"{small.name} stays in use", True)):
        with pytest.raises(ValueError, match=reason) as error:
            book.open(str(path))
        assert str(path) in str(error.value) and used in str(error.value)
        assert (book.choose(position, position.legal_moves()) is not None) == known
        book.open(str(small))
    book.open("")
    assert book.path.name == "" and book.choose(position, position.legal_moves()) is None


@pytest.mark.skipif(not BOOKS.is_dir(), reason="no opening books at ../shared/data/books")
def test_a_big_book_gives_what_python_chess_reads():
    source, book = random.Random(3), opened(BOOKS / "gm2001.bin")
    with chess.polyglot.open_reader(BOOKS / "gm2001.bin") as reader:
        for _ in range(30):
            board = chess.Board()
            while entries := {entry.move: entry.weight for entry in reader.find_all(board)}:
                position = Position.from_board(board)
                found = book.choose(position, position.legal_moves())
                assert found is not None and found.total == sum(entries.values())
                assert entries[board.parse_uci(move_text(found.move))] == found.weight
                board.push(source.choice(list(entries)))


def test_the_engine_plays_from_its_book(small):
    with Prober() as engine:
        remarks = engine.ask(f"setoption name BookFile value {small}", "isready", answer="readyok")
        assert any("4 entries" in line for line in remarks)
        for options in (
            ["OwnBook value false"],
            ["OwnBook value true", "UCI_AnalyseMode value true"],
        ):
            engine.send(*(f"setoption name {option}" for option in options))
            assert not any(
                "book move" in line for line in engine.ask("go depth 2", answer="bestmove")
            )
        engine.send(
            "setoption name UCI_AnalyseMode value false", "setoption name book variety value 0"
        )
        lines = engine.ask("go wtime 60000 btime 60000", answer="bestmove")
        assert (
            lines[-1] == "bestmove e2e4"
            and "book move e2e4 from small.bin, weight 60 of 100" in lines[-3]
        )
        assert (
            lines[-2].startswith("info depth 0 ")
            and " score cp " in lines[-2]
            and lines[-2].endswith(" pv e2e4")
        )
        engine.send("setoption name UCI_ShowWDL value true")
        assert " wdl " in engine.ask("go wtime 60000 btime 60000", answer="bestmove")[-2]
        assert engine.ask("go depth 1 searchmoves d2d4", answer="bestmove")[-1] == "bestmove d2d4"
        engine.send("go ponder wtime 1000 btime 1000")
        assert not any(line.startswith("bestmove") for line in engine.settle())
        assert engine.ask("ponderhit", answer="bestmove")[-1] == "bestmove e2e4"
        engine.send("go infinite")
        assert not any(
            "book move" in line or line.startswith("bestmove") for line in engine.settle()
        )
        engine.ask("stop", answer="bestmove")
        small.unlink()
        lines = engine.ask("go depth 2", answer="bestmove")
        assert (
            any("small.bin is not used any more" in line for line in lines)
            and lines[-1] != "bestmove (none)"
        )

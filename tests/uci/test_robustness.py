"""What breaks other engines: each case a conversation with the process, which has to go on as if
nothing had been.

Measured on engines that people use: bad FENs and illegal moves end them, and games of a thousand
plies overrun their arrays. Commands in any order, and odd options, are in test_any_order.py.
"""

import chess
import pytest

from tests.support.paths import SHARED
from tests.support.prober import Prober, best

DESTRUCTIVE = SHARED / "data" / "robustness" / "destruction_test.epd"
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
SHUFFLE = ["g1f3", "g8f6", "f3g1", "f6g8"]
MANY_MOVES = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"  # 218 of them
MANY_QUEENS = "1qqqqqqk/2qqqqq1/3q4/8/8/3Q4/1QQQQQ2/KQQQQQQ1 w - - 0 1"


def check_move(line: str, board: chess.Board) -> None:
    """A bestmove line has a legal move of the board."""
    assert chess.Move.from_uci(line.split()[1]) in board.legal_moves


def plays_on(engine: Prober, fen: str = chess.STARTING_FEN) -> None:
    """The engine answers, finds a legal move, and owes no bestmove."""
    lines = engine.ask(f"position fen {fen}", "go nodes 200", answer="bestmove")
    check_move(lines[-1], chess.Board(fen))
    assert len(best(lines)) == 1 and not best(engine.settle())


BAD_FENS = [
    "",
    "startpos",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "4k2R/8/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - - x y",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR" * 3 + " w - - 0 1",
    "\N{WHITE CHESS KING} \N{BLACK CHESS KING} w - - 0 1",
    "a " * 5_000,
]


@pytest.mark.parametrize("fen", BAD_FENS, ids=lambda fen: fen[:60])
def test_a_bad_fen_is_named_and_refused(engine, fen):
    lines = engine.ask(f"position fen {fen} moves e2e4", "go infinite", "stop", answer="bestmove")
    assert any(line.startswith("info string error in fen:") for line in lines)
    assert lines[-1] == "bestmove (none)"
    plays_on(engine)


@pytest.mark.parametrize(
    ("fields", "dropped"),
    [
        ("w KQkq - 0 1", "castling rights KQkq"),
        ("w - e6 0 1", "en-passant square e6"),
    ],
)
def test_impossible_rights_in_a_fen_are_dropped(engine, fields, dropped):
    lines = engine.ask(
        f"position fen 4k3/8/8/8/8/8/8/4K3 {fields} moves e1e2", "go depth 1", answer="bestmove"
    )
    assert sum(line.startswith(f"info string {dropped}") for line in lines) == 1
    assert lines[-1].startswith("bestmove e8")


@pytest.mark.skipif(
    not DESTRUCTIVE.exists(), reason="../shared/data/robustness/destruction_test.epd is not there"
)
def test_destructive_fens(engine):
    """Every one is answered, by a move or a refusal."""
    refused = 0
    for line in DESTRUCTIVE.read_text(errors="replace").splitlines():
        lines = engine.ask(f"position fen {line.split(';')[0]}", "go nodes 50", answer="bestmove")
        refused += lines[-1] == "bestmove (none)"
        assert lines[-1] != "bestmove (none)" or any("info string" in said for said in lines), line
    assert refused > 10
    plays_on(engine)


ILLEGAL = [
    "e2e5",
    "e2e4 e2e4",
    "e2e4 e7e5 e1e3",
    "e2e4 e7e5q",
    "e1g1",
    "0000",
    "e2e4 0000 e7e5",
    "e2",
    "i9j0",
    "\N{LATIN SMALL LETTER E WITH ACUTE}2e4",
    "e2e4 " + "e" * 5_000,
]


@pytest.mark.parametrize("moves", ILLEGAL, ids=lambda moves: moves[:60])
def test_an_illegal_move_is_named_and_refused(engine, moves):
    board, texts = chess.Board(), moves.split()
    while texts[board.ply()] in {move.uci() for move in board.legal_moves}:
        board.push_uci(texts[board.ply()])
    lines = engine.ask(f"position startpos moves {moves}", "go depth 1", answer="bestmove")
    (complaint,) = [line for line in lines if line.startswith("info string error in move")]
    assert f"move {board.ply() + 1}:" in complaint
    assert len(complaint) < 1_000
    assert lines[-1] == "bestmove (none)"
    plays_on(engine)


def test_a_line_does_not_build_on_a_rejected_one(engine):
    """The line that follows begins with the one that was refused."""
    engine.send("position startpos moves e2e4 e7e4", "position startpos moves e2e4 e7e4 d2d4")
    assert engine.ask("go depth 1", answer="bestmove")[-1] == "bestmove (none)"
    engine.send("position startpos moves e2e4 e7e5 d2d4")
    assert any("/3PP3/" in line for line in engine.ask("d", answer="Checkers"))


@pytest.mark.parametrize(("plies", "tail"), [(1_701, ["e2e4"]), (20_000, [])])
def test_very_long_games(engine, plies, tail):
    moves = [SHUFFLE[ply % 4] for ply in range(plies - plies % 4)] + tail
    engine.send("position startpos moves " + " ".join(moves))
    board = chess.Board()
    for text in tail:
        board.push_uci(text)
    check_move(engine.ask("go nodes 500", answer="bestmove")[-1], board)
    board.push_uci("d7d5" if tail else "d2d4")
    engine.send("position startpos moves " + " ".join([*moves, board.peek().uci()]))
    shown = engine.ask("d", answer="Checkers")
    assert any(line.startswith(f"Fen: {board.board_fen()}") for line in shown)


ODD_LIMITS = """
    wtime -50 btime -50; wtime 0 btime 0 winc 0 binc 0; wtime 1 btime 1 movestogo 1;
    wtime 40 btime 40 movestogo -3; wtime 40; btime 40; winc 10 binc 10; movestogo 5;
    wtime 99999999999999999999 btime 1 movetime 5; movetime 1 wtime; nodes -1; nodes 1 depth 0;
    mate 0 nodes 50; mate -3 nodes 50; mate 1 nodes 50; depth 999 nodes 300;
    depth 1 infinite ponder nonsense depth 1 stop; depth; depth -4; movetime 0; movetime -9;
    movetime x; wtime movetime 20; searchmoves e2e4 depth 2; searchmoves e2e4 e2e4 e2e4 depth 2;
    searchmoves depth 2; depth 2 searchmoves e2e4 nodes x; DEPTH 2
"""


@pytest.mark.parametrize("limits", [limits.strip() for limits in ODD_LIMITS.split(";")])
def test_odd_limits(engine, limits):
    engine.send(f"go {limits}")
    before: list[str] = []
    if "infinite" in limits:
        before = engine.settle()
        assert not best(before)
        engine.send("stop")
    lines = before + engine.expect("bestmove")
    check_move(lines[-1], chess.Board())
    assert " score " in lines[-2]
    assert lines[-2].split(" pv ")[1].split()[0] == lines[-1].split()[1]
    assert not best(engine.settle())


def test_without_a_legal_move_to_search_there_is_none(engine):
    said = engine.ask("go depth 4 searchmoves e2e5 zzzz 0000", answer="bestmove")
    assert said[-1] == "bestmove (none)"
    said = engine.ask("go depth 4 searchmoves e2e5 a2a3 0000", answer="bestmove")
    assert said[-1].split()[1] == "a2a3"


@pytest.mark.parametrize(
    ("fen", "score", "word"), [(MATED, "mate 0", "checkmate"), (STALEMATE, "cp 0", "stalemate")]
)
@pytest.mark.parametrize(
    ("go", "end"),
    [
        ("go depth 3", None),
        ("go infinite", "stop"),
        ("go ponder", "stop"),
        ("go ponder wtime 9 btime 9", "ponderhit"),
    ],
)
def test_go_after_the_end_of_the_game(engine, fen, score, word, go, end):
    engine.send(f"position fen {fen}", go)
    if end:
        assert not best(engine.settle())
        engine.ask(end, answer="bestmove (none)")
    else:
        lines = engine.expect("bestmove")
        assert lines[-3:] == [
            f"info depth 0 score {score}",
            f"info string {word}",
            "bestmove (none)",
        ]
    plays_on(engine)


DRAWN = (
    "8/8/8/4k3/8/8/8/4K3 w - - 0 1",
    "8/8/8/4k3/8/8/8/R3K3 w - - 100 80",
    "8/8/8/4k3/8/8/8/R3K3 w - - 9999 9999",
)


@pytest.mark.parametrize("fen", [*DRAWN, MANY_MOVES, MANY_QUEENS])
@pytest.mark.parametrize("lines", [1, 256])
def test_drawn_and_crowded_positions_have_a_bestmove(engine, fen, lines):
    engine.send(f"setoption name MultiPV value {lines}")
    plays_on(engine, fen)
    # Captures among many queens have no end.
    said = engine.ask("go depth 3 movetime 300", answer="bestmove")
    check_move(said[-1], chess.Board(fen))


HASTY = ["setoption name Hash value 2\nisready\ngo nodes 10", "xboard\ngo depth 1"]


@pytest.mark.parametrize("lines", HASTY)
def test_a_gui_that_skips_the_handshake(lines):
    with Prober() as prober:
        check_move(prober.ask(lines, answer="bestmove")[-1], chess.Board())
        prober.send("quit")
        assert prober.wait() == 0


def test_lines_of_a_megabyte(engine):
    for line in (
        b"x" * (1 << 20),
        b"position startpos moves " + b"e2e4 " * 200_000,
        b"setoption name " + b"H " * 500_000,
    ):
        engine.send_bytes(line + b"\n")
    engine.send_bytes(b"go searchmoves " + b"e2e4 " * 200_000 + b" depth 1\n")
    assert engine.expect("bestmove")
    plays_on(engine)


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        ("1r2k1r1/6p1/8/8/8/8/8/1R2K1R1 w BGbg - 0 1", {"e1g1", "e1b1"}),  # Shredder-FEN
        ("1r2k1r1/6p1/8/8/8/8/8/1R2K1R1 w KQkq - 0 1", {"e1g1", "e1b1"}),  # X-FEN
        ("4k3/8/8/8/8/8/8/1K3R1R w F - 0 1", {"b1f1"}),
    ],
)
def test_castling_of_chess960(engine, fen, moves):
    engine.send("setoption name UCI_Chess960 value true", f"position fen {fen}")
    counted = set()
    for line in engine.ask("go perft 1", answer="Nodes searched"):
        move, _, leaves = line.partition(": ")
        if leaves == "1":
            counted.add(move)
    board = chess.Board(fen, chess960=True)
    assert moves <= counted
    assert counted == {board.uci(move) for move in board.legal_moves}

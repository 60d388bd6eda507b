"""The whole engine over its pipes: whatever a GUI sends, the conversation goes on."""

import random
import signal
import subprocess
import sys

import chess
import chess.engine
import pytest

from tests.prober import Prober

MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"


@pytest.fixture(scope="module")
def engine():
    with Prober() as prober:
        prober.ask("uci", answer="uciok")
        prober.settle()
        yield prober


@pytest.fixture(autouse=True)
def fresh(request):
    if "engine" in request.fixturenames:
        prober = request.getfixturevalue("engine")
        prober.send("stop", "setoption name UCI_Chess960 value false", "position startpos")
        prober.settle()


def best(lines):
    return [line for line in lines if line.startswith("bestmove")]


def test_nothing_is_said_before_uci():
    with Prober() as prober:
        prober.send("uci")
        assert prober.expect("uciok")[0].startswith("id name")
        prober.send("quit")
        assert prober.wait() == 0


@pytest.mark.parametrize(
    "limits",
    [
        "depth 3",
        "depth 0",
        "depth -4",
        "nodes 1",
        "nodes 0",
        "movetime 0",
        "movetime 1",
        "movetime -9",
        "wtime 0 btime -2",
        "wtime 1 btime 1",
        "wtime 50",
        "btime 50",
        "wtime 100 btime 100 movestogo 1",
        "wtime 100 btime 100 movestogo 0",
        "mate 1 depth 4",
        "depth 2 searchmoves 0000 e2e5",
        "depth 2 searchmoves",
        "wtime movetime 20",
        "depth",
        "movetime x",
        "wtime",
    ],
)
def test_any_limit_gives_one_legal_move(engine, limits):
    lines = engine.ask(f"go {limits}", answer="bestmove")
    move = chess.Move.from_uci(lines[-1].split()[1])
    assert move in chess.Board().legal_moves
    assert lines[-2].startswith("info ") and " score " in lines[-2] and f" pv {move.uci()}" in lines[-2]
    assert not best(engine.settle())


def test_searchmoves_confine_the_search(engine):
    assert engine.ask("go depth 4 searchmoves a2a3 h2h4", answer="bestmove")[-1].split()[1] in ("a2a3", "h2h4")


def test_isready_and_stop_during_an_infinite_search(engine):
    engine.send("go infinite")
    assert not best(engine.settle())
    assert best(engine.ask("stop", answer="bestmove"))
    assert not best(engine.settle())


def test_infinite_waits_for_stop_even_when_mated(engine):
    engine.send(f"position fen {MATED}", "go infinite")
    assert not best(engine.settle())
    assert engine.ask("stop", answer="bestmove")[-1] == "bestmove (none)"


@pytest.mark.parametrize(("fen", "score", "word"), [(MATED, "mate 0", "checkmate"), (STALEMATE, "cp 0", "stalemate")])
def test_the_end_of_a_game_is_explained(engine, fen, score, word):
    lines = engine.ask(f"position fen {fen}", "go depth 3", answer="bestmove")
    assert lines[-3:] == [f"info depth 0 score {score}", f"info string {word}", "bestmove (none)"]


@pytest.mark.parametrize(
    "interruption", ["go depth 2", "position startpos moves e2e4", "ucinewgame", "setoption name Hash value 8"]
)
def test_commands_that_disturb_a_search_end_it_with_its_bestmove(engine, interruption):
    engine.send("go infinite", interruption)
    lines = engine.settle()
    expected = 1 if interruption != "go depth 2" else 2
    if len(best(lines)) < expected:
        lines += engine.expect("bestmove")
    assert len(best(lines)) == expected


def test_a_bad_fen_is_named_and_the_next_good_one_works(engine):
    lines = engine.ask("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "go depth 1", answer="bestmove")
    assert any("White has no king" in line for line in lines) and lines[-1] == "bestmove (none)"
    assert engine.ask("position startpos", "go depth 1", answer="bestmove")[-1] != "bestmove (none)"


def test_an_illegal_move_is_named(engine):
    lines = engine.ask("position startpos moves e2e4 e7e5 e1e3", "go depth 1", answer="bestmove")
    assert any("move 3" in line and "e1e3" in line for line in lines)
    assert lines[-1] == "bestmove (none)"


def test_odd_option_lines_leave_the_engine_alive(engine):
    lines = ("setoption", "setoption name", "setoption name X", "setoption name Hash", "setoption name Hash value x")
    engine.send(*lines, "setoption name Hash value 99999999999", "setoption name hash value 8", "setoption name clear HASH")
    answers = engine.settle()
    assert sum("info string" in line for line in answers) >= 4


def test_castling_in_both_notations(engine):
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    engine.send(f"position fen {fen} moves e1g1 e8a8")
    assert "R4RK1" in next(line for line in engine.ask("d", answer="Checkers") if line.startswith("Fen:"))
    engine.send("setoption name UCI_Chess960 value true", f"position fen {fen}")
    moves = engine.ask("go perft 1", answer="Nodes searched")
    assert "e1h1: 1" in moves and "e1a1: 1" in moves


def test_perft_and_board(engine):
    assert engine.ask("go perft 3", answer="Nodes searched")[-1] == "Nodes searched: 8902"
    assert "Key: 463B96181691FC9C" in engine.ask("d", answer="Checkers")
    assert any("Evaluation" in line for line in engine.ask("eval", answer="Evaluation") or engine.seen)


def test_a_long_game_grows_move_by_move(engine):
    shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"] * 250
    engine.send("position startpos moves " + " ".join(shuffle))
    engine.send("position startpos moves " + " ".join([*shuffle, "e2e4"]))
    assert any("4P3" in line for line in engine.ask("d", answer="Checkers"))


def test_garbage_of_all_kinds(engine):
    source = random.Random(5)
    for _ in range(60):
        engine.send_bytes(source.randbytes(source.randrange(200)) + source.choice([b"\n", b"\r", b"\r\n"]))
    engine.send_bytes(b"\x00\xff\n" + b"a " * 500_000 + b"\n\r\n  \t isready\r")
    engine.expect("readyok")
    assert engine.ask("position startpos", "go depth 2", answer="bestmove")[-1] != "bestmove (none)"


def test_debug_tells_more(engine):
    lines = engine.ask("debug on", "hocus pocus", "position startpos moves e2e4", "debug off", "isready", answer="readyok")
    assert any("not understood: hocus pocus" in line for line in lines)
    assert any("position rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1" in line for line in lines)


def test_flip_and_compiler(engine):
    engine.send("position startpos moves e2e4", "flip")
    assert "Fen: rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" in engine.ask("d", answer="Checkers")
    assert "numba" in engine.ask("compiler", answer="info string Python")[-1]


def test_the_last_good_position_stays_on_the_board(engine):
    engine.send("position startpos moves d2d4", "position fen rubbish")
    assert any("3P4" in line for line in engine.ask("d", answer="Checkers"))


def test_ready_and_stop_during_a_count(engine):
    for count in ("go perft 12", "bench 60"):
        engine.send(count)
        engine.settle()
        engine.send("stop", "go depth 1")
        assert any("stopped" in line for line in engine.expect("bestmove"))


@pytest.mark.parametrize("ending", ["quit", "end of input", "terminate", "interrupt"])
def test_leaves_at_once_while_it_searches(ending):
    with Prober() as prober:
        prober.ask("isready", answer="readyok")
        prober.send("go infinite")
        prober.settle()
        end(prober, ending)
        assert prober.wait() == 0
        assert len(best(prober.expect_end())) == (ending in ("quit", "end of input"))
        assert prober.process.stderr.read() == b""


@pytest.mark.parametrize("ending", ["terminate", "interrupt"])
def test_a_signal_ends_it_while_it_counts(ending):
    with Prober() as prober:
        prober.ask("isready", answer="readyok")
        prober.ask("go perft 12", "isready", answer="readyok")
        end(prober, ending)
        assert prober.wait() == 0 and prober.process.stderr.read() == b""


def end(prober, ending):
    if ending == "quit":
        prober.send("quit")
    elif ending == "end of input":
        prober.process.stdin.close()
    else:
        prober.process.send_signal(signal.SIGTERM if ending == "terminate" else signal.SIGINT)


@pytest.mark.parametrize("work", ["go infinite", "go perft 12"])
def test_leaves_when_nobody_listens(work):
    command = [sys.executable, "-m", "zobra.uci"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdin.write(f"isready\n{work}\n".encode())
        process.stdin.flush()
        while process.stdout.readline() != b"readyok\n":
            pass
        process.stdout.close()
        process.stdin.write(b"isready\n")
        process.stdin.flush()
        assert process.wait(10) == 0
        assert process.stderr.read() == b""


@pytest.mark.parametrize("ending", ["", "quit\n"])
def test_a_script_is_carried_out(ending):
    script = "position startpos moves e2e4\ngo perft 3\ngo infinite\n" + ending
    command = [sys.executable, "-m", "zobra.uci"]
    done = subprocess.run(command, check=False, input=script, capture_output=True, text=True, timeout=120)
    lines = done.stdout.splitlines()
    assert "Nodes searched: 13160" in lines and lines[-1].startswith("bestmove")
    assert (done.returncode, done.stderr) == (0, "")


def test_principal_variations_are_legal(engine):
    fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
    for line in engine.ask(f"position fen {fen}", "go depth 9", answer="bestmove"):
        board = chess.Board(fen)
        for text in line.split(" pv ")[1].split() if " pv " in line else ():
            board.push(board.parse_uci(text))


def test_a_game_through_python_chess():
    with chess.engine.SimpleEngine.popen_uci([sys.executable, "-m", "zobra.uci"], timeout=120) as player:
        board = chess.Board()
        while not board.is_game_over(claim_draw=True) and board.ply() < 60:
            board.push(player.play(board, chess.engine.Limit(nodes=500), game="one").move)
        assert board.ply() > 8


def test_a_chess960_game_through_python_chess():
    with chess.engine.SimpleEngine.popen_uci([sys.executable, "-m", "zobra.uci"], timeout=120) as player:
        board = chess.Board.from_chess960_pos(777)
        for _ in range(60):
            if board.is_game_over(claim_draw=True):
                break
            played = player.play(board, chess.engine.Limit(white_clock=5, black_clock=5, white_inc=0, black_inc=0, nodes=2000))
            board.push(played.move)
        assert board.ply() > 8
        info = player.analyse(chess.Board(), chess.engine.Limit(depth=5))
        assert info["depth"] == 5 and info["pv"] and info["score"]

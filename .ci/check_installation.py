"""Check an installed Zobra.

It must start without compiling, have the right signature and play a game, and its commands for
matches, suites and analysis must work.

    python .ci/check_installation.py SIGNATURE [PROGRAM]

SIGNATURE is the node count that `zobra bench` has to end with. PROGRAM is checked instead of the
package that belongs to this Python.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

import chess
import chess.engine

ZOBRA = sys.argv[2:] or [sys.executable, "-m", "zobra.cli"]
CONVERSATION = "uci\nisready\ngo nodes 1000\nisready\nquit\n"
PERFT_LEAVES = "4865609"  # of the starting position, five plies deep
NODES = 500  # for each move of the game
TIMEOUT = 600  # seconds for a command
SUITE = '6k1/5ppp/8/8/8/8/8/R6K w - - bm Ra8#; id "back rank";\n'


def zobra(*arguments: str, typed: str = "") -> str:
    """Return what a command prints. Raise CalledProcessError if it fails."""
    try:
        done = subprocess.run(
            [*ZOBRA, *arguments],
            check=True,
            capture_output=True,
            encoding="utf-8",
            errors="replace",  # Windows writes another encoding into pipes
            input=typed,
            timeout=TIMEOUT,
        )
    except subprocess.CalledProcessError as error:
        print(error.stdout, error.stderr, sep="\n")
        raise
    return done.stdout


def play() -> str:
    """Return the result of a game of the engine against itself."""
    board = chess.Board()
    with chess.engine.SimpleEngine.popen_uci(ZOBRA) as engine:
        while not board.is_game_over(claim_draw=True):
            move = engine.play(board, chess.engine.Limit(nodes=NODES)).move
            assert move in board.legal_moves, f"{move} in {board.fen()}"
            board.push(move)
    return board.result(claim_draw=True)


def check_kernels(signature: str) -> None:
    """Check that the package's kernels are used, pass perft and give the signature."""
    said = zobra(typed=CONVERSATION)
    assert "readyok" in said, said
    for line in said.splitlines():
        is_advice = line.startswith("info string kernels for any ")  # to compile faster ones
        assert is_advice or not line.startswith("info string"), line
    assert PERFT_LEAVES in zobra("perft", "5").replace(",", ""), "perft 5 is wrong"
    found = zobra("bench").splitlines()[-1]
    assert found.split()[0] == signature, f"bench gives {found}, not {signature} nodes"
    print(f"perft 5 {PERFT_LEAVES}, bench {found}")


def check_commands(folder: Path) -> None:
    """Play a match of four games, make its page, analyse it, and solve a suite."""
    engine = " ".join(f'"{word}"' for word in ZOBRA)
    games = folder / "games"
    zobra(
        *("match", f"A={engine}", f"B={engine}", "-n", "4", "-c", "2"),
        *("--tc", f"nodes={NODES}", "--folder", str(games)),
    )
    played = (games / "games.pgn").read_text(encoding="utf-8")
    assert played.count("[Result ") == 4, played
    zobra("report", str(games))
    page = folder / "games.html"
    zobra("analyse", str(games / "games.pgn"), "--movetime", "20", "--html", str(page))
    assert page.exists(), "no page of the analysis"

    suite = folder / "suite.epd"
    suite.write_text(SUITE, encoding="utf-8")
    solved = zobra(
        *("suite", str(suite), "-e", f"zobra={engine}", "--movetime", "200"),
        *("--json", str(folder / "suite.json")),
    )
    assert "1 of 1" in solved, solved


def check_play(folder: Path) -> None:
    """The page of `zobra play` is served at the address that the command prints."""
    command = [*ZOBRA, "play", "--no-browser", "--folder", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as server:
        try:
            address = server.stdout.readline().split()[-1]
            with urllib.request.urlopen(address, timeout=30) as answer:
                page = answer.read().decode()
        finally:
            server.terminate()
    assert "Zobra" in page, page


def main(signature: str) -> None:
    """Run all checks in turn; an AssertionError names what failed."""
    check_kernels(signature)
    with tempfile.TemporaryDirectory() as folder:
        check_commands(Path(folder))
        check_play(Path(folder))
    print(f"match, report, analysis, suite and play work; a game ended {play()}")


if __name__ == "__main__":
    main(sys.argv[1])

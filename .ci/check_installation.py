"""Check an installed Zobra: it uses the package's kernels, counts what it should, and plays a game.

python .ci/check_installation.py SIGNATURE     # the node count that `zobra bench` has to end with
"""

from __future__ import annotations

import subprocess
import sys

import chess
import chess.engine

ZOBRA = [sys.executable, "-m", "zobra.cli"]
PERFT_LEAVES = "4865609"  # of the starting position, five plies deep
NODES = 500  # for each move of the game


def zobra(*arguments: str) -> str:
    """What a command prints; CalledProcessError if it fails."""
    return subprocess.run([*ZOBRA, *arguments], check=True, capture_output=True, text=True).stdout


def play() -> str:
    """A game of the engine against itself; its result."""
    board = chess.Board()
    with chess.engine.SimpleEngine.popen_uci(ZOBRA) as engine:
        while not board.is_game_over(claim_draw=True):
            move = engine.play(board, chess.engine.Limit(nodes=NODES)).move
            assert move in board.legal_moves, f"{move} in {board.fen()}"
            board.push(move)
    return board.result(claim_draw=True)


def main(signature: str) -> None:
    """Every check, one after the other; AssertionError names what failed."""
    kernels = subprocess.check_output(
        [
            sys.executable,
            "-c",
            "from zobra.engine import kernels; print(kernels.selected.describe())",
        ]
    )
    print(kernels.decode().strip())
    assert kernels.startswith(b"the package"), "the package carries no kernels for this processor"
    assert PERFT_LEAVES in zobra("perft", "5").replace(",", ""), "perft 5 is wrong"
    found = zobra("bench").splitlines()[-1]
    assert found.split()[0] == signature, f"bench gives {found}, not {signature} nodes"
    print(f"perft 5 {PERFT_LEAVES}, bench {found}, a game {play()}")


if __name__ == "__main__":
    main(sys.argv[1])

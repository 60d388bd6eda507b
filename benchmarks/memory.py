"""Memory: the resident set size of one engine process over many games.

    python benchmarks/memory.py [--games 1000] [--moves 30] [--nodes 400]

The engine plays against itself from random openings: `ucinewgame`, then `position` with all moves
and `go nodes`. Its options change from game to game. Growth is measured from the end of the first
tenth of the games.
"""

import random
import subprocess
import sys
from pathlib import Path

import chess
import typer

# A script's path lacks the root of the repository
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.latency import ZOBRA, PipedEngine

OPENING_PLIES = 8
SETTINGS = ({}, {"MultiPV": 3}, {"Threads": 2}, {"Hash": 4}, {"UCI_ShowWDL": "true"})
FEWEST = 10 * len(SETTINGS)  # games, so that each tenth of them ends with the same settings
DEFAULTS = {"MultiPV": 1, "Threads": 1, "Hash": 32, "UCI_ShowWDL": "false"}


def resident(process: int) -> int:
    """Return the resident set size of a process in kilobytes."""
    return int(subprocess.check_output(["ps", "-o", "rss=", "-p", str(process)], text=True))


def play(engine: PipedEngine, source: random.Random, moves: int, nodes: int) -> None:
    """Play a game of a given number of searches, or until it ends."""
    engine.send("ucinewgame")
    engine.ask("isready", "readyok")
    board = chess.Board()
    for _ in range(OPENING_PLIES):
        board.push(source.choice(list(board.legal_moves)))
        if board.is_game_over():
            return
    for _ in range(moves):
        engine.send("position startpos moves " + " ".join(move.uci() for move in board.move_stack))
        board.push_uci(engine.ask(f"go nodes {nodes}", "bestmove").split()[1])
        if board.is_game_over(claim_draw=True):
            break


def watch(games: int, moves: int = 30, nodes: int = 400, seed: int = 1) -> list[int]:
    """Play, and return the resident set size after each tenth of the games, in kilobytes."""
    source = random.Random(seed)
    engine = PipedEngine(list(ZOBRA))
    engine.ask("uci", "uciok")
    engine.ask("isready", "readyok")
    sizes = []
    for number in range(1, games + 1):
        for name, value in (DEFAULTS | SETTINGS[number % len(SETTINGS)]).items():
            engine.send(f"setoption name {name} value {value}")
        play(engine, source, moves, nodes)
        if number % (games // 10) == 0:
            sizes.append(resident(engine.process_id))
    engine.quit()
    return sizes


def main(games: int = 1000, moves: int = 30, nodes: int = 400) -> None:
    """Measure; `games` is a multiple of FEWEST."""
    if games < FEWEST or games % FEWEST:
        raise typer.BadParameter(f"games: a multiple of {FEWEST}, not {games}")
    sizes = watch(games, moves, nodes)
    megabytes = " ".join(f"{size / 1024:.1f}" for size in sizes)
    print(f"{games} games; resident set in MB after each tenth: {megabytes}")
    print(f"growth after the first tenth: {100 * (sizes[-1] / sizes[0] - 1):+.2f} %")


if __name__ == "__main__":
    typer.run(main)

"""Makes examples/openings.epd and examples/suite.epd from games of Zobra against itself.

    python -m tests.tools.make_examples /usr/games/stockfish

Openings: balanced positions after random moves, by Zobra and Stockfish. Suite: positions in which a single move, not a capture,
keeps a large advantage; Stockfish and Zobra find it in long searches.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import chess
import chess.engine

from zobra.engine.fen import parse_fen
from zobra.engine.game import Game
from zobra.engine.move import move_text
from zobra.search.limits import Limits
from zobra.search.searcher import Searcher
from zobra.train.generate import SelfPlayer

FOLDER = Path(__file__).resolve().parents[2] / "examples"
OPENINGS, SUITE = 60, 20
BALANCE, ADVANTAGE, GAP = 40, 120, 150  # centipawns
SHORT, LONG = 20_000, 1_000_000  # nodes
CASES_A_GAME = 12


def scores(engine: chess.engine.SimpleEngine, board: chess.Board, nodes: int) -> list[tuple[chess.Move, int]]:
    """The two best moves with their scores for the side to move, in centipawns."""
    lines = engine.analyse(board, chess.engine.Limit(nodes=nodes), multipv=2)
    return [(line["pv"][0], line["score"].relative.score(mate_score=10_000)) for line in lines]


def only_move(engine: chess.engine.SimpleEngine, board: chess.Board, nodes: int) -> chess.Move | None:
    """The move that alone keeps a large advantage; None if there is no such move."""
    (best, first), *rest = scores(engine, board, nodes)
    return best if rest and first >= ADVANTAGE and first - rest[0][1] >= GAP else None


def zobra_move(searcher: Searcher, board: chess.Board) -> str:
    """Zobra's move after a long search."""
    searcher.clear()
    return move_text(searcher.search(Game(parse_fen(board.fen())), Limits(nodes=LONG)).best)


def main(path: str) -> None:
    """Play games until both files are full."""
    source, player, searcher = random.Random(1), SelfPlayer({"opening_margin": BALANCE}, seed=42), Searcher(64)
    openings: list[str] = []
    suite: list[str] = []
    with chess.engine.SimpleEngine.popen_uci(path) as engine:
        number = 0
        while len(openings) < OPENINGS or len(suite) < SUITE:
            game, number = player.play(number), number + 1
            board = chess.Board(game.fen)
            if len(openings) < OPENINGS and abs(scores(engine, board, SHORT)[0][1]) <= BALANCE:
                openings.append(board.epd())
            boards = []
            for move in game.moves.tolist():
                boards.append(board.copy())
                board.push_uci(move_text(move))
            for board in source.sample(boards, min(CASES_A_GAME, len(boards))) if len(suite) < SUITE else ():
                move = only_move(engine, board, SHORT)
                if move is None or board.is_capture(move) or board.is_check() or only_move(engine, board, LONG) != move:
                    continue
                if zobra_move(searcher, board) == move.uci() and len(suite) < SUITE:
                    suite.append(board.epd(bm=[move], id=f"zobra.{len(suite) + 1:03d}"))
                    print(suite[-1], flush=True)
                    break
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "openings.epd").write_text("\n".join(openings) + "\n")
    (FOLDER / "suite.epd").write_text("\n".join(suite) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A UCI engine that counts material, one move and the best capture ahead.

python material_engine.py [--slow MS] [--die N] [--silent]
"""

import argparse
import os
import sys
import time

import chess

VALUES = {
    chess.PAWN: 100,
    chess.KNIGHT: 300,
    chess.BISHOP: 300,
    chess.ROOK: 500,
    chess.QUEEN: 900,
    chess.KING: 0,
}
MATE = 100_000
parser = argparse.ArgumentParser()
parser.add_argument("--slow", type=int, default=0, help="milliseconds that every search takes")
parser.add_argument("--die", type=int, help="end without a word at this search")
parser.add_argument("--silent", action="store_true", help="give no scores")
options = parser.parse_args()


def material(board: chess.Board) -> int:
    """Return centipawns from the view of the side to move."""
    total = 0
    for piece in board.piece_map().values():
        value = VALUES[piece.piece_type]
        total += value if piece.color == board.turn else -value
    return total


def value(board: chess.Board, move: chess.Move) -> int:
    """Return what a move leaves after the best capture by the other side."""
    board.push(move)
    worst = MATE if board.is_checkmate() else -material(board)
    for reply in list(board.generate_legal_captures()):
        board.push(reply)
        worst = min(worst, material(board))
        board.pop()
    board.pop()
    return worst


board = chess.Board()
lines = 1
searches = 0
for line in sys.stdin:
    match line.split():
        case ["uci"]:
            print("id name Material")
            for name, high in (("MultiPV", 9), ("Threads", 8), ("Hash", 64)):
                print(f"option name {name} type spin default 1 min 1 max {high}")
            print("uciok")
        case ["isready"]:
            print("readyok")
        case ["setoption", "name", "MultiPV", "value", number]:
            lines = int(number)
        case ["position", *words]:
            tail = words.index("moves") if "moves" in words else len(words)
            fen = chess.STARTING_FEN if words[0] == "startpos" else " ".join(words[1:tail])
            board = chess.Board(fen)
            for move in words[tail + 1 :]:
                board.push_uci(move)
        case ["go", *_]:
            searches += 1
            if searches == options.die:
                os._exit(3)
            time.sleep(options.slow / 1000)
            values = {move: value(board, move) for move in board.legal_moves}
            moves = sorted(values, key=lambda move: (-values[move], move.uci()))
            for number, move in enumerate(moves[:lines], start=1):
                if options.silent:
                    break
                score = "mate 1" if values[move] == MATE else f"cp {values[move]}"
                said = f"multipv {number} score {score} nodes 9 time 1 pv {move.uci()}"
                print(f"info depth 2 {said}")
            print(f"bestmove {moves[0].uci()}")
        case ["quit"]:
            break
    sys.stdout.flush()

"""Makes the perft positions of perft_positions.py: random games, counted by Stockfish, confirmed by python-chess.

    python -m tests.make_perft_positions /usr/games/stockfish > tests/perft_positions.py

The seeds are fixed, so the same positions come out each time, with any engine that knows `go perft`.
"""

from __future__ import annotations

import random
import subprocess
import sys

import chess

DEPTH, MOST_LEAVES = 4, 800_000
SETS = (("STANDARD", 60, False, 1970), ("CHESS960", 30, True, 1990))  # name, positions, Chess960, seed
HEADER = '''"""Perft positions of the project's own making: FEN and leaves at depths 1 to 4.

Each is where a random legal game stood. make_perft_positions.py made them; Stockfish and python-chess agree on every count.
"""
'''


class Counter:
    """An engine that counts leaves by `go perft`."""

    def __init__(self, path: str) -> None:
        self._process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def count_leaves(self, board: chess.Board, depth: int) -> int:
        """Perft of a position."""
        assert self._process.stdin and self._process.stdout
        option = f"setoption name UCI_Chess960 value {str(board.chess960).lower()}"
        self._process.stdin.write(f"{option}\nposition fen {board.fen()}\ngo perft {depth}\n")
        for line in self._process.stdout:
            if line.startswith("Nodes searched"):
                return int(line.split(":")[1])
        raise SystemExit("the engine has ended before it answered: does it know `go perft`?")

    def quit(self) -> None:
        """End the engine."""
        self._process.communicate("quit\n")


def count_leaves(board: chess.Board, depth: int) -> int:
    """Perft by python-chess."""
    if depth == 1:
        return board.legal_moves.count()
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += count_leaves(board, depth - 1)
        board.pop()
    return total


def play(source: random.Random, chess960: bool) -> chess.Board:
    """A random game cut off somewhere, often early, or where a pawn may be taken in passing.

    Kings and rooks hesitate, so that castling rights last.
    """
    board = chess.Board.from_chess960_pos(source.randrange(960)) if chess960 else chess.Board()
    for _ in range(source.choice((source.randrange(4, 40), source.randrange(40, 110)))):
        moves = list(board.legal_moves)
        if not moves or (board.has_legal_en_passant() and source.random() < 0.5):
            break
        slow = (chess.KING, chess.ROOK)
        weights = [1 if board.piece_type_at(move.from_square) in slow and not board.is_check() else 8 for move in moves]
        board.push(source.choices(moves, weights)[0])
    return board


def make_set(count: int, chess960: bool, seed: int, counter: Counter) -> dict[str, tuple[int, ...]]:
    """That many positions with their counts; one on which the two counters differ ends everything."""
    source, found = random.Random(seed), {}
    while len(found) < count:
        board = play(source, chess960)
        if board.is_game_over():
            continue
        counts = tuple(counter.count_leaves(board, depth) for depth in range(1, DEPTH + 1))
        if counts[-1] <= MOST_LEAVES:
            confirmed = tuple(count_leaves(board, depth) for depth in range(1, DEPTH + 1))
            if confirmed != counts:
                raise SystemExit(f"{board.fen()}: {counts} by the engine, {confirmed} by python-chess")
            found[board.fen()] = counts
    return found


def main() -> None:
    """Print the module."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    counter = Counter(sys.argv[1])
    print(HEADER, end="")
    for name, count, chess960, seed in SETS:
        lines = [f'    "{fen}": {counts},' for fen, counts in make_set(count, chess960, seed, counter).items()]
        print("\n".join(["", f"{name} = {{", *lines, "}"]))
    counter.quit()


if __name__ == "__main__":
    main()

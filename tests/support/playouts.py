"""Random legal games: the positions that most tests with an oracle walk through."""

import random
from collections.abc import Iterator

import chess

from zobra.engine.position import Position


def playouts(games: int, seed: int, longest: int = 160) -> Iterator[tuple[chess.Board, Position]]:
    """Yield the positions of random games, every other one of Chess960.

    They come as python-chess' board, and as our position, made move by move.
    """
    source = random.Random(seed)
    for game in range(games):
        board = chess.Board.from_chess960_pos(source.randrange(960)) if game % 2 else chess.Board()
        position = Position.from_board(board)
        while True:
            yield board, position
            moves = list(board.legal_moves)
            if not moves or board.is_insufficient_material() or board.ply() >= longest:
                break
            move = source.choice(moves)
            position = position.after(position.parse_move(move.uci()))
            board.push(move)

"""Games that Zobra plays against itself at a fixed number of nodes, and the quiet positions in them.

Every game is determined by its number alone, whatever the number of workers: it has its own random opening, an empty table, and
no clock.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from zobra.engine.evaluate import is_insufficient
from zobra.engine.fen import START, parse_fen
from zobra.engine.game import Game
from zobra.engine.scores import is_mate
from zobra.search.limits import Limits, Report
from zobra.search.searcher import Searcher

OPENING_PLIES = (8, 9)
BALANCED = 400  # centipawns: an opening beyond this is thrown away
CERTAIN, CERTAIN_PLIES = 1_500, 6  # a game is over when the score stays beyond this
LONGEST_GAME = 400  # plies
FIFTY_MOVES = 100

# One position: the mailbox, the side to move, the score (centipawns for White), the result for White in half points, its game.
SAMPLE = np.dtype([("board", "u1", (64,)), ("side", "u1"), ("score", "i2"), ("result", "u1"), ("game", "u4")])


def opening(number: int, searcher: Searcher) -> Game:
    """A random but balanced start for game `number`."""
    source = random.Random(number)
    while True:
        game = Game(parse_fen(START))
        for _ in range(source.choice(OPENING_PLIES)):
            moves = game.position.legal_moves()
            if not moves:
                break
            game.push(source.choice(moves))
        if game.position.legal_moves() and abs(_think(searcher, game, 1_000)[1]) <= BALANCED:
            return game


def _think(searcher: Searcher, game: Game, nodes: int) -> tuple[int, int]:
    reports: list[Report] = []
    result = searcher.search(game, Limits(nodes=nodes), reports.append)
    exact = [report.score for report in reports if report.bound == 0]
    return result.best, exact[-1] if exact else 0


def play_game(number: int, nodes: int, searcher: Searcher) -> np.ndarray:
    """Play game `number`; its quiet positions as an array of SAMPLE."""
    searcher.clear()
    game = opening(number, searcher)
    searcher.clear()
    samples: list[tuple[np.ndarray, int, int]] = []
    white_result, certain = 1, 0
    for _ in range(LONGEST_GAME):
        position = game.position
        if not position.legal_moves():
            white_result = 2 * position.side if position.in_check else 1
            break
        repeated = game.keys.count(position.key) >= 2
        if repeated or position.record["halfmove"] >= FIFTY_MOVES or is_insufficient(position.record):
            break
        move, score = _think(searcher, game, nodes)
        white_score = -score if position.side else score
        certain = certain + 1 if abs(score) >= CERTAIN else 0
        if certain >= CERTAIN_PLIES:
            white_result = 2 if white_score > 0 else 0
            break
        is_capture = position.record["board"][move >> 6 & 63] != 12 or move >> 12 >= 3
        if not position.in_check and not is_capture and not is_mate(score):
            samples.append((position.record["board"].copy(), position.side, white_score))
        game.push(move)
    played = np.zeros(len(samples), SAMPLE)
    for sample, (board, side, score) in zip(played, samples, strict=True):
        sample["board"], sample["side"], sample["score"] = board, side, score
    played["result"], played["game"] = white_result, number
    return played


def play_games(first: int, count: int, nodes: int) -> Iterator[np.ndarray]:
    """Play the games `first` … `first + count - 1` one after the other."""
    searcher = Searcher(megabytes=4)
    for number in range(first, first + count):
        yield play_game(number, nodes, searcher)

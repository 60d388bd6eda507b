"""Games of self-play for tests, and a look at them by python-chess."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import chess
import numpy as np

from zobra.engine.move import move_text
from zobra.engine.network_file import BUILT_IN, read_network
from zobra.train.game_kernel import TrainingGame
from zobra.train.games import read_positions
from zobra.train.positions import Replayer
from zobra.train.recipe import Filter, GameRules
from zobra.train.self_play import SelfPlayer

BUILT_IN_NETWORK = read_network(BUILT_IN)
QUICK = GameRules(nodes=150, node_limit=1_500)


def play_games(rules: GameRules, count: int, seed: int = 1) -> list[TrainingGame]:
    player = SelfPlayer(rules, seed, BUILT_IN_NETWORK)
    return [player.play(number) for number in range(count)]


def same_game(first: TrainingGame, second: TrainingGame) -> bool:
    same_facts = (
        first.number == second.number
        and first.fen == second.fen
        and first.result == second.result
        and first.ending == second.ending
    )
    return (
        same_facts
        and first.moves.tolist() == second.moves.tolist()
        and first.scores.tolist() == second.scores.tolist()
    )


def positions_of(games: Iterable[TrainingGame], wanted: Filter | None = None) -> np.ndarray:
    """The positions of all games that pass a filter."""
    replayer = Replayer(wanted or Filter())
    found = []
    for game in games:
        coded = replace(game, moves=replayer.indices(game))
        found.append(replayer.read(coded)[1])
    return np.concatenate(found)


def read_shard(path: Path) -> list[TrainingGame]:
    return [game for game, _ in read_positions(path, Filter())]


def replayed(game: TrainingGame) -> Iterator[tuple[chess.Board, chess.Move, int]]:
    """Board, its next move and the score of that, along a game; the board is one and the same.

    python-chess objects to illegal moves.
    """
    board = chess.Board(game.fen)
    for number, score in zip(game.moves.tolist(), game.scores.tolist(), strict=True):
        move = board.parse_uci(move_text(number))
        yield board, move, score
        board.push(move)


def final_board(game: TrainingGame) -> chess.Board:
    board = chess.Board(game.fen)
    for number in game.moves.tolist():
        board.push(board.parse_uci(move_text(number)))
    return board

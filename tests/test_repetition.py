"""Repetition and the fifty moves: exact, across the history of the game and along a line of the search."""

import json
import random
from pathlib import Path

import chess
import pytest

from tests.search_kernels import PLAIN, Workbench, call
from zobra.engine.fen import parse_fen
from zobra.engine.game import Game
from zobra.engine.move import move_text
from zobra.engine.scores import is_mate
from zobra.search.limits import Limits, Report
from zobra.search.searcher import Searcher
from zobra.search.worker import MAX_KEYS, is_repetition

ENDGAMES = Path(__file__).resolve().parents[2] / "shared/data/endgames"
STARTS = [
    "7k/8/8/8/8/8/r7/1R5K w - - 0 1",
    "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1",  # castling rights are lost on the way
    "4k3/p7/8/1P6/8/8/8/4K3 b - - 0 1",  # en passant once
    "4k2n/8/8/8/8/8/8/N3K3 w - - 0 1",
]


def random_game(source: random.Random, start: str, plies: int) -> list[chess.Move]:
    """Moves of a game that likes to go back to where it was."""
    board, moves = chess.Board(start), []
    for _ in range(plies):
        legal = list(board.legal_moves)
        if not legal:
            break
        back = chess.Move(moves[-2].to_square, moves[-2].from_square) if len(moves) > 1 else None
        moves.append(back if back in legal and source.random() < 0.6 else source.choice(legal))
        board.push(moves[-1])
    return moves


@pytest.mark.parametrize("start", STARTS)
def test_a_third_time_in_the_game(start):
    """At the root it takes three times in all, as python-chess counts."""
    source = random.Random(start)
    repeated = 0
    for _ in range(4):
        board, game = chess.Board(start), Game(parse_fen(start))
        for move in random_game(source, start, 50):
            board.push(move)
            game.push(game.position.parse_move(move.uci()))
            bench = Workbench(game.position, keys=game.keys)
            assert bool(call(is_repetition, bench, 0)) == board.is_repetition(3), board.fen()
            repeated += board.is_repetition(3)
    assert repeated > 5


@pytest.mark.parametrize("start", STARTS)
def test_once_since_the_root_or_twice_in_all(start):
    """Along a line below the root, at every ply."""
    source = random.Random(start + "line")
    answers = []
    for _ in range(16):
        moves = random_game(source, start, 40)
        root = source.randrange(len(moves))
        board, game = chess.Board(start), Game(parse_fen(start))
        seen = [board.epd()]
        for move in moves[:root]:
            board.push(move)
            game.push(game.position.parse_move(move.uci()))
            seen.append(board.epd())
        bench = Workbench(game.position, keys=game.keys)
        position = game.position
        for ply, move in enumerate(moves[root:], 1):
            board.push(move)
            position = position.after(position.parse_move(move.uci()))
            bench.this["stack"][ply]["position"] = position.record
            bench.this["keys"][bench.this["root_key_index"] + ply] = position.key
            earlier = [index for index, epd in enumerate(seen) if epd == board.epd()]
            wanted = len(earlier) >= 2 or any(index > root for index in earlier)
            assert bool(call(is_repetition, bench, ply)) == wanted, f"{board.fen()} root {root} ply {ply}"
            answers.append(wanted)
            seen.append(board.epd())
    assert 20 < sum(answers) < len(answers) - 20


def test_a_null_move_is_no_way_back():
    position = parse_fen(STARTS[0])
    bench = Workbench(position)
    for ply in range(1, 5):
        move = 0 if ply % 2 else position.parse_move("h8g7" if ply == 2 else "g7h8")
        position = position.after(move)
        bench.this["stack"][ply]["position"] = position.record
        bench.this["keys"][ply] = position.key
    assert not call(is_repetition, bench, 4)


def test_a_game_longer_than_the_keys_kept():
    """Only the latest keys are handed over, and the repetition among them is still seen."""
    game = Game(parse_fen(STARTS[0]))
    searcher = Searcher(1, parameters=PLAIN)
    for ply in range(MAX_KEYS + 200):
        game.push(game.position.parse_move(("b1b3", "a2a3", "b3b1", "a3a2")[ply % 4]))
    assert len(game.keys) > MAX_KEYS
    result = searcher.search(game, Limits(depth=3), lambda report: None)
    assert result.best in game.position.legal_moves()
    assert call(is_repetition, ply=0, worker=searcher._this)


SHUFFLE = ["g1h1", "c3d3", "h1g1", "d3c3", "g1h1", "c3d3", "h1g1", "d3c3"]  # king against king and queen, back and forth


def shuffled(plies: int) -> Game:
    game = Game(parse_fen("8/8/8/8/8/2k5/1q6/6K1 w - - 0 1"))
    for text in SHUFFLE[:plies]:
        game.push(game.position.parse_move(text))
    return game


@pytest.mark.parametrize("depth", range(1, 9))
def test_the_losing_side_seeks_the_repetition(depth):
    game = shuffled(8)
    reports: list[Report] = []
    result = Searcher(1).search(game, Limits(depth=depth), reports.append)
    assert (move_text(result.best), reports[-1].score) == ("g1h1", 0)


@pytest.mark.parametrize("depth", range(1, 9))
def test_the_winning_side_avoids_the_repetition(depth):
    game = shuffled(7)
    reports: list[Report] = []
    result = Searcher(1).search(game, Limits(depth=depth), reports.append)
    assert move_text(result.best) != "d3c3"
    assert reports[-1].score > 300


def read(name: str) -> list[dict]:
    return [json.loads(line) for line in (ENDGAMES / name).read_text().splitlines()]


def think(line: dict, nodes: int) -> tuple[str, int]:
    game = Game(parse_fen(line["fen"]))
    for text in line.get("moves", "").split():
        game.push(game.position.parse_move(text))
    reports: list[Report] = []
    result = Searcher(16).search(game, Limits(nodes=nodes), reports.append)
    return move_text(result.best), reports[-1].score


@pytest.mark.slow
@pytest.mark.skipif(
    not (ENDGAMES / "repetition.jsonl").exists(), reason="../shared/data/endgames/repetition.jsonl is not there"
)
def test_repetitions_are_sought_and_avoided():
    failed = []
    lines = [line for line in read("repetition.jsonl") if line["kind"] != "perpetual_check"]
    for line in lines:
        move, score = think(line, 400_000)
        avoided = line["kind"] == "avoid_threefold" and move != line["drawing_move"]
        sought = line["kind"] == "seek_threefold" and (move in line["best"] or score >= 0)
        failed += [] if avoided or sought else [(line["kind"], line["fen"], move, score)]
    assert not failed


@pytest.mark.slow
@pytest.mark.skipif(not (ENDGAMES / "fifty.jsonl").exists(), reason="../shared/data/endgames/fifty.jsonl is not there")
def test_fifty_moves_decide():
    """A win that comes too late is no mate; a win in time of few moves is found."""
    failed = []
    for line in read("fifty.jsonl"):
        if not line.get("exact"):
            continue
        move, score = think(line, 400_000)
        late = line["expected"] == "draw" and is_mate(score)
        missed = line["expected"] == "win" and line["dtm_plies"] <= 9 and move not in line["winning_moves"]
        failed += [(line["fen"], move, score)] if late or missed else []
    assert not failed

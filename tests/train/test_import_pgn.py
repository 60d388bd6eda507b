"""`zobra train import`: scores, results and openings of PGN games, and the reasons for which games
are refused.
"""

import bz2
import gzip

import chess
import numpy as np
import pytest
from typer.testing import CliRunner

from tests.train.test_self_play import read_shard
from zobra.search.wdl import USUAL_MATERIAL, fitted
from zobra.train.command_line import app
from zobra.train.games import DECIDED_SCORE, levels_of, scores_of, shards

GAME = '[White "A"]\n[Black "B"]\n[Result "{}"]\n\n{} {}\n\n'
SCORED = (
    "1. e4 {book} e5 {book} 2. Nf3 {+0.30/8 0.1s} Nc6 {-0.20/9 0.1s} 3. Bb5 {[%eval 0.5]} "
    "a6 {-M4/9 0.1s}"
)


def run(folder, *files):
    return CliRunner().invoke(
        app, ["import", *map(str, files), "--set", "games", "--folder", str(folder)]
    )


@pytest.mark.parametrize(
    ("name", "pack"), [("a.pgn", bytes), ("a.pgn.gz", gzip.compress), ("a.pgn.bz2", bz2.compress)]
)
def test_games_are_read_from_their_first_score_on(tmp_path, name, pack):
    (tmp_path / name).write_bytes(pack((GAME.format("1-0", SCORED, "1-0") * 2).encode()))
    result = run(tmp_path, tmp_path / name)
    assert result.exit_code == 0 and "2 games imported" in result.output, result.output
    first, second = read_shard(shards(tmp_path / "games")[0])
    assert first.fen == "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    assert (first.number, second.number, first.result, len(first.moves)) == (0, 1, 2, 4)
    pawn = fitted().even_chance(USUAL_MATERIAL)  # of the search, where 100 centipawns are shown
    expected = scores_of(
        levels_of(np.rint([0.3 * pawn, 0.2 * pawn, 0.5 * pawn, DECIDED_SCORE]))
    )  # for White
    assert first.scores.tolist() == expected.tolist() == second.scores.tolist()
    assert "there are games in it already" in run(tmp_path, tmp_path / name).output


@pytest.mark.parametrize(
    ("moves", "result", "reason"),
    [
        ("1. e4 e5", "1-0", "no scores"),
        (SCORED, "*", "no result"),
        (
            "1. e4 {+0.30/8} e5 2. Nf3 {+0.10/8}",
            "1-0",
            "a move without a score after moves with one",
        ),
    ],
)
def test_other_games_are_refused_with_the_reason(tmp_path, moves, result, reason):
    path = tmp_path / "a.pgn"
    path.write_text(GAME.format(result, moves, result))
    done = run(tmp_path, path)
    assert (
        done.exit_code == 1
        and f"1 games refused: {path}: {reason}" in done.output
        and "no games imported" in done.output
    )
    assert "zobra train:" not in done.output  # the reason says it all
    path.write_text(GAME.format(result, moves, result) + GAME.format("0-1", SCORED, "0-1"))
    assert run(tmp_path, path).exit_code == 0 and len(list(read_shard(shards(tmp_path)[0]))) == 1


def test_games_that_cannot_be_read_are_named(tmp_path):
    path = tmp_path / "a.pgn"
    bad = GAME.format("1-0", "1. e4 {+0.30/8} Ke4 {+0.10/8}", "1-0")
    path.write_text(bad)
    assert run(tmp_path, path).exit_code == 2
    path.write_text(bad + GAME.format("0-1", SCORED, "0-1"))
    done = run(tmp_path, path)
    assert done.exit_code == 1 and len(list(read_shard(shards(tmp_path)[0]))) == 1
    assert f"{path}: game 1 is left out: illegal move Ke4 at move 1\n" in done.output


def test_chess960_castling_comes_back(tmp_path):
    fen = "bqnnrkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNNRKRB w KQkq - 0 1"
    headers = f'[Variant "Chess960"]\n[SetUp "1"]\n[FEN "{fen}"]\n'
    (tmp_path / "a.pgn").write_text(
        headers + GAME.format("1-0", "1. O-O {+0.1/5} e5 {+0.0/5}", "1-0")
    )
    assert run(tmp_path, tmp_path / "a.pgn").exit_code == 0
    (game,) = read_shard(shards(tmp_path)[0])
    assert (
        chess.Board(game.fen, chess960=True).has_castling_rights(chess.WHITE)
        and len(game.moves) == 2
    )


def test_a_long_game_is_cut(tmp_path):
    moves = " ".join(["Nf3 {+0.1/3} Nf6 {+0.1/3} Ng1 {+0.1/3} Ng8 {+0.1/3}"] * 101)
    (tmp_path / "a.pgn").write_text(GAME.format("1/2-1/2", moves, "1/2-1/2"))
    assert run(tmp_path, tmp_path / "a.pgn").exit_code == 0
    assert [len(game.moves) for game in read_shard(shards(tmp_path / "games")[0])] == [400]

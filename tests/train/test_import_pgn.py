"""`zobra train import`: scores, results and openings of PGN games, and the reasons for which games
are refused.
"""

import bz2
import gzip

import chess
import numpy as np
import pytest
from typer.testing import CliRunner

from tests.support.training_games import read_shard
from zobra.search.wdl import USUAL_MATERIAL, fitted
from zobra.train.command_line import app
from zobra.train.games import DECIDED_SCORE, as_pgn, levels_of, scores_of, shards

SCORED = (
    "1. e4 {book} e5 {book} 2. Nf3 {+0.30/8 0.1s} Nc6 {-0.20/9 0.1s} 3. Bb5 {[%eval 0.5]} "
    "a6 {-M4/9 0.1s}"
)


def pgn(moves: str, result: str) -> str:
    return f'[White "A"]\n[Black "B"]\n[Result "{result}"]\n\n{moves} {result}\n\n'


def imported(folder, *files):
    """What the command says, and the games that it imported."""
    arguments = ["import", *map(str, files), "--set", "games", "--folder", str(folder)]
    done = CliRunner().invoke(app, arguments)
    games = [game for path in shards(folder / "games") for game in read_shard(path)]
    return done, games


@pytest.mark.parametrize(
    ("name", "pack"), [("a.pgn", bytes), ("a.pgn.gz", gzip.compress), ("a.pgn.bz2", bz2.compress)]
)
def test_games_are_read_from_their_first_score_on(tmp_path, name, pack):
    file = tmp_path / name
    file.write_bytes(pack((pgn(SCORED, "1-0") * 2).encode()))
    done, games = imported(tmp_path, file)
    assert done.exit_code == 0
    assert "2 games imported" in done.output
    assert [game.number for game in games] == [0, 1]

    pawn = fitted().even_chance(USUAL_MATERIAL)  # of the search, where 100 centipawns are shown
    for_white = np.rint([0.3 * pawn, 0.2 * pawn, 0.5 * pawn, DECIDED_SCORE])
    for game in games:
        assert game.fen == "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
        assert game.result == 2
        assert len(game.moves) == 4
        assert game.scores.tolist() == scores_of(levels_of(for_white)).tolist()

    again, _ = imported(tmp_path, file)
    assert again.exit_code == 1
    assert "this folder already has games" in again.output


def test_an_import_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    """Shards that were written before the damaged file are removed, and the same command works."""
    monkeypatch.setattr("zobra.train.import_pgn.GAMES_PER_SHARD", 1)
    first = tmp_path / "a.pgn"
    first.write_text(pgn(SCORED, "1-0") * 2)
    second = tmp_path / "b.pgn.gz"
    second.write_bytes(gzip.compress(pgn(SCORED, "0-1").encode())[:-9])
    failed, _ = imported(tmp_path, first, second)
    assert failed.exit_code == 1
    assert str(second) in failed.output
    assert sorted(tmp_path.iterdir()) == [first, second]

    second.write_bytes(gzip.compress(pgn(SCORED, "0-1").encode()))
    done, games = imported(tmp_path, first, second)
    assert done.exit_code == 0
    assert [game.result for game in games] == [2, 2, 0]
    assert (tmp_path / "games" / "set.json").exists()
    assert sorted(tmp_path.iterdir()) == [first, second, tmp_path / "games"]


def test_only_an_empty_folder_becomes_a_set(tmp_path):
    file = tmp_path / "a.pgn"
    file.write_text(pgn(SCORED, "1-0"))
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "notes").touch()
    refused, _ = imported(tmp_path, file)
    assert refused.exit_code == 1
    assert "this folder is not empty; name another set" in refused.output

    (tmp_path / "games" / "notes").unlink()
    done, games = imported(tmp_path, file)
    assert done.exit_code == 0
    assert len(games) == 1


def test_what_view_prints_can_be_imported(games, tmp_path):
    """Moves and results stay, and scores within the hundredth of a pawn that is printed."""
    file = tmp_path / "games.pgn"
    file.write_text("\n\n".join(map(as_pgn, games[:6])))
    done, again = imported(tmp_path, file)
    assert done.exit_code == 0
    for game, read in zip(games[:6], again, strict=True):
        assert read.fen == game.fen
        assert read.result == game.result
        assert read.moves.tolist() == game.moves.tolist()
        differences = levels_of(read.scores).astype(int) - levels_of(game.scores)
        assert np.abs(differences).max() <= 1


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
    file = tmp_path / "a.pgn"
    file.write_text(pgn(moves, result))
    done, games = imported(tmp_path, file)
    assert done.exit_code == 1
    assert f"1 game refused: {file}: {reason}" in done.output
    assert "no games imported" in done.output
    assert "zobra train:" not in done.output  # the reason says it all
    assert not games

    file.write_text(pgn(moves, result) + pgn(SCORED, "0-1"))
    done, games = imported(tmp_path, file)
    assert done.exit_code == 0
    assert len(games) == 1


def test_games_that_cannot_be_read_are_named(tmp_path):
    file = tmp_path / "a.pgn"
    bad = pgn("1. e4 {+0.30/8} Ke4 {+0.10/8}", "1-0")
    file.write_text(bad)
    done, _ = imported(tmp_path, file)
    assert done.exit_code == 2

    file.write_text(bad + pgn(SCORED, "0-1"))
    done, games = imported(tmp_path, file)
    assert done.exit_code == 1
    assert f"{file}: game 1 is left out: illegal move Ke4 at move 1\n" in done.output
    assert len(games) == 1


def test_chess960_castling_comes_back(tmp_path):
    fen = "bqnnrkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNNRKRB w KQkq - 0 1"
    headers = f'[Variant "Chess960"]\n[SetUp "1"]\n[FEN "{fen}"]\n'
    file = tmp_path / "a.pgn"
    file.write_text(headers + pgn("1. O-O {+0.1/5} e5 {+0.0/5}", "1-0"))
    done, (game,) = imported(tmp_path, file)
    assert done.exit_code == 0
    assert chess.Board(game.fen, chess960=True).has_castling_rights(chess.WHITE)
    assert len(game.moves) == 2

    file.write_text(as_pgn(game))
    _, (again,) = imported(tmp_path / "again", file)
    assert again.fen == game.fen
    assert again.moves.tolist() == game.moves.tolist()


def test_a_long_game_is_cut(tmp_path):
    file = tmp_path / "a.pgn"
    moves = " ".join(["Nf3 {+0.1/3} Nf6 {+0.1/3} Ng1 {+0.1/3} Ng8 {+0.1/3}"] * 101)
    file.write_text(pgn(moves, "1/2-1/2"))
    done, (game,) = imported(tmp_path, file)
    assert done.exit_code == 0
    assert len(game.moves) == 400

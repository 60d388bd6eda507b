"""Games of self-play: legal, ended for a reason, and the same whoever makes them."""

import json
import os
import shutil
import signal
from pathlib import Path

import chess
import pytest

from tests.support.training_games import (
    BUILT_IN_NETWORK,
    QUICK,
    final_board,
    play_games,
    positions_of,
    read_shard,
    replayed,
    same_game,
)
from zobra.engine.scores import is_mate
from zobra.train import self_play
from zobra.train.first_network import first_network
from zobra.train.game_kernel import ENDINGS, DataError, TrainingGame
from zobra.train.games import GAMES_PER_SHARD, shards
from zobra.train.recipe import DataPlan, GameRules
from zobra.train.self_play import SelfPlay, SelfPlayer

FIRST = first_network()
BRANCHING = GameRules(nodes=150, node_limit=1_500, branches=5, win_score=1_000, win_plies=4)
RESULTS = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}


def test_games_are_legal_and_end_as_they_say(games):
    for game in games:
        board = final_board(game)
        outcome = board.outcome(claim_draw=True)
        ending = ENDINGS[game.ending]
        if ending in ("mate", "stalemate", "material", "repetition", "fifty moves"):
            assert outcome is not None, (game.number, ending)
            assert RESULTS[outcome.result()] == game.result
        elif ending in ("mate found", "win agreed"):
            assert game.result == (2 if game.scores[-1] > 0 else 0)
            assert is_mate(int(game.scores[-1])) == (ending == "mate found")
        else:
            assert game.result == 1
    assert len({game.ending for game in games}) > 1


def test_games_are_adjudicated_by_the_last_scores(games):
    for game in games:
        ending = ENDINGS[game.ending]
        scores = game.scores.astype(int)
        if ending == "win agreed":
            for_winner = scores if game.result == 2 else -scores
            assert (for_winner[-QUICK.win_plies :] >= QUICK.win_score).all()
        if ending == "draw agreed":
            assert (abs(scores[-QUICK.draw_plies :]) <= QUICK.draw_score).all()
            assert len(scores) > QUICK.draw_after


def test_openings_are_random_and_of_the_right_length(games):
    boards = [chess.Board(game.fen) for game in games]
    assert len({board.fen() for board in boards}) == len(games)
    assert {board.ply() for board in boards} == {8, 9}


def test_a_game_depends_on_its_number_and_seed_alone(games):
    player = SelfPlayer(QUICK, 1, BUILT_IN_NETWORK)
    for number in (7, 3):  # in another order, after other games
        assert same_game(player.play(number), games[number])
    assert SelfPlayer(QUICK, 2, BUILT_IN_NETWORK).play(3).fen != games[3].fen


@pytest.fixture(scope="module")
def branching() -> list[TrainingGame]:
    """Four groups of five games, of which the last branches off one of the others."""
    return play_games(BRANCHING, 20)


def branches_off(start: chess.Board, parent: TrainingGame) -> bool:
    """Is `start` one or two moves after a position of the parent with a score within 600?"""
    for board, _, score in replayed(parent):
        plies = start.ply() - board.ply()
        if abs(score) < 600 and plies in (1, 2) and is_reached(board, start, plies):
            return True
    return False


def is_reached(board: chess.Board, target: chess.Board, plies: int) -> bool:
    """Do so many moves lead from a board to the target?"""
    if plies == 0:
        return board.fen() == target.fen()
    for move in list(board.legal_moves):
        board.push(move)
        found = is_reached(board, target, plies - 1)
        board.pop()
        if found:
            return True
    return False


def test_every_fifth_game_branches_off_one_of_the_four_before_it(branching):
    for game in branching:
        group = branching[game.number - game.number % 5 :][:4]
        start = chess.Board(game.fen)
        parents = [other for other in group if branches_off(start, other)]
        assert bool(parents) == (game.number % 5 == 4), game.number
    assert len({chess.Board(game.fen).ply() for game in branching[4::5]}) > 1


def test_the_other_games_are_those_of_the_rules_without_branches(branching):
    rules = GameRules(nodes=150, node_limit=1_500, win_score=1_000, win_plies=4)
    player = SelfPlayer(rules, 1, BUILT_IN_NETWORK)
    assert same_game(player.play(6), branching[6])
    assert player.play(4).fen != branching[4].fen


def test_branches_are_played_on_with_results(branching):
    for game in branching[4::5]:
        assert len(game.moves) == len(game.scores) > 0
        assert set(positions_of([game])["result"]) <= {game.result, 2 - game.result}


def test_a_branch_is_the_same_alone_and_in_another_order(branching):
    for numbers in ((14,), (4,), (9,), (19, 2, 4, 18)):
        player = SelfPlayer(BRANCHING, 1, BUILT_IN_NETWORK)
        for number in numbers:
            assert same_game(player.play(number), branching[number])


def test_a_game_with_nothing_to_branch_off_begins_as_others_do():
    rules = GameRules(nodes=150, node_limit=1_500, branches=5, branch_margin=0)
    game = SelfPlayer(rules, 1, BUILT_IN_NETWORK).play(4)
    assert chess.Board(game.fen).ply() in (8, 9)


def contents(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in shards(folder)]


@pytest.mark.parametrize(("rules", "games"), [(QUICK, 12), (BRANCHING, 20)])
def test_a_set_is_the_same_resumed_and_by_other_threads(rules, games, tmp_path, monkeypatch):
    """A shard of four games ends before the branch, whose parents the next shard plays again."""
    monkeypatch.setattr(self_play, "GAMES_PER_SHARD", 4)
    plan = DataPlan(games, 5, rules=rules)
    whole = tmp_path / "whole"
    assert SelfPlay(whole, plan, 2, FIRST).run().games == games

    parts = tmp_path / "parts"
    stopped = SelfPlay(parts, plan, 1, FIRST)
    stopped.run(lambda tally: stopped.stopping.set() if tally.games == 5 else None)
    assert len(shards(parts)) == 1
    assert stopped.tally.games == 5
    assert stopped.tally.kept == 4

    resumed = SelfPlay(parts, plan, 1, FIRST)
    assert resumed.tally.shards_before == 1
    assert resumed.run().games == games - 4
    assert contents(whole) == contents(parts)

    player = SelfPlayer(rules, 5, FIRST)
    for path in shards(whole):
        for game in read_shard(path):
            alone = player.play(game.number)
            assert game.fen == alone.fen
            assert (game.moves == alone.moves).all()


@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl-C to a whole console")
def test_ctrl_c_keeps_whole_shards(tmp_path, monkeypatch):
    monkeypatch.setattr(self_play, "GAMES_PER_SHARD", 4)
    games = SelfPlay(tmp_path, DataPlan(4_000, 5, rules=QUICK), 1, FIRST)

    def interrupt(tally: self_play.Tally) -> None:
        if tally.games == 6:
            os.kill(os.getpid(), signal.SIGINT)

    tally = games.run(interrupt)
    assert games.stopping.is_set()
    assert tally.games < 4_000
    assert tally.kept == 4 * len(shards(tmp_path)) > 0


def test_an_error_in_a_thread_ends_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(self_play, "GAMES_PER_SHARD", 4)

    def fail(tally: self_play.Tally) -> None:
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        SelfPlay(tmp_path, DataPlan(40, 5, rules=QUICK), 2, FIRST).run(fail)
    assert not shards(tmp_path)


def begin(folder: Path, games=0, network=FIRST, rules=QUICK, seed=5) -> SelfPlay:
    return SelfPlay(folder, DataPlan(games, seed, rules=rules), 1, network)


def settings_of(folder: Path) -> dict:
    return json.loads((folder / "set.json").read_text())


def test_sets_are_not_mixed(tmp_path, shard):
    begin(tmp_path)
    shutil.copy(shard, tmp_path)
    digests = f"network = {FIRST.digest}, not {BUILT_IN_NETWORK.digest}"
    with pytest.raises(DataError, match="seed = 5, not 6"):
        begin(tmp_path, seed=6)
    with pytest.raises(DataError, match=digests):
        begin(tmp_path, network=BUILT_IN_NETWORK)
    with pytest.raises(DataError, match="branches = 0, not 5"):
        begin(tmp_path, rules=GameRules(nodes=150, node_limit=1_500, branches=5))
    assert settings_of(tmp_path)["games_a_shard"] == GAMES_PER_SHARD


def test_a_set_states_what_played_it(tmp_path, monkeypatch):
    monkeypatch.setattr(
        self_play, "provenance", lambda: {"version": "9.9", "commit": "1234567-dirty"}
    )
    begin(tmp_path, games=200)
    settings = settings_of(tmp_path)
    assert settings["version"] == "9.9"
    assert settings["commit"] == "1234567-dirty"
    assert settings["self_play_checksum"] == self_play.self_play_checksum()
    assert settings["games"] == 2 * GAMES_PER_SHARD


def test_a_set_without_games_is_begun_anew(tmp_path):
    """After Ctrl-C before the first shard, another version may play by other rules."""
    begin(tmp_path, seed=6)
    begin(tmp_path, seed=5)
    assert settings_of(tmp_path)["seed"] == 5


OTHERS = [
    ({"version": "9.9"}, r"holds games of Zobra 9\.9 \("),
    ({"self_play_checksum": "12345678"}, r"holds games of Zobra .* \(self-play 12345678\), and"),
    ({"version": None, "self_play_checksum": None}, r"holds games of Zobra 1\.0 \("),
]


@pytest.mark.parametrize(("changes", "complaint"), OTHERS, ids=["version", "sources", "1.0"])
def test_a_set_is_not_continued_by_another_version(tmp_path, shard, changes, complaint):
    """Another version plays other games; a set that is whole may be used."""
    begin(tmp_path)
    shutil.copy(shard, tmp_path)
    settings = {**settings_of(tmp_path), **changes}
    known = {name: value for name, value in settings.items() if value is not None}
    (tmp_path / "set.json").write_text(json.dumps(known))
    with pytest.raises(DataError, match=complaint):
        begin(tmp_path, games=200)
    assert begin(tmp_path, games=GAMES_PER_SHARD).games_missing == 0
    assert settings_of(tmp_path) == {**known, "games": GAMES_PER_SHARD}


def test_a_set_may_grow(tmp_path, shard):
    """It keeps the record of what began it, such as the commit."""
    begin(tmp_path, games=GAMES_PER_SHARD)
    shutil.copy(shard, tmp_path)
    before = {**settings_of(tmp_path), "commit": "1234567"}
    (tmp_path / "set.json").write_text(json.dumps(before))
    assert begin(tmp_path, games=200).games_missing == GAMES_PER_SHARD
    assert settings_of(tmp_path) == {**before, "games": 2 * GAMES_PER_SHARD}

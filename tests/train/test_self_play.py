"""Games of self-play: legal, ended for a reason, the same whoever makes them, and kept as they were
made.
"""

import json
from dataclasses import replace

import chess
import numpy as np
import pytest

from zobra.engine.move import NO_MOVE, move_text
from zobra.engine.network_file import BUILT_IN, read_network
from zobra.engine.scores import is_mate
from zobra.train import generate
from zobra.train.first_network import first_network
from zobra.train.game_kernel import ADDED_RULES, ENDINGS, RULE_DEFAULTS, DataError, TrainingGame
from zobra.train.games import (
    check_data,
    coherence,
    duplicate_share,
    levels_of,
    read_positions,
    read_sets,
    scores_of,
    shards,
    write_atomically,
    write_shard,
)
from zobra.train.generate import GAMES_A_SHARD, Generation, SelfPlayer
from zobra.train.positions import EMPTY, PACKED, Replayer, mailboxes, unpack_board
from zobra.train.recipe import DataPlan

FIRST = first_network()
OTHER = read_network(BUILT_IN)

RULES = {"nodes": 150, "node_limit": 1_500}


@pytest.fixture(scope="module")
def games() -> list[TrainingGame]:
    player = SelfPlayer(RULES, seed=1)
    return [player.play(number) for number in range(30)]


def read_shard(path) -> list[TrainingGame]:
    return [game for game, _ in read_positions(path, {})]


def replayed(game: TrainingGame):
    """(board, its next move) along a game by python-chess, which objects to illegal moves; the end
    with None.
    """
    board = chess.Board(game.fen)
    for number in game.moves.tolist():
        move = board.parse_uci(move_text(number))
        yield board, move
        board.push(move)
    yield board, None


def test_games_are_legal_and_end_as_they_say(games):
    for game in games:
        *_, (board, _) = replayed(game)
        outcome, ending = board.outcome(claim_draw=True), ENDINGS[game.ending]
        if ending in ("mate", "stalemate", "material", "repetition", "fifty moves"):
            assert outcome is not None, (game.number, ending)
            assert {"1-0": 2, "0-1": 0, "1/2-1/2": 1}[outcome.result()] == game.result
        elif ending in ("mate found", "win agreed"):
            assert game.result == (2 if game.scores[-1] > 0 else 0)
            assert is_mate(int(game.scores[-1])) == (ending == "mate found")
        else:
            assert game.result == 1
        scores = game.scores.astype(int) * (game.result - 1 or 1)
        if ending == "win agreed":
            assert (scores[-RULE_DEFAULTS["win_plies"] :] >= RULE_DEFAULTS["win_score"]).all()
        if ending == "draw agreed":
            assert (
                abs(scores[-RULE_DEFAULTS["draw_plies"] :]) <= RULE_DEFAULTS["draw_score"]
            ).all()
            assert len(scores) > RULE_DEFAULTS["draw_after"]
    assert len({game.ending for game in games}) > 1


def test_openings_are_random_balanced_and_of_the_right_length(games):
    assert len({game.fen for game in games}) == len(games)
    plies = {2 * (int(game.fen.split()[5]) - 1) + (game.fen.split()[1] == "b") for game in games}
    assert plies == {8, 9}


def test_a_game_depends_on_its_number_and_seed_alone(games):
    other = SelfPlayer(RULES, seed=1)
    for number in (7, 3):  # in another order, after other games
        again = other.play(number)
        assert again.fen == games[number].fen and (again.moves == games[number].moves).all()
        assert (again.scores == games[number].scores).all()
    assert SelfPlayer(RULES, seed=2).play(3).fen != games[3].fen


BRANCHING = {**RULES, "branches": 5, "win_score": 1_000, "win_plies": 4}


@pytest.fixture(scope="module")
def branching() -> list[TrainingGame]:
    """Four groups of five games, of which the last branches off one of the others."""
    player = SelfPlayer(BRANCHING, seed=1)
    return [player.play(number) for number in range(20)]


def same_game(first: TrainingGame, second: TrainingGame) -> bool:
    return (
        (first.number, first.fen, first.result, first.ending)
        == (second.number, second.fen, second.result, second.ending)
        and (first.moves == second.moves).all()
        and (first.scores == second.scores).all()
    )


def begins_off(start: chess.Board, parent: TrainingGame) -> bool:
    """Is `start` one or two moves after a position of the parent with a score within 600?"""
    before = start.ply()
    for (board, _), score in zip(replayed(parent), parent.scores.tolist(), strict=False):
        if abs(score) >= 600 or not 1 <= before - board.ply() <= 2:
            continue
        for move in board.legal_moves:
            after = board.copy()
            after.push(move)
            if after.fen() == start.fen():
                return True
            for answer in after.legal_moves:
                further = after.copy()
                further.push(answer)
                if further.fen() == start.fen():
                    return True
    return False


def test_every_fifth_game_branches_off_one_of_the_four_before_it(branching, games):
    """The others are those that the rules without branches give."""
    for game in branching:
        group = branching[game.number - game.number % 5 :][:4]
        start = chess.Board(game.fen)
        parents = [other for other in group if begins_off(start, other)]
        assert bool(parents) == (game.number % 5 == 4), game.number
    assert len({chess.Board(game.fen).ply() for game in branching[4::5]}) > 1
    unbranched = SelfPlayer({**BRANCHING, "branches": 0}, seed=1)
    assert same_game(unbranched.play(6), branching[6])
    assert unbranched.play(4).fen != branching[4].fen
    assert games[6].fen == branching[6].fen


def test_branches_are_played_on_with_results(branching):
    for game in branching[4::5]:
        assert len(game.moves) == len(game.scores) > 0
        positions = Replayer({}).positions(game)
        assert set(positions["result"]) <= {game.result, 2 - game.result}


def test_a_branch_is_the_same_alone_and_in_another_order(branching):
    for number in (14, 4, 9):
        assert same_game(SelfPlayer(BRANCHING, seed=1).play(number), branching[number])
    other = SelfPlayer(BRANCHING, seed=1)
    for number in (19, 2, 4, 18):
        assert same_game(other.play(number), branching[number])


def test_a_game_with_nothing_to_branch_off_begins_as_others_do():
    game = SelfPlayer({**BRANCHING, "branch_margin": 0}, seed=1).play(4)
    assert chess.Board(game.fen).ply() in (8, 9)


def test_a_branching_set_is_the_same_resumed_and_by_other_threads(tmp_path, monkeypatch):
    """A shard of four games ends before the branch, whose parents the next shard plays again."""
    monkeypatch.setattr(generate, "GAMES_A_SHARD", 4)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    Generation(whole, DataPlan(20, 1, rules=BRANCHING), workers=2, network=FIRST).run()
    first = Generation(parts, DataPlan(20, 1, rules=BRANCHING), workers=1, network=FIRST)
    first.run(lambda tally: first.stopping.set() if tally.games == 6 else None)
    assert len(shards(parts)) == 1
    Generation(parts, DataPlan(20, 1, rules=BRANCHING), workers=1, network=FIRST).run()
    contents = [path.read_bytes() for path in shards(whole)]
    assert contents == [path.read_bytes() for path in shards(parts)]
    player = SelfPlayer(BRANCHING, 1, FIRST)
    for game in (game for path in shards(whole) for game in read_shard(path)):
        alone = player.play(game.number)
        assert game.fen == alone.fen
        assert (game.moves == alone.moves).all()


def test_scores_are_for_white_and_go_with_results(games):
    replayer = Replayer({})
    positions = np.concatenate([replayer.positions(game) for game in games])
    found = coherence(positions)
    assert found is not None and found > 0.75
    swapped = positions.copy()
    swapped["score"] *= -1
    assert coherence(swapped) == pytest.approx(1 - found)


def test_packed_positions_are_those_of_the_game(games):
    """Against python-chess: the side to move plays up the board, only quiet positions are kept,
    each with its score.
    """
    replayer = Replayer({"first_ply": 12})
    for game in games[:10]:
        expected = []
        for (board, played), score in zip(replayed(game), game.scores.tolist(), strict=False):
            quiet = not board.is_check() and not board.is_capture(played) and not played.promotion
            if quiet and board.ply() >= 12 and abs(score) <= 3_000 and len(board.piece_map()) >= 4:
                seen = board if board.turn else board.mirror()
                sign = 1 if board.turn else -1
                king, other = seen.king(True), seen.king(False)
                mirrored = (chess.square_file(king) > 3) | (chess.square_file(other) > 3) << 1
                expected.append(
                    (
                        seen.board_fen(),
                        sign * score,
                        game.result if board.turn else 2 - game.result,
                        mirrored,
                    )
                )
        found = replayer.positions(game)
        numbers = [
            [int(packed[name]) for name in ("score", "result", "mirrored")] for packed in found
        ]
        boards = [unpack_board(packed).board_fen() for packed in found]
        assert [(fen, *rest) for fen, rest in zip(boards, numbers, strict=True)] == expected
        assert set(found["game"]) <= {game.number}


def test_positions_with_few_pieces_are_thinned_by_their_keys(games):
    """About half of them are left, the same whatever their order, and all others."""
    everything = {"first_ply": 0, "largest_score": 30_000}
    thinned = Replayer(everything | {"thinned_pieces": 24})
    whole = np.concatenate([Replayer(everything).positions(game) for game in games])
    part = np.concatenate([thinned.positions(game) for game in games])
    again = np.concatenate([thinned.positions(game) for game in reversed(games)])
    assert (
        np.sort(part, order=["game", "occupied"]) == np.sort(again, order=["game", "occupied"])
    ).all()

    def pieces(positions: np.ndarray) -> np.ndarray:
        return (mailboxes(positions) != EMPTY).sum(axis=1)

    assert (part[pieces(part) > 24] == whole[pieces(whole) > 24]).all()
    assert {each.tobytes() for each in part} <= {each.tobytes() for each in whole}
    few = (pieces(whole) <= 24).sum()
    assert few > 300
    assert 0.35 < (pieces(part) <= 24).sum() / few < 0.65


def test_levels_are_stable_and_keep_winning_chances():
    levels = np.arange(-127, 128).astype(np.int8)
    assert (levels_of(scores_of(levels)) == levels).all() and (
        scores_of(levels) == -scores_of(levels)[::-1]
    ).all()
    scores = np.arange(-3_000, 3_001)
    read = scores_of(levels_of(scores)).astype(float)
    assert (
        np.abs(np.tanh(read / 800) - np.tanh(scores / 800)).max() < 0.6 / 127 and read[3_000] == 0
    )


def test_shards_come_back_as_they_were(games, tmp_path):
    path = tmp_path / "000000000.games"
    write_shard(path, games, {"seed": 1})
    header = json.loads(path.read_bytes().partition(b"\n")[0])
    assert header["games"] == len(games) and header["seed"] == 1
    for kept, game in zip(read_shard(path), games, strict=True):
        assert (kept.number, kept.fen, kept.result, kept.ending) == (
            game.number,
            game.fen,
            game.result,
            game.ending,
        )
        assert (kept.moves == game.moves).all() and (
            kept.scores == scores_of(levels_of(game.scores))
        ).all()
    again = tmp_path / "again.games"
    write_shard(again, read_shard(path), {"seed": 1})
    assert again.read_bytes() == path.read_bytes()
    assert (
        path.stat().st_size < 1.7 * header["plies"]
    )  # of few games; more of them take 1.3 bytes a ply


def test_captures_come_first_in_the_order_of_moves(games):
    """The order is part of the form; against python-chess."""
    for game in games[:3]:
        for (board, played), index in zip(
            replayed(game), Replayer({}).indices(game).tolist(), strict=False
        ):
            captures = [
                legal
                for legal in board.legal_moves
                if board.is_capture(legal) and not board.is_en_passant(legal)
            ]
            assert (index < len(captures)) == (played in captures)
            if played in captures:
                victim = board.piece_type_at(played.to_square)
                assert index >= sum(
                    board.piece_type_at(legal.to_square) > victim for legal in captures
                )


def test_damage_is_named(games, tmp_path):
    path = tmp_path / "000000000.games"
    write_shard(path, games[:3], {})
    whole = path.read_bytes()
    header, _, body = whole.partition(b"\n")
    headers = (
        b"[]",
        b"{}",
        header.replace(b'"plies": ', b'"plies": 9999999'),
        header.replace(b'"games": 3', b'"games": 0'),
    )
    flipped = whole[:-60] + bytes([whole[-60] ^ 1]) + whole[-59:]
    cut = (
        b"",
        b"noise",
        whole[: len(whole) // 2],
        whole[:-1],
        whole + b"more",
        whole + body,
        whole[:-9] + b"123456789",
    )
    for content in (*cut, flipped, *(other + b"\n" + body for other in headers)):
        path.write_bytes(content)
        with pytest.raises(DataError, match="000000000"):
            read_shard(path)
    with pytest.raises(DataError, match="no games"):
        read_sets([tmp_path / "nothing"])


def test_a_generation_goes_on_and_does_not_depend_on_its_threads(tmp_path, monkeypatch):
    monkeypatch.setattr(generate, "GAMES_A_SHARD", 4)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert (
        Generation(whole, DataPlan(12, 5, rules=RULES), workers=2, network=FIRST).run().games == 12
    )
    first = Generation(parts, DataPlan(12, 5, rules=RULES), workers=1, network=FIRST)
    first.run(
        lambda tally: first.stopping.set() if tally.games == 5 else None
    )  # as by Ctrl-C in the second shard
    assert len(shards(parts)) == 1
    assert (first.tally.games, first.tally.kept) == (5, 4)
    second = Generation(parts, DataPlan(12, 5, rules=RULES), workers=1, network=FIRST)
    assert second.tally.shards_before == 1 and second.run().games == 8
    assert [path.read_bytes() for path in shards(whole)] == [
        path.read_bytes() for path in shards(parts)
    ]


def test_sets_are_not_mixed(tmp_path):
    Generation(tmp_path, DataPlan(0, 5, rules=RULES), workers=1, network=FIRST)
    with pytest.raises(DataError, match="seed = 5, not 6"):
        Generation(tmp_path, DataPlan(0, 6, rules=RULES), workers=1, network=FIRST)
    with pytest.raises(DataError, match=rf"network = {FIRST.digest}, not {OTHER.digest}"):
        Generation(tmp_path, DataPlan(0, 5, rules=RULES), workers=1, network=OTHER)
    assert json.loads((tmp_path / "set.json").read_text())["games_a_shard"] == GAMES_A_SHARD
    with pytest.raises(DataError, match="branches = 0, not 5"):
        Generation(
            tmp_path, DataPlan(0, 5, rules={**RULES, "branches": 5}), workers=1, network=FIRST
        )


def test_a_set_from_before_a_rule_was_played_by_its_default(tmp_path):
    Generation(tmp_path, DataPlan(0, 5, rules=RULES), workers=1, network=FIRST)
    path = tmp_path / "set.json"
    settings = json.loads(path.read_text())
    for name in ADDED_RULES:
        del settings[name]
    path.write_text(json.dumps(settings))
    Generation(tmp_path, DataPlan(0, 5, engine="1234567", rules=RULES), workers=1, network=FIRST)
    with pytest.raises(DataError, match="branches = 0, not 5"):
        Generation(
            tmp_path, DataPlan(0, 5, rules={**RULES, "branches": 5}), workers=1, network=FIRST
        )


def test_a_set_states_the_commit_of_its_engine(tmp_path):
    Generation(tmp_path, DataPlan(0, 5, engine="1234567", rules=RULES), workers=1, network=FIRST)
    assert json.loads((tmp_path / "set.json").read_text())["engine"] == "1234567"
    with pytest.raises(DataError, match="engine = 1234567, not 7654321"):
        Generation(
            tmp_path, DataPlan(0, 5, engine="7654321", rules=RULES), workers=1, network=FIRST
        )


def test_the_check_finds_what_is_wrong(games, tmp_path):
    path = tmp_path / "000000000.games"
    won, lost = ([game for game in games if game.result == half_points] for half_points in (2, 0))
    write_shard(path, fair := [*won[: len(lost)], *lost[: len(won)]], {})
    report = check_data([path], {}, len(fair))
    assert (
        report.games == len(fair)
        and report.plies == sum(len(game.moves) for game in fair)
        and not report.faults()
    )
    for wrong, complaint in (
        ([*games, *games], "more than once"),
        ([replace(game, scores=-game.scores) for game in games], "from the right side"),
        ([replace(game, result=2) for game in games], "White has 100% of the points"),
    ):
        write_shard(path, wrong, {})
        assert complaint in " ".join(check_data([path], {}, len(wrong)).faults())
    assert duplicate_share(np.zeros(0, PACKED)) == 0


def test_of_many_games_a_sample_is_compared(games, tmp_path):
    """Everything is counted, and the share of duplicates stays."""
    path = tmp_path / "000000000.games"
    write_shard(path, [*games, *games], {})
    whole = check_data([path], {}, 60)
    part = check_data([path], {}, 60, most=20)
    assert (part.games, part.plies, part.positions) == (whole.games, whole.plies, whole.positions)
    assert part.duplicates == pytest.approx(whole.duplicates, abs=0.05)
    assert part.duplicates >= 0.5
    assert part.coherence == pytest.approx(whole.coherence, abs=0.1)


def test_an_illegal_move_is_never_written(games, tmp_path):
    path, game = tmp_path / "000000000.games", games[7]
    last = len(game.moves) - 1
    for ply, move in (
        (0, int(NO_MOVE)),
        (last, int(NO_MOVE)),
        (last, 0xFFFF),
        (1, int(game.moves[0])),
    ):
        moves = game.moves.copy()
        moves[ply] = move
        with pytest.raises(DataError, match=f"game 7: its move at ply {ply} is not legal"):
            write_shard(path, [*games[:7], replace(game, moves=moves)], {})
    indices = Replayer({}).indices(game)
    indices[last] = 217
    with pytest.raises(DataError, match=f"game 7: its move at ply {last} is not legal"):
        Replayer({}).read(replace(game, moves=indices))
    assert not path.exists()


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path):
    (tmp_path / "there").mkdir()
    with pytest.raises(OSError, match="there"):
        write_atomically(tmp_path / "there", b"something")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]

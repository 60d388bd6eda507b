"""Positions of search trees, their labels by another engine, and the error of networks on them."""

import shlex
import sys
from pathlib import Path

import chess
import numpy as np
import pytest
from typer.testing import CliRunner

from tests.support.networks import random_network
from zobra.engine.move import move_text
from zobra.engine.network_file import BUILT_IN, WIDTH, Network, read_network
from zobra.train.command_line import app
from zobra.train.games import shard_path, write_shard
from zobra.train.generate import SelfPlayer
from zobra.train.positions import unpack_board
from zobra.train.trainer import integer_scores
from zobra.train.tree_error import compare, label, read_labelled, squared_errors, standard_error
from zobra.train.tree_positions import TreeSampler, sample_trees

LABELLED = Path(__file__).parents[3] / "shared" / "data" / "labelled" / "trees_sf15_1502.tsv"
ENGINE = [
    sys.executable,
    str(Path(__file__).parents[1] / "support" / "scripted_engine.py"),
    "--score",
    "cp 57",
]


@pytest.fixture(scope="module")
def games():
    player = SelfPlayer({"nodes": 100, "node_limit": 1_000}, seed=2)
    return [player.play(number) for number in range(6)]


@pytest.fixture(scope="module")
def shard(games, tmp_path_factory) -> Path:
    path = shard_path(tmp_path_factory.mktemp("games"), 0)
    write_shard(path, games, {})
    return path


def test_sampled_positions_are_quiet_and_off_the_game(games):
    """They are legal, in no check, and mostly no position of the game itself."""
    found = [unpack_board(packed) for game in games for packed in TreeSampler(0).positions(game)]
    assert len(found) > 30
    assert all(board.turn and board.is_valid() and not board.is_check() for board in found)
    played = set()
    for game in games:
        board = chess.Board(game.fen)
        for number in game.moves.tolist():
            seen = board if board.turn else board.mirror()
            played.add(seen.board_fen())
            board.push(board.parse_uci(move_text(number)))
    off = sum(board.board_fen() not in played for board in found)
    assert off > 0.8 * len(found)


def test_a_sample_depends_on_seed_and_game_alone(games):
    sampler = TreeSampler(0)
    first = [sampler.positions(game).tobytes() for game in games]
    assert [TreeSampler(0).positions(game).tobytes() for game in reversed(games)] == first[::-1]
    assert [TreeSampler(1).positions(game).tobytes() for game in games] != first


def test_labels_are_of_different_positions_for_the_side_to_move(shard):
    labelled = list(label(sample_trees([shard], 0), 12, ENGINE, 10))
    assert len({fen for fen, _ in labelled}) == 12
    assert {value for _, value in labelled} == {57}
    mating = [*ENGINE[:-1], "mate -3"]
    assert [value for _, value in label(sample_trees([shard], 0), 1, mating, 10)] == [-3_000]


def test_labelled_positions_are_read_whichever_side_moves(tmp_path):
    path = tmp_path / "labels.tsv"
    boards = [chess.Board(), chess.Board("4k3/8/8/3q4/8/8/4P3/4K3 b - - 0 1")]
    path.write_text("fen\tcp\n" + "".join(f"{board.fen()}\t{100}\n" for board in boards))
    labelled = read_labelled(path)
    assert [unpack_board(packed).board_fen() for packed in labelled.positions] == [
        boards[0].board_fen(),
        boards[1].mirror().board_fen(),
    ]
    assert labelled.chances == pytest.approx(1 / (1 + np.exp(-100 / 220)))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "there are no positions"),
        ("fen\tcp\n", "there are no positions"),
        ("fen\tcp\nnonsense\t3\n", "line 2"),
        (f"fen\tcp\n{chess.STARTING_FEN}\t3\n{chess.STARTING_FEN}\n", "line 3"),
    ],
)
def test_what_is_wrong_with_labels_is_said(tmp_path, text, complaint):
    path = tmp_path / "bad.tsv"
    path.write_text(text)
    with pytest.raises(ValueError, match=complaint) as caught:
        read_labelled(path)
    assert str(path) in str(caught.value)


def labels_by(network: Network, factor: float, shard: Path, tmp_path: Path) -> Path:
    """A file of labels that are the values of a network times a factor."""
    positions = np.concatenate(list(sample_trees([shard], 0)))
    path = tmp_path / "labels.tsv"
    values = (factor * integer_scores(network, positions)).astype(int).tolist()
    lines = [
        f"{unpack_board(packed).fen()}\t{value}"
        for packed, value in zip(positions, values, strict=True)
    ]
    path.write_text("\n".join(["fen\tcp", *lines, ""]))
    return path


def test_a_network_that_gives_the_labels_has_no_error(shard, tmp_path):
    """Whatever their scale; one that does not has one, and the table says which is better."""
    built_in = read_network(BUILT_IN)
    path = labels_by(built_in, 1.5, shard, tmp_path)
    labelled = read_labelled(path)
    errors, scale = squared_errors(built_in, labelled)
    assert errors.mean() < 1e-5
    assert scale == pytest.approx(1.5, rel=0.01)
    other = random_network(WIDTH - 32)
    assert squared_errors(other, labelled)[0].mean() > 0.01
    *_, first, second = compare([("other", other), ("built-in", built_in)], labelled)
    assert first.endswith("other")
    assert "-100.00% ±" in second or "-99.9" in second

    file = tmp_path / "other.network"
    file.write_bytes(other.to_bytes())
    result = CliRunner().invoke(app, ["trees", str(path), str(BUILT_IN), str(file)])
    assert result.exit_code == 0
    assert "+" in result.output.splitlines()[-1]


def test_the_standard_error_is_that_of_a_mean():
    source = np.random.default_rng(1)
    means = [source.normal(0, 3, 100).mean() for _ in range(2_000)]
    assert standard_error(source.normal(0, 3, 100)) == pytest.approx(np.std(means), rel=0.2)
    assert standard_error(np.zeros(1)) == float("inf")


def test_label_trees_writes_a_file_that_trees_reads(shard, tmp_path):
    file = tmp_path / "labels.tsv"
    arguments = ["label-trees", shard.parent, file, "--engine", shlex.join(ENGINE)]
    result = CliRunner().invoke(app, [*map(str, arguments), "--positions", "9", "--nodes", "5"])
    assert result.exit_code == 0, result.output
    assert len(read_labelled(file).positions) == 9
    assert CliRunner().invoke(app, ["trees", str(file)]).exit_code == 0
    missing = [*map(str, arguments[:-1]), "no-such-engine"]
    refused = CliRunner().invoke(app, missing)
    assert refused.exit_code == 1
    assert "no-such-engine" in refused.output


@pytest.mark.skipif(not LABELLED.exists(), reason=f"{LABELLED} is not there")
def test_the_built_in_network_has_its_known_error():
    """0.01195 on 1,502 positions; one that replaces it must not be much worse."""
    errors, _ = squared_errors(read_network(BUILT_IN), read_labelled(LABELLED))
    assert errors.mean() < 0.0125

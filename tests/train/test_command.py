"""`zobra train`: a miniature of the whole chain, and what it says when something is wrong."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from zobra.arena.formats.files import read_toml
from zobra.engine.network_file import BUILT_IN, WIDTH, read_network
from zobra.search import wdl
from zobra.train.command_line import _pipeline, app
from zobra.train.first_network import first_network
from zobra.train.games import GAMES_PER_SHARD, shards
from zobra.train.gradient import Target, accumulate_gradient
from zobra.train.pipeline import Pipeline, thinned, zobra_command
from zobra.train.recipe import BUILT_IN_NAME, FOLDER, read_recipe
from zobra.train.tree_error import read_labelled, squared_errors

MINIATURE = """
qb = 128
start = "built-in"
[data]
games = 128
seed = 7
network = "built-in"
[data.rules]
nodes = 100
node_limit = 1000
win_score = 1000
win_plies = 4
branches = 5
[filter]
largest_score = 1500
thinned_pieces = 8
[training]
epochs = 10
batch_size = 256
learning_rate = 4e-4
final_learning_rate = 2e-6
warmup = 10
weight_decay = 0.0
wdl_start = 0.0
wdl_end = 0.3
eval_scale = 190
validation_every = 8
[gate]
games = 2
time_control = "nodes=50"
"""


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def made(tmp_path_factory, kernels):
    """A folder with all that `zobra train all` makes by the miniature, and what it said."""
    folder = tmp_path_factory.mktemp("made")
    recipe = folder / "mini.toml"
    recipe.write_text(MINIATURE)
    return folder, run("all", recipe, "--folder", folder, "--concurrency", 1)


@pytest.fixture
def mini(made, tmp_path):
    """The recipe in a copy of that folder."""
    folder, _ = made
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    return tmp_path / "mini.toml"


def test_a_miniature_of_everything(made):
    folder, result = made
    assert "games and training take about 0:00:" in result.output
    # Two games are not enough for a verdict.
    assert "mini did not pass: no verdict, [0.00, 8.00] logistic after 2 games" in result.output
    assert result.exit_code == 1

    network = read_network(folder / "mini.network")
    assert network.hidden == WIDTH
    assert network.qb == 128
    header = network.header
    assert header["recipe"]["data"]["games"] == header["games"] == 128
    assert header["sets"][0]["network"] == read_network(BUILT_IN).digest
    assert {"data", "positions", "validation", "factor"} <= header.keys()
    # The errors are those of the stored weights, on groups of games that were not learned from.
    with np.load(folder / "mini.weights.npz") as kept:
        weights = kept["weights"]
        sample = kept["sample"]
    assert set((sample["game"] // 5 % 8).tolist()) == {0}
    errors = np.zeros(3)
    accumulate_gradient(weights[0], weights[0], sample, Target(0.3, 190.0), False, errors)
    assert header["validation"]["loss"] == pytest.approx(errors[0] / len(sample), abs=1e-6)
    assert (folder / "mini.png").stat().st_size > 1_000


def test_indices_are_thinned_evenly():
    assert thinned(np.arange(10), 4).tolist() == [0, 3, 6, 9]
    assert thinned(np.arange(3), 4).tolist() == [0, 1, 2]


def test_a_finished_set_is_not_played_again(mini):
    before = shards(mini.parent)[0].read_bytes()
    again = run("data", mini, "--folder", mini.parent)
    assert again.exit_code == 0
    assert "played 0 games (0 positions); 1 shard already existed" in again.output
    assert shards(mini.parent)[0].read_bytes() == before


def test_the_win_draw_loss_model_is_fitted_to_the_games(mini, monkeypatch):
    """It is written beside the games, and to the engine's file only if that is named."""
    folder = mini.parent
    engines = folder / "engine.json"
    shutil.copy(wdl.FILE, engines)
    monkeypatch.setattr(wdl, "FILE", engines)
    before = engines.read_bytes()

    output = folder / "mini.wdl.json"
    done = run("wdl", mini, "--folder", folder)
    assert done.exit_code == 0
    assert f"{output}: Model(" in done.output
    model = json.loads(output.read_text())
    assert model["games"] == 128
    assert model["recipe"] == "mini"
    assert model["spread"] > 0
    assert engines.read_bytes() == before

    output.unlink()
    checked = run("wdl", mini, "--folder", folder, "--check")
    assert "predicted: won drawn lost" in checked.output
    assert not output.exists()
    assert run("wdl", mini, "--folder", folder, "--output", engines).exit_code == 0
    assert json.loads(engines.read_text()) == model
    assert not output.exists()


def test_games_are_shown_as_pgn(mini):
    shard = shards(mini.parent)[0]
    assert '[Round "3"]' in run("view", shard, 3).output
    assert run("view", shard).output.count("[Round ") == 128
    missing = run("view", shard, 999)
    assert missing.exit_code == 2
    assert "has no game 999" in missing.output


def test_the_header_names_the_error_on_labelled_positions(mini):
    folder = mini.parent
    weights = read_network(folder / "mini.network").payload()
    labels = Path(__file__).parent / "data" / "trees.tsv"
    result = run("network", mini, "--folder", folder, "--concurrency", 1, "--trees", labels)
    assert result.exit_code == 0
    network = read_network(folder / "mini.network")
    error = squared_errors(network, read_labelled(labels))[0].mean()
    assert network.header["trees"] == {"positions": 200, "error": round(error, 6)}
    assert network.payload() == weights

    missing = run("network", mini, "--folder", folder, "--trees", folder / "none")
    assert missing.exit_code == 1
    assert "none: No such file or directory" in missing.output


def test_a_network_that_does_not_verify_is_set_aside(mini):
    folder = mini.parent
    with np.load(folder / "mini.weights.npz") as kept:
        weights = kept["weights"]
        sample = kept["sample"]
    weights["output"] *= -1
    np.savez(folder / "mini.weights.npz", weights=weights, sample=sample)
    pipeline = Pipeline(read_recipe(str(mini)), folder, Console(file=io.StringIO()), 1)
    with pytest.raises(RuntimeError, match=r"the network is now .*mini\.rejected"):
        pipeline.verify()
    assert (folder / "mini.rejected").exists()
    assert not (folder / "mini.network").exists()


def without_sample(content: bytes) -> bytes:
    kept = io.BytesIO()
    with np.load(io.BytesIO(content)) as arrays:
        np.savez(kept, weights=arrays["weights"])
    return kept.getvalue()


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: b"noise",
        lambda content: content[:-9],
        without_sample,
    ],
    ids=["empty", "noise", "cut", "without sample"],
)
def test_damaged_weights_are_named(damage, mini):
    path = mini.parent / "mini.weights.npz"
    path.write_bytes(damage(path.read_bytes()))
    result = run("verify", mini, "--folder", mini.parent)
    assert result.exit_code == 1
    assert f"{path}: damaged: " in result.output
    assert "`zobra train network` makes it again" in result.output
    assert (mini.parent / "mini.network").exists()


def test_this_zobra_is_a_module_or_a_program(monkeypatch):
    assert zobra_command() == (sys.executable, "-m", "zobra.cli")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert zobra_command() == (sys.executable,)


def test_threads_are_as_many_as_processors_may_be_used(monkeypatch, tmp_path):
    monkeypatch.setattr("zobra.arena.runner.processors.count", lambda: 3)
    assert _pipeline("quick", tmp_path, None).workers == 3
    assert _pipeline("quick", tmp_path, 2).workers == 2


@pytest.mark.parametrize("step", ["data", "network"])
def test_a_network_of_another_width_cannot_be_the_start(step, mini):
    mini.write_text("hidden = 32" + MINIATURE)
    result = run(step, mini, "--folder", mini.parent)
    assert result.exit_code == 1
    assert "training cannot start from" in result.output


@pytest.mark.parametrize("step", ["data", "network"])
def test_a_network_whose_weights_would_be_clipped_cannot_be_the_start(step, mini):
    """The built-in network has output weights that only qb = 128 can store."""
    mini.write_text(MINIATURE.replace("qb = 128", "qb = 256"))
    result = run(step, mini, "--folder", mini.parent)
    assert result.exit_code == 1
    assert "with qb = 256: its output weights are too large; its own qb is 128" in result.output


@pytest.mark.parametrize("step", ["data", "network", "gate"])
def test_another_built_in_network_than_the_recipe_means_is_refused(step, mini):
    text = MINIATURE.replace("seed = 7", 'seed = 7\nengine = "abc1234"')
    mini.write_text('built_in = "0123456789abcdef"' + text)
    result = run(step, mini, "--folder", mini.parent)
    assert result.exit_code == 1
    assert "needs the built-in network 0123456789abcdef" in result.output
    assert result.output.endswith("; commit abc1234 has it\n")


@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl-C to a whole console")
def test_ctrl_c_keeps_whole_shards_and_says_how_many_games(tmp_path):
    recipe = tmp_path / "long.toml"
    recipe.write_text(MINIATURE.replace("games = 128", "games = 100_000"))
    command = [sys.executable, "-m", "zobra.cli", "train", "data", str(recipe)]
    command += ["--folder", str(tmp_path), "--concurrency", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not shards(tmp_path) and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    kept = GAMES_PER_SHARD * len(shards(tmp_path))
    assert said.startswith(f"zobra train: interrupted: {kept:,} of the ")
    assert said.endswith(
        "games of this run are kept, in whole shards; the same command resumes here\n"
    )


def test_a_narrow_network_is_made_from_nothing(tmp_path):
    recipe = tmp_path / "narrow.toml"
    text = MINIATURE.replace('start = "built-in"', "").replace('network = "built-in"', "")
    recipe.write_text("hidden = 32" + text)
    result = run("all", recipe, "--folder", tmp_path, "--concurrency", 1)
    assert "narrow did not pass: no verdict" in result.output
    assert "kernel_differences=0, asymmetries=0" in result.output
    first = read_network(tmp_path / "first.network")
    assert first.payload() == first_network().payload()
    settings = json.loads((tmp_path / "narrow" / "set.json").read_text())
    assert settings["network"] == first.digest


def test_games_of_another_set_are_missed_before_any_is_played(tmp_path):
    recipe = tmp_path / "late.toml"
    recipe.write_text(MINIATURE.replace("games = 128", 'games = 128\nalso = ["gne1"]'))
    result = run("all", recipe, "--folder", tmp_path, "--concurrency", 1)
    assert result.exit_code == 1
    assert "gne1: this folder has no games" in result.output
    assert not (tmp_path / "late").exists()


def test_settings_of_another_set_are_missed_before_any_game_is_played(tmp_path, shard):
    (tmp_path / "other").mkdir()
    shutil.copy(shard, tmp_path / "other")
    recipe = tmp_path / "late.toml"
    recipe.write_text(MINIATURE.replace("games = 128", 'games = 128\nalso = ["other"]'))
    result = run("data", recipe, "--folder", tmp_path)
    assert result.exit_code == 1
    assert f"{tmp_path / 'other' / 'set.json'}: No such file" in result.output
    assert not (tmp_path / "late").exists()


def test_games_must_suffice_for_training_and_validation(tmp_path, shard):
    """One group of games is kept for validation; another set may have games for training."""
    recipe = tmp_path / "few.toml"
    text = MINIATURE.replace("branches = 5", "branches = 128")
    recipe.write_text(text)
    result = run("data", recipe, "--folder", tmp_path)
    assert result.exit_code == 1
    assert "leaves no games for training" in result.output
    assert "in groups of 128, and its sets have at most 128 games" in result.output
    assert not (tmp_path / "few").exists()

    # Groups of two sets are as large as the least common multiple of their branches.
    (tmp_path / "other").mkdir()
    shutil.copy(shard, tmp_path / "other")
    (tmp_path / "other" / "set.json").write_text('{"branches": 7}')
    text = MINIATURE.replace("branches = 5", "branches = 20")
    recipe.write_text(text.replace("games = 128", 'games = 128\nalso = ["other"]'))
    result = run("data", recipe, "--folder", tmp_path)
    assert result.exit_code == 1
    assert "in groups of 140, and its sets have at most 128 games" in result.output


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("all", "nonsense"), "there is no recipe 'nonsense'"),
        (("check", "quick"), "this folder has no games"),
        (("network", "quick"), "this folder has no games"),
        (("verify", "quick"), "No such file"),
        (("gate", "quick"), "No such file"),
        (("wdl", "quick"), "this folder has no games"),
    ],
)
def test_faults_are_one_sentence(arguments, complaint, tmp_path):
    result = run(*arguments, "--folder", tmp_path)
    assert result.exit_code == 1
    assert complaint in result.output
    assert "Traceback" not in result.output


def numbers(table: dict, prefix: str = "") -> set[str]:
    """Names of the numbers of a recipe, with those of their tables."""
    found = set()
    for name, value in table.items():
        if isinstance(value, dict):
            found |= numbers(value, f"{prefix}{name}.")
        else:
            found.add(prefix + name)
    return found


def test_the_miniature_has_all_numbers_of_the_campaign(tmp_path):
    path = tmp_path / "miniature.toml"
    path.write_text(MINIATURE)
    campaign = numbers(read_toml(FOLDER / "generation10.toml"))
    assert campaign - numbers(read_toml(path)) <= {"hidden", "built_in", "data.engine", "data.also"}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_a_network_meets_the_one_that_played_its_games(path):
    recipe = read_recipe(path.stem)
    player = Pipeline(recipe, Path(), Console(), 1).player_path
    assert (player == BUILT_IN) == (recipe.data.network == BUILT_IN_NAME)

"""`zobra train`: a miniature of the whole chain, and what it says when something is wrong."""

import hashlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from zobra.arena.formats.files import read_toml
from zobra.engine.network_file import BUILT_IN, WIDTH, read_network
from zobra.engine.version import full_version
from zobra.search import wdl
from zobra.train.command_line import _pipeline, app
from zobra.train.first_network import first_network
from zobra.train.games import GAMES_PER_SHARD, shard_path, shards
from zobra.train.gradient import Target, accumulate_gradient
from zobra.train.pipeline import POSITIONS_PER_GAME, Pipeline, evenly_spaced, zobra_command
from zobra.train.provenance import provenance
from zobra.train.recipe import BUILT_IN_NAME, FIRST_NAME, FOLDER, read_recipe
from zobra.train.tree_error import read_labelled, squared_errors

LABELS = Path(__file__).parent / "data" / "trees.tsv"
FEW_GAMES: dict[str, Any] = {
    "built_in": "",
    "data.engine": "",
    "data.games": 128,
    "data.rules.nodes": 60,
    "data.rules.node_limit": 600,
}
MINIATURE: dict[str, Any] = {
    **FEW_GAMES,
    "data.rules.nodes": 100,
    "data.rules.node_limit": 1_000,
    "data.also": [],
    "training.epochs": 10,
    "training.batch_size": 256,
    "training.warmup": 10,
    "training.validation_every": 8,
    "gate.games": 2,
    "gate.time_control": "nodes=50",
}


def changed(name: str, changes: dict[str, Any]) -> str:
    """One of Zobra's recipes with other entries, as text."""
    content = read_toml(FOLDER / f"{name}.toml")
    for path, value in changes.items():
        *tables, entry = path.split(".")
        table = content
        for each in tables:
            table = table[each]
        assert entry in table, path
        table[entry] = value
    return "\n".join(toml_lines(content))


def toml_lines(table: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """Lines of TOML, in which a table stands after the plain entries of the one that has it."""
    for name, value in table.items():
        if not isinstance(value, dict):
            yield f"{name} = {json.dumps(value)}"
    for name, value in table.items():
        if isinstance(value, dict):
            yield f"[{prefix}{name}]"
            yield from toml_lines(value, f"{prefix}{name}.")


def miniature(changes: dict[str, Any] | None = None) -> str:
    """The recipe of generation 10 with few games, without its second set, and with `changes`."""
    return changed("generation10", {**MINIATURE, **(changes or {})})


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def made(tmp_path_factory, kernels):
    """A folder with all that `zobra train all` makes by the miniature, and what it said."""
    folder = tmp_path_factory.mktemp("made")
    options = ["--folder", folder, "--concurrency", 1]
    deep = folder / "mini-deep.toml"
    deep.write_text(changed("generation10-deep", FEW_GAMES))
    assert run("data", deep, *options).exit_code == 0
    recipe = folder / "mini.toml"
    recipe.write_text(miniature({"data.also": ["mini-deep"]}))
    return folder, run("all", recipe, *options, "--trees", LABELS)


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
    built_in = read_network(BUILT_IN).digest
    assert header["trained_by"] == provenance()
    assert header["start"] == built_in
    assert header["recipe"]["data"]["games"] == 128
    assert header["games"] == 256
    own, deep = header["sets"]
    assert (own["seed"], own["nodes"], own["games"]) == (1002, 100, 128)
    assert (deep["seed"], deep["nodes"], deep["games"]) == (1003, 60, 128)
    for each in (own, deep):
        assert each["network"] == built_in
        assert each["version"] == full_version()
    assert {"data", "positions", "validation", "factor"} <= header.keys()
    assert header["trees"] == {
        "file": "trees.tsv",
        "sha256": hashlib.sha256(LABELS.read_bytes()).hexdigest(),
        "positions": 200,
        "error": round(squared_errors(network, read_labelled(LABELS))[0].mean(), 6),
    }
    assert f'"digest": "{network.digest}"' in result.output
    # The errors are those of the stored weights, on groups of games that were not learned from.
    with np.load(folder / "mini.weights.npz") as kept:
        weights = kept["weights"]
        sample = kept["sample"]
    assert set((sample["game"] // 5 % 8).tolist()) == {0}
    errors = np.zeros(3)
    accumulate_gradient(weights[0], weights[0], sample, Target(0.5, 190.0), False, errors)
    assert header["validation"]["loss"] == pytest.approx(errors[0] / len(sample), abs=1e-6)
    assert (folder / "mini.png").stat().st_size > 1_000


def test_indices_are_evenly_spaced():
    assert evenly_spaced(np.arange(10), 4).tolist() == [0, 3, 6, 9]
    assert evenly_spaced(np.arange(3), 4).tolist() == [0, 1, 2]


def test_the_estimate_includes_the_training_on_other_sets(mini, monkeypatch):
    monkeypatch.setattr("zobra.train.pipeline.NEURONS_PER_SECOND", 1.0)
    pipeline = _pipeline(str(mini), mini.parent, 1)
    positions = (128 + 128) * POSITIONS_PER_GAME * 10
    assert pipeline._estimated_seconds() == pytest.approx(positions * WIDTH)


def test_a_finished_set_is_not_played_again(mini):
    (shard,) = shards(mini.parent / "mini")
    before = shard.read_bytes()
    again = run("data", mini, "--folder", mini.parent)
    assert again.exit_code == 0
    assert "played 0 games (0 plies); 1 shard already existed" in again.output
    assert shard.read_bytes() == before


@pytest.mark.parametrize("step", ["check", "network"])
def test_only_the_games_of_the_recipe_are_used(step, mini):
    """An unfinished set, one with more games, and one that other rules have played are refused."""
    folder = mini.parent
    mini.write_text(miniature({"data.games": 200}))
    result = run(step, mini, "--folder", folder)
    assert result.exit_code == 1
    assert f"{folder / 'mini'} has only 128 of 256 games" in result.output

    mini.write_text(miniature({"data.rules.nodes": 90}))
    result = run(step, mini, "--folder", folder)
    assert result.exit_code == 1
    assert f"{folder / 'mini'} holds games with nodes = 100, not 90" in result.output

    mini.write_text(miniature())
    shutil.copy(shard_path(folder / "mini", 0), shard_path(folder / "mini", 128))
    result = run(step, mini, "--folder", folder)
    assert result.exit_code == 1
    assert f"{folder / 'mini'} has 256 games, but 128 were planned" in result.output


@pytest.mark.parametrize("step", ["data", "check", "network"])
def test_another_set_must_be_finished(step, mini):
    deep = mini.parent / "mini-deep"
    (deep / "set.json").write_text('{"branches": 5, "games": 1280}')
    result = run(step, mini, "--folder", mini.parent)
    assert result.exit_code == 1
    assert f"{deep} has only 128 of 1,280 games: `zobra train data` plays" in result.output


def test_an_imported_set_may_be_that_of_the_recipe(mini):
    (mini.parent / "mini" / "set.json").write_text('{"imported": 128, "games_a_shard": 128}')
    mini.write_text(miniature({"data.games": 5_000}))
    result = run("check", mini, "--folder", mini.parent)
    assert result.exit_code == 0, result.output


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
    assert model["set"] == json.loads((folder / "mini" / "set.json").read_text())
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
    (shard,) = shards(mini.parent / "mini")
    assert '[Round "3"]' in run("view", shard, 3).output
    assert run("view", shard).output.count("[Round ") == 128
    missing = run("view", shard, 999)
    assert missing.exit_code == 2
    assert "has no game 999" in missing.output


def test_training_again_makes_the_same_network(mini):
    folder = mini.parent
    before = read_network(folder / "mini.network")
    result = run("network", mini, "--folder", folder, "--concurrency", 2, "--trees", LABELS)
    assert result.exit_code == 0
    network = read_network(folder / "mini.network")
    assert network.payload() == before.payload()
    assert network.header["trees"] == before.header["trees"]


@pytest.mark.parametrize("step", ["all", "network"])
def test_labelled_positions_are_read_first(step, tmp_path):
    missing = run(step, "quick", "--folder", tmp_path, "--trees", tmp_path / "none")
    assert missing.exit_code == 1
    assert "none: No such file or directory" in missing.output
    assert not list(tmp_path.iterdir())


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
    mini.write_text(miniature({"hidden": 32}))
    result = run(step, mini, "--folder", mini.parent)
    assert result.exit_code == 1
    assert "training cannot start from" in result.output


@pytest.mark.parametrize("step", ["data", "network"])
def test_a_network_whose_weights_would_be_clipped_cannot_be_the_start(step, mini):
    """The built-in network has output weights that only qb = 128 can store."""
    mini.write_text(miniature({"qb": 256}))
    result = run(step, mini, "--folder", mini.parent)
    assert result.exit_code == 1
    assert "with qb = 256: its output weights are too large; its own qb is 128" in result.output


@pytest.mark.parametrize("step", ["data", "gate"])
def test_another_built_in_network_than_the_recipe_means_is_refused(step, mini):
    mini.write_text(miniature({"built_in": "0123456789abcdef", "data.engine": "abc1234"}))
    result = run(step, mini, "--folder", mini.parent)
    assert result.exit_code == 1
    assert "needs the built-in network 0123456789abcdef" in result.output
    assert result.output.endswith("; commit abc1234 has it\n")


@pytest.mark.parametrize("step", ["check", "network"])
def test_games_of_another_built_in_network_than_the_recipe_means_are_refused(step, mini):
    mini.write_text(miniature({"built_in": "0123456789abcdef"}))
    result = run(step, mini, "--folder", mini.parent)
    assert result.exit_code == 1
    assert "not 0123456789abcdef: use that, or name another folder" in result.output


def test_a_set_can_be_used_after_its_network_was_replaced(mini):
    path = mini.parent / "mini" / "set.json"
    settings = {**json.loads(path.read_text()), "network": "0123456789abcdef"}
    path.write_text(json.dumps(settings))
    result = run("check", mini, "--folder", mini.parent)
    assert result.exit_code == 0, result.output


@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl-C to a whole console")
def test_ctrl_c_keeps_whole_shards_and_says_how_many_games(tmp_path):
    recipe = tmp_path / "long.toml"
    recipe.write_text(miniature({"data.games": 100_000}))
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
    recipe.write_text(miniature({"hidden": 32, "start": "", "data.network": FIRST_NAME}))
    result = run("all", recipe, "--folder", tmp_path, "--concurrency", 1)
    assert "narrow did not pass: no verdict" in result.output
    assert "kernel_differences=0, asymmetries=0" in result.output
    first = read_network(tmp_path / "first.network")
    assert first.payload() == first_network().payload()
    settings = json.loads((tmp_path / "narrow" / "set.json").read_text())
    assert settings["network"] == first.digest


def test_games_of_another_set_are_missed_before_any_is_played(tmp_path):
    recipe = tmp_path / "late.toml"
    recipe.write_text(miniature({"data.also": ["gne1"]}))
    result = run("all", recipe, "--folder", tmp_path, "--concurrency", 1)
    assert result.exit_code == 1
    assert "gne1: this folder has no games" in result.output
    assert not (tmp_path / "late").exists()


def test_settings_of_another_set_are_missed_before_any_game_is_played(tmp_path, shard):
    (tmp_path / "other").mkdir()
    shutil.copy(shard, tmp_path / "other")
    recipe = tmp_path / "late.toml"
    recipe.write_text(miniature({"data.also": ["other"]}))
    result = run("data", recipe, "--folder", tmp_path)
    assert result.exit_code == 1
    assert f"{tmp_path / 'other' / 'set.json'}: No such file" in result.output
    assert not (tmp_path / "late").exists()


def test_games_must_suffice_for_training_and_validation(tmp_path, shard):
    """One group of games is kept for validation; another set may have games for training."""
    recipe = tmp_path / "few.toml"
    recipe.write_text(miniature({"data.rules.branches": 128}))
    result = run("data", recipe, "--folder", tmp_path)
    assert result.exit_code == 1
    assert "leaves no games for training" in result.output
    assert "in groups of 128, and its sets have at most 128 games" in result.output
    assert not (tmp_path / "few").exists()

    # Groups of two sets are as large as the least common multiple of their branches.
    (tmp_path / "other").mkdir()
    shutil.copy(shard, tmp_path / "other")
    (tmp_path / "other" / "set.json").write_text('{"branches": 7}')
    recipe.write_text(miniature({"data.rules.branches": 20, "data.also": ["other"]}))
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


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_a_network_meets_the_one_that_played_its_games(path):
    recipe = read_recipe(path.stem)
    player = Pipeline(recipe, Path(), Console(), 1).player_path
    assert (player == BUILT_IN) == (recipe.data.network == BUILT_IN_NAME)

"""`zobra train`: a miniature of the whole chain, and what it says when something is wrong."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from zobra.arena.formats.files import read_toml
from zobra.engine.network_file import BUILT_IN, WIDTH, read_network
from zobra.train.command_line import app
from zobra.train.first_network import first_network
from zobra.train.games import shards
from zobra.train.pipeline import Pipeline
from zobra.train.recipe import BUILT_IN_NAME, FIRST_NAME, FOLDER, read_recipe

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
batch = 256
rate = 4e-4
last_rate = 2e-6
warmup = 10
decay = 0.0
blend = 0.0
last_blend = 0.3
chance_scale = 190
validation = 8
[gate]
games = 2
time_control = "nodes=50"
"""


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_miniature_of_everything(tmp_path, monkeypatch):
    recipe = tmp_path / "mini.toml"
    recipe.write_text(MINIATURE)
    result = run("all", recipe, "--folder", tmp_path, "--concurrency", 1)
    assert " is needed" in result.output and "all steps take about 0:00:" in result.output, (
        result.output
    )
    assert result.exit_code == (
        "is not strong enough" in result.output
    )  # the match is an honest one
    network = read_network(tmp_path / "mini.network")
    assert (
        network.hidden == WIDTH
        and network.qb == 128
        and network.header["recipe"]["data"]["games"] == network.header["games"] == 128
    )
    assert {"data", "positions", "validation"} <= network.header.keys() and network.header["sets"][
        0
    ]["network"]
    assert (tmp_path / "mini.png").stat().st_size > 1_000
    again = run("data", recipe, "--folder", tmp_path, "--concurrency", 1)
    assert again.exit_code == 0 and "1 shards existed before" in again.output
    assert (
        run("wdl", recipe, "--folder", tmp_path, "--output", tmp_path / "wdl.json").exit_code == 0
    )
    model = json.loads((tmp_path / "wdl.json").read_text())
    assert model["games"] == 128 and model["recipe"] == "mini" and model["spread"] > 0
    assert "predicted: won drawn lost" in run("wdl", recipe, "--folder", tmp_path, "--check").output
    assert '[Round "3"]' in run("view", shards(tmp_path)[0], 3).output
    assert run("view", shards(tmp_path)[0], 999).exit_code != 0
    monkeypatch.setattr(
        "zobra.train.pipeline.Generation.run",
        lambda games, show: games.stopping.set() or games.tally,
    )
    stopped = run("data", recipe, "--folder", tmp_path)
    assert stopped.exit_code == 130
    assert "interrupted; the same command resumes here: 0 of these 0 games" in stopped.output
    a_network_that_does_not_verify_is_set_aside(recipe, tmp_path)
    recipe.write_text("hidden = 32" + MINIATURE)
    assert all(
        "32 neurons cannot start from" in run(step, recipe, "--folder", tmp_path).output
        for step in ("data", "network")
    )


def test_a_narrow_network_is_made_from_nothing(tmp_path, capfd):
    recipe = tmp_path / "narrow.toml"
    text = MINIATURE.replace('start = "built-in"', "").replace('network = "built-in"', "")
    recipe.write_text("hidden = 32" + text)
    result = run("all", recipe, "--folder", tmp_path, "--concurrency", 1)
    assert "narrow scored" in result.output, result.output
    assert "kernel_differences=0, asymmetries=0" in result.output
    assert read_network(tmp_path / "first.network").payload() == first_network().payload()
    played_by = json.loads((tmp_path / "narrow" / "set.json").read_text())["network"]
    assert played_by == first_network().digest


def test_games_of_another_set_are_missed_before_any_is_played(tmp_path):
    recipe = tmp_path / "late.toml"
    recipe.write_text(MINIATURE.replace("games = 128", 'games = 128\nalso = ["gne1"]'))
    result = run("all", recipe, "--folder", tmp_path, "--concurrency", 1)
    assert result.exit_code == 1 and "gne1: there are no games in it" in result.output
    assert not (tmp_path / "late").exists()


def test_a_name_that_no_match_could_use_is_refused(tmp_path):
    (tmp_path / "my recipe.toml").write_text(MINIATURE)
    with pytest.raises(ValueError, match="letters, digits"):
        read_recipe(str(tmp_path / "my recipe.toml"))


def a_network_that_does_not_verify_is_set_aside(recipe, tmp_path):
    with np.load(tmp_path / "mini.weights.npz") as kept:
        weights, sample = kept["weights"], kept["sample"]
    weights["output"] *= -1
    np.savez(tmp_path / "mini.weights.npz", weights=weights, sample=sample)
    pipeline = Pipeline(read_recipe(str(recipe)), tmp_path, Console(file=io.StringIO()), 1)
    with pytest.raises(RuntimeError, match=r"the network is now .*mini\.rejected"):
        pipeline.verify()
    assert (tmp_path / "mini.rejected").exists() and not (tmp_path / "mini.network").exists()


def test_faults_are_one_sentence(tmp_path):
    for arguments, complaint in (
        (("all", "nonsense"), "there is no recipe 'nonsense'"),
        (("check", "quick"), "there are no games in it"),
        (("network", "quick"), "there are no games in it"),
        (("gate", "quick"), "No such file"),
        (("wdl", "quick"), "there are no games in it"),
        (("wdl", "quick"), "there are no games in it"),
    ):
        result = run(*arguments, "--folder", tmp_path)
        assert result.exit_code == 1 and complaint in result.output, result.output
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
    assert campaign - numbers(read_toml(path)) <= {"hidden", "data.engine"}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_the_recipes_can_be_read(path):
    recipe = read_recipe(path.stem)
    assert recipe.name == path.stem
    assert (Pipeline(recipe, Path(), Console(), 1).opponent == BUILT_IN) == (
        recipe.data.network == BUILT_IN_NAME
    )
    assert json.dumps(recipe.facts())
    for name in {*recipe.data.also, recipe.data.network} - {FIRST_NAME, BUILT_IN_NAME}:
        assert read_recipe(name).hidden <= recipe.hidden


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("hidden = 0", "hidden = 0"),
        ("qb = 64", "qb = 64: it must be one of 128, 256"),
        ("hiden = 8", "nothing like .*hiden"),
        ("[data]\ngame = 1", "no entry 'game'"),
        ("[data]\ngames = 'many'", "games must be a whole number, not 'many'"),
        ("[data.rules]\nnode = 1", "no entry 'node'"),
        ("[data.rules]\nnodes = 1.5", "nodes must be a whole number, not 1.5"),
        ("[training]\nrate = true", "rate must be a number, not True"),
        ("[data]\nalso = [1]", "also must be a text, not 1"),
        ("[training]\nseed = -1", "training.seed = -1: it must be at least 0"),
        ("[data.rules]\nnodes = 0", "data.rules.nodes = 0"),
        (
            "[data.rules]\nopening_plies = 900",
            "data.rules.opening_plies = 900: it must be 0 to 200",
        ),
        ("[data.rules]\nbranches = 1", "data.rules.branches = 1: a game must be left"),
        ("[filter]\nlargest_score = 40_000", "filter.largest_score = 40000: it must be 0 to 30000"),
        ("[training]\nblend = 15", "training.blend = 15: it must be 0 to 1"),
        ("[training]\nlast_blend = 2", "training.last_blend = 2: it must be 0 to 1"),
        ("[training]\nchance_scale = 0", "training.chance_scale = 0: it must be 10 to 10000"),
        ("[filter]\nthinning = 0", "filter.thinning = 0: it must be 1 to 30000"),
        ("[training]\nrate = nan", "rate is not finite"),
        ("[gate]\ngames = 3", "gate.games = 3: it must be even"),
        ("[gate]\ntime_control = 'fast'", "gate.time_control = 'fast': not like 2"),
        ("[gate]\ntime_control = '0+1'", "gate.time_control = '0\\+1': not like 2"),
        ("[gate]\ntime_control = 'nodes=0'", "gate.time_control = 'nodes=0': not like 2"),
        ("[gate]\nleast_elo = 3_000", "gate.least_elo = 3000: it must be -2000 to 2000"),
        ("data = 3", "data must be a table, not 3"),
        ("[", "bad.toml"),
    ],
)
def test_what_is_wrong_with_a_recipe_is_said(tmp_path, text, complaint):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=complaint) as caught:
        read_recipe(str(path))
    assert "bad.toml" in str(caught.value)

"""Recipes: Zobra's own can be read, and what is wrong with another is said before any game."""

import json
import os

import pytest

from zobra.arena.formats.files import read_toml
from zobra.train.recipe import BUILT_IN_NAME, FIRST_NAME, FOLDER, read_recipe


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_the_recipes_can_be_read(path):
    recipe = read_recipe(path.stem)
    assert recipe.name == path.stem
    assert json.dumps(recipe.facts())
    for name in {*recipe.data.also, recipe.data.network} - {FIRST_NAME, BUILT_IN_NAME}:
        assert read_recipe(name).name == name


def numbers(table: dict, prefix: str = "") -> set[str]:
    """Names of the entries of a recipe, with those of their tables."""
    found = set()
    for name, value in table.items():
        if isinstance(value, dict):
            found |= numbers(value, f"{prefix}{name}.")
        else:
            found.add(prefix + name)
    return found


def test_the_recipe_of_the_built_in_network_states_everything():
    recipe = read_recipe("generation10")
    stated = numbers(read_toml(FOLDER / "generation10.toml"))
    assert stated == numbers(recipe.facts()) - {"name"}


def test_numbers_that_are_not_given_have_their_defaults(tmp_path):
    path = tmp_path / "some.toml"
    path.write_text("[data.rules]\nnodes = 500\n[training]\nwdl_end = 0.3\n")
    recipe = read_recipe(str(path))
    assert recipe.data.rules.nodes == 500
    assert recipe.data.rules.opening_plies == 8
    assert recipe.training.wdl_end == 0.3
    assert recipe.filter.largest_score == 3_000


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("my recipe", "letters, digits"),
        (FIRST_NAME, "a recipe cannot have the name 'first'"),
        (BUILT_IN_NAME, "a recipe cannot have the name 'built-in'"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused(tmp_path, name, complaint):
    path = tmp_path / f"{name}.toml"
    path.write_text("hidden = 32")
    with pytest.raises(ValueError, match=complaint):
        read_recipe(str(path))


def test_a_bare_name_means_a_recipe_of_zobra(tmp_path, monkeypatch):
    """A file of this name is meant only by a path, or with its ending."""
    own = read_recipe("quick").hidden
    other = own + 32
    for name in ("quick", "quick.toml"):
        (tmp_path / name).write_text(f"hidden = {other}")
    monkeypatch.chdir(tmp_path)
    assert read_recipe("quick").hidden == own
    assert read_recipe("quick.toml").hidden == other
    assert read_recipe(os.path.join(".", "quick")).hidden == other


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("hidden = 0", "hidden = 0"),
        ("start = 'first'", "start = 'first': it only plays"),
        ("qb = 64", "qb = 64: it must be one of 128, 256"),
        ("hiden = 8", "a recipe has no entry 'hiden'; it has hidden, qb, start, built_in, data"),
        ("[data]\ngame = 1", r"\[data\] has no entry 'game'"),
        ("[data]\ngames = 'many'", "games must be an integer, not 'many'"),
        ("[data]\ngames = 0", "data.games = 0: it must be at least 1"),
        ("[data.rules]\nnode = 1", r"\[data.rules\] has no entry 'node'"),
        ("[data.rules]\nnodes = 1.5", "nodes must be an integer, not 1.5"),
        ("[training]\nlearning_rate = true", "learning_rate must be a number, not True"),
        ("[data]\nalso = [1]", "also must be a string, not 1"),
        ("[data]\nalso = ['']", "data.also has an empty name"),
        ("[data]\nalso = ['bad']", "data.also has 'bad', the set of the recipe itself"),
        ("[data]\nalso = ['old', 'older', 'old/']", "data.also names a set twice"),
        ("[data]\nnetwork = 'bad'", "data.network = 'bad': training would overwrite"),
        ("start = 'bad'", "start = 'bad': training would overwrite"),
        ("built_in = '12'", "built_in = '12': neither `start` nor data.network is 'built-in'"),
        ("[training]\nseed = -1", "training.seed = -1: it must be at least 0"),
        ("[data.rules]\nnodes = 0", "data.rules.nodes = 0"),
        (
            "[data.rules]\nopening_plies = 900",
            "data.rules.opening_plies = 900: it must be 0 to 200",
        ),
        (
            "[data.rules]\nnodes = 9_000",
            "data.rules.node_limit = 8000: it is less than nodes = 9000",
        ),
        ("[data.rules]\nwin_score = 0", "data.rules.win_score = 0: it must be 1 to 30000"),
        ("[data.rules]\nbranches = 1", "data.rules.branches = 1: there would be no game"),
        ("[filter]\nlargest_score = 40_000", "filter.largest_score = 40000: it must be 1 to 30000"),
        ("[filter]\nfirst_ply = 300", "filter.first_ply = 300: it must be 0 to 200"),
        ("[filter]\nfewest_pieces = 33", "filter.fewest_pieces = 33: it must be 2 to 32"),
        ("[filter]\nthinned_pieces = 33", "filter.thinned_pieces = 33: it must be 0 to 32"),
        ("[training]\nwdl_start = 15", "training.wdl_start = 15: it must be 0 to 1"),
        ("[training]\nwdl_end = 2", "training.wdl_end = 2: it must be 0 to 1"),
        ("[training]\neval_scale = 0", "training.eval_scale = 0: it must be 10 to 10000"),
        ("[filter]\nthinning = 0", "filter.thinning = 0: it must be 1 to 30000"),
        ("[training]\nlearning_rate = nan", "learning_rate is not finite"),
        (
            "[training]\nlearning_rate = 1e-4\nfinal_learning_rate = 2e-4",
            "training.final_learning_rate = 0.0002: it exceeds learning_rate = 0.0001",
        ),
        ("[gate]\ngames = 3", "gate.games = 3: it must be even"),
        ("[gate]\ntime_control = 'fast'", "gate: time control 'fast': must be of the form 10"),
        ("[gate]\ntime_control = '0+1'", "gate: time control '0\\+1': 0 is not allowed"),
        ("[gate]\ntime_control = 'nodes=0'", "gate: time control 'nodes=0': 0 is not allowed"),
        ("[gate]\nelo0 = 9", r"gate: SPRT: elo0 \(9\) must be less than elo1 \(8\)"),
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

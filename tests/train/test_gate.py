"""The last step of a recipe: an SPRT of a network against the one that played its games."""

import shutil
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from zobra.engine.network_file import BUILT_IN
from zobra.train.command_line import app


@pytest.mark.parametrize(
    ("verdict", "said", "status"),
    [
        ("H1", "new passed: H1 accepted, [-2.00, 3.00] logistic after 100 games", 0),
        ("H0", "new did not pass: H0 accepted, [-2.00, 3.00] logistic after 100 games", 1),
        (None, "new did not pass: no verdict, [-2.00, 3.00] logistic after 100 games", 1),
    ],
)
def test_only_h1_lets_a_network_pass(tmp_path, monkeypatch, verdict, said, status):
    def play(console, folder, settings, options):
        """Stands for the match, whose settings must have the test of the recipe."""
        assert settings.sprt.text == "[-2.00, 3.00] logistic"
        results = SimpleNamespace(games=100, crashing=lambda: "")
        return SimpleNamespace(error=None, interrupted=False, results=results, verdict=verdict)

    monkeypatch.setattr("zobra.train.pipeline.play", play)
    monkeypatch.setattr("zobra.train.pipeline.match_figures", lambda match: [])
    recipe = tmp_path / "new.toml"
    recipe.write_text('[data]\nnetwork = "built-in"\n[gate]\nelo0 = -2\nelo1 = 3.0\n')
    shutil.copy(BUILT_IN, tmp_path / "new.network")

    done = CliRunner().invoke(app, ["gate", str(recipe), "--folder", str(tmp_path)])
    assert said in done.output
    assert done.exit_code == status, done.output

"""The last step of a recipe: a network must score enough against the one that played its games."""

import shutil
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from zobra.engine.network_file import BUILT_IN
from zobra.train.command_line import app


@pytest.mark.parametrize(
    ("least_elo", "points", "passes"),
    [(20, 53, True), (20, 52, False), (-20, 48, True), (-20, 47, False), (0, 50, True)],
)
def test_a_network_passes_by_its_elo(tmp_path, monkeypatch, least_elo, points, passes):
    """20 Elo are 52.88 % of the points."""
    results = SimpleNamespace(games=100, points=lambda name: points, crashing=lambda: "")
    state = SimpleNamespace(error=None, interrupted=False, results=results)
    monkeypatch.setattr("zobra.train.pipeline.play", lambda *_: state)
    recipe = tmp_path / "new.toml"
    recipe.write_text(f'[data]\nnetwork = "built-in"\n[gate]\nleast_elo = {least_elo}\n')
    shutil.copy(BUILT_IN, tmp_path / "new.network")

    done = CliRunner().invoke(app, ["gate", str(recipe), "--folder", str(tmp_path)])
    assert f"new scored {points}.0%" in done.output
    assert done.exit_code == (0 if passes else 1), done.output

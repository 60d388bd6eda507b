"""Folders that an earlier version wrote, in data/before: they are resumed and reported as if they
were today's.

They were made by `zobra match`, `tune`, `ablate` and `suite` with the scripted
engine; of the match and the tuning run the last games were cut off.
"""

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.support.arena_runs import run

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def as_then(monkeypatch):
    """`python3` is this Python, and the folder is that of the scripted engine."""
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    monkeypatch.chdir(HERE.parent / "support")


@pytest.mark.parametrize(
    ("command", "games", "kept", "status"),
    [("match", 6, 3, 4), ("tune", 8, 5, 0), ("ablate", 4, 4, 0)],  # no verdict of the SPRT
)
def test_a_run_is_resumed_and_reported(tmp_path, command, games, kept, status):
    folder = tmp_path / command
    shutil.copytree(HERE / "data/before" / {"ablate": "ablation"}.get(command, command), folder)
    lines = (folder / "journal.jsonl").read_text()
    assert len(lines.splitlines()) == kept
    assert f"{games} of {games} games" in run(command, "--folder", str(folder), code=status)
    now = (folder / "journal.jsonl").read_text()
    assert now.startswith(lines)
    assert sorted(json.loads(line)["index"] for line in now.splitlines()) == list(range(games))
    assert (folder / "games.pgn").read_text().count("[Event ") == games
    run("report", str(folder))
    assert (folder / "report.html").stat().st_size > 1000


def test_the_results_of_a_suite_are_reported(tmp_path):
    shutil.copy(HERE / "data/before/suite.json", tmp_path)
    run("report", str(tmp_path / "suite.json"))
    assert "mate in 1 not seen" in (tmp_path / "suite.html").read_text()

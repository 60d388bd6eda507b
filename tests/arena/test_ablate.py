"""Ablations: what is switched off, what is lost without it, and the table of it."""

import json
import sys
from functools import partial
from unittest.mock import Mock

import pytest
from chess.engine import Option

from tests.support.arena_runs import ENGINE, finished, flat
from tests.support.arena_runs import run as run_command
from zobra.arena.commands.match_display import MatchDisplay
from zobra.arena.model.ablation import WHOLE, content, techniques
from zobra.arena.model.engines import EngineSpec
from zobra.arena.model.journal import Journal
from zobra.arena.model.results import Results
from zobra.arena.model.settings import Settings
from zobra.arena.runner.engine_bench import bench

BOUNDS = {
    "use_null_move": (1, 0, 1),
    "use_network": (0, 0, 1),
    "use_more": (1, 1, 3),
    "Hash": (16, 1, 64),
}
SPINS = {name: Option(name, "spin", *bounds, None) for name, bounds in BOUNDS.items()}
run = partial(run_command, "ablate")


def test_an_engine_without_its_best_value_is_worse(tmp_path):
    folder = tmp_path / "a"
    arguments = [
        f"{ENGINE} --best 80",
        "-o",
        "Strength=80",
        "-x",
        "aim:Strength=10",
        "-x",
        "Hash=2",
        "--tc",
        "30",
        "-n",
        "4",
    ]
    text = run(*arguments, "--folder", folder)
    assert "8 of 8 games" in text
    kept = json.loads((folder / "ablation.json").read_text())
    aim, memory = kept["techniques"]
    # the scripted engine's bench counts its option too
    assert kept["bench"] == memory["bench"] == 1013 and aim["bench"] == 1004
    assert (
        aim["name"] == "aim" and aim["off"] == {"Strength": 10} and aim["pairs"] == [0, 0, 0, 0, 2]
    )
    assert (memory["name"], memory["games"], memory["elo"]) == ("Hash=2", 4, 0.0)
    table = (folder / "ablation.md").read_text()
    assert (
        "| aim | `Strength=10` | all won | 4 | 1,004 |" in table
        and "Bench of the whole engine: 1,013." in table
    )
    assert Journal.settings_in(folder).engines[0].name == WHOLE


def test_an_interrupted_ablation_goes_on(tmp_path):
    folder = tmp_path / "a"
    run(f"{ENGINE} --best 80", "-x", "Strength=10", "--tc", "30", "-n", "4", "--folder", folder)
    journal, kept = folder / "journal.jsonl", folder / "ablation.json"
    whole = json.loads(kept.read_text())
    journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:3]))
    whole["techniques"][0]["bench"] = 77
    kept.write_text(json.dumps(whole))
    assert "resuming after 3 of 4 games" in run("--folder", folder)
    assert json.loads(kept.read_text()) == whole  # a bench that is known is not searched again


def test_techniques_are_switches_unless_named(tmp_path):
    assert techniques(None, [], SPINS) == {"null move": {"use_null_move": 0}}
    # Zobra's own, where an engine has all that switches one off
    bounds = {"use_table": (1, 0, 1), "deeper_margin": (50, 0, 1000), "futility_depth": (8, -1, 20)}
    zobra = {name: Option(name, "spin", *values, None) for name, values in bounds.items()}
    assert techniques(None, [], zobra) == {
        "transposition table": {"use_table": 0},
        "futility pruning": {"futility_depth": -1},
    }
    path = tmp_path / "t.toml"
    path.write_text('"late moves" = { depth = 0, base = 9 }\n')
    assert techniques(path, ["x: a = 1,b=2", "c=3"], SPINS) == {
        "late moves": {"depth": 0, "base": 9},
        "x": {"a": "1", "b": "2"},
        "c=3": {"c": "3"},
    }
    for text in ("=", "depth = 3", "[a]", "[a.b]\nc = 1"):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"t\.toml: "):
            techniques(path, [], SPINS)


def test_a_match_is_no_ablation(tmp_path):
    Journal(
        tmp_path, Settings((EngineSpec("a", ("a",)), EngineSpec("b", ("b",))), "nodes=1", 1)
    ).close()
    before = sorted(tmp_path.iterdir())
    assert "holds a match that is no ablation" in flat(run("--folder", tmp_path, code=2))
    assert sorted(tmp_path.iterdir()) == before


def test_techniques_are_sorted_by_loss():
    engines = tuple(
        EngineSpec(name, ("e",), off)
        for name, off in ((WHOLE, {}), ("a", {"x": 0}), ("b", {"y": 0}))
    )
    settings = Settings(engines, "nodes=1", 1)
    ends = [("b", "1-0"), ("b", "0-1"), ("b", "1-0"), ("b", "1/2-1/2")]
    games = [finished(index, end, (WHOLE, rival)) for index, (rival, end) in enumerate(ends)]
    found = content(settings, Results([WHOLE, "a", "b"], games), {"b": 5})["techniques"]
    assert [(entry["name"], entry["games"], entry["bench"]) for entry in found] == [
        ("b", 4, 5),
        ("a", 0, None),
    ]
    assert found[0]["pairs"] == [0, 0, 0, 1, 1] and found[0]["elo"] > 0 and found[1]["elo"] is None


def test_benches_of_other_engines(tmp_path):
    def engine(text: str) -> EngineSpec:
        return EngineSpec("e", (sys.executable, "-c", text))

    assert bench(engine("print('Nodes searched  : 2651')")) == 2651
    assert (
        bench(
            engine(
                "import sys; print('12 nodes 3 nps'); print('4567 nodes 89 nps', file=sys.stderr)"
            )
        )
        == 4567
    )
    assert bench(engine("print('unknown command: bench')")) is None


def test_switches_are_sent_as_uci_wants_them(tmp_path):
    log = tmp_path / "log.txt"
    run(
        f"{ENGINE} --log {log}",
        "-x",
        "Caution=0",
        "--tc",
        "30",
        "-n",
        "2",
        "--folder",
        tmp_path / "a",
    )
    assert {line for line in log.read_text().splitlines() if "Caution" in line} == {
        "setoption name Caution value false"
    }
    assert "Caution is true or false, not '2'" in flat(run(ENGINE, "-x", "Caution=2", code=2))


def test_an_interrupted_run_keeps_its_table(tmp_path, monkeypatch):
    arguments = [ENGINE, "-x", "Hash=2", "--tc", "30", "-n", "4", "--folder", tmp_path / "a"]
    monkeypatch.setattr(MatchDisplay, "finished", Mock(side_effect=KeyboardInterrupt))
    assert "interrupted; resume with `--folder" in run(*arguments, code=130)
    assert "| Hash=2 |" in (tmp_path / "a" / "ablation.md").read_text()

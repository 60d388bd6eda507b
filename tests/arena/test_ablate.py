"""Ablations: what is switched off, what is lost without it, and the table of it."""

import json
import sys
from functools import partial
from unittest.mock import Mock

import pytest
from chess.engine import Option

from tests.support.arena_runs import ENGINE, finished, flat, scripted
from tests.support.arena_runs import run as run_command
from zobra.arena.commands.match_display import MatchDisplay
from zobra.arena.model.ablation import WHOLE, content, techniques
from zobra.arena.model.engines import EngineSpec
from zobra.arena.model.journal import Journal
from zobra.arena.model.results import Results
from zobra.arena.model.settings import Settings
from zobra.arena.runner.engine_bench import bench

run = partial(run_command, "ablate")


def spins(**bounds: tuple[int, int, int]) -> dict[str, Option]:
    """Return spin options with these defaults, lowest and highest values."""
    return {name: Option(name, "spin", *values, None) for name, values in bounds.items()}


SPINS = spins(use_null_move=(1, 0, 1), use_network=(0, 0, 1), use_more=(1, 1, 3), Hash=(16, 1, 64))


def test_an_engine_without_its_best_value_is_worse(tmp_path):
    folder = tmp_path / "a"
    arguments = ["-o", "Strength=80", "-x", "aim:Strength=10", "-x", "Hash=2"]
    arguments += ["--tc", "30", "-n", "4", "--folder", folder]
    assert "8 of 8 games" in run(f"{ENGINE} --best 80", *arguments)
    kept = json.loads((folder / "ablation.json").read_text())
    aim, memory = kept["techniques"]
    # The bench of the scripted engine depends on Strength alone
    assert [kept["bench"], aim["bench"], memory["bench"]] == [1013, 1004, 1013]
    assert (aim["name"], aim["off"], aim["pairs"]) == ("aim", {"Strength": 10}, [0, 0, 0, 0, 2])
    assert (memory["name"], memory["games"], memory["elo"]) == ("Hash=2", 4, 0.0)
    table = (folder / "ablation.md").read_text()
    assert "| aim | `Strength=10` | all won | 4 | 1,004 |" in table
    assert "Bench of the whole engine: 1,013." in table
    assert Journal.settings_in(folder).engines[0].name == WHOLE
    run_command("report", folder)
    assert (folder / "report.html").stat().st_size > 1000


def test_an_interrupted_ablation_goes_on(tmp_path):
    folder = tmp_path / "a"
    run(f"{ENGINE} --best 80", "-x", "Strength=10", "--tc", "30", "-n", "4", "--folder", folder)
    journal = folder / "journal.jsonl"
    journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:3]))
    kept = folder / "ablation.json"
    whole = json.loads(kept.read_text())
    whole["techniques"][0]["bench"] = 77
    kept.write_text(json.dumps(whole))
    arguments = ("-x", "Strength=10", "--tc", "30", "-n", "4")
    assert "engines differ" in flat(run_command("ablate", *arguments, "--folder", folder, code=2))
    shown = run("--folder", folder)
    assert "with Strength=10" in shown  # the commands of a folder are shown before they are started
    assert "resuming after 3 of 4 games" in shown
    assert "with Strength=10" not in run("--folder", folder)  # all is done: nothing is started
    assert json.loads(kept.read_text()) == whole  # a known bench is not searched again
    kept.unlink()
    assert "with Strength=10" in run("--folder", folder)  # for the benches


def test_techniques_are_switches_unless_named(tmp_path):
    assert techniques(None, [], SPINS) == {"null move": {"use_null_move": 0}}
    # Zobra's own, where an engine has all that switches one off
    zobra = spins(use_tt=(1, 0, 1), deeper_margin=(50, 0, 1000), futility_depth=(8, -1, 20))
    assert techniques(None, [], zobra) == {
        "transposition table": {"use_tt": 0},
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
    Journal(tmp_path, Settings((scripted("a"), scripted("b")), "nodes=1", 1)).close()
    before = sorted(tmp_path.iterdir())
    assert "holds a match, not an ablation" in flat(run("--folder", tmp_path, code=2))
    assert sorted(tmp_path.iterdir()) == before


def test_techniques_are_sorted_by_loss():
    off = {WHOLE: {}, "a": {"x": 0}, "b": {"y": 0}}
    engines = tuple(EngineSpec(name, ("e",), options) for name, options in off.items())
    ends = ["1-0", "0-1", "1-0", "1/2-1/2"]
    games = [finished(index, end, (WHOLE, "b")) for index, end in enumerate(ends)]
    results = Results([WHOLE, "a", "b"], games)
    lost, unknown = content(Settings(engines, "nodes=1", 1), results, {"b": 5})["techniques"]
    assert (lost["name"], lost["games"], lost["bench"]) == ("b", 4, 5)
    assert lost["pairs"] == [0, 0, 0, 1, 1]
    assert lost["elo"] > 0
    assert (unknown["name"], unknown["games"], unknown["bench"]) == ("a", 0, None)
    assert unknown["elo"] is None


@pytest.mark.parametrize(
    ("program", "nodes"),
    [
        ("print('Nodes searched  : 2651')", 2651),
        ("print('12 nodes 3 nps'); print('4567 nodes 89 nps', file=sys.stderr)", 4567),
        ("print('unknown command: bench')", None),
    ],
)
def test_benches_of_other_engines(program, nodes):
    engine = EngineSpec("e", (sys.executable, "-c", f"import sys; {program}"))
    assert bench(engine) == nodes


def test_switches_are_sent_as_uci_wants_them(tmp_path):
    log = tmp_path / "log.txt"
    arguments = ["-x", "Caution=0", "--tc", "30", "-n", "2", "--folder", tmp_path / "a"]
    run(f"{ENGINE} --log {log}", *arguments)
    sent = {line for line in log.read_text().splitlines() if "Caution" in line}
    assert sent == {"setoption name Caution value false"}
    assert "Caution is true or false, not '2'" in flat(run(ENGINE, "-x", "Caution=2", code=2))


def test_an_interrupted_run_keeps_its_table(tmp_path, monkeypatch):
    monkeypatch.setattr(MatchDisplay, "finished", Mock(side_effect=KeyboardInterrupt))
    arguments = [ENGINE, "-x", "Hash=2", "--tc", "30", "-n", "4", "--folder", tmp_path / "a"]
    assert "interrupted; resume with `zobra ablate --folder" in run(*arguments, code=130)
    assert "| Hash=2 |" in (tmp_path / "a" / "ablation.md").read_text()

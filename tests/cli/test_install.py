"""`zobra install cutechess` writes one entry of the engines file, and asks before it changes
one.
"""

import json
import os
import sys

import chess.engine
import pytest
from typer.testing import CliRunner

from zobra.cli import install
from zobra.cli.command_line import app

OTHER = {
    "command": "/opt/stockfish",
    "name": "Stockfish",
    "options": [{"name": "Hash", "value": 64}],
    "protocol": "uci",
}


@pytest.fixture
def path(monkeypatch, tmp_path):
    """The engines file, in a configuration folder that is empty."""
    for variable in ("XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.setenv(variable, str(tmp_path))
    return tmp_path / "cutechess" / "engines.json"


def run(*options: str, typed: str = ""):
    return CliRunner().invoke(app, ["install", "cutechess", *options], input=typed)


def entries(path) -> list[dict]:
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_engine_is_added_and_the_others_stay(path):
    assert run().exit_code == 0
    (entry,) = entries(path)
    assert entry["name"] == "Zobra"
    assert entry["protocol"] == "uci"
    assert os.path.isabs(entry["command"].split()[0])
    path.write_text(json.dumps([OTHER]))
    assert run().exit_code == 0
    assert entries(path) == [OTHER, entry]
    assert "already" in run().output
    assert os.listdir(path.parent) == ["engines.json"]


def test_a_missing_cute_chess_is_told(path, monkeypatch):
    monkeypatch.setattr(install.shutil, "which", lambda name: None)
    assert "is Cute Chess installed?" in run().output
    path.unlink()
    monkeypatch.setattr(install.shutil, "which", lambda name: "/usr/bin/cutechess")
    assert "is Cute Chess installed?" not in run().output


def test_an_entry_is_changed_only_with_consent(path):
    path.parent.mkdir()
    old = {
        "name": "Zobra",
        "command": "/old/zobra",
        "protocol": "uci",
        "variants": ["standard", "fischerandom"],
    }
    before = json.dumps([old, OTHER])
    path.write_text(before)
    for answer in ("n\n", ""):
        refused = run(typed=answer)
        assert refused.exit_code == 1
        assert "/old/zobra" in refused.output
        assert path.read_text() == before
    assert run(typed="y\n").exit_code == 0
    changed, other = entries(path)
    assert changed["command"] != "/old/zobra"
    assert changed["variants"] == old["variants"]
    assert other == OTHER
    path.write_text(before)
    assert run("--yes").exit_code == 0
    assert path.read_text() != before


def announced_options() -> list[dict]:
    """Return the options that `uci` announces, as Cute Chess reads and keeps them."""
    command = [sys.executable, "-m", "zobra.uci"]
    with chess.engine.SimpleEngine.popen_uci(command, timeout=60) as engine:
        options = list(engine.options.values())
    found = []
    for option in options:
        is_set_by_gui = option.name.startswith("UCI_") or option.name == "Ponder"
        if is_set_by_gui and option.name not in ("UCI_LimitStrength", "UCI_Elo"):
            continue
        kind = "text" if option.type == "string" else option.type
        entry = {"name": option.name, "type": kind}
        if kind != "button":
            default = "" if option.default == "<empty>" else option.default
            entry |= {"value": default, "default": default, "alias": ""}
        if kind == "spin":
            entry |= {"min": option.min, "max": option.max}
        found.append(entry)
    return found


def test_the_entry_has_all_options_that_uci_announces_and_both_variants(path):
    assert run().exit_code == 0
    (entry,) = entries(path)
    assert entry["options"] == announced_options()
    assert len(entry["options"]) > 10
    assert entry["variants"] == ["standard", "fischerandom"]


def test_values_that_a_user_has_set_stay(path):
    assert run().exit_code == 0
    (entry,) = entries(path)
    hash_option = next(option for option in entry["options"] if option["name"] == "Hash")
    hash_option["value"] = 512
    path.write_text(json.dumps([entry]))
    assert run().exit_code == 0
    assert entries(path) == [entry]

    # An entry of the same command that lacks options and variants is completed without a question
    del entry["variants"]
    entry["options"] = [{"name": "Hash", "value": 512}]
    path.write_text(json.dumps([entry]))
    assert run().exit_code == 0
    (completed,) = entries(path)
    assert hash_option in completed["options"]
    assert len(completed["options"]) > 10
    assert completed["variants"] == ["standard", "fischerandom"]


def test_another_gui_is_refused():
    done = CliRunner().invoke(app, ["install", "arena"])
    assert done.exit_code == 2
    assert "guis.md" in done.output


def test_print_changes_nothing_and_quotes_spaces(path, monkeypatch):
    command = ["/my engines/python", "-m", "zobra.uci"]
    monkeypatch.setattr(install, "engine_command", lambda: command)
    first, rest = run("--print").output.split("\n", 1)
    assert first == str(path)
    entry = json.loads(rest)
    assert entry["name"] == "Zobra"
    assert entry["command"] == '"/my engines/python" -m zobra.uci'
    assert not path.parent.exists()


@pytest.mark.parametrize("content", [b"{}", b"[1]", b"[", b"\xff"])
def test_a_file_that_is_no_list_of_engines_is_left_alone(path, content):
    path.parent.mkdir()
    path.write_bytes(content)
    done = run()
    assert done.exit_code == 1
    assert str(path) in done.output
    assert path.read_bytes() == content

"""`zobra install cutechess` writes one entry of the engines file, and asks before it changes one."""

import json
import os
from pathlib import Path

import pytest

from tests.test_command_line import zobra
from zobra.uci import install

OTHER = {"command": "/opt/stockfish", "name": "Stockfish", "options": [{"name": "Hash", "value": 64}], "protocol": "uci"}


@pytest.fixture
def home(tmp_path):
    """An environment whose configuration folder is empty, and the engines file in it."""
    return {**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "APPDATA": str(tmp_path)}, tmp_path / "cutechess" / "engines.json"


def names(path: Path) -> list[str]:
    return [engine["name"] for engine in json.loads(path.read_text(encoding="utf-8"))]


def test_the_engine_is_added_and_the_others_stay(home):
    environment, path = home
    assert zobra("install", "cutechess", environment=environment).returncode == 0
    (entry,) = json.loads(path.read_text(encoding="utf-8"))
    assert entry["name"] == "Zobra" and entry["protocol"] == "uci" and os.path.isabs(entry["command"].split()[0])
    path.write_text(json.dumps([OTHER]))
    assert zobra("install", "cutechess", environment=environment).returncode == 0
    assert json.loads(path.read_text(encoding="utf-8")) == [OTHER, entry]
    assert "already" in zobra("install", "cutechess", environment=environment).stdout
    assert os.listdir(path.parent) == ["engines.json"]


def test_an_entry_is_changed_only_with_consent(home):
    environment, path = home
    path.parent.mkdir()
    old = {"name": "Zobra", "command": "/old/zobra", "protocol": "uci", "variants": ["standard", "fischerandom"]}
    path.write_text(before := json.dumps([old, OTHER]))
    for answer in ("n\n", ""):
        refused = zobra("install", "cutechess", environment=environment, typed=answer)
        assert refused.returncode == 1 and "/old/zobra" in refused.stdout and path.read_text() == before
    assert zobra("install", "cutechess", environment=environment, typed="y\n").returncode == 0
    changed = json.loads(path.read_text(encoding="utf-8"))
    assert changed[1] == OTHER and changed[0]["command"] != "/old/zobra" and changed[0]["variants"] == old["variants"]
    path.write_text(before)
    assert zobra("install", "cutechess", "--yes", environment=environment).returncode == 0 and path.read_text() != before


def test_print_changes_nothing(home):
    environment, path = home
    done = zobra("install", "cutechess", "--print", environment=environment)
    first, rest = done.stdout.split("\n", 1)
    assert first == str(path) and json.loads(rest)["name"] == "Zobra" and not path.parent.exists()


def test_a_path_with_spaces_is_quoted(monkeypatch, capsys):
    monkeypatch.setattr(install, "engine_command", lambda: ["/my engines/python", "-m", "zobra.uci"])
    install.install(install.Gui.CUTECHESS, print_only=True)
    assert json.loads(capsys.readouterr().out.split("\n", 1)[1])["command"] == '"/my engines/python" -m zobra.uci'


@pytest.mark.parametrize("content", ["{}", "[1]", "[", "\xff"])
def test_a_file_that_is_no_list_of_engines_is_left_alone(home, content):
    environment, path = home
    path.parent.mkdir()
    path.write_bytes(content.encode("latin-1"))
    done = zobra("install", "cutechess", environment=environment)
    assert done.returncode == 1 and str(path) in done.stderr and "Traceback" not in done.stderr
    assert path.read_bytes() == content.encode("latin-1")

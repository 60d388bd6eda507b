"""Engine descriptions."""

import os
import sys
from pathlib import Path

import pytest

from zobra.arena.model.engines import EngineSpec, read_engine, read_engines, words


def test_command_lines():
    assert read_engine("stockfish") == EngineSpec("stockfish", ("stockfish",))
    assert read_engine("/opt/e/engine -x 'a b'") == EngineSpec(
        "engine", ("/opt/e/engine", "-x", "a b")
    )
    assert read_engine("new=./engine --hash=4") == EngineSpec("new", ("./engine", "--hash=4"))
    assert read_engine("./engine --hash=4").command == ("./engine", "--hash=4")
    with pytest.raises(ValueError, match="no command"):
        read_engine("name=")
    # a backslash is part of a path on Windows
    assert words('"C:\\My Engines\\zobra.exe" --tunable', windows=True) == (
        "C:\\My Engines\\zobra.exe",
        "--tunable",
    )
    assert words("C:\\zobra.exe -x 'a b'", windows=True) == ("C:\\zobra.exe", "-x", "a b")


def test_files_with_one_engine_and_with_several(tmp_path):
    path = tmp_path / "e.toml"
    path.write_text(
        'name = "One"\ncommand = "one -b"\nprotocol = "xboard"\ntime-odds = 0.5\noptions = { '
        "memory = 8 }\n"
    )
    assert read_engines([str(path)]) == [
        EngineSpec("One", ("one", "-b"), {"memory": 8}, "xboard", time_odds=0.5)
    ]
    path.write_text(
        '[[engine]]\ncommand = ["a", "b c"]\ntime_control = "nodes=5"\n[[engine]]\ncommand = "d"\n'
    )
    assert [spec.name for spec in read_engines([str(path)])] == ["a", "d"]
    assert read_engines([str(path)])[0].time_control == "nodes=5"
    with pytest.raises(ValueError, match=r"e\.toml: 2 engines, where one is asked for"):
        read_engine(str(path))
    assert read_engine("x=y", ["Hash=2"]) == EngineSpec("x", ("y",), {"Hash": "2"})


@pytest.mark.parametrize(
    "text, problem",
    [
        ("name =\n", "line 1"),
        ('name = "x"', "no command"),
        ('command = "x"\nprotocol = "cecp"', "neither uci nor xboard"),
        ('command = "x"\ntime_odds = 0', "time_odds"),
        ('command = "x"\ntime_odds = inf', "time_odds"),
        ('command = "x"\ntime_odds = nan', "time_odds"),
        ('command = "x"\noptions = 5', "options must be a table"),
        (
            'name = "x"\ncommand = "x"\noptions = { Hash = [16] }',
            "engine x: option Hash must be a text",
        ),
        ("engine = []", "no engine"),
        ("engine = [1]", "no engine"),
        ('command = " "', "no command"),
        ("command = 5", "no command"),
        ('command = "x"\ntime_control = 10', "time_control must be a text"),
        (
            'command = "x"\nprotocoll = "uci"',
            r"unknown key protocoll \(known: name, command, options, protocol",
        ),
    ],
)
def test_bad_files_are_named(tmp_path, text, problem):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=problem) as error:
        read_engines([str(path)])
    assert "bad.toml" in str(error.value)


@pytest.mark.skipif(os.name != "posix", reason="programs have other names there")
def test_programs_are_found_in_their_directory_first(tmp_path, monkeypatch):
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "sh").write_text("#!/bin/sh\n")
        (tmp_path / folder / "sh").chmod(0o755)
    monkeypatch.chdir(tmp_path / "new")
    old = EngineSpec("old", ("./sh", "-x"), directory="../old")
    assert Path(old.program()).resolve() == tmp_path / "old" / "sh"
    assert (
        Path(EngineSpec("old", ("sh",), directory=str(tmp_path / "old")).program())
        == tmp_path / "old" / "sh"
    )
    assert Path(EngineSpec("any", ("sh",)).program()).parent not in (
        tmp_path / "old",
        tmp_path / "new",
    )
    assert (
        EngineSpec("x", ("sh",), directory="elsewhere").program()
        == EngineSpec("any", ("sh",)).program()
    )
    kept = [old.anchored(), EngineSpec("new", ("./sh",)).anchored()]
    monkeypatch.chdir(tmp_path)
    assert [Path(spec.program()).resolve() for spec in kept] == [
        tmp_path / "old" / "sh",
        tmp_path / "new" / "sh",
    ]
    assert kept[0].command[1:] == ("-x",) and Path(kept[0].directory).resolve() == tmp_path / "old"
    assert EngineSpec("any", ("sh",)).anchored() == EngineSpec("any", ("sh",))
    assert EngineSpec("p", (sys.executable,)).program() == sys.executable
    with pytest.raises(ValueError, match=r"engine x: no program \./sh"):
        EngineSpec("x", ("./sh",)).anchored()


def test_options_for_all_or_one():
    first, second = read_engines(["a", "b"], ["Hash=8", "b:Threads=2", "a b:x=y"])
    assert first.options == {"Hash": "8", "a b:x": "y"}
    assert second.options == {"Hash": "8", "Threads": "2", "a b:x": "y"}
    with pytest.raises(ValueError, match="NAME=VALUE"):
        read_engines(["a"], ["Hash"])


def test_names_are_made_distinct(tmp_path):
    (tmp_path / "e.toml").write_text('name = "a 2"\ncommand = "x"\n')
    assert [spec.name for spec in read_engines(["a", "a", str(tmp_path / "e.toml"), "a"])] == [
        "a",
        "a 3",
        "a 2",
        "a 4",
    ]
    assert [spec.options for spec in read_engines(["a", "a"], ["a 2:Hash=8"])] == [
        {},
        {"Hash": "8"},
    ]

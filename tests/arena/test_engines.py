"""Engine descriptions."""

import os
import sys
from pathlib import Path

import pytest

from zobra.arena.model.engines import EngineSpec, read_engine, read_engines, words


@pytest.mark.parametrize(
    ("text", "name", "command"),
    [
        ("stockfish", "stockfish", ("stockfish",)),
        ("/opt/e/engine -x 'a b'", "engine", ("/opt/e/engine", "-x", "a b")),
        ("new=./engine --hash=4", "new", ("./engine", "--hash=4")),
        ("./engine --hash=4", "engine", ("./engine", "--hash=4")),
    ],
)
def test_command_lines(text, name, command):
    assert read_engine(text) == EngineSpec(name, command)


def test_a_name_alone_is_no_engine():
    with pytest.raises(ValueError, match="no command"):
        read_engine("name=")


def test_a_backslash_is_part_of_a_path_on_windows():
    quoted = words('"C:\\My Engines\\zobra.exe" --tunable', windows=True)
    assert quoted == ("C:\\My Engines\\zobra.exe", "--tunable")
    assert words('C:\\zobra.exe -x "a b"', windows=True) == ("C:\\zobra.exe", "-x", "a b")
    inside = words('C:\\o\'b\\zobra.exe --path="C:\\a b" -y', windows=True)
    assert inside == ("C:\\o'b\\zobra.exe", "--path=C:\\a b", "-y")
    with pytest.raises(ValueError, match="quotation"):
        words('"C:\\zobra.exe', windows=True)


def test_a_file_with_one_engine(tmp_path):
    path = tmp_path / "e.toml"
    lines = ['name = "One"', 'command = "one -b"', 'protocol = "xboard"', "time-odds = 0.5"]
    lines.append("options = { memory = 8 }")
    path.write_text("\n".join(lines))
    expected = EngineSpec("One", ("one", "-b"), {"memory": 8}, "xboard", time_odds=0.5)
    assert read_engines([str(path)]) == [expected]


def test_a_file_with_several_engines(tmp_path):
    path = tmp_path / "e.toml"
    first = 'command = ["a", "b c"]\ntime_control = "nodes=5"'
    path.write_text(f'[[engine]]\n{first}\n[[engine]]\ncommand = "d"\n')
    assert read_engines([str(path)]) == [
        EngineSpec("a", ("a", "b c"), time_control="nodes=5"),
        EngineSpec("d", ("d",)),
    ]
    with pytest.raises(ValueError, match=r"e\.toml: 2 engines in this file, but only one"):
        read_engine(str(path))


@pytest.mark.parametrize(
    ("text", "problem"),
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
            "engine x: option Hash must be a string",
        ),
        ("engine = []", "no engine"),
        ("engine = [1]", "no engine"),
        ('command = " "', "no command"),
        ("command = 5", "no command"),
        ('command = "x"\ntime_control = 10', "time_control must be a string"),
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


@pytest.fixture
def programs(tmp_path):
    """Two folders, old and new, with a program `sh` in each."""
    for name in ("old", "new"):
        program = tmp_path / name / "sh"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    return tmp_path


@pytest.mark.skipif(os.name != "posix", reason="programs have other names there")
def test_programs_are_found_in_their_directory_first(programs, monkeypatch):
    monkeypatch.chdir(programs / "new")
    usual = EngineSpec("any", ("sh",)).program()  # in PATH
    assert Path(usual).parent not in (programs / "old", programs / "new")
    for command in ("sh", "./sh"):
        engine = EngineSpec("old", (command,), directory="../old")
        assert Path(engine.program()).resolve() == programs / "old" / "sh"
    assert EngineSpec("x", ("sh",), directory="elsewhere").program() == usual
    assert EngineSpec("p", (sys.executable,)).program() == sys.executable


@pytest.mark.skipif(os.name != "posix", reason="programs have other names there")
def test_an_anchored_engine_is_found_from_other_folders(programs, monkeypatch):
    monkeypatch.chdir(programs / "new")
    old = EngineSpec("old", ("./sh", "-x"), directory="../old").anchored()
    new = EngineSpec("new", ("./sh",)).anchored()
    monkeypatch.chdir(programs)
    assert Path(old.program()).resolve() == programs / "old" / "sh"
    assert Path(new.program()).resolve() == programs / "new" / "sh"
    assert old.command[1:] == ("-x",)
    assert Path(old.directory).resolve() == programs / "old"
    # What is found in PATH stays a name
    assert EngineSpec("any", ("sh",)).anchored() == EngineSpec("any", ("sh",))
    with pytest.raises(ValueError, match=r"engine x: no program \./sh"):
        EngineSpec("x", ("./sh",)).anchored()


def test_options_for_all_or_one():
    first, second = read_engines(["a", "b"], ["Hash=8", "b:Threads=2", "a b:x=y"])
    assert first.options == {"Hash": "8", "a b:x": "y"}
    assert second.options == {"Hash": "8", "Threads": "2", "a b:x": "y"}
    assert read_engine("x=y", ["Hash=2"]) == EngineSpec("x", ("y",), {"Hash": "2"})
    with pytest.raises(ValueError, match="NAME=VALUE"):
        read_engines(["a"], ["Hash"])


def test_names_are_made_distinct(tmp_path):
    path = tmp_path / "e.toml"
    path.write_text('name = "a 2"\ncommand = "x"\n')
    engines = read_engines(["a", "a", str(path), "a"])
    assert [engine.name for engine in engines] == ["a", "a 3", "a 2", "a 4"]
    engines = read_engines(["a", "a"], ["a 2:Hash=8"])
    assert [engine.options for engine in engines] == [{}, {"Hash": "8"}]


@pytest.mark.skipif(os.name == "nt", reason="Windows knows programs by their extensions")
def test_a_run_keeps_the_folder_that_relative_paths_belong_to(tmp_path, monkeypatch):
    folders = [tmp_path / name for name in ("here", "path")]
    for folder in folders:
        folder.mkdir()
        (folder / "engine").write_text("#!/bin/sh\n")
        (folder / "engine").chmod(0o755)
    here, path = folders
    (here / "net.nnue").touch()
    monkeypatch.chdir(here)
    monkeypatch.setenv("PATH", str(path))
    for spec in (
        EngineSpec("A", ("engine", "net.nnue")),
        EngineSpec("A", ("engine",), {"EvalFile": "net.nnue"}),
    ):
        anchored = spec.anchored()
        assert anchored.directory == str(here)
        assert anchored.program() == spec.program() == str(path / "engine")
    others = EngineSpec("A", ("engine", "--fast", "nothing", str(here)), {"Hash": 1, "Book": ""})
    assert others.anchored() == others

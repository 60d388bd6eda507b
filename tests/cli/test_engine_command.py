"""`zobra uci-path` names a command that works."""

import os
import shlex
import subprocess
import sys
import sysconfig
import zipfile

from tests.support.commands import zobra
from zobra.cli.engine_command import engine_command


def script_in(folder, name="zobra"):
    """Write a script that could be the engine's."""
    folder.mkdir(exist_ok=True)
    script = folder / f"{name}{sysconfig.get_config_var('EXE') or ''}"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    return script


def test_the_path_is_of_the_engine_that_was_called_not_of_one_of_that_name(monkeypatch, tmp_path):
    called = script_in(tmp_path / "called")
    monkeypatch.setenv("PATH", str(script_in(tmp_path / "other").parent))
    monkeypatch.chdir(called.parent)
    monkeypatch.setattr(sys, "argv", [f"./{called.name}"])
    assert engine_command() == [str(called)]


def test_the_path_of_a_built_executable_is_its_own(monkeypatch, tmp_path):
    executable = tmp_path / "Zobra-1234"
    with zipfile.ZipFile(executable, "w") as archive:
        archive.writestr("__main__.py", "")
    monkeypatch.setattr(sys, "argv", [str(executable)])
    assert engine_command() == [str(executable)]


def test_without_a_script_the_path_is_pythons(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "argv", [str(script_in(tmp_path, "pytest"))])
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path))
    assert engine_command() == [sys.executable, "-m", "zobra.uci"]
    script = script_in(tmp_path)
    assert engine_command() == [str(script)]


def test_the_path_for_a_gui_starts_the_engine(tmp_path):
    done = zobra("uci-path")
    command = shlex.split(done.stdout)
    assert done.returncode == 0
    assert os.path.isabs(command[0])
    talk = subprocess.run(
        command,
        check=False,
        input="uci\nquit\n",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
    )
    assert "uciok" in talk.stdout.splitlines()

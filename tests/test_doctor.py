"""`zobra doctor` finds what is wrong and says what to do; `zobra uci-path` names a command that works."""

import errno
import os
import shlex
import subprocess
import sys
import zipfile

import pytest

from tests.test_command_line import zobra
from zobra.engine import kernels, perft
from zobra.engine.kernels.processor import Target
from zobra.uci import doctor

WIDE = {**os.environ, "COLUMNS": "300"}


def test_a_sound_installation_passes():
    done = zobra("doctor", environment=WIDE)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split("│")[1:-1] for line in done.stdout.splitlines() if line.startswith("│")]
    states = {row[0].strip(): row[1].strip() for row in rows}
    assert list(states) == list(doctor.CHECKS) and set(states.values()) <= {"ok", "note"}
    assert "command for a GUI: " in done.stdout


def test_wrong_counts_and_slow_searches_are_told(monkeypatch):
    assert doctor.check_rules().state == "ok"
    monkeypatch.setattr(perft, "count_leaves", lambda *_: 4_865_608)
    assert doctor.check_rules().state == "wrong" and "4865608" in doctor.check_rules().found
    monkeypatch.setattr("zobra.uci.bench.run", lambda *_: iter(["1/1 5 nodes: fen", "5 nodes 1000 nps"]))
    finding = doctor.check_speed()
    assert finding.state == "wrong" and "1,000 nodes a second" in finding.found and finding.advice


def test_what_a_check_stumbles_over_is_a_finding():
    def stumble():
        raise ImportError("Numba needs NumPy 2.3 or less")

    finding = doctor.examine(stumble)
    assert finding.state == "wrong" and "Numba needs NumPy" in finding.found and finding.advice


def test_notices_about_kernels_are_noted(monkeypatch):
    assert doctor.check_kernels().state == "ok"
    monkeypatch.setattr(kernels, "notices", ["damaged files removed from the kernel store"])
    finding = doctor.check_kernels()
    assert finding.state == "note" and "damaged files" in finding.found


def test_the_instructions_that_kernels_use_are_named(monkeypatch):
    def with_target(target):
        monkeypatch.setattr(kernels, "selected", kernels.selected._replace(target=target))
        return doctor.check_processor()

    finding = with_target(Target("native", "unknown", "+popcnt,-bmi2,+avx512vbmi2"))
    assert finding.state == "ok" and "bmi2 for" in finding.found and "uses popcnt, avx512vbmi2" in finding.found
    assert "bmi2 for" in with_target(Target("native", "znver2", "+popcnt,+bmi2,+avx512vbmi2")).found
    assert "goes without" not in with_target(Target("native", "znver4", "+popcnt,+bmi2,+avx512vbmi2")).found


@pytest.mark.parametrize(("error", "missing", "state"), [("EACCES", 0, "note"), ("EACCES", 1, "wrong"), ("ENOSPC", 0, "wrong")])
def test_a_store_that_cannot_be_written_is_wrong_when_it_is_needed_or_full(monkeypatch, error, missing, state):
    def refuse():
        raise OSError(getattr(errno, error), "refused")

    monkeypatch.setattr(kernels.store, "check_writable", refuse)
    monkeypatch.setattr(kernels, "missing", lambda: [doctor] * missing)
    finding = doctor.check_store()
    assert finding.state == state and "refused" in finding.found and finding.advice


def test_the_path_is_of_the_engine_that_was_called_not_of_one_of_that_name(monkeypatch, tmp_path):
    suffix = doctor.sysconfig.get_config_var("EXE") or ""
    for folder in ("called", "other"):
        (tmp_path / folder).mkdir()
        script = tmp_path / folder / f"zobra{suffix}"
        script.write_text("#!/bin/sh\n")
        script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "other"))
    monkeypatch.chdir(tmp_path / "called")
    monkeypatch.setattr(sys, "argv", [f"./zobra{suffix}"])
    assert doctor.gui_command() == str(tmp_path / "called" / f"zobra{suffix}")


def test_the_path_of_a_built_executable_is_its_own(monkeypatch, tmp_path):
    executable = tmp_path / "Zobra-1234"
    with zipfile.ZipFile(executable, "w") as archive:
        archive.writestr("__main__.py", "")
    monkeypatch.setattr(sys, "argv", [str(executable)])
    assert doctor.gui_command() == str(executable)


def test_the_path_for_a_gui_starts_the_engine(tmp_path):
    done = zobra("uci-path")
    assert done.returncode == 0
    command = shlex.split(done.stdout)
    assert os.path.isabs(command[0])
    talk = subprocess.run(command, check=False, input="uci\nquit\n", capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert "uciok" in talk.stdout.splitlines()


def test_without_a_script_the_path_is_pythons(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "nothing")])
    monkeypatch.setattr(doctor.sysconfig, "get_path", lambda _: str(tmp_path))
    assert doctor.gui_command() == f"{sys.executable} -m zobra.uci"
    script = tmp_path / f"zobra{doctor.sysconfig.get_config_var('EXE') or ''}"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    assert doctor.gui_command() == str(script)

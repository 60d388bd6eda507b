"""`zobra doctor` finds what is wrong and says what to do."""

import errno
import os

import pytest
import typer

from tests.support.commands import zobra
from tests.support.kernel_tree import copy_zobra, full_disk
from zobra.cli import doctor
from zobra.engine import kernels, perft
from zobra.engine.kernels.processor import Target


def states(table: str) -> dict[str, str]:
    """Return the state of each check, from the table that doctor prints."""
    rows = [line.split("│")[1:-1] for line in table.splitlines() if line.startswith("│")]
    return {row[0].strip(): row[1].strip() for row in rows if row[0].strip()}


def test_a_sound_installation_passes():
    done = zobra("doctor", environment={**os.environ, "COLUMNS": "300"})
    assert done.returncode == 0, done.stdout + done.stderr
    found = states(done.stdout)
    assert list(found) == list(doctor.CHECKS)
    assert set(found.values()) <= {"ok", "note"}
    assert "command for a GUI: " in done.stdout


def test_what_a_check_stumbles_over_is_a_finding(monkeypatch, capsys):
    def stumble():
        raise ImportError("Numba needs NumPy 2.3 or less")

    monkeypatch.setattr(doctor, "CHECKS", {"software": stumble, "rules": doctor.check_rules})
    with pytest.raises(typer.Exit) as ended:
        doctor.doctor()
    said = capsys.readouterr().out
    assert ended.value.exit_code == 1
    assert states(said) == {"software": "wrong", "rules": "ok"}
    assert "reinstall" in said


def test_a_path_is_never_cut(monkeypatch, capsys):
    path = "/[b]" * 30  # which is no markup
    finding = doctor.Finding(path, "note", f"remove {path}")
    monkeypatch.setattr(doctor, "CHECKS", {"store": lambda: finding})
    monkeypatch.setenv("COLUMNS", "80")
    doctor.doctor()
    rows = [line.split("│")[1:-1] for line in capsys.readouterr().out.splitlines() if "│" in line]
    _, _, found, advice = (
        "".join(cell.strip() for cell in column) for column in zip(*rows, strict=True)
    )
    assert found == path
    assert advice == f"remove{path}"


def test_wrong_counts_are_reported(monkeypatch):
    monkeypatch.setattr(perft, "count_leaves", lambda *_: 4_865_608)
    finding = doctor.check_rules()
    assert finding.state == "wrong"
    assert "4865608" in finding.found
    assert finding.advice


def test_a_slow_bench_is_reported(monkeypatch):
    lines = ["1/1 5 nodes: fen", "5 nodes 1000 nps"]
    monkeypatch.setattr("zobra.search.bench.run", lambda *_: iter(lines))
    finding = doctor.check_speed()
    assert finding.state == "wrong"
    assert "1,000 nodes per second" in finding.found
    assert finding.advice
    assert "load " in finding.found


def test_notices_about_kernels_are_noted(monkeypatch):
    assert doctor.check_kernels().state == "ok"
    monkeypatch.setattr(kernels, "notices", ["damaged files removed from the kernel store"])
    finding = doctor.check_kernels()
    assert finding.state == "note"
    assert "damaged files" in finding.found


@pytest.mark.parametrize(
    ("name", "features", "used", "lacking"),
    [
        ("unknown", "+popcnt,-bmi2,+avx512vbmi2", "popcnt, avx512vbmi2", "bmi2"),
        # Its PEXT is slow
        ("znver2", "+popcnt,+bmi2,+avx512vbmi2", "popcnt, avx512vbmi2", "bmi2"),
        ("znver4", "+popcnt,+bmi2,+avx512vbmi2", "popcnt, bmi2, avx512vbmi2", None),
    ],
)
def test_the_instructions_that_kernels_use_are_named(monkeypatch, name, features, used, lacking):
    selected = kernels.selected._replace(target=Target("native", name, features))
    monkeypatch.setattr(kernels, "selected", selected)
    finding = doctor.check_processor()
    assert finding.state == "ok"
    assert f"uses {used}" in finding.found
    if lacking is None:
        assert "lacks" not in finding.found
    else:
        assert f"; lacks {lacking} for" in finding.found


@pytest.mark.parametrize(
    ("error", "missing", "state"),
    [("EACCES", 0, "note"), ("EACCES", 1, "wrong"), ("ENOSPC", 0, "wrong")],
)
def test_a_store_that_cannot_be_written_is_wrong_when_it_is_needed_or_full(
    monkeypatch, error, missing, state
):
    def refuse():
        raise OSError(getattr(errno, error), "refused")

    monkeypatch.setattr(kernels.store, "check_writable", refuse)
    monkeypatch.setattr(kernels, "missing", lambda: [doctor] * missing)
    finding = doctor.check_store()
    assert finding.state == state and "refused" in finding.found and finding.advice


def test_warmup_compiles_nothing_that_cannot_be_kept(tmp_path):
    environment = copy_zobra(tmp_path)
    with full_disk():
        done = zobra("warmup", environment=environment)
    assert done.returncode == 1
    assert "nothing compiled" in done.stdout

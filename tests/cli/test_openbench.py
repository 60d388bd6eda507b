"""The build that OpenBench makes: one executable that needs neither the build folder nor a second
Python.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PACKAGES = ("engine", "tt", "search", "uci", "cli", "arena", "train", "api")
ENGINE = """
import sys
from pathlib import Path
from zobra.engine.value import VALUE
TUNABLE = "--tunable"
def main():
    print("arguments", sys.argv[1:], "from", __file__)
    print((Path(__file__).parents[1] / "engine" / "data" / "zobra.network").read_text())
    print(f"{VALUE} nodes 456 nps")
"""

pytestmark = pytest.mark.skipif(
    shutil.which("make") is None or os.name == "nt", reason="needs make on Linux or macOS"
)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache directory of its own, and no other Zobra on Python's path."""
    monkeypatch.setenv("ZOBRA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("PYTHONPATH", "")
    return tmp_path / "cache" / "builds"


@pytest.fixture
def source(tmp_path):
    """A small tree that the Makefile builds as if it were Zobra."""
    tree = tmp_path / "source"
    for package in PACKAGES:
        (tree / package).mkdir(parents=True)
        (tree / package / "__init__.py").touch()  # they go before those of this environment
    shutil.copy(ROOT / "Makefile", tree)
    shutil.copy(ROOT / "cli" / "launcher.py", tree / "cli")
    (tree / "cli" / "main.py").write_text(ENGINE)
    (tree / "engine" / "value.py").write_text("VALUE = 123\n")
    (tree / "engine" / "kernels").mkdir()
    (tree / "engine" / "kernels" / "build.py").touch()
    (tree / "engine" / "data").mkdir()
    (tree / "engine" / "data" / "zobra.network").write_text("own network")
    return tree


def run(*command, folder=None):
    return subprocess.run(
        command, check=False, cwd=folder, capture_output=True, text=True, timeout=300
    )


def make(source, name="Engine-ABCDEF12", *words):
    return run("make", "-j", f"EXE={name}", f"PYTHON={sys.executable}", *words, folder=source)


def build(source, name="Engine-ABCDEF12", *words):
    made = make(source, name, *words)
    assert made.returncode == 0, made.stdout + made.stderr
    return source / name


def test_the_executable_outlives_its_build_folder(source, tmp_path, cache):
    moved = shutil.move(build(source), tmp_path / "Engine-ABCDEF12")
    shutil.rmtree(source)
    for _ in range(2):
        bench = run(f"./{Path(moved).name}", "bench", folder=tmp_path)
        assert bench.returncode == 0, bench.stderr
        assert "arguments ['bench']" in bench.stdout
        assert str(cache) in bench.stdout
        assert bench.stdout.splitlines()[-1] == "123 nodes 456 nps"


def test_two_builds_keep_apart_and_carry_the_network_that_openbench_names(source, tmp_path):
    old = build(source, "old")
    (source / "engine" / "value.py").write_text("VALUE = 124\n")
    (tmp_path / "ABCDEF12").write_text("named network")
    new = build(source, "new", f"EVALFILE={tmp_path / 'ABCDEF12'}")
    outputs = [run(path, "bench").stdout.splitlines()[-2:] for path in (old, new)]
    assert outputs == [["own network", "123 nodes 456 nps"], ["named network", "124 nodes 456 nps"]]


def test_without_arguments_the_parameters_are_announced(source):
    """A match runner gives no arguments, and sets only options that were announced."""
    assert "arguments ['--tunable']" in run(build(source)).stdout


def test_the_configuration_names_files_that_exist():
    folder = ROOT / "docs" / "openbench"
    book = json.loads((folder / "openings.epd.json").read_text())
    examples = (ROOT / "examples" / "openings.epd").read_bytes()
    assert book["sha"] == hashlib.sha256(examples).hexdigest()
    presets = json.loads((folder / "Zobra.json").read_text())["test_presets"]
    assert presets["default"]["book_name"] == "openings.epd"
    workloads = json.loads((folder / "workloads.json").read_text())
    assert workloads["test"]["book_name"] == "openings.epd"


def test_simultaneous_first_starts_agree(source, cache):
    executable = build(source)
    shutil.rmtree(cache)
    started = [subprocess.Popen([executable, "bench"], stdout=subprocess.PIPE) for _ in range(6)]
    outputs = {process.communicate(timeout=60)[0] for process in started}
    assert len(outputs) == 1
    assert outputs.pop().endswith(b"123 nodes 456 nps\n")
    assert len(list(cache.iterdir())) == 1


def test_a_cache_that_cannot_be_written_is_named(source, cache):
    executable = build(source)
    shutil.rmtree(cache)
    cache.write_text("no folder")
    failed = run(executable, "bench")
    assert failed.returncode == 1
    assert "the sources cannot be unpacked" in failed.stderr
    assert "Traceback" not in failed.stderr


def test_sources_that_others_could_have_written_are_refused(source, cache):
    executable = build(source)
    (unpacked,) = cache.iterdir()
    for mode in (0o775, 0o757):
        unpacked.chmod(mode)
        failed = run(executable, "bench")
        assert failed.returncode == 1
        assert f"other users can write to {unpacked}" in failed.stderr


def test_a_missing_package_is_named(source):
    for name in ("value.py", "kernels/build.py"):
        (source / "engine" / name).write_text("import no_such_package_anywhere\nVALUE = 1\n")
    failed = make(source)
    assert failed.returncode != 0
    assert "Traceback" not in failed.stderr
    assert "lacks the package no_such_package_anywhere" in failed.stderr


def test_an_unknown_level_ends_the_build(source):
    (source / "engine" / "kernels" / "build.py").write_text(
        "import sys\nprint('ZOBRA_KERNELS: no level', file=sys.stderr)\nsys.exit(2)\n"
    )
    failed = make(source)
    assert failed.returncode != 0
    assert "ZOBRA_KERNELS: no level" in failed.stderr
    assert not (source / "Engine-ABCDEF12").exists()


@pytest.mark.slow
def test_the_real_bench_is_what_openbench_reads(tmp_path):
    executable = tmp_path / "Zobra-12345678"
    made = make(ROOT, executable)
    assert made.returncode == 0, made.stdout + made.stderr
    assert "nothing to compile" in made.stdout
    assert "the package" in made.stdout
    signatures = set()
    for _ in range(2):
        bench = run(executable, "bench")
        assert bench.returncode == 0, bench.stderr
        last = bench.stdout.strip().splitlines()[-1]
        signatures.add(re.fullmatch(r"(\d+) nodes (\d+) nps", last)[1])
    assert len(signatures) == 1

"""The build that OpenBench makes: one executable that needs neither the build folder nor a second Python."""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("engine", "tt", "search", "uci", "arena", "train", "api")
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

pytestmark = pytest.mark.skipif(shutil.which("make") is None or os.name == "nt", reason="needs make on Linux or macOS")


@pytest.fixture
def source(tmp_path):
    """A small tree that the Makefile takes for Zobra's."""
    tree = tmp_path / "source"
    for package in PACKAGES:
        (tree / package).mkdir(parents=True)
    shutil.copy(ROOT / "Makefile", tree)
    shutil.copy(ROOT / "uci" / "launcher.py", tree / "uci")
    (tree / "uci" / "main.py").write_text(ENGINE)
    (tree / "engine" / "value.py").write_text("VALUE = 123\n")
    for folder, name, text in (("kernels", "build.py", ""), ("data", "zobra.network", "own network")):
        (tree / "engine" / folder).mkdir()
        (tree / "engine" / folder / name).write_text(text)
    return tree


def surroundings(cache):
    """Another place for the cache, and no other Zobra on Python's path."""
    return {**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": ""}


def run(command, folder, cache):
    environment = surroundings(cache)
    return subprocess.run(command, check=False, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def build(source, cache, name="Engine-ABCDEF12", *words):
    made = run(["make", "-j", f"EXE={name}", f"PYTHON={sys.executable}", *words], source, cache)
    assert made.returncode == 0, made.stdout + made.stderr
    return source / name


def test_the_executable_outlives_its_build_folder(source, tmp_path):
    cache = tmp_path / "cache"
    moved = shutil.move(build(source, cache), tmp_path / "Engine-ABCDEF12")
    shutil.rmtree(source)
    for _ in range(2):
        bench = run([f"./{Path(moved).name}", "bench"], tmp_path, cache)
        assert bench.returncode == 0, bench.stderr
        assert "arguments ['bench']" in bench.stdout
        assert str(cache) in bench.stdout
        assert re.search(r"(\d+) nodes (\d+) nps", bench.stdout.splitlines()[-1]).groups() == ("123", "456")


def test_two_builds_keep_apart(source, tmp_path):
    old = build(source, tmp_path / "cache", "old")
    (source / "engine" / "value.py").write_text("VALUE = 124\n")
    new = build(source, tmp_path / "cache", "new")
    assert [run([path, "bench"], tmp_path, tmp_path / "cache").stdout.split()[-4] for path in (old, new)] == ["123", "124"]


def test_a_network_that_openbench_names_is_built_in(source, tmp_path):
    (tmp_path / "ABCDEF12").write_text("named network")
    named = build(source, tmp_path / "cache", "named", f"EVALFILE={tmp_path / 'ABCDEF12'}")
    own = build(source, tmp_path / "cache", "own")
    for path, network in ((named, "named network"), (own, "own network")):
        assert network in run([path, "bench"], tmp_path, tmp_path / "cache").stdout.splitlines()


def test_without_arguments_the_parameters_are_announced(source, tmp_path):
    """The match runner gives no arguments, and sets only options that were announced."""
    executable = build(source, tmp_path / "cache")
    assert "arguments ['--tunable']" in run([executable], tmp_path, tmp_path / "cache").stdout


def test_the_configuration_names_files_that_exist():
    book, zobra, workloads = (
        json.loads((ROOT / "docs" / "openbench" / name).read_text())
        for name in ("openings.epd.json", "Zobra.json", "workloads.json")
    )
    assert book["sha"] == hashlib.sha256((ROOT / "examples" / "openings.epd").read_bytes()).hexdigest()
    assert zobra["test_presets"]["default"]["book_name"] == workloads["test"]["book_name"] == "openings.epd"


def test_simultaneous_first_starts_agree(source, tmp_path):
    executable = build(source, tmp_path / "first cache")
    environment = surroundings(tmp_path / "second cache")
    started = [subprocess.Popen([executable, "bench"], env=environment, stdout=subprocess.PIPE) for _ in range(6)]
    outputs = {process.communicate(timeout=60)[0] for process in started}
    assert len(outputs) == 1
    assert outputs.pop().endswith(b"123 nodes 456 nps\n")
    assert len(list((tmp_path / "second cache" / "zobra" / "builds").iterdir())) == 1


def test_a_cache_that_cannot_be_written_is_named(source, tmp_path):
    executable = build(source, tmp_path / "cache")
    (tmp_path / "file").write_text("no folder")
    failed = run([executable, "bench"], tmp_path, tmp_path / "file")
    assert failed.returncode == 1
    assert "the sources cannot be unpacked" in failed.stderr and "Traceback" not in failed.stderr


def test_sources_that_others_could_have_written_are_refused(source, tmp_path):
    executable = build(source, tmp_path / "cache")
    (unpacked,) = (tmp_path / "cache" / "zobra" / "builds").iterdir()
    unpacked.chmod(0o777)
    failed = run([executable, "bench"], tmp_path, tmp_path / "cache")
    assert failed.returncode == 1 and f"other users can write to {unpacked}" in failed.stderr


def test_a_missing_package_is_named(source, tmp_path):
    executable = build(source, tmp_path / "cache")
    shutil.rmtree(source / "engine")
    (source / "engine" / "kernels").mkdir(parents=True)
    (source / "engine" / "kernels" / "build.py").write_text("import no_such_package_anywhere\n")
    (source / "engine" / "value.py").write_text("import no_such_package_anywhere\nVALUE = 1\n")
    failed = run(["make", f"EXE={executable.name}", f"PYTHON={sys.executable}"], source, tmp_path / "cache")
    assert failed.returncode != 0
    assert "lacks the package no_such_package_anywhere" in failed.stderr
    assert "Traceback" not in failed.stderr


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("zobra.uci.main") is None, reason="no command line of the engine here")
def test_the_real_bench_is_what_openbench_reads(tmp_path):
    executable = tmp_path / "Zobra-12345678"
    made = run(["make", f"EXE={executable}", f"PYTHON={sys.executable}"], ROOT, tmp_path / "cache")
    assert made.returncode == 0, made.stdout + made.stderr
    assert "nothing to compile" in made.stdout and "the package" in made.stdout
    counts = set()
    for _ in range(2):
        bench = run([executable, "bench"], tmp_path, tmp_path / "cache")
        assert bench.returncode == 0, bench.stderr
        counts.add(re.search(r"(\d+) nodes (\d+) nps", bench.stdout.strip().splitlines()[-1])[1])
    assert len(counts) == 1

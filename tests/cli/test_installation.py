"""The wheel as a user gets it: it is for this platform, carries kernels for every level, plays
without compiling, and tells mypy its types.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from zobra.engine.kernels.processor import LEVELS, NATIVE, levels_of, target_of

SOURCES = (
    "engine",
    "tt",
    "search",
    "uci",
    "cli",
    "arena",
    "train",
    "api",
    "__main__.py",
    "setup.py",
    "pyproject.toml",
    "README.md",
    "LICENSE",
)
PIP = [sys.executable, "-m", "pip", "--quiet"]
TYPED = ("api", "engine", "search", "tt")


def run(site, home, *arguments, typed="", **variables):
    """Return what the installed engine prints; `home` is all that it may write to."""
    environment = {}
    for name, value in os.environ.items():
        if not name.startswith(("ZOBRA_", "XDG_")):
            environment[name] = value
    environment |= {"HOME": str(home), "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= variables
    command = [sys.executable, *arguments]
    return subprocess.check_output(
        command, cwd=home, env=environment, input=typed, text=True, timeout=300
    )


def copy_sources(tree: Path) -> None:
    tree.mkdir()
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tree / name)


def build(kind: str, tree: Path, **variables: str) -> Path:
    """Build an archive: kind is sdist or wheel. Without kernels it takes seconds."""
    code = f"from setuptools import build_meta; print(build_meta.build_{kind}('dist'))"
    environment = {**os.environ, "ZOBRA_KERNELS": "", **variables}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tree,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return tree / "dist" / done.stdout.splitlines()[-1]


def test_both_archives_have_the_markers_of_types(tmp_path):
    """PEP 561: a package without one has no types for its users."""
    pytest.importorskip("setuptools", minversion="77")
    tree = tmp_path / "tree"
    copy_sources(tree)
    markers = {f"{package}/py.typed" for package in TYPED}

    with tarfile.open(build("sdist", tree)) as archive:
        files = {name.partition("/")[2] for name in archive.getnames()}
    assert {name for name in files if name.endswith("py.typed")} == markers

    with zipfile.ZipFile(build("wheel", tree)) as wheel:
        files = {name.removeprefix("zobra/") for name in wheel.namelist()}
    assert {name for name in files if name.endswith("py.typed")} == markers


def test_mypy_finds_the_types_of_an_installed_zobra(tmp_path):
    """Strictly, for a program that uses all that docs/python.md shows."""
    pytest.importorskip("mypy")
    pytest.importorskip("setuptools", minversion="77")
    tree = tmp_path / "tree"
    copy_sources(tree)
    venv.create(tmp_path / "venv", symlinks=os.name != "nt")
    variables = {"base": str(tmp_path / "venv"), "platbase": str(tmp_path / "venv")}
    site = Path(sysconfig.get_path("purelib", vars=variables))
    with zipfile.ZipFile(build("wheel", tree)) as wheel:
        wheel.extractall(site)
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib"))

    python = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    program = shutil.copy(ROOT / "tests" / "api" / "typed_program.py", tmp_path)
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", python, program]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def wheel(tmp_path):
    """A wheel with the kernels of all levels, built from a copy of the sources."""
    pytest.importorskip("setuptools", minversion="77")
    tree = tmp_path / "tree"
    copy_sources(tree)
    environment = {**os.environ, "ZOBRA_KERNELS": " ".join((NATIVE, *LEVELS))}
    command = [*PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", "dist", "."]
    subprocess.run(command, check=True, cwd=tree, env=environment)
    (built,) = (tree / "dist").glob("zobra-*-py3-none-*.whl")
    return built


@pytest.mark.slow
def test_a_wheel_with_all_levels_plays_at_once_and_alike_on_each(tmp_path, wheel):
    assert not wheel.stem.endswith("-any")
    assert wheel.stat().st_size < 2_500_000
    site = tmp_path / "site"
    home = tmp_path / "home"
    home.mkdir()
    subprocess.run([*PIP, "install", "--no-deps", "--target", str(site), str(wheel)], check=True)
    assert not list((site / "zobra").glob("*.md"))
    assert not (site / "zobra" / "setup.py").exists()

    said = run(site, home, "-m", "zobra.uci", typed="uci\nisready\ngo depth 6\nquit\n")
    assert "readyok" in said
    assert "bestmove" in said
    assert "info string" not in said  # nothing was compiled
    assert run(site, home, "-m", "zobra", "--version").startswith("Zobra ")

    show = "from zobra.engine import kernels; print(kernels.selected.describe())"
    show += "; print(kernels.selected.target.level)"
    signatures = set()
    for level in (NATIVE, *levels_of(target_of(NATIVE))):
        description, found = run(site, home, "-c", show, ZOBRA_LEVEL=level).splitlines()
        assert description.startswith("the package")
        assert found == level
        bench = run(site, home, "-m", "zobra.cli", "bench", ZOBRA_LEVEL=level)
        signatures.add(bench.splitlines()[-1].split()[0])
    assert len(signatures) == 1
    assert not list(home.iterdir())


@pytest.mark.slow
def test_a_wheel_can_be_built_again_byte_for_byte(tmp_path):
    """In another folder, from the source archive, with the time that SOURCE_DATE_EPOCH states."""
    pytest.importorskip("setuptools", minversion="77")
    variables = {"ZOBRA_KERNELS": NATIVE, "SOURCE_DATE_EPOCH": "1800000000"}
    tree = tmp_path / "tree"
    copy_sources(tree)
    first = build("wheel", tree, **variables)

    again = tmp_path / "again"
    with tarfile.open(build("sdist", tree)) as archive:
        archive.extractall(again)
    (unpacked,) = again.iterdir()
    second = build("wheel", unpacked, **variables)
    assert second.name == first.name
    assert second.read_bytes() == first.read_bytes()

"""The wheel as a user gets it: it is for this platform, carries kernels for every level, and plays
without compiling.
"""

import os
import shutil
import subprocess
import sys

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


@pytest.fixture
def wheel(tmp_path):
    """A wheel with the kernels of all levels, built from a copy of the sources."""
    pytest.importorskip("setuptools", minversion="77")
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tree / name)
    environment = {**os.environ, "ZOBRA_KERNELS": " ".join((NATIVE, *LEVELS))}
    build = [*PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", "dist", "."]
    subprocess.run(build, check=True, cwd=tree, env=environment)
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

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
    """What the installed engine prints; `home` is all that it may write to."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("ZOBRA_", "XDG_"))
    }
    environment = {
        **kept,
        "HOME": str(home),
        "PYTHONPATH": str(site),
        "PYTHONDONTWRITEBYTECODE": "1",
        **variables,
    }
    return subprocess.check_output(
        [sys.executable, *arguments], cwd=home, env=environment, input=typed, text=True, timeout=300
    )


@pytest.mark.slow
def test_a_wheel_with_all_levels_plays_at_once_and_alike_on_each(tmp_path):
    pytest.importorskip("setuptools", minversion="77")
    tree, site, home = (tmp_path / name for name in ("tree", "site", "home"))
    tree.mkdir(), home.mkdir()
    for name in SOURCES:
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, tree / name)
    environment = {**os.environ, "ZOBRA_KERNELS": " ".join((NATIVE, *LEVELS))}
    build = [*PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", "dist", "."]
    subprocess.run(build, check=True, cwd=tree, env=environment)
    (wheel,) = (tree / "dist").glob("zobra-*-py3-none-*.whl")
    assert not wheel.stem.endswith("-any")
    assert wheel.stat().st_size < 2_500_000
    subprocess.run([*PIP, "install", "--no-deps", "--target", str(site), str(wheel)], check=True)

    said = run(site, home, "-m", "zobra.uci", typed="uci\nisready\ngo depth 6\nquit\n")
    assert "readyok" in said
    assert "bestmove" in said
    assert "info string" not in said
    assert run(site, home, "-m", "zobra", "--version").startswith("Zobra ")
    assert not list((site / "zobra").glob("*.md"))
    assert not (site / "zobra" / "setup.py").exists()
    benches = set()
    for level in (NATIVE, *levels_of(target_of(NATIVE))):
        code = (
            "from zobra.engine import kernels; print(kernels.selected.describe(), "
            "kernels.selected.target.level)"
        )
        description = run(site, home, "-c", code, ZOBRA_LEVEL=level)
        assert description.startswith("the package")
        assert description.split()[-1] == level
        benches.add(
            run(site, home, "-m", "zobra.cli", "bench", ZOBRA_LEVEL=level)
            .splitlines()[-1]
            .split()[0]
        )
    assert len(benches) == 1
    assert not list(home.iterdir())

"""What people do with Zobra works where the system lacks what only POSIX systems have."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.arena_runs import ENGINE

HIDING = Path(__file__).parents[1] / "support" / "no_posix"


def zobra(*arguments, typed=""):
    """Run the command line with the modules hidden; return what it printed."""
    environment = dict(os.environ)
    paths = [str(HIDING), *filter(None, [environment.get("PYTHONPATH")])]
    environment["PYTHONPATH"] = os.pathsep.join(paths)
    done = subprocess.run(
        [sys.executable, "-m", "zobra.cli", *map(str, arguments)],
        check=False,
        capture_output=True,
        encoding="utf-8",
        env=environment,
        input=typed,
        timeout=300,
    )
    assert done.returncode in (0, 3, 4), done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


def test_the_modules_are_hidden():
    program = """
import os, signal
from multiprocessing import resource_tracker
assert not hasattr(os, "killpg") and not hasattr(signal, "pthread_sigmask")
assert not os.path.exists("/proc")
try:
    import fcntl
except ImportError:
    pass
else:
    raise AssertionError("fcntl is there")
try:
    resource_tracker.ensure_running()
except ModuleNotFoundError:
    print("hidden")
"""
    environment = dict(os.environ, PYTHONPATH=str(HIDING))
    printed = subprocess.check_output([sys.executable, "-c", program], env=environment, text=True)
    assert printed == "hidden\n"


def test_a_conversation():
    printed = zobra(typed="uci\nsetoption name Threads value 2\ngo nodes 1000\nisready\nquit\n")
    assert "uciok" in printed and "readyok" in printed


@pytest.mark.parametrize("arguments", [("doctor",), ("bench",), ("d",), ("go", "depth", "5")])
def test_a_command(arguments):
    assert zobra(*arguments)


def test_a_match_and_its_page(tmp_path):
    folder = tmp_path / "games"
    printed = zobra(
        *("match", f"A={ENGINE}", f"B={ENGINE} --last", "--tc", "5+0.1", "-n", 4, "-c", 2),
        *("--folder", folder),
    )
    assert "4" in printed
    assert (folder / "games.pgn").read_text(encoding="utf-8").count("[Result ") == 4
    zobra("report", folder)


def test_a_tuning_run(tmp_path):
    zobra(
        *("tune", f"{ENGINE} --best 50", "-p", "Strength=30,0,100,10,0.12", "--tc", 30),
        *("-n", 4, "-c", 2, "--folder", tmp_path / "tuning"),
    )


def test_a_suite(tmp_path):
    suite = tmp_path / "one.epd"
    suite.write_text('6k1/5ppp/8/8/8/8/8/R6K w - - bm Ra8#; id "back rank";\n', encoding="utf-8")
    results = tmp_path / "suite.json"
    printed = zobra("suite", suite, "-e", ENGINE, "--movetime", 200, "--json", results)
    assert "of 1" in printed
    assert results.exists()

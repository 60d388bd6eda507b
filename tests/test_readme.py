"""The commands of README.md and CONTRIBUTING.md run as pasted, the long ones with small limits."""

import os
import re
import shutil
import sys
from pathlib import Path
from subprocess import run

import chess
import pytest

from tests.support.paths import ROOT

SMALLER = {
    "-n 10": "-n 2",
    "--tc nodes=5000": "--tc nodes=200",
    "--movetime 500": "--movetime 5",
    "--movetime 100": "--nodes 50",
    "depth 12": "depth 4",
}
INSTALLATION = ("python3 -m venv", ". .venv")  # the environment of the tests has it


def commands(document: str, installing: bool = False) -> list[str]:
    """Return the lines of the sh blocks of a document: those that install, or all others."""
    text = (ROOT / document).read_text(encoding="utf-8")
    found = []
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            if line and line.startswith(INSTALLATION) == installing:
                found.append(line)
    return found


def with_small_limits(command: str) -> str:
    for words, smaller in SMALLER.items():
        command = command.replace(words, smaller)
    return command


@pytest.mark.skipif(os.name == "nt", reason="the commands are written for a POSIX shell")
def test_the_commands_of_readme(tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    found = commands("README.md")
    assert len(found) >= 8
    assert any("--openings examples/" in command for command in found)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }
    for command in map(with_small_limits, found):
        done = run(
            command,
            check=False,
            shell=True,
            cwd=tmp_path,
            env=environment,
            timeout=300,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr, command
        assert done.stdout + done.stderr, command
    assert (tmp_path / "games" / "report.html").stat().st_size > 10_000


def test_the_commands_of_contributing_name_what_there_is():
    for command in commands("CONTRIBUTING.md"):
        program, *arguments = command.partition("#")[0].split()
        assert program == ".venv/bin/pytest" or (ROOT / program).is_file()
        for argument in arguments:
            assert not argument.startswith("tests/") or (ROOT / argument).exists(), command


def test_ci_runs_the_test_command_of_readme():
    (line,) = (line for line in commands("README.md", True) if "pytest" in line)
    assert line in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    "script", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda path: path.stem
)
def test_every_benchmark_starts(script):
    done = run(
        [sys.executable, script, "--help"], check=False, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0 and "Usage" in done.stdout, done.stderr


def examples(name: str) -> list[str]:
    lines = (ROOT / "examples" / name).read_text().splitlines()
    assert len(set(lines)) == len(lines)
    return lines


def test_the_openings_of_the_examples_are_legal():
    openings = examples("openings.epd")
    assert len(openings) >= 50
    for line in openings:
        assert chess.Board(f"{line} 0 1").is_valid()


def test_the_suite_of_the_examples_is_legal_and_has_answers():
    suite = examples("suite.epd")
    assert len(suite) >= 15
    for line in suite:
        board, answers = chess.Board.from_epd(line)
        assert board.is_valid()
        assert answers["bm"]
        assert answers["id"]

"""`zobra doctor`: check the installation."""

import asyncio
import errno
import platform
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import chess.engine
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from zobra.cli.engine_command import command_text, engine_command
from zobra.engine.version import full_version

LIBRARIES: tuple[str, ...] = (
    "numba",
    "llvmlite",
    "numpy",
    "chess",
    "filelock",
    "jinja2",
    "markupsafe",
    "platformdirs",
    "rich",
    "scipy",
    "typer",
    "zstandard",
)
if sys.version_info < (3, 11):
    LIBRARIES += ("tomli",)
FAST_INSTRUCTIONS = {
    "popcnt": "counting bits",
    "bmi2": "attack look-ups (PEXT)",
    "avx512vbmi2": "writing move lists",
}
PERFT_DEPTH = 5
PERFT_LEAVES = 4_865_609  # of the starting position
MIN_SPEED = 200_000  # nodes per second; processors of the last ten years are several times faster
PATIENCE = 3.0  # seconds; some GUIs wait no longer for readyok
TIMEOUT = 60.0  # seconds for the whole conversation
REINSTALL = (
    "in a fresh virtual environment, in the copy of the sources: python3 -m pip install "
    "--force-reinstall ."
)
MARKS = {"ok": "[green]ok[/]", "note": "[yellow]note[/]", "wrong": "[red]wrong[/]"}


class Finding(NamedTuple):
    """The result of a check. `state` is ok, note or wrong; `advice` says what to do."""

    found: str
    state: str = "ok"
    advice: str = ""


def check_software() -> Finding:
    """Import the libraries, to see whether their versions are compatible."""
    for name in LIBRARIES:
        import_module(name)
    system = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    versions = [f"{name} {version(name)}" for name in LIBRARIES]
    return Finding(", ".join([f"Zobra {full_version()}", system, *versions]))


def check_processor() -> Finding:
    """List the instruction sets that speed the engine up, and whether its kernels use them."""
    from zobra.engine.kernels import selected

    target = selected.target
    used = []
    lacking = []
    for feature, use in FAST_INSTRUCTIONS.items():
        if target.has(feature) and (feature != "bmi2" or target.extracts_bits()):
            used.append(feature)
        else:
            lacking.append(f"{feature} for {use}")
    without = f"; lacks {', '.join(lacking)}" if lacking else ""
    return Finding(f"{target.name}, uses {', '.join(used) or 'nothing special'}{without}")


def check_store() -> Finding:
    """Check the folder for kernels that this machine compiles."""
    from zobra.engine.kernels import missing, store

    import_module("zobra.search.player")  # and with it all kernels
    try:
        store.check_writable()
    except OSError as error:
        found = f"no kernels can be kept: {error}"
        if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
            return Finding(found, "wrong", "free some space on that disk")
        if not missing():
            return Finding(
                found,
                "note",
                "no action needed unless you need `zobra warmup`: all kernels are there",
            )
        return Finding(
            found,
            "wrong",
            "make the folder writable, or set ZOBRA_CACHE_DIR to one: every start compiles now",
        )
    folder = Path(str(store.folder))
    sizes = [path.stat().st_size for path in folder.iterdir()]
    return Finding(f"{folder}: {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB")


def check_kernels() -> Finding:
    """Compile missing kernels, and describe the kernels in use."""
    from zobra.engine import kernels

    begin = time.perf_counter()
    count = kernels.compile_missing()
    seconds = time.perf_counter() - begin
    found = kernels.selected.describe()
    if count:
        found += f"; {count} compiled now, in {seconds:.0f} s"
    if kernels.notices:
        return Finding(
            "; ".join((*kernels.notices, found)), "note", "no action needed unless it comes back"
        )
    return Finding(found)


def check_rules() -> Finding:
    """Check the compiled kernels by perft."""
    from zobra.engine.fen import START, parse_fen
    from zobra.engine.perft import count_leaves

    leaves = count_leaves(parse_fen(START), PERFT_DEPTH)
    if leaves == PERFT_LEAVES:
        return Finding(f"perft {PERFT_DEPTH} gives {leaves}")
    return Finding(
        f"perft {PERFT_DEPTH} gives {leaves}, not {PERFT_LEAVES}",
        "wrong",
        "set ZOBRA_LEVEL=portable, and report it",
    )


def check_speed() -> Finding:
    """Measure the speed by a bench, after a first bench as warm-up."""
    from zobra.arena.runner.processors import load_text
    from zobra.search.bench_conditions import Conditions
    from zobra.search.engine import Engine

    engine = Engine()
    lines: list[str] = []
    engine.bench(Conditions(), lambda line: None).wait()
    engine.bench(Conditions(), lines.append).wait()
    speed = int(lines[-1].split()[2])
    if speed < MIN_SPEED:
        advice = (
            "is the machine busy, saving power, or emulating another processor? is ZOBRA_LEVEL set?"
        )
        found = f"{speed:,} nodes per second, expected at least {MIN_SPEED:,} ({load_text()})"
        return Finding(found, "wrong", advice)
    return Finding(f"{speed:,} nodes per second ({load_text()})")


def check_conversation() -> Finding:
    """Start the engine as a GUI does, and wait for its answers."""
    command = engine_command()
    begin = time.perf_counter()
    try:
        with chess.engine.SimpleEngine.popen_uci(command, timeout=TIMEOUT) as engine:
            known = time.perf_counter() - begin
            engine.ping()
            ready = time.perf_counter() - begin
    except (chess.engine.EngineError, TimeoutError, asyncio.TimeoutError) as error:
        problem = str(error) or f"no answer within {TIMEOUT:.0f} s"
        return Finding(problem, "wrong", f"run {command_text()} and type uci, then isready")
    found = f"uciok after {known:.2f} s, readyok after {ready:.2f} s"
    if ready > PATIENCE:
        return Finding(
            found, "note", "slow: some GUIs give up; is the machine busy, or the disk slow?"
        )
    return Finding(found)


CHECKS: dict[str, Callable[[], Finding]] = {
    "software": check_software,
    "processor": check_processor,
    "store": check_store,
    "kernels": check_kernels,
    "rules": check_rules,
    "speed": check_speed,
    "conversation": check_conversation,
}


def doctor() -> None:
    """Check the installation.

    The exit status is 1 if anything is wrong.
    """
    console = Console(highlight=False)
    table = Table()
    for heading in ("check", "", "found", "what to do"):
        table.add_column(heading, overflow="fold")  # a path is never cut
    states = []
    for name, check in CHECKS.items():
        with console.status(name):
            try:
                found, state, advice = check()
            except Exception as error:
                found = f"{type(error).__name__}: {error}"
                state = "wrong"
                advice = REINSTALL
        states.append(state)
        table.add_row(name, MARKS[state], escape(found), escape(advice))
    console.print(table)
    console.print(f"command for a GUI: {command_text()}", markup=False, soft_wrap=True)
    if "wrong" in states:
        raise typer.Exit(1)

"""`zobra doctor` checks the installation. `zobra uci-path` prints the command for a GUI."""

from __future__ import annotations

import asyncio
import errno
import platform
import shutil
import sys
import sysconfig
import time
import zipfile
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import chess.engine
import typer
from rich.console import Console
from rich.table import Table

LIBRARIES = ("numba", "llvmlite", "numpy", "chess", "filelock", "platformdirs", "rich", "scipy", "typer")
FAST_INSTRUCTIONS = {"popcnt": "counting bits", "bmi2": "attack look-ups (PEXT)", "avx512vbmi2": "writing move lists"}
PERFT_DEPTH, PERFT_LEAVES = 5, 4_865_609  # of the starting position
BENCH_DEPTH = 8
SLOWEST = 200_000  # nodes a second in the bench: a processor of the last ten years does several times as many
ANSWER_SECONDS = 3.0  # within which a GUI wants an answer
TIMEOUT = 60.0  # seconds for the whole conversation
DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
MARKS = {"ok": "[green]ok[/]", "note": "[yellow]note[/]", "wrong": "[red]wrong[/]"}


class Finding(NamedTuple):
    """What a check found: `state` is ok, note or wrong, `advice` says what to do."""

    state: str
    found: str
    advice: str = ""


def check_software() -> Finding:
    """Python and the libraries; importing them shows whether their versions fit together."""
    for name in LIBRARIES:
        import_module(name)
    system = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    return Finding("ok", ", ".join((system, *(f"{name} {version(name)}" for name in LIBRARIES))))


def check_processor() -> Finding:
    """The instructions that make a difference, as far as the kernels in use have them."""
    from zobra.engine.kernels import selected

    target = selected.target
    used = [feature for feature in FAST_INSTRUCTIONS if target.has(feature) and (feature != "bmi2" or target.extracts_bits())]
    lacking = [f"{feature} for {use}" for feature, use in FAST_INSTRUCTIONS.items() if feature not in used]
    found = f"{target.name}, uses {', '.join(used) or 'nothing special'}"
    return Finding("ok", found + (f"; goes without {', '.join(lacking)}" if lacking else ""))


def check_store() -> Finding:
    """The folder for kernels that are compiled on this machine."""
    from zobra.engine.kernels import missing, store

    import_module("zobra.uci.session")  # and with it all kernels
    try:
        store.check_writable()
    except (OSError, RuntimeError) as error:
        found = f"no kernels can be kept: {error}"
        if isinstance(error, OSError) and error.errno in DISK_FULL:
            return Finding("wrong", found, "free some space on that disk")
        if not missing():
            return Finding("note", found, "nothing, unless you need `zobra warmup`: all kernels are there")
        return Finding("wrong", found, "make the folder writable, or set ZOBRA_CACHE_DIR to one: every start compiles now")
    base = Path(str(store.folder)).parent
    sizes = [path.stat().st_size for path in base.rglob("*") if path.is_file()]
    return Finding("ok", f"{base}: {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB")


def check_kernels() -> Finding:
    """Which compiled kernels are in use. Those that are missing are compiled."""
    from zobra.engine import kernels

    begin = time.perf_counter()
    count = kernels.compile_missing()
    done = f"; {count} compiled now, in {time.perf_counter() - begin:.0f} s" if count else ""
    found = kernels.selected.describe() + done
    if kernels.notices:
        return Finding("note", "; ".join((*kernels.notices, found)), "nothing, if it does not come back")
    return Finding("ok", found)


def check_rules() -> Finding:
    """Whether the compiled kernels count right."""
    from zobra.engine.fen import START, parse_fen
    from zobra.engine.perft import count_leaves

    leaves = count_leaves(parse_fen(START), PERFT_DEPTH)
    found = f"perft {PERFT_DEPTH} gives {leaves}"
    if leaves != PERFT_LEAVES:
        return Finding("wrong", f"{found}, not {PERFT_LEAVES}", "set ZOBRA_PORTABLE=1, and report it")
    return Finding("ok", found)


def check_speed() -> Finding:
    """A short bench."""
    from zobra.search.searcher import Searcher
    from zobra.uci.bench import MEGABYTES, run

    *_, last = run(Searcher(MEGABYTES), BENCH_DEPTH)
    speed = int(last.split()[2])
    if speed < SLOWEST:
        advice = "is the machine busy, saving power, or emulating another processor? is ZOBRA_PORTABLE set?"
        return Finding("wrong", f"{speed:,} nodes a second, expected at least {SLOWEST:,}", advice)
    return Finding("ok", f"{speed:,} nodes a second in a short bench")


def check_conversation() -> Finding:
    """Start the engine as a GUI does."""
    archive = built_archive()
    command = [str(archive)] if archive else [sys.executable, "-m", "zobra.uci"]
    begin = time.perf_counter()
    try:
        with chess.engine.SimpleEngine.popen_uci(command, timeout=TIMEOUT) as engine:
            known = time.perf_counter() - begin
            engine.ping()
            ready = time.perf_counter() - begin
    except (chess.engine.EngineError, TimeoutError, asyncio.TimeoutError) as error:
        problem = str(error) or f"no answer within {TIMEOUT:.0f} s"
        return Finding("wrong", problem, f"run {' '.join(command)} and type uci, then isready")
    found = f"uciok after {known:.2f} s, readyok after {ready:.2f} s"
    if ready > ANSWER_SECONDS:
        return Finding("note", found, "slow: some GUIs give up; is the machine busy, or the disk slow?")
    return Finding("ok", found)


CHECKS: dict[str, Callable[[], Finding]] = {
    "software": check_software,
    "processor": check_processor,
    "store": check_store,
    "kernels": check_kernels,
    "rules": check_rules,
    "speed": check_speed,
    "conversation": check_conversation,
}


def examine(check: Callable[[], Finding]) -> Finding:
    """What a check finds. An exception is a finding too."""
    try:
        return check()
    except Exception as error:
        advice = "in a fresh virtual environment, and in the copy of the repository: python3 -m pip install --force-reinstall ."
        return Finding("wrong", f"{type(error).__name__}: {error}", advice)


def doctor() -> None:
    """Check the installation. The exit status is 1 if anything is wrong."""
    console = Console(highlight=False)
    table = Table("check", "", "found", "what to do")
    states = []
    for name, check in CHECKS.items():
        with console.status(name):
            finding = examine(check)
        states.append(finding.state)
        table.add_row(name, MARKS[finding.state], finding.found, finding.advice)
    console.print(table)
    console.print(f"command for a GUI: {gui_command()}", soft_wrap=True)
    raise typer.Exit(int("wrong" in states))


def built_archive() -> Path | None:
    """The executable that `make` built, which is an archive that Python runs, if it is what was called."""
    called = Path(sys.argv[0]).absolute()
    return called if zipfile.is_zipfile(called) else None


def gui_command() -> str:
    """The absolute command that starts the engine: what was called, the console script, or this Python with the package."""
    if archive := built_archive():
        return str(archive)
    called = Path(sys.argv[0]).absolute()  # a name alone would be looked for in PATH, where another one may lie
    candidates = [called, Path(sysconfig.get_path("scripts")) / f"zobra{sysconfig.get_config_var('EXE') or ''}"]
    for path in candidates:
        if path.stem == "zobra" and (found := shutil.which(path)):
            return str(Path(found).absolute())
    return f"{sys.executable} -m zobra.uci"


def uci_path() -> None:
    """Print the command of the engine for a GUI, with its full path."""
    typer.echo(gui_command())

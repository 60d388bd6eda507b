"""The command that starts this engine; `zobra uci-path` prints it."""

import shutil
import sys
import sysconfig
import zipfile
from pathlib import Path

import typer


def engine_command() -> list[str]:
    """Return the command that starts this engine, with an absolute path.

    It is the program that was called, the console script of this Python, or this Python with `-m
    zobra.uci`, whichever is found first.
    """
    # A bare name could be another Zobra in PATH
    called = Path(sys.argv[0]).absolute()
    if zipfile.is_zipfile(called):  # the executable that `make` built
        return [str(called)]
    suffix = sysconfig.get_config_var("EXE") or ""
    script = Path(sysconfig.get_path("scripts")) / f"zobra{suffix}"
    for path in (called, script):
        if path.stem != "zobra":
            continue
        found = shutil.which(path)
        if found is not None:
            return [str(Path(found).absolute())]
    return [sys.executable, "-m", "zobra.uci"]


def command_text() -> str:
    """Return that command as text; of several words, those with spaces are in quotes."""
    words = engine_command()
    if len(words) == 1:
        return words[0]
    return " ".join(f'"{word}"' if " " in word else word for word in words)


def uci_path() -> None:
    """Print the command of the engine for a GUI.

    It has an absolute path, so it works in any folder.
    """
    typer.echo(command_text())

"""Where the engine that the measurements compare with is found."""

from __future__ import annotations

import os
import shutil

import typer

DEBIAN_GAMES = "/usr/games"  # where Debian puts engines; it is not always on a user's PATH


def find_engine(wanted: str) -> str:
    """The path of an engine by name or path; leaves with a message if there is none."""
    places = os.pathsep.join((os.environ.get("PATH", os.defpath), DEBIAN_GAMES))
    found = shutil.which(wanted, path=places)
    if found is None:
        raise typer.BadParameter(f"no engine {wanted!r} on PATH or in {DEBIAN_GAMES}: name one with --engine")
    return found

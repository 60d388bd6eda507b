"""What made a set of games or a network: the version of Zobra, and its commit."""

import os
import subprocess
from pathlib import Path

from zobra.engine.version import full_version

ROOT = Path(__file__).resolve().parents[1]


def provenance() -> dict[str, str]:
    """Return the version with its checksum, and the commit if there is one."""
    found = {"version": full_version()}
    commit = current_commit()
    if commit:
        found["commit"] = commit
    return found


def current_commit() -> str:
    """Return the commit of the checkout that this package runs from.

    It ends with "-dirty" if files were modified. Return "" without git, or outside a checkout.
    """
    if not (ROOT / ".git").exists():  # a folder above may be a checkout of something else
        return ""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=12"]
    # Not GIT_DIR, for example, which may name another repository
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            command,
            check=False,
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
    except OSError:
        return ""
    return done.stdout.strip()

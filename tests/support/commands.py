"""Commands of `zobra` as processes."""

import subprocess
import sys


def zobra(*arguments: str, environment=None, typed="") -> subprocess.CompletedProcess:
    """Run a command of `zobra` to its end; `typed` is its standard input."""
    command = [sys.executable, "-m", "zobra.cli", *arguments]
    return subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
        env=environment,
        input=typed,
    )

"""The command `bench` of an engine, which shows how many nodes it searches."""

import re
import subprocess

from zobra.arena.model.engines import EngineSpec

# the last line of a bench, as OpenBench wants it, or as Stockfish prints it
_BENCH = re.compile(r"^\s*(\d+) nodes \d+ nps|^Nodes searched\s*:\s*(\d+)", re.MULTILINE)


def bench(spec: EngineSpec) -> int | None:
    """Return the node count of the engine's command `bench` with these options.

    Return None if the engine has no such command.
    """
    lines = ["uci"]
    for name, value in spec.options.items():
        text = str(value).lower() if isinstance(value, bool) else value
        lines.append(f"setoption name {name} value {text}")
    lines += ["isready", "bench", "quit"]
    conversation = "\n".join(lines) + "\n"
    try:
        output = subprocess.run(
            [spec.program(), *spec.command[1:]],
            input=conversation,
            cwd=spec.directory,
            timeout=600,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    counts = _BENCH.findall(f"{output.stdout}\n{output.stderr}")
    return int("".join(counts[-1])) if counts else None

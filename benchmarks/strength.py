"""UCI_Elo: matches against Stockfish limited to the same number, and advice for search/skill.py.

    python benchmarks/strength.py --elo 1400 --elo 1800 --elo 2200 --games 100

A score of 35 to 65 per cent confirms a level. Otherwise the script suggests a number of nodes, by
ELO_OF_DOUBLING, which the next run checks.
"""

import json
import math
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

# A script's path lacks the root of the repository
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.latency import ZOBRA, find_engine
from zobra.search.skill import skill_from_elo

ELO_OF_DOUBLING = 70.0  # a rough estimate for twice the nodes at this strength
LARGEST = 600.0  # difference in Elo, for a score of 0 or 100 per cent
CONFIRMED = (0.35, 0.65)
LEVELS = [1400, 1800, 2200]


def play(elo: int, options: list[str], opponent: str, folder: Path) -> dict[str, Any]:
    """Play a match at a level, and return its result."""
    result = folder / "result.json"
    command = [sys.executable, "-m", "zobra.cli", "match"]
    command += [f"Zobra={shlex.join(ZOBRA)}", f"Other={shlex.quote(opponent)}"]
    command += ["--folder", str(folder), "--json", str(result), "--seed", str(elo), *options]
    command += ["-o", "UCI_LimitStrength=true", "-o", f"UCI_Elo={elo}"]
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(command, check=True)
    return json.loads(result.read_text(encoding="utf-8"))


def advice(elo: int, score: float, faults: int) -> str:
    """Return the verdict on a level.

    Games that were not decided on the board bias the sample: a match with any of them is void.
    """
    if faults:
        return (
            f"void: {faults} games were not decided on the board; play again on a quieter "
            "machine, or with --margin"
        )
    if CONFIRMED[0] <= score <= CONFIRMED[1]:
        return "confirmed"
    if 0 < score < 1:
        difference = 400 * math.log10(score / (1 - score))
    else:
        difference = math.copysign(LARGEST, score - 0.5)
    nodes = skill_from_elo(elo).nodes
    better = nodes * 2 ** (-difference / ELO_OF_DOUBLING)
    return f"not confirmed: {difference:+.0f} Elo; try {better:.0f} nodes, not {nodes}"


def main(
    elo: Annotated[list[int] | None, typer.Option(help="A level; may be repeated.")] = None,
    games: Annotated[int, typer.Option(min=2)] = 100,
    tc: str = "5+0.05",
    engine: Annotated[
        str, typer.Option(help="The opponent, which must have UCI_Elo.")
    ] = "stockfish",
    openings: Annotated[Path | None, typer.Option(exists=True, dir_okay=False)] = None,
    concurrency: Annotated[int, typer.Option(min=1)] = 1,
    margin: Annotated[
        int,
        typer.Option(
            min=0, help="Milliseconds by which a move may exceed its time; for a busy machine."
        ),
    ] = 0,
    folder: Annotated[
        Path | None, typer.Option(help="Folder of the matches, with one subfolder per level.")
    ] = None,
) -> None:
    """Play the levels, and print a line of JSON for each."""
    opponent = find_engine(engine)
    keep = folder or Path(tempfile.mkdtemp(prefix="strength-"))
    options = ["--tc", tc, "--games", str(games)]
    options += ["--concurrency", str(concurrency), "--margin", str(margin)]
    if openings:
        options += ["--openings", str(openings)]
    for level in elo or LEVELS:
        result = play(level, options, opponent, keep / str(level))
        faults = sum(sum(engine["faults"].values()) for engine in result["engines"])
        score = result["engines"][0]["points"] / result["games"]
        facts = {"elo": level, "games": result["games"], "faults": faults, "score": round(score, 3)}
        print(json.dumps({**facts, "verdict": advice(level, score, faults)}))
    print(f"kept in {keep}")


if __name__ == "__main__":
    typer.run(main)

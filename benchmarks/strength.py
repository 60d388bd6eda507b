"""UCI_Elo: matches against Stockfish limited to the same number, and advice for the table of
search/skill.py.

    python benchmarks/strength.py --elo 1400 --elo 1800 --elo 2200 --games 100

A score of 35 to 65 per cent confirms a level. Otherwise the script suggests a number of nodes, by
ELO_OF_DOUBLING; the next run checks it.
"""

from __future__ import annotations

import json
import math
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import chess.pgn
import typer
from perft import find_engine

from zobra.search.skill import skill_from_elo

ELO_OF_DOUBLING = 70.0  # a rough estimate for twice the nodes at this strength
CONFIRMED = (0.35, 0.65)
FORFEITS = (
    "time forfeit",
    "rules infraction",
    "abandoned",
)  # as the Termination header of a game says
LEVELS = [1400, 1800, 2200]


def play(elo: int, options: list[str], opponent: str, folder: Path) -> None:
    """Play a match at a level."""
    zobra = [sys.executable, "-m", "zobra.uci"]
    engines = [f"Zobra={shlex.join(zobra)}", f"Other={shlex.quote(opponent)}"]
    level = ["--option", "UCI_LimitStrength=true", "--option", f"UCI_Elo={elo}"]
    subprocess.run(
        [*zobra, "match", *engines, "--folder", str(folder), "--seed", str(elo), *options, *level],
        check=True,
    )


def outcomes(folder: Path) -> tuple[list[float], int]:
    """Zobra's points in the games of a match folder that ended on the board, and the number of the
    others.
    """
    points: list[float] = []
    forfeits = 0
    with open(folder / "games.pgn", encoding="utf-8") as pgn:
        while (game := chess.pgn.read_headers(pgn)) is not None:
            if game.get("Termination", "normal") in FORFEITS:
                forfeits += 1
                continue
            white = {"1-0": 1.0, "0-1": 0.0}.get(game["Result"], 0.5)
            points.append(white if game["White"] == "Zobra" else 1 - white)
    return points, forfeits


def advice(elo: int, score: float, forfeits: int) -> str:
    """The verdict on a level.

    Games lost by forfeit bias the sample, so a match with any of them is void.
    """
    if forfeits:
        return (
            f"void: {forfeits} games were not decided on the board; play again on a quieter "
            "machine, or with --margin"
        )
    if CONFIRMED[0] <= score <= CONFIRMED[1]:
        return "confirmed"
    difference = (
        400 * math.log10(score / (1 - score)) if 0 < score < 1 else math.copysign(600, score - 0.5)
    )
    nodes = skill_from_elo(elo).nodes
    return (
        f"not confirmed: {difference:+.0f} Elo; try "
        f"{nodes * 2 ** (-difference / ELO_OF_DOUBLING):.0f} nodes, not {nodes}"
    )


def main(
    elo: Annotated[list[int] | None, typer.Option(help="A level; may be repeated.")] = None,
    games: Annotated[int, typer.Option(min=2)] = 100,
    tc: str = "5+0.05",
    engine: Annotated[str, typer.Option(help="The opponent, which needs UCI_Elo.")] = "stockfish",
    openings: Annotated[Path | None, typer.Option(exists=True, dir_okay=False)] = None,
    concurrency: Annotated[int, typer.Option(min=1)] = 1,
    margin: Annotated[
        int, typer.Option(min=0, help="Milliseconds a move may be late; for a busy machine.")
    ] = 0,
    folder: Annotated[
        Path | None, typer.Option(help="Where the matches are kept, one folder a level.")
    ] = None,
) -> None:
    """Play the levels and print a line of JSON for each."""
    opponent = find_engine(engine)
    keep = folder or Path(tempfile.mkdtemp(prefix="strength-"))
    options = [
        "--tc",
        tc,
        "--games",
        str(games),
        "--concurrency",
        str(concurrency),
        "--margin",
        str(margin),
    ]
    options += ["--openings", str(openings)] if openings else []
    for level in elo or LEVELS:
        play(level, options, opponent, keep / str(level))
        points, forfeits = outcomes(keep / str(level))
        score = sum(points) / max(1, len(points))
        facts = {"elo": level, "games": len(points), "forfeits": forfeits, "score": round(score, 3)}
        print(json.dumps({**facts, "verdict": advice(level, score, forfeits)}))
    print(f"kept in {keep}")


if __name__ == "__main__":
    typer.run(main)

"""Does UCI_Elo keep its word? Matches against Stockfish limited to the same number, and what the table should say instead.

    python benchmarks/strength.py --elo 1400 --elo 1800 --elo 2200 --games 100

A score of 35 to 65 per cent is a level kept. For one that is not, the nodes are told that would have been even if
ELO_OF_DOUBLING holds; they belong into the table of zobra/search/strength.py, and the next run checks them.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from opponent import find_engine

from zobra.search.strength import strength_of

ELO_OF_DOUBLING = 70.0  # what twice the nodes are worth, roughly, at this strength
KEPT = (0.35, 0.65)
LEVELS = [1400, 1800, 2200]


def play(elo: int, games: int, tc: str, opponent: str, openings: Path | None, concurrency: int, folder: Path) -> list[float]:
    """Play a match at a level; Zobra's points, game by game."""
    command = [sys.executable, "-m", "zobra.uci", "match", f"Zobra={sys.executable} -m zobra.uci", f"Other={opponent}"]
    command += ["--tc", tc, "--games", str(games), "--concurrency", str(concurrency), "--folder", str(folder)]
    command += ["--option", "UCI_LimitStrength=true", "--option", f"UCI_Elo={elo}", "--seed", str(elo)]
    command += ["--openings", str(openings)] if openings else []
    subprocess.run(command, check=True)
    return points(folder)


def points(folder: Path) -> list[float]:
    """Zobra's points in the games of a match folder."""
    import chess.pgn

    found = []
    with open(folder / "games.pgn", encoding="utf-8") as pgn:
        while (game := chess.pgn.read_headers(pgn)) is not None:
            white = {"1-0": 1.0, "0-1": 0.0}.get(game["Result"], 0.5)
            found.append(white if game["White"] == "Zobra" else 1 - white)
    return found


def advice(elo: int, score: float) -> str:
    """What a score says of a level."""
    if KEPT[0] <= score <= KEPT[1]:
        return "kept"
    difference = 400 * math.log10(score / (1 - score)) if 0 < score < 1 else math.copysign(600, score - 0.5)
    nodes = strength_of(elo).nodes
    return f"not kept: {difference:+.0f} Elo; try {nodes * 2 ** (-difference / ELO_OF_DOUBLING):.0f} nodes, not {nodes}"


def main(
    elo: Annotated[list[int] | None, typer.Option(help="A level; may be repeated.")] = None,
    games: Annotated[int, typer.Option(min=2)] = 100,
    tc: str = "5+0.05",
    engine: Annotated[str, typer.Option(help="The opponent, which needs UCI_Elo.")] = "stockfish",
    openings: Annotated[Path | None, typer.Option(exists=True)] = None,
    concurrency: Annotated[int, typer.Option(min=1)] = 1,
    folder: Annotated[Path | None, typer.Option(help="Where the matches are kept, one folder a level.")] = None,
) -> None:
    """Play the levels and print a line of JSON for each."""
    opponent = find_engine(engine)
    keep = folder or Path(tempfile.mkdtemp(prefix="strength-"))
    for level in elo or LEVELS:
        scores = play(level, games, tc, opponent, openings, concurrency, keep / str(level))
        score = sum(scores) / len(scores)
        print(json.dumps({"elo": level, "games": len(scores), "score": round(score, 3), "verdict": advice(level, score)}))
    print(f"kept in {keep}")


if __name__ == "__main__":
    typer.run(main)

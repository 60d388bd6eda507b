"""Checks a finished match: its games, and the recorded conversations of its engines.

    python -m tests.tools.judge MATCH… [--transcripts FOLDER] [--engine Zobra]

MATCH is the folder of a `zobra match`, or a PGN file of any match tool. Faults of games: losses on time, illegal moves,
crashes, stalls, and announced mates that were not given. Faults of conversations (recorded by tests/tools/witness.py): not
exactly one legal bestmove for each go, a bestmove other than the last line's, an illegal line, a wrong mate, a non-zero exit
status. The exit status of this program is 1 if there is a fault.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import chess
import chess.pgn
import typer

from tests.tools.conversation import Conversation

Fault = tuple[str, str, str]  # engine, kind, what it was
FORFEITS = {"time forfeit": "time", "rules infraction": "illegal move", "illegal move": "illegal move"}
FORFEITS |= {"abandoned": "disconnect", "stalled connection": "stall", "unterminated": "disconnect"}
MATE = re.compile(r"\+M(\d+)/")
WINNER = {"1-0": chess.WHITE, "0-1": chess.BLACK}
MOST_SHOWN = 20


def game_faults(game: chess.pgn.Game, name: str) -> Iterator[Fault]:
    """Faults of one game."""
    engines = {chess.WHITE: game.headers["White"], chess.BLACK: game.headers["Black"]}
    winner = WINNER.get(game.headers["Result"])
    termination = game.headers.get("Termination", "normal").lower()
    if kind := FORFEITS.get(termination):
        yield engines[not winner] if winner is not None else "nobody", kind, f"loses {name}"
    if game.errors:
        yield engines[game.end().board().turn], "illegal move", f"{game.errors[0]} in {name}"
    if termination == "normal":
        announced = {not node.turn(): found[1] for node in game.mainline() if (found := MATE.search(node.comment))}
        for colour, plies in announced.items():
            if winner != colour:
                yield engines[colour], "mate not given", f"M{plies} announced in {name}, which ended {game.headers['Result']}"


def read_games(path: Path) -> Iterator[tuple[chess.pgn.Game, str]]:
    """Games of a match folder or a PGN file, with a name for each; SystemExit when it is neither."""
    file = path / "games.pgn" if path.is_dir() else path
    if not file.is_file():
        raise SystemExit(f"{path}: neither the folder of a match nor a PGN file")
    with file.open(encoding="utf-8", errors="replace") as text:
        number = 0
        while (game := chess.pgn.read_game(text)) is not None:
            number += 1
            yield game, f"game {number} of {path}"


def transcript_faults(folder: Path, counts: Counter[str]) -> Iterator[Fault]:
    """Faults of all conversations in a folder; adds to `counts` what was checked."""
    for path in sorted(folder.glob("*.txt")):
        conversation = Conversation()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            for kind, what in conversation.take(line):
                yield conversation.engine, kind, f"{path}:{number}: {what}"
        counts.update(conversation.counts)


def main(
    matches: Annotated[list[Path], typer.Argument(help="Match folders or PGN files.")],
    transcripts: Annotated[list[Path] | None, typer.Option(help="Folders of transcripts.")] = None,
    engine: Annotated[str, typer.Option(help="Count faults of engines whose name contains this only.")] = "",
) -> None:
    """Check a match and print its faults."""
    games = [named for path in matches for named in read_games(path)]
    counts: Counter[str] = Counter()
    faults = [fault for game, name in games for fault in game_faults(game, name)]
    faults += [fault for folder in transcripts or [] for fault in transcript_faults(folder, counts)]
    faults = [fault for fault in faults if engine.lower() in fault[0].lower()]
    endings = Counter(game.headers.get("Termination", "normal") for game, _ in games)
    print(f"{len(games)} games:", ", ".join(f"{ending} {count}" for ending, count in endings.most_common()))
    print("transcripts:", ", ".join(f"{count} {what}" for what, count in sorted(counts.items())) or "none")
    for _, kind, what in faults[:MOST_SHOWN]:
        print(f"  {kind}: {what}")
    totals = Counter((name, kind) for name, kind, _ in faults)
    print("faults:", ", ".join(f"{name}: {kind} {count}" for (name, kind), count in sorted(totals.items())) or "none")
    raise SystemExit(1 if faults else 0)


if __name__ == "__main__":
    typer.run(main)

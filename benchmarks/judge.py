"""Was a match sound? Goes over its games, and over the transcripts of its engines, and names every fault.

    python benchmarks/judge.py MATCH… [--transcripts FOLDER] [--engine Zobra]

MATCH is the folder of a `zobra match`, or a PGN file of any match tool. Of the games: losses on time, illegal moves, crashes
and stalls, moves that python-chess does not allow, announced mates that were not given. Of the transcripts, which
benchmarks/witness.py writes: exactly one legal bestmove for each go, the one of the last line; every line legal to its end;
each mate of a last line there, in just so many moves; the exit status. The exit status of the judge is 1 if there is a fault.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import chess
import chess.pgn
import typer

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run as a script, or imported by the tests

from benchmarks.conversation import Conversation

FAULTS = ("time", "illegal move", "disconnect", "stall")
PLAYED_OUT = ("mate", "stalemate", "insufficient material", "fifty-move rule", "threefold repetition", "normal")
TERMINATIONS = {"time forfeit": "time", "rules infraction": "illegal move", "illegal move": "illegal move"}
TERMINATIONS |= {"abandoned": "disconnect", "stalled connection": "stall", "unterminated": "disconnect"}
MATE = re.compile(r"([+-])M(\d+)/")
MOST_TOLD = 20
DECIDED = {"1-0": "white", "0-1": "black"}


@dataclass(frozen=True)
class PlayedGame:
    """A game as its record tells it; `mates` are (colour, ply, announced plies to the mate that it gives)."""

    name: str
    white: str
    black: str
    result: str
    reason: str
    start: str
    moves: tuple[str, ...]
    mates: tuple[tuple[str, int, int], ...]
    chess960: bool = False

    @property
    def loser(self) -> str:
        """Who lost, "nobody" in a draw."""
        return {"1-0": self.black, "0-1": self.white}.get(self.result, "nobody")

    def faults(self) -> Iterator[tuple[str, str, str]]:
        """(engine, kind of fault, what it was)."""
        if self.reason in FAULTS:
            yield self.loser, self.reason, f"loses {self.name}"
        board = chess.Board(self.start, chess960=self.chess960)
        for number, text in enumerate(self.moves):
            try:
                board.push(board.parse_uci(text))
            except ValueError:
                engine = self.white if board.turn else self.black
                yield engine, "illegal move", f"{text} at ply {number + 1} of {self.name}"
                return
        if self.reason in PLAYED_OUT:
            yield from self._broken_promises()

    def _broken_promises(self) -> Iterator[tuple[str, str, str]]:
        """The side that announced a mate last must have won."""
        for colour in ("white", "black"):
            announced = [(ply, plies) for side, ply, plies in self.mates if side == colour]
            if announced and DECIDED.get(self.result) != colour:
                ply, plies = announced[-1]
                engine = self.white if colour == "white" else self.black
                yield (
                    engine,
                    "mate not given",
                    f"{plies} plies announced at ply {ply} of {self.name}, which ended {self.result}",
                )


def read_journal(path: Path) -> Iterator[PlayedGame]:
    """Games of `journal.jsonl`."""
    settings = json.loads((path.parent / "run.json").read_text(encoding="utf-8"))
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if not line.endswith("\n"):  # being written, or cut off
            break
        record = json.loads(line)
        opening = record["opening"]
        begins = chess.Board(opening["fen"], chess960=settings.get("chess960", False))
        mates = [
            ("white" if begins.turn == (ply % 2 == 0) else "black", ply + 1, 2 * move[2] - 1)
            for ply, move in enumerate(record["moves"])
            if move[2] is not None and move[2] > 0
        ]
        yield PlayedGame(
            f"game {record['index'] + 1} of {path.parent}",
            record["white"],
            record["black"],
            record["result"],
            record["reason"],
            opening["fen"],
            tuple(move[0] for move in record["moves"]),
            tuple(mates),
            begins.chess960,
        )


def read_pgn(path: Path) -> Iterator[PlayedGame]:
    """Games of a PGN file."""
    with path.open(encoding="utf-8", errors="replace") as file:
        number = 0
        while (game := chess.pgn.read_game(file)) is not None:
            number += 1
            headers = game.headers
            mates = []
            for ply, node in enumerate(game.mainline(), 1):
                if (found := MATE.search(node.comment)) and found[1] == "+":
                    mates.append(("black" if node.turn() else "white", ply, int(found[2])))
            termination = headers.get("Termination", "normal").lower()
            reason = "illegal move" if game.errors else TERMINATIONS.get(termination, termination)
            yield PlayedGame(
                f"game {number} of {path}",
                headers.get("White", "?"),
                headers.get("Black", "?"),
                headers.get("Result", "*"),
                reason,
                game.board().fen(),
                tuple(move.uci() for move in game.mainline_moves()),
                tuple(mates),
                game.board().chess960,
            )


def read_games(path: Path) -> Iterator[PlayedGame]:
    """Games of a match folder or a PGN file; SystemExit when it is neither."""
    if (path / "journal.jsonl").exists():
        return read_journal(path / "journal.jsonl")
    if path.is_file():
        return read_pgn(path)
    raise SystemExit(f"{path}: neither the folder of a match nor a PGN file")


def judge_transcripts(folder: Path, counts: Counter[str]) -> Iterator[tuple[str, str, str]]:
    """Faults of all conversations in a folder; what was looked at is added to `counts`."""
    for path in sorted(folder.glob("*.txt")):
        conversation = Conversation()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            for kind, what in conversation.take(line):
                yield conversation.engine, kind, f"{path}:{number}: {what}"
        counts.update(conversation.counts)


def main(
    matches: Annotated[list[Path], typer.Argument(help="Match folders or PGN files.")],
    transcripts: Annotated[list[Path] | None, typer.Option(help="Folders of transcripts.")] = None,
    engine: Annotated[str, typer.Option(help="Count the faults of engines whose name holds this only.")] = "",
) -> None:
    """Judge."""
    games = [game for path in matches for game in read_games(path)]
    counts: Counter[str] = Counter()
    faults = [fault for game in games for fault in game.faults()]
    faults += [fault for folder in transcripts or [] for fault in judge_transcripts(folder, counts)]
    faults = [fault for fault in faults if engine.lower() in fault[0].lower()]
    print(f"{len(games)} games, {sum(len(game.moves) for game in games)} moves; reasons:", end=" ")
    print(", ".join(f"{reason} {count}" for reason, count in Counter(game.reason for game in games).most_common()))
    print("transcripts:", ", ".join(f"{count} {what}" for what, count in sorted(counts.items())) or "none")
    for _, kind, what in faults[:MOST_TOLD]:
        print(f"  {kind}: {what}")
    told = Counter((name, kind) for name, kind, _ in faults)
    print("faults:", ", ".join(f"{name}: {kind} {count}" for (name, kind), count in sorted(told.items())) or "none")
    raise SystemExit(1 if faults else 0)


if __name__ == "__main__":
    typer.run(main)

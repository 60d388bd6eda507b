"""Checks a finished match: its games, and the recorded conversations of its engines.

    python -m tests.tools.judge MATCH… [--transcripts FOLDER] [--engine Zobra]

MATCH is the folder of a `zobra match`, or a PGN file of any match tool. Faults of games: losses on
time, illegal moves, crashes, stalls, and announced mates that were not given. Faults of
conversations (recorded by tests/tools/witness.py): not exactly one legal bestmove for each go, a
bestmove other than the last line's, an illegal line, a wrong mate, a non-zero exit status. The exit
status of this program is 1 if there is a fault.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import chess
import chess.pgn
import typer

from tests.tools.lines import line_fault

FORFEITS = {
    "time forfeit": "time",
    "rules infraction": "illegal move",
    "illegal move": "illegal move",
}
FORFEITS |= {"abandoned": "disconnect", "stalled connection": "stall", "unterminated": "disconnect"}
MATE = re.compile(r"\+M(\d+)/")
LINE = re.compile(r"(\d+\.\d+) ([<>]) ?(.*)")
WINNER = {"1-0": chess.WHITE, "0-1": chess.BLACK}
MOST_SHOWN = 20


class Conversation:
    """Follows one conversation: `take` yields the faults of a line, as kind and what it was, and
    keeps `counts`.
    """

    def __init__(self) -> None:
        self.engine = "?"
        self.counts: Counter[str] = Counter()
        self._chess960 = self._weakened = self._searching = self._quit = False
        self._board, self._meant = (
            chess.Board(),
            "",
        )  # first move of the last line, whatever its bound
        self._exact: tuple[list[str], int | None] = (
            [],
            None,
        )  # moves and mate of the last line without a bound

    def take(self, line: str) -> Iterator[tuple[str, str]]:
        """The next line of the transcript."""
        if line.startswith("# ended with "):
            self.counts["processes"] += 1
            if status := int(line.split()[-1]):
                yield "exit status", str(status)
            if self._searching and not self._quit:
                yield "bestmove", "none for the last go"
        elif (found := LINE.fullmatch(line)) and (words := found[3].split()):
            yield from self._hear(words) if found[2] == "<" else self._tell(words)

    def _tell(self, words: list[str]) -> Iterator[tuple[str, str]]:
        if words[0] == "position":
            end = words.index("moves") if "moves" in words else len(words)
            fen = chess.STARTING_FEN if words[1] == "startpos" else " ".join(words[2:end])
            self._board = chess.Board(fen, chess960=self._chess960)
            for text in words[end + 1 :]:
                self._board.push_uci(text)
        elif words[0] == "go" and "perft" not in words:
            self.counts["searches"] += 1
            if self._searching:
                yield "bestmove", "another go before the bestmove"
            self._searching, self._meant, self._exact = True, "", ([], None)
        elif words[0] == "setoption" and "value" in words:
            name = " ".join(words[2 : words.index("value")]).lower()
            if name == "uci_chess960":
                self._chess960 = words[-1].lower() == "true"
            self._weakened |= name in ("uci_limitstrength", "skill level")
        self._quit |= words[0] == "quit"

    def _hear(self, words: list[str]) -> Iterator[tuple[str, str]]:
        if words[:2] == ["id", "name"]:
            self.engine = " ".join(words[2:])
        elif words[0] == "info" and "pv" in words and "string" not in words:
            self.counts["lines"] += 1
            end = words.index("pv")
            moves = words[end + 1 :]
            if fault := line_fault(self._board, moves) if moves else "no move":
                yield "illegal line", f"{fault}: {' '.join(words)}"
            if moves and ("multipv" not in words or words[words.index("multipv") + 1] == "1"):
                self._meant = moves[0]
                if "lowerbound" not in words and "upperbound" not in words:
                    self._exact = (
                        moves,
                        int(words[words.index("mate") + 1]) if "mate" in words[:end] else None,
                    )
        elif words[0] == "bestmove":
            if not self._searching:
                yield "bestmove", "one without a go"
            self._searching = False
            self.counts["bestmoves"] += 1
            yield from self._judge_move(words)

    def _judge_move(self, words: list[str]) -> Iterator[tuple[str, str]]:
        if len(words) == 1 or words[1] == "(none)":
            if len(words) == 1 or any(self._board.legal_moves):
                yield "illegal move", f"{' '.join(words)} where there is a move"
            return
        reply = words[3:4] if words[2:3] == ["ponder"] else []
        if fault := line_fault(self._board, [words[1], *reply]):
            yield "illegal move", f"{' '.join(words)}: {fault}"
        if self._meant not in ("", words[1]) and not self._weakened:
            yield "bestmove", f"plays {words[1]}, but its last line begins with {self._meant}"
        moves, mate = self._exact
        if mate is not None:
            self.counts["final mates"] += 1
            if fault := line_fault(self._board, moves, mate):
                yield "false mate line", f"{fault}: {' '.join(moves)} from {self._board.fen()}"


def transcript_faults(folder: Path, counts: Counter[str]) -> Iterator[tuple[str, str, str]]:
    """Faults of all conversations in a folder: engine, kind, what it was.

    Adds to `counts` what was checked.
    """
    for path in sorted(folder.glob("*.txt")):
        conversation = Conversation()
        for number, line in enumerate(
            path.read_text(encoding="utf-8", errors="replace").splitlines(), 1
        ):
            for kind, what in conversation.take(line):
                yield conversation.engine, kind, f"{path}:{number}: {what}"
        counts.update(conversation.counts)


def game_faults(game: chess.pgn.Game, name: str) -> Iterator[tuple[str, str, str]]:
    """Faults of one game: engine, kind, what it was."""
    engines = {chess.WHITE: game.headers["White"], chess.BLACK: game.headers["Black"]}
    winner = WINNER.get(game.headers["Result"])
    termination = game.headers.get("Termination", "normal").lower()
    if kind := FORFEITS.get(termination):
        yield engines[not winner] if winner is not None else "nobody", kind, f"loses {name}"
    if game.errors:
        yield engines[game.end().board().turn], "illegal move", f"{game.errors[0]} in {name}"
    if termination == "normal":
        announced = {
            not node.turn(): found[1]
            for node in game.mainline()
            if (found := MATE.search(node.comment))
        }
        for colour, plies in announced.items():
            if winner != colour:
                yield (
                    engines[colour],
                    "mate not given",
                    f"M{plies} announced in {name}, which ended {game.headers['Result']}",
                )


def read_games(path: Path) -> Iterator[tuple[chess.pgn.Game, str]]:
    """Games of a match folder or a PGN file, with a name for each; SystemExit when it is
    neither.
    """
    file = path / "games.pgn" if path.is_dir() else path
    if not file.is_file():
        raise SystemExit(f"{path}: neither the folder of a match nor a PGN file")
    with file.open(encoding="utf-8", errors="replace") as text:
        for number, game in enumerate(iter(lambda: chess.pgn.read_game(text), None), 1):
            yield game, f"game {number} of {path}"


def main(
    matches: Annotated[list[Path], typer.Argument(help="Match folders or PGN files.")],
    transcripts: Annotated[list[Path] | None, typer.Option(help="Folders of transcripts.")] = None,
    engine: Annotated[
        str, typer.Option(help="Count faults of engines whose name contains this only.")
    ] = "",
) -> None:
    """Check a match and print its faults."""
    games = [named for path in matches for named in read_games(path)]
    counts: Counter[str] = Counter()
    faults = [fault for game, name in games for fault in game_faults(game, name)]
    faults += [fault for folder in transcripts or [] for fault in transcript_faults(folder, counts)]
    faults = [fault for fault in faults if engine.lower() in fault[0].lower()]
    endings = Counter(game.headers.get("Termination", "normal") for game, _ in games)
    print(
        f"{len(games)} games:",
        ", ".join(f"{ending} {count}" for ending, count in endings.most_common()),
    )
    print(
        "transcripts:",
        ", ".join(f"{count} {what}" for what, count in sorted(counts.items())) or "none",
    )
    for _, kind, what in faults[:MOST_SHOWN]:
        print(f"  {kind}: {what}")
    totals = Counter((name, kind) for name, kind, _ in faults)
    print(
        "faults:",
        ", ".join(f"{name}: {kind} {count}" for (name, kind), count in sorted(totals.items()))
        or "none",
    )
    raise SystemExit(1 if faults else 0)


if __name__ == "__main__":
    typer.run(main)

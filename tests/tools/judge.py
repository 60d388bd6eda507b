"""Check a finished match: its games, and the recorded conversations of its engines.

    python -m tests.tools.judge MATCH… [--transcripts FOLDER] [--engine Zobra]

MATCH is the folder of a `zobra match`, or a PGN file of any match tool. Faults of games: losses on
time, illegal moves, crashes, stalls, and announced mates that were not given. Faults of
conversations (recorded by tests/tools/witness.py): not exactly one legal bestmove for each go, a
bestmove other than the last line's, an illegal line, a wrong mate, a non-zero exit status. The exit
status of this program is 1 if there is a fault.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
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
    "abandoned": "disconnect",
    "stalled connection": "stall",
    "unterminated": "disconnect",
}
MATE = re.compile(r"\+M(\d+)/")
LINE = re.compile(r"(\d+\.\d+) ([<>]) ?(.*)")
WINNER = {"1-0": chess.WHITE, "0-1": chess.BLACK}
MOST_SHOWN = 20


class Conversation:
    """Follows one conversation, and keeps `counts` of what it has seen."""

    def __init__(self) -> None:
        self.engine = "?"
        self.counts: Counter[str] = Counter()
        self._board = chess.Board()
        self._chess960 = False
        self._limits_strength = False
        self._full_skill = "20"  # the default of Skill Level, unless the engine announces another
        self._skill = self._full_skill
        self._searching = False
        self._quit = False
        self._meant = ""  # first move of the last line, whatever its bound
        # The last line without a bound, and the moves to mate that it promises
        self._exact: list[str] = []
        self._mate: int | None = None

    def take(self, line: str) -> Iterator[tuple[str, str]]:
        """Yield the faults of the next line of the transcript: the kind, and what it was."""
        if line.startswith("# ended with "):
            yield from self._end(int(line.split()[-1]))
            return
        found = LINE.fullmatch(line)
        words = found[3].split() if found else []
        if not words:
            return
        if found[2] == "<":
            yield from self._hear(words)
        else:
            yield from self._tell(words)

    def _end(self, status: int) -> Iterator[tuple[str, str]]:
        self.counts["processes"] += 1
        if status:
            yield "exit status", str(status)
        if self._searching and not self._quit:
            yield "bestmove", "none for the last go"

    def _tell(self, words: list[str]) -> Iterator[tuple[str, str]]:
        """Take what the engine is told."""
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
            self._searching = True
            self._meant = ""
            self._exact = []
            self._mate = None
        elif words[0] == "setoption" and "value" in words:
            name = " ".join(words[2 : words.index("value")]).lower()
            if name == "uci_chess960":
                self._chess960 = words[-1].lower() == "true"
            elif name == "uci_limitstrength":
                self._limits_strength = words[-1].lower() == "true"
            elif name == "skill level":
                self._skill = words[-1]
        elif words[0] == "quit":
            self._quit = True

    def _hear(self, words: list[str]) -> Iterator[tuple[str, str]]:
        """Take what the engine says."""
        if words[:2] == ["id", "name"]:
            self.engine = " ".join(words[2:])
        elif " ".join(words[:4]).lower() == "option name skill level" and "default" in words[:-1]:
            self._full_skill = words[words.index("default") + 1]
            self._skill = self._full_skill
        elif words[0] == "info" and "pv" in words and "string" not in words:
            yield from self._judge_line(words)
        elif words[0] == "bestmove":
            if not self._searching:
                yield "bestmove", "one without a go"
            self._searching = False
            self.counts["bestmoves"] += 1
            yield from self._judge_move(words)

    def _judge_line(self, words: list[str]) -> Iterator[tuple[str, str]]:
        self.counts["lines"] += 1
        end = words.index("pv")
        moves = words[end + 1 :]
        fault = line_fault(self._board, moves) if moves else "no move"
        if fault:
            yield "illegal line", f"{fault}: {' '.join(words)}"
        is_first = "multipv" not in words or words[words.index("multipv") + 1] == "1"
        if not moves or not is_first:
            return
        self._meant = moves[0]
        if "lowerbound" not in words and "upperbound" not in words:
            self._exact = moves
            self._mate = None
            if "mate" in words[:end]:
                self._mate = int(words[words.index("mate") + 1])

    def _judge_move(self, words: list[str]) -> Iterator[tuple[str, str]]:
        if len(words) == 1 or words[1] == "(none)":
            if len(words) == 1 or any(self._board.legal_moves):
                yield "illegal move", f"{' '.join(words)} where there is a move"
            return
        reply = words[3:4] if words[2:3] == ["ponder"] else []
        fault = line_fault(self._board, [words[1], *reply])
        if fault:
            yield "illegal move", f"{' '.join(words)}: {fault}"
        weakened = self._limits_strength or self._skill != self._full_skill
        if self._meant not in ("", words[1]) and not weakened:
            yield "bestmove", f"plays {words[1]}, but its last line begins with {self._meant}"
        if self._mate is None:
            return
        self.counts["final mates"] += 1
        fault = line_fault(self._board, self._exact, self._mate)
        if fault:
            yield "false mate line", f"{fault}: {' '.join(self._exact)} from {self._board.fen()}"


def transcript_faults(folder: Path, counts: Counter[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the faults of all conversations in a folder: engine, kind, what it was.

    Add to `counts` what was checked. Exit if there is no conversation.
    """
    paths = sorted(folder.glob("*.txt"))
    if not paths:
        raise SystemExit(f"{folder}: no transcripts in this folder")
    for path in paths:
        conversation = Conversation()
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        for number, line in enumerate(lines, 1):
            for kind, what in conversation.take(line):
                yield conversation.engine, kind, f"{path}:{number}: {what}"
        counts.update(conversation.counts)


def game_faults(game: chess.pgn.Game, name: str) -> Iterator[tuple[str, str, str]]:
    """Yield the faults of one game: engine, kind, what it was."""
    engines = {chess.WHITE: game.headers["White"], chess.BLACK: game.headers["Black"]}
    winner = WINNER.get(game.headers["Result"])
    termination = game.headers.get("Termination", "normal").lower()
    forfeit = FORFEITS.get(termination)
    if forfeit:
        loser = "nobody" if winner is None else engines[not winner]
        yield loser, forfeit, f"loses {name}"
    if game.errors:
        yield engines[game.end().board().turn], "illegal move", f"{game.errors[0]} in {name}"
    if termination == "normal":
        announced = {}
        for node in game.mainline():
            mate = MATE.search(node.comment)
            if mate:
                announced[not node.turn()] = mate[1]
        for colour, plies in announced.items():
            if winner != colour:
                result = game.headers["Result"]
                what = f"M{plies} announced in {name}, which ended {result}"
                yield engines[colour], "mate not given", what


def read_games(path: Path) -> Iterator[tuple[chess.pgn.Game, str]]:
    """Yield the games of a match folder or a PGN file, with a name for each.

    Exit if it is neither, or has no games.
    """
    file = path / "games.pgn" if path.is_dir() else path
    if not file.is_file():
        raise SystemExit(f"{path}: neither the folder of a match nor a PGN file")
    number = 0
    with file.open(encoding="utf-8", errors="replace") as text:
        for number, game in enumerate(iter(lambda: chess.pgn.read_game(text), None), 1):
            yield game, f"game {number} of {path}"
    if number == 0:
        raise SystemExit(f"{file}: no games in this file")


def listed(counts: Iterable[tuple[object, int]], form: str) -> str:
    """Return counts in words, "none" for no counts."""
    return ", ".join(form.format(name, count) for name, count in counts) or "none"


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
    for folder in transcripts or []:
        faults += transcript_faults(folder, counts)
    faults = [fault for fault in faults if engine.lower() in fault[0].lower()]
    endings = Counter(game.headers.get("Termination", "normal") for game, _ in games)
    totals = Counter(f"{name}: {kind}" for name, kind, _ in faults)
    print(f"{len(games)} games:", listed(endings.most_common(), "{0} {1}"))
    print("transcripts:", listed(sorted(counts.items()), "{1} {0}"))
    for _, kind, what in faults[:MOST_SHOWN]:
        print(f"  {kind}: {what}")
    print("faults:", listed(sorted(totals.items()), "{0} {1}"))
    raise SystemExit(1 if faults else 0)


if __name__ == "__main__":
    typer.run(main)

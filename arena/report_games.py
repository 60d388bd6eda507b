"""The games that a page reports on: those of a match folder, or of a PGN file from any program."""

import base64
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import chess
import chess.engine
import chess.pgn

from zobra.arena.accuracy import winning_chance
from zobra.arena.game_record import POINTS_OF_WHITE, GameRecord
from zobra.arena.journal import Journal
from zobra.arena.pgn import pgn_game
from zobra.arena.played_move import PlayedMove
from zobra.arena.results import Results
from zobra.arena.settings import Settings

# what match tools write before other words of a comment: score/depth, time and more
_RUNNER_FORM = re.compile(r'^([+-]?(M?[\d.]+)/\d+( [\d.]+s?)?|[\d.]+s)(, \w+=("[^"]*"|[^\s,]+))*(, |$)')


@dataclass(frozen=True)
class ReportedGame:
    """A game of a page: its record, and how to make its PGN tree, which may have variations."""

    record: GameRecord
    tree: Callable[[], chess.pgn.Game]
    accuracies: tuple[str, str] = ("", "")  # White's and Black's, where the game was analysed

    @cached_property
    def _start(self) -> int:
        """Plies before the first move, as its position counts them."""
        return chess.Board(self.record.opening["fen"]).ply()

    def turn(self, ply: int) -> chess.Color:
        """Who makes the move of this number, counted from 0 after the book moves."""
        return (self._start + ply) % 2 == 0

    def mover(self, ply: int) -> str:
        """The name of the player who makes this move."""
        return self.record.white if self.turn(ply) == chess.WHITE else self.record.black

    def move_number(self, ply: int) -> int:
        """The full-move number of this move."""
        return (self._start + ply) // 2 + 1

    def chances(self) -> list[float]:
        """White's winning chances after each move that has a score."""
        scores = (_score(move, self.turn(ply)) for ply, move in enumerate(self.record.moves))
        return [winning_chance(score.white()) for score in scores if score is not None]

    def replay(self) -> str:
        """What the viewer of the page replays: JSON as replay.js reads it, packed by zlib, in base64."""
        tree, book = self.tree(), len(self.record.opening["moves"])
        chances: list[float | None] = [None] * (book + 1)
        notes = [""] * (book + 1)
        nodes = list(tree.mainline())
        for node in nodes[:book]:
            node.comment = ""
        for node, move in zip(nodes[book:], self.record.moves, strict=True):
            node.comment = _RUNNER_FORM.sub("", node.comment)
            if (score := _score(move, not node.turn())) is not None:
                node.set_eval(score, move.depth)
            if move.clock_ms is not None:
                node.set_clock(move.clock_ms / 1000)
            chances.append(None if score is None else round(winning_chance(score.white()), 3))
            notes.append(_note(move, score))
        content = {"pgn": f"{tree}\n", "chances": chances, "notes": notes, "chess960": tree.board().chess960}
        return base64.b64encode(zlib.compress(json.dumps(content, separators=(",", ":")).encode(), 9)).decode()


@dataclass
class ReportedGames:
    """All games of a page, in their order, with what is known of how they were played."""

    source: Path
    engines: list[str]
    games: list[ReportedGame]
    time_control: str = ""
    played: str = ""
    settings: Settings | None = None
    run: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @cached_property
    def finished(self) -> list[ReportedGame]:
        """The games with a result."""
        return [game for game in self.games if game.record.result in POINTS_OF_WHITE]

    @cached_property
    def results(self) -> Results:
        """The scores of all engines."""
        return Results(self.engines, (game.record for game in self.finished))

    def score(self, name: str, rival: str | None = None) -> tuple[int, int, int]:
        """Wins, draws and losses of an engine, against one rival or all."""
        losses, draws, wins = self.results.trinomial(name, rival)
        return wins, draws, losses

    def score_share(self, name: str, rival: str | None = None) -> float:
        """Points per game, 0 before the first one."""
        wins, draws, losses = self.score(name, rival)
        return (wins + draws / 2) / max(1, wins + draws + losses)


def read_match(folder: Path) -> ReportedGames:
    """Reads run.json and journal.jsonl. Lines that are no games become problems. Raises OSError, or ValueError."""
    settings, created = Journal.run_in(folder)
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    names = [engine.name for engine in settings.engines]
    found = ReportedGames(folder, names, [], settings.time_control, created.replace("T", " "), settings, run)
    with (folder / "journal.jsonl").open(encoding="utf-8", errors="replace") as journal:
        for number, line in enumerate(journal, start=1):
            try:
                record = GameRecord.from_json(json.loads(line))
                chess.Board(record.opening["fen"])  # is it a position?
                found.games.append(ReportedGame(record, partial(pgn_game, record, settings)))
            except (KeyError, TypeError, ValueError) as error:
                found.problems.append(f"journal.jsonl:{number}: {type(error).__name__}: {error}")
    found.games.sort(key=lambda game: game.record.index)
    return found


def read_pgn(path: Path) -> ReportedGames:
    """Reads a PGN file. Games with errors become problems. Raises OSError, or ValueError when there is no game at all."""
    names: Counter[str] = Counter()
    controls: Counter[str] = Counter()
    dates, games, problems, pairs = set(), [], [], _Pairs()
    for index, tree in enumerate(_trees(path)):
        if tree.errors or tree.board().uci_variant != "chess":
            problems.append(f"game {index + 1}: {tree.errors[0] if tree.errors else 'a variant of chess'}")
            continue
        games.append(_reported(index, tree, pairs))
        names.update((games[-1].record.white, games[-1].record.black))
        controls[tree.headers.get("TimeControl", "")] += 1
        dates.add(tree.headers.get("Date", "????.??.??"))
    if not games:
        raise ValueError(f"{path}: {problems[0] if problems else 'no game in this file'}")
    control = controls.most_common(1)[0][0] if len(controls) == 1 else "several time controls"
    known = sorted(date for date in dates if "?" not in date)
    return ReportedGames(
        path, list(names), games, control, " to ".join(dict.fromkeys(known[:1] + known[-1:])), problems=problems
    )


def _trees(path: Path) -> Iterator[chess.pgn.Game]:
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        while (tree := chess.pgn.read_game(file)) is not None:
            if tree.next() is not None or tree.headers.get("White", "?") != "?":
                yield tree


class _Pairs:
    """Numbers games so that two with the same players and opening, but colours reversed, make a pair."""

    def __init__(self) -> None:
        self._open: dict[tuple, int] = {}

    def number(self, index: int, white: str, black: str, opening: tuple) -> int:
        """The pair of a game; a game without a known opening is alone."""
        earlier = self._open.pop((black, white, *opening), None) if any(opening) else None
        if earlier is None:
            self._open[(white, black, *opening)] = index
        return index if earlier is None else earlier


def _reported(index: int, tree: chess.pgn.Game, pairs: _Pairs) -> ReportedGame:
    """A PGN game in the form of a match's games. Leading moves with the comment "book" are its opening."""
    nodes, headers, board = list(tree.mainline()), tree.headers, tree.board()
    root = board.fen() if "FEN" in headers else ""
    book = next((number for number, node in enumerate(nodes) if node.comment != "book"), len(nodes))
    moves = [node.move.uci() for node in nodes[:book]]
    for node in nodes[:book]:
        board.push(node.move)
    white, black = headers.get("White", "?"), headers.get("Black", "?")
    if white == black:
        white, black = f"{white} (White)", f"{black} (Black)"
    opening = {"fen": board.fen(), "name": headers.get("Opening", ""), "root": root or chess.STARTING_FEN, "moves": moves}
    record = GameRecord(
        index, pairs.number(index, white, black, (root, *moves)), 1, white, black, opening, headers.get("Result", "*"),
        _reason(tree.end()) or headers.get("Termination", "unknown").lower(),
        moves=[PlayedMove.from_node(node) for node in nodes[book:]],
    )  # fmt: skip
    return ReportedGame(record, lambda: tree, (headers.get("WhiteAccuracy", ""), headers.get("BlackAccuracy", "")))


def _reason(end: chess.pgn.GameNode) -> str:
    """Why the rules of chess end the game there; empty where they do not."""
    outcome = end.board().outcome(claim_draw=True)
    return outcome.termination.name.lower().replace("_", " ") if outcome else ""


def _score(move: PlayedMove, mover: chess.Color) -> chess.engine.PovScore | None:
    if move.mate is not None:
        return chess.engine.PovScore(chess.engine.Mate(move.mate), mover)
    return None if move.score is None else chess.engine.PovScore(chess.engine.Cp(move.score), mover)


def _note(move: PlayedMove, score: chess.engine.PovScore | None) -> str:
    """What is known of a move in words: score from White's view, depth, time and nodes."""
    parts = []
    if score is not None:
        mate, centipawns = score.white().mate(), score.white().score()
        parts.append(f"{centipawns / 100:+.2f}" if centipawns is not None else f"mate in {abs(mate or 0)}")
    if move.depth:
        parts.append(f"depth {move.depth}")
    if move.milliseconds is not None:
        spent = move.milliseconds
        parts.append(f"{spent / 1000:.2f} s" if spent >= 1000 else f"{spent:.0f} ms")
    if move.nodes:
        parts.append(f"{move.nodes:,} nodes")
    return " · ".join(parts)

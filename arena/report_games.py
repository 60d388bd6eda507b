"""The games that a page reports on: those of a match folder, or of a PGN file from any program."""

import base64
import io
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import chess
import chess.engine
import chess.pgn

from zobra.arena.accuracy import winning_chance
from zobra.arena.compressed_text import read_text
from zobra.arena.game_record import POINTS_OF_WHITE, GameRecord
from zobra.arena.journal import Journal
from zobra.arena.pgn import pgn_game
from zobra.arena.played_move import PlayedMove
from zobra.arena.results import Results
from zobra.arena.settings import Settings

# headers of a PGN file that its page shows, with their names there
_SHOWN_HEADERS = {"Event": "event", "Site": "site", "Date": "played", "TimeControl": "time control", "Annotator": "analysed by"}
# what match tools write before other words of a comment: score/depth, time and more
_RUNNER_FORM = re.compile(r'^(book|[+-]?(M?[\d.]+)/\d+( [\d.]+s?)?|[\d.]+s)(, \w+=("[^"]*"|[^\s,]+))*(,? |$)')


@dataclass(frozen=True)
class ReportedGame:
    """A game of a page: its record, and how to make its PGN tree, which may have variations."""

    record: GameRecord
    tree: Callable[[], chess.pgn.Game]
    headers: Mapping[str, str] = field(default_factory=dict)  # of a PGN game

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
        if (start := tree.eval()) is not None:
            chances[0], notes[0] = round(winning_chance(start.white()), 3), _score_text(start)
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
    names: dict[str, None] = {}
    headers: dict[str, dict[str, None]] = {name: {} for name in _SHOWN_HEADERS}  # sets that keep their order
    games, problems, pairs = [], [], _Pairs()
    for index, tree in enumerate(_trees(path)):
        if tree.errors or tree.board().uci_variant != "chess":
            problems.append(f"game {index + 1}: {tree.errors[0] if tree.errors else 'a variant of chess'}")
            continue
        games.append(_reported(index, tree, pairs))
        names |= dict.fromkeys((games[-1].record.white, games[-1].record.black))
        for name, values in headers.items():
            values[tree.headers.get(name, "").strip("?.")] = None
    if not games:
        raise ValueError(f"{path}: {problems[0] if problems else 'no game in this file'}")
    shown = {label: _summary(list(headers[name])) for name, label in _SHOWN_HEADERS.items()}
    control, played = shown["time control"], shown["played"]
    return ReportedGames(path, list(names), games, control, played, run={"shown": shown}, problems=problems)


def _summary(values: list[str]) -> str:
    """The values of a header in words: "10+0.1", or "2025.05.01 and 3 others"."""
    known = [value for value in values if value]
    more = f" and {len(known) - 1} other{'s' * (len(known) > 2)}" if len(known) > 1 else ""
    return f"{known[0]}{more}" if known else ""


def _trees(path: Path) -> Iterator[chess.pgn.Game]:
    file = io.StringIO(read_text(path))
    while (tree := chess.pgn.read_game(file)) is not None:
        if tree.next() is not None or "FEN" in tree.headers or tree.headers.get("White", "?") != "?":
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
        white, black = ("White", "Black") if white == "?" else (f"{white} (White)", f"{black} (Black)")
    name = headers.get("Opening") or headers.get("Event", "?").strip("?")
    opening = {"fen": board.fen(), "name": name, "root": root or chess.STARTING_FEN, "moves": moves}
    record = GameRecord(
        index, pairs.number(index, white, black, (root, *moves)), 1, white, black, opening, headers.get("Result", "*"),
        _reason(tree.end()) or headers.get("Termination", "unknown").lower(),
        moves=[PlayedMove.from_node(node) for node in nodes[book:]],
    )  # fmt: skip
    return ReportedGame(record, lambda: tree, headers)


def _reason(end: chess.pgn.GameNode) -> str:
    """Why the rules of chess end the game there; empty where they do not."""
    outcome = end.board().outcome(claim_draw=True)
    return outcome.termination.name.lower().replace("_", " ") if outcome else ""


def _score(move: PlayedMove, mover: chess.Color) -> chess.engine.PovScore | None:
    if move.mate is not None:
        return chess.engine.PovScore(chess.engine.Mate(move.mate), mover)
    return None if move.score is None else chess.engine.PovScore(chess.engine.Cp(move.score), mover)


def _score_text(score: chess.engine.PovScore) -> str:
    """A score from White's view: "+0.31", or "mate in 3"."""
    mate, centipawns = score.white().mate(), score.white().score()
    return f"{centipawns / 100:+.2f}" if centipawns is not None else f"mate in {abs(mate or 0)}"


def _note(move: PlayedMove, score: chess.engine.PovScore | None) -> str:
    """What is known of a move in words: score from White's view, depth, time and nodes."""
    parts = []
    if score is not None:
        parts.append(_score_text(score))
    if move.depth:
        parts.append(f"depth {move.depth}")
    if move.milliseconds is not None:
        spent = move.milliseconds
        parts.append(f"{spent / 1000:.2f} s" if spent >= 1000 else f"{spent:.0f} ms")
    if move.nodes:
        parts.append(f"{move.nodes:,} nodes")
    return " · ".join(parts)

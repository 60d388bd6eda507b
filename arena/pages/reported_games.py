"""The games that a page reports on: those of a match folder, or of a PGN file from any program."""

import base64
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from pathlib import Path

import chess
import chess.engine
import chess.pgn

from zobra.arena.formats.files import read_json, read_text, typed
from zobra.arena.formats.move_comment import read_comment
from zobra.arena.formats.pgn import read_games, write_game
from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.formats.text import printable
from zobra.arena.model.accuracy import winning_chance
from zobra.arena.model.game_record import POINTS_OF_WHITE, GameRecord
from zobra.arena.model.journal import Journal, RunConditions, read_game
from zobra.arena.model.results import Results
from zobra.arena.model.settings import Settings

Rated = tuple[
    str, float, float, float | None
]  # an engine's name, rating, 95 % margin, and rating before

# headers of a PGN file that its page shows, with their names there
_SHOWN_HEADERS = {
    "Event": "event",
    "Site": "site",
    "Date": "played",
    "TimeControl": "time control",
    "Annotator": "analysed by",
}
# what the header Termination says of games that ended on the board
_NORMAL = ("", "?", "-", "normal", "unknown")


@dataclass(frozen=True)
class ReportedGame:
    """A game of a page: its record, and how to make its PGN tree, which may have variations."""

    record: GameRecord
    tree: Callable[[], chess.pgn.Game]
    headers: Mapping[str, str] = field(default_factory=dict)  # of a PGN game

    def moves(self) -> Iterator[tuple[int, str, PlayedMove, chess.engine.PovScore | None]]:
        """Each move after the book with its full-move number, its player's name before it, and its
        score behind it.
        """
        start = chess.Board(self.record.opening["fen"]).ply()
        for ply, move in enumerate(self.record.moves, start):
            score = (
                chess.engine.Cp(move.score or 0)
                if move.mate is None
                else chess.engine.Mate(move.mate)
            )
            known = (
                chess.engine.PovScore(score, ply % 2 == 0)
                if (move.score, move.mate) != (None, None)
                else None
            )
            yield ply // 2 + 1, self.record.black if ply % 2 else self.record.white, move, known

    def replay(self) -> str:
        """What the viewer of the page replays: JSON as replay.js reads it, packed by zlib, in
        base64.
        """
        tree, book = self.tree(), len(self.record.opening["moves"])
        nodes, start = list(tree.mainline()), tree.eval()
        scores = [start, *[None] * book]
        notes = [_score_text(start) if start else "", *[""] * book]
        for node in nodes[:book]:
            node.comment = ""
        for node, (_, _, move, score) in zip(nodes[book:], self.moves(), strict=True):
            node.comment = read_comment(node.comment).text
            if score is not None:
                node.set_eval(score, move.depth)
            if move.clock_ms is not None:
                node.set_clock(move.clock_ms / 1000)
            scores.append(score)
            spent = move.milliseconds
            time = (
                ""
                if spent is None
                else f"{spent / 1000:.2f} s"
                if spent >= 1000
                else f"{spent:.0f} ms"
            )
            depth, count = (
                f"depth {move.depth}" if move.depth else "",
                f"{move.nodes:,} nodes" if move.nodes else "",
            )
            notes.append(
                " · ".join(filter(None, [_score_text(score) if score else "", depth, time, count]))
            )
        chances = [score and round(winning_chance(score.white()), 3) for score in scores]
        content = {
            "pgn": f"{write_game(tree, columns=None)}\n",
            "chances": chances,
            "notes": notes,
            "chess960": tree.board().chess960,
        }
        return base64.b64encode(
            zlib.compress(json.dumps(content, separators=(",", ":")).encode(), 9)
        ).decode()


@dataclass
class ReportedGames:
    """All games of a page, in their order, with what is known of how they were played."""

    source: Path
    engines: list[str]
    games: list[ReportedGame]
    conditions: dict[str, str] = field(
        default_factory=dict
    )  # what is known of time control, date, machine and more
    settings: Settings | None = None
    ratings: list[Rated] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    left_out: int = 0  # games of a PGN file that cannot be read

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
    """Reads run.json, journal.jsonl, ratings.json.

    Lines that are no games become problems. Raises OSError or ValueError.
    """
    settings = Journal.settings_in(folder)
    conditions = _conditions(settings, Journal.conditions_in(folder))
    found = ReportedGames(folder, [e.name for e in settings.engines], [], conditions, settings)
    with (folder / "journal.jsonl").open(encoding="utf-8", errors="replace") as journal:
        for number, line in enumerate(journal, start=1):
            try:
                record = read_game(line, f"journal.jsonl:{number}", settings)
                found.games.append(ReportedGame(record, partial(record.to_pgn, settings)))
            except ValueError as error:
                found.problems.append(str(error))
    found.games.sort(key=lambda game: game.record.index)
    if (ratings := folder / "ratings.json").exists():
        found.ratings = read_json(ratings, "a rating list", partial(typed, list[Rated]))
    return found


def _conditions(settings: Settings, run: RunConditions) -> dict[str, str]:
    """How the games of a match were played."""
    shown = {"time control": settings.time_control, "played": run.created.replace("T", " ")}
    for engine in settings.engines:
        options = ", ".join(f"{name}={value}" for name, value in engine.options.items())
        parts = [
            run.versions.get(engine.name),
            " ".join(engine.command),
            options and f"options {options}",
        ]
        if engine.time_control or engine.time_odds != 1:
            parts.append(f"time control {settings.controls[engine.name]}")
        shown[engine.name] = "; ".join(filter(None, parts))
    book = (
        f"{settings.book}, {settings.order} order"
        if settings.book
        else f"{settings.plies} random plies"
    )
    rules = [
        f"{name.replace('_', ' ')} {value}"
        for name, value in asdict(settings.rules).items()
        if value
    ]
    shown |= {"margin": f"{settings.margin_ms:g} ms", "openings": f"{book}, seed {settings.seed}"}
    return shown | {
        "adjudication": ", ".join(rules) or "none",
        "machine": run.machine,
        "command": run.command_line,
    }


def read_pgn(path: Path) -> ReportedGames:
    """Read a PGN file; games that cannot be read become problems.

    Raise OSError, or ValueError when there is no game at all.
    """
    found, waiting = ReportedGames(path, [], []), dict[tuple, int]()
    for index, tree in enumerate(read_games(read_text(path))):
        if isinstance(tree, ValueError):
            found.problems.append(str(tree))
            found.left_out += 1
            continue
        found.problems += map(str, tree.errors)
        is_named = tree.headers.get("White", "?") != "?"
        if tree.next() is not None or "FEN" in tree.headers or is_named:
            found.games.append(_reported(index, tree, waiting))
    if not found.games:
        reason = f" ({found.problems[0]})" if found.problems else ""
        raise ValueError(f"{path}: no game in this file{reason}")
    found.engines = list(
        dict.fromkeys(
            name for game in found.games for name in (game.record.white, game.record.black)
        )
    )
    found.conditions["file"] = printable(str(path))
    for header, name in _SHOWN_HEADERS.items():  # such as "2025.05.01 and 3 more"
        values = list(
            dict.fromkeys(
                filter(None, (game.headers.get(header, "").strip("?.") for game in found.games))
            )
        )
        found.conditions[name] = (
            f"{values[0]} and {len(values) - 1} more" if len(values) > 1 else "".join(values)
        )
    return found


def _reported(index: int, tree: chess.pgn.Game, waiting: dict[tuple, int]) -> ReportedGame:
    """A PGN game in the form of a match's games.

    Leading moves with the comment "book" are its opening. `waiting` has games whose return game
    with the same opening has not come yet; games without a known opening have none.
    """
    nodes, headers = list(tree.mainline()), tree.headers
    root = tree.board().fen() if "FEN" in headers else ""
    book = next((number for number, node in enumerate(nodes) if node.comment != "book"), len(nodes))
    moves = [node.move.uci() for node in nodes[:book]]
    white, black = headers.get("White", "?"), headers.get("Black", "?")
    if white == black:
        white, black = (
            ("White", "Black") if white == "?" else (f"{white} (White)", f"{black} (Black)")
        )
    name = headers.get("Opening") or headers.get("Event", "?").strip("?")
    pair = waiting.pop((black, white, root, *moves), index) if root or moves else index
    if pair == index:
        waiting[(white, black, root, *moves)] = index
    fen = (nodes[book - 1] if book else tree).board().fen()
    opening = {"fen": fen, "name": name, "root": root or chess.STARTING_FEN, "moves": moves}
    played = [PlayedMove.from_node(node) for node in nodes[book:]]
    result = headers.get("Result", "*")
    reason = _reason(tree, result)
    record = GameRecord(index, pair, 1, white, black, opening, result, reason, moves=played)
    return ReportedGame(record, lambda: tree, headers)


def _reason(tree: chess.pgn.Game, result: str) -> str:
    """Return how a PGN game ended: what its headers say, else what the rules say.

    Mate and stalemate end a game by themselves.
    """
    headers = tree.headers
    stated = headers.get("Termination", "").strip()
    for name in (headers.get("White"), headers.get("Black")):
        if name:
            stated = stated.removeprefix(name).strip()  # "Bob won on time"
    board = tree.end().board()
    outcome = board.outcome(claim_draw=stated.lower() in _NORMAL)
    if outcome is not None and outcome.result() == result:
        is_certain = not any(board.legal_moves)
        if is_certain or stated.lower() in _NORMAL:
            return outcome.termination.name.replace("_", " ").lower()
    return stated.lower() or "unknown"


def _score_text(score: chess.engine.PovScore) -> str:
    """A score from White's view: "+0.31", or "mate in 3"."""
    mate, centipawns = score.white().mate(), score.white().score()
    return f"{centipawns / 100:+.2f}" if centipawns is not None else f"mate in {abs(mate or 0)}"

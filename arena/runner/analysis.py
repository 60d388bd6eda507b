"""Analysis of games and positions by an engine: evaluations, marks for mistakes, better lines.

An interrupted analysis is resumed.
"""

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import chess
import chess.engine
import chess.pgn

from zobra.arena.formats.files import read_text, write_safely
from zobra.arena.formats.game_source import AnalysisSource
from zobra.arena.formats.pgn import read_game, split_games
from zobra.arena.model.accuracy import (
    MARKS,
    SIDE_NAMES,
    SideSummary,
    centipawn_loss,
    mark,
    winning_chance,
)
from zobra.arena.runner.player import GRACE, EngineFailure, EnginePlayer

_LINE_PLIES = 12  # of a line that is written as a variation
_LONGEST_SILENCE = 600.0  # seconds between two lines of output, without a limit of time
_COMPARED = ("White", "Black", "Event", "FEN")  # headers that a game keeps when it is analysed


class Search(NamedTuple):
    """How each position is searched: the limit, and the number of lines."""

    limit: chess.engine.Limit
    lines: int = 1

    def __str__(self) -> str:
        """Return the search in words: "100 ms per position, 3 lines"."""
        parts = []
        if self.limit.time:
            parts.append(f"{self.limit.time * 1000:.10g} ms")
        if self.limit.depth:
            parts.append(f"{self.limit.depth:.10g} plies")
        if self.limit.nodes:
            parts.append(f"{self.limit.nodes:.10g} nodes")
        text = f"{', '.join(parts)} per position"
        return f"{text}, {self.lines} lines" if self.lines > 1 else text


class EngineLine(NamedTuple):
    """One line of a search: its score, depth in plies, and moves."""

    score: chess.engine.PovScore
    depth: int
    moves: list[chess.Move]


class Analyst(EnginePlayer):
    """An engine process that analyses positions."""

    async def lines(self, board: chess.Board, search: Search, game: object) -> list[EngineLine]:
        """Return the engine's lines for a position, best first.

        If the game is over, the engine is not asked: there is one line without moves, with the
        score of the result. Raise EngineFailure.
        """
        outcome = board.outcome()
        if outcome is not None:
            score = chess.engine.Cp(0) if outcome.winner is None else chess.engine.Mate(0)
            return [EngineLine(chess.engine.PovScore(score, board.turn), 0, [])]

        timeout = None if search.limit.time is None else search.limit.time + GRACE
        searching = asyncio.ensure_future(self._infos(board, search, game))
        # python-chess cannot cancel a search that has just begun; after Ctrl-C the end of the
        # engine ends it
        searching.add_done_callback(lambda task: task.cancelled() or task.exception())
        try:
            infos = await asyncio.wait_for(asyncio.shield(searching), timeout)
        except asyncio.TimeoutError as error:
            problem = f"nothing heard for {_LONGEST_SILENCE:g} s"
            if timeout is not None:
                problem = f"no answer within {timeout:g} s"
            raise EngineFailure("stall", f"{self.spec.name}: {problem}") from error
        except chess.engine.EngineError as error:
            raise EngineFailure("disconnect", f"{self.spec.name}: {error}") from error

        lines = []
        for info in infos:
            if "score" in info and info.get("pv"):
                lines.append(EngineLine(info["score"], info.get("depth", 0), info["pv"]))
        if not lines:
            raise EngineFailure(
                "illegal move", f"{self.spec.name} gave no line with a score for {board.fen()}"
            )
        return lines

    async def _infos(
        self, board: chess.Board, search: Search, game: object
    ) -> list[chess.engine.InfoDict]:
        """Search a position, and return what the engine said last of each line.

        Without a limit of time, raise TimeoutError after a long silence.
        """
        several = search.lines if search.lines > 1 else None  # which XBoard engines cannot show
        silence = _LONGEST_SILENCE if search.limit.time is None else None
        analysis = await self.analysis(board, search.limit, game, {}, several)
        with contextlib.suppress(chess.engine.AnalysisComplete):
            while True:
                await asyncio.wait_for(analysis.get(), silence)
        return analysis.multipv


async def annotate(
    game: chess.pgn.Game, engine: Analyst, search: Search, progress: Callable[[float], None]
) -> tuple[dict[chess.Color, SideSummary], list[EngineLine]]:
    """Annotate a game with evaluations, marks, better lines and a summary of each side.

    A position without moves gets lines, a game that ended without any does not. Positions are
    searched from the last to the first, so that the transposition table knows later ones.
    `progress` gets the share that is done, from 0 to 1. Return the summaries, and the lines of the
    first position. Raise EngineFailure.
    """
    moves = list(game.mainline())
    nodes = [game, *moves]
    found: list[list[EngineLine]] = []
    for node in reversed(nodes):
        found.insert(0, await engine.lines(node.board(), search, game))
        progress(len(found) / len(nodes))

    game.headers["Annotator"] = f"{engine.announced_name}, {search}"
    if not moves:
        if game.headers.get("Result", "*") == "*":
            _add_lines(game, found[0], None)
        _set_evaluation(game, found[0][0])
    sides = {chess.WHITE: SideSummary(), chess.BLACK: SideSummary()}
    for ply, node in enumerate(moves, start=1):
        before = found[ply - 1]
        loss = _annotate_move(node, before, found[ply][0], sides[not node.turn()])
        if mark(loss) is not None or search.lines > 1:
            _add_lines(node.parent, before, node.move)

    for color, side in sides.items():
        if side.accuracy is not None:
            game.headers[f"{SIDE_NAMES[color]}Accuracy"] = f"{side.accuracy:.1f}"
            game.headers[f"{SIDE_NAMES[color]}Errors"] = str(side)
    return sides, found[0]


def _annotate_move(
    node: chess.pgn.ChildNode, before: list[EngineLine], after: EngineLine, side: SideSummary
) -> float:
    """Write the evaluation and the mark of a move, and count it for its side.

    Return the winning chance that it lost.
    """
    mover = not node.turn()
    best = before[0].score.pov(mover)
    played = after.score.pov(mover)
    loss = 0.0
    centipawns = 0
    if before[0].moves[:1] != [node.move]:
        loss = max(0.0, winning_chance(best) - winning_chance(played))
        centipawns = centipawn_loss(best, played)
    side.chances.append(loss)
    side.centipawns.append(centipawns)

    _set_evaluation(node, after)
    node.nags -= {nag for _, nag, *_ in MARKS}
    nag = mark(loss)
    if nag is not None:
        node.nags.add(nag)
    return loss


def _add_lines(
    node: chess.pgn.GameNode, lines: list[EngineLine], played: chess.Move | None
) -> None:
    """Add lines that the game does not have yet and that do not begin with `played`."""
    for line in lines:
        if line.moves and line.moves[0] != played and not node.has_variation(line.moves[0]):
            node.add_line(line.moves[:_LINE_PLIES])
            _set_evaluation(node.variation(line.moves[0]), line)


def _set_evaluation(node: chess.pgn.GameNode, line: EngineLine) -> None:
    node.set_eval(line.score, line.depth)
    if line.score.white().mate() == 0:  # python-chess reads a mate in 0, but does not write it
        node.comment = f"{node.comment} [%eval #0,{line.depth}]".strip()


def analysed_games(output: Path, annotator: str, source: AnalysisSource) -> int:
    """Return the number of games that an earlier run has written; an unfinished one is cut off.

    Raise ValueError if the file has other content.
    """
    if not output.exists():
        return 0
    content = read_text(output)
    texts = split_games(content)
    if len(texts) > 1 and not content.endswith("\n\n"):
        texts.pop()
    originals = (game for game in source.games() if isinstance(game, chess.pgn.Game))
    for text in texts:
        _check_analysed(output, text, annotator, next(originals, None))
    kept = "".join(texts)
    if len(kept) < len(content):
        write_safely(output, kept)
    return len(texts)


def _check_analysed(
    output: Path, text: str, annotator: str, original: chess.pgn.Game | None
) -> None:
    """Raise ValueError if a text is not this game, analysed in this way."""
    found = "nobody"
    try:
        game = read_game(text)
    except ValueError:
        is_same = False
    else:
        found = game.headers.get("Annotator", found)
        is_same = original is not None and found == annotator and _is_same_game(game, original)
    if not is_same:
        raise ValueError(
            f"{output} holds another analysis (by {found}): name another file with --output, or "
            "replace it with --force"
        )


def _is_same_game(game: chess.pgn.Game, original: chess.pgn.Game) -> bool:
    for name in _COMPARED:
        if game.headers.get(name) != original.headers.get(name):
            return False
    if original.next() is None:  # a position gets moves by its analysis
        return True
    return list(game.mainline_moves()) == list(original.mainline_moves())

"""Iterative deepening: the root is searched depth after depth, for one line or several, each in an aspiration window.

A further line (MultiPV) is a search of the root without the first moves of the better lines. The table's entry of the root is
for all moves, so it is put back afterwards. Meanwhile it holds the first move that the line had at the last depth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from zobra.engine.position import TABLES_RECORD
from zobra.engine.scores import INFINITY, is_mate
from zobra.search.negamax import negamax
from zobra.search.worker import ROOT_MOVES
from zobra.tt.entry import EXACT, LOWER, UPPER, as_hint, unpack
from zobra.tt.table import Table

WIDEST_WINDOW = 1_000  # centipawns; a wider window is opened to infinity


@dataclass(frozen=True)
class PvLine:
    """A principal variation and its score (centipawns, or to mate); bound: 0 exact, 1 at least, -1 at most this."""

    depth: int
    selective_depth: int
    score: int
    bound: int
    moves: tuple[int, ...]


LineListener = Callable[[int, PvLine], None]


def _share_count(found: tuple[int, ...], moves: tuple[int, ...]) -> bool:
    """Do two lines begin with the same move, or with promotions of one pawn, whose nodes are counted together?"""
    return bool(found) and found[0] % ROOT_MOVES == moves[0] % ROOT_MOVES


class IterativeDeepening:
    """Searches the root that is set in a worker. `choices` are its moves to search.

    `lines` are the best lines found, best first, at most `wanted`. `report(number, line)` is called after each window if one
    line is wanted, otherwise for all lines together when a depth is finished.
    """

    def __init__(self, worker: Any, table: Table, choices: Sequence[int], wanted: int, report: LineListener) -> None:
        self.lines: list[PvLine] = []
        self._worker, self._table, self._report, self._choices = worker, table, report, choices
        self._confined = bool(worker["root_moves"]["count"])
        self._wanted = min(wanted, len(choices))
        self._key = int(worker["stack"][0]["position"]["key"])
        self._known = table.recall(self._key)  # now, before any other thread searches this root

    def run(self, depths: range, is_enough: Callable[[int, PvLine], bool]) -> None:
        """Search depth after depth until stopped, or `is_enough(depth, best line)`. A stop reports all lines again."""
        for depth in depths:
            self._search_depth(depth)
            if self._worker["stopped"] or self._wanted > 1:
                for number, line in enumerate(self.lines, 1):
                    self._report(number, line)
            if self._worker["stopped"] or is_enough(depth, self.lines[0]):
                break
        if self._confined:
            self._table.revise(self._key, self._known)
        elif len(self._choices) == 1 and self.lines:
            self._keep_known()

    def _keep_known(self) -> None:
        """A forced move is seldom searched deeply. Prefer what the table knew of the root, if that was of a deeper search."""
        _, score, depth, bound = unpack(self._known)
        is_proven = bound == EXACT or (is_mate(score) and bound == (LOWER if score > 0 else UPPER))
        if is_proven and depth > self.lines[0].depth:
            self._table.revise(self._key, self._known)
            self.lines = [PvLine(depth, depth, score, 0, self.lines[0].moves)]
            self._report(1, self.lines[0])

    def _search_depth(self, depth: int) -> None:
        """Find the lines of one depth. Those not reached before a stop stay as they were."""
        found: list[PvLine] = []
        for number in range(self._wanted):
            taken = {line.moves[0] for line in found}
            before = next((line for line in self.lines if line.moves[0] not in taken), None)
            with self._root_without(taken, before):
                line = self._search_line(depth, before, number == 0)
            if line is not None:
                found.append(line)
            if self._worker["stopped"]:
                break
        found.sort(key=lambda line: -line.score)  # of equals, the one that was found first
        if self._worker["stopped"]:
            begun = {line.moves[0] for line in found}
            found = (found + [line for line in self.lines if line.moves[0] not in begun])[: self._wanted]
        self.lines = found

    @contextmanager
    def _root_without(self, taken: set[int], before: PvLine | None) -> Iterator[None]:
        """Confine the root to the choices not taken, and restore its table entry afterwards."""
        root_moves = self._worker["root_moves"]
        allowed = [move for move in self._choices if move not in taken] if taken or self._confined else []
        root_moves["count"] = len(allowed)
        root_moves["moves"][: len(allowed)] = allowed
        known = self._table.recall(self._key)
        if taken and known and before:
            self._table.revise(self._key, as_hint(known, before.moves[0]))
        yield
        if taken:
            self._table.revise(self._key, known)

    def _search_line(self, depth: int, before: PvLine | None, is_first: bool) -> PvLine | None:
        """Search one line in a window around its last score, widened on the side that fails.

        After a stop: the line if its first move was found better than that of the line `before`, None otherwise. Another thread
        may have changed the root's entry, so the search may have been stopped before it came to the latter.
        """
        parameters = self._worker["parameters"]
        margin = int(parameters["aspiration_margin"])
        alpha, beta = -int(INFINITY), int(INFINITY)
        if before is not None and depth >= parameters["aspiration_depth"] and not is_mate(before.score):
            alpha, beta = before.score - margin, before.score + margin
        moves = before.moves if before else ()
        self._worker["root_depth"] = depth
        reduction = 0
        last: PvLine | None = None
        while True:
            self._worker["selective_depth"] = self._worker["root_number"] = 0
            spent = self._nodes_of(moves)
            score = int(negamax(self._worker, TABLES_RECORD, 0, max(1, depth - reduction), alpha, beta, 0))
            found = self._moves()
            if self._worker["stopped"]:
                compared = not moves or (self._nodes_of(moves) > spent and not _share_count(found, moves))
                if is_first and compared and found:
                    return self._line(depth, int(self._worker["root_score"]), 0, found)
                is_other = is_first and last and before and last.moves[0] != before.moves[0]
                return last if is_other else None
            moves = found or moves
            bound = 1 if score >= beta else -1 if score <= alpha else 0
            last = line = self._line(depth, score, bound, moves)
            if self._wanted == 1:
                self.lines = [line]
                self._report(1, line)
            if bound == 0:
                return line
            margin *= 2
            if bound > 0:
                reduction = min(reduction + 1, int(parameters["aspiration_reduction"]))
                beta = score + margin if margin <= WIDEST_WINDOW else int(INFINITY)
            else:
                reduction, beta = 0, (alpha + beta) // 2
                alpha = score - margin if margin <= WIDEST_WINDOW else -int(INFINITY)

    def _nodes_of(self, line: tuple[int, ...]) -> int:
        """Nodes spent so far on the first move of a line; 0 if there is none."""
        return int(self._worker["root_nodes"][line[0] % ROOT_MOVES]) if line else 0

    def _moves(self) -> tuple[int, ...]:
        length = int(self._worker["pv_length"][0])
        return tuple(int(move) for move in self._worker["pv"][0][:length])

    def _line(self, depth: int, score: int, bound: int, moves: tuple[int, ...]) -> PvLine:
        return PvLine(depth, max(depth, int(self._worker["selective_depth"])), score, bound, moves)

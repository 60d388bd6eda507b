"""A running match: a pool plays its games, and the journal stores them.

It ends after the last game, by SPRT, when an engine keeps crashing, or when the user interrupts it.
"""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import chess

from zobra.arena.model.game_record import GameRecord
from zobra.arena.model.journal import Journal
from zobra.arena.model.openings import Opening
from zobra.arena.model.results import CRASHES, Results
from zobra.arena.model.settings import Pairing, Settings
from zobra.arena.runner.checks import Checked, start_each
from zobra.arena.runner.player import EnginePlayer
from zobra.arena.runner.pool import Pool, PoolOptions
from zobra.arena.runner.processes import interruptible

MOST_CRASHES = 3  # of an engine that crashes in more than a tenth of its games, then a run ends


class Match:
    """A match and its journal.

    If it ends before its last game, `verdict` (H0 or H1), `interrupted` or `error` says why, or
    `results.crashing` names an engine that keeps crashing.
    """

    def __init__(self, journal: Journal, schedule: Sequence[Pairing], total: int = 0) -> None:
        """Count the games in a journal; `total` is the number of games if there is no schedule.

        Raise ValueError if a game in the journal is not scheduled or occurs twice.
        """
        self.journal = journal
        self.settings = journal.settings
        self.schedule = schedule
        self.total = total or len(schedule)
        self.results = Results(list(self.settings.controls))
        self.done: set[int] = set()
        self.llr: float | None = None
        self.verdict: str | None = None
        self.interrupted = False
        self.error: OSError | None = None
        for record in journal.records:
            if not self._is_expected(record):
                path = journal.folder / "journal.jsonl"
                raise ValueError(f"{path}: game {record.index} is not the scheduled one")
            self.count(record)

    def _is_expected(self, record: GameRecord) -> bool:
        if record.index in self.done or not 0 <= record.index < self.total:
            return False
        return not self.schedule or record.belongs_to(self.schedule[record.index])

    @property
    def is_over(self) -> bool:
        """True if there is a verdict or no game is left to play."""
        return self.verdict is not None or len(self.done) == self.total

    def games(self) -> Iterator[Pairing]:
        """Yield the games that have not been played yet."""
        for pairing in self.schedule:
            if pairing.index not in self.done:
                yield pairing

    def count(self, record: GameRecord) -> bool:
        """Count a game. Return True if it completed its pair."""
        self.done.add(record.index)
        return self.results.add(record)

    def after_pair(self) -> None:
        """Update the verdict of the SPRT, if there is one; crashes are no evidence.

        This is called after each pair, and before the first one.
        """
        if self.settings.sprt is not None:
            self.llr = self.settings.sprt.llr(self.results.pentanomial(*self.results.names))
            self.verdict = None
            if not self.results.crashing():
                self.verdict = self.settings.sprt.verdict(self.llr)

    def play(self, options: PoolOptions, observer: Any) -> None:
        """Play the remaining games.

        Call the observer's begin(match), started(pairing) and finished(record, match) at these
        moments. Raise RuntimeError if worker processes keep dying.
        """
        self.after_pair()
        observer.begin(self)
        if self.verdict is not None:
            return
        try:
            records = Pool(self.settings, options).play(self.games(), observer.started)
            with interruptible(), contextlib.closing(records):
                for record in records:
                    self.journal.add(record)
                    if self.count(record):
                        self.after_pair()
                    observer.finished(record, self)
                    if self.verdict is not None or self._is_crash_too_many(record):
                        break
        except KeyboardInterrupt:
            self.interrupted = True
        except OSError as error:
            self.error = error

    def _is_crash_too_many(self, record: GameRecord) -> bool:
        """Return True if an engine crashed in this game, and has done so too often."""
        name = self.results.crashing()
        return record.reason in CRASHES and self.results.crashes(name) >= MOST_CRASHES


def check_engines(settings: Settings, openings: Iterable[Opening]) -> dict[str, Checked]:
    """Start each engine once, and return what they say of themselves, by name.

    Raise EngineFailure that names all engines that do not start or cannot play such games.
    """
    from_start = all(opening.fen == chess.STARTING_FEN for opening in openings)

    def check(player: EnginePlayer) -> None:
        control = settings.controls[player.spec.name]
        player.check_able(settings.chess960, from_start, control)

    found = start_each(settings.engines, settings.stall_seconds, check)
    return dict(zip(settings.controls, found, strict=True))

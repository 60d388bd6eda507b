"""The settings of a match: everything that decides which games are played and how. run.json keeps them."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from zobra.arena.adjudication import AdjudicationRules
from zobra.arena.clock import TimeControl
from zobra.arena.engines import EngineSpec
from zobra.arena.openings import ORDERS, SEQUENTIAL, Opening, opening_source
from zobra.arena.schedule import ROUND_ROBIN, TOURNAMENTS
from zobra.arena.statistics import Sprt

MOST_ROUNDS = 1_000_000


@dataclass(frozen=True)
class Settings:
    """`rounds` pairs of games for each two engines that meet; times in milliseconds unless the name says seconds."""

    engines: tuple[EngineSpec, ...]
    time_control: str
    rounds: int
    tournament: str = ROUND_ROBIN
    book: str | None = None
    book_digest: str | None = None
    order: str = SEQUENTIAL
    seed: int = 0
    plies: int | None = None
    chess960: bool = False
    margin_ms: float = 0
    stall_seconds: float = 60
    rules: AdjudicationRules = field(default_factory=AdjudicationRules)
    sprt: Sprt | None = None

    def __post_init__(self) -> None:
        """Raises ValueError for what cannot be played."""
        if not self.engines or not 0 <= self.rounds <= MOST_ROUNDS:
            raise ValueError(f"no engines, or not 0 to {MOST_ROUNDS} rounds")
        for value, known in ((self.order, ORDERS), (self.tournament, TOURNAMENTS)):
            if value not in known:
                raise ValueError(f"{value}: neither {' nor '.join(known)}")
        if len(self.controls) < len(self.engines):
            raise ValueError("two engines have the same name; NAME=COMMAND gives one another")
        if self.sprt and len(self.engines) != 2:
            raise ValueError("an SPRT needs exactly two engines")

    @cached_property
    def controls(self) -> dict[str, TimeControl]:
        """Each engine's own time control, by its name. Raises ValueError."""
        return {
            engine.name: TimeControl.parse(engine.time_control or self.time_control).scaled(engine.time_odds)
            for engine in self.engines
        }

    def openings(self) -> Callable[[int], Opening]:
        """The opening of each round, from 0. Raises ValueError or OSError when the book cannot be used."""
        book = Path(self.book) if self.book else None
        return opening_source(book, self.rounds, order=self.order, seed=self.seed, plies=self.plies, chess960=self.chess960)


def digest(path: Path) -> str:
    """A digest of a book's content, by which a change is noticed. Raises OSError."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]

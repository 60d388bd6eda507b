"""What a match is: everything that decides which games are played and how, as it stands in run.json."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from zobra.arena.adjudication import Rules
from zobra.arena.clock import TimeControl
from zobra.arena.engines import EngineSpec
from zobra.arena.openings import ORDERS, SEQUENTIAL, Opening, opening_source
from zobra.arena.schedule import ROUND_ROBIN, TOURNAMENTS
from zobra.arena.statistics import Sprt


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
    rules: Rules = field(default_factory=Rules)
    sprt: Sprt | None = None

    def __post_init__(self) -> None:
        """Raises ValueError for what cannot be played."""
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

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "Settings":
        """From plain values, other keys ignored. Raises KeyError, TypeError or ValueError."""
        known = {name: values[name] for name in cls.__dataclass_fields__}
        known["engines"] = tuple(map(EngineSpec.from_json, values["engines"]))
        rules: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in values["rules"].items()
        }
        known["rules"] = Rules(**rules)
        known["sprt"] = values["sprt"] and Sprt(**values["sprt"])
        return cls(**known)


def digest(path: Path) -> str:
    """Tells whether a book is still the same. Raises OSError."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]

"""The settings of a match, stored in run.json: all that decides which games are played and how.

Games come in pairs: both games of a pair have the same opening, with colours reversed.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

from zobra.arena.model.adjudication import AdjudicationRules
from zobra.arena.model.clock import TimeControl
from zobra.arena.model.engines import EngineSpec
from zobra.arena.model.openings import ORDERS, SEQUENTIAL, Opening, OpeningSource, opening_source
from zobra.arena.model.statistics import Sprt

ROUND_ROBIN = "round-robin"
GAUNTLET = "gauntlet"
TOURNAMENTS = (ROUND_ROBIN, GAUNTLET)
MOST_ROUNDS = 1_000_000
EVENT = "Zobra match"
SITE = "?"
# What a field of Settings is called on the command line
OPTION_NAMES = {
    "engines": "engines",
    "time_control": "--tc",
    "rounds": "--games",
    "tournament": "--tournament",
    "book": "--openings",
    "book_digest": "content of --openings",
    "order": "--order",
    "seed": "--seed",
    "plies": "--plies",
    "chess960": "--chess960",
    "margin_ms": "--margin",
    "stall_seconds": "--stall",
    "rules": "rules for the end of games",
    "sprt": "--sprt",
    "event": "--event",
    "site": "--site",
}


@dataclass(frozen=True)
class Pairing:
    """One game to play."""

    index: int  # counts games from 0
    pair: int  # counts pairs from 0
    round: int  # counts openings from 1
    white: str
    black: str
    opening: Opening
    # By engine, besides those that it always has
    options: dict[str, dict[str, Any]] = field(default_factory=dict)


def encounters(names: Sequence[str], tournament: str) -> list[tuple[str, str]]:
    """Return all pairs of engines, or for a gauntlet the first engine with each other one."""
    if tournament == GAUNTLET:
        return [(names[0], rival) for rival in names[1:]]
    return list(combinations(names, 2))


def pairings(
    names: Sequence[str], tournament: str, openings: Sequence[Opening]
) -> Iterator[Pairing]:
    """Yield all games in order.

    Each round has one opening, which all pairs of engines play with both colours.
    """
    pair = 0
    for number, opening in enumerate(openings, start=1):
        for first, second in encounters(names, tournament):
            yield Pairing(2 * pair, pair, number, first, second, opening)
            yield Pairing(2 * pair + 1, pair, number, second, first, opening)
            pair += 1


@dataclass(frozen=True)
class Settings:
    """The settings of a match, with `rounds` pairs of games for each pair of engines.

    Times are in milliseconds unless the name says seconds. The openings of the first `drawn` rounds
    were drawn when the match began, and those of an extended match after them; None means that all
    were drawn at the beginning.
    """

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
    event: str = EVENT
    site: str = SITE
    drawn: int | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for settings that cannot be played."""
        if not self.engines or not 0 <= self.rounds <= MOST_ROUNDS:
            raise ValueError(f"a match needs engines, and 0 to {MOST_ROUNDS} rounds")
        for value, known in ((self.order, ORDERS), (self.tournament, TOURNAMENTS)):
            if value not in known:
                raise ValueError(f"{value}: neither {' nor '.join(known)}")
        if len(self.controls) < len(self.engines):
            raise ValueError("two engines have the same name; rename one with NAME=COMMAND")
        if self.sprt and len(self.engines) != 2:
            raise ValueError("an SPRT needs exactly two engines")

    @cached_property
    def controls(self) -> dict[str, TimeControl]:
        """Each engine's own time control, by name. Raise ValueError if one cannot be read."""
        found = {}
        for engine in self.engines:
            control = TimeControl.parse(engine.time_control or self.time_control)
            found[engine.name] = control.scaled(engine.time_odds)
        return found

    def openings(self) -> OpeningSource:
        """Return the source of openings, one for each round from 0.

        Raise ValueError or OSError if the book cannot be used.
        """
        book = Path(self.book) if self.book else None
        return opening_source(
            book,
            self.rounds,
            order=self.order,
            seed=self.seed,
            plies=self.plies,
            chess960=self.chess960,
            drawn=self.drawn,
        )

    def extending(self, earlier: "Settings") -> "Settings":
        """Return these settings as those of a match that extends an earlier run.

        Its openings are those of the earlier run, and new ones for the additional rounds.
        """
        drawn = earlier.drawn
        if drawn is None and self.rounds > earlier.rounds:
            drawn = earlier.rounds
        return replace(self, drawn=drawn)

    def continues(self, earlier: "Settings") -> bool:
        """Return True if these are the settings of the same match, perhaps with more games."""
        same = replace(earlier, rounds=self.rounds, drawn=self.drawn)
        return same == self == self.extending(earlier) and self.rounds >= earlier.rounds

    def differences(self, other: "Settings") -> list[str]:
        """Return the command-line names of all options that differ from other settings."""
        names = []
        for name, shown in OPTION_NAMES.items():
            if getattr(self, name) != getattr(other, name):
                names.append(shown)
        return names

    def schedule(self, source: OpeningSource | None = None) -> list[Pairing]:
        """Return all games of the match, in order; `source` is what `openings` returned.

        Raise ValueError or OSError if the book cannot be used.
        """
        if source is None:
            source = self.openings()
        openings = [source(number) for number in range(self.rounds)]
        return list(pairings(list(self.controls), self.tournament, openings))


def digest(path: Path) -> str:
    """Return a digest of a book's content, which shows if the book changes. Raise OSError."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]

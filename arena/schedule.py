"""The games of a match: pairs of games with the same opening and colours reversed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from zobra.arena.openings import Opening

ROUND_ROBIN, GAUNTLET = "round-robin", "gauntlet"
TOURNAMENTS = (ROUND_ROBIN, GAUNTLET)


@dataclass(frozen=True)
class Pairing:
    """One game to play. `index` counts games from 0, `pair` the pairs, `round` the openings from 1.

    `options`: by engine, options for this game alone, besides those that the engine always has.
    """

    index: int
    pair: int
    round: int
    white: str
    black: str
    opening: Opening
    options: dict[str, dict[str, Any]] = field(default_factory=dict)


def encounters(names: Sequence[str], tournament: str) -> list[tuple[str, str]]:
    """The engines that meet: each two of them, or in a gauntlet the first and each other."""
    if tournament == GAUNTLET:
        return [(names[0], rival) for rival in names[1:]]
    return list(combinations(names, 2))


def pairings(names: Sequence[str], tournament: str, openings: Sequence[Opening]) -> Iterator[Pairing]:
    """All games in order: a round has one opening, which each encounter plays with both colours."""
    pair = 0
    for number, opening in enumerate(openings, start=1):
        for first, second in encounters(names, tournament):
            yield Pairing(2 * pair, pair, number, first, second, opening)
            yield Pairing(2 * pair + 1, pair, number, second, first, opening)
            pair += 1

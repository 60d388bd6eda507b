"""The scores of all engines of a match, by single games and by pairs of games."""

from collections import Counter
from collections.abc import Iterable, Sequence

from zobra.arena.model.game_record import GameRecord

FAULTS = ("time", "illegal move", "disconnect", "stall")  # losses by other means than chess
CRASHES = ("disconnect", "stall")
_TOLERATED_CRASHES = 0.1  # of an engine's games: below this share the result is still meaningful


class Results:
    """Scores of all engines. `faults` counts how often each engine lost by each of FAULTS."""

    def __init__(self, names: Sequence[str], records: Iterable[GameRecord] = ()) -> None:
        self.names = list(names)
        self.games = 0
        self.faults: Counter[tuple[str, str]] = Counter()
        # By engine, rival (None: all together) and half points; and the same of complete pairs
        self._games: Counter[tuple[str, str | None, int]] = Counter()
        self._pairs: Counter[tuple[str, str | None, int]] = Counter()
        # The half points of first games, by their pair and its engines
        self._open: dict[tuple[int, frozenset[str]], dict[str, int]] = {}
        for record in records:
            self.add(record)

    def add(self, record: GameRecord) -> bool:
        """Count a game. Return True if it completed its pair."""
        points = {name: record.points(name) for name in (record.white, record.black)}
        self.games += 1
        if record.reason in FAULTS:
            loser = min(points, key=lambda name: points[name])
            self.faults[(loser, record.reason)] += 1
        pair = (record.pair, frozenset(points))
        earlier = self._open.pop(pair, None)
        if earlier is None:
            self._open[pair] = points
        for name, rival in ((record.white, record.black), (record.black, record.white)):
            for against in (rival, None):
                self._games[(name, against, points[name])] += 1
                if earlier is not None:
                    self._pairs[(name, against, points[name] + earlier[name])] += 1
        return earlier is not None

    def crashes(self, name: str) -> int:
        """Return the number of games that an engine lost by a crash."""
        return sum(self.faults[(name, reason)] for reason in CRASHES)

    def crashing(self) -> str:
        """Return the engine that crashed in more than a tenth of its games, "" if none did."""
        for name in self.names:
            if self.crashes(name) > _TOLERATED_CRASHES * sum(self.trinomial(name)):
                return name
        return ""

    def trinomial(self, name: str, rival: str | None = None) -> list[int]:
        """Return losses, draws and wins of an engine, against one rival or all."""
        return [self._games[(name, rival, points)] for points in range(3)]

    def points(self, name: str, rival: str | None = None) -> float:
        """Return the points of an engine, against one rival or all."""
        _, draws, wins = self.trinomial(name, rival)
        return wins + draws / 2

    def pentanomial(self, name: str, rival: str | None = None) -> list[int]:
        """Return the number of complete pairs in which the engine scored 0, 1/2, 1, 3/2 and 2."""
        return [self._pairs[(name, rival, points)] for points in range(5)]

    def best_counts(self, name: str, rival: str | None = None) -> list[int]:
        """Return the pentanomial counts, or the trinomial ones if these say more.

        They do if no pair is complete yet, and if all complete pairs are won, or lost, but not all
        games.
        """
        pairs = self.pentanomial(name, rival)
        games = self.trinomial(name, rival)
        if not any(pairs) or (_is_swept(pairs) and not _is_swept(games)):
            return games
        return pairs


def _is_swept(counts: Sequence[int]) -> bool:
    """Return whether all games, or both games of all pairs, were lost, or all were won."""
    return sum(counts) in (counts[0], counts[-1])

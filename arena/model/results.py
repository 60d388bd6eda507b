"""The scores of all engines of a match, by single games and by pairs of games."""

from collections import Counter
from collections.abc import Iterable, Sequence

from zobra.arena.model.game_record import GameRecord

FAULTS = ("time", "illegal move", "disconnect", "stall")  # losses by other means than chess
CRASHES = ("disconnect", "stall")
_TOLERATED_CRASHES = 0.1  # of an engine's games: fewer tell something about its strength


class Results:
    """Scores of all engines. `faults` counts how often each engine lost by each of FAULTS."""

    def __init__(self, names: Sequence[str], records: Iterable[GameRecord] = ()) -> None:
        self.names = list(names)
        self.games = 0
        self.faults: Counter[tuple[str, str]] = Counter()
        self._games: Counter[tuple[str, str, int]] = Counter()  # by engine, rival and half points
        self._pairs: Counter[tuple[str, str, int]] = Counter()  # the same of complete pairs
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
            self._games[(name, rival, points[name])] += 1
            if earlier is not None:
                self._pairs[(name, rival, points[name] + earlier[name])] += 1
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
        return self._counts(self._games, 3, name, rival)

    def points(self, name: str, rival: str | None = None) -> float:
        """Return the points of an engine, against one rival or all."""
        _, draws, wins = self.trinomial(name, rival)
        return wins + draws / 2

    def pentanomial(self, name: str, rival: str | None = None) -> list[int]:
        """Return the number of complete pairs in which the engine scored 0, 1/2, 1, 3/2 and 2."""
        return self._counts(self._pairs, 5, name, rival)

    def _counts(
        self, counter: Counter[tuple[str, str, int]], size: int, name: str, rival: str | None
    ) -> list[int]:
        rivals = self.names if rival is None else [rival]
        return [sum(counter[(name, other, points)] for other in rivals) for points in range(size)]

    def best_counts(self, name: str, rival: str | None = None) -> list[int]:
        """Return the pentanomial counts, or the trinomial ones if no pair is complete yet."""
        pairs = self.pentanomial(name, rival)
        return pairs if any(pairs) else self.trinomial(name, rival)

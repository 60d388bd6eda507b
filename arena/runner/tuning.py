"""A tuning run: an engine plays itself with perturbed options that depend on earlier games.

Its folder is that of a match (journal.py) between "plus" and "minus", with two more files:
`tune.json` (tune_plan.py), and `values.csv` with the values after each iteration. A resumed run
learns again from the games of the journal, in their order.
"""

from collections import defaultdict
from collections.abc import Iterator

from zobra.arena.formats.files import write_safely
from zobra.arena.model.game_record import GameRecord
from zobra.arena.model.journal import Journal
from zobra.arena.model.settings import Pairing
from zobra.arena.model.spsa import Spsa
from zobra.arena.model.tune_plan import Plan
from zobra.arena.runner.match import Match

PLUS = "plus"
MINUS = "minus"
SIDES = (PLUS, MINUS)


class Tuning(Match):
    """A tuning run and its journal.

    `course` has the initial values and those after each iteration; `signs` and `scores` are the
    input of `effects`.
    """

    def __init__(self, journal: Journal, plan: Plan) -> None:
        """Learn from the games in the journal. Raise ValueError if it does not fit the plan."""
        self.plan = plan
        self._spsa = Spsa(plan.tunables, plan.gains, journal.settings.seed)
        self.values = self._spsa.values  # the current ones, by name
        self.course = [list(self.values.values())]
        self.games_each = 2 * plan.pairs  # games of an iteration
        self._leads: dict[int, list[int]] = defaultdict(list)
        self.signs: list[list[int]] = []  # of the first side, by iteration
        self.scores: list[float] = []
        self._kept = 0  # how many of the course values.csv has
        super().__init__(journal, (), 2 * journal.settings.rounds)

    def games(self) -> Iterator[Pairing]:
        """Yield the games that have not been played yet.

        The values of both sides of an iteration are fixed when its first game begins; after an
        interruption, an iteration that is not complete gets new ones.
        """
        opening = self.settings.openings()
        for iteration in range(self.settings.rounds // self.plan.pairs):
            first = iteration * self.games_each
            options = dict(zip(SIDES, self._spsa.sides(iteration), strict=True))
            for index in range(first, first + self.games_each):
                if index in self.done:
                    continue
                pair, reversed_colours = divmod(index, 2)
                white, black = (MINUS, PLUS) if reversed_colours else (PLUS, MINUS)
                yield Pairing(index, pair, pair + 1, white, black, opening(pair), options)

    def count(self, record: GameRecord) -> bool:
        """Count a game; the last one of an iteration updates the values."""
        iteration = record.index // self.games_each
        self._leads[iteration].append(record.points(PLUS) - 1)
        if len(self._leads[iteration]) == self.games_each:
            lead = sum(self._leads.pop(iteration))
            self._spsa.learn(iteration, lead)
            self.signs.append(list(self._spsa.signs(iteration).values()))
            self.scores.append(0.5 + lead / (2 * self.games_each))
            self.course.append(list(self.values.values()))
        return super().count(record)

    def after_pair(self) -> None:
        """Append the values of new iterations to values.csv.

        The file is rewritten whenever the run is started.
        """
        path = self.journal.folder / "values.csv"
        if not self._kept:
            write_safely(path, ",".join(["iteration", *self.values]) + "\n")
        with path.open("a", encoding="utf-8") as file:
            for number in range(self._kept, len(self.course)):
                values = [f"{value:.4f}" for value in self.course[number]]
                file.write(",".join([str(number), *values]) + "\n")
        self._kept = len(self.course)

"""Tuning an engine's options by SPSA: the engine plays itself with perturbed options, which follow from the games before.

The folder is that of a match (journal.py) between "plus" and "minus", with two files more. `tune.json` says what is tuned:
{"tunables": [{"name", "default", "low", "high", "c_end", "r_end"}], "pairs": pairs of games in an iteration, "iterations",
"alpha", "gamma", "stability"}. `values.csv` has the values after each iteration. They follow from the games alone: a resumed
run learns from the games in the journal again, in the same order.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from zobra.arena.files import read_json, typed, write_safely
from zobra.arena.game_record import GameRecord
from zobra.arena.journal import Journal
from zobra.arena.match import Run
from zobra.arena.settings import Pairing
from zobra.arena.spsa import Gains, Spsa, Tunable

PLAN = "tune.json"
PLUS, MINUS = SIDES = ("plus", "minus")


@dataclass(frozen=True)
class Plan:
    """What is tuned and how fast; `pairs` of games make an iteration."""

    tunables: tuple[Tunable, ...]
    gains: Gains
    pairs: int = 1

    @property
    def games_each(self) -> int:
        """The games of an iteration."""
        return 2 * self.pairs

    @classmethod
    def read(cls, folder: Path) -> "Plan":
        """The plan of the run in a folder. Raises ValueError or OSError."""
        return read_json(folder / PLAN, "a plan for tuning", lambda values: typed(cls, {"gains": values, **values}))

    def keep(self, folder: Path) -> None:
        """Writes the plan. Raises ValueError when another one is there already, or OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / PLAN).exists():
            if self != Plan.read(folder):
                raise ValueError(f"{folder} holds another run: its parameters or gains differ")
            return
        if (folder / "run.json").exists():
            raise ValueError(f"{folder} holds a match, which is no run of tuning")
        Journal.check_free(folder)
        content = {"tunables": [asdict(entry) for entry in self.tunables], "pairs": self.pairs} | asdict(self.gains)
        write_safely(folder / PLAN, json.dumps(content, indent=1))


class Tuning(Run):
    """A tuning run over its journal. `course` has the values after each iteration, the defaults first."""

    def __init__(self, journal: Journal, plan: Plan) -> None:
        """Raises ValueError when the journal does not fit the plan."""
        super().__init__(journal, plan.gains.iterations * plan.games_each)
        self.plan, self._spsa = plan, Spsa(plan.tunables, plan.gains, journal.settings.seed)
        self.course = [list(self.values.values())]
        self._leads: dict[int, list[int]] = defaultdict(list)
        self._kept = 0  # how many of the course values.csv has
        self.count_kept()

    @property
    def values(self) -> dict[str, float]:
        """The present values, by name."""
        return self._spsa.values

    def games(self) -> Iterator[Pairing]:
        """The games not yet played; the sides of an iteration are decided when its first game is about to begin."""
        opening = self.settings.openings()
        for iteration in range(self.plan.gains.iterations):
            first = iteration * self.plan.games_each
            missing = [index for index in range(first, first + self.plan.games_each) if index not in self.done]
            options = dict(zip(SIDES, self._spsa.sides(iteration), strict=True))
            for index in missing:
                pair, reversed_colours = divmod(index, 2)
                white, black = (MINUS, PLUS) if reversed_colours else (PLUS, MINUS)
                yield Pairing(index, pair, pair + 1, white, black, opening(pair), options)

    def count(self, record: GameRecord) -> bool:
        """Counts a game; the last one of an iteration moves the values."""
        completed, iteration = super().count(record), record.index // self.plan.games_each
        leads = self._leads[iteration]
        leads.append(record.points(PLUS) - 1)
        if len(leads) == self.plan.games_each:
            self._spsa.learn(iteration, sum(self._leads.pop(iteration)))
            self.course.append(list(self.values.values()))
        return completed

    def after_pair(self) -> None:
        """Adds the values of new iterations to values.csv, which every start of the run makes again."""
        path, numbers = self.journal.folder / "values.csv", range(self._kept, len(self.course))
        rows = [",".join([str(number), *(f"{value:.4f}" for value in self.course[number])]) + "\n" for number in numbers]
        if not self._kept:
            write_safely(path, ",".join(["iteration", *self.values]) + "\n" + "".join(rows))
        elif rows:
            with path.open("a", encoding="utf-8") as file:
                file.writelines(rows)
        self._kept = len(self.course)

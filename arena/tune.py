"""Tuning an engine's options by SPSA: a match between two shaken selves, whose options follow from the games before.

The folder is that of a match (journal.py) between "plus" and "minus", with two files more. `tune.json` says what is tuned:
{"tunables": [{"name", "default", "low", "high", "c_end", "r_end"}], "pairs": pairs of games in an iteration, "iterations",
"alpha", "gamma", "stability"}. `values.csv` has the values after each iteration. Both follow from games alone, so that an
interrupted run loses nothing: the games in the journal are learned from again, in the same order.
"""

import csv
import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from zobra.arena.game_record import GameRecord
from zobra.arena.journal import Journal, write_safely
from zobra.arena.pool import Pool, terminated_like_interrupted
from zobra.arena.results import Results
from zobra.arena.schedule import Pairing
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
    def games(self) -> int:
        """All games of the run."""
        return self.gains.iterations * self.games_each

    @property
    def games_each(self) -> int:
        """The games of an iteration."""
        return 2 * self.pairs

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {"tunables": [asdict(entry) for entry in self.tunables], "pairs": self.pairs} | asdict(self.gains)

    @classmethod
    def read(cls, folder: Path) -> "Plan":
        """The plan of the run in a folder. Raises ValueError or OSError."""
        path = folder / PLAN
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            tunables, pairs = tuple(Tunable(**entry) for entry in values.pop("tunables")), values.pop("pairs")
            return cls(tunables, Gains(**values), pairs)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}: not a plan for tuning: {error}") from error

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
        write_safely(folder / PLAN, json.dumps(self.to_json(), indent=1).encode())


class Watcher(Protocol):
    """What is told of the run."""

    def begin(self, tuning: "Tuning") -> None: ...

    def finished(self, record: GameRecord, tuning: "Tuning") -> None: ...


class Tuning:
    """A run over its journal. `course` has the values after each iteration, beginning with the defaults."""

    def __init__(self, journal: Journal, plan: Plan, concurrency: int = 1) -> None:
        """Raises ValueError when the journal does not fit the plan."""
        self.plan, self._journal = plan, journal
        self.results = Results(SIDES)
        self._spsa = Spsa(plan.tunables, plan.gains, journal.settings.seed)
        self.course = [list(self._spsa.values.values())]
        self._leads: dict[int, list[int]] = defaultdict(list)
        self._done: set[int] = set()
        self._pool = Pool(journal.settings, concurrency)
        for record in journal.records:
            if record.index in self._done or not 0 <= record.index < plan.games:
                raise ValueError(f"{journal.folder / 'journal.jsonl'}: game {record.index} is not the scheduled one")
            self._learn(record)

    @property
    def values(self) -> dict[str, float]:
        """The values as they stand."""
        return self._spsa.values

    def run(self, watcher: Watcher) -> bool:
        """Plays what is left to play. Whether it was interrupted. Raises RuntimeError when worker processes keep dying."""
        watcher.begin(self)
        with (self._journal.folder / "values.csv").open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(["iteration", *self.values])
            table.writerows([number, *map(_short, values)] for number, values in enumerate(self.course))
            try:
                with terminated_like_interrupted(), closing(self._pool.play(self._games(), lambda _: None)) as records:
                    for record in records:
                        self._journal.add(record)
                        if self._learn(record):
                            table.writerow([len(self.course) - 1, *map(_short, self.course[-1])])
                            file.flush()
                        watcher.finished(record, self)
            except KeyboardInterrupt:
                return True
        return False

    def _games(self) -> Iterator[Pairing]:
        """The games not yet played; the sides of an iteration are decided when its first game is about to begin."""
        opening = self._journal.settings.openings()
        for iteration in range(self.plan.gains.iterations):
            first = iteration * self.plan.games_each
            missing = [index for index in range(first, first + self.plan.games_each) if index not in self._done]
            options = dict(zip(SIDES, self._spsa.sides(iteration), strict=True))
            for index in missing:
                pair, reversed_colours = divmod(index, 2)
                white, black = (MINUS, PLUS) if reversed_colours else (PLUS, MINUS)
                yield Pairing(index, pair, pair + 1, white, black, opening(pair), options)

    def _learn(self, record: GameRecord) -> bool:
        """Counts a game. Whether it completed its iteration, which moved the values."""
        self._done.add(record.index)
        self.results.add(record)
        iteration = record.index // self.plan.games_each
        leads = self._leads[iteration]
        leads.append(record.points(PLUS) - 1)
        if len(leads) < self.plan.games_each:
            return False
        self._spsa.learn(iteration, sum(self._leads.pop(iteration)))
        self.course.append(list(self.values.values()))
        return True


def _short(value: float) -> str:
    return f"{value:.4f}"

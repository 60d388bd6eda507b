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
from typing import Any, Protocol

from zobra.arena.files import read_json, typed, write_safely
from zobra.arena.game_record import GameRecord
from zobra.arena.journal import Journal
from zobra.arena.match import Playing, play_games
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

        def convert(values: dict) -> "Plan":
            return typed(cls, {"gains": values, **values})

        return read_json(folder / PLAN, "a plan for tuning", convert)

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
        write_safely(folder / PLAN, json.dumps(self.to_json(), indent=1))


class TuningObserver(Protocol):
    """What is called during a tuning run."""

    def begin(self, tuning: "Tuning") -> None: ...

    def finished(self, record: GameRecord, tuning: "Tuning") -> None: ...


class Tuning:
    """A tuning run over its journal. `course` has the values after each iteration, the defaults first."""

    def __init__(self, journal: Journal, plan: Plan, playing: Playing) -> None:
        """Raises ValueError when the journal does not fit the plan."""
        self.plan, self._journal = plan, journal
        self.results = Results(SIDES)
        self._spsa = Spsa(plan.tunables, plan.gains, journal.settings.seed)
        self.course = [list(self._spsa.values.values())]
        self._leads: dict[int, list[int]] = defaultdict(list)
        self._done: set[int] = set()
        self._playing = playing
        for record in journal.records:
            if record.index in self._done or not 0 <= record.index < plan.games:
                raise ValueError(f"{journal.folder / 'journal.jsonl'}: game {record.index} is not the scheduled one")
            self._learn(record)

    @property
    def values(self) -> dict[str, float]:
        """The present values, by name."""
        return self._spsa.values

    def run(self, observer: TuningObserver) -> bool:
        """Plays what is left to play. Whether it was interrupted. Raises RuntimeError when workers keep dying; OSError."""
        observer.begin(self)
        path = self._journal.folder / "values.csv"
        rows = [["iteration", *self.values], *map(self._row, range(len(self.course)))]
        write_safely(path, "".join(",".join(row) + "\n" for row in rows))

        def keep(record: GameRecord) -> bool:
            self._journal.add(record)
            if self._learn(record):
                with path.open("a", encoding="utf-8") as file:
                    file.write(",".join(self._row(len(self.course) - 1)) + "\n")
            observer.finished(record, self)
            return False

        return play_games(self._journal.settings, self._games(), self._playing, lambda _: None, keep)

    def _row(self, number: int) -> list[str]:
        return [str(number), *(f"{value:.4f}" for value in self.course[number])]

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

"""Command-line options: those that all commands which play games share, and what follows from them."""

import inspect
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from zobra.arena.adjudication import AdjudicationRules
from zobra.arena.engines import EngineSpec
from zobra.arena.journal import Journal
from zobra.arena.match import Playing
from zobra.arena.openings import MOST_RANDOM_PLIES, RANDOM, USUAL_PLIES
from zobra.arena.settings import Settings, digest

EngineOptions = Annotated[list[str] | None, typer.Option("--option", "-o", help="Set an option: [ENGINE:]NAME=VALUE.")]
OneEngine = Annotated[
    str | None, typer.Argument(metavar="ENGINE", help="[NAME=]COMMAND or a TOML file; none to resume --folder.")
]
_PLIES = f"all of a PGN book, else {USUAL_PLIES}"
_KEYWORD = inspect.Parameter.KEYWORD_ONLY
# options that do not decide which games are played
FREE = ("folder", "concurrency", "pin", "log", "trust")


@dataclass(frozen=True)
class GameOptions:
    """The options that every command which plays games has."""

    tc: Annotated[str, typer.Option("--tc", help='"10+0.1", "40/60" (s), "movetime=100" (ms), "nodes=5000", "depth=8".')]
    games: Annotated[int, typer.Option("--games", "-n", min=2, help="Games (even): of each two engines, or in all.")]
    openings: Annotated[Path | None, typer.Option(help="EPD, PGN (also packed) or Polyglot (.bin) book.")] = None
    plies: Annotated[
        int | None,
        typer.Option(
            min=0, help=f"Plies of the book, or random ones without it (at most {MOST_RANDOM_PLIES}).", show_default=_PLIES
        ),
    ] = None
    order: Annotated[str, typer.Option(help="Order of the openings: sequential or random.")] = RANDOM
    seed: Annotated[int | None, typer.Option(help="Seed of all that is random.", show_default="random")] = None
    concurrency: Annotated[
        int | None,
        typer.Option("--concurrency", "-c", min=1, help="Games at a time.", show_default="1; ladder: idle processors"),
    ] = None
    option: EngineOptions = None
    draw: Annotated[str | None, typer.Option(metavar="FROM,MOVES,CP", help="Draw from move FROM after MOVES within CP.")] = None
    resign: Annotated[str | None, typer.Option(metavar="MOVES,CP", help="Resign after MOVES at -CP or worse.")] = None
    folder: Annotated[Path | None, typer.Option(help="Folder of the run; if it exists, resume the run.")] = None
    pin: Annotated[bool, typer.Option(help="Give each game processors of its own, where possible.")] = True
    log: Annotated[Path | None, typer.Option(help="Add the conversation with the engines to this file.")] = None
    trust: Annotated[bool, typer.Option("--trust", help="Start the commands that the folder names without a question.")] = False

    def with_games(self, games: int) -> "GameOptions":
        """The same with another number of games."""
        return replace(self, games=games)

    @property
    def playing(self) -> Playing:
        """How the games are played side by side."""
        return Playing(self.concurrency or 1, self.pin, self.log and self.log.absolute())

    def settings(
        self, engines: Sequence[EngineSpec], *, rules: AdjudicationRules | None = None, walk: int = USUAL_PLIES, **more: Any
    ) -> Settings:
        """The settings of a new run. Games without a book begin with `plies` or `walk` random moves. Raises ValueError."""
        if self.games % 2:
            raise ValueError(f"--games {self.games}: must be even, as every opening is played with both colours")
        book = self.openings
        return Settings(
            tuple(engine.anchored() for engine in engines), self.tc, self.games // 2, seed=self._seed(),
            plies=walk if book is None and self.plies is None else self.plies, order=self.order,
            book=absolute(book), book_digest=digest(book) if book else None, rules=rules or self.rules(), **more,
        )  # fmt: skip

    def rules(self, **more: Any) -> AdjudicationRules:
        """The rules that --draw and --resign state. Raises ValueError."""
        return AdjudicationRules(numbers(self.draw, 3, "--draw"), numbers(self.resign, 2, "--resign"), **more)

    def _seed(self) -> int:
        """The given seed, else that of the run in the folder, else a random one."""
        if self.seed is None and self.folder is not None and (self.folder / "run.json").exists():
            return Journal.settings_in(self.folder).seed
        return random.SystemRandom().randrange(1_000_000) if self.seed is None else self.seed


def with_game_options(**defaults: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command the options of GameOptions, with these defaults; it gets them as its argument `options`."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(GameOptions, include_extras=True)
        shared = [
            inspect.Parameter(f.name, _KEYWORD, default=defaults.get(f.name, f.default), annotation=hints[f.name])
            for f in fields(GameOptions)
        ]
        own = [parameter for name, parameter in inspect.signature(command).parameters.items() if name != "options"]

        @wraps(command)
        def run(**values: Any) -> None:
            options = GameOptions(**{parameter.name: values.pop(parameter.name) for parameter in shared})
            command(**values, options=options)

        parameters = [*(parameter.replace(kind=_KEYWORD) for parameter in own), *shared]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate


def numbers(text: str | None, count: int, option: str) -> tuple | None:
    """The whole numbers of an option's text. Raises ValueError unless there are `count` of them."""
    if text is None:
        return None
    parts = text.split(",")
    if len(parts) != count or not all(part.strip().isdigit() for part in parts):
        raise ValueError(f"{option} {text}: not {count} whole numbers with commas")
    return tuple(map(int, parts))


def absolute(path: Path | None) -> str | None:
    """The path as run.json keeps it, valid in every folder."""
    return None if path is None else str(path.resolve())

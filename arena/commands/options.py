"""The options that commands which play games share."""

import inspect
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from zobra.arena.commands.messages import errors_as_messages
from zobra.arena.model.adjudication import AdjudicationRules
from zobra.arena.model.engines import EngineSpec
from zobra.arena.model.journal import Journal
from zobra.arena.model.openings import MOST_RANDOM_PLIES, RANDOM, USUAL_PLIES
from zobra.arena.model.settings import Settings, digest
from zobra.arena.runner.pool import Playing

_PLIES = f"Plies of the book, or random ones without it (at most {MOST_RANDOM_PLIES})."
Concurrency = typer.Option(
    "--concurrency",
    "-c",
    min=1,
    help="Games at a time.",
    show_default="1, resumed: as before, ladder: idle processors",
)
ENGINE_HELP = "[NAME=]COMMAND or a TOML file; none to resume --folder."
EngineOptions = Annotated[
    list[str] | None, typer.Option("--option", "-o", help="Set an option: [ENGINE:]NAME=VALUE.")
]
OneEngine = Annotated[str | None, typer.Argument(metavar="ENGINE", help=ENGINE_HELP)]


@dataclass(frozen=True)
class GameOptions:
    """The options that every command which plays games has."""

    tc: Annotated[
        str,
        typer.Option(
            "--tc", help='"10+0.1", "40/60" (s), "movetime=100" (ms), "nodes=5000", "depth=8".'
        ),
    ]
    games: Annotated[
        int,
        typer.Option("--games", "-n", min=2, help="Games (even): of each two engines, or in all."),
    ]
    openings: Annotated[
        Path | None, typer.Option(help="EPD, PGN (also packed) or Polyglot (.bin) book.")
    ] = None
    plies: Annotated[
        int | None,
        typer.Option(min=0, help=_PLIES, show_default=f"all of a PGN book, else {USUAL_PLIES}"),
    ] = None
    order: Annotated[str, typer.Option(help="Order of the openings: sequential or random.")] = (
        RANDOM
    )
    seed: Annotated[
        int | None, typer.Option(help="Seed of all that is random.", show_default="random")
    ] = None
    concurrency: Annotated[int | None, Concurrency] = None
    option: EngineOptions = None
    draw: Annotated[
        str | None,
        typer.Option(metavar="FROM,MOVES,CP", help="Draw from move FROM after MOVES within CP."),
    ] = None
    resign: Annotated[
        str | None, typer.Option(metavar="MOVES,CP", help="Resign after MOVES at -CP or worse.")
    ] = None
    folder: Annotated[
        Path | None, typer.Option(help="Folder of the run; if it exists, resume the run.")
    ] = None
    pin: Annotated[
        bool, typer.Option(help="Give each game processors of its own, where possible.")
    ] = True
    log: Annotated[
        Path | None, typer.Option(help="Add the conversation with the engines to this file.")
    ] = None
    trust: Annotated[
        bool,
        typer.Option(
            "--trust", help="Start the commands that the folder names without a question."
        ),
    ] = False

    @property
    def playing(self) -> Playing:
        """How the games are played side by side: as many at a time as asked, or as before when a
        run is resumed.
        """
        concurrency = self.concurrency or 1
        if (
            self.concurrency is None
            and self.folder is not None
            and (self.folder / "run.json").exists()
        ):
            concurrency = Journal.conditions_in(self.folder).concurrency
        return Playing(concurrency, self.pin, self.log and self.log.absolute())

    def run_folder(self, kind: str) -> Path:
        """Where the run is kept: the folder that is named, else a new one."""
        return self.folder or Path(f"{kind}-{datetime.now():%Y%m%d-%H%M%S}")

    def settings(
        self, engines: Sequence[EngineSpec], walk: int = USUAL_PLIES, **more: Any
    ) -> Settings:
        """The settings of a new run.

        Games without a book begin with `plies` or `walk` random moves. Raises ValueError. Without a
        seed it is that of the run in the folder, else a random one.
        """
        if self.games % 2:
            raise ValueError(
                f"--games {self.games}: must be even, as every opening is played with both colours"
            )
        book, seed = self.openings, self.seed
        if seed is None:
            seed = random.SystemRandom().randrange(1_000_000)
            if self.folder is not None and (self.folder / "run.json").exists():
                seed = Journal.settings_in(self.folder).seed
        return Settings(
            tuple(engine.anchored() for engine in engines),
            self.tc,
            self.games // 2,
            seed=seed,
            order=self.order,
            plies=walk if book is None and self.plies is None else self.plies,
            book=str(book.resolve()) if book else None,
            book_digest=digest(book) if book else None,
            **{"rules": self.rules()} | more,
        )

    def rules(self, **more: Any) -> AdjudicationRules:
        """The rules that --draw and --resign state. Raises ValueError."""
        found: dict[str, Any] = {}
        for name, text, count in (("draw", self.draw, 3), ("resign", self.resign, 2)):
            parts = text.split(",") if text is not None else ["0"] * count
            if len(parts) != count or not all(part.strip().isdigit() for part in parts):
                raise ValueError(f"--{name} {text}: not {count} whole numbers with commas")
            found[name] = None if text is None else tuple(map(int, parts))
        return AdjudicationRules(**found, **more)


def with_game_options(**defaults: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command the GameOptions, with these defaults, as its argument `options`; errors of a
    user become messages.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        usual, own = (
            dict(inspect.signature(GameOptions).parameters),
            dict(inspect.signature(command).parameters),
        )
        del own["options"]
        shared = [
            parameter.replace(default=defaults.get(name, parameter.default))
            for name, parameter in usual.items()
        ]

        @wraps(command)
        def run(**values: Any) -> None:
            options = GameOptions(
                **{parameter.name: values.pop(parameter.name) for parameter in shared}
            )
            with errors_as_messages():
                command(**values, options=options)

        parameters = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in (*own.values(), *shared)
        ]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate

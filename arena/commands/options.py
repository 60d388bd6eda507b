"""The options shared by all commands that play games."""

import inspect
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from zobra.arena.commands.messages import errors_as_messages, wrong_options
from zobra.arena.model.adjudication import AdjudicationRules
from zobra.arena.model.engines import EngineSpec
from zobra.arena.model.journal import Journal
from zobra.arena.model.openings import MOST_RANDOM_PLIES, RANDOM, USUAL_PLIES
from zobra.arena.model.settings import EVENT, SITE, Settings, digest
from zobra.arena.runner.pool import PoolOptions

ZOBRA = "zobra"  # the command of the engine that plays where none is named
TUNABLE_ZOBRA = "zobra --tunable"
ENGINE_HELP = "[NAME=]COMMAND or a TOML file"

# The panels of the help after the one with the common options
OPENINGS = "Openings"
ENDINGS = "Ends of games"
DETAILS = "Details"

# What --draw and --resign take
DRAW_FORM = "FROM,MOVES,CP"
RESIGN_FORM = "MOVES,CP"

Concurrency = Annotated[
    int | None,
    typer.Option(
        "--concurrency",
        "-c",
        min=1,
        metavar="N",
        help="Games played at the same time.",
        show_default="1, or as before when resumed",
    ),
]
EngineOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help="Set an option of all engines that the command names, or of one with "
        "ENGINE:NAME=VALUE.",
    ),
]
OneEngine = Annotated[
    str | None,
    typer.Argument(
        metavar="ENGINE", help=f"{ENGINE_HELP}.", show_default="Zobra, or that of --folder"
    ),
]


@dataclass(frozen=True)
class GameOptions:
    """The options of every command that plays games; the common ones come first."""

    tc: Annotated[
        str,
        typer.Option(
            "--tc",
            metavar="TC",
            help='Time control: "10+0.1", "40/60" (seconds), "movetime=100" (milliseconds), '
            '"nodes=5000" or "depth=8". A TOML file can give an engine its own.',
        ),
    ]
    games: Annotated[
        int,
        typer.Option(
            "--games",
            "-n",
            min=2,
            metavar="N",
            help="Number of games, an even number (per pair of engines, if there are more than "
            "two). A larger number extends the run in --folder.",
        ),
    ]
    openings: Annotated[
        Path | None,
        typer.Option(
            metavar="BOOK",
            help="Book of openings: EPD, PGN (both plain or compressed) or Polyglot (.bin).",
            show_default=f"{USUAL_PLIES} random plies",
        ),
    ] = None
    concurrency: Concurrency = None
    option: EngineOptions = None
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder of the run. An existing run is resumed.",
            show_default="a new folder COMMAND-DATE-TIME",
        ),
    ] = None
    plies: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Plies from the book; without a book, random plies "
            f"(at most {MOST_RANDOM_PLIES}).",
            show_default=f"all of a PGN book, else {USUAL_PLIES}",
            rich_help_panel=OPENINGS,
        ),
    ] = None
    order: Annotated[
        str,
        typer.Option(
            metavar="ORDER",
            help="Order of the openings: sequential or random.",
            rich_help_panel=OPENINGS,
        ),
    ] = RANDOM
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Seed of all random choices.",
            show_default="random",
            rich_help_panel=OPENINGS,
        ),
    ] = None
    draw: Annotated[
        str | None,
        typer.Option(
            metavar=DRAW_FORM,
            help="From move FROM on, adjudicate a draw after MOVES moves of each side in a row "
            "within CP centipawns, without captures and pawn moves.",
            rich_help_panel=ENDINGS,
        ),
    ] = None
    resign: Annotated[
        str | None,
        typer.Option(
            metavar=RESIGN_FORM,
            help="Resign after MOVES moves in a row at -CP centipawns or worse.",
            rich_help_panel=ENDINGS,
        ),
    ] = None
    margin: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="MS",
            help="Milliseconds by which a move may exceed its time.",
            rich_help_panel=DETAILS,
        ),
    ] = 0
    stall: Annotated[
        float,
        typer.Option(
            min=1,
            metavar="SECONDS",
            help="Seconds before a silent engine counts as stalled.",
            rich_help_panel=DETAILS,
        ),
    ] = 60
    event: Annotated[
        str,
        typer.Option(
            metavar="TEXT", help="Event tag in the PGN of the games.", rich_help_panel=DETAILS
        ),
    ] = EVENT
    site: Annotated[
        str,
        typer.Option(
            metavar="TEXT", help="Site tag in the PGN of the games.", rich_help_panel=DETAILS
        ),
    ] = SITE
    pin: Annotated[
        bool,
        typer.Option(
            help="Pin each game to its own processors, where possible.", rich_help_panel=DETAILS
        ),
    ] = True
    log: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Append all communication with the engines to this file.",
            rich_help_panel=DETAILS,
        ),
    ] = None
    interval: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Without a terminal, print only the result so far, after every N games.",
            show_default="a line for each game",
            rich_help_panel=DETAILS,
        ),
    ] = None
    trust: Annotated[
        bool,
        typer.Option(
            "--trust",
            help="Do not ask before starting the commands in a match folder.",
            rich_help_panel=DETAILS,
        ),
    ] = False
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Resume a run although an engine has another version than before.",
            rich_help_panel=DETAILS,
        ),
    ] = False

    @property
    def has_run(self) -> bool:
        """True if the folder holds a run."""
        return self.folder is not None and (self.folder / "run.json").exists()

    @property
    def rounds(self) -> int:
        """The number of pairs of games. Raise typer.BadParameter for an odd number of games."""
        if self.games % 2:
            raise typer.BadParameter(
                f"--games {self.games}: must be even, as every opening is played with both colours"
            )
        return self.games // 2

    @property
    def pool_options(self) -> PoolOptions:
        """Concurrency, pinning and log; a resumed run keeps its concurrency unless it is given."""
        concurrency = self.concurrency or 1
        if self.concurrency is None and self.folder is not None and self.has_run:
            concurrency = Journal.conditions_in(self.folder).concurrency
        log = None if self.log is None else self.log.absolute()
        return PoolOptions(concurrency, self.pin, log)

    def run_folder(self, kind: str) -> Path:
        """Return the given folder, or a new name made of `kind`, date and time."""
        return self.folder or Path(f"{kind}-{datetime.now():%Y%m%d-%H%M%S}")

    def settings(
        self, engines: Sequence[EngineSpec], walk: int = USUAL_PLIES, **more: Any
    ) -> Settings:
        """Return the settings that these options state.

        Games without a book start with `plies` random moves, by default `walk`. The default seed is
        that of the run in the folder, or a random one for a new run. Raise typer.BadParameter,
        ValueError or OSError.
        """
        seed = self.seed
        if seed is None and self.folder is not None and self.has_run:
            seed = Journal.settings_in(self.folder).seed
        if seed is None:
            seed = random.SystemRandom().randrange(1_000_000)
        plies = self.plies
        if plies is None and self.openings is None:
            plies = walk
        anchored = tuple(engine.anchored() for engine in engines)
        book = None if self.openings is None else str(self.openings.resolve())
        book_digest = None if self.openings is None else digest(self.openings)
        with wrong_options():
            return Settings(
                anchored,
                self.tc,
                self.rounds,
                seed=seed,
                order=self.order,
                plies=plies,
                book=book,
                book_digest=book_digest,
                margin_ms=self.margin,
                stall_seconds=self.stall,
                event=self.event,
                site=self.site,
                **{"rules": self.rules()} | more,
            )

    def rules(self, **more: Any) -> AdjudicationRules:
        """Return the rules that --draw and --resign state. Raise typer.BadParameter."""
        with wrong_options():
            draw = _integers("--draw", self.draw, DRAW_FORM)
            resign = _integers("--resign", self.resign, RESIGN_FORM)
            return AdjudicationRules(draw=draw, resign=resign, **more)  # type: ignore[arg-type]


def _integers(name: str, text: str | None, form: str) -> tuple[int, ...] | None:
    """Return the numbers of an option's text. Raise ValueError if it does not have this form."""
    if text is None:
        return None
    parts = text.split(",")
    if len(parts) != len(form.split(",")) or not all(part.strip().isdigit() for part in parts):
        raise ValueError(f"{name} {text}: must be {form}, integers separated by commas")
    return tuple(map(int, parts))


def with_game_options(**defaults: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the GameOptions as its argument `options`, with these defaults.

    They come before the command's own options. Errors of the user become messages.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = dict(inspect.signature(command).parameters)
        del own["options"]
        shared = []
        for name, parameter in inspect.signature(GameOptions).parameters.items():
            shared.append(parameter.replace(default=defaults.get(name, parameter.default)))

        @wraps(command)
        def run(**values: Any) -> None:
            given = {parameter.name: values.pop(parameter.name) for parameter in shared}
            with errors_as_messages(command.__name__):
                command(**values, options=GameOptions(**given))

        parameters = []
        for parameter in (*shared, *own.values()):
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate

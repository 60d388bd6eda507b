"""The command `zobra match`, and what it shares with the others: options, messages, resuming,
playing, an interrupted end.
"""

import inspect
import random
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import wraps
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from zobra.arena.commands.match_display import MatchDisplay, figures, standings
from zobra.arena.formats.files import check_writable
from zobra.arena.formats.text import counted, printable
from zobra.arena.model.adjudication import AdjudicationRules, open_tablebase
from zobra.arena.model.engines import EngineSpec, read_engines
from zobra.arena.model.journal import TUNE_PLAN, Journal, RunConditions
from zobra.arena.model.openings import MOST_RANDOM_PLIES, RANDOM, USUAL_PLIES, Opening
from zobra.arena.model.settings import ROUND_ROBIN, Settings, digest, encounters
from zobra.arena.model.statistics import MODELS, NORMALIZED, Sprt
from zobra.arena.runner.match import Match, check_engines
from zobra.arena.runner.pool import Playing
from zobra.arena.runner.processes import interruptible, machine

INTERRUPTED = 130  # the exit status after Ctrl-C, as shells have it
_PLIES = f"Plies of the book, or random ones without it (at most {MOST_RANDOM_PLIES})."
Concurrency = typer.Option(
    "--concurrency",
    "-c",
    min=1,
    help="Games at a time.",
    show_default="1, resumed: as before, ladder: idle processors",
)
ENGINE_HELP = "[NAME=]COMMAND or a TOML file; none to resume --folder."
EnginesArgument = typer.Argument(metavar="ENGINE ENGINE ...", help=ENGINE_HELP)
SprtOption = typer.Option(
    metavar="ELO0,ELO1[,ALPHA[,BETA]]", help="Stop by SPRT, after 40000 games at most."
)
ModelOption = typer.Option(
    help="Elo model of the SPRT: normalized or logistic.", show_default=NORMALIZED
)
_FREE = (
    "folder",
    "concurrency",
    "pin",
    "log",
    "trust",
)  # options that do not decide which games are played
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


@contextmanager
def errors_as_messages() -> Iterator[None]:
    """Turns errors that a user can correct into messages; after Ctrl-C the command ends with status
    130.
    """
    try:
        with interruptible():
            yield
    except typer.Exit:
        raise
    except (OSError, ValueError, RuntimeError, OverflowError) as error:
        filename = getattr(error, "filename", None)
        text = f"{filename}: {error.strerror}" if filename else str(error)  # type: ignore[union-attr]
        raise typer.BadParameter(printable(text, longest=1000)) from error
    except KeyboardInterrupt:
        typer.echo("interrupted; nothing new was kept")
        raise typer.Exit(INTERRUPTED) from None


def plain_console() -> Console:
    """A console that shows names and paths as they are; what the output's encoding lacks becomes a
    question mark.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    return Console(markup=False, highlight=False, emoji=False)


def command_line() -> str:
    """The command that runs, as a shell reads it."""
    return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])


def resumed(
    console: Console, context: typer.Context, options: GameOptions, needed: str
) -> Settings:
    """The settings of the run in --folder, whose commands are shown; a terminal is asked before
    they start, unless --trust. Raises ValueError without a folder, saying what is `needed` instead,
    and for options that only a new run takes; OSError.
    """
    if options.folder is None:
        raise ValueError(f"name {needed}, or with --folder a run to resume")
    sources = {
        name: context.get_parameter_source(name) for name in context.params if name not in _FREE
    }
    named = [
        name
        for name, source in sources.items()
        if source is not None and source.name == "COMMANDLINE"
    ]
    if given := [
        parameter.opts[0] for parameter in context.command.params if parameter.name in named
    ]:
        raise ValueError(
            f"{', '.join(given)}: the folder says that already; name the engines too to compare "
            "them with it"
        )
    settings = Journal.settings_in(options.folder)
    if not options.trust:
        for engine in settings.engines:
            place = f" in {engine.directory}" if engine.directory else ""
            console.print(
                f"{engine.name}: {printable(shlex.join(engine.command) + place)}", soft_wrap=True
            )
        if sys.stdin.isatty() and not typer.confirm("Start these commands?", default=True):
            raise ValueError("not resumed")
    return settings


def play(console: Console, folder: Path, settings: Settings, options: GameOptions) -> Match:
    """Plays or resumes the match in a folder. Raises ValueError, OSError or RuntimeError."""
    if (folder / TUNE_PLAN).exists():
        raise ValueError(
            f"{folder} holds a run of tuning: `zobra tune --folder {folder}` resumes it"
        )
    with console.status("drawing the openings"):
        schedule = settings.schedule()
    conditions = check_run(console, settings, [pairing.opening for pairing in schedule], options)
    with console.status("reading the games so far"):
        journal = Journal(folder, settings, conditions)
    with closing(journal):
        match = Match(journal, schedule)
        with MatchDisplay(console, "games") as display:
            match.play(options.playing, display)
    return match


def check_run(
    console: Console, settings: Settings, openings: Sequence[Opening], options: GameOptions
) -> RunConditions:
    """Checks book, tables, log and engines before a folder is made, and says how long the games
    will take. Returns the conditions for run.json. Raises ValueError, OSError or RuntimeError.
    """
    if settings.book and digest(Path(settings.book)) != settings.book_digest:
        raise ValueError(f"{settings.book} has changed since the match began")
    open_tablebase(settings.rules.syzygy)
    if options.log is not None:
        check_writable(options.log)
    if settings.book and len(set(openings)) < settings.rounds:
        found = (
            f"{counted(len(set(openings)), 'opening')} for "
            f"{counted(settings.rounds, 'pair')} of games"
        )
        console.print(f"{settings.book}: {found}, so that openings repeat", soft_wrap=True)
    concurrency = options.playing.concurrency
    move_seconds, versions = check_engines(settings, openings)
    side = {
        name: control.side_seconds(move_seconds[name])
        for name, control in settings.controls.items()
    }
    met = encounters(list(side), settings.tournament)
    seconds = (
        2 * settings.rounds * sum(side[first] + side[second] for first, second in met) / concurrency
    )
    about = timedelta(seconds=max(1, round(seconds)))  # if games have the usual length
    console.print(
        f"the whole run takes about {about} (h:mm:ss), {counted(concurrency, 'game')} at a time",
        soft_wrap=True,
    )
    return RunConditions(versions, machine(), command_line(), concurrency=concurrency)


def end_run(console: Console, run: Match, folder: Path) -> None:
    """Ends the command of a run that was interrupted or failed, after saying what is kept and how
    to resume.
    """
    for (name, reason), number in sorted(run.results.faults.items()):
        console.print(f"{name} lost {counted(number, 'game')} by {reason}", soft_wrap=True)
    console.print(
        f"{run.results.games} of {counted(run.total, 'game')} in {folder}", soft_wrap=True
    )
    if run.error is not None:
        raise run.error
    if run.interrupted:
        console.print(f"interrupted; resume with `--folder {folder}`", soft_wrap=True)
        raise typer.Exit(INTERRUPTED)


@with_game_options(tc="10+0.1", games=100)
def match(
    context: typer.Context,
    options: GameOptions,
    engines: Annotated[list[str] | None, EnginesArgument] = None,
    tournament: Annotated[
        str, typer.Option(help="round-robin, or gauntlet (the first against the others).")
    ] = ROUND_ROBIN,
    sprt: Annotated[str | None, SprtOption] = None,
    model: Annotated[str | None, ModelOption] = None,
    twosided: Annotated[
        bool, typer.Option(help="Resign only when the winner's scores agree.")
    ] = False,
    move_limit: Annotated[int | None, typer.Option(min=1, help="Draw after so many moves.")] = None,
    syzygy: Annotated[
        Path | None, typer.Option(help="Folder of Syzygy tables that end games.")
    ] = None,
    chess960: Annotated[
        bool, typer.Option("--chess960", help="Chess960 (also with FENs of double Chess960).")
    ] = False,
    margin: Annotated[int, typer.Option(min=0, help="Milliseconds a move may be late.")] = 0,
    stall: Annotated[
        float, typer.Option(min=1, help="Seconds without an answer, or a move if no clock runs.")
    ] = 60,
) -> None:
    """Play engines against each other, with SPRT if asked. An interrupted match can be resumed."""
    console = plain_console()
    if model is not None and (sprt is None or model not in MODELS):
        raise ValueError(f"--model {model}: needs --sprt, and is {' or '.join(MODELS)}")
    numbers: list[float] = []
    with suppress(ValueError):
        numbers = [float(part) for part in (sprt or "").split(",")]
    if sprt is not None and not 2 <= len(numbers) <= 4:
        raise ValueError(f"--sprt {sprt}: not ELO0,ELO1[,ALPHA[,BETA]]")
    if engines:
        specs = read_engines(engines, options.option or [])
        if len(specs) < 2:
            raise ValueError("a match needs two engines")
        games = context.get_parameter_source("games")
        if sprt and games is not None and games.name == "DEFAULT":
            options = replace(options, games=40_000)  # it ends by itself
        settings = options.settings(
            specs,
            tournament=tournament,
            chess960=chess960,
            margin_ms=margin,
            stall_seconds=stall,
            rules=options.rules(
                resign_twosided=twosided,
                move_limit=move_limit,
                syzygy=syzygy and str(syzygy.resolve()),
            ),
            sprt=Sprt(*numbers, model=model or NORMALIZED) if sprt else None,  # type: ignore[misc, arg-type]
        )
    else:
        settings = resumed(console, context, options, "two engines")
    folder = options.run_folder("match")
    state = play(console, folder, settings, options)
    for line in figures(state.results, settings, state.llr):
        console.print(line, soft_wrap=True)
    if len(settings.engines) > 2:
        console.print(standings(state.results))
    if state.verdict:
        console.print(f"SPRT: {state.verdict} accepted")
    end_run(console, state, folder)

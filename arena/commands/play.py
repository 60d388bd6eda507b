"""The command `zobra play`: a game against an engine, in the browser or in the terminal."""

import json
import os
import sys
import threading
import time
import webbrowser
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import platformdirs
import typer
from rich.console import Console

from zobra.arena.commands.messages import errors_as_messages, plain_console, wrong_options
from zobra.arena.commands.options import EngineOptions
from zobra.arena.formats.files import check_writable
from zobra.arena.model.clock import TimeControl
from zobra.arena.model.engines import read_engine
from zobra.arena.play.background import Background
from zobra.arena.play.feed import END, Feed, Presence
from zobra.arena.play.new_game import DEFAULT_ELO, DEFAULT_TIME, NewGame, read_level
from zobra.arena.play.session import Session

_GAMES = platformdirs.user_data_path("zobra") / "games"
_SHORT_MS = 30_000  # a clock with less may have been meant in minutes
_LOOK_SECONDS = 0.2  # between two looks whether the page is still open
_FAREWELL_SECONDS = 1.0  # for the page to hear that the game has ended


def play(
    color: Annotated[
        str, typer.Option("--color", help="Your colour: white, black or random.")
    ] = "white",
    elo: Annotated[
        str | None,
        typer.Option(
            "--elo", help="The engine's level (UCI_Elo), or full.", show_default=str(DEFAULT_ELO)
        ),
    ] = None,
    movetime: Annotated[
        int | None,
        typer.Option(min=1, help="Milliseconds per move of the engine.", show_default="1000"),
    ] = None,
    tc: Annotated[
        str | None,
        typer.Option(
            "--tc",
            help='A clock for both, in seconds: "300+3" is five minutes and three seconds '
            'per move; or "nodes=5000", "depth=8".',
        ),
    ] = None,
    fen: Annotated[str, typer.Option("--fen", help="Begin from this position.")] = "",
    chess960: Annotated[
        bool, typer.Option("--chess960", help="Play Chess960 from a random start position.")
    ] = False,
    terminal: Annotated[
        bool, typer.Option("--terminal", "-t", help="Play in the terminal, without a browser.")
    ] = False,
    ascii_only: Annotated[
        bool,
        typer.Option("--ascii", help="In the terminal, letters for pieces: capitals are White's."),
    ] = False,
    engine: Annotated[
        str, typer.Option("--engine", "-e", help="[NAME=]COMMAND or a TOML file.")
    ] = "zobra",
    option: EngineOptions = None,
    folder: Annotated[
        Path,
        typer.Option(
            help="Folder in which each game is kept as PGN.",
            show_default="zobra/games in your data folder",
        ),
    ] = _GAMES,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the page; 0: any free one.")
    ] = 0,
) -> None:
    """Play against Zobra or another engine, in a browser or terminal.

    Ctrl-C or closing the page ends the game and saves it; reloading the page continues it.
    """
    console = plain_console()
    with errors_as_messages("play"):
        with wrong_options():
            if ascii_only and not terminal:
                raise ValueError("--ascii is for --terminal")
            level = DEFAULT_ELO if elo is None else read_level(elo)
            wishes = NewGame(color, level, _time(movetime, tc), fen, chess960)
            note = _clock_note(wishes.control())
        session = Session(read_engine(engine, option or []), folder)
        folder.mkdir(parents=True, exist_ok=True)
        check_writable(folder / "game.pgn")
        with Background() as background:
            try:
                background.wait_for(session.start(wishes, adapt_level=elo is None))
                if terminal:
                    console.print(note, end="", soft_wrap=True)
                    _play_in_terminal(session, background, console, ascii_only)
                else:
                    _play_in_browser(session, background, console, port, browser, note)
            except KeyboardInterrupt:
                console.print("")
            finally:
                background.wait_for(session.close())
        if session.file is not None:
            console.print(f"saved: {session.file}", soft_wrap=True)


def _time(movetime: int | None, tc: str | None) -> str:
    """Return the time control. Raise ValueError for two of them."""
    if movetime is not None and tc is not None:
        raise ValueError("either --movetime or --tc")
    if tc is not None:
        return tc
    return DEFAULT_TIME if movetime is None else f"movetime={movetime}"


def _clock_note(control: TimeControl) -> str:
    """Return a line about a clock, which people may have meant in minutes; "" without a clock."""
    if control.base_ms is None:
        return ""
    note = f"The clock: {control.in_words()} for each side."
    if control.base_ms < _SHORT_MS and not control.moves:
        minutes = replace(control, base_ms=60 * control.base_ms)
        note += f" For {control.base_ms / 1000:g} minutes, give --tc {minutes}."
    return f"{note}\n"


def _play_in_terminal(
    session: Session, background: Background, console: Console, ascii_only: bool
) -> None:
    from zobra.arena.play.terminal import Terminal

    def echo(line: str) -> None:
        console.print(line, soft_wrap=True)

    Terminal(session, background, echo, ascii_only=ascii_only).run()


def _play_in_browser(
    session: Session,
    background: Background,
    console: Console,
    port: int,
    browser: bool,
    note: str,
) -> None:
    """Serve the page until it is closed."""
    from zobra.arena.play.door import Door
    from zobra.arena.play.server import PageServer

    feed = Feed()
    presence = Presence()
    door = Door(session, background, feed)
    try:
        page_server = PageServer(door, feed, presence, port)
    except OSError as error:
        raise OSError(error.errno, error.strerror, f"--port {port}") from error
    with page_server as server:
        console.print(f"The game is at {server.url}", soft_wrap=True)
        console.print("Ctrl-C, or closing the page, ends it.")
        console.print(note, end="", soft_wrap=True)
        if browser:
            _open(server.ticket_url)
        try:
            while not presence.has_gone(time.monotonic()):
                time.sleep(_LOOK_SECONDS)
        finally:
            _say_farewell(session, background, feed, presence)


def _open(url: str) -> threading.Thread | None:
    """Open the page in the browser, if there is a screen for it; return the thread that does."""
    has_screen = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
    if sys.platform == "linux" and not has_screen:
        return None
    # some browsers return only when they are closed
    thread = threading.Thread(target=webbrowser.open, args=(url,), daemon=True)
    thread.start()
    return thread


def _say_farewell(session: Session, background: Background, feed: Feed, presence: Presence) -> None:
    """Tell the page that the game is ended, and where it is kept."""
    background.wait_for(session.close())
    kept = "" if session.file is None else str(session.file)
    feed.publish(END, json.dumps({"file": kept}))
    deadline = time.monotonic() + _FAREWELL_SECONDS
    while presence.readers and time.monotonic() < deadline:
        time.sleep(0.02)

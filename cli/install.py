"""`zobra install cutechess`: write the engine into the engines file of Cute Chess.

Cute Chess keeps its engines as a JSON list of objects in `engines.json`, beside its settings file:
in `cutechess` below $XDG_CONFIG_HOME or ~/.config, on Windows below %APPDATA%. It writes the list
when it ends, so it has to be closed meanwhile.
"""

import json
import os
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from zobra.cli.engine_command import engine_command

NAME = "Zobra"
Gui = Enum("Gui", {"CUTECHESS": "cutechess"})  # whose engines file is known


def install(
    gui: Annotated[Gui, typer.Argument(help="The GUI.")],
    print_only: Annotated[
        bool, typer.Option("--print", help="Print the entry and the file, and change nothing.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Change an existing entry without asking.")
    ] = False,
) -> None:
    """Write Zobra into the list of engines of Cute Chess, which must be closed."""
    from zobra.engine.kernels.kernel_file import write_atomically

    settings, home = (
        ("APPDATA", Path("AppData", "Roaming"))
        if os.name == "nt"
        else ("XDG_CONFIG_HOME", Path(".config"))
    )
    path = Path(os.environ.get(settings) or Path.home() / home) / "cutechess" / "engines.json"
    command = " ".join(
        f'"{word}"' if " " in word else word for word in engine_command()
    )  # Cute Chess splits it at spaces
    entry = {"command": command, "name": NAME, "protocol": "uci", "workingDirectory": ""}
    if print_only:
        typer.echo(f"{path}\n{json.dumps(entry, indent=4)}")
        return
    try:
        engines: Any = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
        if not isinstance(engines, list) or not all(isinstance(engine, dict) for engine in engines):
            raise ValueError("it is not a list of engines")
        old = next((engine for engine in engines if engine.get("name") == NAME), None)
        if old is None:
            engines.append(entry)
        elif entry.items() <= old.items():
            typer.echo(f"{path} has this entry already")
            return
        elif yes or typer.confirm(
            f"{NAME} is {old.get('command')} in {path}. Change it to {entry['command']}?"
        ):
            old.update(entry)
        else:
            raise typer.Exit(1)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path.resolve(), json.dumps(engines, indent=4, ensure_ascii=False).encode())
    except (OSError, ValueError) as error:
        typer.echo(f"zobra: {path}: {getattr(error, 'strerror', None) or error}", err=True)
        raise typer.Exit(1) from None
    typer.echo(
        f"{NAME} is in {path}; it is in the list of engines when Cute Chess is started again"
    )

"""`zobra install cutechess`: add the engine to the engine list of Cute Chess.

Cute Chess stores its engines as a JSON list of objects in `engines.json`, beside its settings file:
in `cutechess` below $XDG_CONFIG_HOME or ~/.config, on Windows below %APPDATA%. It writes the list
when it is closed, which would undo a change made while it runs. The options of an entry are those
that Cute Chess stores after *Detect*: with their values, and without those that it sets by other
means.
"""

import json
import os
import shutil
from pathlib import Path
from typing import Annotated, Any

import typer

from zobra.cli.engine_command import engine_command
from zobra.search.options import OPTIONS, Option

NAME = "Zobra"
VARIANTS = ["standard", "fischerandom"]
# The GUI itself sets Ponder and options beginning with UCI_, except these two
SHOWN_UCI_OPTIONS = ("UCI_LimitStrength", "UCI_Elo")


def install(
    gui: Annotated[
        str, typer.Argument(metavar="cutechess", help="The GUI; only cutechess is supported.")
    ],
    print_only: Annotated[
        bool, typer.Option("--print", help="Print the entry and the path, and change nothing.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Change an existing entry without asking.")
    ] = False,
) -> None:
    """Add Zobra to the list of engines of a GUI.

    Close Cute Chess first: it overwrites its list when it is closed.
    """
    if gui != "cutechess":
        raise typer.BadParameter(f"{gui}: only cutechess is supported; for others see docs/guis.md")
    path = engines_file()
    entry = new_entry()
    if print_only:
        typer.echo(f"{path}\n{json.dumps(entry, indent=4)}")
        return
    from zobra.arena.commands.messages import end_with_error

    try:
        _write(path, entry, yes)
    except (OSError, ValueError) as error:
        problem = ValueError(f"{path}: {getattr(error, 'strerror', None) or error}")
        end_with_error("install", problem, status=1)


def engines_file() -> Path:
    """Return the path of Cute Chess' engine list."""
    if os.name == "nt":
        folder = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    else:
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return folder / "cutechess" / "engines.json"


def new_entry() -> dict[str, Any]:
    """Return the entry of the engine, with the default values of all options."""
    # Cute Chess splits the command at spaces
    words = [f'"{word}"' if " " in word else word for word in engine_command()]
    return {
        "command": " ".join(words),
        "name": NAME,
        "options": [_option_entry(option) for option in OPTIONS if _is_shown(option.name)],
        "protocol": "uci",
        "variants": VARIANTS,
        "workingDirectory": "",
    }


def _is_shown(name: str) -> bool:
    if name in SHOWN_UCI_OPTIONS:
        return True
    return name != "Ponder" and not name.startswith("UCI_")


def _option_entry(option: Option) -> dict[str, Any]:
    kind = "text" if option.kind == "string" else option.kind
    entry: dict[str, Any] = {"name": option.name, "type": kind}
    if option.default is not None:
        entry |= {"value": option.default, "default": option.default, "alias": ""}
    if option.is_number:
        entry |= {"min": option.low, "max": option.high}
    return entry


def _with_values(entry: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """Return the old entry updated to the new one; options keep their old values."""
    values = {}
    for option in old.get("options", []):
        if isinstance(option, dict) and "value" in option:
            values[option.get("name")] = option["value"]
    options = [dict(option) for option in entry["options"]]
    for option in options:
        if "value" in option:
            option["value"] = values.get(option["name"], option["value"])
    return old | entry | {"options": options}


def _write(path: Path, entry: dict[str, Any], yes: bool) -> None:
    """Add the entry to the file, or update the one that is there.

    Raise ValueError if the file is not a list of engines, or OSError.
    """
    from zobra.arena.formats.files import write_safely

    engines: Any = []
    if path.exists():
        engines = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(engines, list) or not all(isinstance(engine, dict) for engine in engines):
        raise ValueError("not a list of engines")
    place = next((at for at, each in enumerate(engines) if each.get("name") == NAME), None)
    if place is None:
        engines.append(entry)
    else:
        old = engines[place]
        changed = _with_values(entry, old)
        if changed == old:
            typer.echo(f"{path} already has this entry")
            return
        is_same_engine = old.get("command") == entry["command"]
        question = f"{NAME} is {old.get('command')} in {path}. Change it to {entry['command']}?"
        if not (yes or is_same_engine or typer.confirm(question)):
            raise typer.Exit(1)
        engines[place] = changed

    path.parent.mkdir(parents=True, exist_ok=True)
    write_safely(path.resolve(), json.dumps(engines, indent=4, ensure_ascii=False))
    typer.echo(f"{NAME} is in {path}. Restart Cute Chess to see it.")
    if shutil.which("cutechess") is None:
        typer.echo("the program cutechess is not on the PATH: is Cute Chess installed?")

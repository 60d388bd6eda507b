"""Pages from Jinja templates. A page works offline and loads nothing from the network."""

import re
from collections.abc import Sequence
from html import escape, unescape
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from zobra.arena.formats.files import without_analyses
from zobra.arena.formats.text import listed, printable

_DATA = Path(__file__).parent / "data"


_SIGNATURE = re.compile(r'<meta name="made-by" content="([^"]*)">')
_CHARSET = '<meta charset="utf-8">'
_HEAD_BYTES = 2000  # within which a page has its signature


def source_name(sources: Sequence[str | Path]) -> str:
    """Return the name of the source of a page: one file, or several."""
    names = [printable(Path(source).resolve().name) for source in without_analyses(sources)]
    return listed(names, longest=100)


def signed(page: str, command: str, source: str) -> str:
    """Return a page with a line that names the command that made it, and its source."""
    line = f'<meta name="made-by" content="{escape(_signature(command, source))}">'
    return page.replace(_CHARSET, f"{_CHARSET}\n{line}", 1)


def check_replaceable(page: Path, command: str, source: str) -> None:
    """Raise ValueError if the file exists and the same command did not make it from this source."""
    if not page.exists():
        return
    with page.open("rb") as file:
        head = file.read(_HEAD_BYTES).decode(errors="replace")
    found = _SIGNATURE.search(head)
    if found is None or unescape(found[1]) != _signature(command, source):
        raise ValueError(
            f"{page} exists and is not the page that `zobra {command}` made of {source}: "
            "name another file, or replace it with --force"
        )


def _signature(command: str, source: str) -> str:
    return f"zobra {command} {source}"


def render(template: str, **content: Any) -> str:
    """Return a page made from one of the templates in data/.

    Strings are escaped unless they are Markup.
    """

    def asset(name: str) -> Markup:
        return Markup((_DATA / name).read_text(encoding="utf-8"))

    environment = Environment(
        loader=FileSystemLoader(_DATA), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    # A module inside a page cannot be imported: the viewer's export becomes a global name
    viewer = asset("pgn-viewer.min.js").replace(
        "export{ba as default}", "globalThis.LichessPgnViewer=ba"
    )
    environment.globals |= {"asset": asset, "viewer": Markup(viewer)}
    return environment.get_template(template).render(content)

"""Pages from Jinja templates. Styles, scripts and pictures stand inside the page: it works offline and fetches nothing."""

import math
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

_DATA = Path(__file__).parent / "data"


def render(template: str, **content: Any) -> str:
    """A page from one of the templates in arena/data. Texts are escaped unless they are Markup."""
    environment = Environment(loader=FileSystemLoader(_DATA), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.globals |= {"asset": _asset, "viewer": _viewer}
    return environment.get_template(template).render(content)


def signed(value: float) -> str:
    """A number with its sign and one decimal, "–" where it is not finite."""
    return f"{value:+.1f}".replace("-", "−") if math.isfinite(value) else "–"


def margin(value: float) -> str:
    """A 95 % margin: "± 12.3", "± –" where it is not finite."""
    return f"± {value:.1f}" if math.isfinite(value) else "± –"


def _asset(name: str) -> Markup:
    """A file of arena/data as it is."""
    return Markup((_DATA / name).read_text(encoding="utf-8"))


def _viewer() -> Markup:
    """The viewer's script; as a module inside a page cannot be imported, its export becomes a global name."""
    return Markup(_asset("pgn-viewer.min.js").replace("export{ba as default}", "globalThis.LichessPgnViewer=ba"))

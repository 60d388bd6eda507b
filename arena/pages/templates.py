"""Pages from Jinja templates. A page works offline and fetches nothing."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

_DATA = Path(__file__).parent / "data"


def render(template: str, **content: Any) -> str:
    """A page from one of the templates in data/. Texts are escaped unless they are Markup."""

    def asset(name: str) -> Markup:
        return Markup((_DATA / name).read_text(encoding="utf-8"))

    environment = Environment(
        loader=FileSystemLoader(_DATA), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    # as a module inside a page cannot be imported, the viewer's export becomes a global name
    viewer = asset("pgn-viewer.min.js").replace(
        "export{ba as default}", "globalThis.LichessPgnViewer=ba"
    )
    environment.globals |= {"asset": asset, "viewer": Markup(viewer)}
    return environment.get_template(template).render(content)

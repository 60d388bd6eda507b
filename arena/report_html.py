"""Pieces of a report page as HTML. Everything is inside the page: no script, nothing to fetch."""

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files


def html_page(title: str, subtitle: str, sections: Iterable[str]) -> str:
    """A whole page with its style sheet; title and subtitle are text, the sections HTML."""
    style = files("zobra.arena").joinpath("data/report.css").read_text(encoding="utf-8")
    body = "\n".join(section for section in sections if section)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>\n{style}</style>\n</head>\n<body>\n'
        f'<h1>{escape(title)}</h1>\n<p class="soft">{escape(subtitle)}</p>\n{body}\n'
        f"<footer>Made by zobra report.</footer>\n</body>\n</html>\n"
    )


def figures(pairs: Iterable[tuple[str, str, str]]) -> str:
    """Key figures: name, value and a remark (may be empty) each."""
    cells = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)} <small>{escape(remark)}</small></dd></div>"
        for name, value, remark in pairs
    )
    return f'<dl class="figures">{cells}</dl>'


def section(heading: str, *content: str) -> str:
    """A headed part of the page; content is HTML. Empty when there is no content."""
    return f"<section>\n<h2>{escape(heading)}</h2>\n{''.join(content)}\n</section>" if any(content) else ""


def figure(drawing: str, caption: str) -> str:
    """A drawing (HTML) with a caption (text)."""
    return f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>"


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[int] = (), tall: bool = False) -> str:
    """A table; header cells are text, body cells are HTML; `numbers` are the columns to align right."""

    def row(tag: str, cells: Sequence[str]) -> str:
        classes = [' class="number"' if index in numbers else "" for index in range(len(cells))]
        return "<tr>" + "".join(f"<{tag}{c}>{cell}</{tag}>" for c, cell in zip(classes, cells, strict=True)) + "</tr>"

    head = row("th", [escape(name) for name in header])
    body = "\n".join(row("td", cells) for cells in rows)
    return f'<div class="scroll{" tall" * tall}"><table><thead>{head}</thead><tbody>\n{body}\n</tbody></table></div>'

"""The lines with which UCI engines announce their options.

UCI says that unknown text should be ignored, but python-chess gives up on the engine. So a line
that python-chess would refuse is replaced by an option that takes any string.
"""

import re

import chess.engine

_OPTION = re.compile(
    r"option\s+name\s+(?P<name>\S.*?)(?:\s+type\s+(?P<kind>\S.*?))?"
    r"(?P<rest>(?:\s+(?:default|min|max|var)\b.*)?)"
)
_PARAMETERS = re.compile(r"\b(default|min|max|var)\b")


def readable_option(line: str) -> str:
    """Return an option line that python-chess can read, or an empty string if it has no name."""
    match = _OPTION.fullmatch(line.strip())
    if match is None:
        return ""
    words = _PARAMETERS.split(match["rest"])
    values: dict[str, str] = {}
    choices = []
    for parameter, value in zip(words[1::2], words[2::2], strict=True):
        if parameter == "var":
            choices.append(value.strip())
        else:
            values.setdefault(parameter, value.strip())
    option = chess.engine.Option(
        name=match["name"],
        type=match["kind"] or "",
        default=None,
        min=_whole(values.get("min")),
        max=_whole(values.get("max")),
        var=choices,
    )
    try:
        option.parse(values.get("default", ""))
    except chess.engine.EngineError:
        default = values.get("default", "")
        return f"option name {option.name} type string default {default}".rstrip()
    return line


def _whole(text: str | None) -> int | None:
    if text is None or not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        return None
    return int(text)

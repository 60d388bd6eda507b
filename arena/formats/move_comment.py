"""Comments on moves in PGN: the scores, depths and times that match programs write there.

A comment has values only if it begins with one of these forms:

    +0.31/12 0.101s, n=52311       cutechess, fastchess, Zobra; "+M5" is a mate in 5 plies
    (Nf3) +0.31/12 3               Arena and XBoard: the expected reply, and whole seconds
    +0.57 17/28 583 363004         OpenBench: depth/selective depth, milliseconds, nodes
    0.101s                         only a time
    book                           a move of the opening book

Commands such as [%eval 0.31] and [%clk 0:01:00] are left to python-chess, with one exception:
ChessBase writes integer centipawns, as in [%eval 31,12].
"""

import re
from dataclasses import dataclass

_SCORE = r"(?P<score>[+-]?(?:M[0-9]{1,4}|[0-9]{1,6}\.[0-9]{1,4}))"
_WHOLE = "[0-9]{1,18}"
_NUMBER = r"[0-9]{1,9}(?:\.[0-9]+)?"
_EXTRAS = r'(?P<extras>(?:,\s*\w+=(?:"[^"]*"|[^\s,]+))*)'
_END = r"(?:,?\s+|,?$)"
# A number without its unit is a time only if no other number follows.
_TIME = rf"(?P<time>{_NUMBER})(?:(?P<unit>ms|s)(?!\w)|(?![\w./:]|\s+[0-9]))"
_FORMS = [
    re.compile(form + _EXTRAS + _END)
    for form in (
        rf"(?:\([^()]*\)\s*)?{_SCORE}/(?P<depth>{_WHOLE})(?:,?\s+{_TIME})?",
        rf"{_SCORE} (?P<depth>{_WHOLE})/(?P<seldepth>{_WHOLE})"
        rf" (?P<ms>{_WHOLE}) (?P<nodes>{_WHOLE})",
        rf"(?P<time>{_NUMBER})(?P<unit>s)(?!\w)",
        r"book",
    )
]
_COMMAND = re.compile(r"\s*\[%[^\]]*\]\s*")
_CENTIPAWNS = re.compile(r"\[%eval\s+([+-]?[0-9]{1,9}),([0-9]{1,9})\]")


@dataclass(frozen=True)
class MoveComment:
    """What a comment says about its move; None means unknown.

    `score` (centipawns) and `mate` (moves) are from the mover's view. `text` is the rest of the
    comment, including its commands.
    """

    text: str
    score: int | None = None
    mate: int | None = None
    depth: int | None = None
    seldepth: int | None = None
    nodes: int | None = None
    milliseconds: float | None = None


def read_comment(comment: str) -> MoveComment:
    """Read the comment on a move."""
    plain = _COMMAND.sub(" ", comment).strip()
    for form in _FORMS:
        found = form.match(plain)
        if found is not None:
            break
    else:
        return MoveComment(comment)

    values = found.groupdict()
    extras = dict(re.findall(r"(\w+)=([^\s,]+)", values["extras"]))
    score, mate = _score(values.get("score"))
    return MoveComment(
        text=form.sub("", comment, count=1) if form.match(comment) else comment,
        score=score,
        mate=mate,
        depth=_whole(values.get("depth")) or None,
        seldepth=_whole(values.get("seldepth") or extras.get("sd")),
        nodes=_whole(values.get("nodes") or extras.get("n")),
        milliseconds=_milliseconds(values),
    )


def read_centipawns(comment: str) -> tuple[int, int] | None:
    """Return the score for White and the depth that ChessBase writes as [%eval 31,12].

    Return None if the comment has no such command.
    """
    found = _CENTIPAWNS.search(comment)
    return None if found is None else (int(found[1]), int(found[2]))


def _score(text: str | None) -> tuple[int | None, int | None]:
    """Return centipawns and the moves to mate."""
    if text is None:
        return None, None
    sign = -1 if text.startswith("-") else 1
    digits = text.lstrip("+-")
    if digits.startswith("M"):
        plies = int(digits.removeprefix("M"))
        return None, sign * ((plies + 1) // 2)
    return round(sign * float(digits) * 100), None


def _whole(text: str | None) -> int | None:
    if text is None or not re.fullmatch(_WHOLE, text):
        return None
    return int(text)


def _milliseconds(values: dict[str, str | None]) -> float | None:
    ms = values.get("ms")
    if ms is not None:
        return float(ms)
    time = values.get("time")
    if time is None:
        return None
    return float(time) if values.get("unit") == "ms" else float(time) * 1000

"""Short texts for people: escaped control characters, counted nouns, numbers and times."""

import math
from collections.abc import Iterable
from datetime import datetime, timezone


def counted(number: int, thing: str) -> str:
    """Return a number with its noun: "1 game", "2 games"."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def listed(names: Iterable[str], longest: int = 300) -> str:
    """Return names separated by commas; of very many, the first ones and the number left out."""
    shown: list[str] = []
    rest = list(names)
    length = 0
    while rest and (not shown or length + len(rest[0]) <= longest):
        length += len(rest[0]) + 2
        shown.append(rest.pop(0))
    if rest:
        shown.append(f"… ({len(rest)} more)")
    return ", ".join(shown)


def finite(value: float, form: str) -> str:
    """Return a number in this format, or "-" if it is infinite or unknown."""
    return format(value, form) if math.isfinite(value) else "-"


def printable(text: str, longest: int = 200) -> str:
    """Return the text with control characters escaped ("\\x1b"), truncated if it is too long."""
    signs = []
    for sign in text[: 2 * longest]:
        signs.append(sign if sign.isprintable() else sign.encode("unicode_escape").decode())
    shown = "".join(signs)
    if len(text) <= 2 * longest and len(shown) <= longest:
        return shown
    return f"{shown[: longest * 2 // 3]} ... ({len(text):,} characters)"


def now() -> str:
    """Return the current time in ISO format, with seconds and time zone."""
    return datetime.now(timezone.utc).astimezone().isoformat(timespec="seconds")


def date_text(time: str) -> str:
    """Return an ISO time as "2026-01-02 03:04 UTC", and any other text unchanged."""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return time
    zone = "" if moment.tzinfo is None else f" {moment.tzname()}"
    return f"{moment:%Y-%m-%d %H:%M}{zone}"

"""Short texts for people: control characters made visible, counted things, numbers, the time."""

import math
from datetime import datetime, timezone


def counted(number: int, thing: str) -> str:
    """ "1 game", "2 games"."""
    return f"{number} {thing}" + "s" * (number != 1)


def finite(value: float, form: str) -> str:
    """A number in this format, or "-" where it is infinite or unknown."""
    return format(value, form) if math.isfinite(value) else "-"


def printable(text: str, longest: int = 200) -> str:
    """The text with its control characters written as escapes ("\\x1b"), and cut in the middle
    where it is too long.
    """
    shown = "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode()
        for sign in text[: 2 * longest]
    )
    if len(text) <= 2 * longest and len(shown) <= longest:
        return shown
    return f"{shown[: longest * 2 // 3]} ... ({len(text):,} characters)"


def now() -> str:
    """The time in ISO format, seconds and zone."""
    return datetime.now(timezone.utc).astimezone().isoformat(timespec="seconds")

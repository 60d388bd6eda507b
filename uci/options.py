"""The options, each declared once: how it is announced, and what values it takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

MAX_HASH = 1 << 20  # megabytes
MAX_LINES = 256
MAX_THREADS = 256
EMPTY = "<empty>"  # how the protocol writes a string without characters
ABOUT = "Zobra, a chess engine in Python compiled by Numba. Free software: GPL-3.0-or-later."


@dataclass(frozen=True)
class Option:
    """One option. `kind` is spin, check, string or button; a spin has bounds."""

    name: str
    kind: str
    default: str = ""
    low: int = 0
    high: int = 0

    def announcement(self) -> str:
        """The line that answers `uci`."""
        if self.kind == "button":
            return f"option name {self.name} type button"
        bounds = f" min {self.low} max {self.high}" if self.kind == "spin" else ""
        return f"option name {self.name} type {self.kind} default {self.default or EMPTY}{bounds}"

    def read(self, text: str | None) -> tuple[str, str | None]:
        """The value that a text stands for, and what was wrong with the text (None if nothing).

        ValueError when no value can be made of it.
        """
        if self.kind == "button":
            return "", None
        if self.kind == "string":
            return "" if text is None or text == EMPTY else text, None
        if self.kind == "check":
            lowered = (text or "").lower()
            if lowered not in ("true", "false"):
                raise ValueError(f"option {self.name} is true or false, not {text!r}")
            return lowered, None
        try:
            number = int(text or "")
        except ValueError:
            raise ValueError(f"option {self.name} is a number from {self.low} to {self.high}, not {text!r}") from None
        within = min(max(number, self.low), self.high)
        remark = None if within == number else f"option {self.name} set to {within}, not to {number}"
        return str(within), remark


OPTIONS = (
    Option("Hash", "spin", "32", 1, MAX_HASH),
    Option("Threads", "spin", "1", 1, MAX_THREADS),
    Option("Clear Hash", "button"),
    Option("Ponder", "check", "false"),
    Option("MultiPV", "spin", "1", 1, MAX_LINES),
    Option("Move Overhead", "spin", "10", 0, 5000),
    Option("nodestime", "spin", "0", 0, 10_000),
    Option("Skill Level", "spin", "20", 0, 20),
    Option("EvalFile", "string"),
    Option("UCI_LimitStrength", "check", "false"),
    Option("UCI_Elo", "spin", "1800", 1000, 2600),
    Option("OwnBook", "check", "false"),
    Option("BookFile", "string"),
    Option("Book Variety", "spin", "100", 0, 100),
    Option("SyzygyPath", "string"),
    Option("SyzygyProbeLimit", "spin", "7", 0, 7),
    Option("Syzygy50MoveRule", "check", "true"),
    Option("Debug Log File", "string"),
    Option("UCI_ShowWDL", "check", "false"),
    Option("UCI_Chess960", "check", "false"),
    Option("UCI_AnalyseMode", "check", "false"),
    Option("UCI_Opponent", "string"),
    Option("UCI_EngineAbout", "string", ABOUT),
)
BY_NAME = {option.name.lower(): option for option in OPTIONS}


@cache
def parameter_options() -> dict[str, Option]:
    """The numbers that steer the search, by name: they can always be set, but only `zobra --tunable` announces them."""
    from zobra.search.parameters import PARAMETERS

    return {entry.name: Option(entry.name, "spin", str(entry.default), entry.low, entry.high) for entry in PARAMETERS}


def find(name: str) -> Option:
    """The option of this name in any case; ValueError if there is none."""
    key = " ".join(name.lower().split())
    if (option := BY_NAME.get(key) or parameter_options().get(key)) is None:
        raise ValueError(f"there is no option {name!r}")
    return option

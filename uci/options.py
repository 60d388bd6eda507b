"""The UCI options.

Each is declared once: how it is announced, which values it takes, and what setting it does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zobra.uci.session import Session

MAX_HASH = 1 << 20  # megabytes
MAX_LINES = MAX_THREADS = 256
EMPTY = "<empty>"  # how the protocol writes an empty string
ABOUT = "Zobra, a chess engine in Python compiled by Numba. Free software: GPL-3.0-or-later."


def attribute(
    path: str, convert: Callable[[str], object] = int
) -> Callable[["Session", str], None]:
    """The setter of an option that is an attribute of the session, found by its dotted path."""
    owner, _, name = path.rpartition(".")
    return lambda session, value: setattr(attrgetter(owner)(session), name, convert(value))


@dataclass(frozen=True)
class Option:
    """One option.

    `kind` is spin, check, string or button; a spin has bounds. `apply(session, value)` makes a new
    value take effect. It raises ValueError or MemoryError, and then changes nothing.
    """

    name: str
    kind: str
    default: str = ""
    low: int = 0
    high: int = 0
    apply: Callable[["Session", str], None] = lambda session, value: (
        None
    )  # values are looked up when they are needed

    def announcement(self) -> str:
        """The line that answers `uci`."""
        default = "" if self.kind == "button" else f" default {self.default or EMPTY}"
        bounds = f" min {self.low} max {self.high}" if self.kind == "spin" else ""
        return f"option name {self.name} type {self.kind}{default}{bounds}"

    def read(self, text: str | None) -> tuple[str, str | None]:
        """The value that a text stands for, and how it differs from the text (None if not);
        ValueError if it is no value.
        """
        if self.kind in ("button", "string"):
            return "" if text is None or text == EMPTY else text, None
        if self.kind == "check":
            if text is None or text.lower() not in ("true", "false"):
                raise ValueError(f"option {self.name} is true or false, not {text or ''!r}")
            return text.lower(), None
        try:
            number = int(text or "")
        except ValueError:
            raise ValueError(
                f"option {self.name} is a number from {self.low} to {self.high}, not {text or ''!r}"
            ) from None
        within = min(max(number, self.low), self.high)
        return str(
            within
        ), None if within == number else f"option {self.name} set to {within}, not to {number}"


OPTIONS = (
    Option(
        "Hash",
        "spin",
        "32",
        1,
        MAX_HASH,
        lambda session, value: session.searcher.resize(int(value)),
    ),
    Option(
        "Threads",
        "spin",
        "1",
        1,
        MAX_THREADS,
        lambda session, value: session.use_threads(int(value)),
    ),
    Option("Clear Hash", "button", apply=lambda session, value: session.searcher.clear()),
    Option("Ponder", "check", "false"),
    Option("MultiPV", "spin", "1", 1, MAX_LINES, attribute("searcher.multipv")),
    Option("Move Overhead", "spin", "10", 0, 5000, attribute("searcher.time.overhead")),
    Option("nodestime", "spin", "0", 0, 10_000, attribute("searcher.time.node_time.rate")),
    Option("Skill Level", "spin", "20", 0, 20),
    Option(
        "Natural Time", "check", "true", apply=attribute("searcher.natural_time", "true".__eq__)
    ),
    Option("EvalFile", "string", apply=lambda session, value: session.use_network(value)),
    Option("UCI_LimitStrength", "check", "false"),
    Option("UCI_Elo", "spin", "1800", 1000, 2600),
    Option("OwnBook", "check", "false"),
    Option("BookFile", "string", apply=lambda session, value: session.searches.book.open(value)),
    Option("Book Variety", "spin", "100", 0, 100, attribute("searches.book.variety")),
    Option(
        "SyzygyPath", "string", apply=lambda session, value: session.searches.tables.open(value)
    ),
    Option("SyzygyProbeLimit", "spin", "7", 0, 7, attribute("searches.tables.probe_limit")),
    Option(
        "Syzygy50MoveRule",
        "check",
        "true",
        apply=attribute("searches.tables.fifty_move_rule", "true".__eq__),
    ),
    Option(
        "Debug Log File", "string", apply=lambda session, value: session.console.open_log(value)
    ),
    Option("UCI_ShowWDL", "check", "false"),
    Option("UCI_Chess960", "check", "false"),
    Option("UCI_AnalyseMode", "check", "false"),
    Option("UCI_Opponent", "string"),
    Option("UCI_EngineAbout", "string", ABOUT),
)
BY_NAME = {option.name.lower(): option for option in OPTIONS}


@cache
def parameter_options() -> dict[str, Option]:
    """The parameters of the search, by name.

    They can always be set, but only `zobra --tunable` announces them.
    """
    from zobra.search.parameters import PARAMETERS

    def setter(name: str) -> Callable[["Session", str], None]:
        return lambda session, value: session.searcher.set_parameter(name, int(value))

    return {
        name: Option(name, "spin", str(default), low, high, setter(name))
        for name, default, low, high, _ in PARAMETERS
    }


def find(name: str) -> Option:
    """The option of this name in any case; ValueError if there is none."""
    key = " ".join(name.lower().split())
    if (option := BY_NAME.get(key) or parameter_options().get(key)) is None:
        raise ValueError(f"there is no option {name!r}")
    return option

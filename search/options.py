"""The options of the engine, each declared once: name, type, default, range and setter.

Nothing heavy is imported here: a GUI wants the list at once.
"""

from dataclasses import dataclass

from zobra.search.parameters import PARAMETERS

MAX_HASH = 1 << 20  # megabytes
MAX_LINES = 256
MAX_THREADS = 256
MAX_SKILL = 20  # the Skill Level of full strength
MOVE_OVERHEAD = 10  # milliseconds
ABOUT = "Zobra, a chess engine in Python compiled by Numba. Free software: GPL-3.0-or-later."

KINDS = {int: "spin", bool: "check", str: "string", type(None): "button"}

Value = int | bool | str | None


@dataclass(frozen=True)
class Option:
    """An option of the engine.

    Its type is the type of its default; None stands for a button, which has no value. A number lies
    between `low` and `high`. `setter` names the method of Player that makes a new value take
    effect; without one, the value is read when it is needed.
    """

    name: str
    default: Value
    low: int = 0
    high: int = 0
    setter: str | None = None

    @property
    def kind(self) -> str:
        """The type in UCI: spin, check, string or button."""
        return KINDS[type(self.default)]

    @property
    def is_number(self) -> bool:
        """True for an option whose value is an int; bool is a type of its own."""
        return type(self.default) is int

    def check(self, value: Value) -> None:
        """Raise ValueError if the option cannot have this value."""
        if type(value) is not type(self.default):
            expected = "no value" if self.default is None else type(self.default).__name__
            raise ValueError(f"option {self.name} takes {expected}, not {value!r}")
        if self.is_number and not self.low <= int(value or 0) <= self.high:
            raise ValueError(
                f"option {self.name} is a number from {self.low} to {self.high}, not {value}"
            )


OPTIONS = (
    Option("Hash", 32, 1, MAX_HASH, setter="set_hash"),
    Option("Threads", 1, 1, MAX_THREADS, setter="set_threads"),
    Option("Clear Hash", None, setter="clear"),
    Option("Ponder", False),
    Option("MultiPV", 1, 1, MAX_LINES),
    Option("Move Overhead", MOVE_OVERHEAD, 0, 5000),
    Option("nodestime", 0, 0, 10_000),
    Option("Skill Level", MAX_SKILL, 0, MAX_SKILL),
    Option("Natural Time", True),
    Option("EvalFile", "", setter="set_eval_file"),
    Option("UCI_LimitStrength", False),
    Option("UCI_Elo", 1800, 1000, 3190),
    Option("OwnBook", False),
    Option("BookFile", "", setter="set_book_file"),
    Option("Book Variety", 100, 0, 100),
    Option("SyzygyPath", "", setter="set_syzygy_path"),
    Option("SyzygyProbeLimit", 7, 0, 7),
    Option("Syzygy50MoveRule", True),
    Option("Debug Log File", ""),
    Option("UCI_ShowWDL", False),
    Option("UCI_Chess960", False),
    Option("UCI_AnalyseMode", False),
    Option("UCI_Opponent", ""),
    Option("UCI_EngineAbout", ABOUT),
)

# The parameters of the search. They can always be set, but only `zobra --tunable` announces them.
PARAMETER_OPTIONS = tuple(
    Option(parameter.name, parameter.default, parameter.low, parameter.high)
    for parameter in PARAMETERS
)
BY_NAME = {option.name.lower(): option for option in (*OPTIONS, *PARAMETER_OPTIONS)}


def find(name: str) -> Option:
    """Return the option with this case-insensitive name. Raise ValueError if there is none."""
    option = BY_NAME.get(" ".join(name.lower().split()))
    if option is None:
        raise ValueError(f"there is no option {name!r}")
    return option

"""Zobra with the constants of its time management as UCI options, in hundredths: an engine for
`zobra tune`.

    zobra tune "python docs/tuning/clock.py" --parameters docs/tuning/clock.toml --tc 8+0.08 -o
    nodestime=125 -o Hash=16 …

With `nodestime` the clock counts nodes, so that neither the speed of a machine nor other work on it
changes a game.
"""

from functools import partial

from zobra.search import time_management
from zobra.uci import loop, options
from zobra.uci.session import Session

UNIT = 100  # of an option in each constant
BOUNDS = {
    "MOST_MOVES": (1000, 4000),
    "INCREMENT_SHARE": (40, 100),
    "OPTIMUM_FACTOR": (40, 250),
    "MAXIMUM_FACTOR": (120, 700),
    "CLOCK_SHARE": (10, 80),
    "STABILITY_FACTORS": (40, 300),  # each of them
    "EFFORT_BASE": (100, 300),
    "EFFORT_SLOPE": (0, 220),
    "DROP_SCALE": (4000, 40000),
    "DROP_LEAST": (40, 100),
    "DROP_MOST": (100, 300),
}


def set_constant(name: str, place: int | None, _session: Session, value: str) -> None:
    """Set a constant, or one of several."""
    number: float | tuple[float, ...] = int(value) / UNIT
    if place is not None:
        several = list(getattr(time_management, name))
        several[place] = number
        number = tuple(several)
    setattr(time_management, name, number)


def clock_options() -> list[options.Option]:
    """An option for each constant, with its present value as the default; NAME_0, NAME_1, … where
    there are several.
    """
    found = []
    for name, (low, high) in BOUNDS.items():
        value = getattr(time_management, name)
        numbers = dict(enumerate(value)) if isinstance(value, tuple) else {None: value}
        for place, number in numbers.items():
            word = name.lower() if place is None else f"{name.lower()}_{place}"
            default = str(round(number * UNIT))
            found.append(
                options.Option(word, "spin", default, low, high, partial(set_constant, name, place))
            )
    return found


def main() -> None:
    """Speak UCI with these options, too."""
    more = clock_options()
    loop.OPTIONS = (*options.OPTIONS, *more)
    options.BY_NAME.update((option.name, option) for option in more)
    loop.converse()


if __name__ == "__main__":
    main()

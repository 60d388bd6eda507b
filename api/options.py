"""The options of the engine as python-chess describes them."""

import chess.engine
from chess.engine import MANAGED_OPTIONS, ConfigMapping, ConfigValue, UciOptionMap

from zobra.search.options import OPTIONS, Option, Value, find

OF_UCI_ONLY = "Debug Log File"


def option_map() -> UciOptionMap[chess.engine.Option]:
    """Return the options that an engine has; names are case-insensitive."""
    options = (option for option in OPTIONS if option.name != OF_UCI_ONLY)
    return UciOptionMap((option.name, _described(option)) for option in options)


def read_options(options: ConfigMapping) -> dict[str, Value]:
    """Return the values by the options' exact names, converted to the options' types.

    Strings such as "16" and "true" become integers and booleans, as in python-chess. Raise
    ValueError for an unknown option, one of UCI only, or one that python-chess manages itself.
    """
    values = {}
    for name, value in options.items():
        option = find(name)
        if option.name == OF_UCI_ONLY:
            raise ValueError(f"option {option.name} is for UCI only")
        if option.name.lower() in MANAGED_OPTIONS:
            raise ValueError(f"option {option.name} is set by the arguments of each search")
        values[option.name] = _typed(option, value)
        option.check(values[option.name])
    return values


def _described(option: Option) -> chess.engine.Option:
    low = option.low if option.is_number else None
    high = option.high if option.is_number else None
    return chess.engine.Option(option.name, option.kind, option.default, low, high, [])


def _typed(option: Option, value: ConfigValue) -> Value:
    """Convert a value to the option's type; return it unchanged if that is impossible."""
    if option.is_number and isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            return value
    if isinstance(option.default, bool):
        if value in ("true", "false"):
            return value == "true"
        return bool(value) if isinstance(value, int) else value
    if isinstance(option.default, str) and value is not None:
        return str(value)  # a Path, for example
    return value

"""Options in the syntax of UCI. Nothing heavy is imported here."""

from zobra.search.options import Option, Value

EMPTY = "<empty>"  # how the protocol writes an empty string


def announcement(option: Option) -> str:
    """Return the line that announces an option after `uci`."""
    line = f"option name {option.name} type {option.kind}"
    if option.kind != "button":
        line += f" default {value_text(option.default)}"
    if option.kind == "spin":
        line += f" min {option.low} max {option.high}"
    return line


def value_text(value: Value) -> str:
    """Return a value as the protocol writes it; that of a button is <empty>."""
    if isinstance(value, bool):
        return str(value).lower()
    return EMPTY if value in ("", None) else str(value)


def read_value(option: Option, text: str | None) -> Value:
    """Return the value in a text; a number out of range becomes the nearest bound.

    Raise ValueError if the text is not a value of the option.
    """
    text = text or ""
    if option.kind == "button":
        return None
    if option.kind == "string":
        return "" if text == EMPTY else text
    if option.kind == "check":
        if text.lower() not in ("true", "false"):
            raise ValueError(f"option {option.name} is true or false, not {text!r}")
        return text.lower() == "true"
    try:
        number = int(text)
    except ValueError:
        raise ValueError(
            f"option {option.name} is a number from {option.low} to {option.high}, not {text!r}"
        ) from None
    return min(max(number, option.low), option.high)

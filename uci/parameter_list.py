"""`zobra parameters`: what a tuner may change, in the form that `zobra tune` reads."""

from __future__ import annotations

from collections.abc import Sequence

from zobra.search.parameters import PARAMETERS, Parameter


def parameter_list(names: Sequence[str]) -> str:
    """TOML with a table for each of these parameters, or for all that are more than a switch. Raises ValueError."""
    known = {parameter.name: parameter for parameter in PARAMETERS}
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"no parameter {', '.join(unknown)}")
    chosen = [known[name] for name in names] or [entry for entry in PARAMETERS if entry.high - entry.low > 1]
    return "\n".join(map(_table, chosen))


def _table(entry: Parameter) -> str:
    return (
        f"[parameter.{entry.name}]\ndefault = {entry.default}\nlow = {entry.low}\nhigh = {entry.high}\nc_end = {entry.step}\n"
    )

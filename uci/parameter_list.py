"""`zobra parameters`: what a tuner may change, in the form that `zobra tune` reads, or that OpenBench's form for SPSA takes."""

from __future__ import annotations

from collections.abc import Sequence

from zobra.search.parameters import PARAMETERS

LEARNING_RATE = 0.002  # in the last iteration (r_end), which `zobra tune` takes too unless told otherwise
TOML = "[parameter.{0.name}]\ndefault = {0.default}\nlow = {0.low}\nhigh = {0.high}\nc_end = {0.step}\n"
OPENBENCH = f"{{0.name}}, int, {{0.default}}, {{0.low}}, {{0.high}}, {{0.step}}, {LEARNING_RATE}"


def parameter_list(names: Sequence[str], openbench: bool = False) -> str:
    """A TOML table or a line for OpenBench for each of these parameters, or for all that are more than a switch.

    Raises ValueError for an unknown name.
    """
    known = {parameter.name: parameter for parameter in PARAMETERS}
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"no parameter {', '.join(unknown)}")
    chosen = [known[name] for name in names] or [entry for entry in PARAMETERS if entry.high - entry.low > 1]
    return "\n".join(map((OPENBENCH if openbench else TOML).format, chosen))

"""`zobra parameters`: the parameters of the search, for tuning."""

from typing import Annotated

import typer

LEARNING_RATE = 0.002  # OpenBench's r_end, that of the last iteration; the default of `zobra tune`
TOML = """[parameter.{0.name}]
default = {0.default}
low = {0.low}
high = {0.high}
c_end = {0.step}
"""
OPENBENCH = f"{{0.name}}, int, {{0.default}}, {{0.low}}, {{0.high}}, {{0.step}}, {LEARNING_RATE}"


def parameters(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Default: all except switches.")
    ] = None,
    openbench: Annotated[
        bool, typer.Option("--openbench", help="Print lines for OpenBench's form instead of TOML.")
    ] = False,
) -> None:
    """Print the parameters of the search for `zobra tune`."""
    from zobra.search.parameters import PARAMETERS

    known = {parameter.name: parameter for parameter in PARAMETERS}
    if names:
        unknown = [name for name in names if name not in known]
        if unknown:
            raise typer.BadParameter(f"no parameter {', '.join(unknown)}")
        chosen = [known[name] for name in names]
    else:
        chosen = [parameter for parameter in PARAMETERS if parameter.high - parameter.low > 1]
    form = OPENBENCH if openbench else TOML
    for parameter in chosen:
        typer.echo(form.format(parameter))

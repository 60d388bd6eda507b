"""`python -m zobra.arena`: the arena's commands."""

import typer

from zobra.arena.command_line import register

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
register(app)

if __name__ == "__main__":
    app()

"""`python -m zobra.arena`: the arena's commands."""

from zobra.arena.command_line import app

app()

"""`python -m zobra.arena`: the arena's commands."""

from zobra.arena.commands.command_line import app

app()

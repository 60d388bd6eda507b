"""A game between a person and an engine, in the browser or in the terminal.

Read in this order: new_game, game, opponent, session; then view, feed and server for the page,
terminal for the terminal.
"""

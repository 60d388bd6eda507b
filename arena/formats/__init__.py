"""Formats of games and positions: PGN, EPD, comments on moves, and the files that hold them."""

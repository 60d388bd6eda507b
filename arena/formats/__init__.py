"""How games and positions are written and read: files, EPD lines, comments of moves."""

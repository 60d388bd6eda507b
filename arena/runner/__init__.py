"""Running engines: processes, games, searches, and runs made of them."""

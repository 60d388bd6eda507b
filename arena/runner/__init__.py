"""Engines that run: processes, games, searches, and the runs that are made of them."""

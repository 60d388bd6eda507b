"""Engines seen from outside: matches, suites, analysis, tuning, and the pages of their results."""

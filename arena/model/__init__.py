"""The parts, rules and results of matches, suites and tuning runs. Nothing runs here."""

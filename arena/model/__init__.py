"""What a match, a suite or a tuning run is: its parts, rules and results. Nothing runs here."""

"""HTML pages and drawings of results."""

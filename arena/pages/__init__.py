"""HTML pages and plots of results."""

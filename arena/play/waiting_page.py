"""The page that is shown until an analysis is done; it reloads itself every second."""

from html import escape

WAITING_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'"

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Analysis</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
{refresh}<link rel="stylesheet" href="play.css">
</head>
<body class="waiting">
<main>
<h1>Analysis</h1>
{content}
</main>
</body>
</html>
"""
_REFRESH = '<meta http-equiv="refresh" content="1">\n'


def waiting_page(problem: str, share: float | None) -> str:
    """Return the page, which says how much is done or why there is no analysis."""
    if problem or share is None:
        return _PAGE.format(refresh="", content=f'<p role="alert">{escape(problem)}</p>')
    percent = round(share * 100)
    content = (
        f'<p role="status"><label for="share">The game is being analysed: {percent}%</label></p>\n'
        f'<progress id="share" max="100" value="{percent}"></progress>'
    )
    return _PAGE.format(refresh=_REFRESH, content=content)

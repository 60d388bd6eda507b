"""The page that is shown until an analysis is done; its script follows the analysis."""

from html import escape

WAITING_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Analysis</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="play.css">
<script type="module" src="waiting.js"></script>
</head>
<body class="waiting">
<main>
<h1>Analysis</h1>
{content}
</main>
</body>
</html>
"""


def waiting_page(problem: str, share: float | None) -> str:
    """Return the page, which says how much is done or why there is no analysis."""
    if problem or share is None:
        return _PAGE.format(content=f'<p role="alert">{escape(problem)}</p>')
    percent = round(share * 100)
    content = (
        f'<p><label for="share">The game is being analysed: {percent}%</label></p>\n'
        f'<progress id="share" max="100" value="{percent}"></progress>'
    )
    return _PAGE.format(content=content)

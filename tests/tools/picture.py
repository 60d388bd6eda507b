"""Make the picture of README from the page of an analysed game.

zobra analyse GAME.pgn --html PAGE.html
python -m tests.tools.picture PAGE.html docs/report.png [GAME] [PLY]
"""

import sys
from pathlib import Path

from tests.tools.browser import Browser

WIDTH = 1000
_HEIGHT = 900  # of the window; the picture ends below the players' mistakes
_MARGIN = 4
_BOTTOM = "document.querySelector('.replay-sides').getBoundingClientRect().bottom + scrollY"


def main(page: str, picture: str, game: str = "1", ply: str = "32") -> None:
    """Open a game in the page's viewer, and write what a reader sees as PNG."""
    with Browser(WIDTH, _HEIGHT) as browser:
        browser.open(Path(page), f"#game={game}&ply={ply}")
        browser.wait(f"document.getElementById('replay').dataset.ply == {ply}")
        browser.wait("!document.querySelector('piece.anim, piece.fading')")
        height = int(browser.evaluate(_BOTTOM)) + _MARGIN
        browser.picture(Path(picture), WIDTH, height)


if __name__ == "__main__":
    main(*sys.argv[1:])

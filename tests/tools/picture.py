"""Makes the picture of README from a report: python -m tests.tools.picture REPORT.html
docs/report.png [GAME] [PLY].
"""

import sys
from pathlib import Path

from tests.tools.browser import Browser

WIDTH, HEIGHT = 1000, 1130


def main(page: str, picture: str, game: str = "1", ply: str = "40") -> None:
    """Opens a game in the report's viewer, and writes what a reader sees as PNG."""
    with Browser(WIDTH, HEIGHT) as browser:
        browser.open(Path(page), f"#game={game}&ply={ply}")
        browser.wait(f"document.getElementById('replay').dataset.ply == {ply}")
        browser.wait("!document.querySelector('piece.anim, piece.fading')")
        browser.picture(Path(picture), WIDTH, HEIGHT)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A game in XBoard, a GUI that knows nothing of UCI: polyglot translates, Fairy-Max plays the other
side.

The programs are packages of Debian: xboard, polyglot, fairymax, xvfb (a screen in memory, so that
nobody needs to look).
"""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import chess.pgn
import pytest

WITH_GAMES = f"{os.environ.get('PATH', os.defpath)}{os.pathsep}/usr/games"  # where Debian puts them
PROGRAMS = ("xboard", "polyglot", "fairymax", "Xvfb")
MISSING = [name for name in PROGRAMS if shutil.which(name, path=WITH_GAMES) is None]
LONGEST_GAME = 12  # moves; XBoard calls it a draw then
TIMEOUT = 120  # seconds

pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")


@pytest.fixture
def display() -> Iterator[str]:
    """A screen of its own for the GUI."""
    with subprocess.Popen(
        ["Xvfb", "-displayfd", "1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as screen:
        yield f":{screen.stdout.readline().strip()}"
        screen.terminate()


def play(folder: Path, display: str, zobra_is_white: bool) -> None:
    """A game that leaves game.pgn, and polyglot.log with the lines that Zobra read and wrote."""
    engine = shlex.join([sys.executable, "-m", "zobra.uci"])
    adapter = (
        f"polyglot -noini -ec {shlex.quote(engine)} -en Zobra -log true -lf "
        f"{folder / 'polyglot.log'}"
    )
    players = (adapter, "fairymax") if zobra_is_white else ("fairymax", adapter)
    command = [
        "xboard",
        "-fcp",
        players[0],
        "-scp",
        players[1],
        "-matchGames",
        "1",
        "-timeControl",
        "0:04",
    ]
    command += ["-timeIncrement", "0.05", "-saveGameFile", str(folder / "game.pgn"), "-xexit"]
    command += ["-adjudicateDrawMoves", str(LONGEST_GAME), "-soundProgram", ""]
    environment = os.environ | {"DISPLAY": display, "HOME": str(folder), "PATH": WITH_GAMES}
    with (folder / "xboard.log").open("wb") as log:
        subprocess.run(
            command,
            check=True,
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            timeout=TIMEOUT,
        )


@pytest.mark.parametrize("zobra_is_white", [True, False])
def test_a_game_in_xboard(tmp_path, display, zobra_is_white):
    play(tmp_path, display, zobra_is_white)
    with (tmp_path / "game.pgn").open(encoding="utf-8") as file:
        game = chess.pgn.read_game(file)
        assert chess.pgn.read_game(file) is None
    moves = [(node.parent.turn(), node.move) for node in game.mainline()]
    assert not game.errors and len(moves) > LONGEST_GAME
    assert game.headers["White" if zobra_is_white else "Black"] == "Zobra"
    said = [
        line.split()[2:]
        for line in (tmp_path / "polyglot.log").read_text().splitlines()
        if "Engine->Adapter" in line
    ]
    chosen = iter(
        [words[1] for words in said if words[0] == "bestmove"]
    )  # some after pondering on a move that did not come
    assert all(move.uci() in chosen for side, move in moves if side == zobra_is_white)
    assert game.end().board().is_game_over() or "adjudication: long game" in game.end().comment, (
        game.end().comment
    )

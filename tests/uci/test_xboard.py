"""A game in XBoard, a GUI that knows nothing of UCI: Zobra plays itself, and polyglot translates.

Both sides are Zobra, so that nothing depends on another engine: Debian's Fairy-Max crashes on some
processors. The programs are packages of Debian: xboard, polyglot, xvfb (a screen in memory, so that
nobody needs to look).
"""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.pgn
import pytest

WITH_GAMES = f"{os.environ.get('PATH', os.defpath)}{os.pathsep}/usr/games"  # where Debian puts them
PROGRAMS = ("xboard", "polyglot", "Xvfb")
MISSING = [name for name in PROGRAMS if shutil.which(name, path=WITH_GAMES) is None]
NAMES = ("Zobra-1", "Zobra-2")  # of White and Black
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


def play(folder: Path, display: str) -> None:
    """A game that leaves game.pgn, and for each side a log of polyglot, with the lines that Zobra
    read and wrote.
    """
    engine = shlex.quote(shlex.join([sys.executable, "-m", "zobra.uci"]))
    adapters = [
        f"polyglot -noini -ec {engine} -en {name} -log true -lf {folder / name}.log"
        for name in NAMES
    ]
    command = ["xboard", "-fcp", adapters[0], "-scp", adapters[1], "-matchGames", "1"]
    command += ["-timeControl", "0:04", "-timeIncrement", "0.05"]
    command += ["-saveGameFile", str(folder / "game.pgn"), "-xexit"]
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


def test_a_game_in_xboard(tmp_path, display):
    play(tmp_path, display)
    with (tmp_path / "game.pgn").open(encoding="utf-8") as file:
        game = chess.pgn.read_game(file)
        assert chess.pgn.read_game(file) is None
    moves = [(node.parent.turn(), node.move) for node in game.mainline()]
    assert not game.errors and len(moves) > LONGEST_GAME
    assert (game.headers["White"], game.headers["Black"]) == NAMES
    for name, color in zip(NAMES, (chess.WHITE, chess.BLACK), strict=True):
        said = [
            line.split()[2:]
            for line in (tmp_path / f"{name}.log").read_text().splitlines()
            if "Engine->Adapter" in line
        ]
        # some after pondering on a move that did not come
        chosen = iter([words[1] for words in said if words[0] == "bestmove"])
        assert all(move.uci() in chosen for side, move in moves if side == color)
    comment = game.end().comment
    assert game.end().board().is_game_over() or "adjudication: long game" in comment, comment

"""A program written for python-chess' `SimpleEngine` runs with `zobra.api` as well."""

import subprocess
import sys

PROGRAM = """\
import chess
import chess.engine
{imported}

engine = {opened}
print(engine.id["name"], engine.options["Hash"].max)
engine.configure({{"Hash": "16", "Move Overhead": 0}})
board = chess.Board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
with engine.analysis(board, chess.engine.Limit(depth=7), multipv=3, game="analysis") as analysis:
    for info in analysis:
        if "pv" in info and info["multipv"] == 1:
            print(info["depth"], info["score"], info["nodes"], board.variation_san(info["pv"]))
print(analysis.wait().move, [line["pv"][0].uci() for line in analysis.multipv], analysis.empty())
some_moves = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("a2a4")]
print(engine.analyse(board, chess.engine.Limit(nodes=500), root_moves=some_moves)["pv"][0])
for number in range(3):
    played = engine.play(board, chess.engine.Limit(depth=6), game="play", ponder=True)
    board.push(played.move)
    board.push(played.ponder or next(iter(board.legal_moves)))
print(board.fen(), played.info)
engine.ping()
engine.quit()
"""


def run(imported: str, opened: str) -> str:
    program = PROGRAM.format(imported=imported, opened=opened)
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0
    assert done.stderr == ""
    return done.stdout


def test_a_program_runs_through_both_doors():
    """Its import and the line that opens the engine are all that changes."""
    command = [sys.executable, "-m", "zobra.uci"]
    theirs = run(
        "from chess.engine import SimpleEngine",
        f"SimpleEngine.popen_uci({command!r}, timeout=120)",
    )
    ours = run("from zobra.api import Engine", "Engine()")
    assert ours == theirs
    assert len(ours.splitlines()) > 10

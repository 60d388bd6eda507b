"""A UCI engine that plays the first legal move by name, and misbehaves on request.

python scripted_engine.py [--crash 3 ...]
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import chess

parser = argparse.ArgumentParser()
for kind in ("crash", "hang", "late", "illegal", "null", "stall"):
    parser.add_argument(
        f"--{kind}", type=int, metavar="MOVE", help=f"{kind} at this move of the game"
    )
parser.add_argument("--late-ms", type=int, default=150, help="how long a late move takes")
parser.add_argument(
    "--best",
    type=int,
    help="has an option Strength, and errs the earlier the farther that is from this",
)
parser.add_argument("--score", default="cp 13", help="what it says of every position")
parser.add_argument(
    "--last", action="store_true", help="plays the last legal move instead of the first"
)
parser.add_argument("--option-line", action="append", default=[], help="also prints this line")
parser.add_argument("--analyses", action="store_true", help="has the option UCI_AnalyseMode")
parser.add_argument("--name", default="Scripted", help="what it calls itself")
parser.add_argument("--no-uciok", action="store_true", help="never comes up")
parser.add_argument(
    "--pids", type=Path, help="a folder in which it leaves a file named by its process id"
)
parser.add_argument("--log", type=Path, help="a file to which it adds every line it gets")
parser.add_argument(
    "--stubborn",
    action="store_true",
    help="ignores signals and the end of its input, and so does its child",
)
parser.add_argument(
    "--script",
    type=Path,
    help="JSON: what it says to go, by the first four fields of the position's FEN",
)
parser.add_argument("--answer", help="what it answers to every go, in Python's escapes")
options = parser.parse_args()
if options.stubborn:
    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    child = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True
    )
if options.pids:
    for pid in [os.getpid()] + ([child.pid] if options.stubborn else []):
        (options.pids / str(pid)).touch()

board = chess.Board()
moves_made = 0


def say(line: str) -> None:
    print(line, flush=True)


def set_position(words: list[str]) -> chess.Board:
    tail = words.index("moves") if "moves" in words else len(words)
    fen = chess.STARTING_FEN if words[1] == "startpos" else " ".join(words[2:tail])
    position = chess.Board(fen, chess960=chess960)
    for move in words[tail + 1 :]:
        position.push_uci(move)
    return position


def follow_script(path: Path) -> None:
    for answer in json.loads(path.read_text())[" ".join(board.fen().split()[:4])]:
        if answer == "crash":
            os._exit(3)
        elif answer == "hang":
            time.sleep(3600)
        elif answer.startswith("sleep "):
            time.sleep(float(answer.removeprefix("sleep ")))
        elif answer == "wait for stop":
            while sys.stdin.readline().strip() not in ("stop", ""):
                pass
        else:
            say(answer)


def go() -> None:
    if options.script:
        follow_script(options.script)
        return
    if moves_made == options.crash:
        print("the reason of the crash", file=sys.stderr, flush=True)
        os._exit(7)
    if moves_made == options.hang:
        time.sleep(3600)
    if moves_made == options.late:
        time.sleep(options.late_ms / 1000)
    say(f"info depth 5 nodes 99 score {options.score} pv e2e4")
    moves = sorted(board.uci(move) for move in board.legal_moves)
    if options.answer:
        answer = options.answer
    elif moves_made == options.null:
        answer = "bestmove (none)"
    elif moves_made == options.illegal:
        answer = "bestmove e1e8"
    else:
        answer = f"bestmove {moves[-1 if options.last else 0]}"
    sys.stdout.buffer.write(answer.encode().decode("unicode_escape").encode("latin-1") + b"\n")
    sys.stdout.buffer.flush()


chess960 = False
for line in sys.stdin:
    words = line.split()
    if options.log:
        with options.log.open("a") as log:
            log.write(line)
    if not words:
        continue
    if words[0] == "quit":
        break
    if words[0] == "uci":
        say(f"id name {options.name}")
        say("option name UCI_Chess960 type check default false")
        for announced in options.option_line:
            say(announced)
        if options.analyses:
            say("option name UCI_AnalyseMode type check default false")
        say("option name Hash type spin default 16 min 1 max 64")
        say("option name Threads type spin default 2 min 1 max 8")
        say("option name Caution type check default true")
        if options.best is not None:
            say("option name Strength type spin default 20 min 0 max 100")
        if not options.no_uciok:
            say("uciok")
    elif words[0] == "isready":
        if options.stall is None or moves_made < options.stall:
            say("readyok")
    elif words[0] == "ucinewgame":
        moves_made = 0
        if options.crash == 0:
            os._exit(3)
    elif words[:3] == ["setoption", "name", "UCI_Chess960"]:
        chess960 = words[-1] == "true"
    elif words[:3] == ["setoption", "name", "Strength"]:
        options.illegal = 1 + (100 - abs(int(words[-1]) - options.best)) // 8
    elif words[0] == "bench":
        say(f"{1000 + (options.illegal or 0)} nodes 5000 nps")
    elif words[0] == "position":
        board = set_position(words)
    elif words[0] == "go":
        moves_made += 1
        go()
if options.stubborn:
    time.sleep(600)

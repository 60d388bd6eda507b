"""The programs that check matches and lines find each kind of fault, and none in what is sound."""

import subprocess
import sys
from collections import Counter

import chess
import pytest

from tests.support.arena_runs import SCRIPTED
from tests.support.paths import ROOT
from tests.tools.judge import Conversation, game_faults, read_games, transcript_faults
from tests.tools.lines import line_fault

SOUND = [
    "> uci",
    "< id name Zobra 1",
    "< uciok",
    "> position startpos moves f2f3 e7e5",
    "> go nodes 9",
    "< info depth 1 multipv 1 score cp 3 lowerbound pv g2g4",
    "< info depth 1 multipv 1 score mate -1 nodes 9 pv g2g4 d8h4",
    "< bestmove g2g4 ponder d8h4",
    "> position startpos moves f2f3 e7e5 g2g4",
    "> go depth 2",
    "< info depth 1 score mate 1 pv d8h4",
    "< bestmove d8h4",
    "> position startpos moves f2f3 e7e5 g2g4 d8h4",
    "> go depth 2",
    "< info depth 0 score mate 0",
    "< bestmove (none)",
    "> quit",
    "# ended with 0",
]


@pytest.mark.parametrize(
    ("termination", "moves", "faults"),
    [
        ("normal", "1. f3 e5 2. g4 {-0.10/1 0.1s} Qh4# {+M1/3 0.1s}", []),
        ("time forfeit", "1. f3 e5", [("Zobra", "time")]),
        ("rules infraction", "1. f3", [("Zobra", "illegal move")]),
        ("normal", "1. f3 {+M5/3 0.1s} e5 2. g4 Qh4#", [("Zobra", "mate not given")]),
        ("normal", "1. f3 e5 2. Qh7", [("Zobra", "illegal move")]),
    ],
)
def test_games(tmp_path, termination, moves, faults):
    headers = f'[White "Zobra"]\n[Black "Other"]\n[Result "0-1"]\n[Termination "{termination}"]'
    (tmp_path / "games.pgn").write_text(f"{headers}\n\n{moves} 0-1\n")
    for path in (tmp_path, tmp_path / "games.pgn"):
        ((game, name),) = read_games(path)
        assert [fault[:2] for fault in game_faults(game, name)] == faults


MATE_LINE = "< info depth 1 score mate 1 pv d8h4"
MATE_MOVE = "< bestmove d8h4"


@pytest.mark.parametrize(
    ("old", "new", "faults"),
    [
        ("> uci", "> uci", []),  # the sound conversation
        (MATE_MOVE, "< bestmove d8g5", ["bestmove"]),
        (MATE_MOVE, "< bestmove (none)", ["illegal move"]),
        (MATE_MOVE, f"{MATE_MOVE}\n{MATE_MOVE}", ["bestmove"]),
        (MATE_MOVE, "< bestmove d8h4 ponder a2a3", ["illegal move"]),
        (MATE_LINE, f"{MATE_LINE} a2", ["illegal line", "false mate line"]),
        (MATE_LINE, "< info depth 1 score mate 2 pv d8h4", ["false mate line"]),
        (MATE_LINE, "< info score cp 1 upperbound pv a7a9", ["illegal line", "bestmove"]),
        (MATE_LINE, "< info score cp 1 lowerbound pv d8h4", []),
        (MATE_LINE, "< info depth 1 score mate 1 pv", ["illegal line"]),
        ("> go depth 2", "> d", ["bestmove", "bestmove"]),
        ("< bestmove (none)\n> quit", "< info string thinking", ["bestmove"]),
        ("# ended with 0", "# ended with 7", ["exit status"]),
    ],
)
def test_faults_in_a_conversation(old, new, faults):
    conversation = Conversation()
    found = []
    for line in "\n".join(SOUND).replace(old, new).splitlines():
        stamped = line if line.startswith("#") else f"1.000 {line}"
        found += [kind for kind, _ in conversation.take(stamped)]
    assert found == faults


@pytest.mark.parametrize(
    ("settings", "faults"),
    [
        (["> setoption name UCI_LimitStrength value true"], []),
        (["> setoption name UCI_LimitStrength value false"], ["bestmove"]),
        (
            [
                "> setoption name UCI_LimitStrength value true",
                "> setoption name UCI_LimitStrength value false",
            ],
            ["bestmove"],
        ),
        (["> setoption name Skill Level value 3"], []),
        (["> setoption name Skill Level value 20"], ["bestmove"]),
        (["< option name Skill Level type spin default 25 min 0 max 25"], ["bestmove"]),
        (
            [
                "< option name Skill Level type spin default 25 min 0 max 25",
                "> setoption name Skill Level value 20",
            ],
            [],
        ),
    ],
)
def test_only_limited_strength_may_play_another_move_than_that_of_the_line(settings, faults):
    text = "\n".join([*SOUND[:2], *settings, *SOUND[2:]])
    conversation = Conversation()
    found = []
    for line in text.replace(MATE_MOVE, "< bestmove d8g5").splitlines():
        stamped = line if line.startswith("#") else f"1.000 {line}"
        found += [kind for kind, _ in conversation.take(stamped)]
    assert found == faults


@pytest.mark.parametrize("missing", ["games", "folder", "transcripts"])
def test_nothing_to_check_is_said(tmp_path, missing):
    games = tmp_path / "games.pgn"
    games.write_text("" if missing == "games" else '[White "A"]\n[Black "B"]\n\n1. e4 *\n')
    transcripts = tmp_path / "transcripts"
    if missing != "folder":
        transcripts.mkdir()
    command = [sys.executable, "-m", "tests.tools.judge", str(games)]
    command += ["--transcripts", str(transcripts)]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    if missing == "games":
        assert done.stderr == f"{games}: no games in this file\n"
    else:
        assert done.stderr == f"{transcripts}: no transcripts in this folder\n"


@pytest.mark.parametrize(
    ("arguments", "faults", "status"),
    [
        # The scripted engine has a line for e2e4, and plays the first move by name or worse
        ([], ["bestmove"], 0),
        (["--illegal", "1"], ["illegal move", "bestmove"], 0),
        (["--crash", "1"], ["exit status", "bestmove"], 7),
    ],
)
def test_the_witness_records_a_conversation(tmp_path, arguments, faults, status):
    witness = ROOT / "tests" / "tools" / "witness.py"
    command = [sys.executable, str(witness), str(tmp_path), *SCRIPTED, *arguments]
    talk = "uci\nisready\nposition startpos moves e2e4 e7e5\ngo movetime 1\n"
    done = subprocess.run(
        command, check=False, input=talk, capture_output=True, text=True, timeout=60
    )
    assert "uciok" in done.stdout
    assert done.returncode == status
    counts: Counter[str] = Counter()
    found = [kind for _, kind, _ in transcript_faults(tmp_path, counts)]
    assert counts["searches"] == 1
    assert counts["processes"] == 1
    assert [kind for kind in found if kind != "illegal line"] == faults


BACK_RANK = "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1"
SHUFFLE = ["g1f3", "g8f6", "f3g1", "f6g8"]


@pytest.mark.parametrize(
    ("fen", "moves", "mate", "fault"),
    [
        (chess.STARTING_FEN, ["e2e4", "e7e5", "g1f3"], None, None),
        (chess.STARTING_FEN, ["e2e4", "0000"], None, "0000 at ply 2 is no legal move"),
        (chess.STARTING_FEN, ["e2e9"], None, "e2e9 at ply 1"),
        (BACK_RANK, ["d1d8"], 1, None),
        (BACK_RANK, ["d1d7"], 1, "ends without mate"),
        (BACK_RANK, ["d1d8"], 2, "has 1 plies, not 3"),
        (BACK_RANK.replace("w", "b"), ["g8h8", "d1d8"], -1, None),
        (
            "4k3/8/8/8/8/8/3p4/4K3 w - - 0 1",
            ["e1d2", "e8e7"],
            None,
            "insufficient material, with e8e7 at ply 2",
        ),
        (
            "8/8/8/8/7k/R7/1R6/K7 w - - 98 80",
            ["b2b4", "h4g5", "a3a5"],
            None,
            "the fifty-move rule, with a3a5 at ply 3",
        ),
        (BACK_RANK.replace("0 1", "99 80"), ["d1d8"], 1, None),
        (chess.STARTING_FEN, [*SHUFFLE, *SHUFFLE], None, None),
        (chess.STARTING_FEN, [*SHUFFLE, *SHUFFLE, "e2e4"], None, "repetition, with e2e4 at ply 9"),
        ("4k3/8/8/8/8/8/8/R2K3R w HA - 0 1", ["d1h1"], None, None),
    ],
)
def test_lines(fen, moves, mate, fault):
    found = line_fault(chess.Board(fen, chess960="HA" in fen), moves, mate)
    assert found is None if fault is None else fault in str(found)

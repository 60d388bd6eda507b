"""`zobra analyse`: what it writes and reads, how it goes on after an interruption, its page."""

import bz2
import gzip
import io
import json
import re
import signal
import sys
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import pytest
import typer
import zstandard
from typer.testing import CliRunner

from tests.arena.test_report import replays
from tests.support.arena_runs import ENGINE, flat, start, wait_until
from tests.support.play_sessions import MATERIAL
from tests.tools.browser import CHROMIUM, Browser
from zobra.arena.commands.analyse import analyse
from zobra.arena.model.accuracy import (
    MARKS,
    SideSummary,
    centipawn_loss,
    mark,
    move_accuracy,
    winning_chance,
)
from zobra.arena.runner import analysis

# Black leaves the queen to the knight at move 3; White mates at move 6
BLUNDER = """[Event "?"]
[White "Anna"]
[Black "Bo"]
[Result "1-0"]

1. e4 { first } e5 2. Nf3 Qf6 ( 2... Nc6 ) 3. Nc3 { [%clk 0:01:00] } Qxf3 4. gxf3 f6 5. d4 g5
6. Qd3 Nc6 7. h4 a6 1-0

"""
FOOLS_MATE = '[White "C"]\n[Black "D"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n'
# Says one line of analysis
XBOARD = """
import sys, chess
for line in sys.stdin:
    word, *rest = line.split()
    if word == "protover":
        print("feature ping=1 setboard=1 usermove=1 colors=0 sigint=0 sigterm=0 analyze=1 done=1")
    elif word == "ping":
        print("pong", *rest)
    elif word == "new":
        board = chess.Board()
    elif word == "setboard":
        board = chess.Board(" ".join(rest))
    elif word == "usermove":
        board.push_uci(rest[0])
    elif word == "undo":
        board.pop()
    elif word == "analyze":
        print("1 13 5 20", board.san(next(iter(board.legal_moves))))
    elif word == "quit":
        break
    sys.stdout.flush()
"""
NOTE = "document.querySelector('.replay-note').textContent"
PLY = "document.getElementById('replay').dataset.ply"


def run(*arguments: object, engine: str = MATERIAL, **more):
    application = typer.Typer()
    application.command()(analyse)
    words = [*map(str, arguments), "-e", engine, "--depth", "1"]
    return CliRunner().invoke(application, words, **more)


def games_of(text: str) -> list[chess.pgn.Game]:
    file = io.StringIO(text)
    games = []
    while (game := chess.pgn.read_game(file)) is not None:
        assert not game.errors
        games.append(game)
    return games


def analysed(path: Path, *arguments: object) -> list[chess.pgn.Game]:
    """Analyse a file, and return the games that are written."""
    result = run(path, *arguments)
    assert result.exit_code == 0, result.output
    return games_of(path.with_suffix(".analysed.pgn").read_text())


def test_a_game_gets_evaluations_marks_lines_and_accuracies(tmp_path):
    path = tmp_path / "one.pgn"
    path.write_text(BLUNDER)
    result = run(path)
    assert result.exit_code == 0, result.output
    (game,) = games_of((tmp_path / "one.analysed.pgn").read_text())
    nodes = list(game.mainline())
    assert all(node.eval() is not None for node in nodes)
    blunder = nodes[5]
    assert blunder.san() == "Qxf3"
    assert blunder.nags == {chess.pgn.NAG_BLUNDER}
    assert all(not node.nags for node in nodes[:5])
    assert blunder.eval() == chess.engine.PovScore(chess.engine.Cp(600), chess.WHITE)
    assert blunder.eval_depth() == 2
    better = [one for one in blunder.parent.variations if one.move != blunder.move]
    assert len(better) == 1
    assert better[0].eval().white().score() == 100

    # What the game had is still there
    assert nodes[0].comment.startswith("first")
    assert nodes[4].clock() == 60
    assert len(nodes[3].parent.variations) == 2

    headers = game.headers
    assert headers["Annotator"] == "Material, 1 plies per position"
    assert float(headers["WhiteAccuracy"]) > float(headers["BlackAccuracy"])
    errors = "0 inaccuracies, 0 mistakes, 1 blunder; average loss"
    assert headers["BlackErrors"].startswith(errors)
    table = result.output.splitlines()[1:4]
    heading, white, black = (line.split() for line in table)
    assert heading == ["accuracy", *(name for *_, name in reversed(MARKS)), "average", "loss"]
    assert white[:4] == ["White", f"{float(headers['WhiteAccuracy']):.1f}%", "0", "0"]
    assert [black[0], *black[2:5]] == ["Black", "0", "0", "1"]
    assert max(map(len, table)) <= 80


def test_a_folder_of_games_is_analysed_into_one_file(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    for name in ("one.pgn", "two.pgn"):
        (folder / name).write_text(FOOLS_MATE)
    assert run(folder).exit_code == 0
    assert len(games_of((tmp_path / "mine.analysed.pgn").read_text())) == 2


def test_several_files_are_analysed_into_one_file_with_one_page(tmp_path):
    (tmp_path / "one.pgn").write_text(BLUNDER)
    (tmp_path / "two.pgn").write_text('[White "x"]\n\n1. Ke3 *\n\n' + FOOLS_MATE)
    (tmp_path / "notes.pgn").write_text("dear reader\n")
    page = tmp_path / "page.html"
    names = ("one.pgn", "two.pgn", "notes.pgn")
    for _ in range(2):  # the second time its own output is among the files, and is no game of them
        files = [tmp_path / name for name in names]
        files += tmp_path.glob("*.analysed.pgn")
        result = run(*files, "--html", page)
        assert result.exit_code == 1
        assert "two.pgn: game 1 is left out: illegal move Ke3" in flat(result.output)
        assert "notes.pgn: neither games in PGN nor positions" in flat(result.output)
        games = games_of((tmp_path / "games.analysed.pgn").read_text())
        assert [game.headers["White"] for game in games] == ["Anna", "C"]
        assert len(replays(page.read_text())) == 2
    assert "resuming after 2 of 4" in result.output


def test_games_and_positions_are_not_analysed_together(tmp_path):
    (tmp_path / "one.pgn").write_text(BLUNDER)
    (tmp_path / "two.epd").write_text("4k3/8/8/8/8/8/8/4K2R w K - 0 1\n")
    result = run(tmp_path / "one.pgn", tmp_path / "two.epd")
    assert result.exit_code == 2
    assert "games and positions are not analysed together" in flat(result.output)


def test_a_page_hides_what_match_tools_write_into_comments(tmp_path):
    moves = "1. e4 {book} e5 {+0.31/12 0.101s, n=52311} 2. Nf3 {0.2s, n=9, bold} *"
    (tmp_path / "match.pgn").write_text(f'[Event "?"]\n\n{moves}\n')
    page = tmp_path / "match.html"
    analysed(tmp_path / "match.pgn", "--html", page)
    comments = re.findall(r"\{([^}]*)\}", replays(page.read_text())[0]["pgn"])
    assert [re.sub(r"\[%.*?\]", "", comment).strip() for comment in comments] == ["", "", "bold"]


def test_a_game_that_ended_without_a_move_gets_none(tmp_path):
    path = tmp_path / "resigned.pgn"
    path.write_text('[White "C"]\n[Black "D"]\n[Result "0-1"]\n\n0-1\n')
    (game,) = analysed(path)
    assert game.next() is None


def test_a_mating_move_has_an_evaluation_and_is_accurate(tmp_path):
    path = tmp_path / "mate.pgn"
    path.write_text(FOOLS_MATE)
    (game,) = analysed(path, "--multipv", 2)
    last = game.end()
    assert last.eval().pov(chess.BLACK) == chess.engine.MateGiven
    assert not last.nags
    assert last.parent.eval().pov(chess.BLACK).mate() == 1
    assert game.headers["BlackAccuracy"] == "100.0"
    # Two lines at every move, one of which may be the move itself
    for node in game.mainline():
        assert 1 <= len(node.parent.variations) - 1 <= 2


@pytest.mark.parametrize(
    ("ending", "pack"),
    [("gz", gzip.compress), ("bz2", bz2.compress), ("zst", zstandard.compress)],
)
def test_many_games_are_read_from_compressed_files(tmp_path, ending, pack):
    path = tmp_path / f"games.pgn.{ending}"
    packed = pack((BLUNDER + FOOLS_MATE).encode())
    path.write_bytes(packed)
    assert run(path).exit_code == 0
    games = games_of((tmp_path / "games.analysed.pgn").read_text())
    assert [game.headers["White"] for game in games] == ["Anna", "C"]
    path.write_bytes(packed[:-6])
    assert run(path).exit_code == 2


def test_games_are_read_from_standard_input():
    result = run("-", input=BLUNDER + FOOLS_MATE)
    assert [game.headers["White"] for game in games_of(result.stdout)] == ["Anna", "C"]


def test_a_position_gets_lines():
    scholars_mate = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
    result = run(scholars_mate, "--multipv", 3)
    assert run(*scholars_mate.split(), "--multipv", 3).stdout == result.stdout
    (game,) = games_of(result.stdout)
    assert game.next().san() == "Qxf7#"
    assert len(game.variations) == 3
    assert game.eval().white().mate() == 1
    assert "1: #1, depth 2: 4. Qxf7#" in result.output


def test_the_positions_of_a_suite_are_analysed(tmp_path):
    suite = tmp_path / "suite.epd"
    output = tmp_path / "out.pgn"
    lines = [
        "# two",
        'r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - bm Qxf7#; id "mate";',
        "8/8/8/8/8/5k2/6q1/7K w - -",
        "8/8/x",
    ]
    suite.write_text("\n".join(lines) + "\n")
    result = run(suite, "--output", output)
    assert result.exit_code == 1
    first, second = games_of(output.read_text())
    assert first.headers["Event"] == "mate"
    assert "the game is over" in result.output
    assert "suite.epd:4: a position" in result.output
    assert "after 2 of 3" in run(suite, "--output", output).output
    assert games_of(output.read_text())[1].headers == second.headers


def test_damaged_games_are_left_out_and_named(tmp_path):
    (tmp_path / "mixed.pgn").write_text('[White "x"]\n\n1. Ke3 *\n\n' + FOOLS_MATE)
    result = run(tmp_path / "mixed.pgn")
    assert result.exit_code == 1
    assert "game 1 is left out: illegal move Ke3 at" in result.output
    assert len(games_of((tmp_path / "mixed.analysed.pgn").read_text())) == 1


def test_a_game_with_an_illegal_move_is_analysed_up_to_there(tmp_path):
    (tmp_path / "typo.pgn").write_text(BLUNDER.replace("6. Qd3", "6. Qd9") + FOOLS_MATE)
    for _ in range(2):  # the second time it is known to be done
        result = run(tmp_path / "typo.pgn")
        assert result.exit_code == 1
        problem = "game 1: not understood: Qd9 at move 6; only the moves before it are read"
        assert problem in result.output
        typo, whole = games_of((tmp_path / "typo.analysed.pgn").read_text())
        assert len(list(typo.mainline())) == 10
        assert typo.end().eval() is not None
        assert whole.end().san() == "Qh4#"


def test_an_interrupted_analysis_is_resumed(tmp_path):
    source = tmp_path / "many.pgn"
    source.write_text("".join(FOOLS_MATE.replace('"C"', f'"C{number}"') for number in range(6)))
    output = tmp_path / "many.analysed.pgn"

    def analysed_games() -> int:
        return output.read_text().count("[White ") if output.exists() else 0

    process = start("analyse", source, "--depth", "1", "-e", f"{MATERIAL} --slow 100")
    wait_until(lambda: analysed_games() >= 2)
    process.send_signal(signal.SIGINT)
    messages = "".join(process.communicate(timeout=60))
    assert process.returncode == 130
    assert "the same command resumes" in messages
    assert "Traceback" not in messages
    done = analysed_games()
    assert 2 <= done < 6

    # A game that was cut off is analysed again
    output.write_text(output.read_text()[:-30])
    result = run(source)
    assert result.exit_code == 0
    assert f"resuming after {done - 1} of 6" in result.output
    resumed = output.read_text()
    output.unlink()
    for _ in range(2):
        assert run(source).exit_code == 0
        assert output.read_text() == resumed


@pytest.mark.parametrize("held", ["another program", "other games", "other limit"])
def test_a_file_of_something_else_is_replaced_by_force_only(tmp_path, held):
    source = tmp_path / "in.pgn"
    source.write_text(FOOLS_MATE)
    assert run(source).exit_code == 0
    output = tmp_path / "in.analysed.pgn"
    arguments = []
    if held == "another program":
        output.write_text(BLUNDER)
    elif held == "other games":
        source.write_text(BLUNDER)
    else:
        arguments = ["--nodes", "5"]
    before = output.read_text()
    result = run(source, *arguments)
    assert result.exit_code == 2
    assert "holds another analysis" in flat(result.output)
    assert "or replace it with --force" in flat(result.output)
    assert output.read_text() == before
    assert run(source, *arguments, "--force").exit_code == 0
    assert output.read_text() != before


@pytest.mark.parametrize(
    ("content", "engine", "problem"),
    [
        (None, MATERIAL, "No such file"),
        (b"dear reader\n", MATERIAL, "neither games in PGN nor positions"),
        (b"", MATERIAL, "neither games in PGN nor positions"),
        (gzip.compress(BLUNDER.encode())[:-20], MATERIAL, "Compressed file ended"),
        (FOOLS_MATE.encode(), f"{MATERIAL} --die 3", "died"),
        (FOOLS_MATE.encode(), f"{MATERIAL} --silent", "gave no line with a score"),
        (FOOLS_MATE.encode(), "no-such-engine", "no program no-such-engine"),
    ],
)
def test_mistakes_are_named(tmp_path, content, engine, problem):
    path = tmp_path / "games.pgn"
    if content is not None:
        path.write_bytes(content)
    result = run(path, engine=engine)
    assert result.exit_code == 2
    assert problem in flat(result.output)
    assert not (tmp_path / "games.analysed.pgn").exists()


def test_an_illegal_move_of_the_engine_is_named_at_once():
    answers = r"--answer 'info depth 3 score cp 12 pv e2e4\nbestmove e2e5'"
    result = run(chess.STARTING_FEN, engine=f"{ENGINE} {answers}")
    assert result.exit_code == 2
    assert "illegal uci: 'e2e5'" in flat(result.output)


@pytest.mark.parametrize("forced", [[], ["--force"]])
@pytest.mark.parametrize(
    ("source", "arguments", "problem"),
    [
        ("in.pgn", ["--output", "in.pgn"], "in.pgn is to be analysed"),
        ("in.pgn", ["--html", "in.pgn"], "in.pgn is to be analysed"),
        (".", ["--output", "in.pgn"], "in.pgn is to be analysed"),
        ("in.pgn", ["--output", "x.pgn", "--html", "./x.pgn"], "x.pgn cannot hold both"),
        ("in.pgn", ["--output", "gone/x.pgn"], "no such folder"),
        ("in.pgn", ["--html", "gone/x.html"], "no such folder"),
        ("in.pgn", ["--output", "held.pgn"], "died"),
    ],
)
def test_no_file_is_lost(tmp_path, monkeypatch, source, arguments, problem, forced):
    """Not even with --force, before the first game is analysed."""
    monkeypatch.chdir(tmp_path)
    files = {"in.pgn": FOOLS_MATE, "held.pgn": BLUNDER}
    for name, content in files.items():
        Path(name).write_text(content)
    result = run(source, *arguments, *forced, engine=f"{MATERIAL} --die 1")
    assert result.exit_code == 2
    if problem != "died" or forced:
        assert problem in flat(result.output)
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == files


def test_an_interrupted_analysis_is_resumed_with_force_too(tmp_path):
    source = tmp_path / "in.pgn"
    source.write_text(FOOLS_MATE)
    output = tmp_path / "out.pgn"
    output.write_text("my notes\n")
    assert run(source, "--output", output, "--force").exit_code == 0
    done = output.read_text()
    assert "my notes" not in done
    source.write_text(FOOLS_MATE + BLUNDER)
    assert "resuming after 1 of 2" in run(source, "--output", output, "--force").output
    assert output.read_text().startswith(done)


@pytest.mark.parametrize(
    ("fen", "problem"),
    [
        ("8/8/8/8/8/8/8/K7 w - - 0 1", "Black has no king"),
        ("k7/8/8/8/9/8/8/K7 w - - 0 1", "'9' in rank 4 is neither a piece nor a digit"),
        ("k7/8/8/8/8/8/K7 w - - 0 1", "the board has 8 ranks, this one 7"),
        ("k7/8/8/8/8/8/8/K7", "a position has at least 4 fields"),
    ],
)
def test_an_impossible_position_is_named(fen, problem):
    for words in ([fen], fen.split()):
        result = run(*words)
        assert result.exit_code == 2
        assert result.output.startswith(f"zobra analyse: FEN: {problem}")


def test_accuracy_follows_the_published_formulas():
    cp = chess.engine.Cp
    mate = chess.engine.Mate
    assert winning_chance(cp(0)) == 0.5
    assert winning_chance(cp(100)) == pytest.approx(0.591, abs=0.001)
    assert winning_chance(mate(3)) > 0.99
    assert move_accuracy(0) == pytest.approx(100, abs=0.01)
    assert move_accuracy(0.1) == pytest.approx(63.6, abs=0.1)
    assert 0 <= move_accuracy(1) < 1
    assert SideSummary().accuracy is None
    assert SideSummary([0, 0.1]).accuracy == pytest.approx(81.8, abs=0.1)
    assert [mark(loss) for loss in (0.04, 0.05, 0.1, 0.15)] == [None, 6, 2, 4]
    assert centipawn_loss(mate(2), cp(-100)) == 1100
    assert centipawn_loss(cp(10), cp(30)) == 0


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
@pytest.mark.parametrize(("width", "dark"), [(1100, False), (390, True)])
def test_the_page_replays_games_in_a_browser(tmp_path, width, dark):
    (tmp_path / "two.pgn").write_text(BLUNDER + FOOLS_MATE)
    page = tmp_path / "two.html"
    game = analysed(tmp_path / "two.pgn", "--html", page)[0]
    fen = "document.querySelector('.replay-fen').textContent"
    pieces = "document.querySelectorAll('.lpv piece:not(.fading)').length"
    cursor = "Number(document.querySelector('.replay-curve .now').getAttribute('x1'))"
    with Browser(width, 900, dark=dark) as browser:
        browser.open(page)
        assert browser.evaluate("document.getElementById('replay').hidden")
        browser.evaluate("document.querySelector('[data-game=\"1\"] a').click()")
        browser.wait(fen)
        cursors = []
        for ply, node in enumerate(game.mainline(), start=1):
            browser.press("ArrowRight")
            browser.wait(f"{PLY} == {ply}")
            board = node.board()
            # A square behind any double push is right too
            assert browser.evaluate(fen) in (board.fen(), board.fen(en_passant="fen"))
            browser.wait(f"{pieces} == {len(board.piece_map())}")
            cursors.append(browser.evaluate(cursor))
            score = f"{node.eval().white().score() / 100:+.2f}"
            assert score in browser.evaluate(NOTE)
        assert cursors == sorted(set(cursors))
        assert cursors[-1] == 100
        link = browser.evaluate("document.querySelector('.replay-analysis').href")
        assert board.fen().split()[0] in link

        # Back by the curve, then into a variation
        browser.evaluate(
            "document.querySelector('.replay-curve').dispatchEvent(new MouseEvent('click', "
            "{clientX: 0}))"
        )
        browser.wait(f"{PLY} == 0")
        browser.evaluate("document.querySelectorAll('variation .move')[0].click()")
        browser.wait(f"{NOTE} == 'In a variation'")
        browser.evaluate("document.querySelectorAll('variation .move')[1].click()")
        browser.wait(f"{NOTE} == '+1.00 · depth 2'")
        assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")

        browser.open(page, "#game=2&ply=4")
        browser.wait(f"({PLY} || 0) == 4")
        assert all(address.startswith(("file:", "data:", "about:")) for address in browser.requests)
        assert browser.complaints == []


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_the_page_leads_to_mistakes_in_a_browser(tmp_path):
    (tmp_path / "blunder.pgn").write_text(BLUNDER)
    page = tmp_path / "blunder.html"
    (game,) = analysed(tmp_path / "blunder.pgn", "--html", page)
    nodes = list(game.mainline())
    plies = [ply for ply, node in enumerate(nodes, start=1) if node.nags]
    first = nodes[plies[0] - 1]
    best = first.parent.variations[1]
    with Browser(1280, 900) as browser:
        browser.open(page)
        browser.wait(f"{PLY} == 0")  # the only game is opened at once
        marks = "document.querySelectorAll('.replay-curve path').length"
        assert browser.evaluate(marks) == len(plies)
        browser.press("m")
        browser.wait(f"{PLY} == {plies[0]}")
        note = browser.evaluate(NOTE)
        assert note.startswith(("Inaccuracy: ", "Mistake: ", "Blunder: "))
        assert " → " in note
        assert note.endswith(f"; best was {best.san()}")
        browser.wait("document.querySelector('.cg-shapes line')")  # the arrow of the better move
        score = "document.querySelector('.lpv .move.current').dataset.score"
        assert browser.evaluate(score) == f"{first.eval().white().score() / 100:+.2f}"
        height = "document.querySelector('.replay-bar i').style.height"
        chance = winning_chance(first.eval().white())
        assert float(browser.evaluate(height).strip("%")) == pytest.approx(100 * chance, abs=0.1)

        browser.press("ArrowLeft")
        browser.wait(f"{PLY} == {plies[0] - 1}")
        browser.wait("!document.querySelector('.cg-shapes line')")
        browser.click(".replay-next")
        browser.wait(f"{PLY} == {plies[0]}")
        browser.evaluate("document.querySelector('.replay-sides button:enabled').click()")
        browser.wait(f"{PLY} != 0 && {PLY} != undefined")
        assert int(browser.evaluate(PLY)) in plies
        assert browser.complaints == []


def test_xboard_engines_analyse_too(tmp_path):
    (tmp_path / "x.py").write_text(XBOARD)
    command = json.dumps([sys.executable, str(tmp_path / "x.py")])
    engine = tmp_path / "x.toml"
    engine.write_text(f'name = "X"\nprotocol = "xboard"\ncommand = {command}\n')
    source = tmp_path / "in.pgn"
    source.write_text(FOOLS_MATE)
    result = run(source, engine=str(engine))
    assert result.exit_code == 0, result.output
    (game,) = games_of((tmp_path / "in.analysed.pgn").read_text())
    assert next(iter(game.mainline())).eval().white() == chess.engine.Cp(-13)


def test_only_silence_ends_a_long_search(tmp_path, monkeypatch):
    """Without a limit of time a search may take as long as it needs."""
    monkeypatch.setattr(analysis, "_LONGEST_SILENCE", 3)
    script = tmp_path / "says.json"
    says = [f"info depth {depth} score cp 5 pv e2e4" for depth in range(1, 6)]
    position = " ".join(chess.STARTING_FEN.split()[:4])
    for pause, code in (("sleep 0.7", 0), ("hang", 2)):
        lines = [part for line in says for part in (line, pause)]
        script.write_text(json.dumps({position: [*lines, "bestmove e2e4"]}))
        engine = f"{ENGINE} --script {script}"
        result = run(chess.STARTING_FEN, engine=engine)
        assert result.exit_code == code, result.output
    assert "nothing heard for 3 s" in result.output

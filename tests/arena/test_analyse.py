"""`zobra analyse`: evaluations, marks, lines and accuracies; its inputs; interruption and
resumption; its page.
"""

import bz2
import gzip
import io
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import pytest
import typer
from typer.testing import CliRunner

from tests.arena.test_report import replays
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

ENGINE = f"{sys.executable} {Path(__file__).parents[1] / 'tools' / 'material_engine.py'}"
# Black leaves the queen to the knight at move 3; White mates at move 6
BLUNDER = """[Event "?"]
[White "Anna"]
[Black "Bo"]
[Result "1-0"]

1. e4 { first } e5 2. Nf3 Qf6 ( 2... Nc6 ) 3. Nc3 { [%clk 0:01:00] } Qxf3 4. gxf3 f6 5. d4 g5
6. Qd3 Nc6 7. h4 a6 1-0

"""
FOOLS_MATE = '[White "C"]\n[Black "D"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n'


def run(*arguments: object, engine: str = ENGINE, **more):
    application = typer.Typer()
    application.command()(analyse)
    return CliRunner().invoke(
        application, [*map(str, arguments), "-e", engine, "--depth", "1"], **more
    )


def games_of(text: str) -> list[chess.pgn.Game]:
    file, games = io.StringIO(text), []
    while (game := chess.pgn.read_game(file)) is not None:
        assert not game.errors
        games.append(game)
    return games


def test_a_game_gets_evaluations_marks_lines_and_accuracies(tmp_path):
    (tmp_path / "one.pgn").write_text(BLUNDER)
    result = run(tmp_path / "one.pgn")
    assert result.exit_code == 0, result.output
    (game,) = games_of((tmp_path / "one.analysed.pgn").read_text())
    nodes = list(game.mainline())
    assert all(node.eval() is not None for node in nodes)
    blunder = nodes[5]
    assert blunder.san() == "Qxf3" and blunder.nags == {chess.pgn.NAG_BLUNDER}
    assert all(not node.nags for node in nodes[:5])
    assert (
        blunder.eval() == chess.engine.PovScore(chess.engine.Cp(600), chess.WHITE)
        and blunder.eval_depth() == 2
    )
    better = [
        variation for variation in blunder.parent.variations if variation.move != blunder.move
    ]
    assert len(better) == 1 and better[0].eval().white().score() == 100
    # what the game had is still there
    assert (
        nodes[0].comment.startswith("first")
        and nodes[4].clock() == 60
        and len(nodes[3].parent.variations) == 2
    )
    assert game.headers["Annotator"] == "Material, 1 plies a position"
    assert float(game.headers["WhiteAccuracy"]) > float(game.headers["BlackAccuracy"])
    assert game.headers["BlackErrors"].startswith(
        "0 inaccuracies, 0 mistakes, 1 blunder; average loss"
    )
    heading, white, black = result.output.splitlines()[1:4]
    assert heading.split() == [
        "accuracy",
        *(name for *_, name in reversed(MARKS)),
        "average",
        "loss",
    ]
    assert white.split()[:4] == ["White", f"{float(game.headers['WhiteAccuracy']):.1f}%", "0", "0"]
    assert black.split()[0] == "Black" and black.split()[2:5] == ["0", "0", "1"]
    assert max(map(len, (heading, white, black))) <= 80


def test_a_page_hides_what_match_tools_write_into_comments(tmp_path):
    moves = "1. e4 {book} e5 {+0.31/12 0.101s, n=52311} 2. Nf3 {0.2s, n=9, bold} *"
    (tmp_path / "match.pgn").write_text(f'[Event "?"]\n\n{moves}\n')
    assert run(tmp_path / "match.pgn", "--html", tmp_path / "match.html").exit_code == 0
    comments = re.findall(r"\{([^}]*)\}", replays((tmp_path / "match.html").read_text())[0]["pgn"])
    assert [re.sub(r"\[%.*?\]", "", comment).strip() for comment in comments] == ["", "", "bold"]


def test_a_mating_move_has_an_evaluation_and_is_accurate(tmp_path):
    (tmp_path / "mate.pgn").write_text(FOOLS_MATE)
    assert run(tmp_path / "mate.pgn", "--multipv", 2).exit_code == 0
    (game,) = games_of((tmp_path / "mate.analysed.pgn").read_text())
    last = game.end()
    assert last.eval().pov(chess.BLACK) == chess.engine.MateGiven and not last.nags
    assert last.parent.eval().pov(chess.BLACK).mate() == 1
    assert game.headers["BlackAccuracy"] == "100.0"
    # two lines at every move, one of which may be the move itself
    assert all(1 <= len(node.parent.variations) - 1 <= 2 for node in game.mainline())


def test_many_games_are_read_from_compressed_files_and_standard_input(tmp_path):
    zstandard = pytest.importorskip("zstandard", reason="reading .zst needs the package zstandard")
    content = (BLUNDER + FOOLS_MATE).encode()
    for ending, pack in (("gz", gzip.compress), ("bz2", bz2.compress), ("zst", zstandard.compress)):
        (tmp_path / f"{ending}.pgn.{ending}").write_bytes(pack(content))
        assert run(tmp_path / f"{ending}.pgn.{ending}").exit_code == 0
        assert len(games_of((tmp_path / f"{ending}.analysed.pgn").read_text())) == 2
    (tmp_path / "zst.pgn.zst").write_bytes(zstandard.compress(content)[:-6])
    assert run(tmp_path / "zst.pgn.zst").exit_code == 2
    result = run("-", input=content)
    assert [game.headers["White"] for game in games_of(result.stdout)] == ["Anna", "C"]


def test_positions_get_lines(tmp_path):
    scholars_mate = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
    result = run(scholars_mate, "--multipv", 3)
    (game,) = games_of(result.stdout)
    assert game.next().san() == "Qxf7#" and len(game.variations) == 3
    assert game.eval().white().mate() == 1 and "1: #1, depth 2: 4. Qxf7#" in result.output
    lines = [
        "# two",
        f'{scholars_mate[:-4]} bm Qxf7#; id "mate";',
        "8/8/8/8/8/5k2/6q1/7K w - -",
        "8/8/x",
    ]
    (tmp_path / "suite.epd").write_text("\n".join(lines) + "\n")
    result = run(tmp_path / "suite.epd", "--output", tmp_path / "out.pgn")
    games = games_of((tmp_path / "out.pgn").read_text())
    assert result.exit_code == 1 and games[0].headers["Event"] == "mate" and len(games) == 2
    assert "the game is over" in result.output and "suite.epd:4: a position" in result.output
    again = run(tmp_path / "suite.epd", "--output", tmp_path / "out.pgn")
    assert (
        "after 2 of 3" in again.output
        and games_of((tmp_path / "out.pgn").read_text())[1].headers == games[1].headers
    )


def test_damaged_games_are_left_out_and_named(tmp_path):
    (tmp_path / "mixed.pgn").write_text('[White "x"]\n\n1. e4 e5 2. Ke3 *\n\n' + FOOLS_MATE)
    result = run(tmp_path / "mixed.pgn")
    assert result.exit_code == 1 and "game 1 is left out: illegal move Ke3 at" in result.output
    assert len(games_of((tmp_path / "mixed.analysed.pgn").read_text())) == 1


def test_an_interrupted_analysis_is_resumed(tmp_path):
    source = tmp_path / "many.pgn"
    output = tmp_path / "many.analysed.pgn"
    source.write_text("".join(FOOLS_MATE.replace('"C"', f'"C{number}"') for number in range(6)))
    command = [
        sys.executable,
        "-m",
        "zobra.cli",
        "analyse",
        source,
        "--depth",
        "1",
        "-e",
        f"{ENGINE} --slow 100",
    ]
    process = subprocess.Popen(
        [*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    while not output.exists() or output.read_text().count("[White ") < 2:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    messages, _ = process.communicate(timeout=60)
    assert (
        process.returncode == 130
        and "the same command resumes" in messages
        and "Traceback" not in messages
    )
    done = output.read_text().count("[White ")
    assert 2 <= done < 6
    # a game that was cut off is analysed again
    output.write_text(output.read_text()[:-30])
    result = run(source)
    assert result.exit_code == 0 and f"resuming after {done - 1} of 6" in result.output
    resumed = output.read_text()
    output.unlink()
    assert run(source).exit_code == 0 and output.read_text() == resumed
    assert run(source).exit_code == 0 and output.read_text() == resumed


@pytest.mark.parametrize("held", ["another program", "other games", "other limit"])
def test_a_file_of_something_else_is_not_touched(tmp_path, held):
    (tmp_path / "in.pgn").write_text(FOOLS_MATE)
    assert run(tmp_path / "in.pgn").exit_code == 0
    output = tmp_path / "in.analysed.pgn"
    if held == "another program":
        output.write_text(BLUNDER)
    if held == "other games":
        (tmp_path / "in.pgn").write_text(BLUNDER)
    before = output.read_text()
    result = run(tmp_path / "in.pgn", *(["--nodes", "5"] if held == "other limit" else []))
    assert result.exit_code == 2 and "holds another analysis" in result.output.replace(
        "\n", " "
    ).replace("│ │", "")
    assert output.read_text() == before


@pytest.mark.parametrize(
    "kind", ["missing", "text", "empty", "dies", "silent", "no engine", "damaged", "fen"]
)
def test_mistakes_are_named(tmp_path, kind):
    path = tmp_path / "games.pgn"
    content = {
        "text": b"dear reader\n",
        "empty": b"",
        "damaged": gzip.compress(BLUNDER.encode())[:-20],
    }
    if kind != "missing":
        path.write_bytes(content.get(kind, FOOLS_MATE.encode()))
    engine = {
        "dies": f"{ENGINE} --die 3",
        "silent": f"{ENGINE} --silent",
        "no engine": "no-such-engine",
    }.get(kind, ENGINE)
    result = run("8/8/8/8/8/8/8/K7 w - - 0 1" if kind == "fen" else path, engine=engine)
    assert result.exit_code == 2 and "Traceback" not in result.output
    assert not (tmp_path / "games.analysed.pgn").exists()


def test_accuracy_follows_the_published_formulas():
    assert move_accuracy(0) == pytest.approx(100, abs=0.01) and 0 <= move_accuracy(1) < 1
    assert move_accuracy(0.1) == pytest.approx(63.6, abs=0.1)
    assert [mark(loss) for loss in (0.04, 0.05, 0.1, 0.15)] == [None, 6, 2, 4]
    assert winning_chance(chess.engine.Cp(0)) == 0.5 and winning_chance(chess.engine.Mate(3)) > 0.99
    assert winning_chance(chess.engine.Cp(100)) == pytest.approx(0.591, abs=0.001)
    assert SideSummary().accuracy is None and SideSummary([0, 0.1]).accuracy == pytest.approx(
        81.8, abs=0.1
    )
    assert centipawn_loss(chess.engine.Mate(2), chess.engine.Cp(-100)) == 1100
    assert centipawn_loss(chess.engine.Cp(10), chess.engine.Cp(30)) == 0


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
@pytest.mark.parametrize(("width", "dark"), [(1100, False), (390, True)])
def test_the_page_replays_games_in_a_browser(tmp_path, width, dark):
    (tmp_path / "two.pgn").write_text(BLUNDER + FOOLS_MATE)
    page = tmp_path / "two.html"
    assert run(tmp_path / "two.pgn", "--html", page).exit_code == 0
    game = games_of((tmp_path / "two.analysed.pgn").read_text())[0]
    with Browser(width, 900, dark=dark) as browser:
        browser.open(page)
        assert browser.evaluate("document.getElementById('replay').hidden")
        browser.evaluate("document.querySelector('[data-game=\"1\"] a').click()")
        browser.wait("document.querySelector('.replay-fen').textContent")
        fen = "document.querySelector('.replay-fen').textContent"
        board, cursors = game.board(), []
        for ply, node in enumerate(game.mainline(), start=1):
            browser.press("ArrowRight")
            browser.wait(f"document.getElementById('replay').dataset.ply == {ply}")
            board.push(node.move)
            assert (
                browser.evaluate(fen) == board.fen(en_passant="fen")
                or browser.evaluate(fen) == board.fen()
            )
            browser.wait(
                "document.querySelectorAll('.lpv piece:not(.fading)').length == "
                f"{len(board.piece_map())}"
            )
            cursors.append(
                float(
                    browser.evaluate(
                        "document.querySelector('.replay-curve .now').getAttribute('x1')"
                    )
                )
            )
            assert f"{node.eval().white().score() / 100:+.2f}" in browser.evaluate(
                "document.querySelector('.replay-note').textContent"
            )
        assert cursors == sorted(set(cursors)) and cursors[-1] == 100
        assert board.fen().split()[0] in browser.evaluate(
            "document.querySelector('.replay-analysis').href"
        )
        # back by the curve, then into a variation
        browser.evaluate(
            "document.querySelector('.replay-curve').dispatchEvent(new MouseEvent('click', "
            "{clientX: 0}))"
        )
        browser.wait("document.getElementById('replay').dataset.ply == 0")
        note = "document.querySelector('.replay-note').textContent"
        browser.evaluate("document.querySelectorAll('variation .move')[0].click()")
        browser.wait(f"{note} == 'In a variation'")
        browser.evaluate("document.querySelectorAll('variation .move')[1].click()")
        browser.wait(f"{note} == '+1.00 · depth 2'")
        assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
        browser.open(page, "#game=2&ply=4")
        browser.wait("(document.getElementById('replay').dataset.ply || 0) == 4")
        assert all(address.startswith(("file:", "data:", "about:")) for address in browser.requests)
        assert browser.complaints == []


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_the_page_leads_to_mistakes_in_a_browser(tmp_path):
    (tmp_path / "blunder.pgn").write_text(BLUNDER)
    page = tmp_path / "blunder.html"
    assert run(tmp_path / "blunder.pgn", "--html", page).exit_code == 0
    nodes = list(games_of((tmp_path / "blunder.analysed.pgn").read_text())[0].mainline())
    plies = [ply for ply, node in enumerate(nodes, start=1) if node.nags]
    first = nodes[plies[0] - 1]
    best = first.parent.variations[1]
    ply = "document.getElementById('replay').dataset.ply"
    with Browser(1280, 900) as browser:
        browser.open(page)
        browser.wait(f"{ply} == 0")  # the only game is opened at once
        marks = "document.querySelectorAll('.replay-curve path').length"
        assert browser.evaluate(marks) == len(plies)
        browser.press("m")
        browser.wait(f"{ply} == {plies[0]}")
        note = browser.evaluate("document.querySelector('.replay-note').textContent")
        assert note.startswith(("Inaccuracy: ", "Mistake: ", "Blunder: "))
        assert " → " in note and note.endswith(f"; best was {best.san()}")
        browser.wait("document.querySelector('.cg-shapes line')")  # the arrow of the better move
        score = "document.querySelector('.lpv .move.current').dataset.score"
        assert browser.evaluate(score) == f"{first.eval().white().score() / 100:+.2f}"
        height = "document.querySelector('.replay-bar i').style.height"
        chance = winning_chance(first.eval().white())
        assert float(browser.evaluate(height).strip("%")) == pytest.approx(100 * chance, abs=0.1)

        browser.press("ArrowLeft")
        browser.wait(f"{ply} == {plies[0] - 1}")
        browser.wait("!document.querySelector('.cg-shapes line')")
        browser.click(".replay-next")
        browser.wait(f"{ply} == {plies[0]}")
        browser.evaluate("document.querySelector('.replay-sides button:enabled').click()")
        browser.wait(f"{ply} != 0 && {ply} != undefined")
        assert int(browser.evaluate(ply)) in plies
        assert browser.complaints == []

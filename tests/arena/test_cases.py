"""The small inputs of ../shared/cases, each after a public bug report: what its README says."""

import chess
import pytest

from tests.support.arena_runs import ENGINE, flat, run
from tests.support.paths import SHARED
from zobra.arena.formats.files import read_text
from zobra.arena.formats.game_source import open_source
from zobra.arena.formats.pgn import read_games
from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.model.adjudication import ending_by_failure
from zobra.arena.model.openings import opening_source
from zobra.arena.model.suite_positions import read_suites
from zobra.arena.pages.reported_games import read_pgn
from zobra.cli.genfens import openings

CASES = SHARED / "cases"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="../shared/cases is not there")


def games_of(name: str) -> list[tuple[str, str, str] | str]:
    """Players and moves of each game, or why it is left out."""
    found: list[tuple[str, str, str] | str] = []
    for game in read_games(read_text(CASES / name)):
        if isinstance(game, ValueError):
            found.append(str(game))
        else:
            moves = " ".join(node.san() for node in game.mainline())
            found.append((game.headers["White"], game.headers["Black"], moves))
    return found


SHORT = "e4 e5 Nf3 Nc6"


@pytest.mark.parametrize(
    ("name", "games"),
    [
        (
            "crash.pgn",
            [
                ("Ann", "Bob", SHORT),
                "game 2 is left out: illegal move Ke3 in a variation of move 1",
                ("Eve", "Fay", "d4 d5"),
            ],
        ),
        (
            "badfen.pgn",
            [
                ("Ann", "Bob", SHORT),
                "game 2 is left out: expected 8 rows in position part of fen: '8/8/8/8'",
                ("Eve", "Fay", "c4 c5"),
            ],
        ),
        ("variant.pgn", [("Ann", "Bob", SHORT), ("Cid", "Dan", "d4 d5")]),
        ("tight.pgn", [("Ann", "Bob", SHORT), ("Cid", "Dan", "d4 d5")]),
        ("dbl.pgn", [("Ann", "Bob", SHORT)]),
        ("cr.pgn", [("Žofia", "Björn", f"{SHORT} Bb5")]),
        ("l1.pgn", [("Zofia", "Björn", f"{SHORT} Bb5")]),
        ("de.pgn", ["game 1 is left out: not understood: Sf3"]),
        ("esc.pgn", [("Ann", 'O\'Neil "Red" Smith', "e4 e5")]),
    ],
)
def test_games(name, games):
    assert games_of(name) == games


def test_scores_of_openbench():
    (game,) = read_games(read_text(CASES / "ob.pgn"))
    first, second = [PlayedMove.from_node(node) for node in game.mainline()][:2]
    assert (first.score, first.depth, first.milliseconds, first.nodes) == (57, 17, 583, 363_004)
    assert (second.score, second.depth, second.milliseconds, second.nodes) == (
        -57,
        17,
        520,
        671_767,
    )


def test_endings_are_those_of_the_headers():
    records = [game.record for game in read_pgn(CASES / "term.pgn").games]
    reasons = [record.reason for record in records]
    assert reasons == ["time forfeit", "abandoned", "normal", "won on time"]
    assert all(move.score is None for record in records for move in record.moves)


def test_a_page_leaves_out_one_game(tmp_path):
    page = tmp_path / "page.html"
    text = run("report", CASES / "crash.pgn", "--output", page, code=1)
    assert "game 2 is left out: illegal move Ke3 in a variation" in text
    assert "Eve" in page.read_text()
    assert "no game in this file" in flat(
        run("report", CASES / "de.pgn", "--output", tmp_path / "de.html", code=2)
    )
    run("report", CASES / "esc.pgn", "--output", tmp_path / "esc.html")
    assert r"\&#34;Red" not in (tmp_path / "esc.html").read_text()


def test_a_book_leaves_out_one_game():
    source = opening_source(CASES / "crash.pgn", 3)
    assert [source(index).moves[0] for index in range(3)] == ["e2e4", "d2d4", "e2e4"]
    assert len(source.problems) == 1 and "game 2 is left out" in source.problems[0]
    assert opening_source(CASES / "dbl.pgn", 2)(1).moves == ("e2e4", "e7e5", "g1f3", "b8c6")


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("castle.epd", [["e1g1"], ["e1c1"], ["g1f3"]]),
        ("ops.epd", [["e2e4"]] * 5),
        ("check.epd", [["d4d3"]]),
    ],
)
def test_suites(name, asked):
    positions, bad_lines = read_suites([CASES / name])
    assert [[*position.best, *position.avoid] for position in positions] == asked
    assert bad_lines == []


def test_double_checks_that_cannot_arise_are_analysed():
    (game,) = open_source(str(CASES / "check.epd")).games()
    assert game.board().status() == chess.STATUS_IMPOSSIBLE_CHECK


@pytest.mark.parametrize("name", ["book_eco.epd", "book_semicolon.epd"])
def test_books(name):
    source = opening_source(CASES / name, 1)
    assert source.problems == []
    position = "rnbqkb1r/pppppppp/5n2/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"
    assert source(0).board(False).fen().startswith(position)
    assert len(list(openings(2, 1, str(CASES / name)))) == 2


@pytest.mark.parametrize("name", ["opt_bare.txt", "opt_notype.txt", "opt_string.txt"])
def test_options_of_engines(name, tmp_path):
    line = (CASES / name).read_text().strip()
    engine = f'{ENGINE} --option-line "{line}"'
    arguments = ["-e", engine, "--depth", "1", "--json", tmp_path / "suite.json"]
    assert "castle 1" in run("suite", CASES / "castle.epd", *arguments)


def test_a_flag_against_a_bare_king_is_a_draw():
    board = chess.Board((CASES / "lone.epd").read_text().strip())
    assert ending_by_failure(board, chess.WHITE, "time").result == "1/2-1/2"
    assert ending_by_failure(board, chess.BLACK, "time").result == "1-0"
    assert ending_by_failure(board, chess.WHITE, "disconnect").result == "0-1"

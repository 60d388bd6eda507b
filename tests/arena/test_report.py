"""Report pages: well formed, self-contained and small, with what they promise, and visible in a
real browser.
"""

import base64
import io
import json
import random
import re
import statistics
import zlib
from collections import defaultdict
from dataclasses import asdict, replace
from html.parser import HTMLParser
from pathlib import Path

import chess
import chess.pgn
import pytest
import typer
from typer.testing import CliRunner

from tests.support.arena_runs import flat
from tests.tools.browser import CHROMIUM, Browser
from zobra.arena.commands.report import page_of, read_runs, report
from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.model.engines import EngineSpec
from zobra.arena.model.game_record import GameRecord
from zobra.arena.model.openings import Opening
from zobra.arena.model.settings import Settings
from zobra.arena.model.statistics import Sprt, estimate, sweep_bound
from zobra.arena.model.suite_positions import BadLine, read_position
from zobra.arena.model.suite_results import Effort, EngineResult, Outcome, SuiteResult
from zobra.arena.pages import match_page
from zobra.arena.pages.reported_games import ReportedGames, read_match, read_pgn


def report_page(run) -> str:
    return page_of(read_runs([run]))


VOID = {"meta", "br", "input"}  # what HTML lets stand without an end tag, among what the pages use
LICHESS = "https://lichess.org/"  # the only address outside of the page to which it may link


class Page(HTMLParser):
    """Reads a page strictly: every tag closed in its order, ids unique.

    It collects tags, the values of attributes by their names, classes and texts.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.attributes: dict[str, list[str]] = defaultdict(list)
        self.feed(text)
        self.close()
        self.classes = " ".join(self.attributes["class"]).split()
        self.text = " ".join(self.texts)
        assert self.open == []
        assert len(self.attributes["id"]) == len(set(self.attributes["id"]))

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            self.attributes[name].append(value or "")

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def assert_self_contained(text: str) -> Page:
    page = Page(text)
    references = [*page.attributes["href"], *page.attributes["src"]]
    assert all(reference.startswith(("#", LICHESS)) for reference in references)
    ids = set(page.attributes["id"])
    assert {name[1:] for name in references if name.startswith("#") and "=" not in name} <= ids
    text = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    assert {name[5:-1] for name in re.findall(r"url\(#[^)]*\)", text)} <= ids
    assert not re.search(r'@import|url\((?!#|"data:)|\bsrc=', text)
    assert not {"img", "link", "iframe"} & set(page.tags)
    return page


def charts(text: str) -> list[dict]:
    """Return the data of the page's charts."""
    return [json.loads(data) for data in re.findall(r"data-chart='([^']*)'", text)]


def replays(text: str) -> list[dict]:
    """Return what the page holds for its viewer: a dictionary for each game."""
    packed = re.search(r'<script type="application/json" id="games">(.*?)</script>', text)
    games = json.loads(packed[1])
    return [json.loads(zlib.decompress(base64.b64decode(game))) for game in games]


@pytest.fixture
def suite_result() -> SuiteResult:
    lines = [
        '4k3/4p3/8/8/8/8/4P3/4K3 w - - bm e4; id "<pawns> & kings";',
        '6k1/8/6K1/8/8/8/8/Q7 w - - bm Qa8#; dm 1; id "queen";',
        'r3k2r/8/8/8/8/8/8/R3K2R b KQkq - c8 "10 5"; c9 "e8g8 e8c8"; id "castling";',
    ]
    positions = [read_position(line, "a.epd", number) for number, line in enumerate(lines, start=1)]
    since = Effort(12, 3456, 7)
    effort = Effort(100, 20000, 11)
    good = [
        Outcome("e2e4", True, "", 0, 25, None, ("e2e4",), effort, since),
        Outcome("a1a8", True, "", 0, None, 1, ("a1a8",), effort, since),
        Outcome("e8g8", True, "", 10, -3, None, ("e8g8",), effort, since),
    ]
    weak = [
        Outcome("e2e3", False, "best is e4", 0, -150, None, ("e2e3",), effort, None),
        Outcome("a1a8", False, "mate in 1 not seen", 0, 900, None, ("a1a8",), effort, None),
        Outcome(None, False, "engine failed: <died>", 0, None, None, (), Effort(), None),
    ]
    limit = {"time_ms": 100, "nodes": None, "depth": None}
    result = SuiteResult(["sets/a.epd"], limit, 1, positions)
    result.bad_lines.append(BadLine("a.epd", 9, "<b>broken", "not <EPD>"))
    result.engines += [
        EngineResult("good", ["good"], {}, good),
        EngineResult("we<ak", ["weak"], {}, weak),
    ]
    return result


def test_a_suite_page_shows_failed_positions_as_boards(suite_result, tmp_path):
    suite_result.save(tmp_path / "suite.json")
    text = report_page(tmp_path / "suite.json")
    page = assert_self_contained(text)
    failed = text[text.index("Failed positions") : text.index("All positions")]
    board = r'<svg viewBox[^>]*aria-label="position [^"]*">.*?</svg>'
    pictures = re.findall(board, failed, re.DOTALL)
    # An arrow is a shaft and a head. The queen's move is right but unproven; no move was played in
    # the last position.
    arrows = [
        (picture.count("var(--good)"), picture.count("var(--series-2)")) for picture in pictures
    ]
    assert arrows == [(2, 2), (2, 0), (2, 0)]
    assert "played by we&lt;ak" in failed
    assert 'class="good"' not in failed
    assert failed.count("solved by good") == 3
    turned = ['href="#board-of-black"' in picture for picture in pictures]
    assert turned == [position.board().turn == chess.BLACK for position in suite_result.positions]
    assert all(f"<code>{position.fen}</code>" in failed for position in suite_result.positions)
    assert failed.count(f'href="{LICHESS}') == 3
    for words in (
        "3 of 3",
        "0 of 3",
        "we<ak",
        "<pawns> & kings",
        "engine failed: <died>",
        "a.epd:9",
        "12 ms, 3,456 nodes, depth 7",
    ):
        assert words in page.text


def test_a_suite_page_without_failures_or_results(suite_result, tmp_path):
    suite_result.engines = suite_result.engines[:1]
    suite_result.save(tmp_path / "all.json")
    assert "Failed positions" not in report_page(tmp_path / "all.json")
    suite_result.engines[0].outcomes[:] = [None, None, None]
    suite_result.save(tmp_path / "none.json")
    assert "not finished" in assert_self_contained(report_page(tmp_path / "none.json")).text


def random_moves(source: random.Random) -> list[str]:
    """Return a random game of 60 to 120 plies that is not over."""
    board = chess.Board()
    for _ in range(source.randint(60, 120)):
        moves = [move for move in board.legal_moves if not board.gives_check(move)]
        board.push(source.choice(moves))
    return [move.uci() for move in board.move_stack]


def made_up_game(
    source: random.Random, index: int, white: str, black: str, line: list[str], favourite: str
) -> GameRecord:
    """Return a game with plausible evaluations and times, which the favourite wins more often."""
    aim = source.gauss(0.3 if white == favourite else -0.3, 2)
    moves = []
    for ply, move in enumerate(line):
        score = round(aim * ply * (1 if ply % 2 == 0 else -1))
        depth = source.randint(8, 16)
        milliseconds = source.randint(5, 400)
        moves.append(
            PlayedMove(chess.Move.from_uci(move), score, None, depth, 90000, milliseconds, 9000)
        )
    moves[-1] = replace(moves[-1], score=None, mate=1)
    result = "1/2-1/2"
    if abs(aim) > 1:
        result = "1-0" if aim > 1 else "0-1"
    opening = Opening(chess.STARTING_FEN, name="book.epd line").entry(False)
    return GameRecord(
        index,
        index // 2,
        1,
        white,
        black,
        opening=opening,
        result=result,
        reason="threefold repetition" if result == "1/2-1/2" else "checkmate",
        moves=moves,
    )


def write_match(folder, games: int, engines=("Alpha", "Be<ta"), sprt=None, **more) -> None:
    """Write the folder of a made-up match: pairs with colours reversed."""
    folder.mkdir()
    specs = tuple(EngineSpec(name, (name,)) for name in engines)
    content = {"kind": "match", "created": "2026-01-02T03:04:05+00:00"}
    content |= asdict(Settings(specs, "10+0.1", games // 2)) | {"sprt": sprt} | more
    (folder / "run.json").write_text(json.dumps(content))
    source = random.Random(1)
    lines = [random_moves(source) for _ in range(min(games, 4))]
    with (folder / "journal.jsonl").open("w") as journal:
        for index in range(games):
            white, black = source.sample(engines, 2) if len(engines) > 2 else engines
            if index % 2 == 1:
                white, black = black, white
            line = lines[index // 2 % len(lines)]
            game = made_up_game(source, index, white, black, line, engines[0])
            journal.write(json.dumps(game.to_json()) + "\n")


def values_at(match: ReportedGames, number: int, name: str, value) -> list[tuple[int, float]]:
    """Return the points of an engine in each game, and the value of its move of this number."""
    found = []
    for game in match.games:
        for move_number, player, move, _ in game.moves():
            if player == name and move_number == number:
                found.append((game.record.points(name), value(move)))
    return found


def assert_median(line: dict, at: int, values: list[float]) -> None:
    assert line["y"][at] == pytest.approx(statistics.median(values), abs=0.001)
    assert line["low"][at] <= line["y"][at] <= line["high"][at]


def test_a_match_page_has_charts_tables_and_curves(tmp_path):
    write_match(tmp_path / "run", 40)
    text = report_page(tmp_path / "run")
    page = assert_self_contained(text)
    headings = {"Strength over games", "Crosstable", "How games ended", "Use of time"}
    headings |= {"Evaluations", "Games"}
    assert headings | {"Alpha", "margin"} <= set(page.texts)
    assert page.classes.count("curve") == 40
    assert "Be<ta" in page.text
    match = read_match(tmp_path / "run")
    wins, draws, losses = match.score("Alpha")
    assert wins + draws + losses == 40
    assert f"+{wins} ={draws} −{losses}" in page.texts

    _, times, evaluations = charts(text)
    assert [line["label"] for line in times["series"]] == ["Alpha", "Be<ta"]
    at = len(times["x"]) // 2
    for line in times["series"]:
        found = values_at(match, times["x"][at], line["label"], lambda move: move.milliseconds)
        assert_median(line, at, [value for _, value in found])
    at = len(evaluations["x"]) // 2
    found = values_at(match, evaluations["x"][at], "Alpha", lambda move: move.pawns(10))
    kinds = {"games lost": 0, "games drawn": 1, "games won": 2}
    assert {line["label"] for line in evaluations["series"]} == set(kinds)
    for line in evaluations["series"]:
        points = kinds[line["label"]]
        assert_median(line, at, [value for scored, value in found if scored == points])


def test_games_can_be_replayed(tmp_path):
    write_match(tmp_path / "run", 2)
    games = replays(report_page(tmp_path / "run"))
    records = [game.record for game in read_match(tmp_path / "run").games]
    for game, record in zip(games, records, strict=True):
        tree = chess.pgn.read_game(io.StringIO(game["pgn"]))
        assert not tree.errors
        assert tree.headers["White"] == record.white
        nodes = list(tree.mainline())
        assert [node.move for node in nodes] == [move.move for move in record.moves]
        assert all(node.clock() == 9 for node in nodes)
        assert nodes[-1].eval().pov(not nodes[-1].turn()).mate() == 1
        for node, move in zip(nodes[:-1], record.moves, strict=False):
            assert node.eval().pov(not node.turn()).score() == move.score
            assert node.eval_depth() == move.depth
        assert len(game["nodes"]) == len(nodes) + 1
        assert all(0 <= entry["chance"] <= 1 for entry in game["nodes"][1:])
        first = game["nodes"][1]
        assert f"depth {record.moves[0].depth}" in first["note"]
        assert "90,000 nodes" in first["note"]
        assert first["seconds"] == record.moves[0].milliseconds / 1000


CUTECHESS = """[White "A"]
[Black "B"]
[Result "{}"]
[TimeControl "40/60"]

1. e4 {{book}} e5 {{book}} 2. Qh5 {{+0.31/12 0.50s}} Nc6 {{-0.20/11 0.40s}}
3. Bc4 {{+M3/9 0.30s}} Nf6 {{-M2/9 0.1s}}
4. Qxf7# {{+M1/3 0.01s, White mates}} {}

"""


def test_a_pgn_file_of_another_program_is_reported(tmp_path):
    first = CUTECHESS.format("1-0", "1-0")
    second = first.replace('White "A"', 'White "B"').replace('Black "B"', 'Black "A"')
    damaged = '[White "A"]\n\n1. Ke3 *\n'
    path = tmp_path / "games.pgn"
    path.write_text(first + second + damaged)
    text = report_page(path)
    page = assert_self_contained(text)
    assert {"A – B", "checkmate"} <= set(page.texts)
    assert "0 0 1 0 0" in page.text
    problem = "game 3 is left out: illegal move Ke3 at move 1"
    assert problem in page.text
    run = run_command(str(path))
    assert run.exit_code == 1
    assert problem in flat(run.output)

    game = replays(text)[0]
    assert game["nodes"][:3] == [{}, {}, {}]
    assert min(entry["chance"] for entry in game["nodes"][-3:]) > 0.99
    assert game["nodes"][3]["note"] == "+0.31 · depth 12 · 500 ms"
    assert game["nodes"][-1]["score"] == "#"
    assert game["opening"] == "C20 Open Game"
    assert "{ White mates [%eval #1,3] }" in game["pgn"]
    assert "+0.31/12" not in game["pgn"]


def test_a_game_with_an_illegal_move_is_shown_up_to_there(tmp_path):
    path = tmp_path / "game.pgn"
    tags = '[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n[Termination "normal"]\n'
    path.write_text(f"{tags}\n1. e4 e5 2. Ke3 Nc6 3. d4 1-0\n")
    result = run_command(str(path))
    assert result.exit_code == 1
    problem = "game 1: illegal move Ke3 at move 2; only the moves before it are read"
    assert problem in flat(result.output)
    text = path.with_suffix(".html").read_text()
    assert problem in assert_self_contained(text).text
    (game,) = replays(text)
    assert game["pgn"].endswith("\n1. e4 e5 1-0\n")
    assert "resignation" not in text


@pytest.mark.parametrize(
    ("termination", "result", "reason"),
    [
        ("time forfeit", "1/2-1/2", "time forfeit"),
        ("abandoned", "1/2-1/2", "abandoned"),
        ("Bob won on time", "1/2-1/2", "won on time"),
        ("normal", "1/2-1/2", "threefold repetition"),
        ("unterminated", "*", "unterminated"),
        ("normal", "0-1", "resignation"),
    ],
)
def test_the_ending_is_what_the_headers_say_or_else_the_board(
    tmp_path, termination, result, reason
):
    path = tmp_path / "one.pgn"
    players = '[White "Ann"]\n[Black "Bob"]\n'
    moves = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8"
    headers = f'[Result "{result}"]\n[Termination "{termination}"]\n'
    path.write_text(f"{players}{headers}\n{moves} {result}\n")
    (game,) = read_pgn(path).games
    assert game.record.reason == reason


ANALYSED = """[White "Alice"]
[Black "Bob"]
[Result "0-1"]
[Site "https://lichess.org/abcdefgh"]
[Annotator "Judge 1, 100 ms per position"]
[TimeControl "60+1"]
[WhiteAccuracy "50.0"]
[WhiteErrors "0 inaccuracies, 0 mistakes, 1 blunder; average loss 300 centipawns"]
[BlackAccuracy "99.0"]

1. e4 { [%eval 0.30,9] [%clk 0:00:58] } e5 { [%eval 0.40,9] [%clk 0:01:00] }
2. Qh5 { +0.25/7 0.5s, n=900 [%eval 0.10,9] [%clk 0:00:50] } Nc6 { [%eval 0.20,9] [%clk 0:00:50] }
3. Qxf7+ $4 { [%eval -9.00,9] [%clk 0:00:40] } ( 3. Bc4 { [%eval 0.20,9] } g6 ) Kxf7
{ [%eval -9.10,9] [%clk 0:00:30] } 0-1

"""


@pytest.fixture
def analysed(tmp_path):
    (tmp_path / "one.pgn").write_text(ANALYSED)
    return tmp_path / "one.pgn"


def test_the_analysis_is_explained_apart_from_the_player(analysed):
    game = replays(report_page(analysed))[0]
    # A variation stands behind all that follows the move that it replaces
    nodes = game["nodes"]
    assert [node.get("score") for node in nodes] == (
        [None, "+0.30", "+0.40", "+0.10", "+0.20", "-9.00", "-9.10", "+0.20", None]
    )
    assert nodes[3]["note"] == "+0.10 · depth 9"
    assert nodes[3]["own"] == "Alice reported: +0.25 · depth 7 · 500 ms · 900 nodes"
    assert nodes[5]["note"] == "Blunder: +0.20 → -9.00; best was Bc4"
    assert (nodes[5]["mark"], nodes[5]["best"]) == ("blunder", "f1c4")
    assert nodes[7]["note"] == "+0.20 · depth 9"
    assert not any("mark" in node for node in nodes if node is not nodes[5])
    assert game["link"] == "https://lichess.org/abcdefgh"
    white, black = game["sides"]
    assert white == {"name": "Alice", "accuracy": "50.0%", "loss": "average loss 300 centipawns"}
    assert black == {"name": "Bob", "accuracy": "99.0%"}


def test_times_of_moves_come_from_reports_and_clocks(analysed):
    nodes = replays(report_page(analysed))[0]["nodes"]
    seconds = [node.get("seconds") for node in nodes[1:7]]
    # 50 s after 60 s, with a second added: 11 s
    assert seconds == [None, None, 0.5, 11, 11, 21]


def test_the_page_of_one_game_says_things_once(analysed):
    text = report_page(analysed)
    page = assert_self_contained(text)
    assert not {"Accuracy", "Games", "How games ended"} & set(page.texts)
    assert "figures" not in page.classes
    assert "https://lichess.org/abcdefgh" in page.attributes["href"]
    shown = re.sub(r"<(script|style).*?</\1>", "", text, flags=re.DOTALL)
    assert "not stated" not in shown
    assert "unknown" not in shown


def test_the_accuracy_of_several_games_has_the_mean_of_each_player(analysed):
    analysed.write_text(ANALYSED + ANALYSED.replace('"50.0"', '"60.0"'))
    text = " ".join(assert_self_contained(report_page(analysed)).text.split())
    assert "all Alice 55.0% mean of 2 games" in text
    assert "all Bob 99.0% mean of 2 games" in text


@pytest.mark.parametrize("start", ["", '[FEN "4k3/8/8/8/8/8/P7/4K3 w - - 0 1"]\n'])
def test_a_casual_game_has_units_and_no_event_for_an_opening(tmp_path, start):
    path = tmp_path / "game.pgn"
    headers = {
        "Event": "Casual game",
        "White": "Player",
        "Black": "Zobra",
        "TimeControl": "300+3",
        "Termination": "unterminated",
    }
    tags = "".join(f'[{name} "{value}"]\n' for name, value in headers.items())
    path.write_text(f"{tags}{start}\n1. a4 *\n")
    text = report_page(path)
    assert "not finished, 5 min + 3 s per move" in text
    assert replays(text)[0]["opening"] == ""


def test_a_position_has_its_name_in_the_place_of_an_opening(tmp_path):
    path = tmp_path / "positions.pgn"
    path.write_text('[Event "ladder mate"]\n[FEN "6k1/8/8/8/8/8/R7/1R5K w - - 0 1"]\n\n1. Rb7 *\n')
    assert replays(report_page(path))[0]["opening"] == "ladder mate"


@pytest.mark.parametrize("name", ["book:10", "random walk 3"])
@pytest.mark.parametrize(("moves", "opening"), [("e2e4 e7e5", "C20 Open Game"), ("a2a3 h7h5", "")])
def test_the_number_of_an_opening_is_no_name(tmp_path, name, moves, opening):
    write_match(tmp_path / "run", 2)
    journal = tmp_path / "run" / "journal.jsonl"
    games = [json.loads(line) for line in journal.read_text().splitlines()]
    board = chess.Board()
    for move in moves.split():
        board.push_uci(move)
    for game in games:
        game["opening"] |= {"name": name, "fen": board.fen(), "moves": moves.split()}
        game["moves"] = []
    journal.write_text("".join(json.dumps(game) + "\n" for game in games))
    match = read_match(tmp_path / "run")
    assert [game.opening for game in match.games] == [opening] * 2
    assert match.games[0].tree().headers.get("Opening", "") == opening[4:]


def test_who_evaluated_the_games_is_named(analysed):
    analysed.write_text(3 * ANALYSED)
    text = report_page(analysed)
    assert (
        "Evaluations by Judge 1, 100 ms per position of the games of Alice, from its view" in text
    )
    assert "of its own games" not in text
    assert "How games ended" not in text  # as nobody stated it


def test_a_pgn_file_without_games_is_named(tmp_path):
    (tmp_path / "none.pgn").write_text("nothing of the kind\n")
    with pytest.raises(ValueError, match="no game in this file"):
        read_pgn(tmp_path / "none.pgn")


def test_a_ladder_page_shows_its_rating_list(tmp_path):
    folder = tmp_path / "run"
    engines = [f"engine {number}" for number in range(12)]
    write_match(folder, 40, engines, tournament="gauntlet")
    rows = []
    for number, name in enumerate(engines):
        rows.append([name, 2000 + 10 * number, 40 + number, 2000 if number else None])
    (folder / "ratings.json").write_text(json.dumps(rows))
    text = report_page(folder)
    page = assert_self_contained(text)
    assert "Tournament" in page.texts
    assert "Strength over games" not in page.texts
    assert len(text.encode()) < 1_000_000  # pages stay small
    shown = page.texts[page.texts.index("Rating list") :]
    places = [shown.index(name) for name in reversed(engines)]
    assert places == sorted(places)  # the strongest comes first
    assert "2110" in shown
    assert "± 51.0" in shown
    assert "engine 0 against" in page.texts


def test_strength_follows_the_statistics(tmp_path):
    sprt = {"elo0": 0, "elo1": 10, "alpha": 0.05, "beta": 0.1, "model": "logistic"}
    write_match(tmp_path / "run", 60, sprt=sprt)
    points = [0] * 30  # of Alpha in each pair, in half points
    for game in read_match(tmp_path / "run").games:
        points[game.record.pair] += game.record.points("Alpha")
    counts = [points.count(half_points) for half_points in range(5)]
    guess = estimate(counts)
    test = Sprt(0, 10, 0.05, 0.1, "logistic")
    text = report_page(tmp_path / "run")
    page = assert_self_contained(text)
    shown = f"{guess.elo:+.1f}".replace("-", "−") + f" ± {guess.elo_margin:.1f}"
    assert shown in " ".join(page.text.split())
    assert " ".join(map(str, counts)) in page.text
    assert f"{test.llr(counts):+.2f}" in page.text
    strength, ratio = charts(text)[:2]
    assert strength["x"] == ratio["x"] == list(range(2, 61, 2))
    assert ratio["levels"] == list(test.limits)
    curve = strength["series"][0]
    assert curve["y"][-1] == pytest.approx(guess.elo, abs=0.01)
    assert curve["low"][-1] == pytest.approx(guess.elo - guess.elo_margin, abs=0.01)
    assert ratio["series"][0]["y"][-1] == pytest.approx(test.llr(counts), abs=0.001)


def test_a_clean_sweep_has_no_finite_elo_and_still_a_page(tmp_path):
    write_match(tmp_path / "run", 8)
    journal = tmp_path / "run" / "journal.jsonl"
    games = [json.loads(line) for line in journal.read_text().splitlines()]
    for game in games:
        game["result"] = "1-0" if game["white"] == "Alpha" else "0-1"
    journal.write_text("".join(json.dumps(game) + "\n" for game in games))
    text = report_page(tmp_path / "run")
    page = assert_self_contained(text)
    assert f"> {sweep_bound(8):+.1f}" in page.text
    assert "as every game was won" in page.text
    assert "+8 =0 −0" in page.texts
    assert not {"nan", "+nan", "inf", "+inf", "-inf"} & set(page.text.split())
    curve = charts(text)[0]["series"][0]
    assert curve["label"] == "Elo of Alpha, at least"
    assert curve["y"][-1] == pytest.approx(sweep_bound(8), abs=0.01)

    journal.write_text("".join(json.dumps(game) + "\n" for game in games[:2]))
    page = assert_self_contained(report_page(tmp_path / "run"))
    assert "too few games" in page.text  # two games of equal engines often end so


def test_a_line_of_a_journal_that_is_no_game_is_named(tmp_path):
    write_match(tmp_path / "run", 8)
    with (tmp_path / "run" / "journal.jsonl").open("a") as journal:
        journal.write("nonsense\n")
    application = typer.Typer()
    application.command()(report)
    done = CliRunner().invoke(application, [str(tmp_path / "run")])
    assert done.exit_code == 1
    assert "journal.jsonl:9: not a game" in done.output


@pytest.mark.parametrize(("games", "curves"), [(0, 0), (1, 0), (3, 3)])  # one is not listed
def test_a_match_has_hardly_begun_and_a_line_of_its_journal_is_torn(tmp_path, games, curves):
    write_match(tmp_path / "run", games)
    with (tmp_path / "run" / "journal.jsonl").open("a") as journal:
        journal.write('{"index": 6, "pa')
    page = assert_self_contained(report_page(tmp_path / "run"))
    assert f"journal.jsonl:{games + 1}" in page.text
    assert page.classes.count("curve") == curves


def run_command(*arguments: str):
    application = typer.Typer()
    application.command()(report)
    return CliRunner().invoke(application, list(arguments))


def test_the_command_writes_the_page_beside_the_run(suite_result, tmp_path):
    suite_result.save(tmp_path / "suite.json")
    assert run_command(str(tmp_path / "suite.json")).exit_code == 0
    assert (tmp_path / "suite.html").read_text().startswith("<!DOCTYPE html>")
    write_match(tmp_path / "run", 4)
    assert run_command(str(tmp_path / "run"), "--output", str(tmp_path / "own.html")).exit_code == 0
    assert (tmp_path / "own.html").exists()


def test_a_folder_of_games_has_one_page(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    for name in ("one.pgn", "two.pgn", "two.analysed.pgn"):
        (folder / name).write_text('[White "C"]\n[Black "D"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n')
    assert run_command(str(folder)).exit_code == 0
    assert len(replays((folder / "report.html").read_text())) == 2


def test_several_files_have_one_page(tmp_path):
    game = '[White "C"]\n[Black "D"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'
    (tmp_path / "one.pgn").write_text(game)
    (tmp_path / "two.pgn").write_text(f"{game}\n1. Ke3 *\n")
    names = [str(tmp_path / "one.pgn"), str(tmp_path / "two.pgn")]
    result = run_command(*names)
    assert result.exit_code == 1
    assert "two.pgn: game 2 is left out: illegal move Ke3" in flat(result.output)
    text = (tmp_path / "games.html").read_text()
    assert len(replays(text)) == 2
    assert 'content="zobra report one.pgn, two.pgn"' in text
    assert run_command(*names).exit_code == 1  # which replaces the page


def test_what_is_no_pgn_has_no_page_together_with_others(tmp_path):
    write_match(tmp_path / "thing", 4)
    (tmp_path / "one.pgn").write_text("1. e4 *\n")
    result = run_command(str(tmp_path / "one.pgn"), str(tmp_path / "thing"))
    assert_named(result)
    assert "only PGN files can be combined in one page" in flat(result.output)
    result = run_command(str(tmp_path / "one.pgn"), str(tmp_path / "two.pgn"))
    assert "two.pgn: No such file" in flat(result.output)


@pytest.mark.parametrize("forced", [[], ["--force"]])
def test_games_are_not_replaced_by_their_page(tmp_path, forced):
    source = tmp_path / "thing.pgn"
    source.write_text("1. e4 *\n")
    result = run_command(str(source), "--output", str(source), *forced)
    assert_named(result)
    assert "thing.pgn is one of the inputs" in flat(result.output)
    assert source.read_text() == "1. e4 *\n"


def test_the_folder_itself_and_other_files_have_one_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("one.PGN").write_text("1. e4 *\n")
    Path("more").mkdir()
    Path("more/two.pgn").write_text("1. d4 *\n")
    assert run_command(".", "more/two.pgn").exit_code == 0
    assert len(replays(Path("games.html").read_text())) == 2


def test_a_file_of_something_else_is_named(tmp_path):
    (tmp_path / "thing.md").write_text("# Title\n")
    result = run_command(str(tmp_path / "thing.md"))
    assert_named(result)
    assert "neither a match folder, PGN" in flat(result.output)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"other": "is a folder without run.json"},
        {"run.json": "{}"},
        {"run.json": '{"kind": "suite"}'},
        {"run.json": "{"},
    ],
)
def test_a_folder_without_a_match_is_named(tmp_path, files):
    folder = tmp_path / "thing"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    assert_named(run_command(str(folder)))


@pytest.mark.parametrize("text", [None, "{}", "{"])
def test_a_file_without_results_is_named(tmp_path, text):
    path = tmp_path / "thing.json"
    if text is not None:
        path.write_text(text)
    assert_named(run_command(str(path)))


@pytest.mark.parametrize(
    ("settings", "ratings"),
    [
        ({"sprt": {"elo0": 5, "elo1": 0}}, "[]"),
        ({"versions": ["1"]}, "[]"),
        ({}, '[["a", "b"]]'),
    ],
)
def test_a_match_with_wrong_values_is_named(tmp_path, settings, ratings):
    write_match(tmp_path / "thing", 2, **settings)
    (tmp_path / "thing" / "ratings.json").write_text(ratings)
    assert_named(run_command(str(tmp_path / "thing")))


def assert_named(run) -> None:
    assert run.exit_code == 2
    assert "Traceback" not in run.output
    assert "thing" in re.sub(r"[\s│]", "", run.output)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
@pytest.mark.parametrize(("width", "dark"), [(1000, False), (390, True)])
def test_a_browser_shows_charts_and_boards(suite_result, tmp_path, width, dark):
    suite_result.save(tmp_path / "suite.json")
    write_match(tmp_path / "run", 40)
    # How many pixels of each chart are of the blue of the first series
    blue = """[...document.querySelectorAll("canvas")].map(canvas => {
        const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        const isBlue = at => pixels[4 * at + 2] - pixels[4 * at] > 60;
        return [...Array(pixels.length / 4).keys()].filter(isBlue).length; })"""
    with Browser(width, 900, dark=dark) as browser:
        for run, canvases, coloured in ((tmp_path / "run", 3, 2), (tmp_path / "suite.json", 1, 1)):
            page = tmp_path / f"{run.stem}.html"
            page.write_text(report_page(run), encoding="utf-8")
            browser.open(page)
            browser.wait(f"document.querySelectorAll('canvas').length == {canvases}")
            assert all(browser.evaluate(blue)[:coloured])
            assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
        boards = "[...document.querySelectorAll('.boards svg')].map(svg => svg.clientWidth)"
        assert min(browser.evaluate(boards)) > 200


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_a_browser_opens_sorts_and_finds_games(tmp_path):
    write_match(tmp_path / "run", 40)
    page = tmp_path / "run.html"
    page.write_text(report_page(tmp_path / "run"), encoding="utf-8")
    title = "document.querySelector('.replay-title').textContent"
    ply = "document.getElementById('replay').dataset.ply"
    rows = "[...document.querySelectorAll('.games tbody tr')]"
    with Browser(1280, 900) as browser:
        browser.open(page)
        wide = "document.querySelector('table.games').parentElement"
        assert browser.evaluate(f"{wide}.scrollWidth <= {wide}.clientWidth")
        for number, place in ((3, "a"), (4, "td:nth-child(2)"), (3, "td:nth-child(3)")):
            browser.evaluate(f"document.querySelector('[data-game=\"{number}\"] {place}').click()")
            browser.wait(f"{title}.startsWith('Game {number}: ')")
            browser.press("ArrowRight")
            browser.press("ArrowRight")
            browser.press("ArrowLeft")
            browser.wait(f"{ply} == 1")

        browser.evaluate("document.querySelector('.games th:nth-child(6) button').click()")
        plies = browser.evaluate(f"{rows}.map(row => Number(row.cells[5].textContent))")
        assert plies == sorted(plies)
        browser.evaluate("document.querySelector('.games th:nth-child(6) button').click()")
        plies = browser.evaluate(f"{rows}.map(row => Number(row.cells[5].textContent))")
        assert plies == sorted(plies, reverse=True)

        browser.evaluate("document.querySelector('.games-search').focus()")
        browser.type("checkmate 1")
        found = "document.querySelector('.games-found').textContent"
        browser.wait(f"{found}.endsWith(' of 40 games')")
        visible = browser.evaluate(f"{rows}.filter(row => !row.hidden).map(r => r.textContent)")
        assert visible
        assert all("checkmate" in text for text in visible)
        assert browser.evaluate(found) == f"{len(visible)} of 40 games"
        assert browser.complaints == []


def test_a_time_by_the_clock_is_not_a_report_of_the_player(tmp_path):
    path = tmp_path / "one.pgn"
    times = ("1. e4 {[%eval 0.2] [%clk 0:00:50]} e5 {[%eval 0.2] [%clk 0:00:58]}", "2. Nf3")
    path.write_text(f'[TimeControl "60"]\n\n{" ".join(times)} {{[%eval 0.3] [%clk 0:00:38]}} *\n')
    (game,) = replays(report_page(path))
    assert game["nodes"][3]["seconds"] == 12
    assert "reported" not in json.dumps(game)


@pytest.mark.timeout(100)
def test_a_page_of_many_players_takes_no_longer_for_each(tmp_path):
    """In quadratic time this would take minutes."""
    path = tmp_path / "many.pgn"
    game = '[White "Me"]\n[Black "{}"]\n[Result "1-0"]\n\n1. e4 1-0\n\n'
    path.write_text("".join(map(game.format, range(3_000))))
    page = assert_self_contained(report_page(path))
    assert "3000" in page.text.replace(",", "")
    assert "The first 1,000 games can be replayed." in page.text


def test_a_page_lists_no_more_games_than_a_browser_can_show(tmp_path, monkeypatch):
    monkeypatch.setattr(match_page, "MOST_REPLAYED", 2)
    monkeypatch.setattr(match_page, "MOST_LISTED", 3)
    write_match(tmp_path / "run", 8)
    page = assert_self_contained(report_page(tmp_path / "run"))
    assert "The first 2 games can be replayed. Of 8 games the first 3 are listed." in page.text

"""Report pages: well formed and self-contained, with what they promise, small, and visible in a
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
from dataclasses import asdict
from html.parser import HTMLParser

import chess
import chess.pgn
import pytest
import typer
from typer.testing import CliRunner

from tests.tools.browser import CHROMIUM, Browser
from zobra.arena.commands.report import report, report_page
from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.model.engines import EngineSpec
from zobra.arena.model.game_record import GameRecord
from zobra.arena.model.settings import Settings
from zobra.arena.model.statistics import Sprt, estimate, sweep_bound
from zobra.arena.model.suite_positions import BadLine, read_position
from zobra.arena.model.suite_results import Effort, EngineResult, Outcome, SuiteResult
from zobra.arena.pages.reported_games import read_match, read_pgn

VOID = {"meta", "br", "input"}  # what HTML lets stand without an end tag, among what the pages use
LICHESS = "https://lichess.org/"  # the only address outside of the page to which it may link


class Page(HTMLParser):
    """Reads a page strictly: every tag closed in its order, ids unique; collects tags, attributes
    and texts.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open, self.tags, self.texts = list[str](), list[str](), list[str]()
        self.attributes: dict[str, list[str]] = defaultdict(list)
        self.feed(text)
        self.close()
        self.classes, self.text = " ".join(self.attributes["class"]).split(), " ".join(self.texts)
        assert self.open == [] and len(self.attributes["id"]) == len(set(self.attributes["id"]))

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            self.attributes[name].append(value or "")

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        self.open += [tag] if tag not in VOID else []

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def assert_self_contained(text: str) -> Page:
    page = Page(text)
    references, ids = (
        [*page.attributes["href"], *page.attributes["src"]],
        set(page.attributes["id"]),
    )
    assert all(reference.startswith(("#", LICHESS)) for reference in references)
    assert {name[1:] for name in references if name.startswith("#") and "=" not in name} <= ids
    text = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    assert {name[5:-1] for name in re.findall(r"url\(#[^)]*\)", text)} <= ids
    assert not re.search(r'@import|url\((?!#|"data:)|\bsrc=', text)
    assert not {"img", "link", "iframe"} & set(page.tags)
    return page


def charts(text: str) -> list[dict]:
    """The data of the page's charts."""
    return [json.loads(data) for data in re.findall(r"data-chart='([^']*)'", text)]


def replays(text: str) -> list[dict]:
    """What the page holds for its viewer."""
    packed = re.search(r'<script type="application/json" id="games">(.*?)</script>', text)
    return (
        [json.loads(zlib.decompress(base64.b64decode(game))) for game in json.loads(packed[1])]
        if packed
        else []
    )


@pytest.fixture
def suite_result() -> SuiteResult:
    lines = [
        '4k3/4p3/8/8/8/8/4P3/4K3 w - - bm e4; id "<pawns> & kings";',
        '6k1/8/6K1/8/8/8/8/Q7 w - - bm Qa8#; dm 1; id "queen";',
        'r3k2r/8/8/8/8/8/8/R3K2R b KQkq - c8 "10 5"; c9 "e8g8 e8c8"; id "castling";',
    ]
    positions = [read_position(line, "a.epd", number) for number, line in enumerate(lines, start=1)]
    since, effort = Effort(12, 3456, 7), Effort(100, 20000, 11)
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
    result = SuiteResult(
        ["sets/a.epd"], {"time_ms": 100, "nodes": None, "depth": None}, 1, positions
    )
    result.bad_lines.append(BadLine("a.epd", 9, "<b>broken", "not <EPD>"))
    result.engines += [
        EngineResult("good", ["good"], {}, good),
        EngineResult("we<ak", ["weak"], {}, weak),
    ]
    return result


def test_a_suite_page_shows_failed_positions_as_boards(suite_result, tmp_path):
    suite_result.save(tmp_path / "suite.json")
    page = assert_self_contained(text := report_page(tmp_path / "suite.json"))
    failed = text[text.index("Failed positions") : text.index("All positions")]
    pictures = re.findall(
        r'<svg viewBox[^>]*aria-label="position [^"]*">.*?</svg>', failed, re.DOTALL
    )
    assert len(pictures) == 3
    arrows = [
        (picture.count("var(--good)"), picture.count("var(--series-2)")) for picture in pictures
    ]
    # a shaft and a head each; the queen's move is right but unproven; no move was played in the
    # last position
    assert arrows == [(2, 2), (2, 0), (2, 0)]
    assert "played by we&lt;ak" in failed and 'class="good"' not in failed
    assert failed.count("solved by good") == 3
    turned = [
        'href="#board-of-black"' in picture for picture in pictures
    ]  # for Black, who is to move in the last two
    assert turned == [position.board().turn == chess.BLACK for position in suite_result.positions]
    assert all(f"<code>{position.fen}</code>" in failed for position in suite_result.positions)
    assert failed.count(f'href="{LICHESS}') == 3
    shown = (
        "3 of 3",
        "0 of 3",
        "we<ak",
        "<pawns> & kings",
        "engine failed: <died>",
        "a.epd:9",
        "12 ms, 3,456 nodes, depth 7",
    )
    assert all(words in page.text for words in shown)


def test_a_suite_page_without_failures_or_results(suite_result, tmp_path):
    suite_result.engines = suite_result.engines[:1]
    suite_result.save(tmp_path / "all.json")
    assert "Failed positions" not in report_page(tmp_path / "all.json")
    suite_result.engines[0].outcomes[:] = [None, None, None]
    suite_result.save(tmp_path / "none.json")
    assert "not finished" in assert_self_contained(report_page(tmp_path / "none.json")).text


def random_moves(source: random.Random) -> list[str]:
    """A random game of 60 to 120 plies that is not over."""
    board = chess.Board()
    for _ in range(source.randint(60, 120)):
        board.push(
            source.choice([move for move in board.legal_moves if not board.gives_check(move)])
        )
    return [move.uci() for move in board.move_stack]


def write_match(folder, games: int, engines=("Alpha", "Be<ta"), sprt=None, **settings) -> None:
    """A made-up match: pairs with colours reversed, plausible evaluations and times."""
    folder.mkdir()
    specs = tuple(EngineSpec(name, (name,)) for name in engines)
    values = asdict(Settings(specs, "10+0.1", games // 2)) | {"sprt": sprt} | settings
    (folder / "run.json").write_text(
        json.dumps({"kind": "match", "created": "2026-01-02T03:04:05+00:00"} | values)
    )
    source = random.Random(1)
    lines = [random_moves(source) for _ in range(min(games, 4))]
    with (folder / "journal.jsonl").open("w") as journal:
        for index in range(games):
            first, second = source.sample(engines, 2) if len(engines) > 2 else engines
            white, black = (first, second) if index % 2 == 0 else (second, first)
            aim = source.gauss(0.3 if white == engines[0] else -0.3, 2)
            moves = [
                [
                    move,
                    round(aim * ply * (1 - ply % 2 * 2)),
                    None,
                    source.randint(8, 16),
                    90000,
                    source.randint(5, 400),
                    9000,
                ]
                for ply, move in enumerate(lines[index // 2 % len(lines)])
            ]
            moves[-1][1:3] = [None, 1]
            result = "1-0" if aim > 1 else "0-1" if aim < -1 else "1/2-1/2"
            reason = "checkmate" if result != "1/2-1/2" else "threefold repetition"
            opening = {
                "fen": chess.STARTING_FEN,
                "name": "book.epd line",
                "root": chess.STARTING_FEN,
                "moves": [],
            }
            moves = [PlayedMove.from_json(move) for move in moves]
            game = GameRecord(
                index,
                index // 2,
                1,
                white,
                black,
                opening=opening,
                result=result,
                reason=reason,
                moves=moves,
            )
            journal.write(json.dumps(game.to_json()) + "\n")


def test_a_match_page_has_charts_tables_and_curves(tmp_path):
    write_match(tmp_path / "run", 40)
    text = report_page(tmp_path / "run")
    page = assert_self_contained(text)
    headings = {
        "Strength over games",
        "Crosstable",
        "How games ended",
        "Use of time",
        "Evaluations",
        "Games",
    }
    assert headings | {"Alpha", "margin"} <= set(page.texts)
    assert page.classes.count("curve") == 40 and "Be<ta" in page.text
    match = read_match(tmp_path / "run")
    wins, draws, losses = match.score("Alpha")
    assert f"+{wins} ={draws} −{losses}" in page.texts and wins + draws + losses == 40
    _, times, evaluations = charts(text)
    assert [line["label"] for line in times["series"]] == ["Alpha", "Be<ta"]
    for chart, value in (
        (times, lambda move: move.milliseconds),
        (evaluations, lambda move: move.pawns(10)),
    ):
        kinds = {"games lost": 0, "games drawn": 1, "games won": 2}
        for line in chart["series"]:
            name, points = (
                (line["label"], None) if chart is times else ("Alpha", kinds[line["label"]])
            )
            at = len(chart["x"]) // 2
            values = [
                value(move)
                for game in match.games
                for number, player, move, _ in game.moves()
                if player == name
                and number == chart["x"][at]
                and points in (None, game.record.points(name))
            ]
            assert line["y"][at] == pytest.approx(statistics.median(values), abs=0.001)
            assert line["low"][at] <= line["y"][at] <= line["high"][at]


def test_games_can_be_replayed(tmp_path):
    write_match(tmp_path / "run", 2)
    games = replays(report_page(tmp_path / "run"))
    records = [game.record for game in read_match(tmp_path / "run").games]
    for game, record in zip(games, records, strict=True):
        nodes = list((tree := chess.pgn.read_game(io.StringIO(game["pgn"]))).mainline())
        assert [node.move for node in nodes] == [move.move for move in record.moves]
        assert tree.headers["White"] == record.white and not tree.errors
        assert all(node.clock() == 9 for node in nodes)
        assert nodes[-1].eval().pov(not nodes[-1].turn()).mate() == 1
        for node, move in zip(nodes[:-1], record.moves, strict=False):
            assert (
                node.eval().pov(not node.turn()).score() == move.score
                and node.eval_depth() == move.depth
            )
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
    second = CUTECHESS.replace('White "A"', 'White "B"').replace('Black "B"', 'Black "A"')
    damaged = '[White "A"]\n\n1. e4 e5 2. Ke3 *\n'
    (tmp_path / "games.pgn").write_text(
        CUTECHESS.format("1-0", "1-0") + second.format("1-0", "1-0") + damaged
    )
    page = assert_self_contained(text := report_page(tmp_path / "games.pgn"))
    assert (
        {"A – B", "checkmate"} <= set(page.texts)
        and "0 0 1 0 0" in page.text
        and "game 3 is left out: illegal move Ke3 at move 2" in page.text
    )
    game = replays(text)[0]
    assert game["nodes"][:3] == [{}, {}, {}]
    assert min(entry["chance"] for entry in game["nodes"][-3:]) > 0.99
    assert game["nodes"][3]["note"] == "+0.31 · depth 12 · 500 ms"
    assert game["nodes"][-1]["score"] == "#"
    assert game["opening"] == "C20 Open Game"
    assert "{ White mates [%eval #1,3] }" in game["pgn"] and "+0.31/12" not in game["pgn"]


ANALYSED = """[White "Alice"]
[Black "Bob"]
[Result "0-1"]
[Site "https://lichess.org/abcdefgh"]
[Annotator "Judge 1, 100 ms a position"]
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
    assert nodes[3]["own"] == "Alice: +0.25 · depth 7 · 500 ms · 900 nodes"
    assert nodes[5]["note"] == "Blunder: +0.20 → -9.00; best was Bc4"
    assert (nodes[5]["mark"], nodes[5]["best"]) == ("blunder", "f1c4")
    assert nodes[7]["note"] == "+0.20 · depth 9"
    assert not any("mark" in node for node in nodes if node is not nodes[5])
    assert game["link"] == "https://lichess.org/abcdefgh"
    white, black = game["sides"]
    assert white == {"name": "Alice", "accuracy": "50.0 %", "loss": "average loss 300 centipawns"}
    assert black == {"name": "Bob", "accuracy": "99.0 %"}


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
    assert "not stated" not in shown and "unknown" not in shown


def test_who_evaluated_the_games_is_named(analysed):
    analysed.write_text(3 * ANALYSED)
    text = report_page(analysed)
    assert "Evaluations by Judge 1, 100 ms a position of the games of Alice, from its view" in text
    assert "of its own games" not in text
    assert "How games ended" not in text  # as nobody stated it


def test_a_pgn_file_without_games_is_named(tmp_path):
    (tmp_path / "none.pgn").write_text("nothing of the kind\n")
    with pytest.raises(ValueError, match="no game in this file"):
        read_pgn(tmp_path / "none.pgn")


def test_a_ladder_page_shows_its_rating_list(tmp_path):
    write_match(
        tmp_path / "run", 40, [f"engine {number}" for number in range(12)], tournament="gauntlet"
    )
    rows = [
        [f"engine {number}", 2000 + 10 * number, 40 + number, 2000 if number else None]
        for number in range(12)
    ]
    (tmp_path / "run" / "ratings.json").write_text(json.dumps(rows))
    text = report_page(tmp_path / "run")
    page = assert_self_contained(text)
    assert "Tournament" in page.texts and "Strength over games" not in page.texts
    assert len(text.encode()) < 1_000_000  # pages stay small
    shown = page.texts[page.texts.index("Rating list") :]
    assert [shown.index(f"engine {number}") for number in range(11, -1, -1)] == sorted(
        map(shown.index, {r[0] for r in rows})
    )
    assert "2110" in shown and "± 51.0" in shown and "engine 0 against" in page.texts


def test_strength_follows_the_statistics(tmp_path):
    write_match(
        tmp_path / "run",
        60,
        sprt={"elo0": 0, "elo1": 10, "alpha": 0.05, "beta": 0.1, "model": "logistic"},
    )
    match = read_match(tmp_path / "run")
    halves = [0] * 30
    for record in (game.record for game in match.games):
        halves[record.pair] += {"1/2-1/2": 1, "1-0" if record.white == "Alpha" else "0-1": 2}.get(
            record.result, 0
        )
    counts = [halves.count(half) for half in range(5)]
    guess, test = estimate(counts), Sprt(0, 10, 0.05, 0.1, "logistic")
    text = report_page(tmp_path / "run")
    page = assert_self_contained(text)
    assert f"{guess.elo:+.1f}".replace("-", "−") + f" ± {guess.elo_margin:.1f}" in re.sub(
        r"\s+", " ", page.text
    )
    assert " ".join(map(str, counts)) in page.text and f"{test.llr(counts):+.2f}" in page.text
    strength, ratio = charts(text)[:2]
    assert strength["x"] == ratio["x"] == list(range(2, 61, 2)) and ratio["levels"] == list(
        test.limits
    )
    last = [strength["series"][0][name][-1] for name in ("y", "low")]
    assert last == pytest.approx([guess.elo, guess.elo - guess.elo_margin], abs=0.01)
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
    bound = f"{sweep_bound(8):+.1f}"
    assert f"> {bound}" in page.text and "as every game was won" in page.text
    strength = charts(text)[0]
    assert strength["series"][0]["label"] == "Elo of Alpha, at least"
    assert strength["series"][0]["y"][-1] == pytest.approx(sweep_bound(8), abs=0.01)
    assert "+8 =0 −0" in page.texts and not {"nan", "+nan", "inf", "+inf", "-inf"} & set(
        page.text.split()
    )


@pytest.mark.parametrize("games", [0, 1, 3])
def test_a_match_has_hardly_begun_and_a_line_of_its_journal_is_torn(tmp_path, games):
    write_match(tmp_path / "run", games)
    with (tmp_path / "run" / "journal.jsonl").open("a") as journal:
        journal.write('{"index": 6, "pa')
    page = assert_self_contained(report_page(tmp_path / "run"))
    assert f"journal.jsonl:{games + 1}" in page.text and page.classes.count("curve") == (
        games if games > 1 else 0  # a single game is on the page without a list
    )


def run_command(*arguments: str):
    (application := typer.Typer()).command()(report)
    return CliRunner().invoke(application, list(arguments))


def test_the_command_writes_the_page_beside_the_run(suite_result, tmp_path):
    suite_result.save(tmp_path / "suite.json")
    assert run_command(str(tmp_path / "suite.json")).exit_code == 0
    assert (tmp_path / "suite.html").read_text().startswith("<!DOCTYPE html>")
    write_match(tmp_path / "run", 4)
    assert run_command(str(tmp_path / "run"), "--output", str(tmp_path / "own.html")).exit_code == 0
    assert (tmp_path / "own.html").exists()


KINDS = [
    "missing",
    "empty folder",
    "no match",
    "other json",
    "broken json",
    "bad sprt",
    "bad versions",
    "bad ratings",
]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_run_is_named(tmp_path, kind):
    path = tmp_path / "thing"
    if kind.startswith("bad"):
        sprt, versions = (
            {"elo0": 5, "elo1": 0} if "sprt" in kind else None,
            ["1"] if "versions" in kind else {},
        )
        write_match(path, 2, sprt=sprt, versions=versions)
        (path / "ratings.json").write_text('[["a", "b"]]' if "ratings" in kind else "[]")
    elif kind in ("empty folder", "no match"):
        path.mkdir()
    if kind == "no match":
        (path / "run.json").write_text("{}")
    if kind.endswith("json"):
        path.write_text({"other json": "{}", "broken json": "{"}[kind])
    run = run_command(str(path))
    assert run.exit_code == 2 and "Traceback" not in run.output
    assert "thing" in re.sub(r"[\s│]", "", run.output)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
@pytest.mark.parametrize(("width", "dark"), [(1000, False), (390, True)])
def test_a_browser_shows_charts_and_boards(suite_result, tmp_path, width, dark):
    suite_result.save(tmp_path / "suite.json")
    write_match(tmp_path / "run", 40)
    coloured = """[...document.querySelectorAll("canvas")].map(canvas => {
        const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        const isBlue = at => pixels[4 * at + 2] - pixels[4 * at] > 60;
        return [...Array(pixels.length / 4).keys()].filter(isBlue).length; })"""
    with Browser(width, 900, dark=dark) as browser:
        for run, expected in ((tmp_path / "suite.json", 1), (tmp_path / "run", 3)):
            page = tmp_path / f"{run.stem}.html"
            page.write_text(report_page(run), encoding="utf-8")
            browser.open(page)
            browser.wait(f"document.querySelectorAll('canvas').length == {expected}")
            assert all(
                browser.evaluate(coloured)[: expected if run.suffix else 2]
            )  # the blue of the first series
            assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
        browser.open(tmp_path / "suite.html")
        assert (
            min(
                browser.evaluate(
                    "[...document.querySelectorAll('.boards svg')].map(s => s.clientWidth)"
                )
            )
            > 200
        )


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
        assert visible and all("checkmate" in text for text in visible)
        assert browser.evaluate(found) == f"{len(visible)} of 40 games"
        assert browser.complaints == []

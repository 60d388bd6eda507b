"""Report pages: well formed and self-contained, with what they promise, small, and visible in a real browser."""

import json
import random
import re
import shutil
import subprocess
from dataclasses import asdict
from html.parser import HTMLParser

import pytest
import typer
from typer.testing import CliRunner

pytest.importorskip("matplotlib", reason="reports need matplotlib")

from zobra.arena.engines import EngineSpec
from zobra.arena.epd import BadLine, read_position
from zobra.arena.game_record import GameRecord
from zobra.arena.report_command import report, report_page
from zobra.arena.report_games import read_match
from zobra.arena.report_strength import strength_over_time
from zobra.arena.settings import Settings
from zobra.arena.statistics import Sprt, estimate
from zobra.arena.suite_results import EngineResult, Outcome, SuiteResult
from zobra.arena.suite_verdict import Effort

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# what HTML lets stand without an end tag, among what the pages use
VOID = {"meta", "br"}


class Page(HTMLParser):
    """Reads a page strictly: every tag closed in its order, ids unique; collects texts, ids and references."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.classes: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []
        assert len(self.ids) == len(set(self.ids))

    def handle_starttag(self, tag, attrs):
        self.note(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.note(tag, attrs)

    def note(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            elif name in ("href", "src"):
                self.references.append(value)
            elif name == "class":
                self.classes.extend(value.split())

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.texts)


def assert_self_contained(text: str) -> Page:
    page = Page(text)
    assert all(reference.startswith("#") for reference in page.references)
    assert {reference[1:] for reference in page.references} <= set(page.ids)
    assert {name[5:-1] for name in re.findall(r"url\(#[^)]*\)", text)} <= set(page.ids)
    assert not re.search(r"https?:|@import|url\((?!#)", text)
    assert not {"script", "img", "link", "iframe"} & set(page.tags)
    return page


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
    result = SuiteResult(["sets/a.epd"], {"time_ms": 100, "nodes": None, "depth": None}, 1, positions)
    result.bad_lines.append(BadLine("a.epd", 9, "<b>broken", "not <EPD>"))
    result.engines += [EngineResult("good", ["good"], {}, good), EngineResult("we<ak", ["weak"], {}, weak)]
    return result


def test_a_suite_page_shows_failed_positions_as_boards(suite_result, tmp_path):
    suite_result.save(tmp_path / "suite.json")
    text = report_page(tmp_path / "suite.json")
    page = assert_self_contained(text)
    failed = text[text.index("Failed positions") : text.index("All positions")]
    pictures = re.findall(r'<svg viewBox[^>]*aria-label="position [^"]*">.*?</svg>', failed, re.DOTALL)
    assert len(pictures) == 3
    arrows = [(picture.count("#15781b"), picture.count("#c0281e")) for picture in pictures]
    # a shaft and a head each; the queen's move is right but unproven; no move was played in the last position
    assert arrows == [(2, 2), (2, 0), (2, 0)]
    assert "3 of 3" in page.text and "0 of 3" in page.text
    assert "we<ak" in page.text and "<pawns> & kings" in page.text and "engine failed: <died>" in page.text
    assert "a.epd:9" in page.text
    assert "12 ms, 3,456 nodes, depth 7" in page.text


def test_a_suite_page_without_failures_or_results(suite_result, tmp_path):
    suite_result.engines = suite_result.engines[:1]
    suite_result.save(tmp_path / "all.json")
    assert "Failed positions" not in report_page(tmp_path / "all.json")
    suite_result.engines[0].outcomes[:] = [None, None, None]
    suite_result.save(tmp_path / "none.json")
    page = assert_self_contained(report_page(tmp_path / "none.json"))
    assert "not finished" in page.text


def write_match(folder, games: int, engines=("Alpha", "Be<ta"), sprt=None) -> None:
    """A made-up match: pairs with colours reversed, plausible evaluations and times."""
    folder.mkdir()
    specs = tuple(EngineSpec(name, (name,)) for name in engines)
    settings = asdict(Settings(specs, "10+0.1", games // 2)) | {"sprt": sprt}
    run = {"kind": "match", "created": "2026-01-02T03:04:05+00:00"} | settings
    (folder / "run.json").write_text(json.dumps(run))
    source = random.Random(1)
    with (folder / "journal.jsonl").open("w") as journal:
        for index in range(games):
            first, second = source.sample(engines, 2) if len(engines) > 2 else engines
            white, black = (first, second) if index % 2 == 0 else (second, first)
            aim = source.gauss(0.3 if white == engines[0] else -0.3, 2)
            plies = source.randint(60, 200)
            moves = [
                ["e2e4", round(aim * ply * (1 - ply % 2 * 2)), None, source.randint(8, 16), 90000, source.randint(5, 400)]
                for ply in range(plies)
            ]
            moves[-1][1:3] = [None, 1]
            result = "1-0" if aim > 1 else "0-1" if aim < -1 else "1/2-1/2"
            reason = "checkmate" if result != "1/2-1/2" else "threefold repetition"
            opening = {"fen": f"{START} w KQkq - 0 1", "name": "book.epd line", "root": START, "moves": []}
            names = {"white": white, "black": black}
            game = GameRecord(index, index // 2, 1, **names, opening=opening, result=result, reason=reason, moves=moves)
            journal.write(json.dumps(asdict(game)) + "\n")


def test_a_match_page_has_plots_tables_and_curves(tmp_path):
    write_match(tmp_path / "run", 40)
    page = assert_self_contained(report_page(tmp_path / "run"))
    for heading in ("Strength over games", "Crosstable", "How games ended", "Use of time", "Evaluations", "Games"):
        assert heading in page.texts
    assert page.classes.count("curve") == 40
    assert "Be<ta" in page.text
    match = read_match(tmp_path / "run")
    wins, draws, losses = match.score("Alpha")
    assert f"+{wins} ={draws} −{losses}" in page.texts
    assert wins + draws + losses == 40


def test_strength_is_told_as_the_statistics_have_it(tmp_path):
    write_match(tmp_path / "run", 60, sprt={"elo0": 0, "elo1": 10, "alpha": 0.05, "beta": 0.1, "model": "logistic"})
    match = read_match(tmp_path / "run")
    halves = [0] * 30
    for record in (game.record for game in match.games):
        halves[record.pair] += {"1/2-1/2": 1, "1-0" if record.white == "Alpha" else "0-1": 2}.get(record.result, 0)
    counts = [halves.count(half) for half in range(5)]
    guess, test = estimate(counts), Sprt(0, 10, 0.05, 0.1, "logistic")
    page = assert_self_contained(report_page(tmp_path / "run"))
    assert f"{guess.elo:+.1f} ± {guess.elo_margin:.1f}" in re.sub(r"\s+", " ", page.text)
    assert " ".join(map(str, counts)) in page.text
    assert f"{test.llr(counts):+.2f}" in page.text
    assert "LLR" in page.texts
    assert [strength.games for strength in strength_over_time(match)] == list(range(2, 61, 2))


def test_a_clean_sweep_has_no_finite_elo_and_still_a_page(tmp_path):
    write_match(tmp_path / "run", 8)
    journal = tmp_path / "run" / "journal.jsonl"
    games = [json.loads(line) for line in journal.read_text().splitlines()]
    for game in games:
        game["result"] = "1-0" if game["white"] == "Alpha" else "0-1"
    journal.write_text("".join(json.dumps(game) + "\n" for game in games))
    page = assert_self_contained(report_page(tmp_path / "run"))
    assert "+8 =0 −0" in page.texts
    assert not {"nan", "+nan", "inf", "+inf", "-inf"} & set(page.text.split())


def test_a_thousand_games_stay_under_two_megabytes(tmp_path):
    write_match(tmp_path / "run", 1000)
    assert len(report_page(tmp_path / "run").encode()) < 2_000_000


def test_a_tournament_has_a_crosstable_of_all(tmp_path):
    write_match(tmp_path / "run", 30, ("A", "B", "C"))
    page = assert_self_contained(report_page(tmp_path / "run"))
    assert "Tournament" in page.texts
    assert "Strength over games" not in page.texts


@pytest.mark.parametrize("games", [0, 1, 3])
def test_a_match_that_has_hardly_begun(tmp_path, games):
    write_match(tmp_path / "run", games)
    assert_self_contained(report_page(tmp_path / "run"))


def test_a_torn_line_of_the_journal_is_told(tmp_path):
    write_match(tmp_path / "run", 6)
    with (tmp_path / "run" / "journal.jsonl").open("a") as journal:
        journal.write('{"index": 6, "pa')
    page = Page(report_page(tmp_path / "run"))
    assert "journal.jsonl:7" in page.text
    assert page.classes.count("curve") == 6


def run_command(*arguments: str):
    application = typer.Typer()
    application.command()(report)
    return CliRunner().invoke(application, list(arguments))


def test_the_command_writes_the_page_beside_the_run(suite_result, tmp_path):
    suite_result.save(tmp_path / "suite.json")
    assert run_command(str(tmp_path / "suite.json")).exit_code == 0
    assert (tmp_path / "suite.html").read_text().startswith("<!DOCTYPE html>")
    write_match(tmp_path / "run", 4)
    assert run_command(str(tmp_path / "run"), "-o", str(tmp_path / "own.html")).exit_code == 0
    assert (tmp_path / "own.html").exists()


@pytest.mark.parametrize("kind", ["missing", "empty folder", "other json", "broken json", "no match", "bad sprt"])
def test_what_is_no_run_is_named(tmp_path, kind):
    path = tmp_path / "thing"
    if kind == "bad sprt":
        write_match(path, 2, sprt={"elo0": 5, "elo1": 0})
    if kind in ("empty folder", "no match"):
        path.mkdir()
    if kind == "no match":
        (path / "run.json").write_text("{}")
    if kind.endswith("json"):
        path.write_text({"other json": "{}", "broken json": "{"}[kind])
    run = run_command(str(path))
    assert run.exit_code == 2
    assert "thing" in re.sub(r"[\s│]", "", run.output)
    assert "Traceback" not in run.output


def screenshot(page, picture) -> None:
    profile = picture.parent / "profile"
    arguments = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
        "--disable-component-update", "--no-first-run", f"--user-data-dir={profile}", f"--screenshot={picture}",
        "--window-size=1000,2000", page.as_uri(),
    ]  # fmt: skip
    subprocess.run(arguments, check=True, capture_output=True, timeout=120)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_a_browser_shows_plots_and_boards(suite_result, tmp_path):
    import matplotlib.image

    suite_result.save(tmp_path / "suite.json")
    write_match(tmp_path / "run", 40)
    for run in (tmp_path / "suite.json", tmp_path / "run"):
        page, picture = tmp_path / f"{run.stem}.html", tmp_path / f"{run.stem}.png"
        page.write_text(report_page(run), encoding="utf-8")
        screenshot(page, picture)
        pixels = (matplotlib.image.imread(picture)[:, :, :3] * 255).round().astype(int)
        shown = {tuple(colour) for colour in pixels.reshape(-1, 3)[::7]}
        # colours of the style sheet: paper and first series, and the board's squares for the suite
        assert {(0xFB, 0xFA, 0xF7), (0x1F, 0x5F, 0xA8)} <= shown
        assert ({(0xF0, 0xE3, 0xCA), (0xB7, 0x9A, 0x74)} <= shown) == (run.suffix == ".json")

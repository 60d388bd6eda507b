"""The command line of matches: what it shows, and what it says to mistakes."""

import io
import json
import os
import re
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import chess
import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from tests.support.arena_runs import ENGINE, finished, flat, run
from zobra.arena.commands.live_panel import LivePanel
from zobra.arena.commands.match_display import MatchDisplay, figures, standings
from zobra.arena.commands.messages import plain_console
from zobra.arena.commands.options import GameOptions
from zobra.arena.commands.runs import end_run
from zobra.arena.model.engines import EngineSpec
from zobra.arena.model.journal import Journal, RunConditions
from zobra.arena.model.openings import Opening
from zobra.arena.model.results import Results
from zobra.arena.model.settings import Pairing, Settings
from zobra.arena.model.statistics import Sprt, sweep_bound
from zobra.arena.model.summary import check_replaceable, summary
from zobra.arena.pages.reported_games import read_match
from zobra.arena.runner import player
from zobra.cli.command_line import app

PAIR = [f"A={ENGINE}", f"B={ENGINE} --illegal 2"]
SHORT = [*PAIR, "--tc", "30", "-n", "4", "-o", "B:Hash=2", "--sprt", "0,5"]
SETTINGS = Settings(
    (EngineSpec("A", ("a",)), EngineSpec("B", ("b",))), "10+0.1", 2, sprt=Sprt(0, 10)
)


def test_signs_that_the_output_lacks_end_nothing(monkeypatch):
    output = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", output)
    plain_console().print("✓ Müller – ▁")
    output.flush()
    assert output.buffer.getvalue().decode("latin-1") == "? Müller ? ?\n"


def test_a_match_and_its_figures(tmp_path):
    folder = tmp_path / "m"
    result = tmp_path / "result.json"
    more = ["--folder", folder, "--seed", "1", "-c", "2", "--json", result]
    text = run("match", *SHORT, *more, code=4)  # four games do not decide the test
    for colour in ("Black", "White"):
        assert text.count(f"{colour} makes an illegal move (e1e8)") == 2
    assert "Games: 4, Wins: 4, Losses: 0, Draws: 0, Points: 4.0 (100.00%)" in text
    assert "Ptnml(0-2): [0, 0, 0, 0, 2]" in text
    assert "LLR: " in text
    assert "warning: openings: 8 random plies, often unbalanced; an SPRT needs fewer" in text
    assert "A vs B (30, 1t, 16 - 2MB):" in text
    assert "warning: the engines differ in Hash: A 16 MB, B 2 MB" in text
    resources = "; 1 thread, 2 MB hash; options Hash=2"
    assert read_match(folder).conditions["B"].endswith(resources)
    assert "B lost 4 games by illegal move" in text
    assert Journal.settings_in(folder).engines[1].options == {"Hash": "2"}

    check_replaceable(result)
    with pytest.raises(ValueError, match="does not hold the result of a match"):
        check_replaceable(folder / "run.json")
    found = json.loads(result.read_text())
    assert (found["games"], found["total"], found["sprt"]["verdict"]) == (4, 4, None)
    winner, loser = found["engines"]
    assert winner["pairs"] == [0, 0, 0, 0, 2]
    assert loser["pairs"] == [2, 0, 0, 0, 0]
    assert winner["elo"] is None  # a clean sweep is infinite
    assert winner["nelo"] is winner["nelo_margin"] is None
    assert winner["elo_bound"] is None  # that of four games says nothing
    assert (winner["version"], winner["threads"], winner["hash"]) == ("Scripted", 1, 16)
    assert (loser["options"], loser["hash"], loser["time_control"]) == ({"Hash": "2"}, 2, "30")
    assert loser["command"][-2:] == ["--illegal", "2"]
    openings = {"book": None, "digest": None, "order": "random", "plies": 8, "seed": 1}
    assert found["openings"] == openings
    assert found["folder"] == str(folder)
    assert found["created"] == json.loads((folder / "run.json").read_text())["created"]
    assert found["concurrency"] == 2
    assert loser["faults"] == {"illegal move": 4}


def test_the_book_and_equal_resources_are_shown_once(tmp_path):
    book = tmp_path / "book.epd"
    book.write_text(chess.STARTING_FEN)
    arguments = ["--tc", "30", "-n", "2", "--move-limit", "1", "--openings", book]
    text = run("match", *PAIR, *arguments, "-o", "Threads=2", "--folder", tmp_path / "m")
    assert "A vs B (30, 2t, 16MB, book.epd):" in text
    assert "random plies" not in text
    assert "differ in Hash" not in text


def test_a_finished_match_is_not_played_again(tmp_path):
    folder = ["--folder", tmp_path / "m"]
    run("match", *SHORT, *folder, code=4)
    text = run("match", *folder, "--no-pin", code=4)
    assert f"{tmp_path / 'm'} is finished: all games are played" in text
    assert "game 1" not in text
    # The seed is drawn once: the same command without it means the same match
    assert "is finished" in run("match", *SHORT, *folder, code=4)
    text = run("match", *folder, "-n", "8", "--tc", "60", "--openings", "x", code=2)
    assert "--tc, --openings: a resumed run has these settings" in flat(text)
    text = run("match", *SHORT, "--tc", "31", "--plies", "4", *folder, code=2)
    assert "another match: --tc, --plies differ" in flat(text)


def test_a_long_list_of_options_is_cut_between_names(tmp_path):
    lines = ""
    for number in range(60):
        lines += f" --option-line 'option name Number{number:02} type check default true'"
    engines = [f"A={ENGINE}{lines}", f"B={ENGINE}"]
    text = run("match", *engines, "-o", "Foo=1", "--folder", tmp_path / "m", code=2)
    found = re.search(r"option Foo \(available options: (.*), … \((\d+) more\)\)", flat(text))
    first, *names = found[1].split(", ")
    assert first == "UCI_Chess960"
    assert names == [f"Number{number:02}" for number in range(len(names))]
    assert len(names) + int(found[2]) == 63  # with Hash, Threads and Caution


def test_a_folder_without_a_run_is_not_resumed(tmp_path):
    text = run("match", "--folder", tmp_path / "none", code=2)
    assert "none: there is no run to resume; to start one, give an opponent of Zobra" in flat(text)


def test_an_option_of_an_engine_that_is_not_there_is_named(tmp_path):
    arguments = [*PAIR, "-o", "weak:Foo=1", "-n", "2", "--folder", tmp_path / "m"]
    assert "there is no engine weak to set Foo of" in flat(run("match", *arguments, code=2))


def test_a_match_is_extended_by_a_larger_number_of_games(tmp_path):
    folder = tmp_path / "m"
    arguments = [*PAIR, "--tc", "30", "--move-limit", "1", "--folder", folder]
    run("match", *arguments, "-n", "4", "-c", "2")
    before = (folder / "journal.jsonl").read_text()
    text = run("match", *arguments, "-n", "8")
    assert "resuming after 4 of 8 games" in text
    assert "8 of 8 games" in text
    assert "resuming after 8 of 10 games" in run("match", "--folder", folder, "-n", "10")
    journal = (folder / "journal.jsonl").read_text()
    assert journal.startswith(before)
    games = [json.loads(line) for line in journal.splitlines()]
    assert sorted(game["index"] for game in games) == list(range(10))
    assert len({tuple(game["opening"]["moves"]) for game in games}) == 5
    text = flat(run("match", *arguments, "-n", "6", code=2))
    assert "has 10 games per pair of engines: a match can be extended, but not shortened" in text
    assert json.loads((folder / "run.json").read_text())["concurrency"] == 2


def test_a_match_is_not_resumed_with_another_version(tmp_path):
    script = tmp_path / "engine"
    folder = tmp_path / "m"
    arguments = [f"A={script}", PAIR[1], "--tc", "30", "--move-limit", "1", "--folder", folder]

    def install(version: str) -> None:
        script.write_text(f'#!/bin/sh\nexec {ENGINE} --name "{version}"\n')
        script.chmod(0o755)

    install("V 1")
    run("match", *arguments, "-n", "2")
    before = (folder / "run.json").read_bytes()
    install("V 2")
    text = flat(run("match", *arguments, "-n", "4", code=2))
    assert 'another version: A was "V 1" and is "V 2" now. Begin a new run' in text
    assert "with --force" in text
    assert (folder / "run.json").read_bytes() == before
    run("match", *arguments, "-n", "4", "--force")
    assert "6 of 6 games" in run("match", *arguments, "-n", "6")
    versions = json.loads((folder / "run.json").read_text())["versions"]
    assert versions == {"A": "V 1 and V 2", "B": "Scripted"}


@pytest.mark.parametrize(("better", "verdict", "status"), [("A", "H1", 0), ("B", "H0", 3)])
def test_the_exit_status_is_the_verdict(tmp_path, better, verdict, status):
    engines = PAIR if better == "A" else [f"A={ENGINE} --illegal 2", f"B={ENGINE}"]
    folder = tmp_path / "m"
    arguments = ["--tc", "30", "-n", "400", "--sprt", "0,200", "--model", "logistic"]
    text = run("match", *engines, *arguments, "--folder", folder, code=status)
    assert f"SPRT: {verdict} accepted" in text
    text = run("match", "--folder", folder, code=status)
    assert f"{folder} is finished: {verdict} accepted" in text


@pytest.mark.parametrize("fault", ["--crash 2", "--crash 0"])
def test_an_engine_that_keeps_crashing_decides_nothing(tmp_path, fault):
    arguments = [PAIR[0], f"B={ENGINE} {fault}", "--tc", "30", "--folder", tmp_path / "m"]
    test = ["--sprt", "0,400", "--model", "logistic", "-n", "200"]
    text = run("match", *arguments, *test, code=5)
    assert "B crashed in 3 of 3 games" in text
    assert "the run was stopped" in text
    assert "accepted" not in text
    assert "3 of 200 games" in text
    # Resumed, it is given one more chance
    assert "B crashed in 4 of 4 games" in run("match", "--folder", tmp_path / "m", code=5)


def test_a_short_match_of_crashes_is_no_success(tmp_path):
    arguments = [PAIR[0], f"B={ENGINE} --crash 2", "--tc", "30", "-n", "2"]
    text = run("match", *arguments, "--folder", tmp_path / "m", code=5)
    assert "B crashed in 2 of 2 games" in text
    assert "stopped" not in text


def test_zobra_is_the_opponent_of_an_engine_alone(tmp_path, monkeypatch):
    zobra = tmp_path / "zobra"
    zobra.write_text(f'#!/bin/sh\nexec {ENGINE} "$@"\n')
    zobra.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    folder = tmp_path / "m"
    run("match", f"B={ENGINE}", "--tc", "30", "-n", "2", "--move-limit", "1", "--folder", folder)
    assert [engine.name for engine in Journal.settings_in(folder).engines] == ["zobra", "B"]


def test_games_name_their_event_site_and_book(tmp_path):
    book = tmp_path / "book.epd"
    book.write_text(chess.STARTING_FEN)
    folder = tmp_path / "m"
    arguments = ["--tc", "30", "-n", "2", "--move-limit", "1", "--openings", book]
    run("match", *PAIR, *arguments, "--event", "Test 7", "--site", "Bonn", "--folder", folder)
    text = (folder / "games.pgn").read_text()
    for header in ('Event "Test 7"', 'Site "Bonn"', 'Book "book.epd"'):
        assert text.count(f"[{header}]") == 2


def test_common_options_come_first_in_the_help_of_a_match():
    intro, text = run("match", "--help").split(" Options ")
    names = ["--tc", "--games", "--openings", "--concurrency", "--option", "--folder", "--sprt"]
    at = [text.index(f" {name} ") for name in [*names, "--plies"]]
    assert at == sorted(at)
    assert "Example: zobra match" in intro
    assert "COMMAND-DATE-TIME" in text
    assert not re.search("<(str|int|float|bool|path|list)", intro + text, re.IGNORECASE)


@pytest.mark.parametrize(
    ("tc", "concurrency", "load", "warning"),
    [
        ("30", 1, 900, "warning: the machine is busy: load 900.0 on "),
        ("30", 900, 900, "warning: these games need 900 processors (--concurrency times threads)"),
        ("movetime=99", 900, 0, "warning: these games need 900 processors"),
        ("nodes=5", 900, 900, None),
    ],
)
def test_a_lack_of_processors_is_named(tmp_path, monkeypatch, tc, concurrency, load, warning):
    monkeypatch.setattr("os.getloadavg", lambda: (load, 0, 0), raising=False)
    arguments = ["--tc", tc, "-n", "2", "--move-limit", "1", "-c", concurrency]
    text = run("match", *PAIR, *arguments, "--folder", tmp_path / "m")
    if warning is None:
        assert "games need" not in text
    else:
        assert warning in text


@pytest.mark.parametrize(
    "arguments, problem",
    [
        (["match"], "give an opponent of Zobra, or two or more engines"),
        (["match", "no-such-program", "other"], "no program no-such-program"),
        (["match", *PAIR, "--tc", "soon"], "time control 'soon'"),
        (["match", *PAIR, "-n", "5"], "must be even"),
        (["match", *PAIR, "--sprt", "5,0"], "elo0 (5) must be less than elo1 (0)"),
        (["match", *PAIR, "--sprt", "a,b"], "must be ELO0,ELO1"),
        (["match", *PAIR, PAIR[0], "--sprt", "0,5"], "exactly two engines"),
        (["match", *PAIR, "--draw", "40,8"], "--draw 40,8: must be FROM,MOVES,CP"),
        (["match", *PAIR, "--resign", "3,x"], "--resign 3,x"),
        (["match", *PAIR, "--resign", "0,500"], "at least one move"),
        (["match", *PAIR, "--draw", "40,0,10"], "at least one move"),
        (["match", *PAIR, "--order", "upside-down"], "upside-down"),
        (["match", *PAIR, "--tournament", "knockout"], "knockout"),
        (["match", *PAIR, "-o", "Hash"], "NAME=VALUE"),
        (["match", *PAIR, "-o", "Nonsense=1"], "does not support option Nonsense"),
        (["match", *PAIR, "--openings", "nowhere.epd"], "nowhere.epd"),
        (["match", *PAIR, "--syzygy", "nowhere"], "no Syzygy tablebases"),
        (
            ["match", *PAIR, "--model", "bayesian", "--sprt", "0,5"],
            "--model bayesian: must be normalized or logistic",
        ),
        (["match", *PAIR, "--model", "logistic"], "--model logistic: needs --sprt"),
        (["match", *PAIR, "--log", "nowhere/log"], "nowhere: no such folder"),
        (["match", "nowhere.toml", PAIR[0]], "nowhere.toml"),
        (["match", *PAIR, "--openings", __file__], "test_match_command.py:"),
        (["tune", ENGINE], "nothing to tune"),
        (["tune", ENGINE, "-p", "Speed"], "no spin option Speed (it has: Hash, Threads)"),
        (
            ["tune", ENGINE, "-p", "Hash=16,0,64"],
            "Hash: 0 to 64 is not a range within the engine's, 1 to 64",
        ),
        (["tune", ENGINE, "-p", "Hash=70,1,64"], "Hash: 70 is not between 1 and 64"),
        (["tune", ENGINE, "-p", "Hash=16"], "must be NAME or NAME=DEFAULT,LOW,HIGH"),
        (["tune", ENGINE, "-p", "Hash", "-n", "7"], "must be even"),
        (
            ["tune", ENGINE, "-p", "Hash", "-n", "10", "--pairs", "2"],
            "--games 10: must be a multiple of 4",
        ),
        (["tune", ENGINE, "-p", "Hash", "--tc", "soon"], "time control 'soon'"),
        (["tune", ENGINE, "--parameters", "nowhere.toml"], "nowhere.toml"),
        (["tune", "no-such-program", "-p", "Hash"], "no program no-such-program"),
        (["match", "--folder", "nowhere"], "there is no run to resume"),
        (
            ["tune", ENGINE, "-p", "Hash", "-n", "8", "--openings", __file__, "--folder", "run"],
            "test_match_command.py:",
        ),
        (["ablate", ENGINE], "no technique to switch off"),
        (["ablate", ENGINE, "-x", "Hash"], "technique 'Hash': must be [NAME:]OPTION=VALUE"),
        (
            ["ablate", ENGINE, "-x", "Hash=2", "-x", "Hash=2"],
            "more than one technique named Hash=2",
        ),
        (["ablate", ENGINE, "-x", "Speed=2"], "does not support option Speed"),
        (["ablate", ENGINE, "-x", "Hash=2", "-n", "3"], "must be even"),
        (["ablate", ENGINE, "--techniques", "nowhere.toml"], "nowhere.toml"),
    ],
)
def test_mistakes_are_named_and_leave_nothing_behind(tmp_path, monkeypatch, arguments, problem):
    monkeypatch.chdir(tmp_path)
    assert problem in flat(run(*arguments, code=2))
    assert list(tmp_path.iterdir()) == []


def test_all_engines_that_do_not_come_up_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(player, "START_TIME", 2.0)
    dead = f"B={sys.executable} -c 'raise SystemExit(\"no licence\")'"
    text = flat(run("match", f"A={ENGINE} --no-uciok", dead, "--folder", tmp_path / "m", code=2))
    assert re.search(
        "A did not come up as a uci engine within 2 s; B: .*exit code: 1.*it said: no licence", text
    )
    assert not (tmp_path / "m").exists()


def test_tables_that_are_gone_are_named(tmp_path):
    tables = tmp_path / "tables"
    folder = str(tmp_path / "m")
    tables.mkdir()
    (tables / "KQvK.rtbw").write_bytes(chess.Board.tbw_magic + bytes(12))
    run("match", *PAIR, "--tc", "30", "-n", "2", "--syzygy", str(tables), "--folder", folder)
    (tables / "KQvK.rtbw").unlink()
    assert "no Syzygy tablebases" in flat(run("match", "--folder", folder, "-n", "4", code=2))


@pytest.mark.parametrize("plies", [0, 3])
def test_random_openings_are_named(tmp_path, plies):
    arguments = ["--tc", "30", "-n", "2", "--move-limit", "1", "--plies", plies]
    text = run("match", *PAIR, *arguments, "--folder", tmp_path / "m")
    assert ("\nopenings: 3 random plies, often unbalanced\n" in f"\n{text}") == (plies == 3)


def test_what_a_run_says_before_it_begins(tmp_path):
    book = tmp_path / "book.epd"
    book.write_text(chess.STARTING_FEN)
    folder = tmp_path / "m"
    arguments = ["--openings", book, "--move-limit", "1", "--folder", folder]
    text = run("match", *PAIR, *arguments, "--tc", "30+1", "-n", "4", "-c", "2")
    assert "book.epd: 1 opening for 2 pairs of games, so openings will repeat" in text
    # 4 games, each side 30 s * 0.8 + 60 * 1 s, two at a time
    assert "about 0:05:36 (h:mm:ss), 2 games at a time" in text
    assert "nan" not in text
    assert "inf" not in text.replace("info", "")
    book.write_text(chess.STARTING_FEN + "\n\n")
    assert "has changed since the match began" in run("match", "--folder", folder, code=2)


def test_a_bad_line_of_a_book_is_named_and_the_match_plays(tmp_path):
    book = tmp_path / "book.epd"
    book.write_text(f"{chess.STARTING_FEN}\nnothing\n")
    arguments = [*PAIR, "--openings", book, "--move-limit", "1", "--tc", "30+1", "-n", "4"]
    text = run("match", *arguments, "--folder", tmp_path / "m")
    assert f"{book}:2: a position has at least 4 fields" in text
    assert "4 of 4 games" in text
    book.write_text("nothing\n")
    assert "book.epd:1:" in flat(run("match", *arguments, "--folder", tmp_path / "other", code=2))


def test_published_lines_are_printed_alike():
    """The text of a published match of 758 games, its last line as fastchess wrote it."""
    pairs = 13 * ["LL"] + 34 * ["LD"] + 176 * ["WL"] + 56 * ["DD"] + 71 * ["WD"] + 29 * ["WW"]
    results = Results("AB")
    for index, outcome in enumerate("".join(pairs)):
        if outcome == "D":
            result = "1/2-1/2"
        else:
            white_wins = (outcome == "W") == (index % 2 == 0)
            result = "1-0" if white_wins else "0-1"
        results.add(finished(index, result))
    lines = figures(results, SETTINGS, Sprt(0, 10).llr(results.pentanomial("A")))
    assert lines[1:] == [
        "Elo: 31.71 +/- 14.63, nElo: 53.96 +/- 24.73",
        "LOS: 100.00%, DrawRatio: 61.21%, PairsRatio: 2.13",
        "Games: 758, Wins: 305, Losses: 236, Draws: 217, Points: 413.5 (54.55%)",
        "Ptnml(0-2): [13, 34, 232, 71, 29]",
        "LLR: 2.95 (100.3%) (-2.94, 2.94) [0.00, 10.00] normalized",
    ]


@pytest.mark.parametrize("content", ["1. e4 e5 *\n", "[]", "3", '{"kind": "suite"}'])
def test_the_json_replaces_only_the_result_of_a_match(tmp_path, content):
    result = tmp_path / "games.pgn"
    result.write_text(content)
    text = run("match", *SHORT, "--folder", tmp_path / "m", "--json", result, code=2)
    assert "games.pgn exists and does not hold the result of a match" in flat(text)
    assert result.read_text() == content
    assert not (tmp_path / "m").exists()


def test_the_bound_of_a_clean_sweep_is_in_the_json(tmp_path):
    with closing(Journal(tmp_path, SETTINGS)) as journal:
        played = [finished(index, "0-1" if index % 2 else "1-0") for index in range(10)]
        found = summary(journal, Results("AB", played), 10, None, None)
    bounds = [engine["elo_bound"] for engine in found["engines"]]
    assert bounds == pytest.approx([sweep_bound(10), -sweep_bound(10)], abs=1e-3)


def test_two_games_do_not_tell_the_error():
    results = Results("AB", [finished(0, "0-1"), finished(1, "1/2-1/2")])
    line = figures(results, SETTINGS, None)[1]
    assert line == "Elo: -190.85 +/- unknown (too few games), nElo: unknown"
    results.add(finished(2, "1-0"))
    results.add(finished(3, "0-1"))
    assert "Elo: 88.74 +/- unknown (too few games)," in figures(results, SETTINGS, None)[1]
    drawn = Results("AB", [finished(index, "1/2-1/2") for index in range(100)])
    line = figures(drawn, SETTINGS, None)[1]
    assert line == "Elo: 0.00 +/- unknown (all pairs alike), nElo: 0.00 +/- 68.10"


def test_a_clean_sweep_has_a_bound():
    played = [finished(index, "0-1" if index % 2 else "1-0") for index in range(10)]
    line = figures(Results("AB", played), SETTINGS, None)[1]
    assert line == f"Elo: > {sweep_bound(10):.2f} (all won), nElo: unknown"
    line = figures(Results("AB", played[:2]), SETTINGS, None)[1]
    assert line == "Elo: unknown (too few games), nElo: unknown"


@pytest.mark.parametrize(
    ("typed", "code", "said"),
    [("n\n", 1, "not resumed"), ("", 130, "interrupted; nothing was started")],
)
def test_a_resumed_match_asks_before_it_starts_commands(tmp_path, monkeypatch, typed, code, said):
    Journal(tmp_path, SETTINGS).close()
    terminal = SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("zobra.arena.commands.runs.sys", terminal)
    result = CliRunner().invoke(app, ["match", "--folder", str(tmp_path)], input=typed)
    assert result.exit_code == code
    assert said in result.output
    assert "Usage" not in result.output


def shown_match(results: Results, total: int) -> SimpleNamespace:
    """Return what a display needs of a match."""
    journal = SimpleNamespace(conditions=RunConditions())
    return SimpleNamespace(
        results=results, total=total, settings=SETTINGS, llr=None, journal=journal, is_over=False
    )


@pytest.mark.parametrize("terminal", [True, False])
def test_what_is_shown_while_it_runs(terminal):
    output = io.StringIO()
    console = Console(file=output, force_terminal=terminal, color_system=None, width=120)
    results = Results("AB", [finished(0, "1-0")])
    match = shown_match(results, total=8)
    games = [finished(1, "1/2-1/2"), *(finished(index, "1-0") for index in (2, 3, 4))]
    with MatchDisplay(console, "games") as display:
        display.begin(match)
        display.started(Pairing(1, 0, 1, "B", "A", Opening(chess.STARTING_FEN)))
        for game in games:
            assert "left" not in output.getvalue() or terminal
            results.add(game)
            display.finished(game, match)
    text = output.getvalue()
    assert "resuming after 1 of 8 games" in text
    if terminal:
        assert "game 5: A – B 1-0 (Black is mated)" in text
        assert "games per minute" in text
        assert "5/8" in text
    else:
        assert "game 2: B – A 1/2-1/2 (Draw by" in text
        assert "games per minute" not in text
        assert "about 0:00:00 (h:mm:ss) left" in text  # after the first four games


def test_an_interval_leaves_out_the_games(tmp_path):
    arguments = [*PAIR, "--tc", "30", "-n", "8", "--interval", "4", "--move-limit", "1"]
    text = run("match", *arguments, "--folder", tmp_path / "m")
    assert "game 1" not in text
    assert [line.split(",")[0] for line in text.splitlines() if line.startswith("Games: ")] == [
        "Games: 4",
        "Games: 8",  # once, though 8 is a multiple of 4
    ]
    assert " left\n" in text
    arguments = [*PAIR, f"C={ENGINE}", *arguments[2:], "-n", "2"]
    text = run("match", *arguments, "--folder", tmp_path / "three")
    assert text.count("pairs 0–2") == 2


def test_more_than_two_engines_have_standings_while_they_play():
    output = io.StringIO()
    console = Console(file=output, force_terminal=True, color_system=None, width=80)
    results = Results("ABC", [finished(0, "1-0"), finished(1, "1-0", ("A", "C"))])
    with MatchDisplay(console, "games") as display:
        display.begin(shown_match(results, total=12))
    rows = [line for line in output.getvalue().splitlines() if line.startswith("│")]
    assert {row.split("│")[2].strip() for row in rows} == {"A", "B", "C"}


def test_names_are_shown_as_they_are():
    """They may look like marks of the terminal's own language."""
    output = io.StringIO()
    terminal = Console(file=output, force_terminal=True, color_system=None, width=120, markup=False)
    with LivePanel(terminal, "A {1}[b]") as panel:
        panel.count_from(0, 3)
    names = ("new[lmr]", ":smile:[/b]")
    results = Results(names, [finished(0, "1-0", names, "time")])
    console = plain_console()
    console.file = output
    console.print(standings(results))
    match = SimpleNamespace(results=results, total=1, error=None, interrupted=False, is_over=True)
    end_run(console, match, Path("run"))
    assert "A {1}[b]" in output.getvalue()
    assert "new[lmr]" in output.getvalue()
    assert ":smile:[/b] lost 1 game by time" in output.getvalue()


@pytest.mark.parametrize(
    ("command", "how"),
    [
        ("match", "resume with `zobra match --folder 'a run'`"),
        ("", "the same command with `--folder 'a run'` resumes"),
    ],
)
def test_an_interrupted_run_says_how_to_resume_it(command, how):
    """Without --folder the same command would begin a new run."""
    console = plain_console()
    console.file = output = io.StringIO()
    results = Results("AB", [finished(0, "1-0")])
    match = SimpleNamespace(results=results, total=2, error=None, interrupted=True, is_over=False)
    with pytest.raises(typer.Exit):
        end_run(console, match, Path("a run"), command)
    assert output.getvalue().splitlines()[-1] == f"interrupted; {how}"


def test_a_file_with_two_engines_is_a_match_of_these(tmp_path):
    """One engine alone plays against Zobra; two in one file do not."""
    engines = tmp_path / "two.toml"
    command = json.dumps(ENGINE)
    tables = [f'[[engine]]\nname = "{name}"\ncommand = {command}\n' for name in "AB"]
    engines.write_text("".join(tables))
    folder = tmp_path / "m"
    run("match", engines, *PAIR[2:], "--tc", "30", "-n", "2", "--folder", folder)
    assert [engine.name for engine in Journal.settings_in(folder).engines] == ["A", "B"]


def test_standings_of_several_engines():
    played = [
        finished(0, "0-1"),
        finished(1, "1-0"),
        finished(2, "1/2-1/2", ("A", "C")),
        finished(3, "0-1", ("A", "C")),
    ]
    output = io.StringIO()
    Console(file=output, width=120).print(standings(Results("ABC", played)))
    rows = [line.split("│") for line in output.getvalue().splitlines() if "│" in line]
    assert [row[2].strip() for row in rows] == ["B", "A", "C"]
    assert (rows[1][5].strip(), rows[1][6].strip()) == ("4", "37.5%")


@pytest.mark.parametrize(
    ("given", "walk", "without_book", "with_book"),
    [(None, 0, 0, None), (None, 8, 8, None), (4, 8, 4, 4), (0, 8, 0, 0)],
)
def test_plies_are_those_asked_for_and_random_openings_have_their_own_length(
    tmp_path, given, walk, without_book, with_book
):
    book = tmp_path / "book.pgn"
    book.write_text("*\n")
    engines = [EngineSpec(name, (sys.executable,)) for name in "AB"]
    options = GameOptions("5", 2, plies=given)
    assert options.settings(engines, walk=walk).plies == without_book
    options = GameOptions("5", 2, plies=given, openings=book)
    assert options.settings(engines, walk=walk).plies == with_book

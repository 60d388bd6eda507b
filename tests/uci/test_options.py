"""Options, the search's parameters among them: found in any case, kept within bounds, and clear
about what they refuse.
"""

import pytest
from typer.testing import CliRunner

from tests.support.commands import zobra
from tests.support.paths import ROOT
from zobra.arena.formats.files import tomllib
from zobra.cli.command_line import app
from zobra.engine.fen import START, parse_fen
from zobra.engine.perft import MAX_DEPTH
from zobra.engine.position import Game
from zobra.search.bench_conditions import LARGEST
from zobra.search.engine import Engine
from zobra.search.limits import Limits
from zobra.search.listener import Collector
from zobra.search.options import BY_NAME, OPTIONS, PARAMETER_OPTIONS, find
from zobra.search.parameters import PARAMETERS, default_parameters
from zobra.search.searcher import Searcher
from zobra.search.skill import HIGHEST, LOWEST, MAX_SKILL
from zobra.tt.table import MAX_MEGABYTES, MIN_MEGABYTES
from zobra.uci.option_text import announcement, read_value


def test_every_option_is_found_in_any_case():
    for option in (*OPTIONS, *PARAMETER_OPTIONS):
        assert find(option.name.upper()) is option
    with pytest.raises(ValueError, match="no option 'Contempt'"):
        find("Contempt")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("Hash", "33", 33),
        ("Hash", "0", 1),
        ("Hash", "9" * 20, 1048576),
        ("UCI_Chess960", "TRUE", True),
        ("UCI_Chess960", "false", False),
        ("UCI_Opponent", "GM 2800 human Gary Kasparov", "GM 2800 human Gary Kasparov"),
        ("UCI_Opponent", "<empty>", ""),
        ("UCI_Opponent", None, ""),
        ("Clear Hash", None, None),
        ("Clear Hash", "now", None),
    ],
)
def test_values(name, text, value):
    found = read_value(find(name), text)
    assert found == value
    assert type(found) is type(value)
    find(name).check(found)


def test_defaults_are_values():
    for option in BY_NAME.values():
        option.check(option.default)


@pytest.mark.parametrize("text", ["maybe", "", None])
@pytest.mark.parametrize(
    ("name", "kind"), [("Hash", "a number from 1 to 1048576"), ("UCI_Chess960", "true or false")]
)
def test_invalid_values_are_refused(name, kind, text):
    with pytest.raises(ValueError, match=f"option {name} is {kind}, not {text or ''!r}$"):
        read_value(find(name), text)


ANNOUNCED = [
    "Hash type spin default 32 min 1 max 1048576",
    "Clear Hash type button",
    "UCI_Chess960 type check default false",
    "UCI_Opponent type string default <empty>",
]


@pytest.mark.parametrize("text", ANNOUNCED)
def test_announcements_have_the_form_that_guis_parse(text):
    assert announcement(find(text.split(" type ")[0])) == f"option name {text}"


def test_the_documented_options_match():
    text = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")] for line in text.splitlines()]
    for option in OPTIONS:
        _, _, default, bounds, *_ = next(
            row for row in rows if option.name in ", ".join(row[1:2]).split(", ")
        )
        if isinstance(option.default, int):
            assert str(option.default).lower() in default.split(", "), option.name
        assert not option.is_number or bounds == f"{option.low} to {option.high}"


def test_bounds_are_those_of_the_search():
    assert (find("UCI_Elo").low, find("UCI_Elo").high) == (LOWEST, HIGHEST)
    assert (find("Skill Level").low, find("Skill Level").high) == (0, MAX_SKILL)
    assert (find("Hash").low, find("Hash").high) == (MIN_MEGABYTES, MAX_MEGABYTES)
    assert LARGEST["perft"] == MAX_DEPTH
    for parameter in PARAMETERS:
        option = find(parameter.name)
        bounds = (option.default, option.low, option.high)
        assert bounds == (parameter.default, parameter.low, parameter.high)


def test_parameters_are_announced_when_asked_for():
    line = announcement(find("null_move_base")) + "\n"
    assert line in zobra("--tunable", typed="uci\nquit\n").stdout
    assert line not in zobra(typed="uci\nquit\n").stdout


@pytest.mark.parametrize(
    ("name", "value"), [("reverse_futility_depth", 0), ("reduction_base", 200)]
)
def test_setting_a_parameter_is_like_beginning_with_it(name, value):
    engine = Engine()

    def nodes() -> int:
        found = Collector()
        engine.new_game()
        engine.go(Limits(depth=8), found).wait()
        return found.lines[1].nodes

    before = nodes()
    engine.set_option(name, value)
    changed = nodes()
    assert changed != before
    searcher = Searcher(engine.options["Hash"], parameters={name: value})
    searcher.search(Game(parse_fen(START)), Limits(depth=8))
    assert changed == searcher.nodes
    engine.set_option(name, default_parameters()[name])
    assert nodes() == before


def test_options_reach_every_thread():
    searcher = Searcher(1)
    searcher.threads = 3
    searcher.set_parameter("null_move_base", 2)
    searcher.threads = 4
    workers = [searcher._worker, *searcher._smp.workers]
    assert [int(worker[0]["parameters"]["null_move_base"]) for worker in workers] == [2] * 4


def test_the_list_for_a_tuner_is_toml_or_what_openbench_takes():
    invoke = CliRunner().invoke
    every = tomllib.loads(invoke(app, ["parameters"]).stdout)["parameter"]
    assert "use_tt" not in every
    assert len(every) > 10
    one = tomllib.loads(invoke(app, ["parameters", "use_tt"]).stdout)
    assert one == {"parameter": {"use_tt": {"default": 1, "low": 0, "high": 1, "c_end": 1}}}
    line = invoke(app, ["parameters", "use_tt", "--openbench"]).stdout
    assert line == "use_tt, int, 1, 0, 1, 1, 0.002\n"
    refused = invoke(app, ["parameters", "speed"])
    assert refused.exit_code == 2
    assert "no parameter speed" in refused.output


def test_every_technique_to_ablate_is_switched_off_by_what_there_is():
    path = ROOT / "arena" / "model" / "data" / "techniques.toml"
    techniques = tomllib.loads(path.read_text(encoding="utf-8"))
    assert len(techniques) > 10
    for name, off in techniques.items():
        for option, value in off.items():
            known = find(option)
            assert known.low <= value <= known.high, name
            assert value != known.default, name

"""The search's parameters as options: unannounced unless asked for, always obeyed, and listed for a tuner."""

import subprocess
import sys
from pathlib import Path

import chess
import pytest

from zobra.engine.fen import parse_fen
from zobra.engine.game import Game
from zobra.search.limits import Limits
from zobra.search.parameters import PARAMETERS, default_parameters
from zobra.search.searcher import Searcher
from zobra.uci.commands import SetOption
from zobra.uci.console import Console
from zobra.uci.options import find, parameter_options
from zobra.uci.parameter_list import parameter_list
from zobra.uci.session import Session

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def talk(*arguments: str) -> str:
    command = [sys.executable, "-m", "zobra.uci", *arguments]
    return subprocess.run(command, input="uci\nquit\n", capture_output=True, text=True, timeout=120, check=True).stdout


def test_they_are_announced_when_asked_for():
    announcement = find("null_move_base").announcement()
    assert announcement.startswith("option name null_move_base type spin default ")
    assert announcement in talk("--tunable").splitlines()
    assert "null_move_base" not in talk()


def test_each_is_found_with_its_bounds():
    assert set(parameter_options()) == set(default_parameters())
    for parameter in PARAMETERS:
        option = find(parameter.name.upper())
        assert (option.default, option.low, option.high) == (str(parameter.default), parameter.low, parameter.high)


def nodes(searcher: Searcher) -> int:
    searcher.clear()
    searcher.search(Game(parse_fen(chess.STARTING_FEN)), Limits(depth=8))
    return searcher.nodes


@pytest.mark.parametrize("name, value", [("reverse_futility_depth", 0), ("reduction_base", 200)])
def test_setting_one_is_like_beginning_with_it(capfd, name, value):
    session = Session(Console())
    before = nodes(session.searcher)
    session.set_option(SetOption(name, str(value)))
    changed = nodes(session.searcher)
    assert changed != before and changed == nodes(Searcher(session.searcher.table.megabytes, parameters={name: value}))
    session.set_option(SetOption(name, str(default_parameters()[name])))
    assert nodes(session.searcher) == before
    session.set_option(SetOption(name, "-99"))
    assert "set to" in capfd.readouterr().out


def test_every_thread_is_told():
    searcher = Searcher(1)
    searcher.threads = 3
    searcher.set_parameter("null_move_base", 2)
    searcher.threads = 4
    workers = [searcher._worker, *searcher._smp.workers]
    assert [int(worker[0]["parameters"]["null_move_base"]) for worker in workers] == [2] * 4


def test_the_list_is_toml_or_what_openbench_takes():
    listed = tomllib.loads(parameter_list([]))["parameter"]
    assert "use_table" not in listed and len(listed) > 10
    one = tomllib.loads(parameter_list(["use_table"]))["parameter"]
    assert one == {"use_table": {"default": 1, "low": 0, "high": 1, "c_end": 1}}
    assert parameter_list(["use_table"], openbench=True) == "use_table, int, 1, 0, 1, 1, 0.002"
    with pytest.raises(ValueError, match="no parameter speed"):
        parameter_list(["speed"])


def test_every_technique_to_ablate_is_switched_off_by_what_there_is():
    file = Path(__file__).parent.parent / "benchmarks" / "techniques.toml"
    techniques = tomllib.loads(file.read_text(encoding="utf-8"))
    assert len(techniques) > 10
    for name, off in techniques.items():
        for option, value in off.items():
            known = parameter_options()[option]
            assert known.low <= value <= known.high and str(value) != known.default, name

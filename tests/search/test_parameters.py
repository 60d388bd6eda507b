"""Every tunable number: declared within its bounds, read by a kernel, and felt by the search."""

import itertools
import re
from functools import cache
from pathlib import Path

import pytest

import zobra.search.parameters
from tests.support.search_kernels import Workbench
from tests.support.searches import KIWIPETE, MIDDLEGAME
from zobra.engine.fen import parse_fen
from zobra.engine.position import Game
from zobra.search.limits import ClockTimes, Limits
from zobra.search.parameters import PARAMETERS, default_parameters
from zobra.search.root import RootLine
from zobra.search.searcher import Searcher
from zobra.search.time_management import stability_factor, time_budget
from zobra.tt.entry import EXACT

FENS = [MIDDLEGAME, KIWIPETE]
# With an increment, without, and with little time left.
CLOCKS = [
    ClockTimes(2_000, 2_000, 50, 50),
    ClockTimes(2_000, 2_000),
    ClockTimes(150, 150, 20, 20),
]
SOURCES = [
    path.read_text()
    for path in Path(zobra.search.parameters.__file__).parent.glob("*.py")
    if path.stem != "parameters"
]


def test_a_worker_has_the_given_parameters():
    given = {parameter.name: parameter.high for parameter in PARAMETERS}
    assert len(given) == len(PARAMETERS) == len(default_parameters())  # names are unique
    carried = Workbench(parse_fen(FENS[0]), given).this["parameters"]
    assert {name: int(carried[name]) for name in given} == given


@cache
def nodes(name: str, value: int) -> list[int]:
    """Nodes of two searches with one parameter changed."""
    searcher = Searcher(1, parameters={name: value})
    counts = []
    for fen in FENS:
        searcher.search(Game(parse_fen(fen)), Limits(depth=10))
        counts.append(searcher.nodes)
    return counts


def times(name: str, value: int) -> list[object]:
    """Budgets of some clocks, and factors of the optimum, with one parameter changed."""
    parameters = default_parameters() | {name: value}
    found: list[object] = []
    for clock in CLOCKS:
        found.append(time_budget(Limits(clock=clock), True, 0, parameters))
    for stood, fall in itertools.product(range(6), (-500, 0, 40, 500)):
        bests = [*range(10, 20), *[20] * (stood + 1)]
        lines = [RootLine(9, 9, 100, EXACT, (best,)) for best in bests]
        lines[-1] = lines[-1]._replace(score=100 - fall)
        found.append(stability_factor(lines, 0.3, parameters))
    return found


def nodes_of_a_forced_move(name: str, value: int) -> int:
    """Nodes of a search of the only move, whose clock runs by nodes."""
    searcher = Searcher(1, parameters={name: value})
    searcher.time.node_time.rate = 20
    position = parse_fen(FENS[0])
    only_move = tuple(position.legal_moves()[:1])
    searcher.search(Game(position), Limits(clock=CLOCKS[0], searchmoves=only_move))
    return searcher.nodes


def effect(name: str, value: int) -> object:
    """What shows whether a parameter matters."""
    if name == "time_forced":
        return nodes_of_a_forced_move(name, value)
    if name.startswith("time_"):
        return times(name, value)
    return nodes(name, value)


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda parameter: parameter.name)
def test_each_parameter_is_within_its_bounds_and_has_an_effect(parameter):
    """At one end of its range or the other, the tree or the time is another one."""
    assert parameter.low <= parameter.default <= parameter.high
    assert 0 < parameter.step <= parameter.high - parameter.low
    assert any(re.search(rf"\b{parameter.name}\b", text) for text in SOURCES)
    usual = effect(parameter.name, parameter.default)
    assert any(effect(parameter.name, end) != usual for end in (parameter.low, parameter.high))

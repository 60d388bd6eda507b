"""Every tunable number: declared within its bounds, read by a kernel, and felt by the search."""

import re
from functools import cache
from pathlib import Path

import pytest

import zobra.search.parameters
from tests.support.search_kernels import Workbench
from zobra.engine.fen import parse_fen
from zobra.engine.position import Game
from zobra.search.limits import Limits
from zobra.search.parameters import PARAMETERS, default_parameters
from zobra.search.searcher import Searcher

FENS = [
    "r2q1rk1/ppp2ppp/2npbn2/4p3/4P3/2NPBN2/PPP2PPP/R2Q1RK1 w - - 0 9",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
]
SOURCES = [
    path.read_text()
    for path in Path(zobra.search.parameters.__file__).parent.glob("*.py")
    if path.stem != "parameters"
]


def test_a_worker_carries_what_it_was_given():
    given = {parameter.name: parameter.high for parameter in PARAMETERS}
    assert len(given) == len(PARAMETERS) == len(default_parameters())  # names are unique
    carried = Workbench(parse_fen(FENS[0]), given).this["parameters"]
    assert {name: int(carried[name]) for name in given} == given


@cache
def nodes(name: str = "use_table", value: int = 1) -> list[int]:
    """Nodes of two searches with one parameter changed."""
    searcher, counts = Searcher(1, parameters={name: value}), []
    for fen in FENS:
        searcher.search(Game(parse_fen(fen)), Limits(depth=10))
        counts.append(searcher.nodes)
    return counts


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda parameter: parameter.name)
def test_declared_within_its_bounds_and_felt_by_the_search(parameter):
    """At one end of its range or the other, the tree is another one."""
    assert (
        parameter.low <= parameter.default <= parameter.high
        and 0 < parameter.step <= parameter.high - parameter.low
    )
    assert any(re.search(rf"\b{parameter.name}\b", text) for text in SOURCES)
    assert any(nodes(parameter.name, end) != nodes() for end in (parameter.low, parameter.high))

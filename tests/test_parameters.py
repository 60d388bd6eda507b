"""Every tunable number: declared within its bounds, read by a kernel, and felt by the search."""

import re
from pathlib import Path

import pytest

import zobra.search.parameters
from tests.search_kernels import Workbench
from zobra.engine.fen import parse_fen
from zobra.engine.game import Game
from zobra.search.limits import Limits
from zobra.search.parameters import PARAMETERS, default_parameters
from zobra.search.searcher import Searcher

FENS = [
    "r2q1rk1/ppp2ppp/2npbn2/4p3/4P3/2NPBN2/PPP2PPP/R2Q1RK1 w - - 0 9",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
]
DEPTH = 10
# What shows in deep searches alone.
BROUGHT_NEAR = {
    "null_move_verification_depth": {"null_move_verification_depth": 6},
}
SOURCES = [path.read_text() for path in Path(zobra.search.parameters.__file__).parent.glob("*.py") if path.stem != "parameters"]


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda parameter: parameter.name)
def test_declared_within_its_bounds_and_read_somewhere(parameter):
    assert parameter.low <= parameter.default <= parameter.high
    assert 0 < parameter.step <= parameter.high - parameter.low
    assert any(re.search(rf"\b{parameter.name}\b", text) for text in SOURCES)


def test_names_are_unique():
    assert len({parameter.name for parameter in PARAMETERS}) == len(PARAMETERS)
    assert default_parameters() == {parameter.name: parameter.default for parameter in PARAMETERS}


def test_a_worker_carries_what_it_was_given():
    given = {parameter.name: parameter.high for parameter in PARAMETERS}
    carried = Workbench(parse_fen(FENS[0]), given).this["parameters"]
    assert {name: int(carried[name]) for name in given} == given


def nodes(changed: dict[str, int]) -> list[int]:
    searcher = Searcher(1, parameters=changed)
    counts = []
    for fen in FENS:
        searcher.search(Game(parse_fen(fen)), Limits(depth=DEPTH))
        counts.append(searcher.nodes)
    return counts


@pytest.fixture(scope="module")
def ordinary():
    return {(): nodes({})}


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda parameter: parameter.name)
def test_the_search_feels_it(ordinary, parameter):
    """At one end of its range or the other, the tree is another one."""
    near = BROUGHT_NEAR.get(parameter.name, {})
    key = tuple(near.items())
    if key not in ordinary:
        ordinary[key] = nodes(near)
    ends = (parameter.low, parameter.high)
    assert any(nodes(near | {parameter.name: end}) != ordinary[key] for end in ends if near.get(parameter.name) != end)

"""The list of mutations: each still fits the sources, and names tests that exist."""

import ast

import pytest

from tests.support.paths import ROOT
from tests.tools.mutate import Mutation, read_mutations


@pytest.mark.parametrize("mutation", read_mutations(), ids=lambda mutation: mutation.name)
def test_a_mutation_fits(mutation):
    source = (ROOT / mutation.file).read_text(encoding="utf-8")
    assert ast.dump(ast.parse(mutation.applied(source))) != ast.dump(ast.parse(source))
    for path in mutation.tests:
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("times", [0, 2])
def test_a_line_that_is_not_there_once_is_refused(times):
    mutation = Mutation("limit", "It is too low.", "limits.py", "limit = 1", "limit = 0", ())
    source = "if True:\n" + "    limit = 1  # of both\n" * times
    with pytest.raises(ValueError, match=f"limit: limits.py has its line {times} times"):
        mutation.applied(source)

"""The program whose types mypy checks runs as it is; `.ci/run` names it to mypy."""

from tests.api import typed_program


def test_the_typed_program_runs():
    typed_program.search()
    typed_program.compute()

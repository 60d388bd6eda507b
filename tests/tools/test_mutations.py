"""The list of mutations fits the sources, and results are kept only as long as they hold."""

import ast
import json
from dataclasses import replace

import pytest

from tests.support.paths import ROOT
from tests.tools import mutate
from tests.tools.mutate import (
    KILLED,
    SURVIVED,
    TIMEOUT,
    UNSOUND,
    Copy,
    Mutation,
    Results,
    link_shared,
    read_mutations,
)

LIMIT = Mutation("limit", "It is too low.", "limits.py", "limit = 1", "limit = 0", ["tests"])


def judgement(outcome: str) -> dict:
    return {"outcome": outcome, "test": "", "seconds": 1.0}


@pytest.mark.parametrize("mutation", read_mutations(), ids=lambda mutation: mutation.name)
def test_a_mutation_fits(mutation):
    source = (ROOT / mutation.file).read_text(encoding="utf-8")
    assert ast.dump(ast.parse(mutation.applied(source))) != ast.dump(ast.parse(source))
    for path in mutation.tests:
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("times", [0, 2])
def test_a_line_that_is_not_there_once_is_refused(times):
    source = "if True:\n" + "    limit = 1  # of both\n" * times
    with pytest.raises(ValueError, match=f"limit: limits.py has its line {times} times"):
        LIMIT.applied(source)


@pytest.mark.parametrize(
    ("outcome", "whole", "is_known", "is_known_whole"),
    [
        (KILLED, False, True, True),
        (SURVIVED, False, True, False),
        (SURVIVED, True, True, True),
        (TIMEOUT, True, False, False),
        (UNSOUND, True, False, False),
    ],
)
def test_a_certain_result_is_kept(tmp_path, outcome, whole, is_known, is_known_whole):
    path = tmp_path / "results.jsonl"
    Results(path, "abc").add(LIMIT, whole, judgement(outcome))
    kept = Results(path, "abc")
    assert kept.is_known(LIMIT, False) == is_known
    assert kept.is_known(LIMIT, True) == is_known_whole
    assert not Results(path, "other").is_known(LIMIT, False)


@pytest.mark.parametrize(
    ("change", "is_known"),
    [
        ({"fault": "It is described otherwise."}, True),
        ({"line": "limit = 2"}, False),
        ({"becomes": "limit = -1"}, False),
        ({"tests": ["tests/engine"]}, False),
    ],
)
def test_a_changed_entry_is_run_again(tmp_path, change, is_known):
    path = tmp_path / "results.jsonl"
    Results(path, "abc").add(LIMIT, False, judgement(KILLED))
    assert Results(path, "abc").is_known(replace(LIMIT, **change), False) == is_known


def test_a_cut_last_line_is_removed(tmp_path):
    path = tmp_path / "results.jsonl"
    Results(path, "abc").add(LIMIT, False, judgement(KILLED))
    whole = path.read_text()
    path.write_text(whole + whole[:20])
    other = replace(LIMIT, name="other")
    Results(path, "abc").add(other, False, judgement(KILLED))

    names = [json.loads(line)["name"] for line in path.read_text().splitlines()]
    assert names == ["limit", "other"]
    again = Results(path, "abc")
    assert again.is_known(LIMIT, False)
    assert again.is_known(other, False)


@pytest.mark.parametrize(
    ("paths", "failing", "outcome"),
    [
        (["there"], [], SURVIVED),
        (["missing"], [], UNSOUND),
        (["missing", "there"], [], UNSOUND),
        (["missing", "there"], ["there"], KILLED),
    ],
)
def test_a_mutation_whose_tests_are_missing_has_not_survived(
    tmp_path, monkeypatch, paths, failing, outcome
):
    (tmp_path / "there").touch()
    copy = Copy.__new__(Copy)  # without the sources of a revision
    copy.folder = tmp_path
    monkeypatch.setattr(
        copy, "_run_tests", lambda path: (KILLED if path in failing else SURVIVED, path)
    )
    assert copy._run_in_turn(paths)[0] == outcome


def test_shared_files_are_beside_the_copies(tmp_path, monkeypatch):
    shared = tmp_path / "shared"
    folder = tmp_path / "mutations"
    folder.mkdir()
    monkeypatch.setattr(mutate, "SHARED", shared)
    link_shared(folder)
    assert not list(folder.iterdir())

    shared.mkdir()
    (shared / "suite").touch()
    for _ in range(2):  # the second run finds the link
        link_shared(folder)
    assert (folder / "shared" / "suite").exists()

"""Kernels as Python sees them: declared with types, called with those types only, compiled and
linked beside Numba's own.
"""

import importlib
import sys
import time
import types

import numpy as np
import pytest

from tests.support.kernel_tree import Tree
from zobra.engine import kernels
from zobra.engine.fen import START, parse_fen
from zobra.engine.kernels import declare
from zobra.engine.kernels.user_store import UserStore
from zobra.engine.layouts import MOVE_LIST
from zobra.engine.position import CONSTANTS_RECORD, set_up
from zobra.engine.see import see_at_least

KERNEL = """
import library_of_kernel, installed_library
from ..neighbour import ANSWER, times
from zobra.engine.kernels import INT, entry
@entry(INT)
def answer(): return times(ANSWER)
def adder(more): return entry(INT)(lambda: ANSWER + more)
"""
NEIGHBOUR = """
from zobra.engine.kernels import kernel
ANSWER = {answer}
@kernel
def times(number): return number * {factor}
"""


USER = """
from zobra.engine.kernels import INT, entry
import family.member
@entry(INT)
def answer(): return {answer} + family.SHARE
"""


@pytest.fixture
def user(tmp_path, monkeypatch):
    """Return a function that writes a module and its package, and imports it as a new process."""
    monkeypatch.setattr(declare, "store", UserStore(tmp_path / "store"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # it would hide edits within a second
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "family").mkdir()
    (tmp_path / "family" / "member.py").touch()

    def imported(answer: int, share: int):
        for name in ("user_of_kernel", "family", "family.member"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        (tmp_path / "family" / "__init__.py").write_text(f"SHARE = {share}")
        (tmp_path / "user_of_kernel.py").write_text(USER.format(answer=answer))
        return importlib.import_module("user_of_kernel")

    return imported


def test_a_package_belongs_to_the_sources_of_a_kernel(user):
    for share in (1, 10):
        module = user(40, share)
        assert not module.answer.is_available()
        assert module.answer() == 40 + share


def test_a_kernel_whose_source_was_changed_after_its_import_is_not_kept(user, tmp_path):
    module = user(40, 2)
    time.sleep(0.05)  # more than the resolution of file times
    (tmp_path / "user_of_kernel.py").write_text(USER.format(answer=140))
    assert module.answer() == 42
    module = user(140, 2)
    assert not module.answer.is_available()
    assert module.answer() == 142


@pytest.mark.parametrize("place", ["project", "site-packages"])
def test_a_kernel_is_compiled_anew_when_what_it_imports_has_changed(tmp_path, monkeypatch, place):
    """A callee or a constant in another file of its user, whether installed or not.

    What is no Python source is not looked at, nor other packages that are installed.
    """
    for name, file in (
        ("library_of_kernel", "library.so"),
        ("installed_library", ".venv/site-packages/library.py"),
    ):
        monkeypatch.setitem(sys.modules, name, types.SimpleNamespace(__file__=str(tmp_path / file)))
    monkeypatch.setattr(declare, "store", UserStore(tmp_path / "store"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # it would hide edits within a second
    monkeypatch.syspath_prepend(tmp_path / place)
    upper = tmp_path / place / "upper"
    (upper / "lower").mkdir(parents=True)
    (upper / "lower" / "some_kernel.py").write_text(KERNEL)

    def imported(answer: int, factor: int):
        """The module of the kernel, imported as by a new process."""
        for name in [name for name in sys.modules if name.partition(".")[0] == "upper"]:
            del sys.modules[name]
        importlib.invalidate_caches()
        (upper / "neighbour.py").write_text(NEIGHBOUR.format(answer=answer, factor=factor))
        return importlib.import_module("upper.lower.some_kernel")

    keys = set()
    for answer, factor in ((42, 2), (142, 2), (42, 3)):
        module = imported(answer, factor)
        assert not module.answer.is_available() and module.answer() == answer * factor
        assert [module.adder(1)(), module.adder(2)()] == [answer + 1, answer + 2]
        keys.add(module.answer.key)

        module = imported(answer, factor)
        assert module.answer.is_available() and module.answer() == answer * factor
    assert len(keys) == 3


def test_an_entry_has_one_signature():
    """A recursive call with other types than the declared ones would make a second copy of the
    code.
    """

    @kernels.entry(kernels.INT, kernels.INT)
    def careless(depth):
        return np.int64(0) if depth == 0 else careless(depth > 1)

    with pytest.raises(TypeError, match="other types"):
        careless(3)


def test_values_of_a_wrong_type_do_not_reach_a_kernel():
    position = parse_fen(START)
    set_up(position.record, CONSTANTS_RECORD)
    set_up(position.array[0], CONSTANTS_RECORD)
    for wrong in (position.array, None, 7, np.zeros(1, MOVE_LIST)[0]):
        with pytest.raises(TypeError, match="a kernel wants a record"):
            set_up(wrong, CONSTANTS_RECORD)
    with pytest.raises(ValueError, match="argument 2"):
        set_up(position.record, CONSTANTS_RECORD, 1)


def test_inner_kernels_cannot_be_called_from_python():
    for inner in (see_at_least, kernels.lowest):
        with pytest.raises(TypeError, match="by kernels only"):
            inner(1)


NUMERIC = """
import numpy
from zobra.engine.kernels import numeric
@numeric
def total(numbers, more):
    if more:
        raise ValueError(more)
    return (numbers * numbers).sum()
assert total(numpy.arange(4.0), 0) == 14
try: total(numpy.arange(4.0), 7)
except ValueError: print('raised')
"""


def test_numba_still_works_after_kernels_were_linked(tmp_path):
    """What stands in for Numba's own symbols in a linked kernel must not be found by what Numba
    compiles.
    """
    tree = Tree(tmp_path)
    tree.start()
    found, raised = tree.begin(more=NUMERIC).communicate()[0].splitlines()
    assert '"compiled": 0' in found
    assert raised == "raised"

"""The kernels that the package carries: which set is used on which processor, and that none is used
that does not fit.
"""

import random
import shutil

import pytest

from tests.support.kernel_tree import Tree, full_disk
from zobra.engine.kernels import INT, declare, entry, selection
from zobra.engine.kernels.processor import (
    ARCHITECTURE,
    LEVELS,
    NATIVE,
    PORTABLE,
    Target,
    levels_of,
    target_of,
)
from zobra.engine.kernels.sources import set_name

V2, V3, V4 = "x86-64-v2", "x86-64-v3", "x86-64-v4"
SUPPORTED = levels_of(target_of(NATIVE))
EMULATOR = shutil.which("qemu-x86_64")  # of other processors


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    tree = Tree(tmp_path_factory.mktemp("built"))
    done = tree.build(" ".join((NATIVE, *LEVELS)))
    assert done.returncode == 0, done.stderr
    return tree


@pytest.fixture
def tree(built, tmp_path):
    """A fresh copy of the built package, with an empty store."""
    made = Tree(tmp_path)
    shutil.rmtree(made.sources)
    shutil.copytree(built.sources, made.sources)
    return made


def keep(tree, *levels):
    """Remove the package's other sets."""
    for path in tree.compiled.iterdir():
        if not path.name.startswith(tuple(f"{level}-" for level in levels)):
            path.unlink()


def test_levels_of_processors():
    if ARCHITECTURE == "x86_64":
        assert levels_of(target_of(V3)) == [V3, V2]
        slow = Target(NATIVE, "znver2", target_of(V4).attributes)
        assert levels_of(slow) == [V2]
        assert not slow.extracts_bits()
        assert target_of(V3).extracts_bits()
    unknown = [] if ARCHITECTURE == "x86_64" else [PORTABLE]
    assert levels_of(Target(NATIVE, "unknown", "")) == unknown
    with pytest.raises(ValueError, match="'nonsense' is not a level"):
        target_of("nonsense")


def test_another_llvm_names_the_same_processor_by_the_same_name():
    older = Target(NATIVE, "rocketlake", "+avx512f,+evex512,-sse4a")  # LLVM 20
    newer = Target(NATIVE, "rocketlake", "+avx512f,+avx10.1")  # LLVM 22
    without = Target(NATIVE, "rocketlake", "-avx512f,+evex512")
    assert set_name(older) == set_name(newer) != set_name(without)


def is_found_ready(found: dict) -> bool:
    """Were all kernels there, without a word?"""
    return found["compiled"] == 0 and not found["notices"]


def test_the_set_for_the_processor_or_level_is_used(tree):
    for level in (NATIVE, *SUPPORTED):
        found = tree.start(ZOBRA_LEVEL=level)
        assert is_found_ready(found)
        assert found["level"] == level
    assert tree.start(ZOBRA_LEVEL="portable")["level"] == PORTABLE
    with full_disk():
        found = tree.start("compile all")
    assert is_found_ready(found)
    assert found["description"].startswith("the package: for exactly this processor")
    assert not tree.store.exists()


@pytest.mark.skipif(V3 not in SUPPORTED, reason="needs an x86-64 processor of level 3")
def test_a_set_for_a_better_processor_is_never_run(tree):
    """As in a container image that was built on another processor: the next lower set, or a
    compilation.
    """
    keep(tree, NATIVE, V2, V4)
    found = tree.start(ZOBRA_LEVEL=V3)
    assert found["level"] == V2
    assert found["compiled"] == 0
    keep(tree, NATIVE, V4)
    found = tree.start(ZOBRA_LEVEL=V3)
    assert found["level"] == V3
    assert found["compiled"] == 2
    assert "compiled on this machine" in found["description"]


@pytest.mark.skipif(ARCHITECTURE != "x86_64", reason="there is only one level")
def test_more_than_this_processor_has_is_refused(monkeypatch):
    better = selection.selected._replace(target=target_of(V4))
    monkeypatch.setattr(declare, "selected", better)
    monkeypatch.setattr(selection, "target_of", lambda _: target_of(V3))
    answer = entry(INT)(lambda: 42)
    with pytest.raises(RuntimeError, match="this processor cannot run x86-64-v4 kernels"):
        answer()


def test_a_level_that_does_not_exist_is_refused(tree):
    assert "ValueError: ZOBRA_LEVEL: 'nonsense' is not a level" in tree.fault(
        ZOBRA_LEVEL="nonsense"
    )


def test_on_another_processor_the_portable_set_is_used_until_a_warmup(tree):
    keep(tree, PORTABLE)
    found = tree.start()
    assert found["level"] == PORTABLE
    assert found["compiled"] == 0
    assert not tree.store.exists()
    (notice,) = found["notices"]
    assert "zobra warmup" in notice
    found = tree.start("compile all", ZOBRA_LEVEL=NATIVE)
    assert found["level"] == NATIVE
    assert found["compiled"] == 2
    found = tree.start()
    assert is_found_ready(found)
    assert found["level"] == NATIVE
    assert "user's store" in found["description"]


@pytest.mark.slow
@pytest.mark.skipif(not EMULATOR or ARCHITECTURE != "x86_64", reason="needs QEMU and x86-64")
@pytest.mark.parametrize(("processor", "level"), [("SandyBridge", V2), ("Haswell", V3)])
def test_a_foreign_processor_uses_the_highest_set_that_it_can_run(tree, processor, level):
    # Below Sandy Bridge NumPy's own linear algebra ends with an illegal instruction.
    found = tree.start(emulator=(EMULATOR, "-cpu", processor))
    assert found["level"] == level and found["compiled"] == 0


@pytest.mark.parametrize("damage", ["emptied", "random", "one bit"])
def test_a_damaged_set_is_passed_over(tree, damage):
    (path,) = tree.compiled.glob("native-*")
    content = path.read_bytes()
    damaged = {
        "emptied": b"",
        "random": random.Random(1).randbytes(500),
        "one bit": content[:-1] + bytes([content[-1] ^ 1]),
    }
    path.write_bytes(damaged[damage])
    found = tree.start()
    assert found["level"] in LEVELS
    assert found["compiled"] == 0
    assert "damaged" in found["notices"][0]


def test_a_set_made_from_other_sources_is_not_used(tree):
    callee = tree.engine / "callee.py"
    text = callee.read_text()
    callee.write_text(text + "# edited\n")
    found = tree.start()
    assert (
        found["level"] == NATIVE
        and found["compiled"] == 2
        and found["description"].startswith("compiled on this machine")
    )
    assert tree.start()["compiled"] == 0
    callee.write_text(callee.read_text().removesuffix("# edited\n"))
    assert tree.start()["description"].startswith("the package")


def test_variables_of_numba_change_nothing(tree):
    (path,) = tree.compiled.glob("native-*")
    content = path.read_bytes()
    assert tree.build(NATIVE).returncode == 0
    if path.read_bytes() != content:
        pytest.skip("this version of Numba does not build the same bytes twice")
    done = tree.build(NATIVE, NUMBA_OPT="0", NUMBA_BOUNDSCHECK="1", NUMBA_DEBUGINFO="1")
    assert done.returncode == 0
    assert path.read_bytes() == content


def test_builds_that_carry_no_kernels(tree):
    done = tree.build("native nonsense")
    assert done.returncode == 2
    assert "ZOBRA_KERNELS: 'nonsense' is not a level" in done.stderr
    assert "Traceback" not in done.stderr
    assert tree.build("").returncode == 0
    assert not list(tree.compiled.glob("*"))
    assert tree.start()["compiled"] == 2

    (tree.engine / "callee.py").write_text("import no_such_module\n")
    done = tree.build("native portable")
    assert done.returncode == 1
    assert "could not be compiled" in done.stderr
    assert not list(tree.compiled.glob("*"))

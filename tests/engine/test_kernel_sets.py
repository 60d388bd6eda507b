"""The kernels that the package carries: which set is used on which processor, and that none is used
that does not fit.
"""

import shutil

import pytest

from tests.support.kernel_tree import Tree, full_disk
from zobra.engine.kernels.processor import (
    ARCHITECTURE,
    LEVELS,
    NATIVE,
    PORTABLE,
    Target,
    levels_of,
    target_of,
)
from zobra.engine.kernels.sources import digest

V2, V3, V4 = "x86-64-v2", "x86-64-v3", "x86-64-v4"
SUPPORTED = levels_of(target_of(NATIVE))


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
        if path.name.removesuffix(".kernels") not in levels:
            path.unlink()


def test_levels_and_digests_of_processors():
    if ARCHITECTURE == "x86_64":
        assert levels_of(target_of(V3)) == [V3, V2]
        slow = Target(NATIVE, "znver2", target_of(V4).attributes)
        assert (
            levels_of(slow) == [V2] and not slow.extracts_bits() and target_of(V3).extracts_bits()
        )
    assert levels_of(Target(NATIVE, "unknown", "")) == (
        [] if ARCHITECTURE == "x86_64" else [PORTABLE]
    )
    with pytest.raises(ValueError, match="'nonsense' is no level"):
        target_of("nonsense")
    older, newer = (
        Target(NATIVE, "rocketlake", f"+avx512f,{more}") for more in ("+evex512,-sse4a", "+avx10.1")
    )  # LLVM 20, 22
    assert (
        digest(older) == digest(newer) != digest(Target(NATIVE, "rocketlake", "-avx512f,+evex512"))
    )


def test_the_set_for_this_processor_or_level_is_used_and_nothing_is_written(tree):
    for level in (NATIVE, *SUPPORTED):
        found = tree.start(ZOBRA_LEVEL=level)
        assert found["compiled"] == 0 and found["notices"] == [] and found["level"] == level
    assert tree.start(ZOBRA_LEVEL="portable")["level"] == PORTABLE
    found = tree.start(ZOBRA_LEVEL="nonsense")
    assert found["level"] == NATIVE and "ZOBRA_LEVEL=nonsense is passed over" in found["notices"][0]
    with full_disk():
        found = tree.start("compile all")
    assert found["compiled"] == 0 and found["notices"] == [] and not tree.store.exists()
    assert found["description"].startswith("the package: for exactly this processor")


@pytest.mark.skipif(V3 not in SUPPORTED, reason="needs an x86-64 processor of level 3")
def test_a_set_for_a_better_processor_is_never_run(tree):
    """As in a container image that was built on another processor: the next lower set, or a
    compilation.
    """
    keep(tree, NATIVE, V2, V4)
    found = tree.start(ZOBRA_LEVEL=V3)
    assert found["level"] == V2 and found["compiled"] == 0
    keep(tree, NATIVE, V4)
    found = tree.start(ZOBRA_LEVEL=V3)
    assert (
        found["level"] == V3
        and found["compiled"] == 2
        and "compiled on this machine" in found["description"]
    )


def test_on_another_processor_the_portable_set_is_used_until_a_warmup(tree):
    keep(tree, PORTABLE)
    found = tree.start()
    assert found["level"] == PORTABLE and found["compiled"] == 0 and not tree.store.exists()
    assert len(found["notices"]) == 1 and "zobra warmup" in found["notices"][0]
    found = tree.start("compile all", ZOBRA_LEVEL=NATIVE)
    assert found["level"] == NATIVE and found["compiled"] == 2
    found = tree.start()
    assert found["level"] == NATIVE and found["compiled"] == 0 and found["notices"] == []
    assert "user's store" in found["description"]


@pytest.mark.parametrize("damage", [b"", b"no checksum", "one bit", "folder"])
def test_a_damaged_set_is_passed_over(tree, damage):
    path = tree.compiled / "native.kernels"
    *content, last = path.read_bytes()
    path.unlink()
    path.mkdir() if damage == "folder" else path.write_bytes(
        bytes([*content, last ^ 1]) if damage == "one bit" else damage
    )
    found = tree.start()
    assert found["level"] in LEVELS and found["compiled"] == 0 and "damaged" in found["notices"][0]


def test_a_set_made_from_other_sources_is_not_used(tree):
    callee = tree.engine / "callee.py"
    callee.write_text(callee.read_text() + "# edited\n")
    found = tree.start()
    assert (
        found["level"] == NATIVE
        and found["compiled"] == 2
        and found["description"].endswith("this processor")
    )
    assert tree.start()["compiled"] == 0
    assert tree.start(NUMBA_OPT="1")["description"].endswith("no set for NUMBA_OPT=1")
    (tree.compiled / "native.kernels").write_bytes(
        (tree.compiled / f"{PORTABLE}.kernels").read_bytes()
    )
    callee.write_text(callee.read_text().removesuffix("# edited\n"))
    assert tree.start()["level"] in LEVELS


def test_builds_that_carry_no_kernels(tree):
    done = tree.build("native nonsense")
    assert (
        done.returncode == 2
        and "ZOBRA_KERNELS: 'nonsense' is no level" in done.stderr
        and "Traceback" not in done.stderr
    )
    assert tree.build("").returncode == 0 and not list(tree.compiled.glob("*"))
    assert tree.start()["compiled"] == 2
    (tree.engine / "callee.py").write_text("import no_such_module\n")
    done = tree.build("native portable")
    assert (
        done.returncode == 1
        and "could not be compiled" in done.stderr
        and not list(tree.compiled.glob("*"))
    )

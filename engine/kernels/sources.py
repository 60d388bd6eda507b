"""The digest: which source files end up in kernels, and one number that changes with any of them.

So the code that runs is always the code in the tree, and two checkouts keep their kernels side by
side.
"""

import ast
import hashlib
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.util import resolve_name
from pathlib import Path

from zobra.engine.kernels.processor import PLATFORM, Target

ROOT = Path(__file__).resolve().parent.parent.parent
KERNEL_PACKAGES = ("engine", "engine/kernels", "tt", "search")
INSTALLED = {"site-packages", "dist-packages"}  # in the paths of libraries
RENAMED = {
    "+evex512",
    "+avx10.1",
    "+avx10.1-256",
    "+avx10.1-512",
}  # what AVX-512 is called as well, by some versions of LLVM


@cache
def kernel_sources() -> dict[Path, None]:
    """Every Python file whose content can end up in the engine's compiled code, in a fixed
    order.
    """
    return dict.fromkeys(
        path for package in KERNEL_PACKAGES for path in sorted((ROOT / package).glob("*.py"))
    )


def import_kernel_sources() -> None:
    """Import every module that the engine's kernels are in: all but the compile layer, whose
    compiler imports Numba.
    """
    for path in kernel_sources():
        if path.parent != Path(__file__).resolve().parent:
            import_module(
                ".".join(("zobra", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(
                    ".__init__"
                )
            )


def source_file(name: str) -> Path:
    """The file of an imported module; this file for one that has none."""
    return Path(getattr(sys.modules.get(name), "__file__", None) or __file__).resolve()


def import_hash(name: str) -> str:
    """A hash of a module's source and of those that it imports, directly or not, without what is
    installed or in the digest.
    """
    found, waiting = dict[str, Path](), {name}
    while waiting:
        path = source_file(current := waiting.pop())
        is_library = current.split(".")[0] in sys.stdlib_module_names or INSTALLED & set(path.parts)
        if is_library or path.suffix != ".py" or path in kernel_sources():
            continue
        found[current] = path
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                waiting |= {alias.name for alias in node.names} - found.keys()
            elif isinstance(node, ast.ImportFrom):
                base = resolve_name(
                    "." * node.level + (node.module or ""), sys.modules[current].__package__
                )
                waiting |= {base, *(f"{base}.{alias.name}" for alias in node.names)} - found.keys()
    return _hash(sorted(found.values()))


def _hash(paths: Iterable[Path]) -> str:
    """A hash of names and contents."""
    return hashlib.sha256(
        b"".join(path.name.encode() + b"\0" + path.read_bytes() + b"\0" for path in paths)
    ).hexdigest()


@cache
def _source_hash() -> str:
    return _hash(kernel_sources())


def digest(target: Target) -> str:
    """Return 20 hexadecimal digits for the sources, the target and the platform.

    Object code needs neither Python nor Numba, so their versions are no part of it, nor are the
    names that change with LLVM's.
    """
    has = sorted({name for name in target.attributes.split(",") if name.startswith("+")} - RENAMED)
    return hashlib.sha256(
        repr((_source_hash(), target.level, target.name, has, PLATFORM)).encode()
    ).hexdigest()[:20]

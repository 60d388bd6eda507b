"""The digest: which source files end up in kernels, and one number that changes with any of them.

So the code that runs is always the code in the tree, and two checkouts keep their kernels side by side.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from zobra.engine.kernels.processor import PLATFORM, Target

ROOT = Path(__file__).resolve().parent.parent.parent
KERNEL_PACKAGES = ("engine", "engine/kernels", "tt", "search")
KERNEL_FOLDERS = {ROOT / package for package in KERNEL_PACKAGES}
DIGEST_LENGTH = 20


def kernel_sources() -> list[Path]:
    """Every Python file whose content can end up in the engine's compiled code, in a fixed order."""
    return [path for package in KERNEL_PACKAGES for path in sorted((ROOT / package).glob("*.py"))]


def is_kernel_source(path: Path) -> bool:
    """Is this file's content part of the digest?"""
    return path.parent in KERNEL_FOLDERS


def import_kernel_sources() -> None:
    """Import every module that the engine's kernels are in: all but the compile layer, whose compiler imports Numba."""
    for path in kernel_sources():
        if path.parent != Path(__file__).resolve().parent:
            import_module(".".join(("zobra", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__"))


def imported_files(path: Path) -> list[Path]:
    """A source file and those of ours that it imports, directly or not, in a fixed order; kernel sources are not followed."""
    found, waiting = {path}, [path]
    while waiting:
        if is_kernel_source(current := waiting.pop()):
            continue
        names: set[str] = set()
        for node in ast.walk(ast.parse(current.read_bytes())):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        modules = [sys.modules[name] for name in names if name in sys.modules]
        files = {Path(file).resolve() for module in modules if (file := getattr(module, "__file__", None))}
        ours = {file for file in files - found if ROOT in file.parents or path.parent in file.parents}
        waiting += ours
        found |= ours
    return sorted(found)


def hash_files(paths: Iterable[Path]) -> Any:
    """A hash of names and contents."""
    total = hashlib.sha256()
    for path in paths:
        total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total


@cache
def _source_hash() -> Any:
    return hash_files(kernel_sources())


def digest(target: Target, *more: object) -> str:
    """20 hexadecimal digits for the sources, the target, the platform and whatever `more` the code depends on.

    Object code needs neither Python nor Numba, so their versions are no part of it.
    """
    total = _source_hash().copy()
    total.update(repr((*target, PLATFORM, *more)).encode())
    return total.hexdigest()[:DIGEST_LENGTH]

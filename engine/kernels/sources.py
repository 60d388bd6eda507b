"""Which source files end up in kernels, and names for compiled code that change with any of them.

Therefore the code that runs is always the code in the tree, and several checkouts can share a
store.
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
LIBRARIES = {"site-packages", "dist-packages"}  # in the paths of what is installed
# Other names of AVX-512 in some versions of LLVM
AVX512_ALIASES = {"+evex512", "+avx10.1", "+avx10.1-256", "+avx10.1-512"}


@cache
def engine_sources() -> list[Path]:
    """Return every Python file that can end up in the engine's kernels, in a fixed order."""
    return [path for package in KERNEL_PACKAGES for path in sorted((ROOT / package).glob("*.py"))]


def import_engine() -> None:
    """Import every module of the engine that has kernels, all outside this package."""
    for path in engine_sources():
        if path.parent != Path(__file__).resolve().parent:
            parts = path.relative_to(ROOT).with_suffix("").parts
            import_module(".".join(("zobra", *parts)).removesuffix(".__init__"))


@cache
def set_name(target: Target) -> str:
    """Return the name of the set of the engine's kernels for a target.

    It is the level and a digest of the sources, the processor and the platform. Object code needs
    neither Python nor Numba, so their versions are not included.
    """
    attributes = target.attributes.split(",")
    features = sorted({each for each in attributes if each.startswith("+")} - AVX512_ALIASES)
    facts = repr((_engine_hash(), target.level, target.name, features, PLATFORM))
    return f"{target.level}-{hashlib.sha256(facts.encode()).hexdigest()[:20]}"


def sources_of(module: str) -> list[Path]:
    """Return a module's source and those of everything that it imports, directly or not.

    The engine's sources are left out, because they are in the name of the set. So are libraries,
    unless the module itself is in one.
    """
    package = module.partition(".")[0]
    found: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = source_file(name)
        if path is None or name in found or path in engine_sources():
            continue
        if name.partition(".")[0] == package or not _is_library(name, path):
            found[name] = path
            waiting += _imported_names(name, path)
    return sorted(found.values())


def source_file(module: str) -> Path | None:
    """Return the Python file of an imported module, or None if it has none."""
    path = getattr(sys.modules.get(module), "__file__", None)
    return Path(path).resolve() if path and path.endswith(".py") else None


def _is_library(module: str, path: Path) -> bool:
    is_installed = not LIBRARIES.isdisjoint(path.parts)
    return is_installed or module.partition(".")[0] in sys.stdlib_module_names


def _imported_names(module: str, path: Path) -> list[str]:
    """Return the modules that a source may import; some of the names are not modules.

    With a module its packages are imported, too.
    """
    names = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            relative = "." * node.level + (node.module or "")
            base = resolve_name(relative, sys.modules[module].__package__)
            names += [f"{base}.{alias.name}" for alias in node.names]
    return [".".join(parts) for name in names for parts in _beginnings(name.split("."))]


def _beginnings(parts: list[str]) -> list[list[str]]:
    return [parts[:length] for length in range(1, len(parts) + 1)]


@cache
def _engine_hash() -> str:
    return hash_sources(engine_sources())


def hash_sources(paths: Iterable[Path]) -> str:
    """Return a hash of the names and contents of files."""
    contents = [path.name.encode() + b"\0" + path.read_bytes() + b"\0" for path in paths]
    return hashlib.sha256(b"".join(contents)).hexdigest()

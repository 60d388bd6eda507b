"""The order of the house: who may import whom, how long things may be, and who may touch Numba."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAY_IMPORT = {
    "engine": {"engine"},
    "tt": {"engine", "tt"},
    "search": {"engine", "tt", "search"},
    "uci": {"engine", "tt", "search", "uci", "arena", "train"},
    "arena": {"arena"},
    "train": {"engine", "tt", "search", "train", "arena"},
    "api": {"engine", "tt", "search", "api"},
}
NUMBA_DOOR = "engine/kernels"
LONGEST_FILE, LONGEST_FUNCTION, LONGEST_NODE = 350, 60, 100
FILES = [path for package in MAY_IMPORT for path in sorted((ROOT / package).rglob("*.py"))]


def imports(path: Path) -> set[str]:
    """Every module that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(str(node.module))
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path):
    package = path.relative_to(ROOT).parts[0]
    for module in imports(path):
        parts = module.split(".")
        assert parts[0] not in MAY_IMPORT, f"{module}: import it as zobra.{module}"
        if parts[0] == "zobra" and len(parts) > 1:
            assert parts[1] in MAY_IMPORT[package], f"{package} must not import {module}"
        if parts[0] in ("numba", "llvmlite"):
            assert str(path.parent.relative_to(ROOT)) == NUMBA_DOOR, f"only {NUMBA_DOOR} may import {module}"


@pytest.mark.parametrize("package", ["zobra.arena", "zobra.train"])
def test_only_the_command_line_knows_the_tools(package):
    knowing = {path.name for path in (ROOT / "uci").glob("*.py") if any(m.startswith(package) for m in imports(path))}
    assert knowing == {"command_line.py"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_are_short(path):
    text = path.read_text()
    assert len(text.splitlines()) <= LONGEST_FILE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            limit = LONGEST_NODE if node.name == "negamax" else LONGEST_FUNCTION
            assert node.end_lineno is not None
            lines = text.splitlines()[node.lineno - 1 : node.end_lineno]
            if node.name == "negamax":  # its headings and blank lines do not count
                lines = [line for line in lines if line.strip() and not line.strip().startswith("#")]
            assert len(lines) <= limit, node.name


@pytest.mark.parametrize(
    "path", [p for p in FILES if p.relative_to(ROOT).parts[0] in ("engine", "tt", "search")], ids=lambda p: p.stem
)
def test_public_functions_say_what_they_do(path):
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{node.name} has no docstring"


# Clearer as numbers: small counts and shifts, halves, squares of a board, and the units of time and of fixed-point fractions.
PLAIN_NUMBERS = {*range(17), 0.5, 64, 100, 1000, 1024}


def unnamed_numbers(text: str) -> list[str]:
    """Numbers used inside functions, but for plain ones and the defaults of arguments (which their argument names)."""
    found = []
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for node in [inner for statement in function.body for inner in ast.walk(statement)]:
            if isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value not in PLAIN_NUMBERS:
                found.append(f"line {node.lineno}: {node.value}")
    return found


@pytest.mark.parametrize("path", [path for path in FILES if path.parent.name == "search"], ids=lambda path: path.stem)
def test_tunable_numbers_of_the_search_have_names(path):
    assert not unnamed_numbers(path.read_text())


def test_what_counts_as_an_unnamed_number():
    text = "MARGIN = 75\ndef f(size: int = 160, *, more=300):\n    x = 0 + 3 + 2 * MARGIN{}\n    return x\n"
    assert unnamed_numbers(text.format("")) == []
    assert unnamed_numbers(text.format(" + 30")) == ["line 3: 30"]
    assert unnamed_numbers(text.format(" * 0.7 - 101")) == ["line 3: 101", "line 3: 0.7"]
    assert unnamed_numbers("class A:\n    limit = 90\n    def f(self):\n        return lambda: -70\n") == ["line 4: 70"]

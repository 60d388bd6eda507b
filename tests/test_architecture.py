"""The order of the house: who may import whom, how long things may be, which words are in use, and who may touch Numba."""

import ast
import re
from collections import defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter
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
MOST_IMPORTS, MOST_PARAMETERS = 15, 6
MANY_PARAMETERS = {"negamax", "store", "pack"}  # the node function, and what it writes to the table
BUDGETS = {  # physical lines of Python; a number here may only fall
    ("engine", "tt", "search", "uci"): 7_400,
    ("api",): 180,
    ("arena", "train"): 6_500,
    ("benchmarks",): 600,
    ("tests",): 12_800,
}
PRIVATE_WORDS = re.compile(  # names that were in use before the standard terms
    r"\b(?:"
    r"standing_far_above_beta|toward_beta|passing_may_refute|worth_of_passing|passing_needs_verification|"
    r"cannot_matter|late_moves_are_hopeless|quiet_moves_are_futile|has_bad_history|loses_the_exchange|"
    r"confirming_depth|singular_bound|table_decides|refined|ask_table|tell_table|assess|conclude|is_whole|"
    r"most_it_gains|exchange_reaches|remember_line|remember_tried|learn_cutoff|structure_keys|Allotment|Pace|Team|"
    r"Deepening|MAKE_NOISY|START_BAD_NOISY|Chain|Unfit)\b"
)
FILES = [path for package in MAY_IMPORT for path in sorted((ROOT / package).rglob("*.py"))]
IDS = [str(path.relative_to(ROOT)) for path in FILES]


def folder(path: Path) -> str:
    """The top-level folder that a file lives in."""
    return path.relative_to(ROOT).parts[0]


def without_type_checking(tree: ast.AST) -> ast.AST:
    """The tree without the blocks that only type checkers see."""

    class Remover(ast.NodeTransformer):
        def visit_If(self, node: ast.If) -> ast.AST | None:
            return None if "TYPE_CHECKING" in ast.unparse(node.test) else self.generic_visit(node)

    return Remover().visit(tree)


@cache
def imports(path: Path) -> set[str]:
    """Every module that a file imports at run time, wherever in it, and every name it takes from one."""
    found = set()
    for node in ast.walk(without_type_checking(ast.parse(path.read_text()))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(str(node.module))
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def module_name(path: Path) -> str:
    """The name by which a file is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(["zobra", *(parts[:-1] if parts[-1] == "__init__" else parts)])


MODULES = {module_name(path): path for path in FILES}


@cache
def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """All functions of a file, methods and inner ones too."""
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_imports_go_one_way(path):
    for module in imports(path):
        parts = module.split(".")
        assert parts[0] not in MAY_IMPORT, f"{module}: import it as zobra.{module}"
        if parts[0] == "zobra" and len(parts) > 1:
            assert parts[1] in MAY_IMPORT[folder(path)], f"{folder(path)} must not import {module}"
        if parts[0] in ("numba", "llvmlite"):
            assert str(path.parent.relative_to(ROOT)) == NUMBA_DOOR, f"only {NUMBA_DOOR} may import {module}"


def test_there_are_no_circles():
    graph = {name: {module for module in imports(path) if module in MODULES} - {name} for name, path in MODULES.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"these modules import each other: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_modules_know_few_others(path):
    ours = {module for module in imports(path) if module in MODULES}
    assert len(ours) <= MOST_IMPORTS, sorted(ours)


@pytest.mark.parametrize("package", ["zobra.arena", "zobra.train"])
def test_only_the_command_line_knows_the_tools(package):
    knowing = {path.name for path in (ROOT / "uci").glob("*.py") if any(m.startswith(package) for m in imports(path))}
    assert knowing == {"command_line.py"}


@pytest.mark.parametrize("folders", BUDGETS, ids="+".join)
def test_folders_keep_their_budgets(folders):
    lines = sum(len(path.read_text().splitlines()) for name in folders for path in (ROOT / name).rglob("*.py"))
    assert lines <= BUDGETS[folders]


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_files_and_functions_are_short(path):
    assert len(path.read_text().splitlines()) <= LONGEST_FILE
    for node in functions(path):
        assert node.end_lineno is not None
        assert node.name == "negamax" or node.end_lineno - node.lineno < LONGEST_FUNCTION, node.name


def test_the_node_function_is_short():
    """Lines of code: without comments, blank lines and the docstring."""
    path = ROOT / "search" / "negamax.py"
    (node,) = (each for each in functions(path) if each.name == "negamax")
    body = path.read_text().splitlines()[node.body[1].lineno - 1 : node.end_lineno]
    assert sum(bool(line.strip()) and not line.strip().startswith("#") for line in body) <= LONGEST_NODE


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_functions_take_few_parameters(path):
    for node in functions(path):
        is_command = any(
            ".command" in ast.unparse(decorator) for decorator in node.decorator_list
        ) or "Annotated" in ast.unparse(node.args)
        is_exempt = is_command or path.stem.endswith("command") or node.name in MANY_PARAMETERS
        names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        assert is_exempt or len(set(names) - {"self", "cls"}) <= MOST_PARAMETERS, f"{node.name}: {names}"


@pytest.mark.parametrize(
    "path", [path for path in FILES if folder(path) in ("engine", "tt", "search")], ids=lambda path: path.stem
)
def test_public_functions_say_what_they_do(path):
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{node.name} has no docstring"


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_names_are_standard_terms(path):
    assert not PRIVATE_WORDS.findall(path.read_text()), "the standard terms of chess programming are the names"


def test_one_class_name_is_one_thing():
    places = defaultdict(list)
    for path in [*FILES, *sorted((ROOT / "benchmarks").rglob("*.py"))]:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path.relative_to(ROOT)))
    assert not {name: files for name, files in places.items() if len(files) > 1}


# Clearer as numbers: small counts and shifts, halves, squares of a board, and the units of time and of fixed-point fractions.
PLAIN_NUMBERS = {*range(17), 0.5, 64, 100, 1000, 1024}


@pytest.mark.parametrize("path", [path for path in FILES if path.parent.name == "search"], ids=lambda path: path.stem)
def test_tunable_numbers_of_the_search_have_names(path):
    """Inside functions, but for plain ones and the defaults of arguments (which their argument names)."""
    for node in [inner for function in functions(path) for statement in function.body for inner in ast.walk(statement)]:
        is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
        assert not is_number or node.value in PLAIN_NUMBERS, f"line {node.lineno}: {node.value}"

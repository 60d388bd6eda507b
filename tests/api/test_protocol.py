"""`Engine` and `Analysis` have the methods of python-chess' `SimpleEngine` and
`SimpleAnalysisResult`, with the same arguments and types.
"""

import inspect
import types
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from chess.engine import SimpleAnalysisResult, SimpleEngine

from zobra.api import Analysis, Engine

OF_PROCESSES = {"communicate", "popen", "popen_uci", "popen_xboard"}  # no process, no text
SPECIAL = {"__enter__", "__iter__", "__next__"}
OURS = {SimpleEngine: Engine, SimpleAnalysisResult: Analysis, types.UnionType: Union}


def plain(kind: Any) -> tuple[Any, Any]:
    """A type and those it is made of, however they are written."""
    arguments = [plain(argument) for argument in get_args(kind)]
    origin = get_origin(kind) or kind
    origin = OURS.get(origin, origin)
    return origin, frozenset(arguments) if origin is Union else tuple(arguments)


def signature(method: Any) -> tuple[list[tuple], dict[str, tuple]]:
    """Return each argument's name, kind and whether it has a default, and all types by name."""
    arguments = [
        (each.name, each.kind, each.default is not inspect.Parameter.empty)
        for each in inspect.signature(method).parameters.values()
    ]
    return arguments, {name: plain(kind) for name, kind in get_type_hints(method).items()}


@pytest.mark.parametrize(
    ("ours", "theirs"), [(Engine, SimpleEngine), (Analysis, SimpleAnalysisResult)]
)
def test_methods_arguments_and_types_match(ours, theirs):
    names = {name for name in vars(theirs) if not name.startswith("_") or name in SPECIAL}
    assert len(names - OF_PROCESSES) >= 11
    for name in names - OF_PROCESSES:
        method = getattr(theirs, name)
        own = getattr(ours, name)
        if isinstance(method, property):
            method = method.fget
            own = own.fget
        assert signature(own) == signature(method), name

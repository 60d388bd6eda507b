"""Variants of the engine's kernels: a module's source, changed, and compiled without the kernel store."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

from zobra.engine.kernels import apart_from_store


def variant(module: ModuleType, change: Callable[[str], str] = str, **given: Any) -> dict[str, Any]:
    """Execute a module's source after `change`; return its names. `given` replaces imports of the same name."""
    source = change(inspect.getsource(module))
    for name in given:
        source = re.sub(rf"^from \S+ import {name}$", "", source, flags=re.MULTILINE)
    names: dict[str, Any] = {"__name__": module.__name__, **given}
    with apart_from_store():
        exec(compile(source, str(module.__file__), "exec"), names)
    return names

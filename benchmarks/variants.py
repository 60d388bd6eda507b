"""Variants of the engine's own kernels for measurements: a module's source, changed, and compiled apart from the cache."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from zobra.engine.kernels import cache


@contextmanager
def apart_from_cache() -> Iterator[None]:
    """Entries declared in here are compiled anew, and not kept: nothing may take them for the originals."""
    cache.takes_entries = False
    try:
        yield
    finally:
        cache.takes_entries = True


def variant(module: ModuleType, change: Callable[[str], str] = str, **given: Any) -> dict[str, Any]:
    """The names of a module whose source went through `change`; `given` names replace what it would import by that name."""
    source = change(inspect.getsource(module))
    for name in given:
        source = re.sub(rf"^from \S+ import {name}$", "", source, flags=re.MULTILINE)
    names: dict[str, Any] = {"__name__": module.__name__, **given}
    with apart_from_cache():
        exec(compile(source, str(module.__file__), "exec"), names)
    return names

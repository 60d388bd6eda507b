"""The decorators that declare kernels, and how Python calls them.

A `kernel` is called by other kernels only, and inlined at LLVM's discretion. An `entry` is called
from Python or calls itself. It has one explicit signature, and is the unit that is compiled, stored
and linked.

Declaring costs nothing. When an entry is called for the first time, its object code comes from the
set in use or from the user's store. Only if neither has it, Numba is imported and compiles it.
"""

import functools
import hashlib
import threading
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from zobra.engine.kernels import linker
from zobra.engine.kernels.kernel_set import ObjectCode
from zobra.engine.kernels.selection import selected
from zobra.engine.kernels.sources import (
    engine_sources,
    hash_sources,
    import_engine,
    set_name,
    source_file,
    sources_of,
)
from zobra.engine.kernels.types import KernelType
from zobra.engine.kernels.user_store import store

OPTIONS = {"nogil": True, "error_model": "numpy", "boundscheck": False, "no_cpython_wrapper": True}
SET_NAME = set_name(selected.target)  # of the set that this process uses
_entries: list["Entry"] = []
_loading = threading.RLock()


class Kernel:
    """A function to be compiled, which other kernels may call."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self._options = options

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's dispatcher of the function."""
        from zobra.engine.kernels.compiler import njit

        return njit(**self._options)(self.function)

    @property
    def _numba_type_(self) -> Any:
        """Tell Numba, which looks this name up in a kernel that it compiles, what to call."""
        return self.dispatcher._numba_type_

    def __call__(self, *values: Any) -> Any:
        """Raise TypeError: Python cannot call a kernel."""
        raise TypeError(f"{self.function.__name__} can be called by kernels only")


class Entry(Kernel):
    """A kernel with a signature, which Python can call.

    `code` is its object code, or None before it is in memory.
    """

    def __init__(
        self, function: Callable[..., Any], result: KernelType, arguments: tuple[KernelType, ...]
    ) -> None:
        super().__init__(function, **OPTIONS)
        self.result = result
        self.arguments = arguments
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.code: ObjectCode | None = None
        self.file = Path(function.__code__.co_filename).resolve()
        self.is_engine = self.file in engine_sources()
        self._declared = time.time()
        self._is_specialised = False
        _entries.append(self)

    @cached_property
    def key(self) -> str:
        """The name, and a hash of everything that the object code depends on."""
        facts = [SET_NAME, *(kind.text for kind in (self.result, *self.arguments))]
        if not self.is_engine:
            digest, _ = self._sources
            facts.append(digest)
        return f"{self.name}-{hashlib.sha256(repr(facts).encode()).hexdigest()[:16]}"

    @cached_property
    def is_kept(self) -> bool:
        """Whether a store may hold the code: the name must be that of this function alone.

        That is not so of functions in functions, of what was typed in, and of sources that have
        changed since they were imported.
        """
        if "<" in self.name or self.file != source_file(self.function.__module__):
            return False
        if self.is_engine:
            return True
        _, changed = self._sources
        return changed <= self._declared

    @cached_property
    def _sources(self) -> tuple[str, float]:
        """The hash of what a user's kernel is made of, and when that was last changed."""
        paths = sources_of(self.function.__module__)
        digest = hash_sources(paths)
        return digest, max((path.stat().st_mtime for path in paths), default=0.0)

    def specialised(self) -> Any:
        """Return the dispatcher, compiled for only the declared types."""
        if not self._is_specialised:
            self._is_specialised = True  # for the calls to itself that are met while it is compiled
            try:
                self.dispatcher.compile(self.result(*self.arguments))
                self.dispatcher.disable_compile()
                if len(self.dispatcher.overloads) != 1:
                    raise TypeError(
                        f"{self.name} calls itself with other types than it declares: "
                        f"{self.dispatcher.signatures}"
                    )
            except BaseException:
                self._is_specialised = False
                raise
        return self.dispatcher

    @property
    def _numba_type_(self) -> Any:
        return self.specialised()._numba_type_

    def is_available(self) -> bool:
        """Return True if the object code is in memory, in the set in use or in the store."""
        with _loading:
            if self.code is None and self.is_kept:
                self.code = selected.kernels.get(self.key) or store.read(self.key).get(self.key)
            return self.code is not None

    def load(self) -> ObjectCode:
        """Return the object code; compile and store it if it is not available."""
        with _loading:
            if not self.is_available():
                from zobra.engine.kernels.compiler import object_code

                self.code = object_code(self.specialised())
                if self.is_kept:
                    store.write(self.key, {self.key: self.code})
            return self.code  # type: ignore[return-value]

    @cached_property
    def _call(self) -> Callable[..., Any]:
        selected.check_processor()
        if not self.is_available():
            with store.lock(SET_NAME):  # while this process waits, another may compile it
                self.load()
        with _loading:
            return linker.bind(self.load(), self.result, self.arguments)

    def __call__(self, *values: Any) -> Any:
        """Call the compiled function."""
        return self._call(*values)


class Numeric(Kernel):
    """A function over arrays of any type, which Python calls through Numba."""

    def __call__(self, *values: Any) -> Any:
        """Call the function through Numba, which compiles it for these types."""
        return self.dispatcher(*values)


def kernel(function: Callable[..., Any]) -> Kernel:
    """Declare a function that only kernels call."""
    return Kernel(function, no_cfunc_wrapper=True, **OPTIONS)


def inlined(function: Callable[..., Any]) -> Kernel:
    """Declare a kernel that is always inlined.

    It is for frequently executed kernels with a single caller that LLVM considers too long to
    inline.
    """
    return Kernel(function, no_cfunc_wrapper=True, forceinline=True, **OPTIONS)


def entry(result: KernelType, *arguments: KernelType) -> Callable[[Callable[..., Any]], Entry]:
    """Declare a kernel that Python calls, or that calls itself, with its types.

    A recursive call must pass exactly the declared types: a second signature would be a second copy
    of the code.
    """
    return lambda function: Entry(function, result, arguments)


def numeric(function: Callable[..., Any]) -> Numeric:
    """Declare a function over arrays of floats that Python calls.

    Each process compiles it again, for the types that occur. Sums may be reordered: results can
    differ in the last digits between processors.
    """
    return Numeric(function, nogil=True, fastmath=True, error_model="numpy")


def engine_entries() -> list[Entry]:
    """Return the engine's entries in all modules imported so far."""
    return [each for each in _entries if each.is_engine]


def missing() -> list[Entry]:
    """Return the engine's entries that must be compiled before they can be called."""
    return [each for each in engine_entries() if not each.is_available()]


def compile_missing(report: Callable[[int, int, str], None] = lambda *_: None) -> int:
    """Compile and store all kernels of the engine that are not available; return their number.

    report(index from 0, total number, name) is called before each kernel. An exception from
    `report` ends the compilation.
    """
    import_engine()
    if selected.kernels and not missing():
        return 0
    with store.lock(SET_NAME):
        wanted = missing()
        for number, each in enumerate(wanted):
            report(number, len(wanted), each.name)
            each.load()
        if not selected.kernels:
            kernels = {each.key: each.load() for each in engine_entries()}
            store.write(SET_NAME, kernels)
            store.remove_old()
    return len(wanted)

"""The decorators that declare kernels, and how Python calls them.

Kernels come in two sorts. A `kernel` is called by other kernels only, and inlined at LLVM's
discretion. An `entry` is called from Python or calls itself: it has one explicit signature, and is
the unit that is compiled, kept in a file and linked.

Declaring costs nothing. An entry that is called for the first time looks for its object code in the
set in use (`selection`) and in the user's store (`user_store`); LLVM links it in a millisecond
(`linker`). Only if it is in neither is Numba imported, to compile it (`compiler`). So a start of an
installed engine needs no Numba at all.
"""

import functools
import threading
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import zobra.engine.kernels.linker as linker
from zobra.engine.kernels.kernel_file import ObjectCode
from zobra.engine.kernels.selection import PACKAGE, selected, store
from zobra.engine.kernels.sources import (
    import_hash,
    import_kernel_sources,
    kernel_sources,
    source_file,
)
from zobra.engine.kernels.types import KernelType

OPTIONS = {"nogil": True, "error_model": "numpy", "boundscheck": False, "no_cpython_wrapper": True}
_entries: list["Entry"] = []
_loading = threading.RLock()


class Kernel:
    """A function to be compiled.

    Other kernels may call it; it is registered with Numba when one of them is compiled.
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        functools.update_wrapper(self, function)
        self.function, self._options = function, options

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's dispatcher of the function."""
        from zobra.engine.kernels.compiler import njit

        return njit(**self._options)(self.function)

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_

    def __call__(self, *values: Any) -> Any:
        """Not for Python: TypeError."""
        raise TypeError(f"{self.function.__name__} can be called by kernels only")


class Entry(Kernel):
    """A kernel with a signature, which Python calls.

    `code` is its object code, None before it is in memory.
    """

    def __init__(
        self, function: Callable[..., Any], result: KernelType, arguments: tuple[KernelType, ...]
    ) -> None:
        super().__init__(function, **OPTIONS)
        self.result, self.arguments = result, arguments
        self.code: ObjectCode | None = None
        file = Path(function.__code__.co_filename).resolve()
        self.is_engine = file in kernel_sources()
        self.is_kept = file == source_file(function.__module__) and "<" not in function.__qualname__
        self._is_specialised = False
        _entries.append(self)

    @cached_property
    def name(self) -> str:
        """The function's name, and a hash of what else than the digest can change it.

        Functions inside others may share it.
        """
        name = f"{self.function.__module__}.{self.function.__qualname__}"
        return name if self.is_engine else f"{name}-{import_hash(self.function.__module__)[:12]}"

    @cached_property
    def key(self) -> str:
        """Name and signature: what its object code is kept under.

        Networks of other widths make other signatures.
        """
        return (
            f"{self.name}({', '.join(each.text for each in self.arguments)}) -> {self.result.text}"
        )

    def specialised(self) -> Any:
        """The dispatcher, compiled for the declared types and for no others."""
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

    def is_loaded(self) -> bool:
        """Is the object code in memory, or can it be read from the set in use or from the store?"""
        with _loading:
            if self.code is None and self.is_kept:
                self.code = selected.kernels.get(self.key) or store.read(self.key).get(self.key)
            return self.code is not None

    def load(self) -> ObjectCode:
        """The object code. If it is not there it is compiled, and kept."""
        with _loading:
            if not self.is_loaded():
                from zobra.engine.kernels.compiler import object_code

                with store.lock():
                    if not self.is_loaded():  # another process may have been faster
                        self.code = object_code(self.specialised())
                        store.compiled += 1
                        if self.is_kept:
                            store.write({self.key: self.code}, self.key)
            return self.code  # type: ignore[return-value]

    @cached_property
    def _call(self) -> Callable[..., Any]:
        selected.check_processor()
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
    """Declare a function that only kernels call; it cannot be called from Python."""
    return Kernel(function, no_cfunc_wrapper=True, **OPTIONS)


def inlined(function: Callable[..., Any]) -> Kernel:
    """Declare a kernel that is always inlined: for hot ones with a single caller, which LLVM thinks
    too long.
    """
    return Kernel(function, no_cfunc_wrapper=True, forceinline=True, **OPTIONS)


def entry(result: KernelType, *arguments: KernelType) -> Callable[[Callable[..., Any]], Entry]:
    """Declare a kernel that Python calls, or that calls itself, with its result type and its
    argument types. A recursive call must pass exactly the declared types: a second signature would
    be a second copy of the code.
    """
    return lambda function: Entry(function, result, arguments)


def numeric(function: Callable[..., Any]) -> Numeric:
    """Declare a function over arrays of floats that Python calls, compiled anew in each process for
    the types it meets. Sums may be reordered: results can differ in the last digits between
    processors.
    """
    return Numeric(function, nogil=True, fastmath=True, error_model="numpy")


def engine_entries() -> list[Entry]:
    """Return the engine's entries, of the modules imported so far."""
    return [each for each in _entries if each.is_engine and each.is_kept]


def missing() -> list[Entry]:
    """Return those of the engine's entries that have to be compiled before they can be called."""
    return [each for each in engine_entries() if not each.is_loaded()]


def compile_missing(report: Callable[[int, int, str], None] = lambda *_: None) -> int:
    """Compile all of the engine's kernels that the package and the store lack; the number of
    kernels compiled.

    It is done in this thread, under the store's lock, and kept in the store. Before each kernel it
    calls report(number from 0, number of all, name); what `report` raises ends the compilation.
    """
    import_kernel_sources()
    if selected.origin and not missing():
        return 0
    with store.lock():
        wanted = missing()
        for number, each in enumerate(wanted):
            report(number, len(wanted), each.name)
            each.load()
        if selected.origin != PACKAGE and (wanted or not store.read()):
            store.write({each.key: each.load() for each in engine_entries()})
    return len(wanted)

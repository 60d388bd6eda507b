"""Object code made callable: LLVM links it into the process, ctypes calls it, and the interpreter is free meanwhile."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm

from zobra.engine.kernels.kernel_file import ObjectCode
from zobra.engine.kernels.types import BOOL, KernelType

NEVER_CALLED = ("Py", "_Py", "numba_", "NRT_")
_kept: list[Any] = []  # code that was linked stays to the end of the process: a thread may be in it


def bind(code: ObjectCode, result: KernelType, arguments: tuple[KernelType, ...]) -> Callable[..., Any]:
    """A Python function that calls the C function in this code. It releases the interpreter's lock."""
    linked = _link(code)
    _kept.append(linked)
    address = linked.get_function_address(code.symbol)
    function = ctypes.CFUNCTYPE(result.c_type, *(kind.c_type for kind in arguments))(address)
    converters = [kind.to_c for kind in arguments]

    def call(*values: Any) -> Any:
        return function(*[convert(value) for convert, value in zip(converters, values, strict=True)])

    def ask(*values: Any) -> bool:
        return bool(call(*values) & 1)

    return ask if result is BOOL else call


def _link(code: ObjectCode) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(_dead_ends(code.externals)), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code.data))
    engine.finalize_object()
    return engine


def _dead_ends(symbols: tuple[str, ...]) -> str:
    """LLVM code that stands for what Numba's wrappers want of Python and of Numba to raise exceptions, which kernels never do.

    It belongs to one engine. Symbols added to the process would be found by Numba, too, when it compiles something later.
    """
    unused = [symbol for symbol in symbols if symbol.startswith(NEVER_CALLED)]
    functions = [f"define void @{symbol}() {{ call void @llvm.trap() unreachable }}" for symbol in unused]
    return "\n".join(["declare void @llvm.trap()", *functions])

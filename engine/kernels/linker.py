"""Linking: LLVM links object code into the process, and ctypes calls it."""

import ctypes
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm

from zobra.engine.kernels.kernel_set import ObjectCode
from zobra.engine.kernels.types import KernelType

# Symbols by which Numba's wrappers would raise exceptions, which kernels never do
NEVER_CALLED = ("Py", "_Py", "numba_", "NRT_")
_kept: list[Any] = []  # linked code stays to the end of the process: a thread may be in it


def bind(
    code: ObjectCode, result: KernelType, arguments: tuple[KernelType, ...]
) -> Callable[..., Any]:
    """Link object code into the process, and return a Python function that calls it.

    A call releases the global interpreter lock.
    """
    function_type = ctypes.CFUNCTYPE(result.c_type, *(kind.c_type for kind in arguments))
    function = function_type(_address(code))
    converters = [int if kind.dtype is None else kind.address for kind in arguments]

    def call(*values: Any) -> Any:
        converted = [convert(value) for convert, value in zip(converters, values, strict=True)]
        return function(*converted)

    return call


def _address(code: ObjectCode) -> int:
    """Link object code, and return the address of its C function.

    Symbols that are never called become dead ends. They are local to one LLVM engine: added to
    the process, they would be found by Numba in later compilations.
    """
    dead_ends = [
        f"define void @{symbol}() {{ call void @llvm.trap() unreachable }}"
        for symbol in code.externals
        if symbol.startswith(NEVER_CALLED)
    ]
    module = llvm.parse_assembly("\n".join(["declare void @llvm.trap()", *dead_ends]))

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code.data))
    engine.finalize_object()
    _kept.append(engine)
    return engine.get_function_address(code.symbol)

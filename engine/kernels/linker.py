"""Object code made callable: LLVM links it into the process, ctypes calls it, and the interpreter is free meanwhile."""

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
    function = ctypes.CFUNCTYPE(result.c_type, *(kind.c_type for kind in arguments))(linked.get_function_address(code.symbol))
    converters = [int if kind.dtype is None else kind.address for kind in arguments]

    def call(*values: Any) -> Any:
        return function(*[convert(value) for convert, value in zip(converters, values, strict=True)])

    return (lambda *values: bool(call(*values) & 1)) if result is BOOL else call


def _link(code: ObjectCode) -> Any:
    """Add the code to the process, with a dead end for each symbol by which Numba's wrappers would raise exceptions.

    Kernels never do. A dead end belongs to one LLVM engine: Numba would find symbols that were added to the process, when it
    compiles something later.
    """
    unused = [symbol for symbol in code.externals if symbol.startswith(NEVER_CALLED)]
    dead_ends = [f"define void @{symbol}() {{ call void @llvm.trap() unreachable }}" for symbol in unused]
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly("\n".join(["declare void @llvm.trap()", *dead_ends])), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code.data))
    engine.finalize_object()
    return engine

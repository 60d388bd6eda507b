"""Object code made callable: LLVM links it into the process, ctypes calls it, and the interpreter
is free meanwhile.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm

from zobra.engine.kernels.kernel_file import ObjectCode
from zobra.engine.kernels.types import BOOL, KernelType

NEVER_CALLED = ("Py", "_Py", "numba_", "NRT_")
_kept: list[Any] = []  # code that was linked stays to the end of the process: a thread may be in it


def bind(
    code: ObjectCode, result: KernelType, arguments: tuple[KernelType, ...]
) -> Callable[..., Any]:
    """Link the code into the process: a Python function that calls its C function, and releases the
    interpreter's lock.

    Each symbol by which Numba's wrappers would raise exceptions becomes a dead end: kernels never
    do. It belongs to one LLVM engine, as Numba would find symbols that were added to the process
    when it compiles something later.
    """
    unused = [symbol for symbol in code.externals if symbol.startswith(NEVER_CALLED)]
    dead_ends = [
        f"define void @{symbol}() {{ call void @llvm.trap() unreachable }}" for symbol in unused
    ]
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    linked = llvm.create_mcjit_compiler(
        llvm.parse_assembly("\n".join(["declare void @llvm.trap()", *dead_ends])), machine
    )
    linked.add_object_file(llvm.ObjectFileRef.from_data(code.data))
    linked.finalize_object()
    _kept.append(linked)
    function = ctypes.CFUNCTYPE(result.c_type, *(kind.c_type for kind in arguments))(
        linked.get_function_address(code.symbol)
    )
    converters = [int if kind.dtype is None else kind.address for kind in arguments]

    def call(*values: Any) -> Any:
        return function(
            *[convert(value) for convert, value in zip(converters, values, strict=True)]
        )

    return (lambda *values: bool(call(*values) & 1)) if result is BOOL else call

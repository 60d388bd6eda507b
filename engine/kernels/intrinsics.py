"""Single instructions and other primitives that Python has no words for, as functions for kernels:
written in LLVM's code.
"""

import ctypes
import inspect
import sys
import time
from collections.abc import Callable
from functools import cached_property
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir

from zobra.engine.kernels.declare import Kernel
from zobra.engine.kernels.selection import selected
from zobra.engine.kernels.types import INT, VOID, WORD, KernelType, record

WORD64 = ir.IntType(64)


class Intrinsic(Kernel):
    """A function for kernels whose code is generated: it is registered with Numba when a kernel is
    compiled.
    """

    def __init__(
        self, emit: Callable[..., Any], result: KernelType, arguments: tuple[KernelType, ...]
    ) -> None:
        def generate_code(context, builder, signature, values):
            made = emit(builder, *values)
            return context.get_dummy_value() if result is VOID else made

        def types_and_code(typing_context, *kinds):
            return result(*(arguments or kinds)), generate_code

        # Numba counts the arguments
        types_and_code.__signature__ = inspect.signature(emit)  # type: ignore[attr-defined]
        super().__init__(emit)
        self._types_and_code = types_and_code

    @cached_property
    def _numba_type_(self) -> Any:
        from zobra.engine.kernels.compiler import type_of_intrinsic

        self._made, numba_type = type_of_intrinsic(self._types_and_code)
        return numba_type


def intrinsic(
    result: KernelType, *arguments: KernelType
) -> Callable[[Callable[..., Any]], Intrinsic]:
    """Declare a function for kernels by what emits its code: it takes LLVM's builder and the values
    of the arguments.

    Values are converted to the types of the arguments; where none are named, they come as they are.
    """
    return lambda emit: Intrinsic(emit, result, arguments)


def number(value: int, bits: int = 64) -> Any:
    """A constant in LLVM's code."""
    return ir.Constant(ir.IntType(bits), value)


def call(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    """Emit a call of a C function or an intrinsic of LLVM by its full name."""
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(
        builder.module.globals.get(name) or ir.Function(builder.module, kind, name), arguments
    )


def record_at(dtype: np.dtype) -> Intrinsic:
    """Make an intrinsic `view(address)`: the record of layout `dtype` that lies at a memory address
    (uint64).
    """

    @intrinsic(record(dtype), WORD)
    def view(builder, address):
        return builder.inttoptr(address, ir.ArrayType(ir.IntType(8), dtype.itemsize).as_pointer())

    return view


@intrinsic(VOID)
def copy_record(builder, target, source):
    """copy_record(target, source): copy a whole record in one memory move."""
    addresses = [builder.bitcast(place, ir.IntType(8).as_pointer()) for place in (target, source)]
    size, is_volatile = number(source.type.pointee.count), number(0, bits=1)
    call(builder, "llvm.memcpy.p0.p0.i64", ir.VoidType(), [*addresses, size, is_volatile])


@intrinsic(INT, WORD)
def population(builder, word):
    """population(word): number of bits set, as int64."""
    return builder.ctpop(word)


@intrinsic(WORD, WORD)
def lowest(builder, word):
    """lowest(word): index of the lowest bit set; undefined for zero."""
    return builder.cttz(word, number(1, bits=1))


@intrinsic(WORD, WORD, WORD)
def rotate_left(builder, word, count):
    """rotate_left(word, count): the 64 bits rotated left by count (modulo 64)."""
    return call(builder, "llvm.fshl.i64", WORD64, [word, word, count])


@intrinsic(WORD, WORD, WORD)
def _extract_bits(builder, word, mask):
    """extract_bits(word, mask): the bits of `word` under `mask`, packed together (PEXT)."""
    return call(builder, "llvm.x86.bmi.pext.64", WORD64, [word, mask])


# None where the target lacks the instruction (LLVM would abort the process) or runs it in slow
# microcode.
extract_bits: Any = _extract_bits if selected.target.extracts_bits() else None


@intrinsic(VOID, WORD)
def prefetch(builder, address):
    """prefetch(address): ask the processor to bring the cache line at this address near."""
    read, near, data = (number(value, bits=32) for value in (0, 3, 1))
    pointer = builder.inttoptr(address, ir.IntType(8).as_pointer())
    call(builder, "llvm.prefetch.p0", ir.VoidType(), [pointer, read, near, data])


@intrinsic(INT, WORD)
def load_flag(builder, address):
    """load_flag(address): the int64 at this address, read anew each time (a plain load is hoisted
    out of loops).
    """
    return builder.load_atomic(builder.inttoptr(address, WORD64.as_pointer()), "monotonic", 8)


ON_WINDOWS = sys.platform == "win32"
CLOCK = "QueryUnbiasedInterruptTime" if ON_WINDOWS else "clock_gettime"
if ON_WINDOWS:  # LLVM finds what the C library has by itself
    clock = ctypes.WinDLL("kernel32")[CLOCK]  # type: ignore[attr-defined]
    llvm.add_symbol(CLOCK, ctypes.cast(clock, ctypes.c_void_p).value)


@intrinsic(INT)
def monotonic_nanoseconds(builder):
    """monotonic_nanoseconds(): the system's monotonic clock, the one `time.monotonic_ns` reads
    where both are POSIX.
    """
    with builder.goto_entry_block():  # memory on the stack of the function that is being built
        time_read = builder.alloca(WORD64 if ON_WINDOWS else ir.ArrayType(WORD64, 2))
    if ON_WINDOWS:
        call(builder, CLOCK, ir.IntType(32), [time_read])
        return builder.mul(builder.load(time_read), number(100))
    call(builder, CLOCK, ir.IntType(32), [number(time.CLOCK_MONOTONIC, bits=32), time_read])
    seconds, rest = (builder.extract_value(builder.load(time_read), part) for part in (0, 1))
    return builder.add(builder.mul(seconds, number(1_000_000_000)), rest)

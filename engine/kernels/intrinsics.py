"""Single instructions and other primitives that Python cannot express, as functions for kernels.

They are emitted as LLVM IR.
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

BYTE = ir.IntType(8)
WORD32 = ir.IntType(32)
WORD64 = ir.IntType(64)


class Intrinsic(Kernel):
    """A function for kernels whose code is emitted, not compiled from Python."""

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
    """Declare a function for kernels by a function that emits its code.

    The emitting function takes LLVM's builder and the values of the arguments, converted to their
    types, or unconverted if no types are given.
    """
    return lambda emit: Intrinsic(emit, result, arguments)


def number(value: int, bits: int = 64) -> Any:
    """Return an LLVM constant."""
    return ir.Constant(ir.IntType(bits), value)


def call(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    """Emit a call of a C function, or of one of LLVM's intrinsics by its full name."""
    function = builder.module.globals.get(name)
    if function is None:
        kind = ir.FunctionType(result, [argument.type for argument in arguments])
        function = ir.Function(builder.module, kind, name)
    return builder.call(function, arguments)


def record_at(dtype: np.dtype) -> Intrinsic:
    """Make an intrinsic `view(address)`: the record of layout `dtype` at a memory address."""

    @intrinsic(record(dtype), WORD)
    def view(builder, address):
        return builder.inttoptr(address, ir.ArrayType(BYTE, dtype.itemsize).as_pointer())

    return view


@intrinsic(VOID)
def copy_record(builder, target, source):
    """copy_record(target, source): copy a whole record in one memory move."""
    to = builder.bitcast(target, BYTE.as_pointer())
    from_ = builder.bitcast(source, BYTE.as_pointer())
    size = number(source.type.pointee.count)
    is_volatile = number(0, bits=1)
    call(builder, "llvm.memcpy.p0.p0.i64", ir.VoidType(), [to, from_, size, is_volatile])


@intrinsic(INT, WORD)
def popcount(builder, word):
    """popcount(word): number of bits set, as int64."""
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


# None where the target lacks the instruction, for which LLVM would abort the process, or runs it in
# slow microcode.
extract_bits: Any = _extract_bits if selected.target.extracts_bits() else None


@intrinsic(VOID, WORD)
def prefetch(builder, address):
    """prefetch(address): ask the processor to load the cache line at this address."""
    pointer = builder.inttoptr(address, BYTE.as_pointer())
    to_read = number(0, bits=32)
    nearest = number(3, bits=32)
    data = number(1, bits=32)
    call(builder, "llvm.prefetch.p0", ir.VoidType(), [pointer, to_read, nearest, data])


@intrinsic(INT, WORD)
def load_flag(builder, address):
    """load_flag(address): the int64 at this address, read each time it is called.

    A plain load would be hoisted out of loops.
    """
    return builder.load_atomic(builder.inttoptr(address, WORD64.as_pointer()), "monotonic", 8)


ON_WINDOWS = sys.platform == "win32"
CLOCK = "QueryUnbiasedInterruptTime" if ON_WINDOWS else "clock_gettime"
if ON_WINDOWS:  # LLVM finds what the C library has by itself
    clock = ctypes.WinDLL("kernel32")[CLOCK]  # type: ignore[attr-defined]
    llvm.add_symbol(CLOCK, ctypes.cast(clock, ctypes.c_void_p).value)


@intrinsic(INT)
def monotonic_nanoseconds(builder):
    """monotonic_nanoseconds(): the system's monotonic clock.

    It is the one that `time.monotonic_ns` reads where both are POSIX.
    """
    with builder.goto_entry_block():  # memory on the stack of the function that is being built
        time_read = builder.alloca(WORD64 if ON_WINDOWS else ir.ArrayType(WORD64, 2))
    if ON_WINDOWS:
        call(builder, CLOCK, WORD32, [time_read])
        return builder.mul(builder.load(time_read), number(100))

    call(builder, CLOCK, WORD32, [number(time.CLOCK_MONOTONIC, bits=32), time_read])
    both = builder.load(time_read)
    seconds = builder.extract_value(both, 0)
    nanoseconds = builder.extract_value(both, 1)
    return builder.add(builder.mul(seconds, number(1_000_000_000)), nanoseconds)

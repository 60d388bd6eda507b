"""The one door to Numba: how kernels are declared, which machine instructions they may use, and where compiled code is kept.

Kernels come in two sorts. A `kernel` is called by other kernels only: it is compiled when first needed and inlined at LLVM's
discretion. An `entry` is called from Python or calls itself: it has one explicit signature, is compiled when its module is
imported, and is the unit that is cached on disk.

Numba stamps a cached entry with the content of its own file only, so a changed callee in another file would go unnoticed.
Compiled code therefore lives in a folder named by a digest of everything it depends on (see `kernel_cache`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from zobra.engine import kernel_cache

INT = types.int64
WORD = types.uint64
VOID = types.void
BOOL = types.boolean
FEATURES = kernel_cache.processor_features()
CLOCK_SYMBOL, CLOCK_ID = kernel_cache.clock_symbol()

OPTIONS = {"nogil": True, "error_model": "numpy", "boundscheck": False}
cache = kernel_cache.KernelCache()
numba.config.CACHE_DIR = cache.folder or ""


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Declare a function that only kernels call; it cannot be called from Python."""
    return njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **OPTIONS)(function)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Declare a kernel that is always inlined: for hot ones with a single caller, which LLVM thinks too long."""
    return njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True, **OPTIONS)(function)


def entry(*signature: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a kernel that Python calls, or that calls itself, with `signature` = result type, then argument types.

    A recursive call must pass exactly the declared types: a second signature makes the cached code unloadable.
    """

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        return cache.compile(lambda cached: njit(signature[0](*signature[1:]), cache=cached, **OPTIONS)(function))

    return declare


def record(dtype: np.dtype) -> types.Type:
    """The Numba type of one element of a structured array: passed by reference, without reference counts."""
    return numba.from_dtype(dtype)


def record_at(dtype: np.dtype) -> Any:
    """Make an intrinsic `view(address)`: the record of layout `dtype` that lies at a memory address (uint64)."""
    result = record(dtype)

    @intrinsic
    def view(typing_context, address):
        def generate_code(context, builder, signature, arguments):
            return builder.inttoptr(arguments[0], context.get_value_type(result))

        return result(WORD), generate_code

    return view


@intrinsic
def copy_record(typing_context, target, source):
    """copy_record(target, source): copy a whole record in one memory move."""

    def generate_code(context, builder, signature, arguments):
        size = ir.Constant(ir.IntType(64), source.size)
        cgutils.raw_memcpy(builder, arguments[0], arguments[1], size, 1)
        return context.get_dummy_value()

    return types.void(target, source), generate_code


@intrinsic
def population(typing_context, word):
    """population(word): number of bits set, as int64."""

    def generate_code(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return INT(WORD), generate_code


@intrinsic
def lowest(typing_context, word):
    """lowest(word): index of the lowest bit set; undefined for zero."""

    def generate_code(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return WORD(WORD), generate_code


@intrinsic
def rotate_left(typing_context, word, count):
    """rotate_left(word, count): the 64 bits rotated left by count (modulo 64)."""

    def generate_code(context, builder, signature, arguments):
        word64 = ir.IntType(64)
        kind = ir.FunctionType(word64, [word64] * 3)
        rotate = builder.module.declare_intrinsic("llvm.fshl", [word64], kind)
        return builder.call(rotate, [arguments[0], arguments[0], arguments[1]])

    return WORD(WORD, WORD), generate_code


@intrinsic
def _extract_bits(typing_context, word, mask):
    """extract_bits(word, mask): the bits of `word` under `mask`, packed together (PEXT)."""

    def generate_code(context, builder, signature, arguments):
        word64 = ir.IntType(64)
        kind = ir.FunctionType(word64, [word64, word64])
        extract = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pext.64")
        return builder.call(extract, arguments)

    return WORD(WORD, WORD), generate_code


# None where the processor lacks the instruction (LLVM would abort the process) or runs it in slow microcode.
extract_bits: Any = _extract_bits if FEATURES.get("bmi2") and not kernel_cache.extracts_bits_slowly() else None


def append_bits(dtype: np.dtype, field: str, lanes: int) -> Any:
    """Make an intrinsic `append(list, start, word, factor, base)` for records of layout `dtype`.

    For each bit set in `word`, the lowest first, it stores the uint16 `index × factor + base` in the array `field` from element
    `start` on, and returns the element after the last. The vector form has no branch, at most `lanes` bits may be set, and it
    writes `lanes` elements whatever the count: the array needs as much slack. None where the processor cannot compress bytes.
    """
    if not FEATURES.get("avx512vbmi2"):
        return None
    fields: Any = dtype.fields
    offset = fields[field][1]
    list_type = record(dtype)

    @intrinsic
    def append(typing_context, target, start, word, factor, base):
        def generate_code(context, builder, signature, arguments):
            pointer, first, bits, scale, addend = arguments
            bytes64 = ir.VectorType(ir.IntType(8), 64)
            mask_type, words = ir.VectorType(ir.IntType(1), 64), ir.VectorType(ir.IntType(16), lanes)
            indices = ir.Constant(bytes64, list(range(64)))
            kind = ir.FunctionType(bytes64, [bytes64, mask_type, bytes64])
            name = "llvm.experimental.vector.compress.v64i8"
            compress = cgutils.get_or_insert_function(builder.module, kind, name)
            mask = builder.bitcast(bits, mask_type)
            packed = builder.call(compress, [indices, mask, ir.Constant(bytes64, ir.Undefined)])
            order = ir.Constant(ir.VectorType(ir.IntType(32), lanes), list(range(lanes)))
            low = builder.shuffle_vector(packed, ir.Constant(bytes64, ir.Undefined), order)

            def splat(value):
                one = builder.insert_element(
                    ir.Constant(words, ir.Undefined),
                    builder.trunc(value, ir.IntType(16)),
                    ir.Constant(ir.IntType(32), 0),
                )
                zeros = ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes)
                return builder.shuffle_vector(one, ir.Constant(words, ir.Undefined), zeros)

            wide = builder.zext(low, words)
            values = builder.add(builder.mul(wide, splat(scale)), splat(addend))
            address = builder.add(builder.ptrtoint(pointer, ir.IntType(64)), ir.Constant(ir.IntType(64), offset))
            address = builder.add(address, builder.shl(first, ir.Constant(ir.IntType(64), 1)))
            builder.store(values, builder.inttoptr(address, words.as_pointer()), align=2)
            return builder.add(first, builder.ctpop(bits))

        return WORD(list_type, WORD, WORD, WORD, WORD), generate_code

    return append


@intrinsic
def prefetch(typing_context, address):
    """prefetch(address): ask the processor to bring the cache line at this address near."""

    def generate_code(context, builder, signature, arguments):
        byte_pointer, word32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte_pointer, word32, word32, word32])
        call = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        read, near, data = (ir.Constant(word32, value) for value in (0, 3, 1))
        builder.call(call, [builder.inttoptr(arguments[0], byte_pointer), read, near, data])
        return context.get_dummy_value()

    return types.void(WORD), generate_code


@intrinsic
def load_flag(typing_context, address):
    """load_flag(address): the int64 at this address, read anew each time (a plain load is hoisted out of loops)."""

    def generate_code(context, builder, signature, arguments):
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        return builder.load_atomic(pointer, "monotonic", 8)

    return INT(WORD), generate_code


@intrinsic
def monotonic_nanoseconds(typing_context):
    """monotonic_nanoseconds(): the system's monotonic clock, the one `time.monotonic_ns` reads where both are POSIX."""

    def posix(context, builder, signature, arguments):
        word64 = ir.IntType(64)
        timespec = cgutils.alloca_once(builder, ir.ArrayType(word64, 2))
        kind = ir.FunctionType(ir.IntType(32), [ir.IntType(32), timespec.type])
        call = cgutils.get_or_insert_function(builder.module, kind, CLOCK_SYMBOL)
        builder.call(call, [ir.Constant(ir.IntType(32), CLOCK_ID), timespec])
        seconds = builder.extract_value(builder.load(timespec), 0)
        rest = builder.extract_value(builder.load(timespec), 1)
        return builder.add(builder.mul(seconds, ir.Constant(word64, 1_000_000_000)), rest)

    def windows(context, builder, signature, arguments):
        word64 = ir.IntType(64)
        ticks = cgutils.alloca_once(builder, word64)
        kind = ir.FunctionType(ir.IntType(32), [word64.as_pointer()])
        builder.call(cgutils.get_or_insert_function(builder.module, kind, CLOCK_SYMBOL), [ticks])
        return builder.mul(builder.load(ticks), ir.Constant(word64, 100))

    return INT(), (windows if CLOCK_ID is None else posix)


def _load_lanes(builder: Any, pointer: Any, first: int, lanes: int) -> Any:
    """The int16 vector of `lanes` elements from `first` on, wherever in memory it lies."""
    short = ir.IntType(16)
    start = builder.gep(builder.bitcast(pointer, short.as_pointer()), [ir.Constant(ir.IntType(64), first)])
    place = builder.bitcast(start, ir.VectorType(short, lanes).as_pointer())
    return place, builder.load(place, align=2)


def vector_sums(dtype: np.dtype) -> tuple[Any, Any, Any]:
    """Make three intrinsics: add(target, source, row), subtract(target, source, row), exchange(target, source, came, left).

    The target becomes the source with rows added or subtracted. All are records of layout `dtype`, nothing but int16 numbers;
    LLVM cuts the vectors to what the processor has.
    """
    lanes, kind = dtype.itemsize // 2, record(dtype)

    def generator(*signs: int) -> Any:
        def generate_code(context, builder, signature, arguments):
            place, _ = _load_lanes(builder, arguments[0], 0, lanes)
            total = _load_lanes(builder, arguments[1], 0, lanes)[1]
            for sign, row in zip(signs, arguments[2:], strict=True):
                values = _load_lanes(builder, row, 0, lanes)[1]
                total = builder.add(total, values) if sign > 0 else builder.sub(total, values)
            builder.store(total, place, align=2)
            return context.get_dummy_value()

        return types.void(*[kind] * (2 + len(signs))), generate_code

    @intrinsic
    def add(typing_context, target, source, row):
        return generator(1)

    @intrinsic
    def subtract(typing_context, target, source, row):
        return generator(-1)

    @intrinsic
    def exchange(typing_context, target, source, came, left):
        return generator(1, -1)

    return add, subtract, exchange


def clipped_square_sum(dtype: np.dtype, ceiling: int, lanes: int = 32) -> Any:
    """Make an intrinsic `total(values, weights)`: the sum of clip(value, 0, ceiling)² × weight as an int64.

    Both are records of layout `dtype`. Each |ceiling × weight| has to fit in 16 bits and the whole sum in 32: then a product
    of shorts and a multiply-add of pairs do it all.
    """
    numbers, kind = dtype.itemsize // 2, record(dtype)
    lanes = min(lanes, numbers)
    shorts, words, halves = (ir.VectorType(ir.IntType(b), n) for b, n in ((16, lanes), (32, lanes), (32, lanes // 2)))

    def call(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
        kinds = ir.FunctionType(result, [argument.type for argument in arguments])
        return builder.call(cgutils.get_or_insert_function(builder.module, kinds, name), arguments)

    @intrinsic
    def total(typing_context, values, weights):
        def generate_code(context, builder, signature, arguments):
            zeros, most = (ir.Constant(shorts, [number] * lanes) for number in (0, ceiling))
            order = ir.VectorType(ir.IntType(32), lanes // 2)
            pair_sum = ir.Constant(halves, [0] * (lanes // 2))
            for first in range(0, numbers, lanes):
                value = _load_lanes(builder, arguments[0], first, lanes)[1]
                weight = _load_lanes(builder, arguments[1], first, lanes)[1]
                value = call(builder, f"llvm.smax.v{lanes}i16", shorts, [value, zeros])
                value = call(builder, f"llvm.smin.v{lanes}i16", shorts, [value, most])
                product = builder.mul(builder.sext(builder.mul(value, weight), words), builder.sext(value, words))
                even, odd = (
                    builder.shuffle_vector(
                        product,
                        ir.Constant(words, ir.Undefined),
                        ir.Constant(order, list(range(start, lanes, 2))),
                    )
                    for start in (0, 1)
                )
                pair_sum = builder.add(pair_sum, builder.add(even, odd))
            result = call(builder, f"llvm.vector.reduce.add.v{lanes // 2}i32", ir.IntType(32), [pair_sum])
            return builder.sext(result, ir.IntType(64))

        return INT(kind, kind), generate_code

    return total


def numeric(function: Callable[..., Any]) -> Callable[..., Any]:
    """Declare a function over arrays of floats that Python calls, compiled anew in each process for the types it meets.

    Sums may be reordered: results can differ in the last digits between processors.
    """
    return njit(nogil=True, fastmath=True, error_model="numpy")(function)

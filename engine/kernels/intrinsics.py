"""Single instructions and other primitives that Python has no words for, as functions for kernels: written in LLVM's code."""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from functools import cached_property
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir

from zobra.engine.kernels.selection import selected
from zobra.engine.kernels.types import INT, VOID, WORD, Record


def _clock_symbol() -> tuple[str, int | None]:
    """Name of the C function that reads the monotonic clock and the clock id it takes (None: the Windows form)."""
    if sys.platform != "win32":
        return "clock_gettime", int(time.CLOCK_MONOTONIC)
    library = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined]
    address = ctypes.cast(library.QueryUnbiasedInterruptTime, ctypes.c_void_p).value
    llvm.add_symbol("QueryUnbiasedInterruptTime", address)
    return "QueryUnbiasedInterruptTime", None


CLOCK_SYMBOL, CLOCK_ID = _clock_symbol()


class Intrinsic:
    """A function for kernels whose code is generated: Numba is imported, and told of it, when a kernel is compiled."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *values: Any) -> Any:
        """Not for Python: TypeError."""
        raise TypeError(f"{self.function.__name__} can be called by kernels only")

    @cached_property
    def _numba_type_(self) -> Any:
        from zobra.engine.kernels.compiler import type_of_intrinsic

        self._made, numba_type = type_of_intrinsic(self.function)
        return numba_type


def _call(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    """Call a C function or an intrinsic of LLVM by its full name."""
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    return builder.call(function, arguments)


def _local(builder: Any, kind: Any) -> Any:
    """Memory for a local variable of an LLVM type, on the stack of the function that is being built."""
    with builder.goto_entry_block():
        return builder.alloca(kind)


def record_at(dtype: np.dtype) -> Any:
    """Make an intrinsic `view(address)`: the record of layout `dtype` that lies at a memory address (uint64)."""
    result = Record(dtype)

    @Intrinsic
    def view(typing_context, address):
        def generate_code(context, builder, signature, arguments):
            return builder.inttoptr(arguments[0], context.get_value_type(result.numba_type))

        return result(WORD), generate_code

    return view


@Intrinsic
def copy_record(typing_context, target, source):
    """copy_record(target, source): copy a whole record in one memory move."""

    def generate_code(context, builder, signature, arguments):
        size, is_volatile = ir.Constant(ir.IntType(64), source.size), ir.Constant(ir.IntType(1), 0)
        addresses = [builder.bitcast(argument, ir.IntType(8).as_pointer()) for argument in arguments]
        _call(builder, "llvm.memcpy.p0.p0.i64", ir.VoidType(), [*addresses, size, is_volatile])
        return context.get_dummy_value()

    return VOID(target, source), generate_code


@Intrinsic
def population(typing_context, word):
    """population(word): number of bits set, as int64."""

    def generate_code(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return INT(WORD), generate_code


@Intrinsic
def lowest(typing_context, word):
    """lowest(word): index of the lowest bit set; undefined for zero."""

    def generate_code(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return WORD(WORD), generate_code


@Intrinsic
def rotate_left(typing_context, word, count):
    """rotate_left(word, count): the 64 bits rotated left by count (modulo 64)."""

    def generate_code(context, builder, signature, arguments):
        return _call(builder, "llvm.fshl.i64", ir.IntType(64), [arguments[0], arguments[0], arguments[1]])

    return WORD(WORD, WORD), generate_code


@Intrinsic
def _extract_bits(typing_context, word, mask):
    """extract_bits(word, mask): the bits of `word` under `mask`, packed together (PEXT)."""

    def generate_code(context, builder, signature, arguments):
        return _call(builder, "llvm.x86.bmi.pext.64", ir.IntType(64), list(arguments))

    return WORD(WORD, WORD), generate_code


# None where the target lacks the instruction (LLVM would abort the process) or runs it in slow microcode.
extract_bits: Any = _extract_bits if selected.target.extracts_bits() else None


def append_bits(dtype: np.dtype, field: str, lanes: int) -> Any:
    """Make an intrinsic `append(list, start, word, factor, base)` for records of layout `dtype`.

    For each bit set in `word`, the lowest first, it stores the uint16 `index × factor + base` in the array `field` from element
    `start` on, and returns the element after the last. The vector form has no branch, at most `lanes` bits may be set, and it
    writes `lanes` elements whatever the count: the array needs as much slack. None where the target cannot compress bytes.
    """
    if not selected.target.has("avx512vbmi2"):
        return None
    fields: Any = dtype.fields
    offset = fields[field][1]
    list_type = Record(dtype)

    @Intrinsic
    def append(typing_context, target, start, word, factor, base):
        def generate_code(context, builder, signature, arguments):
            pointer, first, bits, scale, addend = arguments
            bytes64 = ir.VectorType(ir.IntType(8), 64)
            mask_type, words = ir.VectorType(ir.IntType(1), 64), ir.VectorType(ir.IntType(16), lanes)
            indices = ir.Constant(bytes64, list(range(64)))
            mask = builder.bitcast(bits, mask_type)
            compressing = [indices, mask, ir.Constant(bytes64, ir.Undefined)]
            packed = _call(builder, "llvm.experimental.vector.compress.v64i8", bytes64, compressing)
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


@Intrinsic
def prefetch(typing_context, address):
    """prefetch(address): ask the processor to bring the cache line at this address near."""

    def generate_code(context, builder, signature, arguments):
        pointer = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        read, near, data = (ir.Constant(ir.IntType(32), value) for value in (0, 3, 1))
        _call(builder, "llvm.prefetch.p0", ir.VoidType(), [pointer, read, near, data])
        return context.get_dummy_value()

    return VOID(WORD), generate_code


@Intrinsic
def load_flag(typing_context, address):
    """load_flag(address): the int64 at this address, read anew each time (a plain load is hoisted out of loops)."""

    def generate_code(context, builder, signature, arguments):
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        return builder.load_atomic(pointer, "monotonic", 8)

    return INT(WORD), generate_code


@Intrinsic
def monotonic_nanoseconds(typing_context):
    """monotonic_nanoseconds(): the system's monotonic clock, the one `time.monotonic_ns` reads where both are POSIX."""

    def posix(context, builder, signature, arguments):
        word64 = ir.IntType(64)
        timespec = _local(builder, ir.ArrayType(word64, 2))
        _call(builder, CLOCK_SYMBOL, ir.IntType(32), [ir.Constant(ir.IntType(32), CLOCK_ID), timespec])
        seconds = builder.extract_value(builder.load(timespec), 0)
        rest = builder.extract_value(builder.load(timespec), 1)
        return builder.add(builder.mul(seconds, ir.Constant(word64, 1_000_000_000)), rest)

    def windows(context, builder, signature, arguments):
        word64 = ir.IntType(64)
        ticks = _local(builder, word64)
        _call(builder, CLOCK_SYMBOL, ir.IntType(32), [ticks])
        return builder.mul(builder.load(ticks), ir.Constant(word64, 100))

    return INT(), (windows if CLOCK_ID is None else posix)


def _load_lanes(builder: Any, pointer: Any, first: int, lanes: int) -> Any:
    """Where the int16 vector of `lanes` elements from `first` on lies, wherever in memory, and the vector itself."""
    short = ir.IntType(16)
    start = builder.gep(builder.bitcast(pointer, short.as_pointer()), [ir.Constant(ir.IntType(64), first)])
    place = builder.bitcast(start, ir.VectorType(short, lanes).as_pointer())
    return place, builder.load(place, align=2)


def row_sums(rows: np.dtype, table: np.dtype, field: str, changes: np.dtype, lanes: int = 128) -> Any:
    """Make an intrinsic `add_rows(target, source, table, changes)`: target = source + the rows added − the rows removed.

    Target and source are records of layout `rows`, nothing but int16 numbers; `field` of the table is an array of such rows.
    `changes` has the uint16 arrays `added` and `removed` of row numbers, and how many of each count, in `added_count` and
    `removed_count`. While rows are summed, `lanes` numbers stay in registers: LLVM cuts them to what the processor has.
    """
    list_fields: Any = changes.fields
    table_fields: Any = table.fields
    numbers, word = rows.itemsize // 2, ir.IntType(64)

    def load(builder, pointer, offset, kind, index, stride):
        place = builder.add(builder.ptrtoint(pointer, word), builder.mul(index, ir.Constant(word, stride)))
        place = builder.add(place, ir.Constant(word, offset))
        return builder.load(builder.inttoptr(place, kind.as_pointer()), align=2)

    def add_listed(builder, total, first, name, lists, owner):
        """A loop over the rows of one list, for the numbers from `first` on; the sum is carried in registers."""
        zero, start = ir.Constant(word, 0), builder.block
        count = load(builder, lists, list_fields[f"{name}_count"][1], word, zero, 0)
        head, body, done = (builder.append_basic_block() for _ in range(3))
        builder.branch(head)
        builder.position_at_end(head)
        index, carried = builder.phi(word), builder.phi(total.type)
        builder.cbranch(builder.icmp_unsigned("<", index, count), body, done)
        builder.position_at_end(body)
        number = builder.zext(load(builder, lists, list_fields[name][1], ir.IntType(16), index, 2), word)
        row = load(builder, owner, table_fields[field][1] + 2 * first, total.type, number, rows.itemsize)
        following = builder.add(carried, row) if name == "added" else builder.sub(carried, row)
        index.add_incoming(zero, start)
        index.add_incoming(builder.add(index, ir.Constant(word, 1)), body)
        carried.add_incoming(total, start)
        carried.add_incoming(following, body)
        builder.branch(head)
        builder.position_at_end(done)
        return carried

    @Intrinsic
    def add_rows(typing_context, target, source, table_record, changes_record):
        def generate_code(context, builder, signature, arguments):
            to, from_, owner, lists = arguments
            for first in range(0, numbers, lanes):
                part = min(lanes, numbers - first)
                total = _load_lanes(builder, from_, first, part)[1]
                for name in ("added", "removed"):
                    total = add_listed(builder, total, first, name, lists, owner)
                builder.store(total, _load_lanes(builder, to, first, part)[0], align=2)
            return context.get_dummy_value()

        return VOID(Record(rows), Record(rows), Record(table), Record(changes)), generate_code

    return add_rows


def clipped_square_sum(dtype: np.dtype, ceiling: int, lanes: int = 32) -> Any:
    """Make an intrinsic `total(values, weights)`: the sum of clip(value, 0, ceiling)² × weight as an int64.

    Both are records of layout `dtype`. The ceiling is at most 255, and |ceiling × weight| at most 32,767: then a product of
    shorts and a multiply-add of pairs do it all. No sum overflows for up to 128 × `lanes` (4,096) numbers: a lane of 32 bits
    sums 2 × 128 products of at most 32,767 × 255, which are less than 2³¹ together. The lanes are summed in 64 bits.
    """
    numbers, kind = dtype.itemsize // 2, Record(dtype)
    lanes = min(lanes, numbers)
    shorts, words, halves = (ir.VectorType(ir.IntType(b), n) for b, n in ((16, lanes), (32, lanes), (32, lanes // 2)))

    @Intrinsic
    def total(typing_context, values, weights):
        def generate_code(context, builder, signature, arguments):
            zeros, most = (ir.Constant(shorts, [number] * lanes) for number in (0, ceiling))
            order = ir.VectorType(ir.IntType(32), lanes // 2)
            pair_sum = ir.Constant(halves, [0] * (lanes // 2))
            for first in range(0, numbers, lanes):
                value = _load_lanes(builder, arguments[0], first, lanes)[1]
                weight = _load_lanes(builder, arguments[1], first, lanes)[1]
                value = _call(builder, f"llvm.smax.v{lanes}i16", shorts, [value, zeros])
                value = _call(builder, f"llvm.smin.v{lanes}i16", shorts, [value, most])
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
            wide = builder.sext(pair_sum, ir.VectorType(ir.IntType(64), lanes // 2))
            return _call(builder, f"llvm.vector.reduce.add.v{lanes // 2}i64", ir.IntType(64), [wide])

        return INT(kind, kind), generate_code

    return total

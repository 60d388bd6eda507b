"""Loops over many small numbers as LLVM's vectors, as functions for kernels.

The vectors become AVX-512, AVX2, SSE2 or NEON. They list the moves of a piece, find the best of
scored moves, and compute the evaluation network.
"""

from typing import Any

import numpy as np
from llvmlite import ir

from zobra.engine.kernels.intrinsics import (
    BYTE,
    WORD32,
    WORD64,
    Intrinsic,
    call,
    intrinsic,
    number,
)
from zobra.engine.kernels.selection import selected
from zobra.engine.kernels.types import INT, VOID, WORD, record

BIT = ir.IntType(1)
SHORT = ir.IntType(16)
ZERO64 = number(0)


def append_bits(dtype: np.dtype, field: str, lanes: int) -> Intrinsic | None:
    """Make an intrinsic `append(list, start, word, factor, base)` for records of layout `dtype`.

    For each bit set in `word`, the lowest first, it stores the uint16 `index × factor + base` in
    the array `field` from element `start` on, and returns the index after the last element. It has
    no branch. At most `lanes` bits may be set, and `lanes` elements are written whatever the count:
    the array needs as much slack. Return None if the target cannot compress bytes.
    """
    if not selected.target.has("avx512vbmi2"):
        return None
    indices = ir.Constant(ir.VectorType(BYTE, 64), list(range(64)))
    undefined = ir.Constant(indices.type, ir.Undefined)
    shorts = ir.VectorType(SHORT, lanes)
    compress = "llvm.experimental.vector.compress.v64i8"

    @intrinsic(WORD, record(dtype), WORD, WORD, WORD, WORD)
    def append(builder, target, start, word, factor, base):
        bits = builder.bitcast(word, ir.VectorType(BIT, 64))
        packed = call(builder, compress, indices.type, [indices, bits, undefined])
        wide = builder.zext(_shuffled(builder, packed, range(lanes)), shorts)
        products = builder.mul(wide, _splat(builder, factor, shorts))
        values = builder.add(products, _splat(builder, base, shorts))
        place = _at(builder, target, shorts, _offset(dtype, field), start, stride=2)
        builder.store(values, place, align=2)
        return builder.add(start, builder.ctpop(word))

    return append


def copy_reordered(
    target: np.dtype, source: np.dtype, order: np.dtype, field: str
) -> Intrinsic | None:
    """Make an intrinsic `copy(target, start, source, first, order)` for records of these layouts.

    It copies eight uint16 numbers in another order: from the source's array `field`, from element
    `first` on, to that of the target, from element `start` on. `order` has 16 bytes: for each byte
    of the copy, the index of its byte among the source's. Return None if the target lacks an
    instruction for this, or one to extract bits.
    """
    if not (selected.target.has("ssse3") and selected.target.extracts_bits()):
        return None
    bytes16 = ir.VectorType(ir.IntType(8), 16)

    @intrinsic(VOID, record(target), WORD, record(source), WORD, record(order))
    def copy(builder, copied, start, numbers, first, places):
        from_ = _at(builder, numbers, bytes16, _offset(source, field), first, 2)
        to = _at(builder, copied, bytes16, _offset(target, field), start, 2)
        operands = [
            builder.load(from_, align=2),
            builder.load(_at(builder, places, bytes16, 0), align=1),
        ]
        packed = call(builder, "llvm.x86.ssse3.pshuf.b.128", bytes16, operands)
        builder.store(packed, to, align=2)

    return copy


def first_maximum(dtype: np.dtype, field: str, index_bits: int, lanes: int = 16) -> Intrinsic:
    """Make an intrinsic `place(record, start, end)`: index of the first maximum in an array slice.

    `field` is an array of int32 numbers smaller than 2 ** (31 - index_bits), with fewer than 2 **
    index_bits elements. The part ends before `end`, and up to `lanes` elements after it are read.
    With the index in the low bits, one maximum finds both.
    """
    words = ir.VectorType(WORD32, lanes)
    shifts = ir.Constant(words, [index_bits] * lanes)
    steps = ir.Constant(words, list(range(lanes)))
    least = ir.Constant(words, [-1 << 31] * lanes)

    @intrinsic(WORD, record(dtype), WORD, WORD)
    def place(builder, owner, start, end):
        def higher(index, highest):
            pointer = _at(builder, owner, words, _offset(dtype, field), index, stride=4)
            values = builder.load(pointer, align=4)
            indices = builder.add(_splat(builder, index, words), steps)
            keys = builder.sub(builder.shl(values, shifts), indices)
            is_inside = builder.icmp_unsigned("<", indices, _splat(builder, end, words))
            keys = builder.select(is_inside, keys, least)
            return call(builder, f"llvm.smax.v{lanes}i32", words, [highest, keys])

        highest = _loop(builder, start, end, lanes, least, higher)
        key = call(builder, f"llvm.vector.reduce.smax.v{lanes}i32", WORD32, [highest])
        return builder.and_(builder.zext(builder.neg(key), WORD64), number((1 << index_bits) - 1))

    return place


def row_sums(
    rows: np.dtype, table: np.dtype, field: str, changes: np.dtype, lanes: int = 128
) -> Intrinsic:
    """Make an intrinsic `add_rows(target, source, table, changes, flips)`.

    It computes target = source + the rows added − the rows removed. Target and source are records
    of layout `rows`, which has only int16 numbers. `field` of the table is an array of such rows.
    `changes` has the uint16 arrays `added` and `removed`, whose numbers are row numbers after XOR
    with `flips`, and the lengths of the arrays, `added_count` and `removed_count`. While rows are
    summed, `lanes` numbers stay in registers: LLVM splits them as the processor requires.
    """
    numbers = rows.itemsize // 2

    @intrinsic(VOID, record(rows), record(rows), record(table), record(changes), WORD)
    def add_rows(builder, target, source, owner, lists, flips):
        def add_listed(name, operation, first, total):
            """Emit the sum of the rows in one list, for the numbers from `first` on."""
            first_row = _offset(table, field) + 2 * first

            def add_row(index, carried):
                entry = _at(builder, lists, SHORT, _offset(changes, name), index, stride=2)
                row = builder.xor(builder.zext(builder.load(entry), WORD64), flips)
                pointer = _at(builder, owner, total.type, first_row, row, stride=rows.itemsize)
                return operation(carried, builder.load(pointer, align=2))

            count = _at(builder, lists, WORD64, _offset(changes, f"{name}_count"))
            return _loop(builder, ZERO64, builder.load(count), 1, total, add_row)

        for first in range(0, numbers, lanes):
            part = ir.VectorType(SHORT, min(lanes, numbers - first))
            total = builder.load(_at(builder, source, part, 2 * first), align=2)
            total = add_listed("added", builder.add, first, total)
            total = add_listed("removed", builder.sub, first, total)
            builder.store(total, _at(builder, target, part, 2 * first), align=2)

    return add_rows


def clipped_square_sum(dtype: np.dtype, ceiling: int, lanes: int = 32) -> Intrinsic:
    """Make an intrinsic `total(values, weights)`: the sum of clip(value, 0, ceiling)² × weight.

    The sum is an int64. Both arguments are records of layout `dtype`. The ceiling is at most 255,
    and |ceiling × weight| at most 32,767: so one multiplication and one multiply-add of pairs
    suffice. No sum overflows for up to 128 × `lanes` (4,096) numbers: a lane of 32 bits sums 2 ×
    128 products of at most 32,767 × 255, which are less than 2³¹ together. The lanes are summed in
    64 bits.
    """
    numbers = dtype.itemsize // 2
    lanes = min(lanes, numbers)
    pairs = lanes // 2
    shorts = ir.VectorType(SHORT, lanes)
    words = ir.VectorType(WORD32, lanes)
    zeros = ir.Constant(shorts, [0] * lanes)
    most = ir.Constant(shorts, [ceiling] * lanes)

    @intrinsic(INT, record(dtype), record(dtype))
    def total(builder, values, weights):
        pair_sums = ir.Constant(ir.VectorType(WORD32, pairs), [0] * pairs)
        for first in range(0, numbers, lanes):
            value = builder.load(_at(builder, values, shorts, 2 * first), align=2)
            weight = builder.load(_at(builder, weights, shorts, 2 * first), align=2)
            value = call(builder, f"llvm.smax.v{lanes}i16", shorts, [value, zeros])
            value = call(builder, f"llvm.smin.v{lanes}i16", shorts, [value, most])
            weighted = builder.sext(builder.mul(value, weight), words)
            products = builder.mul(weighted, builder.sext(value, words))
            even = _shuffled(builder, products, range(0, lanes, 2))
            odd = _shuffled(builder, products, range(1, lanes, 2))
            pair_sums = builder.add(pair_sums, builder.add(even, odd))
        wide = builder.sext(pair_sums, ir.VectorType(WORD64, pairs))
        return call(builder, f"llvm.vector.reduce.add.v{pairs}i64", WORD64, [wide])

    return total


def _offset(dtype: np.dtype, field: str) -> int:
    return int(dtype.fields[field][1])  # type: ignore[index]


def _at(
    builder: Any, owner: Any, kind: Any, offset: int, index: Any = ZERO64, stride: int = 0
) -> Any:
    """Return a pointer to a value of type `kind` in a record.

    It lies `offset` plus `index` times `stride` bytes after the record's start.
    """
    address = builder.add(builder.ptrtoint(owner, WORD64), builder.mul(index, number(stride)))
    return builder.inttoptr(builder.add(address, number(offset)), kind.as_pointer())


def _shuffled(builder: Any, vector: Any, places: Any) -> Any:
    """Return the elements of a vector at these places."""
    order = ir.Constant(ir.VectorType(WORD32, len(places)), list(places))
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), order)


def _splat(builder: Any, value: Any, kind: Any) -> Any:
    """Return a vector of type `kind` whose elements are all one integer, cut to their size."""
    short = builder.trunc(value, kind.element)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), short, number(0, bits=32))
    return _shuffled(builder, one, [0] * kind.count)


def _loop(builder: Any, start: Any, end: Any, step: int, total: Any, body: Any) -> Any:
    """Emit a loop, and return its result.

    In Python: `for index in range(start, end, step): total = body(index, total)`.
    """
    before = builder.block
    head = builder.append_basic_block()
    inside = builder.append_basic_block()
    done = builder.append_basic_block()
    builder.branch(head)

    builder.position_at_end(head)
    index = builder.phi(WORD64)
    carried = builder.phi(total.type)
    builder.cbranch(builder.icmp_unsigned("<", index, end), inside, done)

    builder.position_at_end(inside)
    next_total = body(index, carried)
    next_index = builder.add(index, number(step))
    builder.branch(head)

    index.add_incoming(start, before)
    index.add_incoming(next_index, inside)
    carried.add_incoming(total, before)
    carried.add_incoming(next_total, inside)
    builder.position_at_end(done)
    return carried

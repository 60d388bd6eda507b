"""Loops over many small numbers as LLVM's vectors, which become AVX-512, AVX2, SSE2 or NEON:
functions for kernels.

They list the moves of a piece, find the best of scored moves, and compute the evaluation network.
"""

from typing import Any

import numpy as np
from llvmlite import ir

from zobra.engine.kernels.intrinsics import WORD64, Intrinsic, call, intrinsic, number
from zobra.engine.kernels.selection import selected
from zobra.engine.kernels.types import INT, VOID, WORD, record

SHORT, WORD32, ZERO64 = ir.IntType(16), ir.IntType(32), number(0)


def _shuffled(builder: Any, vector: Any, places: list[int]) -> Any:
    """The elements of a vector at these places."""
    order = ir.Constant(ir.VectorType(WORD32, len(places)), places)
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), order)


def _splat(builder: Any, value: Any, kind: Any) -> Any:
    """A vector of type `kind`, each element of which is the integer `value`, cut to its size."""
    one = builder.insert_element(
        ir.Constant(kind, ir.Undefined), builder.trunc(value, kind.element), number(0, bits=32)
    )
    return _shuffled(builder, one, [0] * kind.count)


def _loop(builder: Any, start: Any, end: Any, step: int, total: Any, body: Any) -> Any:
    """What `total` is after `total = body(index, total)` for each index in range(start, end,
    step).
    """
    before, head, inside, done = builder.block, *(builder.append_basic_block() for _ in range(3))
    builder.branch(head)
    builder.position_at_end(head)
    index, carried = builder.phi(WORD64), builder.phi(total.type)
    builder.cbranch(builder.icmp_unsigned("<", index, end), inside, done)
    builder.position_at_end(inside)
    for phi, first, following in (
        (carried, total, body(index, carried)),
        (index, start, builder.add(index, number(step))),
    ):
        phi.add_incoming(first, before)
        phi.add_incoming(following, inside)
    builder.branch(head)
    builder.position_at_end(done)
    return carried


def _offset(dtype: np.dtype, field: str) -> int:
    return int(dtype.fields[field][1])  # type: ignore[index]


def _at(
    builder: Any, owner: Any, kind: Any, offset: int, index: Any = ZERO64, stride: int = 0
) -> Any:
    """Pointer to a value of type `kind`: `offset` and `index` times `stride` bytes behind the start
    of a record.
    """
    address = builder.add(builder.ptrtoint(owner, WORD64), builder.mul(index, number(stride)))
    return builder.inttoptr(builder.add(address, number(offset)), kind.as_pointer())


def append_bits(dtype: np.dtype, field: str, lanes: int) -> Intrinsic | None:
    """Make an intrinsic `append(list, start, word, factor, base)` for records of layout `dtype`.

    For each bit set in `word`, the lowest first, it stores the uint16 `index × factor + base` in
    the array `field` from element `start` on, and returns the element after the last. The vector
    form has no branch, at most `lanes` bits may be set, and it writes `lanes` elements whatever the
    count: the array needs as much slack. None where the target cannot compress bytes.
    """
    if not selected.target.has("avx512vbmi2"):
        return None
    bytes64, shorts = ir.VectorType(ir.IntType(8), 64), ir.VectorType(SHORT, lanes)

    @intrinsic(WORD, record(dtype), WORD, WORD, WORD, WORD)
    def append(builder, target, start, word, factor, base):
        mask = builder.bitcast(word, ir.VectorType(ir.IntType(1), 64))
        compressing = [
            ir.Constant(bytes64, list(range(64))),
            mask,
            ir.Constant(bytes64, ir.Undefined),
        ]
        packed = call(builder, "llvm.experimental.vector.compress.v64i8", bytes64, compressing)
        wide = builder.zext(_shuffled(builder, packed, list(range(lanes))), shorts)
        values = builder.add(
            builder.mul(wide, _splat(builder, factor, shorts)), _splat(builder, base, shorts)
        )
        builder.store(
            values, _at(builder, target, shorts, _offset(dtype, field), start, 2), align=2
        )
        return builder.add(start, builder.ctpop(word))

    return append


def first_maximum(dtype: np.dtype, field: str, index_bits: int, lanes: int = 16) -> Intrinsic:
    """Make an intrinsic `place(record, start, end)`: index of the largest number in a part of an
    array, the first of equals.

    `field` is an array of int32 numbers smaller than 2 ** (31 - index_bits), with fewer than 2 **
    index_bits elements. The part ends before `end`, and up to `lanes` elements behind it are read.
    With the index in the low bits, one maximum finds both.
    """
    words = ir.VectorType(WORD32, lanes)
    shifts, steps, least = (
        ir.Constant(words, each)
        for each in ([index_bits] * lanes, list(range(lanes)), [-1 << 31] * lanes)
    )

    @intrinsic(WORD, record(dtype), WORD, WORD)
    def place(builder, owner, start, end):
        def higher(index, highest):
            values = builder.load(
                _at(builder, owner, words, _offset(dtype, field), index, 4), align=4
            )
            indices = builder.add(_splat(builder, index, words), steps)
            is_inside = builder.icmp_unsigned("<", indices, _splat(builder, end, words))
            keys = builder.select(
                is_inside, builder.sub(builder.shl(values, shifts), indices), least
            )
            return call(builder, f"llvm.smax.v{lanes}i32", words, [highest, keys])

        highest = _loop(builder, start, end, lanes, least, higher)
        key = call(builder, f"llvm.vector.reduce.smax.v{lanes}i32", WORD32, [highest])
        return builder.and_(builder.zext(builder.neg(key), WORD64), number((1 << index_bits) - 1))

    return place


def row_sums(
    rows: np.dtype, table: np.dtype, field: str, changes: np.dtype, lanes: int = 128
) -> Intrinsic:
    """Make an intrinsic `add_rows(target, source, table, changes, flips)`: target = source + the
    rows added − those removed.

    Target and source are records of layout `rows`, nothing but int16 numbers; `field` of the table
    is an array of such rows. `changes` has the uint16 arrays `added` and `removed`, whose numbers
    are those of rows after an exclusive or with `flips`, and how many of each count, in
    `added_count` and `removed_count`. While rows are summed, `lanes` numbers stay in registers:
    LLVM cuts them to what the processor has.
    """
    numbers = rows.itemsize // 2

    def add_listed(builder, total, first, name, given):
        """All rows of one list, for the numbers from `first` on; the sum is carried in
        registers.
        """
        owner, lists, flips = given

        def add_row(index, carried):
            listed = builder.load(_at(builder, lists, SHORT, _offset(changes, name), index, 2))
            listed = builder.xor(builder.zext(listed, WORD64), flips)
            place = _at(
                builder, owner, total.type, _offset(table, field) + 2 * first, listed, rows.itemsize
            )
            row = builder.load(place, align=2)
            return builder.add(carried, row) if name == "added" else builder.sub(carried, row)

        count = builder.load(_at(builder, lists, WORD64, _offset(changes, f"{name}_count")))
        return _loop(builder, ZERO64, count, 1, total, add_row)

    @intrinsic(VOID, record(rows), record(rows), record(table), record(changes), WORD)
    def add_rows(builder, target, source, owner, lists, flips):
        for first in range(0, numbers, lanes):
            part = ir.VectorType(SHORT, min(lanes, numbers - first))
            total = builder.load(_at(builder, source, part, 2 * first), align=2)
            for name in ("added", "removed"):
                total = add_listed(builder, total, first, name, (owner, lists, flips))
            builder.store(total, _at(builder, target, part, 2 * first), align=2)

    return add_rows


def clipped_square_sum(dtype: np.dtype, ceiling: int, lanes: int = 32) -> Intrinsic:
    """Make an intrinsic `total(values, weights)`: the sum of clip(value, 0, ceiling)² × weight as
    an int64.

    Both are records of layout `dtype`. The ceiling is at most 255, and |ceiling × weight| at most
    32,767: then a product of shorts and a multiply-add of pairs do it all. No sum overflows for up
    to 128 × `lanes` (4,096) numbers: a lane of 32 bits sums 2 × 128 products of at most 32,767 ×
    255, which are less than 2³¹ together. The lanes are summed in 64 bits.
    """
    numbers = dtype.itemsize // 2
    lanes = min(lanes, numbers)
    pairs = lanes // 2
    shorts, words = ir.VectorType(SHORT, lanes), ir.VectorType(WORD32, lanes)

    @intrinsic(INT, record(dtype), record(dtype))
    def total(builder, values, weights):
        zeros, most = (ir.Constant(shorts, [limit] * lanes) for limit in (0, ceiling))
        pair_sum = ir.Constant(ir.VectorType(WORD32, pairs), [0] * pairs)
        for first in range(0, numbers, lanes):
            value, weight = (
                builder.load(_at(builder, each, shorts, 2 * first), align=2)
                for each in (values, weights)
            )
            value = call(builder, f"llvm.smax.v{lanes}i16", shorts, [value, zeros])
            value = call(builder, f"llvm.smin.v{lanes}i16", shorts, [value, most])
            product = builder.mul(
                builder.sext(builder.mul(value, weight), words), builder.sext(value, words)
            )
            even, odd = (
                _shuffled(builder, product, list(range(start, lanes, 2))) for start in (0, 1)
            )
            pair_sum = builder.add(pair_sum, builder.add(even, odd))
        wide = builder.sext(pair_sum, ir.VectorType(WORD64, pairs))
        return call(builder, f"llvm.vector.reduce.add.v{pairs}i64", WORD64, [wide])

    return total

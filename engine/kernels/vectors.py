"""Loops over many small numbers as LLVM's vectors, which become AVX-512, AVX2, SSE2 or NEON: functions for kernels.

They list the moves of a piece, and compute the evaluation network.
"""

from typing import Any

import numpy as np
from llvmlite import ir

from zobra.engine.kernels.intrinsics import WORD64, Intrinsic, call, intrinsic, number
from zobra.engine.kernels.selection import selected
from zobra.engine.kernels.types import INT, VOID, WORD, record

SHORT = ir.IntType(16)


def _shuffled(builder: Any, vector: Any, places: list[int]) -> Any:
    """The elements of a vector at these places."""
    order = ir.Constant(ir.VectorType(ir.IntType(32), len(places)), places)
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), order)


def _offset(dtype: np.dtype, field: str) -> int:
    return int(dtype.fields[field][1])  # type: ignore[index]


def append_bits(dtype: np.dtype, field: str, lanes: int) -> Intrinsic | None:
    """Make an intrinsic `append(list, start, word, factor, base)` for records of layout `dtype`.

    For each bit set in `word`, the lowest first, it stores the uint16 `index × factor + base` in the array `field` from element
    `start` on, and returns the element after the last. The vector form has no branch, at most `lanes` bits may be set, and it
    writes `lanes` elements whatever the count: the array needs as much slack. None where the target cannot compress bytes.
    """
    if not selected.target.has("avx512vbmi2"):
        return None
    bytes64, shorts = ir.VectorType(ir.IntType(8), 64), ir.VectorType(SHORT, lanes)

    @intrinsic(WORD, record(dtype), WORD, WORD, WORD, WORD)
    def append(builder, target, start, word, factor, base):
        def splat(value):
            one = builder.insert_element(ir.Constant(shorts, ir.Undefined), builder.trunc(value, SHORT), number(0, bits=32))
            return _shuffled(builder, one, [0] * lanes)

        mask = builder.bitcast(word, ir.VectorType(ir.IntType(1), 64))
        compressing = [ir.Constant(bytes64, list(range(64))), mask, ir.Constant(bytes64, ir.Undefined)]
        packed = call(builder, "llvm.experimental.vector.compress.v64i8", bytes64, compressing)
        wide = builder.zext(_shuffled(builder, packed, list(range(lanes))), shorts)
        values = builder.add(builder.mul(wide, splat(factor)), splat(base))
        address = builder.add(builder.ptrtoint(target, WORD64), number(_offset(dtype, field)))
        address = builder.add(address, builder.shl(start, number(1)))
        builder.store(values, builder.inttoptr(address, shorts.as_pointer()), align=2)
        return builder.add(start, builder.ctpop(word))

    return append


def _lanes_at(builder: Any, pointer: Any, first: int, lanes: int) -> Any:
    """Where the int16 vector of `lanes` elements from `first` on lies, wherever in memory."""
    start = builder.gep(builder.bitcast(pointer, SHORT.as_pointer()), [number(first)])
    return builder.bitcast(start, ir.VectorType(SHORT, lanes).as_pointer())


def row_sums(rows: np.dtype, table: np.dtype, field: str, changes: np.dtype, lanes: int = 128) -> Intrinsic:
    """Make an intrinsic `add_rows(target, source, table, changes, flips)`: target = source + the rows added − those removed.

    Target and source are records of layout `rows`, nothing but int16 numbers; `field` of the table is an array of such rows.
    `changes` has the uint16 arrays `added` and `removed`, whose numbers are those of rows after an exclusive or with `flips`,
    and how many of each count, in `added_count` and `removed_count`. While rows are summed, `lanes` numbers stay in registers:
    LLVM cuts them to what the processor has.
    """
    numbers = rows.itemsize // 2

    def load(builder, pointer, offset, kind, index, stride):
        place = builder.add(builder.ptrtoint(pointer, WORD64), builder.mul(index, number(stride)))
        return builder.load(builder.inttoptr(builder.add(place, number(offset)), kind.as_pointer()), align=2)

    def add_listed(builder, total, first, name, given):
        """A loop over the rows of one list, for the numbers from `first` on; the sum is carried in registers."""
        (owner, lists, flips), start = given, builder.block
        count = load(builder, lists, _offset(changes, f"{name}_count"), WORD64, number(0), 0)
        head, body, done = (builder.append_basic_block() for _ in range(3))
        builder.branch(head)
        builder.position_at_end(head)
        index, carried = builder.phi(WORD64), builder.phi(total.type)
        builder.cbranch(builder.icmp_unsigned("<", index, count), body, done)
        builder.position_at_end(body)
        listed = builder.zext(load(builder, lists, _offset(changes, name), SHORT, index, 2), WORD64)
        row = load(builder, owner, _offset(table, field) + 2 * first, total.type, builder.xor(listed, flips), rows.itemsize)
        following = builder.add(carried, row) if name == "added" else builder.sub(carried, row)
        index.add_incoming(number(0), start)
        index.add_incoming(builder.add(index, number(1)), body)
        carried.add_incoming(total, start)
        carried.add_incoming(following, body)
        builder.branch(head)
        builder.position_at_end(done)
        return carried

    @intrinsic(VOID, record(rows), record(rows), record(table), record(changes), WORD)
    def add_rows(builder, target, source, owner, lists, flips):
        for first in range(0, numbers, lanes):
            part = min(lanes, numbers - first)
            total = builder.load(_lanes_at(builder, source, first, part), align=2)
            for name in ("added", "removed"):
                total = add_listed(builder, total, first, name, (owner, lists, flips))
            builder.store(total, _lanes_at(builder, target, first, part), align=2)

    return add_rows


def clipped_square_sum(dtype: np.dtype, ceiling: int, lanes: int = 32) -> Intrinsic:
    """Make an intrinsic `total(values, weights)`: the sum of clip(value, 0, ceiling)² × weight as an int64.

    Both are records of layout `dtype`. The ceiling is at most 255, and |ceiling × weight| at most 32,767: then a product of
    shorts and a multiply-add of pairs do it all. No sum overflows for up to 128 × `lanes` (4,096) numbers: a lane of 32 bits
    sums 2 × 128 products of at most 32,767 × 255, which are less than 2³¹ together. The lanes are summed in 64 bits.
    """
    numbers = dtype.itemsize // 2
    lanes = min(lanes, numbers)
    pairs = lanes // 2
    shorts, words = ir.VectorType(SHORT, lanes), ir.VectorType(ir.IntType(32), lanes)

    @intrinsic(INT, record(dtype), record(dtype))
    def total(builder, values, weights):
        zeros, most = (ir.Constant(shorts, [limit] * lanes) for limit in (0, ceiling))
        pair_sum = ir.Constant(ir.VectorType(ir.IntType(32), pairs), [0] * pairs)
        for first in range(0, numbers, lanes):
            value, weight = (builder.load(_lanes_at(builder, each, first, lanes), align=2) for each in (values, weights))
            value = call(builder, f"llvm.smax.v{lanes}i16", shorts, [value, zeros])
            value = call(builder, f"llvm.smin.v{lanes}i16", shorts, [value, most])
            product = builder.mul(builder.sext(builder.mul(value, weight), words), builder.sext(value, words))
            even, odd = (_shuffled(builder, product, list(range(start, lanes, 2))) for start in (0, 1))
            pair_sum = builder.add(pair_sum, builder.add(even, odd))
        wide = builder.sext(pair_sum, ir.VectorType(WORD64, pairs))
        return call(builder, f"llvm.vector.reduce.add.v{pairs}i64", WORD64, [wide])

    return total

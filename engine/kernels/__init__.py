"""How kernels are declared, compiled, kept and linked: the only door to Numba and LLVM.

Other modules import what they need from here. Reading order: declare, types, intrinsics, compiler, store, linker.
"""

from zobra.engine.kernels.declare import (
    Entry,
    cache,
    compile_missing,
    description,
    entries,
    entry,
    inlined,
    kernel,
    missing,
    notices,
    numeric,
    record,
)
from zobra.engine.kernels.intrinsics import (
    append_bits,
    clipped_square_sum,
    copy_record,
    extract_bits,
    load_flag,
    lowest,
    monotonic_nanoseconds,
    population,
    prefetch,
    record_at,
    rotate_left,
    vector_sums,
)
from zobra.engine.kernels.store import is_kernel_source
from zobra.engine.kernels.types import BOOL, INT, VOID, WORD

__all__ = [
    "BOOL",
    "INT",
    "VOID",
    "WORD",
    "Entry",
    "append_bits",
    "cache",
    "clipped_square_sum",
    "compile_missing",
    "copy_record",
    "description",
    "entries",
    "entry",
    "extract_bits",
    "inlined",
    "is_kernel_source",
    "kernel",
    "load_flag",
    "lowest",
    "missing",
    "monotonic_nanoseconds",
    "notices",
    "numeric",
    "population",
    "prefetch",
    "record",
    "record_at",
    "rotate_left",
    "vector_sums",
]

"""How kernels are declared, compiled, kept, shipped and linked: the only door to Numba and LLVM.

Other modules import what they need from here. Reading order: declare, types, intrinsics; then where kernels come
from: processor, sources, kernel_file, user_store, selection; then compiler, linker and build, the step of the installation.
"""

from zobra.engine.kernels.declare import (
    Entry,
    apart_from_store,
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
    store,
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
    row_sums,
)
from zobra.engine.kernels.selection import selected
from zobra.engine.kernels.sources import is_kernel_source
from zobra.engine.kernels.types import BOOL, INT, VOID, WORD

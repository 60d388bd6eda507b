"""How kernels are declared, compiled, kept, shipped and linked: the only door to Numba and LLVM.

Other modules import what they need from here. Reading order: declare, types, intrinsics, vectors;
then where kernels come from: processor, sources, kernel_set, user_store, selection; then compiler,
linker and build, the step of the installation.
"""

from zobra.engine.kernels.declare import (
    Entry,
    compile_missing,
    entry,
    inlined,
    kernel,
    missing,
    numeric,
)
from zobra.engine.kernels.intrinsics import (
    copy_record,
    extract_bits,
    load_flag,
    lowest,
    monotonic_nanoseconds,
    population,
    prefetch,
    record_at,
    rotate_left,
)
from zobra.engine.kernels.kernel_set import notices
from zobra.engine.kernels.selection import selected
from zobra.engine.kernels.types import BOOL, INT, VOID, WORD, layout, record
from zobra.engine.kernels.user_store import store
from zobra.engine.kernels.vectors import append_bits, clipped_square_sum, first_maximum, row_sums

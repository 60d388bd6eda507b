"""How the engine's Python becomes machine code. Only this package knows Numba and LLVM.

A kernel is a Python function that Numba compiles. `kernel` declares one that other kernels call,
`entry` one that Python can also call, with the types of its result and arguments. Records, elements
of structured NumPy arrays, are passed by reference. An intrinsic is for what Python cannot express:
counting bits, or adding 128 numbers at once.

Compiling the engine takes half a minute, so it is done once: `pip install` puts the object code of
all entries into the package, as one set for exactly this processor and one for any. A set's name
has a digest of all sources, so a set never outlives an edit. At the start the best set is read, and
LLVM links each entry when it is first called, which takes a millisecond; Numba is not even
imported. What is in no set is compiled when it is first called, and kept in the user's store:
`zobra warmup` does that for the whole engine.

Reading order: declare, types, intrinsics, vectors; processor, sources, kernel_set, user_store,
selection; compiler, linker, build.
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
    popcount,
    prefetch,
    record_at,
    rotate_left,
)
from zobra.engine.kernels.kernel_set import notices
from zobra.engine.kernels.selection import selected
from zobra.engine.kernels.types import INT, VOID, WORD, layout, record
from zobra.engine.kernels.user_store import store
from zobra.engine.kernels.vectors import (
    append_bits,
    clipped_square_sum,
    copy_reordered,
    first_maximum,
    row_sums,
)

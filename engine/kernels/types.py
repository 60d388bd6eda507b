"""The types of what kernels take and give, as plain values: for Numba when it compiles, for ctypes
when Python calls.

Nothing here imports Numba before a kernel is compiled: that takes longer than the whole start of
the engine.
"""

import ctypes
import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

CACHE_LINE = 64  # bytes

# A record (np.void) is passed as the address of its memory, which NumPy must not copy.
_probe = np.zeros(1, [("number", "i8")])
if np.asarray(_probe[0]).ctypes.data != _probe.ctypes.data:
    raise ImportError("this version of NumPy copies records, so Zobra cannot run with it")


@dataclass(frozen=True, eq=False)
class KernelType:
    """A number that is passed by value, or a record of layout `dtype`: a bare pointer, without
    reference counts.

    `text` binds compiled code to the type: two types with the same text are laid out alike in
    memory. `c_type` is how a C compiler passes such a value. Calling a type, as in `INT(WORD)`,
    makes Numba's signature: result and arguments.
    """

    text: str
    c_type: Any
    dtype: np.dtype | None = None

    @cached_property
    def numba_type(self) -> Any:
        """The same type to Numba."""
        import numba

        return (
            getattr(numba.types, self.text) if self.dtype is None else numba.from_dtype(self.dtype)
        )

    def address(self, value: Any) -> int:
        """Where a record lies in memory; TypeError if it is none of this type."""
        if not isinstance(value, np.void) or (
            value.dtype is not self.dtype and value.dtype != self.dtype
        ):
            raise TypeError(
                f"a kernel wants a record {self.dtype and self.dtype.names}, not {value!r:.200}"
            )
        return np.asarray(value).ctypes.data

    def __call__(self, *arguments: Any) -> Any:
        """Return Numba's signature of a function with this result and these arguments."""
        return self.numba_type(
            *(kind.numba_type if isinstance(kind, KernelType) else kind for kind in arguments)
        )


def record(dtype: np.dtype) -> KernelType:
    """The type of one element of a structured array, which kernels take by reference."""
    return KernelType(
        f"record {hashlib.sha256(repr(dtype.descr).encode()).hexdigest()[:12]}",
        ctypes.c_void_p,
        dtype,
    )


def layout(*fields: Any) -> np.dtype:
    """The dtype of a record with these fields, (name, type) or (name, type, shape), laid out as a C
    compiler would, but that a field of 64 bytes or more begins at a cache line: a vector that lies
    in two of them is read more slowly.
    """
    packed, offsets, end = np.dtype(list(fields), align=True), list[int](), 0
    formats = [packed[name] for name in packed.names or ()]
    for each in formats:
        end += -end % (CACHE_LINE if each.itemsize >= CACHE_LINE else each.alignment)
        offsets.append(end)
        end += each.itemsize
    size = end + -end % (CACHE_LINE if end >= CACHE_LINE else packed.alignment)
    return np.dtype(
        {"names": packed.names or (), "formats": formats, "offsets": offsets, "itemsize": size},
        align=True,
    )


INT = KernelType("int64", ctypes.c_int64)
WORD = KernelType("uint64", ctypes.c_uint64)
BOOL = KernelType("boolean", ctypes.c_uint8)  # only the lowest bit counts
VOID = KernelType("void", None)

"""The types of the arguments and results of kernels.

They stand for Numba's types when it compiles, and for those of ctypes when Python calls. Numba is
not imported before a kernel is compiled: that takes longer than the whole start of the engine.
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
    """A number passed by value, or a record of layout `dtype` passed as a bare pointer.

    Two types with the same `text` have the same layout in memory. `c_type` is how a C compiler
    passes such a value. Calling a type, as in `INT(WORD)`, makes Numba's signature: result and
    arguments.
    """

    text: str
    c_type: Any
    dtype: np.dtype | None = None

    @cached_property
    def numba_type(self) -> Any:
        """The corresponding type of Numba."""
        import numba

        if self.dtype is None:
            return getattr(numba.types, self.text)
        return numba.from_dtype(self.dtype)

    def address(self, value: Any) -> int:
        """Return the memory address of a record. Raise TypeError if it is not of this type."""
        is_record = isinstance(value, np.void)
        if not is_record or (value.dtype is not self.dtype and value.dtype != self.dtype):
            names = self.dtype and self.dtype.names
            raise TypeError(f"a kernel wants a record {names}, not {value!r:.200}")
        return np.asarray(value).ctypes.data

    def __call__(self, *arguments: Any) -> Any:
        """Return Numba's signature of a function with this result and these arguments."""
        return self.numba_type(
            *(kind.numba_type if isinstance(kind, KernelType) else kind for kind in arguments)
        )


def record(dtype: np.dtype) -> KernelType:
    """Return the type of one element of a structured array, which kernels take by reference."""
    fields = hashlib.sha256(repr(dtype.descr).encode()).hexdigest()[:12]
    return KernelType(f"record {fields}", ctypes.c_void_p, dtype)


def layout(*fields: Any) -> np.dtype:
    """Return the dtype of a record with these fields: (name, type) or (name, type, shape).

    It is laid out as by a C compiler, except that a field of 64 bytes or more begins at a cache
    line: a vector that lies in two of them is read more slowly.
    """
    packed = np.dtype(list(fields), align=True)
    names = packed.names or ()
    formats = [packed[name] for name in names]
    offsets = []
    end = 0
    for each in formats:
        end += -end % (CACHE_LINE if each.itemsize >= CACHE_LINE else each.alignment)
        offsets.append(end)
        end += each.itemsize
    end += -end % (CACHE_LINE if end >= CACHE_LINE else packed.alignment)
    return np.dtype(
        {"names": names, "formats": formats, "offsets": offsets, "itemsize": end}, align=True
    )


INT = KernelType("int64", ctypes.c_int64)
WORD = KernelType("uint64", ctypes.c_uint64)
VOID = KernelType("void", None)

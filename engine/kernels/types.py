"""The types of what kernels take and give, as plain values: for Numba when it compiles, for ctypes when Python calls.

Nothing here imports Numba, which takes longer than the whole start of the engine: a type becomes Numba's own when asked for
`numba_type`. Calling a type, as in `INT(WORD)`, makes Numba's signature: the type is the result, its arguments are those given.
"""

from __future__ import annotations

import ctypes
import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np


class KernelType:
    """What scalars and records have in common. `c_type` is how a C compiler would pass such a value."""

    c_type: Any

    @property
    def text(self) -> str:
        """What binds compiled code to this type: two types with the same text are laid out alike in memory."""
        raise NotImplementedError

    @property
    def numba_type(self) -> Any:
        """The same type to Numba."""
        raise NotImplementedError

    def to_c(self, value: Any) -> Any:
        """A Python value as `c_type` takes it; TypeError if it is none of this type."""
        raise NotImplementedError

    def __call__(self, *arguments: Any) -> Any:
        kinds = [kind.numba_type if isinstance(kind, KernelType) else kind for kind in arguments]
        return self.numba_type(*kinds)


@dataclass(frozen=True, eq=False)
class Scalar(KernelType):
    """A number that is passed by value; `name` is Numba's name for it."""

    name: str
    c_type: Any

    @property
    def text(self) -> str:
        return self.name

    @cached_property
    def numba_type(self) -> Any:
        from numba import types

        return getattr(types, self.name)

    def to_c(self, value: Any) -> int:
        return int(value)


@dataclass(frozen=True, eq=False)
class Record(KernelType):
    """One element of a structured array, passed by reference: a bare pointer, without reference counts."""

    dtype: np.dtype
    c_type = ctypes.c_void_p

    @cached_property
    def text(self) -> str:
        return f"record {hashlib.sha256(repr(_layout(self.dtype)).encode()).hexdigest()[:12]}"

    @cached_property
    def numba_type(self) -> Any:
        import numba

        return numba.from_dtype(self.dtype)

    def to_c(self, value: Any) -> int:
        if not isinstance(value, np.void) or (value.dtype is not self.dtype and value.dtype != self.dtype):
            raise TypeError(f"a kernel wants a record {self.dtype.names}, not {value!r:.200}")
        return np.asarray(value).ctypes.data


def _layout(dtype: np.dtype) -> Any:
    """The fields of a dtype with their places, or the type of a number, in a form that is the same with every NumPy."""
    if dtype.subdtype is not None:
        element, shape = dtype.subdtype
        return (*shape, _layout(element))
    if dtype.fields is None:
        return dtype.str
    return [(name, int(place[1]), _layout(place[0])) for name, place in dtype.fields.items()], dtype.itemsize


INT = Scalar("int64", ctypes.c_int64)
WORD = Scalar("uint64", ctypes.c_uint64)
BOOL = Scalar("boolean", ctypes.c_uint8)  # only the lowest bit counts
VOID = Scalar("void", None)

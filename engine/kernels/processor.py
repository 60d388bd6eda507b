"""The processor, and the targets that kernels are compiled for.

A target is `native`, exactly this processor, or a level: instructions that many processors have.
The levels of x86-64 are those of its ABI (https://gitlab.com/x86-psABIs/x86-64-ABI); elsewhere
there is one level, the plain architecture.
"""

import sys
from typing import NamedTuple

import llvmlite.binding as llvm

ARCHITECTURE = str(llvm.get_process_triple()).split("-")[0]
PLATFORM = f"{ARCHITECTURE}-{sys.platform}"
NATIVE = "native"
V2 = ("cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3")
V3 = (*V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
V4 = (*V3, "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl")
X86_LEVELS = {"x86-64-v2": V2, "x86-64-v3": V3, "x86-64-v4": V4}
LEVELS: dict[str, tuple[str, ...]] = (
    X86_LEVELS if ARCHITECTURE in ("x86_64", "amd64") else {"generic": ()}
)
PORTABLE = next(iter(LEVELS))  # the lowest level
SLOW_EXTRACTION = (
    "znver1",
    "znver2",
    "bdver4",
)  # they have the PEXT instruction in microcode of hundreds of cycles
EXTRACTION = "bmi2"  # the feature with that instruction


class Target(NamedTuple):
    """What kernels are compiled for: the level, and LLVM's name and attributes ("+avx2,-avx512f")
    of the processor.
    """

    level: str
    name: str
    attributes: str

    def has(self, feature: str) -> bool:
        """Does this target have an instruction set, by LLVM's name?"""
        return f"+{feature}" in self.attributes.split(",")

    def extracts_bits(self) -> bool:
        """Does this target have a fast PEXT instruction?"""
        return self.has(EXTRACTION) and self.name not in SLOW_EXTRACTION


def level_of(name: str) -> str:
    """Return the level that a user names: "portable" is the lowest."""
    return PORTABLE if name == "portable" else name


def target_of(level: str) -> Target:
    """The target of a level, or `native`, this processor.

    ValueError for a name that is no level of this platform.
    """
    if level == NATIVE:
        try:
            attributes = llvm.get_host_cpu_features().flatten()
        except RuntimeError:  # LLVM cannot ask every system; the name alone has to do
            attributes = ""
        return Target(NATIVE, llvm.get_host_cpu_name(), attributes)
    if level not in LEVELS:
        raise ValueError(
            f"{level!r} is no level of {ARCHITECTURE} ({', '.join((NATIVE, *LEVELS))})"
        )
    return Target(level, level, ",".join(f"+{feature}" for feature in LEVELS[level]))


def levels_of(processor: Target) -> list[str]:
    """The levels whose kernels run well on a processor, the highest first."""
    slow = {EXTRACTION} if processor.name in SLOW_EXTRACTION else set()
    return [
        level
        for level in reversed(LEVELS)
        if all(processor.has(f) and f not in slow for f in LEVELS[level])
    ]

"""The processor, and the targets that kernels are compiled for.

A target is either `native` (exactly this processor) or a level, a set of instructions that many
processors have. The levels of x86-64 are those of its ABI
(https://gitlab.com/x86-psABIs/x86-64-ABI). Other platforms have one level, the plain architecture.
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
EXTRACTION = "bmi2"  # the feature with the instruction PEXT
SLOW_EXTRACTION = ("znver1", "znver2", "bdver4")  # their PEXT takes hundreds of cycles


class Target(NamedTuple):
    """The processor or level that kernels are compiled for.

    `name` and `attributes` ("+avx2,-avx512f") are LLVM's CPU name and feature string.
    """

    level: str
    name: str
    attributes: str

    def has(self, feature: str) -> bool:
        """Return True if this target has an instruction set, by LLVM's name."""
        return f"+{feature}" in self.attributes.split(",")

    def runs(self, level: str) -> bool:
        """Return True if this processor can run the kernels of a level."""
        return level == NATIVE or all(self.has(feature) for feature in LEVELS[level])

    def extracts_bits(self) -> bool:
        """Return True if this target has a fast PEXT instruction."""
        return self.has(EXTRACTION) and self.name not in SLOW_EXTRACTION


def target_of(name: str) -> Target:
    """Return the target of a level, of `portable` (the lowest level), or of `native`.

    Raise ValueError for a name that is not a level of this platform.
    """
    if name == NATIVE:
        try:
            attributes = llvm.get_host_cpu_features().flatten()
        except RuntimeError:  # LLVM cannot ask every system; the name alone has to do
            attributes = ""
        return Target(NATIVE, llvm.get_host_cpu_name(), attributes)
    level = PORTABLE if name == "portable" else name
    if level not in LEVELS:
        known = ", ".join((NATIVE, "portable", *LEVELS))
        raise ValueError(f"{level!r} is not a level of {ARCHITECTURE} (known: {known})")
    return Target(level, level, ",".join(f"+{feature}" for feature in LEVELS[level]))


def levels_of(processor: Target) -> list[str]:
    """Return the levels whose kernels run well on a processor, the highest first."""
    return [
        level
        for level in reversed(LEVELS)
        if processor.runs(level) and (processor.extracts_bits() or EXTRACTION not in LEVELS[level])
    ]

"""Which kernels this process uses, decided once, when this module is imported.

The first of these that exists:

1. the package's set for exactly this processor,
2. that in the user's store, which `zobra warmup` makes,
3. the package's set for the highest level that this processor supports.

If none exists, kernels are compiled for this processor. With ZOBRA_LEVEL=LEVEL this processor is
treated as one of that level, and ZOBRA_LEVEL=native leaves out step 3.
"""

import os
from pathlib import Path
from typing import NamedTuple

from zobra.engine.kernels.kernel_set import ENDING, KernelSet, note, read_set
from zobra.engine.kernels.processor import NATIVE, PORTABLE, Target, levels_of, target_of
from zobra.engine.kernels.sources import set_name
from zobra.engine.kernels.user_store import store

PACKAGE_FOLDER = Path(__file__).resolve().parent / "compiled"
PACKAGE = "the package"


class Selection(NamedTuple):
    """The target of all kernels of this process, a set for it, and where the set was found.

    If there is no set, `kernels` and `origin` are empty.
    """

    target: Target
    kernels: KernelSet
    origin: str

    def describe(self) -> str:
        """Return one line about the kernels in use."""
        made_for = f"any {self.target.level} processor"
        if self.target.level == NATIVE:
            made_for = f"exactly this processor ({self.target.name})"
        return f"{self.origin or 'compiled on this machine'}: for {made_for}"

    def check_processor(self) -> None:
        """Raise RuntimeError if ZOBRA_LEVEL asks for instructions that this processor lacks."""
        if not target_of(NATIVE).runs(self.target.level):
            raise RuntimeError(f"this processor cannot run {self.target.level} kernels")


def package_path(target: Target) -> Path:
    """Return the path of the package's set for a target."""
    return PACKAGE_FOLDER / f"{set_name(target)}{ENDING}"


def _select() -> Selection:
    level = os.environ.get("ZOBRA_LEVEL")
    try:
        processor = target_of(level or NATIVE)
    except ValueError as error:
        raise ValueError(f"ZOBRA_LEVEL: {error}") from None

    if kernels := read_set(package_path(processor)):
        return Selection(processor, kernels, PACKAGE)
    if kernels := store.read(set_name(processor)):
        return Selection(processor, kernels, f"the user's store {store.folder}")

    lower_levels = [] if level == NATIVE else levels_of(processor)
    for lower in lower_levels:
        target = target_of(lower)
        if kernels := read_set(package_path(target)):
            if lower == PORTABLE:
                note(
                    f"kernels for any {lower} processor are in use; `zobra warmup` compiles "
                    "faster ones for this one"
                )
            return Selection(target, kernels, PACKAGE)
    return Selection(processor, {}, "")


selected = _select()

"""Which kernels this process uses: decided once, when this module is imported.

The first of these that is there, sound, and made from the sources in this tree for a processor like
this one:

1. the package's set for exactly this processor,
2. the set in the user's store, which `zobra warmup` makes,
3. the package's set for the highest level that this processor has.

Where there is none, kernels are compiled for this processor. ZOBRA_LEVEL=LEVEL takes the processor
for one of that level, and ZOBRA_LEVEL=native leaves out step 3.
"""

import os
from pathlib import Path
from typing import NamedTuple

from zobra.engine.kernels.kernel_file import Kernels, unpack
from zobra.engine.kernels.processor import NATIVE, PORTABLE, Target, levels_of, target_of
from zobra.engine.kernels.sources import digest
from zobra.engine.kernels.user_store import UserStore, note

PACKAGE_FOLDER = Path(__file__).resolve().parent / "compiled"
PACKAGE = "the package"  # an origin
PACKAGE_ENDING = ".kernels"


class Selection(NamedTuple):
    """The target that all kernels of this process are made for, a set of them, where it was found,
    and the store for more.
    """

    target: Target
    kernels: Kernels
    origin: str
    store: UserStore

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


def _package_kernels(target: Target) -> Kernels:
    """Return the package's kernels for a target; none if it has none that fit the sources."""
    path = PACKAGE_FOLDER / f"{target.level}{PACKAGE_ENDING}"
    try:
        return unpack(path.read_bytes(), digest(target), target.level)
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        note(f"the package's {target.level} kernels are passed over, {path} is damaged: {error}")
    return {}


def _choose() -> Selection:
    level = os.environ.get("ZOBRA_LEVEL")
    try:
        wanted = target_of(level or NATIVE)
    except ValueError as error:
        raise ValueError(f"ZOBRA_LEVEL: {error}") from None

    store = UserStore(wanted)
    if kernels := _package_kernels(wanted):
        return Selection(wanted, kernels, PACKAGE, store)
    if kernels := store.read():
        return Selection(wanted, kernels, f"the user's store {store.folder}", store)

    lower_levels = [] if level == NATIVE else levels_of(wanted)
    for lower in lower_levels:
        target = target_of(lower)
        if kernels := _package_kernels(target):
            if lower == PORTABLE:
                note(
                    f"kernels for any {lower} processor are in use; `zobra warmup` compiles "
                    "faster ones for this one"
                )
            return Selection(target, kernels, PACKAGE, UserStore(target))
    return Selection(wanted, {}, "", store)


selected = _choose()
store = selected.store

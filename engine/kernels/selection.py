"""Which kernels this process uses: decided once, when this module is imported.

The first of these that is there, sound, and made from the sources in this tree for a processor like
this one:

1. the package's set for exactly this processor,
2. the set in the user's store, which `zobra warmup` makes,
3. the package's set for the highest level that this processor has.

Where there is none, kernels are compiled for this processor. ZOBRA_LEVEL=LEVEL takes the processor
for one of that level ("portable" is the lowest); ZOBRA_LEVEL=native leaves out step 3.
"""

import os
from pathlib import Path
from typing import NamedTuple

from zobra.engine.kernels.kernel_file import Kernels, unpack
from zobra.engine.kernels.processor import (
    NATIVE,
    PORTABLE,
    Target,
    level_of,
    levels_of,
    target_of,
)
from zobra.engine.kernels.sources import digest
from zobra.engine.kernels.user_store import UserStore, note

PACKAGE_FOLDER = Path(__file__).resolve().parent / "compiled"
PACKAGE = "the package"  # an origin
PACKAGE_ENDING = ".kernels"
BUILD_LEVEL = "ZOBRA_BUILD_LEVEL"  # for the processes of the build step only


class Selection(NamedTuple):
    """The target that all kernels of this process are made for, a set of them, where it was found,
    and the store for more.
    """

    target: Target
    kernels: Kernels
    origin: str
    store: UserStore

    def describe(self) -> str:
        """Which set is in use, and why, in one line."""
        is_native = self.target.level == NATIVE
        made_for = (
            f"for exactly this processor ({self.target.name})" if is_native else self.target.level
        )
        if not self.origin:
            return f"compiled on this machine, {made_for}"
        reason = (
            ""
            if is_native or _asked_level()
            else "; neither the package nor the store has a set for exactly this one"
        )
        return f"{self.origin}: {made_for}{reason}"


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


def _asked_level() -> str | None:
    """Return the level that the environment asks for; None if it asks for none, or for one that
    this processor cannot run.
    """
    name = os.environ.get("ZOBRA_LEVEL")
    if not name:
        return None
    level = level_of(name)
    known = (NATIVE, *reversed(levels_of(target_of(NATIVE))))
    if level in known:
        return level
    note(f"ZOBRA_LEVEL={name} is passed over: this processor has the levels {', '.join(known)}")
    return None


def _choose() -> Selection:
    if level := os.environ.get(BUILD_LEVEL):
        store = UserStore(target := target_of(level))
        store.folder = None
        return Selection(target, {}, "", store)
    asked = _asked_level()
    wanted = target_of(asked or NATIVE)
    store = UserStore(wanted)
    if kernels := _package_kernels(wanted):
        return Selection(wanted, kernels, PACKAGE, store)
    if kernels := store.read():
        return Selection(wanted, kernels, f"the user's store {store.folder}", store)
    for level in levels_of(wanted) if asked != NATIVE else ():
        if kernels := _package_kernels(target := target_of(level)):
            if level == PORTABLE or level != levels_of(wanted)[0]:
                note(
                    f"kernels for any {level} processor are in use; `zobra warmup` compiles "
                    "faster ones for this one"
                )
            return Selection(target, kernels, PACKAGE, UserStore(target))
    return Selection(wanted, {}, "", store)


selected = _choose()
store = selected.store

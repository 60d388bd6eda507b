"""Access to Numba's internals, in one place.

They were read in Numba 0.65 to 0.68, which is why pyproject.toml bounds its version.
"""

from collections.abc import Callable
from typing import Any

from numba import njit as njit  # for the declarations
from numba.core import config
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from zobra.engine.kernels.kernel_set import ObjectCode
from zobra.engine.kernels.selection import selected

# Kernels are the same whatever Numba's variables (NUMBA_OPT, NUMBA_DISABLE_JIT, …) say.
config.OPT = config._OptLevel(3)
config.LOOP_VECTORIZE = 1
config.SLP_VECTORIZE = 0
config.BOUNDSCHECK = None
config.DEBUGINFO_DEFAULT = 0
config.DISABLE_JIT = 0

# Numba asks what to compile for only once, when it makes its code generator: here.
config.CPU_NAME = selected.target.name
config.CPU_FEATURES = selected.target.attributes
cpu_target.target_context.codegen()


def type_of_intrinsic(function: Callable[..., Any]) -> tuple[Any, Any]:
    """Return Numba's intrinsic for a function that generates code, and its Numba type.

    Keep the intrinsic: Numba itself holds only a weak reference to it.
    """
    made = intrinsic(function)
    cpu_target.typing_context.refresh()
    return made, cpu_target.typing_context.resolve_value_type(made)


def object_code(compiled: Any) -> ObjectCode:
    """Return the object code of a dispatcher's only specialisation and of all that it calls."""
    (compilation,) = compiled.overloads.values()
    module = compilation.library._final_module
    externals = {
        symbol.name
        for symbol in (*module.functions, *module.global_variables)
        if symbol.is_declaration and not symbol.name.startswith("llvm.")
    }
    _, _, (data, _) = compilation.library.serialize_using_object_code()
    return ObjectCode(compilation.fndesc.llvm_cfunc_wrapper_name, tuple(sorted(externals)), data)

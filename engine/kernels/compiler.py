"""Numba: the one place that knows its private parts.

They were read in Numba 0.65 to 0.68, which is why pyproject.toml bounds its version.
"""

from collections.abc import Callable
from typing import Any

from numba import njit as njit  # for the declarations
from numba.core import config
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from zobra.engine.kernels.kernel_file import ObjectCode
from zobra.engine.kernels.selection import selected

# Numba asks the environment, or LLVM, what to compile for, once, when it makes its code generator:
# here.
config.CPU_NAME, config.CPU_FEATURES = selected.target.name, selected.target.attributes
cpu_target.target_context.codegen()
config.DISABLE_JIT = (
    0  # whatever NUMBA_DISABLE_JIT says: kernels have no other form than the compiled one
)


def type_of_intrinsic(function: Callable[..., Any]) -> tuple[Any, Any]:
    """Make Numba's intrinsic of a function that generates code: the intrinsic, and its type.

    Numba itself holds it by a weak reference only: keep it.
    """
    made = intrinsic(function)
    cpu_target.typing_context.refresh()
    return made, cpu_target.typing_context.resolve_value_type(made)


def object_code(compiled: Any) -> ObjectCode:
    """The object code of a dispatcher's one specialisation and of all that it calls, with a C
    function in it.
    """
    (compilation,) = compiled.overloads.values()
    module = compilation.library._final_module
    symbols = (*module.functions, *module.global_variables)
    externals = {
        symbol.name
        for symbol in symbols
        if symbol.is_declaration and not symbol.name.startswith("llvm.")
    }
    _, _, (data, _) = compilation.library.serialize_using_object_code()
    return ObjectCode(compilation.fndesc.llvm_cfunc_wrapper_name, tuple(sorted(externals)), data)

"""From a compiled kernel to its object code: the one place that knows how Numba keeps it."""

from __future__ import annotations

from typing import Any

from zobra.engine.kernels.store import ObjectCode


def object_code(dispatcher: Any) -> ObjectCode:
    """The object code of an entry's one specialisation and of all that it calls, with a C function in it."""
    (compiled,) = dispatcher.overloads.values()
    module = compiled.library._final_module
    symbols = (*module.functions, *module.global_variables)
    externals = {symbol.name for symbol in symbols if symbol.is_declaration and not symbol.name.startswith("llvm.")}
    _, _, (data, _) = compiled.library.serialize_using_object_code()
    return ObjectCode(compiled.fndesc.llvm_cfunc_wrapper_name, tuple(sorted(externals)), data)

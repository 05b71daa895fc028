"""Compiling a kernel without compiling each of the functions that it calls for itself.

Numba makes a library of every compiled function: it optimises it with all that it calls, emits machine code, and links what
was optimised into the libraries of its callers, which are optimised in turn. A kernel here calls a hundred functions, five
deep, and nobody calls these from Python. So they are left as they were written until they are part of the kernel, which is
optimised once: half the time, and machine code that is as fast.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

_USED = ("_final_module", "_optimize_final_module", "_finalize_final_module", "_finalize_dynamic_globals", "_finalized")
_FROM_PYTHON = "_ZN7cpython"  # how names of functions begin that Python calls


class _NoEnvironment:
    """In place of a code generator: a function without machine code has no place that could refer to its globals. (Nor is
    that done for functions inside of kernels that come from disk.)"""

    def set_env(self, name: str, environment: Any) -> None:
        pass


class LeanLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A library that is optimised and made machine code only if Python can call one of its functions."""

    left = False

    def _optimize_final_module(self) -> None:
        if not self._is_inner():
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        if not self._is_inner():
            return super()._finalize_final_module()
        self._finalize_dynamic_globals()
        self._finalized = self.left = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0 if self.left else super().get_pointer_to_function(name)

    @property
    def codegen(self) -> Any:
        return _NoEnvironment() if self.left else self._codegen

    def _is_inner(self) -> bool:
        """Libraries that come from disk have machine code, and no functions here."""
        defined = [one.name for one in self._final_module.functions if not one.is_declaration]
        return bool(defined) and not any(name.startswith(_FROM_PYTHON) for name in defined)


@contextmanager
def lean() -> Iterator[None]:
    """Within, functions that are compiled for kernels are left to these; nothing else is compiled meanwhile, in any thread.

    Numba has no setting for it: this exchanges the class of its libraries. A version of numba that does not have what this
    relies on compiles as it always does.
    """
    makers = cpu_target.target_context.codegen()
    plain = getattr(makers, "_library_class", None)
    if plain is not JITCodeLibrary or not _is_known():
        yield
        return
    with global_compiler_lock:
        makers._library_class = LeanLibrary
        try:
            yield
        finally:
            del makers._library_class  # that of its class comes to light again


def _is_known() -> bool:
    made = cpu_target.target_context.codegen().create_library("empty")
    return all(hasattr(made, name) for name in _USED) and callable(getattr(JITCodeLibrary, "get_pointer_to_function", None))

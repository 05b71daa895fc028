"""Formulas in whole numbers that Python evaluates as they stand and kernels contain as they stand.

    @formula
    def triangle_entries(size):
        return size * (size + 1) // 2

Python calls the function, with numbers or arrays. Where a kernel calls it, it is called once, during compilation, with
numbers that write down what is done with them, and so becomes a handful of instructions at that place: kernels call formulas
hundreds of times, and must not compile longer for it. A formula must therefore be the same for all numbers: no conditions,
and only + - * // and % (of numbers that are not negative).
"""

import inspect
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import AbstractTemplate, builtin_registry, signature
from numba.extending import lower_builtin


class _Written:
    """A whole number of a kernel that is being compiled."""

    def __init__(self, builder: ir.IRBuilder, value: ir.Value) -> None:
        self.builder, self.value = builder, value

    def _with(self, instruction: str, left: Any, right: Any) -> "_Written":
        values = [one.value if isinstance(one, _Written) else ir.Constant(self.value.type, one) for one in (left, right)]
        return _Written(self.builder, getattr(self.builder, instruction)(*values))

    def __add__(self, other: Any) -> "_Written":
        return self._with("add", self, other)

    def __radd__(self, other: Any) -> "_Written":
        return self._with("add", other, self)

    def __sub__(self, other: Any) -> "_Written":
        return self._with("sub", self, other)

    def __mul__(self, other: Any) -> "_Written":
        return self._with("mul", self, other)

    def __rmul__(self, other: Any) -> "_Written":
        return self._with("mul", other, self)

    def __floordiv__(self, other: Any) -> "_Written":
        return self._with("sdiv", self, other)

    def __mod__(self, other: Any) -> "_Written":
        return self._with("srem", self, other)


def formula(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let kernels use a formula in whole numbers."""
    whole = (types.intp,) * len(inspect.signature(function).parameters)

    class _Typing(AbstractTemplate):
        key = function

        def generic(self, args: tuple[Any, ...], kws: Any) -> Any:
            if len(args) == len(whole) and all(isinstance(arg, types.Integer) for arg in args):
                return signature(types.intp, *whole)
            return None

    builtin_registry.register_global(function, types.Function(_Typing))

    @lower_builtin(function, *whole)
    def _write(context: Any, builder: ir.IRBuilder, sig: Any, args: list[ir.Value]) -> ir.Value:
        return function(*(_Written(builder, arg) for arg in args)).value

    return function

"""Eight numbers that move together: a SIMD value for compiled kernels.

A chart repeats the same small computation for all spans of one width. `Lanes` holds eight neighbouring spans at once, so
that a kernel reads like scalar code while every operation works on eight spans. (A plain loop over eight array elements
is not vectorised reliably: the compiler cannot know that the arrays do not overlap.)

    x = load(array, position)        # array[position : position + 8]
    store(array, position, x * y)    # + - * / between lanes
"""

import operator
from typing import Any

from llvmlite import ir
from numba import njit
from numba.core import cgutils, types
from numba.core.datamodel import models, register_default
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin

from recbayes.compiled.compilation import can_be_kept

LANES = 8
POCKET = 600  # groups of lanes in a pocket: enough for all places of kernels in three dimensions
Lanes = Any  # what annotations call eight numbers; for numba they are `lanes`
KERNEL = {"nogil": True, "error_model": "numpy", "cache": can_be_kept()}  # functions called from Python, kept on disk
INNER = {  # functions called by kernels
    "nogil": True,
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
BORROWING = {**INNER, "_nrt": False}  # those that neither make nor return arrays: they need not count references to them
INLINED = {**BORROWING, "forceinline": True}  # functions that become fast where their arguments are known constants
# Functions whose text becomes part of their caller's before it is compiled. (Inlined functions, passed to an inlined walk,
# were optimised anew on each level, and the inside pass compiled a third longer.)
MERGED = {**BORROWING, "inline": "always"}
_DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
_INTEGERS = ir.VectorType(ir.IntType(64), LANES)
_FLAGS = ("contract",)  # a * b + c may become one fused operation; infinities and NaN keep their meaning


class LanesType(types.Type):
    """The type of eight float64 values held in vector registers."""

    def __init__(self) -> None:
        super().__init__("Lanes")


lanes = LanesType()


@register_default(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type) -> None:
        super().__init__(dmm, fe_type, _DOUBLES)


class PocketType(types.Type):
    """The type of a room that belongs to one call of a compiled function: what is at constant places may be in registers."""

    def __init__(self) -> None:
        super().__init__("Pocket")


pocket = PocketType()


@register_default(PocketType)
class _PocketModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type) -> None:
        super().__init__(dmm, fe_type, ir.DoubleType().as_pointer())


@intrinsic
def make_pocket(typing_context, dimension, room):
    """A room of POCKET lanes for the functions that are inlined here, if the dimension is known; else the room itself."""
    if len(dimension) == 0:
        return room(dimension, room), lambda context, builder, sig, args: args[1]

    def generate(context, builder, sig, args):
        return cgutils.alloca_once(builder, ir.DoubleType(), size=POCKET * LANES)

    return pocket(dimension, room), generate


def _pointer(context, builder, array_type, array, position):
    if array_type == pocket:
        return builder.bitcast(builder.gep(array, [position]), _DOUBLES.as_pointer())
    field = context.data_model_manager[array_type].get_field_position("data")
    data = builder.extract_value(array, field)  # one instruction; a struct proxy would spill the whole array first
    return builder.bitcast(builder.gep(data, [position]), _DOUBLES.as_pointer())


@intrinsic
def load(typing_context, array, position):
    """array[position : position + LANES] of a contiguous one-dimensional float64 array."""

    def generate(context, builder, sig, args):
        return builder.load(_pointer(context, builder, sig.args[0], *args), align=8)

    return lanes(array, types.intp), generate


@intrinsic
def store(typing_context, array, position, value):
    """array[position : position + LANES] = value."""

    def generate(context, builder, sig, args):
        builder.store(args[2], _pointer(context, builder, sig.args[0], args[0], args[1]), align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes), generate


def _numbered(builder, place, number):
    return builder.add(place, builder.mul(number, ir.Constant(number.type, LANES)))


@intrinsic
def get(typing_context, room, place, number):
    """The numbered group of lanes of a quantity that begins at a place: load(room, place + number * LANES)."""

    def generate(context, builder, sig, args):
        at = _numbered(builder, args[1], args[2])
        return builder.load(_pointer(context, builder, sig.args[0], args[0], at), align=8)

    return lanes(room, types.intp, types.intp), generate


@intrinsic
def put(typing_context, room, place, number, value):
    """store(room, place + number * LANES, value)."""

    def generate(context, builder, sig, args):
        at = _numbered(builder, args[1], args[2])
        builder.store(args[3], _pointer(context, builder, sig.args[0], args[0], at), align=8)
        return context.get_dummy_value()

    return types.void(room, types.intp, types.intp, lanes), generate


@intrinsic
def splat(typing_context, number):
    """The same number in every lane."""

    def generate(context, builder, sig, args):
        undefined = ir.Constant(_DOUBLES, ir.Undefined)
        first = builder.insert_element(undefined, args[0], ir.Constant(ir.IntType(32), 0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return builder.shuffle_vector(first, undefined, everywhere)

    return lanes(types.float64), generate


@intrinsic
def count_up(typing_context, number):
    """number, number + 1, ... in the lanes."""

    def generate(context, builder, sig, args):
        undefined = ir.Constant(_DOUBLES, ir.Undefined)
        first = builder.insert_element(undefined, args[0], ir.Constant(ir.IntType(32), 0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        steps = ir.Constant(_DOUBLES, [float(lane) for lane in range(LANES)])
        return builder.fadd(builder.shuffle_vector(first, undefined, everywhere), steps)

    return lanes(types.float64), generate


@intrinsic
def any_greater(typing_context, a, b):
    """Whether a > b in some lane."""

    def generate(context, builder, sig, args):
        bits = builder.bitcast(builder.fcmp_ordered(">", args[0], args[1]), ir.IntType(LANES))
        return builder.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(LANES), 0))

    return types.boolean(lanes, lanes), generate


@intrinsic
def lanes_total(typing_context, x):
    """The sum of all lanes, one after the other."""

    def generate(context, builder, sig, args):
        total = builder.extract_element(args[0], ir.Constant(ir.IntType(32), 0))
        for lane in range(1, LANES):
            total = builder.fadd(total, builder.extract_element(args[0], ir.Constant(ir.IntType(32), lane)))
        return total

    return types.float64(lanes), generate


@intrinsic
def lanes_sqrt(typing_context, x):
    """Square root."""

    def generate(context, builder, sig, args):
        signature = ir.FunctionType(_DOUBLES, [_DOUBLES])
        function = builder.module.declare_intrinsic(f"llvm.sqrt.v{LANES}f64", fnty=signature)
        return builder.call(function, [args[0]])

    return lanes(lanes), generate


@intrinsic
def where_greater(typing_context, a, b, then, otherwise):
    """`then` in the lanes where a > b, `otherwise` elsewhere (also where either is NaN)."""

    def generate(context, builder, sig, args):
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[2], args[3])

    return lanes(lanes, lanes, lanes, lanes), generate


@intrinsic
def _exponent(typing_context, x):
    """floor(log2 x) of positive normal numbers, as float64."""

    def generate(context, builder, sig, args):
        shift = ir.Constant(_INTEGERS, [52] * LANES)
        bias = ir.Constant(_INTEGERS, [1023] * LANES)
        bits = builder.bitcast(args[0], _INTEGERS)
        return builder.sitofp(builder.sub(builder.lshr(bits, shift), bias), _DOUBLES)

    return lanes(lanes), generate


@intrinsic
def _power_of_two(typing_context, k):
    """2.0 ** k for whole numbers k between -1022 and 1023 held as float64."""

    def generate(context, builder, sig, args):
        shift = ir.Constant(_INTEGERS, [52] * LANES)
        bias = ir.Constant(_INTEGERS, [1023] * LANES)
        whole = builder.fptosi(args[0], _INTEGERS)
        return builder.bitcast(builder.shl(builder.add(whole, bias), shift), _DOUBLES)

    return lanes(lanes), generate


def _arithmetic(operation, instruction: str) -> None:
    @infer_global(operation)
    class _Typing(AbstractTemplate):
        def generic(self, args, kws):
            if len(args) == 2 and args[0] == lanes and args[1] == lanes:
                return signature(lanes, lanes, lanes)
            return None

    @lower_builtin(operation, lanes, lanes)
    def _lower(context, builder, sig, args):
        return getattr(builder, instruction)(args[0], args[1], flags=_FLAGS)


for _operation, _instruction in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
    (operator.iadd, "fadd"),
    (operator.isub, "fsub"),
    (operator.imul, "fmul"),
):
    _arithmetic(_operation, _instruction)

_LN2_HIGH = 0.693147180369123816490  # the leading 33 bits of log 2: k * _LN2_HIGH is exact for every exponent k
_LN2_LOW = 1.90821492927058770002e-10
_SQRT2 = 1.4142135623730951


@njit(**BORROWING)
def lanes_log(x):
    """Natural logarithm of positive normal numbers, to about one unit in the last place.

    x = 2^k m with m in [sqrt(1/2), sqrt(2)], and log m = 2 artanh s = 2 (s + s^3/3 + s^5/5 + ...), s = (m-1)/(m+1),
    |s| < 0.172, so that eleven terms reach 1e-17.
    """
    one = splat(1.0)
    k = _exponent(x)
    m = x * _power_of_two(splat(0.0) - k)
    above = where_greater(m, splat(_SQRT2), one, splat(0.0))
    k = k + above
    m = m * (one - splat(0.5) * above)
    s = (m - one) / (m + one)
    z = s * s
    series = splat(1.0 / 23.0)
    for n in range(10, 0, -1):
        series = series * z + splat(1.0 / (2 * n + 1))
    return k * splat(_LN2_HIGH) + (splat(2.0) * s + (splat(2.0) * s * z * series + k * splat(_LN2_LOW)))


@njit(**INLINED)
def lanes_exp(x):
    """Exponential of numbers that are at most 700; exactly 0 below -700 (also for minus infinity).

    x = k log 2 + r with |r| < 0.35, and the power series of exp r up to r^12, whose rest is below 2e-16.
    """
    smallest = splat(-700.0)
    safe = where_greater(x, smallest, x, smallest)
    k = _nearest(safe * splat(1.4426950408889634))
    r = safe - k * splat(_LN2_HIGH) - k * splat(_LN2_LOW)
    z = r * r  # terms in pairs of pairs: a chain of twelve would wait for each
    low = (splat(1.0) + r) + z * (splat(1 / 2) + r * splat(1 / 6))
    middle = (splat(1 / 24) + r * splat(1 / 120)) + z * (splat(1 / 720) + r * splat(1 / 5040))
    high = (splat(1 / 40320) + r * splat(1 / 362880)) + z * (splat(1 / 3628800) + r * splat(1 / 39916800))
    fourth = z * z
    series = low + fourth * (middle + fourth * (high + fourth * splat(1 / 479001600)))
    return where_greater(x, smallest, series * _power_of_two(k), splat(0.0))


@intrinsic
def _nearest(typing_context, x):
    """The nearest whole numbers."""

    def generate(context, builder, sig, args):
        signature = ir.FunctionType(_DOUBLES, [_DOUBLES])
        function = builder.module.declare_intrinsic(f"llvm.rint.v{LANES}f64", fnty=signature)
        return builder.call(function, [args[0]])

    return lanes(lanes), generate

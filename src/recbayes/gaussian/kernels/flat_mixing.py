"""Mixing potentials that are flat in different directions.

A potential that says nothing about some direction has no mean there, so moments cannot be matched. They can be matched
under a broad Gaussian reference r(x), the variable's own distribution three times as wide: multiply by r, match mass, mean
and covariance, divide r out again. In coordinates z in which r is the standard normal, let the matched covariance have
eigenvalues s: directions with s < 1 carry information, precision 1/s - 1; the others are flat.

Only cells that need it come here: series with missing entries, under rules that rotate or mix dimensions.
"""

from numba import njit

from recbayes.compiled.lanes import (
    INNER,
    LANES,
    get,
    lanes_exp,
    lanes_log,
    lanes_sqrt,
    load,
    put,
    splat,
    store,
    where_greater,
)
from recbayes.compiled.potentials import invert, join, join_mode, packed, root, sandwich
from recbayes.gaussian.kernels.cells import NEGLIGIBLE

UNINFORMED = 1.0 - 1e-9  # eigenvalues above this say nothing that the reference does not say
SWEEPS = 12  # of Jacobi's rotations: they converge quadratically, and 6 to 8 suffice for 16 dimensions


@njit(**INNER)
def start_reference(constants, links, v, room, at, size):
    """Copy the variable's reference into the room and clear the moments under it, which take the place of square."""
    begin = links * (2 * size * size + size) + v * (1 + size + size * (size + 1) // 2)
    for number in range(1 + size + size * (size + 1) // 2):
        put(room, at.reference, number, splat(constants[begin + number]))
    for place in range(at.mean, at.weight):
        room[place] = 0.0
    store(room, at.weight, splat(-float("inf")))
    store(room, at.move, splat(0.0))


@njit(**INNER)
def weigh_under_reference(room, size, at):
    """Multiply the alternative in at.product by the reference, into at.one. Returns the log of the product's mass."""
    join(room, size, at.product, at.reference, at.one, at.factor, at.pivots, at.vector, at.free)
    join_mode(room, size, at.product, at.one, at.factor, at.pivots, at.vector)
    return load(room, at.one) - splat(0.5) * load(room, at.free)


@njit(**INNER)
def gather_under_reference(room, size, at, gather):
    """Note the largest weight of all alternatives (in at.weight); or, the second time, add up mass (in at.move), mean
    and square about the reference's mode."""
    weight = weigh_under_reference(room, size, at)
    heaviest = load(room, at.weight)
    if not gather:
        store(room, at.weight, where_greater(weight, heaviest, weight, heaviest))
        return
    share = lanes_exp(weight - heaviest)
    share = where_greater(weight, heaviest - splat(NEGLIGIBLE), share, splat(0.0))
    invert(room, size, at.factor, at.pivots, at.covariance, at.free)
    store(room, at.move, load(room, at.move) + share)
    entry = 0
    for a in range(size):
        apart = get(room, at.one, 1 + a) - get(room, at.reference, 1 + a)
        put(room, at.mean, a, get(room, at.mean, a) + share * apart)
        for b in range(a + 1):
            other = get(room, at.one, 1 + b) - get(room, at.reference, 1 + b)
            more = share * (get(room, at.covariance, entry) + apart * other)
            put(room, at.square, entry, get(room, at.square, entry) + more)
            entry += 1


@njit(**INNER)
def _centre(room, size, at):
    """Turn the gathered sums into a mean (about the reference's mode) and a covariance."""
    mass = load(room, at.move)
    for a in range(size):
        put(room, at.mean, a, get(room, at.mean, a) / mass)
    entry = 0
    for a in range(size):
        for b in range(a + 1):
            spread = get(room, at.square, entry) / mass - get(room, at.mean, a) * get(room, at.mean, b)
            put(room, at.square, entry, spread)
            entry += 1


@njit(**INNER)
def whiten(room, size, at, G, S, U, t, free):
    """Mean and covariance in the coordinates z = G' (x - mode) of the reference, whose precision is G G'.

    The covariance of z is U diag(S) U' (S is packed, its off-diagonal is rotated away) and its mean U t.
    """
    pivots, half, z = free, free + size * LANES, free + (size + size * size) * LANES
    root(room, size, at.reference + (1 + size) * LANES, G, pivots)
    for a in range(size):
        for b in range(size):
            value = splat(0.0)
            for c in range(b, size):
                value += get(room, at.square, packed(a, c)) * get(room, G, c * (c + 1) // 2 + b)
            put(room, half, a * size + b, value)
    entry = 0
    for a in range(size):
        value = splat(0.0)
        for c in range(a, size):
            value += get(room, G, c * (c + 1) // 2 + a) * get(room, at.mean, c)
        put(room, z, a, value)
        for b in range(a + 1):
            value = splat(0.0)
            for c in range(a, size):
                value += get(room, G, c * (c + 1) // 2 + a) * get(room, half, c * size + b)
            put(room, S, entry, value)
            entry += 1
    diagonalise(room, size, S, U)
    for a in range(size):
        value = splat(0.0)
        for b in range(size):
            value += get(room, U, b * size + a) * get(room, z, b)
        put(room, t, a, value)


@njit(**INNER)
def divide_reference(room, size, at):
    """The potential whose product with the reference has the gathered moments, into the chosen lanes of at.result."""
    height = load(room, at.weight) + lanes_log(load(room, at.move))
    _centre(room, size, at)
    divide_moments(room, size, height, at)


@njit(**INNER)
def divide_moments(room, size, height, at):
    """Likewise, where log mass, mean (about the reference's mode, in at.mean) and covariance (at.square) are known."""
    triangle = size * (size + 1) // 2 * LANES
    G, S, U = at.free, at.free + triangle, at.free + 2 * triangle
    t = U + size * size * LANES
    f, free = t + size * LANES, t + 2 * size * LANES
    zero, unit = splat(0.0), splat(1.0)
    chosen = load(room, at.chosen)
    whiten(room, size, at, G, S, U, t, free)
    for c in range(size):
        s, mean = get(room, S, packed(c, c)), get(room, t, c)
        informed = where_greater(splat(UNINFORMED), s, unit, zero)
        s = where_greater(informed, zero, s, unit)
        rest = where_greater(informed, zero, unit - s, unit)
        height += informed * (splat(0.5) * mean * mean / rest) - splat(0.5) * lanes_log(s)
        put(room, t, c, informed * mean / rest)
        put(room, f, c, unit / s - unit)
    store(room, at.result, where_greater(chosen, zero, height, load(room, at.result)))
    GU, z = free, free + size * size * LANES
    for a in range(size):
        value = zero
        for b in range(size):
            value += get(room, U, a * size + b) * get(room, t, b)
            total = zero
            for c in range(a + 1):
                total += get(room, G, a * (a + 1) // 2 + c) * get(room, U, c * size + b)
            put(room, GU, a * size + b, total)
        put(room, z, a, value)
    for a in range(size - 1, -1, -1):  # mode = reference mode + G'^-1 z
        value = get(room, z, a)
        for b in range(a + 1, size):
            value -= get(room, G, b * (b + 1) // 2 + a) * get(room, z, b)
        put(room, z, a, value / get(room, G, packed(a, a)))
    for a in range(size):  # rounding must not turn a blank dimension into one with a little information
        total = zero
        for c in range(size):
            total += get(room, GU, a * size + c) * get(room, f, c) * get(room, GU, a * size + c)
        known = where_greater(total, splat(1e-9) * get(room, at.reference, 1 + size + packed(a, a)), unit, zero)
        put(room, t, a, known)
        mode = known * (get(room, at.reference, 1 + a) + get(room, z, a))
        put(room, at.result, 1 + a, where_greater(chosen, zero, mode, get(room, at.result, 1 + a)))
    entry = 1 + size
    for a in range(size):
        for b in range(a + 1):
            total = zero
            for c in range(size):
                total += get(room, GU, a * size + c) * get(room, f, c) * get(room, GU, b * size + c)
            total = total * get(room, t, a) * get(room, t, b)
            put(room, at.result, entry, where_greater(chosen, zero, total, get(room, at.result, entry)))
            entry += 1


@njit(**INNER)
def divide_reference_adjoint(room, size, at, into, dS, dm, free):
    """Derivatives with respect to the matched covariance and mean under the reference, from those of the potential.

    `into` holds the derivatives with respect to the potential (g, m, P). The potential's precision, mode and height are
    functions of the matrix S of the whitened covariance: f(S) = 1/S - 1 and phi(S) = 1/(1 - S) where informed. Their
    derivatives use divided differences of f and phi in the eigenbasis (Daleckii and Krein).
    """
    triangle = size * (size + 1) // 2 * LANES
    square = size * size * LANES
    G, S, U = free, free + triangle, free + 2 * triangle
    t = U + square
    GU, D, X = t + size * LANES, t + size * LANES + square, t + size * LANES + 2 * square
    z, rest = X + triangle, X + triangle + size * LANES
    zero, unit, half = splat(0.0), splat(1.0), splat(0.5)
    _centre(room, size, at)
    whiten(room, size, at, G, S, U, t, rest)
    for a in range(size):
        for b in range(size):
            total = zero
            for c in range(a + 1):
                total += get(room, G, a * (a + 1) // 2 + c) * get(room, U, c * size + b)
            put(room, GU, a * size + b, total)
    for a in range(size):  # dimensions that were left blank pass nothing on
        total = zero
        for c in range(size):
            s = get(room, S, packed(c, c))
            f = where_greater(splat(UNINFORMED), s, unit / s - unit, zero)
            total += get(room, GU, a * size + c) * f * get(room, GU, a * size + c)
        known = where_greater(total, splat(1e-9) * get(room, at.reference, 1 + size + packed(a, a)), unit, zero)
        put(room, into, 1 + a, known * get(room, into, 1 + a))
        for b in range(size):
            entry = 1 + size + packed(a, b)
            put(room, into, entry, known * get(room, into, entry))
    for a in range(size):  # z <- U' G^-1 dm
        value = get(room, into, 1 + a)
        for b in range(a):
            value -= get(room, G, a * (a + 1) // 2 + b) * get(room, D, b)
        put(room, D, a, value / get(room, G, packed(a, a)))
    for a in range(size):
        value = zero
        for b in range(size):
            value += get(room, U, b * size + a) * get(room, D, b)
        put(room, z, a, value)
    sandwich(room, size, GU, into + (1 + size) * LANES, X, rest)
    height = load(room, into)
    for a in range(size):
        s, mine = get(room, S, packed(a, a)), get(room, t, a)
        informed = where_greater(splat(UNINFORMED), s, unit, zero)
        for b in range(a + 1):
            other = get(room, S, packed(b, b))
            both = where_greater(splat(UNINFORMED), other, informed, zero)
            none = where_greater(informed, zero, zero, where_greater(splat(UNINFORMED), other, zero, unit))
            f_a = informed * (unit / s - unit)
            p_a = where_greater(informed, zero, unit / (unit - s), zero)
            f_b = where_greater(splat(UNINFORMED), other, unit / other - unit, zero)
            p_b = where_greater(splat(UNINFORMED), other, unit / (unit - other), zero)
            gap = s - other
            f_slope = where_greater(both, zero, zero - unit / (s * other), (f_a - f_b) / gap)
            p_slope = where_greater(both, zero, p_a * p_b, (p_a - p_b) / gap)
            f_slope, p_slope = where_greater(none, zero, zero, f_slope), where_greater(none, zero, zero, p_slope)
            mean = get(room, t, b)
            moved = half * (get(room, z, a) * mean + get(room, z, b) * mine + height * mine * mean)
            value = get(room, X, packed(a, b)) * f_slope + moved * p_slope
            if a == b:
                value -= where_greater(informed, zero, half * height / s, zero)
            put(room, X, packed(a, b), value)
    for a in range(size):  # back to the mean of x
        s = get(room, S, packed(a, a))
        p = where_greater(splat(UNINFORMED), s, unit / (unit - s), zero)
        put(room, z, a, p * (get(room, z, a) + height * get(room, t, a)))
    for a in range(size):
        value = zero
        for b in range(size):
            value += get(room, GU, a * size + b) * get(room, z, b)
            put(room, D, b * size + a, get(room, GU, a * size + b))
        put(room, dm, a, value)
    sandwich(room, size, D, X, dS, rest)


@njit(**INNER)
def diagonalise(room, size, S, U):
    """S <- U' S U diagonal, by Jacobi's rotations: simple, and sure for a few dimensions. U is an ordinary matrix."""
    zero, unit = splat(0.0), splat(1.0)
    for a in range(size):
        for b in range(size):
            put(room, U, a * size + b, unit if a == b else zero)
    for _ in range(SWEEPS):
        for a in range(size):
            for b in range(a):
                between = get(room, S, packed(a, b))
                squared = between * between
                theta = splat(0.5) * (get(room, S, packed(b, b)) - get(room, S, packed(a, a))) / between
                magnitude = where_greater(theta, zero, theta, zero - theta)
                tangent = unit / (magnitude + lanes_sqrt(theta * theta + unit))
                tangent = where_greater(zero, theta, zero - tangent, tangent)
                tangent = where_greater(squared, splat(1e-300), tangent, zero)
                cosine = unit / lanes_sqrt(tangent * tangent + unit)
                sine = tangent * cosine
                x, y = get(room, S, packed(a, a)), get(room, S, packed(b, b))
                put(room, S, packed(a, a), x - tangent * between)
                put(room, S, packed(b, b), y + tangent * between)
                put(room, S, packed(a, b), zero)
                for c in range(size):
                    if c not in (a, b):
                        x, y = get(room, S, packed(c, a)), get(room, S, packed(c, b))
                        put(room, S, packed(c, a), cosine * x - sine * y)
                        put(room, S, packed(c, b), sine * x + cosine * y)
                    x, y = get(room, U, c * size + a), get(room, U, c * size + b)
                    put(room, U, c * size + a, cosine * x - sine * y)
                    put(room, U, c * size + b, sine * x + cosine * y)

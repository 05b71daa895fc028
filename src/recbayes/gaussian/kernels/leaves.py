"""Potentials of leaves of one column: a regression with noise that may be autoregressive, integrated over what is the
leaf's own.

The mean of a leaf is m_t = x + z r (t - middle) / L + sum over q of g_tq s_q z_q: its value x, a trend and further columns,
with standard normal numbers z that are its own. Observations are y_t = m_t + e_t, where e is a first-order autoregressive
process: given the last observation g ticks before,

    y_t - rho y_{t-g} ~ N(m_t - rho m_{t-g}, s^2 (1 - rho^2) / (1 - phi^2)),    rho = phi^g,

and the first one of a leaf has a variance of its own (or is given the one before the leaf). All of these are squares of
residuals that are linear in a (the mean at the leaf's first tick, without g), the slope and the z: they are added up
segment by segment from every start, in units about the start, so that offsets and long series lose no digits. Then slope
and z are integrated out.

Numbers may be complex: a step along the imaginary axis gives derivatives to all digits.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, INNER, KERNEL

MISSING, CLEAN, OUTLIER = 0, 1, 2  # what an observation is
# The numbers: deviations of noise, of a first observation, of outliers; of the rise of a trend (negative without one); and
# of each further column from there on.
NOISE, START, BROAD, RISE, OWN = 0, 1, 2, 3, 4
FIRST, SEEN, NOT_EMPTY = 0, 1, 2  # of a segment: its first clean and first seen observation, whether it has a form


class Column(NamedTuple):
    """One column of a series as the leaves see it."""

    y: np.ndarray  # (N,)
    state: np.ndarray  # (N,) MISSING, CLEAN or OUTLIER
    design: np.ndarray  # (N, q) further columns g
    ticks: np.ndarray  # (N + 1,) whole numbers as float64: when observations begin, and the last one ends
    positions: np.ndarray  # (points,) observations at which points stand
    phi: float
    observed_past: bool  # whether a leaf's first observation is given the one before it
    outliers: float  # the probability that an observation is one


class _Form(NamedTuple):
    """Weighted squares of residuals target - coefficients' (a, slope, z): sums of products."""

    matrix: np.ndarray  # (n + 1, n + 1): of coefficients, and in the last row and column with the target
    log_scale: np.ndarray  # (1,)
    row: np.ndarray  # (n + 1,) coefficients and target of a residual, to be filled


@njit(**INNER)
def _empty(size: int, numbers: np.ndarray) -> _Form:
    matrix = np.zeros((size + 1, size + 1), numbers.dtype)
    return _Form(matrix, np.zeros(1, numbers.dtype), np.zeros(size + 1))


@njit(**BORROWING)
def residual(c: Column, t: int, last: int, rho: float, y0: float, tick0: float, trend: int, row: np.ndarray) -> None:
    """Coefficients and target of y_t - rho y_last, about a place and a time."""
    row[0] = 1.0 - rho
    target = c.y[t] - y0
    time = c.ticks[t] - tick0
    if rho != 0.0:
        target -= rho * (c.y[last] - y0)
        time -= rho * (c.ticks[last] - tick0)
    if trend:
        row[1] = time
    for q in range(c.design.shape[1]):
        row[1 + trend + q] = c.design[t, q] - (rho * c.design[last, q] if rho != 0.0 else 0.0)
    row[1 + trend + c.design.shape[1]] = target


@njit(**BORROWING)
def limits_of(phi: float, numbers: np.ndarray) -> tuple:
    """Variances of noise at the first tick of a leaf, and in the long run."""
    noise = numbers[NOISE] ** 2
    if phi == 0.0:
        return noise, noise
    stationary, ceiling = noise / (1.0 - phi * phi), numbers[START] ** 2
    if ceiling.real < noise.real:
        ceiling = noise
    return (stationary if stationary.real < ceiling.real else ceiling), stationary


class _Terms(NamedTuple):
    """Of every observation: the clean one before it (-1: none), rho, and weight and log scale of its residual, as the first
    of a leaf and as a next one. An outlier's are those of a first one. Then the variance of noise at the beginning of a
    leaf, and what it tends to."""

    last: np.ndarray
    rho: np.ndarray
    first_weight: np.ndarray
    first_log: np.ndarray
    next_weight: np.ndarray
    next_log: np.ndarray
    limits: np.ndarray


@njit(**INNER)
def _terms(c: Column, numbers: np.ndarray) -> _Terms:
    count = len(c.y)
    empty = np.zeros((4, count), numbers.dtype)
    terms = _Terms(np.full(count, -1), np.zeros(count), empty[0], empty[1], empty[2], empty[3], np.zeros(2, numbers.dtype))
    noise = numbers[NOISE] ** 2
    first, stationary = limits_of(c.phi, numbers)
    terms.limits[0], terms.limits[1] = first, stationary
    last = -1
    for t in range(count):
        own, following = first, noise
        if c.state[t] == OUTLIER:
            own = numbers[BROAD] ** 2
        terms.last[t] = last
        if c.phi != 0.0 and last >= 0:
            rho = c.phi ** max(c.ticks[t] - c.ticks[last], 1.0)
            terms.rho[t] = rho
            following = noise * ((1.0 - rho * rho) / (1.0 - c.phi * c.phi))
        chance = math.log(c.outliers) if c.state[t] == OUTLIER else math.log1p(-c.outliers)
        terms.first_weight[t], terms.next_weight[t] = 1.0 / own, 1.0 / following
        terms.first_log[t] = chance - 0.5 * np.log(2.0 * math.pi * own)
        terms.next_log[t] = chance - 0.5 * np.log(2.0 * math.pi * following)
        if c.state[t] == CLEAN:
            last = t
    return terms


@njit(**KERNEL)
def observation_terms(c: Column, numbers: np.ndarray) -> tuple:
    """The terms of all observations."""
    return _terms(c, numbers)


@njit(**BORROWING)
def _add(
    c: Column, terms: _Terms, t: int, first: bool, later: bool, y0: float, tick0: float, trend: int, form: _Form
) -> None:
    """An observation: the first of a leaf or an outlier, or one that follows a clean one."""
    row, matrix = form.row, form.matrix
    residual(c, t, terms.last[t], 0.0 if first else terms.rho[t], y0, tick0, trend, row)
    weight = terms.first_weight[t] if first else terms.next_weight[t]
    log_scale = terms.first_log[t] if first else terms.next_log[t]
    if later:  # the noise began at the leaf's first tick, before this observation
        share = c.phi ** (2.0 * (c.ticks[t] - tick0))
        ratio = share + (1.0 - share) * terms.limits[1] / terms.limits[0]
        weight /= ratio
        log_scale -= 0.5 * np.log(ratio)
    for i in range(len(row)):
        scaled = row[i] * weight
        for j in range(i + 1):
            matrix[i, j] += scaled * row[j]
    form.log_scale[0] += log_scale


@njit(**INNER)
def _segments(c: Column, terms: _Terms, numbers: np.ndarray, size: int, trend: int) -> tuple:
    """For every segment between points what is known without its neighbours: the form of all but its first clean
    observation, about its first one that is seen; its first clean and first seen observation (-1: none), and whether the
    form is not empty."""
    count = len(c.positions) - 1
    forms = np.zeros((count, size + 1, size + 1), numbers.dtype)
    log_scales = np.zeros(count, numbers.dtype)
    edges = np.full((3, count), -1)
    form = _empty(size, numbers)
    for j in range(count):
        form.matrix[:] = 0.0
        form.log_scale[0] = 0.0
        tick0 = c.ticks[c.positions[j]]
        y0 = 0.0
        edges[NOT_EMPTY, j] = 0
        for t in range(c.positions[j], c.positions[j + 1]):
            if c.state[t] == MISSING:
                continue
            if edges[SEEN, j] < 0:
                edges[SEEN, j] = t
                y0 = c.y[t]
            if c.state[t] == OUTLIER:
                _add(c, terms, t, True, False, y0, tick0, trend, form)
                edges[NOT_EMPTY, j] = 1
                continue
            if edges[FIRST, j] < 0:
                edges[FIRST, j] = t
            else:
                _add(c, terms, t, False, False, y0, tick0, trend, form)
                edges[NOT_EMPTY, j] = 1
        forms[j] = form.matrix
        log_scales[j] = form.log_scale[0]
    return forms, log_scales, edges


@njit(**BORROWING)
def _add_moved(total: _Form, part: np.ndarray, up: float, later: float, trend: int) -> None:
    """Add a form whose place is higher and whose time is later: there a' = a + slope later - up."""
    n = len(part) - 1
    matrix = total.matrix
    for i in range(n + 1):
        for j in range(i + 1):
            matrix[i, j] += part[i, j]
    # Residual t - p a' - ... = (t + p up) - p a - (q + p later) slope - ...: rows of a are added to those of target and
    # slope.
    if trend:
        for j in range(n + 1):
            if j != 1:
                value = later * part[max(j, 0), min(j, 0)]
                matrix[max(j, 1), min(j, 1)] += value
        matrix[1, 1] += 2.0 * later * part[1, 0] + later * later * part[0, 0]
    for j in range(n):
        value = up * part[j, 0]
        if trend and j == 1:
            value += up * later * part[0, 0]
        matrix[n, j] += value
    matrix[n, n] += 2.0 * up * part[n, 0] + up * up * part[0, 0]


@njit(**BORROWING)
def reduce_form(work: np.ndarray, numbers: np.ndarray, trend: int, ticks: float) -> tuple:
    """Height (but for the log scale), mode about the form's place and precision of what is left as a function of x, at the
    middle of the leaf, when all that is its own is integrated out. `work` is a form's matrix, and is lost."""
    n = len(work) - 1
    if trend:  # a = x - slope (ticks - 1) / 2, and slope = z rise / ticks
        back, scale = -0.5 * (ticks - 1.0), numbers[RISE] / ticks
        square = work[1, 1] + 2.0 * back * work[1, 0] + back * back * work[0, 0]
        for j in range(2, n + 1):
            work[j, 1] = scale * (work[j, 1] + back * work[j, 0])
        work[1, 0] = scale * (work[1, 0] + back * work[0, 0])
        work[1, 1] = scale * scale * square
    for q in range(n - 1 - trend):
        own = 1 + trend + q
        scale = numbers[OWN + q]
        for j in range(own):
            work[own, j] *= scale
        for j in range(own + 1, n + 1):
            work[j, own] *= scale
        work[own, own] *= scale * scale
    height = numbers[NOISE] * 0.0
    for own in range(n - 1, 0, -1):  # the last first; what is left is x and the target
        pivot = 1.0 + work[own, own]
        height -= 0.5 * np.log(pivot)
        for i in range(own):
            left = work[own, i] / pivot
            for j in range(i + 1):
                work[i, j] -= left * work[own, j]
            work[n, i] -= left * work[n, own]
        work[n, n] -= work[n, own] * work[n, own] / pivot
    precision, mode, rest = work[0, 0], work[0, 0] * 0.0, work[n, n]
    if precision.real > 0.0:
        mode = work[n, 0] / precision
        rest = rest - mode * work[n, 0]
    else:
        precision = precision * 0.0
    if rest.real < 0.0:
        rest = rest * 0.0
    return height - 0.5 * rest, mode, precision


@njit(**BORROWING)
def _integrate(
    form: _Form, numbers: np.ndarray, trend: int, ticks: float, work: np.ndarray, out: np.ndarray, place: int, y0: float
) -> None:
    """Height, mode and precision of what is left as a function of x."""
    for i in range(len(work)):
        for j in range(i + 1):
            work[i, j] = form.matrix[i, j]
    height, mode, precision = reduce_form(work, numbers, trend, ticks)
    out[0, place] = form.log_scale[0] + height
    out[1, place] = mode + y0 if precision.real > 0.0 else mode
    out[2, place] = precision


@njit(**KERNEL)
def leaf_potentials(c: Column, numbers: np.ndarray, widest: int, out: np.ndarray) -> None:
    """Heights, modes and precisions of all spans of at most `widest` segments: (3, spans), by width and then by start."""
    trend = 1 if numbers[RISE].real >= 0.0 else 0
    size = 1 + trend + c.design.shape[1]
    count = len(c.positions) - 1
    terms = _terms(c, numbers)
    forms, log_scales, edges = _segments(c, terms, numbers, size, trend)
    total = _empty(size, numbers)
    work = np.zeros((size + 1, size + 1), numbers.dtype)
    clean_before = False
    for i in range(count):
        total.matrix[:] = 0.0
        total.log_scale[0] = 0.0
        tick0, y0 = c.ticks[c.positions[i]], 0.0
        first, seen = not c.observed_past or not clean_before, False
        place = i
        for j in range(i, min(i + widest, count)):
            if edges[SEEN, j] >= 0 and not seen:
                seen, y0 = True, c.y[edges[SEEN, j]]
            if edges[FIRST, j] >= 0:
                t = edges[FIRST, j]
                _add(c, terms, t, first, first and c.phi != 0.0 and c.ticks[t] > tick0, y0, tick0, trend, total)
                first = False
            if edges[NOT_EMPTY, j]:
                _add_moved(total, forms[j], c.y[edges[SEEN, j]] - y0, c.ticks[c.positions[j]] - tick0, trend)
                total.log_scale[0] += log_scales[j]
            _integrate(total, numbers, trend, c.ticks[c.positions[j + 1]] - tick0, work, out, place, y0)
            place += count - (j - i)  # spans of the next width come after all starts of this one
        clean_before = clean_before or edges[FIRST, i] >= 0


@njit(**KERNEL)
def leaf_form(c: Column, numbers: np.ndarray, start: int, end: int) -> tuple[np.ndarray, float]:
    """The form of one leaf, from its first to its last observation, and the place about which it is: its first one seen."""
    trend = 1 if numbers[RISE] >= 0.0 else 0
    form = _empty(1 + trend + c.design.shape[1], numbers)
    terms = _terms(c, numbers)
    tick0, y0, seen, first = c.ticks[start], 0.0, False, True
    for t in range(start, end):
        if c.state[t] == MISSING:
            continue
        if not seen:
            seen, y0 = True, c.y[t]
        if c.state[t] == OUTLIER:
            _add(c, terms, t, True, False, y0, tick0, trend, form)
        else:
            _add(c, terms, t, first, first and c.phi != 0.0 and c.ticks[t] > tick0, y0, tick0, trend, form)
            first = False
    return form.matrix, y0

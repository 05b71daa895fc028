"""Members of a bank and sets of outliers, drawn for one column of leaves; and what a draw of values is then worth.

A pair of a member and a set is drawn by its share of the mass where the column's mean is expected, widely or, in half of
the draws, more narrowly: what is far away may be an outlier, or not. Values are drawn by the potential that this makes.
What they are worth is their likelihood with all sets summed over, in proportion to that by all sets with which they could
have been drawn (the balance heuristic).
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, INNER, KERNEL, LANES
from recbayes.gaussian.kernels.leaves import OWN, RISE, Column
from recbayes.gaussian.kernels.outlier_sets import (
    FORM,
    HEIGHT,
    MASS,
    MODE,
    OTHERS,
    PRECISION,
    SETS,
    list_sets,
    make_room,
    setting_of,
)
from recbayes.gaussian.kernels.outliers import Scales, log_likelihood, log_likelihood_given, scales_of

NARROWER = 9.0  # times a variance, with which means are expected narrowly: as a variable is first met


class Bank(NamedTuple):
    """The members that a column chooses among, and where its mean is expected."""

    numbers: np.ndarray  # (members, n)
    phi: np.ndarray
    log_weights: np.ndarray
    mean: float
    variance: float


class Drawn(NamedTuple):
    """Of leaves, ordered by their spans (leaves, 2): the probability with which each heeds no mass; member and set, the log
    of their probability, their potential (leaves, 3), weight of the member included, and the logs of the mass of all, where
    the mean is expected widely and narrowly (leaves, 2)."""

    spans: np.ndarray
    least: np.ndarray
    members: np.ndarray
    sets: np.ndarray
    logs: np.ndarray
    potentials: np.ndarray
    totals: np.ndarray


@njit(**INNER)
def _with_member(c: Column, bank: Bank, m: int) -> Column:
    return Column(c.y, c.state, c.design, c.ticks, c.positions, bank.phi[m], c.observed_past, c.outliers)


@njit(**KERNEL)
def draw_sets(c: Column, bank: Bank, uniforms: np.ndarray, drawn: Drawn) -> None:
    """From one uniform number for each leaf."""
    members = len(bank.phi)
    room = make_room(c, bank.numbers[0])
    states = np.zeros((2 * SETS, len(c.y)), np.int8)
    counts, masses = np.zeros(members, np.int64), np.zeros((2, members, SETS + 1))
    potentials = np.zeros((members, SETS + 1, 3))
    start, end = np.int64(-1), np.int64(-1)
    totals = np.zeros(2)
    for leaf in range(len(drawn.spans)):
        if drawn.spans[leaf, 0] != start or drawn.spans[leaf, 1] != end:
            start, end = drawn.spans[leaf, 0], drawn.spans[leaf, 1]
            for m in range(members):
                one = _with_member(c, bank, m)
                known = setting_of(one, bank.numbers[m], bank.mean, bank.variance)
                side, counts[m], y0 = list_sets(one, bank.numbers[m], known, start, end, room, states)
                for s in range(counts[m]):
                    found = room.sets[side, s]
                    masses[0, m, s] = found[MASS] + bank.log_weights[m]
                    masses[1, m, s] = narrow_mass(found, bank, y0) + bank.log_weights[m]
                    potentials[m, s, 0] = found[HEIGHT] + bank.log_weights[m]
                    potentials[m, s, 1] = found[MODE] + y0 if found[PRECISION] > 0.0 else 0.0
                    potentials[m, s, 2] = found[PRECISION]
            totals[0], totals[1] = _log_sum(masses[0], counts), _log_sum(masses[1], counts)
        drawn.totals[leaf] = totals
        _choose(bank, counts, masses, totals, uniforms[leaf], leaf, drawn)
        m, s = drawn.members[leaf], drawn.sets[leaf]
        for k in range(3):
            drawn.potentials[leaf, k] = potentials[m, s, k]


@njit(**BORROWING)
def narrow_mass(found: np.ndarray, bank: Bank, y0: float) -> float:
    """The log mass of a set where the mean is expected narrowly."""
    variance = bank.variance / NARROWER
    spread, apart = 1.0 + found[PRECISION] * variance, found[MODE] + y0 - bank.mean
    return found[HEIGHT] + found[OTHERS] - 0.5 * (math.log(spread) + found[PRECISION] * apart * apart / spread)


@njit(**BORROWING)
def _share(wide: float, narrow: float, least: float, blind: float) -> float:
    """The probability with which a pair is drawn."""
    return (1.0 - least) * 0.5 * (math.exp(wide) + math.exp(narrow)) + least * blind


@njit(**BORROWING)
def _log_sum(masses: np.ndarray, counts: np.ndarray) -> float:
    top = -math.inf
    for m in range(len(counts)):
        for s in range(counts[m]):
            top = max(top, masses[m, s])
    total = 0.0
    for m in range(len(counts)):
        for s in range(counts[m]):
            total += math.exp(masses[m, s] - top)
    return top + math.log(total)


@njit(**BORROWING)
def _choose(
    bank: Bank, counts: np.ndarray, masses: np.ndarray, totals: np.ndarray, uniform: float, leaf: int, drawn: Drawn
) -> None:
    reached = 0.0
    for m in range(len(counts)):
        blind = math.exp(bank.log_weights[m]) / counts[m]
        for s in range(counts[m]):
            share = _share(masses[0, m, s] - totals[0], masses[1, m, s] - totals[1], drawn.least[leaf], blind)
            if share > 0.0 and reached <= uniform:
                drawn.members[leaf], drawn.sets[leaf], drawn.logs[leaf] = m, s, math.log(share)
            reached += share


@njit(**KERNEL)
def draw_worth(c: Column, bank: Bank, drawn: Drawn, u: np.ndarray, normals: np.ndarray, out: np.ndarray) -> None:
    """Logs of what draws of the column's mean `u` (leaves, LANES) are worth, into `out`; what is the leaves' own is drawn
    from `normals` (leaves, q, LANES)."""
    room = make_room(c, bank.numbers[0])
    states = np.zeros((2 * SETS, len(c.y)), np.int8)
    means, own, logs = np.zeros(len(c.y)), np.zeros((len(c.y), normals.shape[1])), np.zeros(SETS + 1)
    start, end, m = np.int64(-1), np.int64(-1), np.int64(-1)
    side, count, y0 = np.int64(0), np.int64(0), 0.0
    one, numbers = c, bank.numbers[0]
    scales = scales_of(one, numbers)
    for leaf in range(len(drawn.spans)):
        if drawn.spans[leaf, 0] != start or drawn.spans[leaf, 1] != end or drawn.members[leaf] != m:
            start, end, m = drawn.spans[leaf, 0], drawn.spans[leaf, 1], drawn.members[leaf]
            one, numbers = _with_member(c, bank, m), bank.numbers[m]
            known = setting_of(one, numbers, bank.mean, bank.variance)
            side, count, y0 = list_sets(one, numbers, known, start, end, room, states)
            scales = scales_of(one, numbers)
            _own_columns(one, numbers, start, end, own)
        chosen = drawn.sets[leaf]
        root, pull, away = _own_given(room.sets[side, chosen], numbers, one.ticks[end] - one.ticks[start], own.shape[1])
        for s in range(count):
            found = room.sets[side, s]
            wide = found[MASS] + bank.log_weights[m] - drawn.totals[leaf, 0]
            narrow = narrow_mass(found, bank, y0) + bank.log_weights[m] - drawn.totals[leaf, 1]
            share = _share(wide, narrow, drawn.least[leaf], math.exp(bank.log_weights[m]) / count)
            logs[s] = math.log(share) - (found[MASS] - found[OTHERS]) if share > 0.0 else -math.inf
        for lane in range(LANES):
            z = _solved(root, pull - away * (u[leaf, lane] - y0), normals[leaf, :, lane])
            for t in range(end - start):
                means[t] = u[leaf, lane]
                for q in range(own.shape[1]):
                    means[t] += own[t, q] * z[q]
            out[leaf, lane] = log_likelihood(one, scales, start, end, means) + logs[chosen]
            out[leaf, lane] -= _log_mixture(one, states, scales, start, end, means, logs, count)


@njit(**BORROWING)
def _log_mixture(
    c: Column, states: np.ndarray, scales: Scales, start: int, end: int, means: np.ndarray, logs: np.ndarray, count: int
) -> float:
    """The log of the sum over sets of the likelihood given each, times what counts for it."""
    top, total = -math.inf, 0.0
    for s in range(count):
        value = logs[s] + log_likelihood_given(c, states[s], scales, start, end, means)
        if value > top:
            total = total * math.exp(top - value) + 1.0
            top = value
        elif value > -math.inf:
            total += math.exp(value - top)
    return top + math.log(total)


@njit(**BORROWING)
def _own_columns(c: Column, numbers: np.ndarray, start: int, end: int, own: np.ndarray) -> None:
    """What multiplies the standard normal numbers z of a leaf, at each of its observations."""
    trend = 1 if numbers[RISE] >= 0.0 else 0
    ticks = c.ticks[end] - c.ticks[start]
    for t in range(start, end):
        if trend:
            own[t - start, 0] = numbers[RISE] * (c.ticks[t] - c.ticks[start] - 0.5 * (ticks - 1.0)) / ticks
        for q in range(c.design.shape[1]):
            own[t - start, trend + q] = c.design[t, q] * numbers[OWN + q]


@njit(**INNER)
def _own_given(found: np.ndarray, numbers: np.ndarray, ticks: float, q: int) -> tuple:
    """What is known of z by a set: the lower root of its precision, and its pull, which is less by the third for every unit
    that the level is above the leaf's place."""
    matrix, k = np.zeros((q + 2, q + 2)), FORM
    for i in range(q + 2):
        for j in range(i + 1):
            matrix[i, j] = matrix[j, i] = found[k]
            k += 1
    if numbers[RISE] >= 0.0:  # a = u - slope middle, slope = z rise / ticks
        middle, scale = 0.5 * (ticks - 1.0), numbers[RISE] / ticks
        for _ in range(2):
            for i in range(q + 2):
                matrix[i, 1] = scale * (matrix[i, 1] - middle * matrix[i, 0])
            matrix = matrix.T.copy()
    trend = 1 if numbers[RISE] >= 0.0 else 0
    for own in range(q - trend):
        matrix[1 + trend + own] *= numbers[OWN + own]
        matrix[:, 1 + trend + own] *= numbers[OWN + own]
    return np.linalg.cholesky(np.eye(q) + matrix[1:-1, 1:-1]), matrix[1:-1, -1].copy(), matrix[1:-1, 0].copy()


@njit(**INNER)
def _solved(root: np.ndarray, pull: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """A draw of z: the precision's inverse times the pull, and noise."""
    q = len(pull)
    z = pull.copy()
    for i in range(q):
        for j in range(i):
            z[i] -= root[i, j] * z[j]
        z[i] /= root[i, i]
    for i in range(q - 1, -1, -1):
        z[i] += normals[i]
        for j in range(i + 1, q):
            z[i] -= root[j, i] * z[j]
        z[i] /= root[i, i]
    return z

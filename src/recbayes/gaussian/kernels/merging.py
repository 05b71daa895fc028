"""Merging the parts of a mixture, the cheapest pair first (Runnalls 2007).

A part stands for some alternatives of a cell: their mass, how many they are, one of them, the log determinant of their
covariance (at first of their precision), their mean, covariance and precision, one number after the other.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING
from recbayes.compiled.layout import formula, packed, triangle_entries

PART_MASS, PART_COUNT, PART_ONE, PART_DETERMINANT, PART_MEAN = range(5)


class Reduction(NamedTuple):
    """Places in the room, after those of the inside pass."""

    weights: int  # log masses of all alternatives under the reference
    parts: int  # the parts that are left, one after the other: see above
    sums: int  # of their alternatives' distances from their first mean
    costs: int  # of merging each pair of parts
    spread: int  # a triangle
    alternatives: int
    end: int


@formula
def part_entries(size: int) -> int:
    """Numbers of a part."""
    return PART_MEAN + size + 2 * triangle_entries(size)


@formula
def part_covariance(part: int, size: int) -> int:
    """Where the covariance of a part begins."""
    return part + PART_MEAN + size


@formula
def part_precision(part: int, size: int) -> int:
    """Where the precision of a part begins."""
    return part + PART_MEAN + size + triangle_entries(size)


@njit(**BORROWING)
def finish_parts(room: np.ndarray, size: int, parts: int, to: Reduction) -> None:
    """Log determinants of the parts' covariances, and the costs of merging any two."""
    stride, triangle = part_entries(size), triangle_entries(size)
    for p in range(parts):
        part = to.parts + p * stride
        for entry in range(triangle):
            room[to.spread + entry] = room[part_covariance(part, size) + entry]
        room[part + PART_DETERMINANT] = _log_determinant(room, size, to.spread)
    for p in range(parts):
        for q in range(p):
            room[to.costs + p * parts + q] = _cost(room, size, to.parts + p * stride, to.parts + q * stride, to.spread)


@njit(**BORROWING)
def merge_parts(room: np.ndarray, size: int, parts: int, components: int, to: Reduction) -> int:
    """Merge the cheapest pair until as few are left as may be kept. Returns how many are left."""
    stride, rows = part_entries(size), parts
    while parts > components:
        least, p, q = math.inf, 1, 0
        for i in range(parts):
            for j in range(i):
                if room[to.costs + i * rows + j] < least:
                    least, p, q = room[to.costs + i * rows + j], i, j
        one, two, last = to.parts + q * stride, to.parts + p * stride, to.parts + (parts - 1) * stride
        _merged_covariance(room, size, one, two, to.spread)
        share = room[two] / (room[one] + room[two])
        for a in range(size):
            room[one + PART_MEAN + a] += share * (room[two + PART_MEAN + a] - room[one + PART_MEAN + a])
        for entry in range(triangle_entries(size)):
            room[part_covariance(one, size) + entry] = room[to.spread + entry]
        room[one] += room[two]
        room[one + PART_COUNT] += room[two + PART_COUNT]
        room[one + PART_DETERMINANT] = _log_determinant(room, size, to.spread)
        for entry in range(stride):  # the last one takes the place that became free
            room[two + entry] = room[last + entry]
        for j in range(parts - 1):
            if j != p:
                room[to.costs + max(p, j) * rows + min(p, j)] = room[to.costs + (parts - 1) * rows + j]
        parts -= 1
        for j in range(parts):
            if j != q:
                room[to.costs + max(q, j) * rows + min(q, j)] = _cost(room, size, one, to.parts + j * stride, to.spread)
    return parts


@njit(**BORROWING)
def _cost(room: np.ndarray, size: int, one: int, two: int, spread: int) -> float:
    """Runnalls' bound on the divergence that merging two parts costs. Leaves the merged covariance's factor."""
    mass = room[one] + room[two]
    _merged_covariance(room, size, one, two, spread)
    merged = _log_determinant(room, size, spread)
    return 0.5 * (mass * merged - room[one] * room[one + PART_DETERMINANT] - room[two] * room[two + PART_DETERMINANT])


@njit(**BORROWING)
def _merged_covariance(room: np.ndarray, size: int, one: int, two: int, out: int) -> None:
    mass = room[one] + room[two]
    first, second = room[one] / mass, room[two] / mass
    entry = 0
    for a in range(size):
        apart = room[one + PART_MEAN + a] - room[two + PART_MEAN + a]
        for b in range(a + 1):
            other = room[one + PART_MEAN + b] - room[two + PART_MEAN + b]
            within = first * room[part_covariance(one, size) + entry] + second * room[part_covariance(two, size) + entry]
            room[out + entry] = within + first * second * apart * other
            entry += 1


@njit(**BORROWING)
def _log_determinant(room: np.ndarray, size: int, S: int) -> float:
    """Of a positive definite matrix (packed, one number per place), which is overwritten by its factor."""
    total = 0.0
    for a in range(size):
        for b in range(a + 1):
            value = room[S + packed(a, b)]
            for c in range(b):
                value -= room[S + packed(a, c)] * room[S + packed(b, c)]
            if a == b:
                value = max(value, 1e-300)
                total += math.log(value)
                room[S + packed(a, a)] = math.sqrt(value)
            else:
                room[S + packed(a, b)] = value / room[S + packed(b, b)]
    return total

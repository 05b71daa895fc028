"""Where climbs begin, and which of them go on to the end.

All starts are climbed a little, on some of the series; the better ones a little further; the best ones to the end, on all.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from recbayes.learn.climb import Summit, Terrain, quasi_newton
from recbayes.learn.run import Run
from recbayes.parameters.parameters import Parameters

ALONE, TOGETHER = 11, 3  # further starts, by themselves, where there is one series, and where there are several
SHORT, MORE = 60, 35  # observations up to which one series has more tops than others, and further starts then
LITTLE, FURTHER = 12, 24  # evaluations of all starts of one series (of several: two thirds), and of the better ones
SHARE, LEAST = 5, 3  # one in so many series is enough for that, and at least so many are
COARSE = 0.01  # nats that an iteration gains at least, until the end
SPREAD = 1.0  # standard deviation of the free numbers of starts around the given one, where a family knows no better
SMALL = 0.3  # units by which numbers that are all the same and have the same slopes are moved apart


def number_of(restarts: int | None, family: Any, model: Any, lengths: Sequence[int], evaluations: int) -> int:
    """How many further starts there are: by themselves, only where they take no more than a quarter of all evaluations."""
    if restarts is not None:
        return restarts
    count = TOGETHER if len(lengths) > 1 else MORE if lengths[0] <= SHORT else ALONE
    many = 4 * LITTLE * (1 + count) <= evaluations
    return count if many and family.has("variation") and getattr(model, "chain", None) is None else 0


def starts_of(parameters: Parameters, terrain: Terrain, count: int, seed: int) -> list[np.ndarray]:
    """The free vector of the model, and others that differ from it in kind, all within the bounds."""
    family, model, first = parameters.model.family, parameters.model, parameters.vector()
    rng = np.random.default_rng(seed)
    found = [first]
    for number in range(count):
        if family.has("variation"):
            found.append(parameters.vector(family.variation(model, number, rng)))
        else:
            found.append(first + SPREAD * terrain.units * rng.normal(size=len(first)))
    return [terrain.inside(start) for start in found]


def broken_up(parameters: Parameters, vector: np.ndarray, slope: np.ndarray, units: np.ndarray, seed: int) -> np.ndarray:
    """The vector, but for numbers that are all the same and have the same slopes: no climb would ever move them apart."""
    rng, parts = np.random.default_rng([seed, 1]), []
    slopes, scales = parameters.parts(slope), parameters.parts(units)
    for block, part, pull, unit in zip(parameters.blocks, parameters.parts(vector), slopes, scales, strict=True):
        flat = block.form == "numbers" and len(part) > 1 and np.ptp(part) == 0.0
        if flat and np.ptp(pull * unit) <= 1e-6 * np.abs(pull * unit).max():
            part = part + SMALL * unit * rng.normal(size=len(part))
        parts.append(part)
    return np.concatenate([np.zeros(0), *parts])


def explored(run: Run, starts: Sequence[np.ndarray], terrain: Terrain, series: Sequence[int]) -> list[Summit]:
    """Where all starts come to when they are climbed a little, and the better half further, on some of the series; the best
    first."""
    count = min(max(LEAST, -(-len(series) // SHARE)), len(series))
    some = [series[number * len(series) // count] for number in range(count)]
    near = partial(run, chosen=some if count < len(series) else None)
    little = LITTLE if len(series) == 1 else 2 * LITTLE // 3
    found = []
    for number, start in enumerate(starts):
        run.enter(f"start {number + 1} of {len(starts)}", length=little * (len(starts) - number))
        found.append(quasi_newton(near, start, terrain, COARSE, most=little))
    found.sort(key=lambda one: -one.objective)
    for number, better in enumerate(found[: (len(found) + 1) // 2] if len(found) > 4 else ()):
        if better.reason == "cut short":
            run.enter(f"the better starts, {number + 1}", length=FURTHER)
            found[number] = quasi_newton(near, better.vector, terrain, COARSE, most=FURTHER)
    return sorted(found, key=lambda one: -one.objective)


def different(tried: Sequence[Summit], count: int) -> list[np.ndarray]:
    """The best places, without those of the same height."""
    kept: list[Summit] = []
    for one in tried:
        if np.isfinite(one.objective) and all(abs(one.objective - other.objective) > COARSE for other in kept):
            kept.append(one)
    return [one.vector for one in kept[:count]]

"""Is `rb.segment` honest about series that are like its default model? Draws such series, and compares what it says of them.

Kinds of segments, noise levels, coefficients, numbers of segments and trees are drawn as the default has them, for series of
30 to 60 observations in known units. Spans that are given a probability p should exist with frequency p, kinds likewise, and
80 % intervals of segments that exist, and were given a probability of 0.1 at least, so that draws say something of them,
should hold what was drawn in 80 %; noise also where it is moved between the levels of the bank. Run it with
`.venv/bin/python examples/segment_calibration.py`; it prints the tables of docs/guides/segment.md.
"""

import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import numpy as np

import recbayes as rb
from recbayes.gaussian.posterior.leaves import INTERVAL, Mixture
from recbayes.segmentation.average import AveragePosterior
from recbayes.segmentation.candidates import find_points
from recbayes.segmentation.defaults import NOISE, Candidate, default_models
from recbayes.segmentation.infer import Task, draw_average
from recbayes.segmentation.segment import worth
from recbayes.segmentation.units import Units, View
from recbayes.spans.constraints import Constraints

UNITS = Units(np.zeros(1), np.ones(1), np.zeros(1), np.ones(1))
LIKELY = 0.1  # segments of which intervals are looked at
QUANTITIES = ("level", "slope", "noise")


class Outcome(NamedTuple):
    """Of one series: spans and kinds as pairs of a probability and whether it is so; and for each quantity, of every
    segment, the probability that its interval claims and whether it holds the truth."""

    spans: np.ndarray
    kinds: np.ndarray
    intervals: dict[str, list[tuple[float, bool]]]


def drawn(seed: int) -> tuple[str, np.ndarray, rb.Tree]:
    """A kind, a series and its tree from the default model."""
    rng = np.random.default_rng(seed)
    length = int(rng.integers(30, 61))
    models = default_models([View(rb.Series(np.zeros((length, 1))), UNITS)])
    one: Candidate = models[rng.choice(len(models), p=[model.probability for model in models])]
    which = rng.choice(len(one.lengths), p=one.shares)
    model = replace(one, drawn=int(which)).model
    y, tree = model.sample(seed=rng, min_length=length, max_length=length, attempts=10**6)
    return one.kind, y, tree


def off_the_grid(y: np.ndarray, tree: rb.Tree, seed: int) -> tuple[np.ndarray, rb.Tree]:
    """The same with noise between the levels of the bank: that of every leaf times a factor, uniform in its logarithm over
    the member's cell; where all have the same noise, times the same."""
    rng, leaves = np.random.default_rng([seed, 1]), list(tree.leaves)
    step = NOISE[1] / NOISE[0]
    factors = step ** rng.uniform(-0.5, 0.5, size=len(leaves))
    if len({float(leaf.own["noise"][0]) for leaf in leaves}) == 1:
        factors[:] = factors[0]
    moved, values = y.copy(), {}
    for leaf, factor in zip(leaves, factors, strict=True):
        aside = np.arange(leaf.length) - 0.5 * (leaf.length - 1)
        mean = leaf.value + np.outer(aside, leaf.own.get("slope", np.zeros(1)))
        moved[leaf.start : leaf.end] = mean + factor * (y[leaf.start : leaf.end] - mean)
        values[leaf.span] = leaf.own | {"noise": factor * leaf.own["noise"]}
    return moved, rb.Tree([replace(node, own=values.get(node.span, node.own)) for node in tree], tree.arities)


def infer(y: np.ndarray, draws: int, seed: int) -> AveragePosterior:
    """As `rb.segment` does, in known units and without logarithms."""
    points = find_points(default_models([View(rb.Series(y), UNITS)]), np.ones(len(y) + 1, dtype=np.bool_))
    task = Task(Constraints(boundaries=points.positions), draws, seed, (1, len(y)))
    return draw_average(*worth(points), task)


def outcome(seed: int, draws: int = 1000, between: bool = False) -> Outcome:
    kind, y, tree = drawn(seed)
    if between:
        y, tree = off_the_grid(y, tree, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rb.ApproximationWarning)
        posterior = infer(y, draws, seed)
    spans = np.triu_indices(len(y) + 1, 1)
    inner = (spans[0] > 0) | (spans[1] < len(y))
    exists = np.zeros((len(y) + 1, len(y) + 1))
    exists[tuple(np.array(tree.spans).T)] = 1.0
    probability = posterior.node_probability[spans][inner]
    intervals: dict[str, list[tuple[float, bool]]] = {name: [] for name in QUANTITIES}
    for leaf in tree.leaves:
        belief = posterior.leaf(*leaf.span) if leaf.span in posterior._leaves else None
        if belief is None or belief.probability < LIKELY:
            continue
        truth = {"level": leaf.value, "slope": leaf.own.get("slope", np.zeros(1)), "noise": leaf.own["noise"]}
        for name in QUANTITIES:
            mixture: Mixture = getattr(belief, name)
            low, high = (mixture.quantile(share)[0] for share in INTERVAL)
            intervals[name].append((claimed(mixture, low, high), bool(low - 1e-9 <= truth[name][0] <= high + 1e-9)))
    kinds = np.array([(p, name == kind) for name, p in posterior.kinds.items()])
    return Outcome(np.stack([probability, exists[spans][inner]], axis=1), kinds, intervals)


def claimed(mixture: Mixture, low: float, high: float) -> float:
    """The probability between two numbers, both included: more than 80 % where quantities are from a grid."""
    from scipy.special import ndtr

    total = 0.0
    for weight, mean, deviation in zip(mixture.weights[:, 0], mixture.means[:, 0], mixture.deviations[:, 0], strict=True):
        if deviation > 0:
            total += weight * (ndtr((high - mean) / deviation) - ndtr((low - mean) / deviation))
        else:
            total += weight * (low - 1e-9 <= mean <= high + 1e-9)
    return float(total)


def rows(by_series: list[np.ndarray]) -> list[tuple[float, ...]]:
    """For every bin: how many, their mean probability, the share that is so, the error of that, the distance in it.

    Spans of one series depend on each other, so the error comes from how much series differ.
    """
    found = []
    for number in range(10):
        here = [pairs[np.minimum((pairs[:, 0] * 10).astype(int), 9) == number] for pairs in by_series]
        count = sum(len(pairs) for pairs in here)
        if count:
            mean, share = sum(pairs.sum(axis=0) for pairs in here) / count
            error = np.sqrt(sum((pairs[:, 1] - pairs[:, 0]).sum() ** 2 for pairs in here)) / count
            found.append((number / 10, count, mean, share, error, (share - mean) / error))
    return found


def main(count: int = 1000, workers: int = 2, draws: int = 2000) -> list[Outcome]:
    outcomes, between = (_outcomes(count, workers, draws, off) for off in (False, True))
    for what in ("spans", "kinds"):
        print(f"| probability | {what} | mean probability | are so | error | distance in errors |")
        print("|---|---|---|---|---|---|")
        for low, number, mean, share, error, apart in rows([getattr(one, what) for one in outcomes]):
            print(f"| {low:.1f} to {low + 0.1:.1f} | {number} | {mean:.4f} | {share:.4f} | {error:.4f} | {apart:+.2f} |")
        print()
    print("| 80 % intervals of | segments | claim | hold | error |")
    print("|---|---|---|---|---|")
    for name, some in [*((name, outcomes) for name in QUANTITIES), ("noise between the bank's levels", between)]:
        quantity = name.split(" ")[0]
        claims, holds = np.array([pair for one in some for pair in one.intervals[quantity]]).T
        error = np.sqrt((claims * (1 - claims)).sum()) / len(claims)
        print(f"| {name} | {len(claims)} | {claims.mean():.3f} | {holds.mean():.3f} | {error:.3f} |")
    return outcomes


def _outcomes(count: int, workers: int, draws: int, between: bool) -> list[Outcome]:
    found = []
    with ProcessPoolExecutor(workers) as pool:
        for one in pool.map(outcome, range(count), [draws] * count, [between] * count, chunksize=5):
            found.append(one)
            if len(found) % 50 == 0:
                print(f"{len(found)} of {count} series", file=sys.stderr, flush=True)
    return found


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))

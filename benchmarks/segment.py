"""How often `rb.segment` cuts what has no change, how often it finds one, and whether it stands its ground.

    python benchmarks/segment.py --count 200 --workers 2

Series have 200 observations (or --length), and changes are in the middle: found means a change point within 5 of it.
Stability is that of the Nile's change, and of those of annotated series that are given, under noise of a tenth of the
deviation, and with observations dropped at either end.
"""

import argparse
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

import recbayes as rb

N = 200
Draw = Callable[[np.random.Generator, int], np.ndarray]  # a series of so many observations


def autoregressive(rng: np.random.Generator, phi: float, count: int) -> np.ndarray:
    noise, y = rng.normal(size=count), np.zeros(count)
    y[0] = noise[0] / np.sqrt(1.0 - phi**2)
    for t in range(1, count):
        y[t] = phi * y[t - 1] + noise[t]
    return y


def with_outliers(rng: np.random.Generator, n: int) -> np.ndarray:
    y = rng.normal(size=n)
    y[rng.choice(n, 3, replace=False)] += 8.0 * rng.choice([-1.0, 1.0], 3)
    return y


def jump(size: float) -> Draw:
    return lambda rng, n: rng.normal(size=n) + size * (np.arange(n) >= n // 2)


QUIET: dict[str, Draw] = {
    "white noise": lambda rng, n: rng.normal(size=n),
    "AR(1), 0.7": lambda rng, n: autoregressive(rng, 0.7, n),
    "random walk": lambda rng, n: np.cumsum(rng.normal(size=n)),
    "Student's t, 3": lambda rng, n: rng.standard_t(3, size=n),
    "three outliers of 8": with_outliers,
    "sine, period given": lambda rng, n: 2.0 * np.sin(2.0 * np.pi * (np.arange(n) / 20 + rng.random())) + rng.normal(size=n),
    "rounded white noise": lambda rng, n: np.round(rng.normal(size=n)),
    "Poisson numbers, 2": lambda rng, n: rng.poisson(2.0, size=n).astype(np.float64),
}
CHANGED: dict[str, Draw] = {
    "jump of 2": jump(2.0),
    "jump of 1": jump(1.0),
    "kink, slope -0.05 to 0.05": lambda rng, n: rng.normal(size=n) + 0.05 * np.abs(np.arange(n) - n // 2),
    "noise times 3": lambda rng, n: rng.normal(size=n) * np.where(np.arange(n) >= n // 2, 3.0, 1.0),
    "AR coefficient 0 to 0.9": lambda rng, n: np.concatenate(
        [rng.normal(size=n // 2), autoregressive(rng, 0.9, n - n // 2)]
    ),
}


def changes(name: str, length: int, seed: int) -> list[int]:
    """The change points that are told."""
    y = {**QUIET, **CHANGED}[name](np.random.default_rng([seed, len(name)]), length)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rb.ApproximationWarning)
        found = rb.segment(y, seed=0, periods=20 if name.startswith("sine") else ())
    return [change.position for change in found.changes]


def probability_near(found: rb.Segmentation, position: int) -> float:
    """Of a change within the tolerance of a position, whether it was told or not."""
    forest, weights = found.posterior.trees, found.posterior.weights
    ends = forest.positions[forest.ends]
    near = (forest.arities == 0) & (ends < len(found.data)) & (np.abs(ends - position) <= found.tolerance)
    return float(weights[np.unique(forest.owners[near])].sum())


def shaken(y: np.ndarray, case: int) -> tuple[np.ndarray, int]:
    """The series with noise of a tenth of its deviation (cases 0 to 9), or with 1 or 3 observations dropped at an end; and
    how many were dropped at the beginning."""
    if case < 10:
        return y + 0.1 * np.nanstd(y) * np.random.default_rng(case).normal(size=len(y)), 0
    dropped = (1, 3)[case % 2]
    return (y[dropped:], dropped) if case < 12 else (y[:-dropped], 0)


def stability(y: np.ndarray) -> list[tuple[int, float, float]]:
    """Of every change told with a probability above 0.7: its position, that, and the least in 14 shaken series."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rb.ApproximationWarning)
        told = [one for one in rb.segment(y, seed=0).changes if one.probability > 0.7]
        least = [1.0] * len(told)
        for case in range(14):
            other, dropped = shaken(y, case)
            found = rb.segment(other, seed=0)
            least = [min(p, probability_near(found, one.position - dropped)) for p, one in zip(least, told, strict=True)]
    return [(one.position, one.probability, p) for one, p in zip(told, least, strict=True)]


def annotated(path: str, count: int) -> dict[str, np.ndarray]:
    """The shortest univariate series of at least 100 observations of a collection that `recbayes study real` reads."""
    from recbayes.studies.real.reading import read_collection

    some = [one for one in read_collection(path).series if one.values.shape[1] == 1 and len(one.values) >= 100]
    return {one.name: one.values[:, 0] for one in sorted(some, key=lambda one: len(one.values))[:count]}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--count", type=int, default=40, help="series of each kind")
    arguments.add_argument("--length", type=int, default=N, help="of each series")
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--series", help="annotated series, as recbayes study real reads them, to be shaken too")
    arguments.add_argument("--only", choices=("quiet", "changed", "shaken"), help="one part")
    given = arguments.parse_args()
    with ProcessPoolExecutor(given.workers) as pool:
        for name in QUIET if given.only in (None, "quiet") else ():
            told = list(pool.map(partial(changes, name, given.length), range(given.count), chunksize=4))
            print(f"{name:28} cut in {np.mean([len(one) > 0 for one in told]):6.1%}", flush=True)
        for name in CHANGED if given.only in (None, "changed") else ():
            told = list(pool.map(partial(changes, name, given.length), range(given.count), chunksize=4))
            hits = np.mean([any(abs(position - given.length // 2) <= 5 for position in one) for one in told])
            print(f"{name:28} found in {hits:6.1%}, {np.mean([len(one) for one in told]):.2f} changes told", flush=True)
        if given.only not in (None, "shaken"):
            return
        series = {"the Nile": rb.data.nile().values[:, 0]}
        series |= annotated(given.series, 6) if given.series else {}
        for name, changes_of in zip(series, pool.map(stability, series.values()), strict=True):
            for position, probability, least in changes_of:
                print(
                    f"{name}: change at {position} told with {probability:.2f}, at least {least:.2f} when shaken", flush=True
                )


if __name__ == "__main__":
    main()

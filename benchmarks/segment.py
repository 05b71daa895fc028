"""How often `rb.segment` cuts what has no change, how often it finds one, and whether it stands its ground.

    python benchmarks/segment.py --count 200 --workers 2

Series have 200 observations, and changes are in the middle: found means a change point within 5 of it. Stability is that of
the Nile's change under noise of a tenth of the deviation, and with observations dropped at either end.
"""

import argparse
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

import recbayes as rb

N, HALF = 200, 100
Draw = Callable[[np.random.Generator], np.ndarray]


def autoregressive(rng: np.random.Generator, phi: float, count: int) -> np.ndarray:
    noise, y = rng.normal(size=count), np.zeros(count)
    y[0] = noise[0] / np.sqrt(1.0 - phi**2)
    for t in range(1, count):
        y[t] = phi * y[t - 1] + noise[t]
    return y


def with_outliers(rng: np.random.Generator) -> np.ndarray:
    y = rng.normal(size=N)
    y[rng.choice(N, 3, replace=False)] += 8.0 * rng.choice([-1.0, 1.0], 3)
    return y


def jump(size: float) -> Draw:
    return lambda rng: rng.normal(size=N) + size * (np.arange(N) >= HALF)


QUIET: dict[str, Draw] = {
    "white noise": lambda rng: rng.normal(size=N),
    "AR(1), 0.7": lambda rng: autoregressive(rng, 0.7, N),
    "random walk": lambda rng: np.cumsum(rng.normal(size=N)),
    "Student's t, 3": lambda rng: rng.standard_t(3, size=N),
    "three outliers of 8": with_outliers,
    "sine, period given": lambda rng: 2.0 * np.sin(2.0 * np.pi * (np.arange(N) / 20 + rng.random())) + rng.normal(size=N),
    "rounded white noise": lambda rng: np.round(rng.normal(size=N)),
    "Poisson numbers, 2": lambda rng: rng.poisson(2.0, size=N).astype(np.float64),
}
CHANGED: dict[str, Draw] = {
    "jump of 2": jump(2.0),
    "jump of 1": jump(1.0),
    "kink, slope -0.05 to 0.05": lambda rng: rng.normal(size=N) + 0.05 * np.abs(np.arange(N) - HALF),
    "noise times 3": lambda rng: rng.normal(size=N) * np.where(np.arange(N) >= HALF, 3.0, 1.0),
    "AR coefficient 0 to 0.9": lambda rng: np.concatenate([rng.normal(size=HALF), autoregressive(rng, 0.9, N - HALF)]),
}


def changes(name: str, seed: int) -> list[int]:
    """The change points that are told."""
    y = {**QUIET, **CHANGED}[name](np.random.default_rng([seed, len(name)]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rb.ApproximationWarning)
        found = rb.segment(y, seed=0, periods=20 if name.startswith("sine") else ())
    return [change.position for change in found.changes]


def nile_probability(case: int) -> float:
    """The probability told of the Nile's change, of 16 cases."""
    y = rb.data.nile().values[:, 0]
    first = 0
    if case < 10:
        y = y + 0.1 * y.std() * np.random.default_rng(case).normal(size=len(y))
    else:
        drop = (1, 3, 1, 3, 1, 3)[case - 10]
        first = drop if case < 12 or case >= 14 else 0
        y = y[first : len(y) - (drop if case >= 12 else 0)]
    found = rb.segment(y, seed=0)
    return max((one.probability for one in found.changes if abs(one.position + first - 28) <= 2), default=0.0)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--count", type=int, default=40, help="series of each kind")
    arguments.add_argument("--workers", type=int, default=2)
    given = arguments.parse_args()
    with ProcessPoolExecutor(given.workers) as pool:
        for name in QUIET:
            told = list(pool.map(partial(changes, name), range(given.count), chunksize=4))
            print(f"{name:28} cut in {np.mean([len(one) > 0 for one in told]):6.1%}", flush=True)
        for name in CHANGED:
            told = list(pool.map(partial(changes, name), range(given.count), chunksize=4))
            hits = np.mean([any(abs(position - HALF) <= 5 for position in one) for one in told])
            print(f"{name:28} found in {hits:6.1%}, {np.mean([len(one) for one in told]):.2f} changes told", flush=True)
        nile = list(pool.map(nile_probability, range(16)))
        print(f"the Nile's change, jittered and cut short: probability {min(nile):.2f} to {max(nile):.2f}")


if __name__ == "__main__":
    main()

"""Long series with known changes: how long methods take on them, and how many changes they find.

    python -m benchmarks.long_series --sizes 10000 100000 1000000

The series are levels that jump by 2 to 5 deviations of the noise, which is white or AR(1). All methods see the same series,
each in a process of its own, one after the other; peers that take more than two minutes are left out, and the table says so.
Penalties of peers are those of the Bayesian information criterion, their noise level being that of white noise.
"""

import argparse
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

CHANGES = {10_000: 50, 100_000: 200, 1_000_000: 500}  # of a series of this length
NOISES = {"white": 0.0, "AR(1), 0.5": 0.5}  # the coefficient
TOLERANCE = 5
LIMIT = 120  # seconds that a peer has
WARM = 1000  # observations of the series on which everything is loaded and compiled, before time counts


class LongSeries(NamedTuple):
    """Levels and noise of deviation one."""

    values: np.ndarray
    changes: np.ndarray  # the first observation of every new level


def long_series(length: int, changes: int, coefficient: float = 0.0, seed: int = 0) -> LongSeries:
    """Changes at random places, none nearer than 30, or a twentieth of their mean distance, to the next or to an end.

    All admissible places are equally probable: what the least distances leave over is divided at random. Noise of a
    coefficient phi has innovations of variance 1 - phi^2 and starts stationary, so that its deviation is one.
    """
    rng = np.random.default_rng([seed, length, changes, round(1000 * coefficient)])
    places = random_places(rng, length, changes, max(30, -(-length // (20 * changes))))
    jumps = rng.choice([-1.0, 1.0], changes) * rng.uniform(2.0, 5.0, changes)
    levels = np.repeat(np.concatenate([[0.0], np.cumsum(jumps)]), np.diff(places, prepend=0, append=length))
    return LongSeries(levels + autoregressive(rng.normal(size=length), coefficient), places)


def random_places(rng: np.random.Generator, length: int, count: int, apart: int) -> np.ndarray:
    """Places of changes, none nearer than this to another or to an end; all admissible ones are equally probable."""
    spare = length - (count + 1) * apart
    if spare < 0:
        raise ValueError(f"{count} changes, {apart} apart, need {(count + 1) * apart} observations, not {length}")
    chosen = np.sort(rng.choice(spare + count, count, replace=False)) - np.arange(count)
    return chosen + apart * np.arange(1, count + 1)


def autoregressive(white: np.ndarray, coefficient: float) -> np.ndarray:
    """e_t = phi e_{t-1} + sqrt(1 - phi^2) w_t, e_0 = w_0: every e_t has variance one."""
    from scipy.signal import lfilter

    innovations = np.sqrt(1.0 - coefficient**2) * white
    innovations[0] = white[0]
    return lfilter([1.0], [1.0, -coefficient], innovations)


def matched(found: Sequence[int], true: Sequence[int], tolerance: int = TOLERANCE) -> int:
    """The most pairs of found and true points within the tolerance, every point in one pair at most.

    In order from the left: where the first of both are too far apart, the left one of them is near no point of the other
    kind that is still free; where they are near, some best matching pairs them.
    """
    left, right = sorted(found), sorted(true)
    i = j = pairs = 0
    while i < len(left) and j < len(right):
        if abs(left[i] - right[j]) <= tolerance:
            i, j, pairs = i + 1, j + 1, pairs + 1
        elif left[i] < right[j]:
            i += 1
        else:
            j += 1
    return pairs


def f1(found: Sequence[int], true: Sequence[int], tolerance: int = TOLERANCE) -> float:
    """Twice the pairs by the number of points; no points in either is perfect."""
    points = len(found) + len(true)
    return 2.0 * matched(found, true, tolerance) / points if points else 1.0


def penalty(y: np.ndarray) -> float:
    """Of a change, for the sum of squares: 2 sigma^2 log N, with sigma from the median absolute difference of neighbours."""
    sigma = np.median(np.abs(np.diff(y))) / (0.6744897501960817 * np.sqrt(2.0))
    return float(2.0 * sigma**2 * np.log(len(y)))


def by_recbayes(y: np.ndarray) -> list[int]:
    import recbayes as rb

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rb.ApproximationWarning)
        return [int(one.position) for one in rb.segment(y, seed=0, progress=False).changes]


def by_ruptures(name: str, **settings: Any) -> Callable[[np.ndarray], list[int]]:
    def find(y: np.ndarray) -> list[int]:
        import ruptures

        return getattr(ruptures, name)(**settings).fit(y).predict(pen=penalty(y))[:-1]  # the last is the series' end

    return find


def by_skchange(name: str) -> Callable[[np.ndarray], list[int]]:
    """By the sum of squares, or by how much a change lessens it."""

    def find(y: np.ndarray) -> list[int]:
        from skchange import detectors
        from skchange.interval_scorers import CostChangeScore, L2Cost

        score = L2Cost() if name == "PELT" else CostChangeScore(L2Cost())
        column = y[:, None]
        return getattr(detectors, name)(score, penalty=penalty(y)).fit(column).predict(column).tolist()

    return find


class Method(NamedTuple):
    name: str
    package: str
    find: Callable[[np.ndarray], list[int]]


METHODS = (
    Method("rb.segment", "recbayes", by_recbayes),
    Method("ruptures KernelCPD", "ruptures", by_ruptures("KernelCPD", kernel="linear", min_size=2, jump=1)),
    Method("ruptures Pelt", "ruptures", by_ruptures("Pelt", model="l2")),
    Method("ruptures Pelt, jump=1", "ruptures", by_ruptures("Pelt", model="l2", jump=1)),
    Method("ruptures Binseg", "ruptures", by_ruptures("Binseg", model="l2", jump=1)),
    Method("skchange PELT", "skchange", by_skchange("PELT")),
    Method("skchange SeededBinSeg", "skchange", by_skchange("SeededBinarySegmentation")),
)


def work(method: Method, length: int, noise: str, seed: int, limit: int) -> None:
    """What a process does: load and compile, then print what was found and what it took; the alarm ends it at the limit."""
    from benchmarks.timing import peak_of

    series = long_series(length, changes_of(length), NOISES[noise], seed)
    method.find(series.values[:WARM])
    found: list[int] = []
    signal.alarm(limit)
    start = time.perf_counter()
    megabytes = peak_of(lambda: found.extend(method.find(series.values)))
    seconds = time.perf_counter() - start
    score = f1(found, series.changes.tolist())
    print(json.dumps({"seconds": seconds, "found": len(found), "f1": score, "megabytes": megabytes}))


def changes_of(length: int) -> int:
    """How many changes a series of this length has: half a per cent of its observations, if it is none of the usual ones."""
    return CHANGES.get(length, max(1, length // 200))


def measure(method: Method, length: int, noise: str, seed: int) -> dict[str, float] | str:
    """What the method found and what it took, in a process of its own, or why it did not."""
    if importlib.util.find_spec(method.package) is None:
        return "not installed"
    limit = 0 if method.package == "recbayes" else LIMIT
    task = ["--only", method.name, "--noise", noise, "--sizes", str(length), "--seed", str(seed), "--alone", str(limit)]
    one_thread = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.long_series", *task],
        capture_output=True,
        text=True,
        env={**os.environ, **one_thread},
        check=False,
    )
    if done.returncode == -signal.SIGALRM:
        return f"more than {limit} s"
    if done.returncode:
        return "failed: " + (done.stderr.strip().splitlines() or [f"code {done.returncode}"])[-1]
    return json.loads(done.stdout.splitlines()[-1])


def print_table(names: Sequence[str], noises: Sequence[str], sizes: Sequence[int], seed: int) -> None:
    heads = f"{'method':24} {'noise':12} {'N':>8} {'changes':>8} {'seconds':>9} {'found':>6} {'F1':>6} {'peak MB':>8}"
    print(heads, flush=True)
    for length in sizes:
        for noise in noises:
            for method in METHODS:
                if method.name not in names:
                    continue
                told = measure(method, length, noise, seed)
                line = f"{method.name:24} {noise:12} {length:8} {changes_of(length):8} "
                if isinstance(told, str):
                    line += f"left out: {told}"
                else:
                    line += f"{told['seconds']:9.2f} {told['found']:6} {told['f1']:6.3f}"
                    line += f" {told['megabytes']:8.0f}" if method.package == "recbayes" else ""
                print(line, flush=True)


def main(given: Sequence[str] | None = None) -> None:
    names = [method.name for method in METHODS]
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--sizes", type=int, nargs="+", default=list(CHANGES), help="observations of the series")
    arguments.add_argument("--noise", nargs="+", choices=list(NOISES), default=list(NOISES))
    arguments.add_argument("--only", nargs="+", choices=names, default=names, help="some of the methods")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--alone", type=int, help=argparse.SUPPRESS)  # seconds that one method has, in this process
    chosen = arguments.parse_args(given)
    if chosen.alone is None:
        print_table(chosen.only, chosen.noise, chosen.sizes, chosen.seed)
    else:
        (method,) = [one for one in METHODS if one.name in chosen.only]
        work(method, chosen.sizes[0], chosen.noise[0], chosen.seed, chosen.alone)


if __name__ == "__main__":
    main()

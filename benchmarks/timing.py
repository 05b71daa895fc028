"""Timing, the yardstick, and runs in fresh processes."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

import recbayes as rb


def seconds(work: Callable[[], object], least: float = 0.5, runs: int = 5) -> float:
    """The median time of a call, over at least `runs` calls and `least` seconds, after one call that does not count."""
    work()
    times: list[float] = []
    while len(times) < runs or sum(times) < least:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def pairs(length: int, rules: int) -> int:
    """(split, rule) pairs of a full chart."""
    return (length + 1) * length * (length - 1) // 6 * rules


def against_yardstick(work: Callable[[], object], count: int, dim: int, runs: int = 9) -> tuple[float, float]:
    """Median seconds of the work and of the yardstick, run in turns so that a slow moment of the machine hits both.

    The yardstick is one numpy.linalg.cholesky over `count` D x D matrices (beyond a million, scaled up from a million).
    """
    timed = min(count, 1_000_000)
    roots = np.random.default_rng(0).normal(size=(timed, dim, dim))
    matrices = roots @ roots.swapaxes(1, 2) + dim * np.eye(dim)
    mine, yardstick = [], []
    for _ in range(runs):
        yardstick.append(seconds(lambda: np.linalg.cholesky(matrices), least=0.0, runs=1) * count / timed)
        mine.append(seconds(work, least=0.02, runs=1))
    return float(np.median(mine)), float(np.median(yardstick))


def paper_model(dim: int, rules: int, noise: float = 0.1) -> rb.GaussianRBN:
    """The paper's synthetic model: `rules` shifts, several observations per leaf."""
    return rb.GaussianRBN.create(
        dim=dim,
        noise_std=noise,
        termination=0.6,
        shifts=dict.fromkeys(range(rules), 1.0 / rules),
        extra_observations=5.0,
    )


def sample(model: rb.GaussianRBN, length: int, seed: int = 1) -> np.ndarray:
    """A series of exactly this length; beyond 300 observations, drawn series one after the other."""
    if length <= 300:
        return model.sample(seed=seed, min_length=length, max_length=length)[0]
    pieces = [model.sample(seed=seed + n, min_length=50, max_length=200)[0] for n in range(length // 50)]
    return np.concatenate(pieces)[:length]


def in_fresh_process(code: str, cache: str | None = None) -> dict[str, float]:
    """Run code that prints one line of JSON, in a new interpreter with one thread, and return what it printed."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.strip().splitlines()[-1])


MEMORY = """
import json
import numpy as np, recbayes as rb
from benchmarks.timing import paper_model, peak_of, sample
model = paper_model({dim}, {rules}, 0.1)
y = sample(model, {length})
work = rb.inside if not {gradient} else rb.log_evidence_and_gradient
work(model, y[:2])
print(json.dumps({{"megabytes": peak_of(lambda: work(model, y))}}))
"""


def peak_of(work: Callable[[], object]) -> float:
    """Megabytes of resident memory at the peak of a call, above what the process held before it (Linux only)."""

    def resident(field: str) -> float:
        with open("/proc/self/status", encoding="ascii") as status:
            return next(float(line.split()[1]) / 1024 for line in status if line.startswith(field))

    before = resident("VmRSS")
    with open("/proc/self/clear_refs", "w", encoding="ascii") as reset:
        reset.write("5")  # the peak starts again from here
    work()
    return resident("VmHWM") - before


def peak_memory(length: int, dim: int, rules: int, gradient: bool = False) -> float:
    """Megabytes by which the peak memory of a process grows through the call, kernels being loaded already."""
    return in_fresh_process(MEMORY.format(length=length, dim=dim, rules=rules, gradient=gradient))["megabytes"]


THREADS = """
import json
import recbayes as rb
from benchmarks.timing import median_in_turns, paper_model, sample
from recbayes.gaussian.chart import filling
model = paper_model({dim}, 1)
y = sample(model, {length})
rb.inside(model, y[:2])
def run(threads):
    filling.threads_at_hand = lambda: threads
    rb.inside(model, y)
one, many = median_in_turns([lambda: run(1), lambda: run({threads})], runs=5)
print(json.dumps({{"one": one, "many": many}}))
"""


def median_in_turns(works: list[Callable[[], object]], runs: int) -> list[float]:
    """Median seconds of several works, run in turns so that a slow moment of the machine hits all."""
    times = [[seconds(work, least=0.0, runs=1) for work in works] for _ in range(runs)]
    return np.median(times, axis=0).tolist()


def in_threads(length: int, dim: int, threads: int) -> tuple[float, float]:
    """Seconds of inside in one thread and in several."""
    found = in_fresh_process(THREADS.format(length=length, dim=dim, threads=threads))
    return found["one"], found["many"]


START = """
import json, time
start = time.perf_counter()
import recbayes as rb
imported = time.perf_counter() - start
import numpy as np
model = rb.GaussianRBN.create(dim=3, shifts={0: 0.5, 1: 0.5}, extra_observations=5.0)
y = np.random.default_rng(0).normal(size=(10, 3))
chart = rb.inside(model, y)
first = time.perf_counter() - start
rb.log_evidence_and_gradient(model, y)
rb.best_tree(chart)
import warnings
warnings.simplefilter("ignore")
rb.outside(chart)
rb.sample_posterior(model, y, draws=10, seed=0).tree()
print(json.dumps({"import": imported, "first": first, "all": time.perf_counter() - start}))
"""


def start_up() -> tuple[dict[str, float], dict[str, float]]:
    """Seconds for import, the first inside call, and all kernels: with an empty cache on disk, and with a full one."""
    with tempfile.TemporaryDirectory() as cache:
        cold = in_fresh_process(START, cache)
        warm = in_fresh_process(START, cache)
    return cold, warm

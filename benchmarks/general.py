"""Value and gradient of log p(X, Y) of a general model at fixed values, beside as many Cholesky factors; and a posterior.

    python -m benchmarks.general

A Gaussian model in three dimensions with one split, made general; compilation is that of the first call.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import resource
import time

import numpy as np

import recbayes as rb
from benchmarks.timing import against_yardstick, pairs, paper_model, sample
from recbayes.general.chart.joint import Landscape
from recbayes.general.data import read_observations


def main() -> None:
    posteriors()
    model = paper_model(3, 1)
    general = model.to_general()
    for length in (50, 100):
        y = sample(model, length)
        began = time.perf_counter()
        landscape = Landscape(general, read_observations(general.parts, y))
        made = time.perf_counter() - began
        values = {"x": np.random.default_rng(0).normal(size=(len(landscape.spans("x")), 3))}

        def work(landscape: Landscape = landscape, values: dict[str, np.ndarray] = values) -> object:
            return landscape.at(values).gradient()

        began = time.perf_counter()
        work()
        first = time.perf_counter() - began
        mine, yardstick = against_yardstick(work, pairs(length, 1), 3)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"N = {length}: cells and edges {made:.2f} s, first call {first:.1f} s, value and gradient {1e3 * mine:.1f} ms, "
            f"yardstick {1e3 * yardstick:.1f} ms, ratio {mine / yardstick:.2f}; memory of the process {memory:.0f} MB",
            flush=True,
        )


def posteriors() -> None:
    """Seconds of the processor for 1000 draws, of a Gaussian model as such and made general."""
    model = rb.GaussianRBN.create(dim=1, noise_std=0.2, left_std=0.6, right_std=0.6, extra_observations=5.0)
    y, _ = model.sample(seed=0, min_length=51, max_length=51)
    for name, one in (("Gaussian", model), ("the same, made general", model.to_general())):
        spent = []
        for seed in range(3):
            began = time.process_time()
            rb.sample_posterior(one, y, draws=1000, seed=seed)
            spent.append(time.process_time() - began)
        print(f"posterior, N = 51, {name}: first {spent[0]:.1f} s, then {spent[-1]:.3f} s of the processor", flush=True)


if __name__ == "__main__":
    main()

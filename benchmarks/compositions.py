"""Compositions three ways: a true Dirichlet-multinomial leaf, log-normal shares, and the paper's Dirichlet noise.

    python -m benchmarks.compositions --count 20

Series of counts are sampled from a general model whose leaves are Dirichlet-multinomial. Their trees are found by that
model, by a Gaussian one with `Composition` leaves and by one with the noise of `dirichlet_series` times a factor; both
learn what they have to from the same series.
"""

import argparse
import time
import warnings
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist

import recbayes as rb

EVENTS, CONCENTRATION = 20, 60.0


class Events(rb.RBN):
    """Counts of twenty events of three kinds."""

    value = rb.Real(3)
    length = rb.OnePlusPoisson(3.0)

    def prior(self) -> Any:
        return dist.Normal(jnp.zeros(3), 0.7).to_event(1)

    def structure(self, x: Any) -> Any:
        return {"emit": 0.55}

    def split(self, x: Any) -> Any:
        return [dist.Normal(x, 0.7).to_event(1)] * 2

    def emit(self, x: Any) -> Any:
        return dist.DirichletMultinomial(CONCENTRATION * jax.nn.softmax(x), total_count=EVENTS)


def gaussian(emit: Any) -> rb.GaussianRBN:
    link = rb.Link(0.5 * np.eye(3))
    variable = rb.Variable("x", 3, (rb.Split(0.45, "x", "x", link, link), emit))
    return rb.GaussianRBN((variable,), rb.Prior("x", (rb.Component(np.full(3, -1.0), 0.5 * np.eye(3)),)))


def f1(found: rb.Tree, truth: rb.Tree) -> tuple[float, float]:
    return rb.node_scores(found, truth).f1, rb.boundary_scores(found, truth).f1


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--count", type=int, default=20)
    count = arguments.parse_args().count
    warnings.simplefilter("ignore", rb.ApproximationWarning)
    truth = Events()
    sampled = [truth.sample(seed=seed, min_length=15, max_length=30) for seed in range(count)]
    counts, trees = [np.asarray(one[0], dtype=np.float64) for one in sampled], [one[1] for one in sampled]
    shares = [one / EVENTS for one in counts]
    in_logs = [rb.data.dirichlet_series(one, pseudo_count=0.5, concentration=EVENTS) for one in counts]
    length = rb.OnePlusPoisson(3.0)
    level = rb.Emit(0.55, 0.05 * np.eye(3), length, noise_factor=1.0)
    settings = {"covariance": "scalar", "restarts": 0, "standard_errors": False}
    for name, model, series in (
        ("Dirichlet-multinomial, the truth", truth, counts),
        ("Composition, learnt", gaussian(rb.Composition(0.55, 0.1 * np.eye(3), 0.05, length, 1.0 / EVENTS)), shares),
        ("dirichlet_series, learnt", gaussian(level), in_logs),
        (
            "dirichlet_series, the paper's",
            gaussian(replace(level, noise_factor=None)),
            [rb.data.dirichlet_series(one) for one in counts],
        ),
    ):
        began = time.perf_counter()
        fitted = model if model is truth else rb.fit(model, series, **settings).model  # type: ignore[arg-type]
        learnt = time.perf_counter()
        posteriors = rb.sample_posterior(fitted, series, draws=500, seed=0)
        scores = np.array([f1(one.tree(), tree) for one, tree in zip(posteriors, trees, strict=True)])
        worth = np.mean([one.efficiency for one in posteriors])
        print(
            f"{name:34} F1 of nodes {scores[:, 0].mean():.3f}, of boundaries {scores[:, 1].mean():.3f}; "
            f"draws worth {worth:.0%}; learnt in {learnt - began:.1f} s, drawn in {time.perf_counter() - learnt:.1f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()

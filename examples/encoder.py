"""A small neural network in front of a Gaussian RBN, trained end to end with it.

    python examples/encoder.py

A sensor bends what it shows: raw = sinh(y), where y comes from a Gaussian RBN, so that raw values have neither its noise nor
its steps. The network is a rising function y = g(raw), a sum of bent lines with positive slopes; with the logarithm of its
slope, log p(g(raw)) + sum of log g'(raw) is the log density of the raw values themselves, so that nothing collapses.
Network and model are learnt together, by the evidence of charts inside JAX (`rb.jax.log_evidence`), and looked at on other
series.

Needs JAX: pip install 'recbayes[jax]'.
"""

import argparse
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from scipy.optimize import minimize

import recbayes as rb

TRUTH = rb.GaussianRBN.create(
    1, prior_std=2.0, left_std=1.2, right_std=1.2, noise_std=0.3, termination=0.6, extra_observations=6.0
)
UNITS = 6  # of the network


def encode(network: Any, raw: Any) -> Any:
    """y = g(raw), with positive slopes everywhere."""
    bent = jnp.exp(network["height"]) * jnp.tanh(jnp.exp(network["slope"]) * (raw[..., None] - network["place"]))
    return jnp.exp(network["line"]) * raw + bent.sum(axis=-1)


def log_density(free: Any, raw: Any, parameters: rb.Parameters) -> Any:
    """Of one raw series (N,), by network and model together."""
    y = encode(free["network"], raw)
    slopes = jax.vmap(jax.grad(lambda one: encode(free["network"], one)))(raw)
    return rb.jax.log_evidence(free["model"], y[:, None], parameters=parameters) + jnp.log(slopes).sum()


def series(seeds: range) -> list[tuple[np.ndarray, rb.Tree]]:
    found = [TRUTH.sample(seed=seed, min_length=30, max_length=60, attempts=100_000) for seed in seeds]
    return [(np.sinh(y[:, 0]), tree) for y, tree in found]


def main(count: int = 12, steps: int = 60) -> tuple[float, float]:
    """Mean log densities of an observation of other series, without and with the network."""
    with jax.enable_x64(True):
        training, others = series(range(count)), series(range(100, 100 + count))
        start = rb.GaussianRBN.guess([raw[:, None] for raw, _ in training])
        parameters = rb.Parameters(start, covariance="scalar")
        network = {
            "line": jnp.array(0.0),
            "height": jnp.full(UNITS, -3.0),
            "slope": jnp.zeros(UNITS),
            "place": jnp.linspace(-4.0, 4.0, UNITS),
        }
        first, unpack = ravel_pytree({"network": network, "model": jnp.asarray(parameters.vector())})
        total = jax.value_and_grad(lambda free, raw: log_density(unpack(free), raw, parameters))

        def downhill(free: np.ndarray) -> tuple[float, np.ndarray]:
            values, slopes = zip(*(total(jnp.asarray(free), jnp.asarray(raw)) for raw, _ in training), strict=True)
            return -float(sum(values)), -np.sum([np.asarray(one) for one in slopes], axis=0)

        found = minimize(downhill, np.asarray(first), jac=True, method="L-BFGS-B", options={"maxiter": steps})
        learnt = unpack(jnp.asarray(found.x))
        alone = rb.fit(start, [raw[:, None] for raw, _ in training], covariance="scalar", standard_errors=False).model
        model = parameters.with_vector(np.asarray(learnt["model"]))
        rows = []
        for raw, truth in others:
            y = np.asarray(encode(learnt["network"], jnp.asarray(raw)))[:, None]
            plain, seen = rb.sample_posterior(alone, raw[:, None], seed=0), rb.sample_posterior(model, y, seed=0)
            with_network = float(log_density(learnt, jnp.asarray(raw), parameters))
            rows.append(
                [
                    plain.log_evidence / len(raw),
                    with_network / len(raw),
                    rb.boundary_scores(truth, plain.tree(), tolerance=1).f1,
                    rb.boundary_scores(truth, seen.tree(), tolerance=1).f1,
                ]
            )
    means = np.mean(rows, axis=0)
    print(f"{count} other series               without network   with it")
    print(f"log density of an observation   {means[0]:12.3f} {means[1]:12.3f}")
    print(f"boundary F1                     {means[2]:12.3f} {means[3]:12.3f}")
    return float(means[0]), float(means[1])


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--count", type=int, default=12, help="series to learn from, and others")
    main(arguments.parse_args().count)

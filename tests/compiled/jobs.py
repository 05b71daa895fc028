"""Tiny calls that need all kernels of a job: what `record.py` looks at, and tests run."""

import warnings
from collections.abc import Callable

import numpy as np

import recbayes as rb
from tests.general.models import model_of


def inside() -> None:
    rb.inside(_model(), _series())


def posterior() -> None:
    model, y = _model(), _series()
    found = rb.sample_posterior(model, y, draws=10, seed=0, components=1)
    found.tree()
    rb.best_tree(rb.inside(model, y))


def gradient() -> None:
    rb.log_evidence_and_gradient(_model(), _series())


def outside() -> None:
    rb.outside(rb.inside(_model(), _series()))


def segment() -> None:
    found = rb.segment(rb.data.nile(), seed=0, draws=100, progress=False)
    found.summary()
    str(found.tree)


def segment_long() -> None:
    rb.segment(np.random.default_rng(0).normal(size=2500), seed=0, draws=100, progress=False)


def learn() -> None:
    """What learning needs where charts are not to be trusted."""
    rb.log_evidence_and_gradient(_model(), _series(), draws=20, seed=0)


def mixtures() -> None:
    """Messages of several Gaussians."""
    rb.inside(_model(), _series(), components=2)


def grammar() -> None:
    grammar = rb.PCFG.from_string("S -> S S [0.4] | T [0.1] | 'a' [0.5]\nT -> 'a' [1.0]")
    tokens = ["a"] * 4
    chart = rb.inside(grammar, tokens)
    rb.outside(chart)
    rb.best_tree(chart)
    rb.sample_posterior(grammar, tokens, draws=10, seed=0).tree()


def general() -> None:
    """Densities of the user's own: a stand-in, Gibbs sampling, the most probable values."""
    import jax

    jax.config.update("jax_platforms", "cpu")
    for kind in ("student", "tails"):
        model, y = model_of(kind), np.array([[0.1], [0.2], [1.5], [1.4]])
        rb.sample_posterior(model, y, draws=20, seed=0).tree()
    rb.joint_inside(model, y, np.zeros((5, 5, 1))).node_probability  # noqa: B018
    rb.map_estimate(model, y, seed=0)


def _model() -> rb.GaussianRBN:
    return rb.GaussianRBN.create(dim=3, shifts={0: 0.5, 1: 0.5}, extra_observations=5.0)


def _series() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(10, 3))


JOBS: dict[str, Callable[[], None]] = {
    one.__name__: one
    for one in (inside, posterior, segment, segment_long, gradient, learn, outside, mixtures, grammar, general)
}


def run(job: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        JOBS[job]()

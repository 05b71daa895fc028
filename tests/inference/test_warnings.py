"""Warnings point to the line of the caller, not into the library."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import recbayes as rb

MODEL = rb.GaussianRBN.create(dim=4, noise_std=1.5, shifts=dict.fromkeys(range(4), 0.25), left_std=0.5, right_std=0.5)
Y = np.random.default_rng(0).normal(scale=2.0, size=(14, 4))


@pytest.mark.parametrize("verb", [rb.outside, rb.quick_node_probability])
def test_complaints_are_told_to_the_caller(verb) -> None:  # type: ignore[no-untyped-def]
    chart = rb.inside(MODEL, Y)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = verb(chart)
    if not found.complaint:
        pytest.skip("nothing to complain about here")
    assert [str(one.message) for one in caught] == [found.complaint]
    assert Path(caught[0].filename) == Path(__file__)


def test_draws_complain_to_the_caller() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        posterior = rb.sample_posterior(MODEL, Y * 1e9, draws=100, seed=0)
    assert posterior.complaint
    assert Path(caught[-1].filename) == Path(__file__)

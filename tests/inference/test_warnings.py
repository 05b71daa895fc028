"""Warnings point to the line of the caller, not into the library."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import recbayes as rb
from recbayes.gaussian.posterior import quick

MODEL = rb.GaussianRBN.create(
    dim=6,
    left_std=0.05,
    right_std=1.5,
    noise_std=1.0,
    termination=0.6,
    shifts=dict.fromkeys(range(6), 1 / 6),
    extra_observations=2.0,
)
Y = MODEL.sample(seed=1, min_length=25, max_length=30)[0]


@pytest.mark.parametrize("verb", [rb.outside, rb.quick_node_probability])
def test_complaints_are_told_to_the_caller(verb, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(quick, "CLIPPED", 1e-6)  # the series is not hard enough for the ordinary limit
    chart = rb.inside(MODEL, Y)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = verb(chart)
    assert [str(one.message) for one in caught] == [found.complaint]
    assert Path(caught[0].filename) == Path(__file__)


def test_draws_complain_to_the_caller() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        posterior = rb.sample_posterior(MODEL, Y * 1e9, draws=100, seed=0)
    assert posterior.complaint
    assert Path(caught[-1].filename) == Path(__file__)


@pytest.mark.parametrize(("components", "advice"), [(1, "components=4,"), (4, "components=8,"), (8, "")])
def test_what_was_done_already_is_not_advised(components: int, advice: str) -> None:
    posterior = rb.sample_posterior(MODEL, Y, draws=100, seed=0)
    degenerate = np.where(np.arange(100) == 0, 0.0, -50.0) + posterior.log_evidence
    for acceptance in (None, 0.5):
        for gap in (0.0, 10.0):
            chart = replace(posterior.chart, components=components, log_evidence=degenerate.max() - np.log(100) - gap)
            poor = replace(posterior, chart=chart, log_weights=degenerate, acceptance=acceptance)
            assert advice in poor.complaint
            assert "a model that fits" in poor.complaint
            assert ("components" in poor.complaint) == bool(advice)

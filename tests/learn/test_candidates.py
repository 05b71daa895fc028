"""Candidates of a fit: they follow the model, and a fit that is resumed takes the same way."""

from pathlib import Path

import numpy as np
import pytest

import recbayes as rb
from recbayes.checks.series import as_series
from recbayes.learn.candidates import Moving, missed
from recbayes.learn.workers import Constrained
from recbayes.spans.constraints import Constraints

TRUE = rb.GaussianRBN.create(
    1, prior_std=1.0, left_std=0.5, right_std=0.5, noise_std=0.05, termination=0.6, extra_observations=4.0
)
SERIES = [TRUE.sample(seed=seed, min_length=40, max_length=60, attempts=1_000_000)[0] for seed in range(3)]
START = rb.GaussianRBN.create(
    1, prior_std=1.0, left_std=0.3, right_std=0.3, noise_std=0.3, termination=0.5, extra_observations=8.0
)
HOW = {"covariance": "scalar", "restarts": 0, "exact": None, "standard_errors": False, "boundaries": "auto"}


def test_learns_what_full_charts_teach() -> None:
    """From a start with six times the noise and twice the length."""
    found = rb.fit(START, SERIES, **HOW)
    full = rb.fit(START, SERIES, **{**HOW, "boundaries": None})
    there = sum(chart.log_evidence for chart in rb.inside(found.model, SERIES))
    assert full.log_likelihood - there < 0.5
    assert found.log_likelihood <= there + 0.01
    left_out = sum(chart.candidates.left_out for chart in rb.inside(found.model, SERIES, boundaries="auto"))
    assert there - found.log_likelihood < left_out + 1.0


def test_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """A fit that is cut short and resumed ends where one that was not does, and evaluates nothing again."""
    path = tmp_path / "fit.jsonl"
    whole = rb.fit(START, SERIES, **HOW)
    rb.fit(START, SERIES, **HOW, max_evaluations=8, checkpoint=path)
    resumed = rb.fit(START, SERIES, **HOW, checkpoint=path, resume=True)
    assert resumed.log_likelihood == whole.log_likelihood
    assert resumed.history == whole.history
    lines = path.read_bytes().count(b"\n")
    rb.fit(START, SERIES, **HOW, checkpoint=path, resume=True)
    assert path.read_bytes().count(b"\n") == lines


def test_only_those_that_want_candidates_have_them() -> None:
    given = [
        Constrained(as_series(y, 1), Constraints(boundaries=b)) for y, b in zip(SERIES, ("auto", None, [5]), strict=True)
    ]
    moving = Moving(TRUE, given)
    found = moving.at(TRUE)
    assert moving.any
    assert [one.constraints.candidates is None for one in found.series] == [False, True, True]
    assert found.series[2].constraints.boundaries == [5]
    other = moving.at(START)
    assert found.name != other.name
    assert missed(found.series, found.series) == 0.0
    assert missed(found.series, other.series) > 0.0
    free = Moving(TRUE, given[1:])
    assert not free.any
    assert free.at(TRUE).name == ""


def test_series_are_as_long_as_they_are() -> None:
    with pytest.raises(rb.DataError, match="list with one entry"):
        rb.fit(START, SERIES, **{**HOW, "boundaries": ["auto"]})
    assert np.isfinite(
        rb.fit(START, SERIES, **{**HOW, "boundaries": ["auto", None, [5, 10, 15]]}, max_evaluations=3).log_likelihood
    )

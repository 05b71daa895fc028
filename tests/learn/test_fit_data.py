"""Learning from all kinds of data, and all kinds of models."""

from typing import Any

import numpy as np
import pytest

import recbayes as rb
from recbayes.errors import DataError, ModelError
from tests.learn.sampled import TRUTH, samples

pytestmark = pytest.mark.slow


def test_a_grammar_is_trained_by_expectation_maximisation() -> None:
    grammar = rb.PCFG.from_string("S -> S S [0.5] | 'a' [0.5]")
    found = rb.fit(grammar, [["a", "a", "a"], ["a"]])
    assert found.model.flat().weights == pytest.approx([2 / 6, 4 / 6], abs=0.01)
    assert found.converged


@pytest.mark.parametrize(
    "series",
    [
        [np.full((10, 2), 3.0)],
        [np.zeros((6, 2)), np.zeros((6, 2))],
        [np.zeros((1, 2))],
        [np.random.default_rng(0).normal(size=(12, 2))] * 3,
        [np.column_stack([np.random.default_rng(0).normal(size=12), np.zeros(12)])],
        [np.column_stack([np.random.default_rng(0).normal(size=12), np.full(12, np.nan)])],
        [np.where(np.arange(30)[:, None] == 7, 1e6, np.random.default_rng(0).normal(size=(30, 2)))],
        [1e9 + np.random.default_rng(0).normal(size=(20, 2))],
        [1e-9 * np.random.default_rng(0).normal(size=(20, 2))],
    ],
    ids=["constant", "zeros", "one", "duplicates", "column of zeros", "missing column", "outliers", "offset", "tiny"],
)
def test_degenerate_data(series: list[np.ndarray]) -> None:
    """A model with finite parameters, whose evidence is finite, and a table that can be printed."""
    found = rb.fit(None, series, max_evaluations=400)
    vector = rb.Parameters(found.model).vector()
    assert np.isfinite(vector).all()
    assert np.isfinite(found.log_likelihood)
    assert all(row.standard_error >= 0 or np.isnan(row.standard_error) for row in found.table)
    assert str(found)
    assert len(rb.sample_posterior(found.model, series[0], draws=20, seed=0).trees) == 20


def test_all_missing_is_an_error() -> None:
    with pytest.raises(DataError, match="nothing to learn from"):
        rb.fit(None, [np.full((5, 2), np.nan)])
    with pytest.raises(DataError, match="no series"):
        rb.fit(None, [])


def test_series_that_fail_are_named() -> None:
    model = rb.GaussianRBN.create(**{**TRUTH, "termination": 1.0, "extra_observations": None})  # one observation only
    series = [np.zeros((1, 2)), np.ones((1, 2)), np.zeros((3, 2))]
    with pytest.raises(DataError, match="series 2: the model cannot generate"):
        rb.fit(model, series)
    found = rb.fit(model, series, on_error="skip", priors=None)
    assert list(found.skipped) == [2]
    assert found.observations == 2
    assert "skipped series: 2" in str(found)
    alone = rb.fit(model, series[:2], priors=None)
    assert found.log_likelihood == pytest.approx(alone.log_likelihood, abs=1e-6)
    with pytest.raises(DataError, match="no series can be used"):
        rb.fit(model, series[2:], on_error="skip")


@pytest.mark.parametrize("covariance", ["scalar", "diagonal", "full"])
@pytest.mark.parametrize("unit", [1e-6, 1e3])
def test_units_do_not_matter(covariance: Any, unit: float) -> None:
    """The evidence of scaled data is that of the data, but for the density's unit; so are relative standard errors."""
    series = samples(8, shifts={0: 1.0})
    count = sum(map(len, series)) * 2
    one = rb.fit(None, series, covariance=covariance)
    two = rb.fit(None, [unit * y for y in series], covariance=covariance)
    assert two.log_likelihood + count * np.log(unit) == pytest.approx(one.log_likelihood, abs=0.02)
    for mine, theirs in zip(one.table, two.table, strict=True):
        if mine.name.startswith("x.rules[1]"):  # what is well determined
            power = unit if mine.name.endswith(("std", "std[0]", "std[1]")) else 1.0
            assert theirs.standard_error == pytest.approx(power * mine.standard_error, rel=0.05)


def test_columns_may_have_different_units() -> None:
    series = samples(8, shifts={0: 1.0})
    units = np.array([1.0, 1e7])
    one = rb.fit(None, series, covariance="diagonal", standard_errors=False)
    two = rb.fit(None, [y * units for y in series], covariance="diagonal", standard_errors=False)
    for mine, theirs in zip(one.model.variables[0].rules, two.model.variables[0].rules, strict=True):
        if isinstance(mine, rb.Emit):
            np.testing.assert_allclose(np.diag(theirs.covariance), np.diag(mine.covariance) * units**2, rtol=1e-2)


def test_a_trained_dynamical_system_is_one() -> None:
    """Its last observation is like all others; and only links that vary are tied to each other."""
    model = rb.LinearDynamicalSystem([[0.9]], [[0.1]], [[1.0]], [[0.2]], [0.0], [[1.0]])
    y = 0.3 * np.cumsum(np.random.default_rng(0).normal(size=(60, 1)), axis=0)
    found = rb.fit(model, [y], fixed=["state.rules[0].right_link.map"], standard_errors=False)
    last, others = found.model.variables[0].rules[-1], found.model.variables[1].rules[0]
    np.testing.assert_array_equal(last.covariance, others.covariance)
    np.testing.assert_array_equal(last.map, others.map)
    assert not np.array_equal(last.covariance, [[0.2]])
    kept = rb.fit(model, [y], fixed=["shown*", "state.rules[0].right_link.map"], standard_errors=False).model
    np.testing.assert_array_equal(kept.variables[0].rules[-1].covariance, [[0.2]])  # tied to what is fixed
    names = rb.Parameters(model, tied=True).names
    assert "state.rules[0].right_link.covariance" in names  # the left link copies, and has no covariance to share
    with pytest.raises(ModelError, match="not of one kind"):
        rb.Parameters(model, tied=[("state.rules", "state.rules[1].covariance")])


def test_what_the_data_cannot_know() -> None:
    """Noise of each observation's own replaces the model's, which is then not learnt; unless some series has none."""
    series = [rb.Series(y, np.full(y.shape, 0.01)) for y in samples(6)]
    found = rb.fit(rb.GaussianRBN.create(**TRUTH), series)
    errors = {row.name: row.standard_error for row in found.table}
    assert "x.rules[1].std" not in errors
    assert np.isfinite(errors["x.rules[1].length.rate"])
    some = rb.fit(rb.GaussianRBN.create(**TRUTH), [*series[:5], series[5].values], max_evaluations=2)
    assert "x.rules[1].std" in [row.name for row in some.table]


def test_free_numbers_of_grammars() -> None:
    chain = rb.HMM([0.6, 0.4], [[0.7, 0.3], [0.2, 0.8]], [[0.9, 0.1], [0.3, 0.7]])
    found = rb.fit(chain, [[0, 1, 1, 0], [1, 0]], max_evaluations=3)
    assert found.free == 5
    assert found.observations == 6
    with pytest.raises(ModelError, match="trained by reestimate"):
        rb.fit(chain, [[0, 1]], restarts=2)

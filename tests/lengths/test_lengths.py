"""Length distributions: proper probabilities, draws that follow them, clear errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, poisson

import recbayes as rb
from recbayes.errors import ModelError

CASES = [rb.ExactlyOne(), rb.OnePlusPoisson(0.3), rb.OnePlusPoisson(5.0), rb.LengthTable((0.2, 0.0, 0.5, 0.3))]


@pytest.mark.parametrize("length", CASES, ids=repr)
def test_probabilities_sum_to_one_over_positive_lengths(length: rb.ExactlyOne | rb.OnePlusPoisson | rb.LengthTable) -> None:
    lengths = np.arange(-3, 200)
    probabilities = np.exp(length.log_probability(lengths))
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-12)
    assert (probabilities[lengths < 1] == 0).all()
    if length.longest is not None:
        assert (probabilities[lengths > length.longest] == 0).all()
        assert probabilities[lengths == length.longest] > 0


@pytest.mark.parametrize("length", CASES, ids=repr)
def test_draws_follow_the_probabilities(length: rb.ExactlyOne | rb.OnePlusPoisson | rb.LengthTable) -> None:
    rng = np.random.default_rng(1)
    draws = 20_000
    counts = np.bincount([length.sample(rng) for _ in range(draws)])
    expected = draws * np.exp(length.log_probability(np.arange(len(counts))))
    assert (counts[expected == 0] == 0).all()
    common = expected > 10
    rest = [counts[~common].sum()], [draws - expected[common].sum()]
    if rest[1][0] > 1e-6:
        test = chisquare(np.append(counts[common], rest[0]), np.append(expected[common], rest[1]))
    elif common.sum() > 1:
        test = chisquare(counts[common], expected[common])
    else:
        assert counts[common].sum() == draws
        return
    assert test.pvalue > 1e-3


@given(st.floats(1e-3, 200.0))
def test_one_plus_poisson_is_scipys_poisson_moved_by_one(rate: float) -> None:
    lengths = np.arange(1, 300)
    np.testing.assert_allclose(
        rb.OnePlusPoisson(rate).log_probability(lengths), poisson(rate).logpmf(lengths - 1), rtol=1e-9
    )


def test_values_compare_and_hash() -> None:
    assert rb.OnePlusPoisson(2) == rb.OnePlusPoisson(2.0) != rb.OnePlusPoisson(3.0)
    assert rb.LengthTable([0.5, 0.5]) == rb.LengthTable((0.5, 0.5))  # type: ignore[arg-type]
    assert hash(rb.ExactlyOne()) == hash(rb.ExactlyOne())


@pytest.mark.parametrize("rate", [0.0, -1.0, np.nan, np.inf, "one", "1", None, [1.0, 2.0]])
def test_impossible_rates(rate: object) -> None:
    with pytest.raises(ModelError, match="rate"):
        rb.OnePlusPoisson(rate)  # type: ignore[arg-type]


@pytest.mark.parametrize("table", [(), 1.0, (0.5, 0.4), (1.5, -0.5), (1.0, 0.0), (np.nan, 1.0), ("a", "b"), ((0.5, 0.5),)])
def test_impossible_tables(table: object) -> None:
    with pytest.raises(ModelError, match="length"):
        rb.LengthTable(table)  # type: ignore[arg-type]

"""What is guessed of lengths from data alone."""

import numpy as np
import pytest

import recbayes as rb


def steps(lengths: list[int], seed: int = 0) -> np.ndarray:
    """Levels far apart, each for so long."""
    rng = np.random.default_rng(seed)
    levels = np.repeat(10.0 * np.arange(len(lengths)), lengths)[:, None]
    return levels + 0.1 * rng.normal(size=levels.shape)


def guessed(series: object, **settings: bool) -> object:
    return rb.GaussianRBN.guess(series, **settings).variables[0].rules[1].length  # type: ignore[union-attr]


def test_one_series_has_negative_binomial_lengths() -> None:
    y = steps([5, 15, 10])
    assert guessed(y) == guessed([y]) == rb.OnePlusNegativeBinomial(9.0, 1.0)
    assert guessed(y, extra_observations=False) == guessed([y, y], extra_observations=False) == rb.ExactlyOne()


def test_several_series_have_poisson_lengths() -> None:
    assert guessed([steps([5, 15, 10]), steps([6, 4])]) == rb.OnePlusPoisson(7.0)


def test_time_counts() -> None:
    """Three segments in 120 ticks, of which 30 were observed."""
    times = 4.0 * np.arange(30)
    times[-1] = 119.0
    y = steps([5, 15, 10])
    assert guessed(rb.Series(y, None, times, 1.0)) == rb.OnePlusNegativeBinomial(39.0, 1.0)
    assert guessed([rb.Series(y, None, times, 1.0), y]) == rb.OnePlusPoisson(24.0)


def test_lengths_that_differ_much_are_learnt_from_one_series() -> None:
    """Segments of 2 to 40: their dispersion is found, and Poisson lengths fit worse."""
    lengths = [3, 40, 2, 5, 31, 4, 2, 24, 6, 9]
    y = steps(lengths)
    found = rb.fit(None, y, standard_errors=False)
    learnt = found.model.variables[0].rules[1].length
    assert learnt.mean == pytest.approx(np.mean(lengths) - 1, rel=0.25)
    assert learnt.dispersion > 0.4
    poisson = rb.fit(rb.GaussianRBN.guess([y, y]), y, standard_errors=False)
    assert isinstance(poisson.model.variables[0].rules[1].length, rb.OnePlusPoisson)
    assert found.log_likelihood > poisson.log_likelihood + 5.0

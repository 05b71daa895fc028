"""Extreme but legitimate input gives finite, right answers; anything else a clear error."""

import numpy as np
import pytest

import recbayes as rb
from recbayes.errors import ApproximationWarning, DataError, LengthError
from recbayes.reference import enumeration


def paper_model(**changes: object) -> rb.GaussianRBN:
    settings: dict = {
        "dim": 3,
        "noise_std": 0.1,
        "termination": 0.6,
        "shifts": {0: 0.5, 1: 0.5},
        "extra_observations": 5.0,
    }
    return rb.GaussianRBN.create(**{**settings, **changes})


def test_tiny_noise() -> None:
    model = paper_model(noise_std=1e-4, extra_observations=None)
    y, _ = model.sample(seed=0, min_length=4, max_length=4)
    chart = rb.inside(model, y)
    assert chart.log_evidence == pytest.approx(enumeration.exact_log_evidence(model, y), abs=0.05)
    long, _ = paper_model(noise_std=1e-4).sample(seed=0, min_length=50, max_length=55)
    assert np.isfinite(rb.inside(paper_model(noise_std=1e-4), long).log_evidence)


@pytest.mark.parametrize("value", [0.0, 3.0, 1e6])
def test_constant_series(value: float) -> None:
    chart = rb.inside(paper_model(prior_mean=value), np.full((40, 3), value))
    assert np.isfinite(chart.log_evidence)
    np.testing.assert_allclose(chart.message(0, 40).mean, value, atol=1e-8 * max(value, 1.0))


@pytest.mark.parametrize("length", [1, 2])
def test_shortest_series(length: int) -> None:
    y = np.random.default_rng(0).normal(size=(length, 3))
    model = paper_model(shifts=None)
    assert rb.inside(model, y).log_evidence == pytest.approx(enumeration.exact_log_evidence(model, y), abs=2e-2)
    assert rb.inside(model, y[:1]).log_evidence == pytest.approx(enumeration.exact_log_evidence(model, y[:1]), abs=1e-10)


def test_outliers() -> None:
    y = np.zeros((20, 3))
    y[7] = 1e6
    chart = rb.inside(paper_model(), y)
    assert np.isfinite(chart.log_evidence)
    assert (7, 8) in rb.best_tree(chart).spans


def test_many_dimensions() -> None:
    model = rb.GaussianRBN.create(dim=40, extra_observations=2.0)
    y, _ = model.sample(seed=0, min_length=5, max_length=8)
    assert np.isfinite(rb.inside(model, y).log_evidence)


@pytest.mark.parametrize(
    ("series", "message"),
    [
        (np.array([[0.0, np.inf, 0.0]]), "infinite at row 0, column 1"),
        (np.zeros((4, 2)), "2 columns, the model expects 3"),
        (np.zeros((0, 3)), "empty"),
        ([], "empty"),
        ("series.csv", "got text"),
        (np.array([["a", "b", "c"]]), "must be numbers"),
        (np.zeros(4), r"shape \(observations, 3\)"),
        (None, "must be numbers"),
    ],
)
def test_unusable_series(series: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        rb.inside(paper_model(), series)


def test_the_series_at_fault_is_named() -> None:
    with pytest.raises(DataError, match="series 1 has 2 columns, the model expects 3"):
        rb.inside(paper_model(), [np.zeros((4, 3)), np.zeros((4, 2))])


def test_lengths_the_model_cannot_generate() -> None:
    pair = rb.GaussianRBN(
        (
            rb.Variable("top", 1, (rb.Split(1.0, "leaf", "leaf", rb.Link(1.0), rb.Link(1.0)),)),
            rb.Variable("leaf", 1, (rb.Emit(1.0, 1.0),)),
        ),
        rb.Prior("top", (rb.Component(0.0, 1.0),)),
    )
    assert np.isfinite(rb.inside(pair, [0.0, 1.0]).log_evidence)
    with pytest.raises(LengthError, match="cannot generate a series of 3 observations; from top it generates 2 to 2"):
        rb.inside(pair, [0.0, 1.0, 2.0])
    twos = rb.GaussianRBN(
        (
            pair.variables[0],
            rb.Variable(
                "leaf", 1, (rb.Emit(0.5, 1.0, rb.LengthTable((0, 1))), rb.Emit(0.5, 1.0, rb.LengthTable((0, 0, 1))))
            ),
        ),
        pair.prior,
    )
    with pytest.raises(LengthError, match="from top it generates 4 to 6"):
        rb.inside(twos, [0.0, 1.0, 2.0])
    with pytest.raises(LengthError, match="under what is known of its trees"):
        rb.inside(rb.GaussianRBN.create(dim=1), [0.0, 1.0, 2.0], boundaries=[1])


def far_apart(seed: int, length: int) -> tuple[rb.GaussianRBN, np.ndarray]:
    """A model, and a series that is so far from it that several Gaussians per message cannot be computed; one can."""
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(length, 3))
    return rb.GaussianRBN.create(dim=3, prior_std=0.56, extra_observations=1.0), 1e10 * signs


def test_what_cannot_be_computed_is_no_matter_of_lengths() -> None:
    model, y = far_apart(58, 4)
    assert np.isfinite(rb.inside(model, y).log_evidence)
    with pytest.raises(DataError, match="too many orders of magnitude"):
        rb.inside(model, y, components=2)
    with pytest.raises(LengthError, match="cannot generate a series of 4 observations"):
        rb.inside(rb.GaussianRBN.create(dim=3), y, components=2, boundaries=[2])


@pytest.mark.filterwarnings("ignore::recbayes.ApproximationWarning")
def test_draws_do_without_better_charts_that_cannot_be_computed() -> None:
    model, y = far_apart(48, 9)
    assert np.isfinite(rb.sample_posterior(model, y, draws=5, seed=0).log_evidence)


def test_outside_warns_where_it_fails() -> None:
    model = paper_model()
    y, _ = model.sample(seed=1, min_length=50, max_length=55)
    with pytest.warns(ApproximationWarning, match="not probabilities"):
        rb.outside(rb.inside(model, y))


def test_flat_messages_say_so() -> None:
    chart = rb.inside(rb.GaussianRBN.create(dim=2), np.array([[np.nan, np.nan], [0.0, 1.0]]))
    message = chart.message(0, 1)
    assert message.log_coefficient == np.inf
    assert np.isinf(np.diag(message.covariance)).all()
    assert np.isfinite(message.log_height)


def test_asking_for_cells_that_do_not_exist() -> None:
    chart = rb.inside(rb.GaussianRBN.create(dim=1), [0.0, 1.0, 2.0])
    for span in [(0, 4), (2, 1), (-1, 2)]:
        with pytest.raises(DataError, match="no cell"):
            chart.message(*span)
    with pytest.raises(DataError, match="no variable 'z'"):
        chart.message(0, 1, "z")

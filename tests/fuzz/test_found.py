"""The smallest cases of what fuzzing has found."""

import warnings

import numpy as np
import pytest

import recbayes as rb
from tests.fuzz.test_chains import kalman


def test_filtered_states_do_not_know_the_future() -> None:
    """State 0 cannot have led to the last symbol, but that is not known before it comes."""
    model = rb.HMM([0.5, 0.5], np.eye(2), [[1.0, 0.0], [0.5, 0.5]])
    wanted = [[2 / 3, 1 / 3], [0.8, 0.2], [0.0, 1.0]]
    assert np.allclose(rb.filtered_states(model, ["0", "0", "1"]), wanted)


def test_filtered_states_of_sharp_observations() -> None:
    """A direction that one sharp observation does not see keeps its mean."""
    parts = np.eye(2) * 0.9, np.eye(2) * 1e4, np.array([[1.0, 0.5]]), np.array([[1e-10]]), np.zeros(2), np.eye(2) * 1e4
    y = np.array([[50.0], [-30.0], [20.0], [80.0]])
    found = rb.filtered_states(rb.LinearDynamicalSystem(*parts), y)
    _, filtered, _ = kalman(*parts, y)
    for t, (mean, covariance) in enumerate(filtered):
        assert np.allclose(found.mean[t], mean, rtol=1e-6)
        assert np.allclose(found.covariance[t], covariance, rtol=1e-6)


def test_sharp_data_leave_positive_variances() -> None:
    model = rb.GaussianRBN.create(dim=1, prior_std=70.0, left_std=9e3, right_std=9e3, noise_std=5e-5)
    tree = rb.Tree.from_spans([(0, 2), (0, 1), (1, 2)])
    values = rb.smooth(model, [1e-3, 2e-3], tree)
    assert [node.covariance[0, 0] for node in values.leaves] == pytest.approx([2.5e-9, 2.5e-9])


def test_unused_variables_have_no_unit() -> None:
    """A variable that the root never reaches changes nothing, however small the data."""
    unit = 1e-7
    link, noise = rb.Link(np.eye(2) * unit**2), [[unit**2]]
    emits = [rb.Emit(0.3, noise, map=[[1.0, 0.0]]), rb.Emit(0.3, noise, map=[[0.3, 1.0]])]
    x = rb.Variable("x", 2, (rb.Split(0.4, "x", "x", link, link), *emits))
    unused = rb.Variable("unused", 1, (rb.Emit(1.0, noise),))
    prior = rb.Prior("x", (rb.Component(np.zeros(2), np.eye(2) * unit**2),))
    y = np.array([[1.0], [2.0], [-1.0]]) * unit
    plain, other = (rb.inside(rb.GaussianRBN(variables, prior), y).log_evidence for variables in ([x], [x, unused]))
    assert plain == pytest.approx(other, abs=1e-9)


def test_gradient_of_a_small_variable_far_from_zero() -> None:
    """A value of two dimensions that is shown itself, beside one of three, in coordinates about a mean far away."""
    wide = rb.Link(np.eye(3), np.ones((3, 2)))
    x = rb.Variable("x", 2, (rb.Split(0.4, "z", "z", wide, wide), rb.Emit(0.6, np.eye(2))))
    z = rb.Variable("z", 3, (rb.Emit(1.0, np.eye(2), map=np.ones((2, 3))),))
    model = rb.GaussianRBN([x, z], rb.Prior("x", (rb.Component([1e8, 1e8], np.eye(2)),)))
    assert np.isfinite(rb.log_evidence_and_gradient(model, [[1e8, 1e8 + 1.0]]).gradient).all()


@pytest.mark.parametrize("tolerance", [0.0, 1e300])
def test_tolerances_at_their_edges(tolerance: float) -> None:
    model = rb.GaussianRBN.create(dim=1, extra_observations=1.0)
    series = [model.sample(seed=seed, max_length=9)[0] for seed in range(3)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rb.fit(model, series, tolerance=tolerance, max_evaluations=40, standard_errors=False)
    assert np.isfinite(found.log_likelihood)


def test_outside_warns_in_our_words_alone() -> None:
    """Also where marginals are not even numbers: observations of hardly any noise, far from the prior."""
    wide, noise = rb.Link(np.eye(2), [[1.0], [0.5]]), [[1e-16]]
    x = rb.Variable("x", 1, (rb.Split(0.2, "z", "z", wide, wide), rb.Emit(0.8, noise, rb.OnePlusPoisson(1.0))))
    back = rb.Split(0.8, "z", "x", rb.Link(np.eye(2)), rb.Link(1.0, [[1.0, 0.5]]))
    z = rb.Variable("z", 2, (back, rb.Emit(0.2, noise, rb.OnePlusPoisson(2.0), [[1.0, 0.3]])))
    model = rb.GaussianRBN((x, z), rb.Prior("x", (rb.Component([1e6], [[1e4]]),)))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        rb.outside(rb.inside(model, [0.0, 0.0, 0.0]))
    assert [one.category for one in told] == [rb.ApproximationWarning]

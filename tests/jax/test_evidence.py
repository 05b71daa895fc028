"""The log evidence inside JAX, against differences, and with a network before it."""

import numpy as np
import pytest

import recbayes as rb


def model_of(missing: bool) -> rb.GaussianRBN:
    emit = rb.Emit(
        0.5, np.diag([0.3, 0.5]), rb.OnePlusPoisson(2.0), np.array([[1.0, 0.3], [0.0, 0.8]]), np.array([0.1, -0.2])
    )
    plain = rb.GaussianRBN.create(2, noise_std=0.5, left_std=0.4, right_std=0.7, extra_observations=2.0)
    if not missing:
        return plain
    (variable,) = plain.variables
    split = next(rule for rule in variable.rules if isinstance(rule, rb.Split))
    return rb.GaussianRBN((rb.Variable("x", 2, (split, emit)),), plain.prior)


@pytest.mark.parametrize("missing", [False, True])
def test_slopes_of_parameters_and_observations(missing: bool) -> None:
    jax = pytest.importorskip("jax")
    model = model_of(missing)
    parameters = rb.Parameters(model)
    y, _ = model.sample(seed=3, min_length=6, max_length=9)
    if missing:
        y[2, 1] = y[4] = np.nan
    with jax.enable_x64(True):
        function = lambda vector, y: rb.jax.log_evidence(vector, y, parameters=parameters)  # noqa: E731
        vector = parameters.vector()
        value = jax.jit(function)(vector, y)
        by_vector, by_y = (np.asarray(one) for one in jax.jit(jax.grad(function, (0, 1)))(vector, y))
    assert float(value) == pytest.approx(rb.inside(model, y).log_evidence, abs=1e-9)
    np.testing.assert_allclose(by_vector, rb.log_evidence_and_gradient(model, y, parameters=parameters).gradient, atol=1e-9)
    for place in np.ndindex(*y.shape):
        if np.isnan(y[place]):
            assert by_y[place] == 0.0
            continue
        step = np.zeros_like(y)
        step[place] = 1e-5
        apart = rb.inside(model, y + step).log_evidence - rb.inside(model, y - step).log_evidence
        assert by_y[place] == pytest.approx(apart / 2e-5, abs=1e-6)


def test_many_series_at_once() -> None:
    jax = pytest.importorskip("jax")
    model = model_of(False)
    parameters = rb.Parameters(model)
    many = np.stack([model.sample(seed=seed, min_length=5, max_length=5, attempts=10_000)[0] for seed in range(3)])
    with jax.enable_x64(True):
        function = jax.vmap(lambda y: rb.jax.log_evidence(parameters.vector(), y, parameters=parameters))
        values, slopes = function(many), jax.grad(lambda y: function(y).sum())(many)
    np.testing.assert_allclose(np.asarray(values), [rb.inside(model, y).log_evidence for y in many], atol=1e-9)
    assert slopes.shape == many.shape


def test_what_it_is_given() -> None:
    pytest.importorskip("jax")
    with pytest.raises(rb.ModelError, match="Parameters"):
        rb.jax.log_evidence(np.zeros(3), np.zeros((3, 1)), parameters=None)  # type: ignore[arg-type]

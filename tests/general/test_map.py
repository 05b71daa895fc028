"""The most probable values: both forms, units, supports, parameters, and the joint mode."""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import recbayes as rb
from recbayes.general.chart.joint import Landscape
from recbayes.general.data import read_observations
from tests.general.models import model_of


def random_climbs(model: rb.RBN, y: np.ndarray, count: int) -> float:
    """The highest log p(X, Y) from random values, by another optimiser and the plain chart."""
    landscape = Landscape(model, read_observations(model.parts, y))
    rng, shape = np.random.default_rng(0), (len(landscape.spans("x")), 1)

    def downhill(z: np.ndarray) -> tuple[float, np.ndarray]:
        chart = landscape.at({"x": z.reshape(shape)})
        return -chart.log_joint, -chart.gradient().values["x"].reshape(-1)

    starts = [rng.normal(y.mean(), y.std() + 0.3, size=shape[0]) for _ in range(count)]
    return max(-float(minimize(downhill, start, jac=True, method="BFGS").fun) for start in starts)


@pytest.mark.slow
def test_the_raw_form_is_the_papers() -> None:
    model = model_of("normal")
    y = np.array([[0.2], [0.4], [2.0]])
    with pytest.warns(rb.ApproximationWarning, match="units"):
        found = rb.map_estimate(model, y, form="raw", starts=2)
    assert found.converged
    assert found.log_density == pytest.approx(
        rb.joint_inside(model, y, np.nan_to_num(found.values["x"])).log_joint, abs=1e-8
    )
    assert found.log_density >= random_climbs(model, y, 10) - 1e-3


def test_units_change_nothing_with_pseudo_priors() -> None:
    """The same data a thousand times larger: the same tree, values a thousand times larger. The raw form's differ."""
    jnp = pytest.importorskip("jax.numpy")
    import numpyro.distributions as dist

    class Scaled(rb.RBN):
        value = rb.Real(1)
        length = rb.OnePlusPoisson(2.0)
        unit: float = 1.0

        def prior(self) -> Any:
            return dist.Normal(jnp.zeros(1), 1.5 * self.unit).to_event(1)

        def structure(self, x: Any) -> Any:
            return {"emit": 0.5}

        def split(self, x: Any) -> Any:
            return [dist.Normal(x, 0.8 * self.unit).to_event(1)] * 2

        def emit(self, x: Any) -> Any:
            return dist.Normal(x, 0.4 * self.unit).to_event(1)

    y = np.array([[0.1], [0.3], [1.6], [1.5], [1.7]])
    small, large = Scaled(unit=1.0), Scaled(unit=1000.0)
    one, two = rb.map_estimate(small, y), rb.map_estimate(large, 1000.0 * y)
    assert one.tree == two.tree
    np.testing.assert_allclose(1000.0 * one.values["x"], two.values["x"], rtol=2e-3, atol=2.0)
    np.testing.assert_allclose(one.node_probability, two.node_probability, atol=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rb.ApproximationWarning)
        raw = [
            rb.map_estimate(m, u, form="raw").tree
            for m, u in ((small, y), (large, 1000.0 * y), (Scaled(unit=1e-3), 1e-3 * y))
        ]
    assert len({str(tree) for tree in raw}) > 1  # fewer values are better in large units, more in small ones


def test_the_joint_mode_is_one() -> None:
    """No value of the refined tree can be moved to gain anything."""
    model = model_of("counts")
    y, _ = model.sample(seed=4, min_length=5, max_length=6)
    found = rb.map_estimate(model, y)
    tree, size = found.refined_tree, len(y) + 1
    values = np.zeros((size, size, 1))
    for node in tree:
        values[node.span] = node.value

    def joint(values: np.ndarray) -> float:
        return rb.joint_inside(model, y, values, allowed=tree.span_mask()).log_joint

    assert joint(values) == pytest.approx(found.refined_log_joint, abs=1e-6)
    for node in tree:
        for step in (-0.02, 0.02):
            moved = values.copy()
            moved[node.span] += step
            assert joint(moved) < joint(values)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "dim"), [("rates", 1), ("shares", 3)])
def test_supports(kind: str, dim: int) -> None:
    model = model_of(kind, dim)
    y, _ = model.sample(seed=2, min_length=4, max_length=6)
    found = rb.map_estimate(model, y)
    values = found.values["x"]
    there = values[~np.isnan(values).any(axis=2)]
    assert (there > 0.0).all()
    assert kind == "rates" or np.allclose(there.sum(axis=1), 1.0)


@pytest.mark.slow
def test_parameters_too() -> None:
    model = model_of("student", noise=1.0)
    y, _ = model_of("student").sample(seed=6, min_length=15, max_length=20)
    found = rb.map_estimate(model, y, parameters=rb.Parameters(model, fixed=["spread", "ends", "mean"]))
    assert set(found.table) == {"noise"}
    assert found.model.parameters["noise"] < 0.9
    assert found.log_density > rb.map_estimate(model, y).log_density


def test_what_it_is_given() -> None:
    model, y = model_of("normal"), np.zeros((3, 1))
    with pytest.raises(rb.ModelError, match="to_general"):
        rb.map_estimate(rb.GaussianRBN.create(1), y)
    with pytest.raises(rb.DataError, match="one sequence"):
        rb.map_estimate(model, [y, y])
    with pytest.raises(ValueError, match="form"):
        rb.map_estimate(model, y, form="other")  # type: ignore[arg-type]

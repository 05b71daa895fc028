"""NUTS over all values at once, structures summed out: a cross-check that shares nothing but the density with our draws."""

from typing import Any

import numpy as np
import pytest

import recbayes as rb
from recbayes.general.chart.joint import Landscape
from recbayes.general.data import read_observations
from recbayes.general.estimate.objective import Objective
from recbayes.general.posterior.draws import Workshop, draw_weighted
from recbayes.general.posterior.pseudo import from_draws, from_surrogate
from recbayes.reference.grid import grid_chart
from tests.general.models import model_of

pytestmark = pytest.mark.slow


def test_nuts_agrees_with_draws_and_grid() -> None:
    jax, jnp = pytest.importorskip("jax"), pytest.importorskip("jax.numpy")
    from numpyro.infer import MCMC, NUTS

    model = model_of("student")
    y = np.array([[0.1], [0.4], [2.2]])
    landscape = Landscape(model, read_observations(model.parts, y))
    surrogate = Workshop(landscape).surrogate(model.parameters)
    weighted = draw_weighted(surrogate, model.parameters, 1000, 0)
    objective = Objective(landscape, from_draws(weighted, from_surrogate(surrogate)), False)

    def outside(u: Any) -> tuple[np.ndarray, np.ndarray]:
        here = objective.value_and_slopes({"x": np.asarray(u, dtype=np.float64)}, model.parameters)
        return np.float32(-here.value), np.float32(-here.slopes["x"])

    @jax.custom_vjp
    def potential(u: Any) -> Any:
        return forward(u)[0]

    def forward(u: Any) -> tuple[Any, Any]:
        shapes = jax.ShapeDtypeStruct((), jnp.float32), jax.ShapeDtypeStruct(u.shape, jnp.float32)
        return jax.pure_callback(outside, shapes, u)

    potential.defvjp(forward, lambda kept, slope: (slope * kept,))
    chains = MCMC(NUTS(potential_fn=potential), num_warmup=300, num_samples=1500, progress_bar=False)
    chains.run(jax.random.PRNGKey(0), init_params=jnp.asarray(objective.pseudo.mean["x"], dtype=jnp.float32))
    values = np.asarray(chains.get_samples(), dtype=np.float64)
    found = np.mean([objective.chart({"x": one}, model.parameters).node_probability for one in values[::5]], axis=0)
    exact = grid_chart(model, y, np.linspace(-7.0, 7.0, 281)).node_probability
    assert np.abs(found - exact).max() < 0.05
    assert np.abs(found - rb.sample_posterior(model, y, seed=0).node_probability).max() < 0.08

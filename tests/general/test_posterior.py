"""Draws from the posterior of general models, against the grid, and against sums over all structures at drawn values."""

from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

import recbayes as rb
from recbayes.compiled.compilation import run_kernel
from recbayes.general.chart.joint import Landscape
from recbayes.general.chart.tilted import Tilted
from recbayes.general.data import read_observations
from recbayes.general.extra import in_doubles, jax_module
from recbayes.general.kernels.structures import sum_structures
from recbayes.general.model.coordinates import width
from recbayes.general.model.densities import in_arrays
from recbayes.general.posterior.draws import Workshop, draw_weighted
from recbayes.general.posterior.gibbs import gibbs
from recbayes.general.posterior.pseudo import PseudoPrior, from_draws, from_surrogate
from recbayes.general.posterior.score import log_joint
from recbayes.reference.grid import grid_chart
from tests.general.models import model_of
from tests.general.random_general import SHAPES, as_model, plain

GRID = np.linspace(-7.0, 7.0, 281)
WIDE = np.linspace(-30.0, 30.0, 721)


def agree(posterior: Any, chart: Any, errors: float) -> None:
    """Within so many errors: those that the draws tell, and those of so many draws of what is right."""
    apart, right = np.abs(posterior.node_probability - chart.node_probability), chart.node_probability
    expected = np.sqrt(right * np.maximum(1.0 - right, 0.0) / posterior.effective_sample_size)
    assert (apart <= errors * np.maximum(np.maximum(posterior.node_probability_error, expected), 1e-3)).all()


@pytest.mark.parametrize("kind", ["student", "counts", "bits", "ends"])
def test_short_series_on_a_grid(kind: str) -> None:
    model = model_of(kind)
    y, _ = model.sample(seed=3, min_length=10, max_length=14)
    y = y.astype(np.float64)
    y[4] = np.nan
    posterior, chart = rb.sample_posterior(model, y, seed=0), grid_chart(model, y, GRID)
    assert posterior.method == "importance"
    assert posterior.efficiency > 0.5
    agree(posterior, chart, 4.5)
    assert posterior.log_evidence == pytest.approx(chart.log_evidence, abs=5.0 * posterior.log_evidence_error + 1e-4)
    for start, end in np.argwhere(chart.node_probability > 0.3).tolist():
        found = posterior.latent(start, end)
        count = posterior.effective_sample_size * found.probability
        assert abs(found.mean[0] - chart.mean[start, end]) < 5.0 * np.sqrt(found.covariance[0, 0] / count)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["student", "counts", "bits", "ends"])
def test_longer_series_on_a_grid(kind: str) -> None:
    model = model_of(kind)
    y, _ = model.sample(seed=1, min_length=28, max_length=32, attempts=100_000)
    posterior, chart = rb.sample_posterior(model, y, draws=2000, seed=0), grid_chart(model, y, GRID)
    agree(posterior, chart, 4.5)
    assert posterior.efficiency > 0.5


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "dim"), [("student", 3), ("counts", 2)])
def test_draws_in_more_dimensions_are_worth_something(kind: str, dim: int) -> None:
    model = model_of(kind, dim)
    y, _ = model.sample(seed=1, min_length=40, max_length=50, attempts=100_000)
    assert rb.sample_posterior(model, y, draws=500, seed=0).efficiency > 0.5


@pytest.mark.slow
def test_gibbs_with_heavy_tails() -> None:
    model = model_of("tails")
    y, _ = model.sample(seed=1, min_length=12, max_length=12, attempts=100_000)
    landscape = Landscape(model, read_observations(model.parts, y))
    surrogate = Workshop(landscape).surrogate(model.parameters)
    weighted = draw_weighted(surrogate, model.parameters, 1000, 0)
    pseudo = from_draws(weighted, from_surrogate(surrogate))
    posterior, chart = gibbs(weighted, model.parameters, pseudo, 3000, 0), grid_chart(model, y, WIDE)
    assert posterior.method == "gibbs"
    assert np.abs(posterior.node_probability - chart.node_probability).max() < 0.02
    agree(posterior, chart, 4.5)


def test_gibbs_is_chosen_where_weights_are_worth_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recbayes.general.posterior.draws.POOR", 1.1)
    model = model_of("student")
    y, _ = model.sample(seed=3, min_length=6, max_length=8)
    posterior, chart = rb.sample_posterior(model, y, draws=900, seed=0), grid_chart(model, y, GRID)
    assert posterior.method == "gibbs"
    assert len(posterior.trees) == 900
    agree(posterior, chart, 4.5)
    assert posterior.tree().spans[0] == (0, len(y))


def by_brute_force(model: rb.RBN, data: Any, count: int) -> tuple[float, float]:
    """log p(Y) and its error, from values of all spans drawn from one wide Gaussian, all structures summed: no stand-in."""
    landscape = Landscape(model, read_observations(model.parts, data))
    variables = model.parts.variables
    cells = {name: len(landscape.spans(name)) for name in landscape.continuous}
    pseudo = PseudoPrior(
        {name: np.zeros((n, width(variables[name]))) for name, n in cells.items()},
        {name: np.tile(1.6 * np.eye(width(variables[name])), (n, 1, 1)) for name, n in cells.items()},
    )
    jax, graph = jax_module(), landscape.graph
    totals = []
    with in_doubles():
        u = pseudo.draw(np.random.default_rng(0), count)
        given = in_arrays(model.parameters)
        run = jax.jit(jax.vmap(Tilted(landscape).weights, (0, None, None)))
        many = np.array(run(u, pseudo.arrays, given)) if cells else np.array(Tilted(landscape).weights({}, {}, given))[None]
    for weights in many:
        inside = np.empty(graph.place[-1])
        run_kernel(sum_structures, graph, weights, inside)
        states = int(graph.place[-1] - graph.place[-2])
        totals.append(logsumexp(weights[len(weights) - states :] + inside[graph.place[-2] :]))
    log = float(logsumexp(totals) - np.log(len(totals)))
    shares = np.exp(np.array(totals) - log)
    return log, float(shares.std() / np.sqrt(len(shares)))


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_models_of_all_shapes(shape: str) -> None:
    """Several variables, arities one to three, discrete and mixed ones, observations beside variables."""
    model = as_model(plain(shape, 5, rb.OnePlusPoisson(1.0)))
    data, _ = model.sample(seed=2, min_length=2, max_length=3)
    posterior = rb.sample_posterior(model, data, draws=2000, seed=0)
    log, error = by_brute_force(model, data, 12_000)
    assert error < 0.2
    assert abs(posterior.log_evidence - log) < 4.0 * np.hypot(error, posterior.log_evidence_error) + 1e-9
    tree = posterior.tree()
    assert tree.spans[0] == (0, len(data))
    assert all(node.label in model.parts.steps or node.rule == "observed" for node in tree)
    assert sum(one.probability for one in posterior.best(10**6)) == pytest.approx(1.0, abs=0.2)


def test_a_discrete_model_is_drawn_exactly() -> None:
    grammar = rb.PCFG.from_string(
        "S -> S S [0.3] | A [0.2] | 'a' [0.5]\nA -> S [0.3] | 'b' [0.7]", start="S"
    )  # A leads back to S
    words = ["a", "b", "a", "a"]
    posterior = rb.sample_posterior(grammar.to_general(), [float("ab".index(word)) for word in words], draws=4000, seed=0)
    exact = rb.sample_posterior(grammar, words, draws=10, seed=0)
    assert posterior.log_evidence == pytest.approx(exact.log_evidence, abs=1e-9)
    assert posterior.efficiency == pytest.approx(1.0)
    apart = np.abs(posterior.node_probability - exact.node_probability)
    assert (apart <= 4.5 * np.maximum(posterior.node_probability_error, 1e-3)).all()


def test_scores_are_those_of_the_chart_of_that_tree() -> None:
    model = model_of("counts", 2)
    y, _ = model.sample(seed=4, min_length=6, max_length=9)
    landscape = Landscape(model, read_observations(model.parts, y))
    surrogate = Workshop(landscape).surrogate(model.parameters)
    found = draw_weighted(surrogate, model.parameters, 5, 1)
    scores = log_joint(landscape, model.parameters, found.drawn, found.values)
    for t, tree in enumerate(found.trees):
        values = np.zeros((len(y) + 1, len(y) + 1, 2))
        nodes = found.values[found.drawn.first[t] : found.drawn.first[t + 1], 7]
        for node, value in zip(tree, nodes, strict=True):
            values[node.span] = value
        chart = rb.joint_inside(model, y, values, allowed=tree.span_mask())
        assert scores[t, 7] == pytest.approx(chart.log_joint, abs=1e-9)


@pytest.mark.parametrize("kind", ["rates", "shares"])
def test_values_that_are_not_any_numbers(kind: str) -> None:
    """Positive values and probabilities: in coordinates, and back."""
    model = model_of(kind, 1 if kind == "rates" else 3)
    y, _ = model.sample(seed=2, min_length=3, max_length=4)
    posterior = rb.sample_posterior(model, y, draws=1000, seed=0)
    log, error = by_brute_force(model, y, 60_000)
    assert abs(posterior.log_evidence - log) < 4.0 * np.hypot(error, posterior.log_evidence_error)
    mean = posterior.latent(0, len(y)).mean
    assert (mean > 0.0).all()
    assert kind == "rates" or mean.sum() == pytest.approx(1.0)


def test_seeds_lists_and_constraints() -> None:
    model = model_of("student")
    many = [model.sample(seed=s, min_length=4, max_length=8)[0] for s in range(3)]
    first, again = (rb.sample_posterior(model, many, draws=50, seed=7) for _ in range(2))
    assert [one.log_evidence for one in first] == [one.log_evidence for one in again]
    assert [one.length for one in first] == [len(one) for one in many]
    held = rb.sample_posterior(model, many[0], draws=50, seed=7, boundaries=[2])
    assert set(np.flatnonzero(held.node_probability.sum(axis=0))) <= {2, len(many[0])}


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda m, y: rb.sample_posterior(m, y, seed=0, components=2), "components"),
        (lambda m, y: rb.sample_posterior(model_of("counts"), y - 1.0, seed=0), "supports"),
        (lambda m, y: rb.sample_posterior(model_of("bits"), y + 2.0, seed=0), "supports"),
        (lambda m, y: rb.joint_inside(m, [y, y], np.zeros((5, 5, 1))), "one sequence"),
        (lambda m, y: rb.sample_posterior(m, [], seed=0), "empty"),
        (lambda m, y: rb.sample_posterior(m, y, seed=0, draws=20).latent(0, 1, "z"), "'z'"),
        (lambda m, y: rb.sample_posterior(m, y, seed=0, draws=20).state_probability(0, 4), "discrete"),
    ],
)
def test_errors_say_what_to_do(call: Any, match: str) -> None:
    with pytest.raises((rb.DataError, rb.ModelError, rb.LengthError), match=match):
        call(model_of("normal"), np.zeros((4, 1)))


def test_as_xarray() -> None:
    pytest.importorskip("xarray")
    model = model_of("student")
    y, _ = model.sample(seed=3, min_length=6, max_length=8)
    posterior = rb.sample_posterior(model, y, draws=2000, seed=0)
    found = posterior.to_xarray(least=0.2)
    assert found.exists.dims == ("chain", "draw", "span")
    root = f"0:{len(y)}"
    assert bool(found.exists.sel(span=root).all())
    for span in found.span.values:
        start, end = (int(one) for one in str(span).split(":"))
        shown = float(found.exists.sel(span=span).mean())
        assert shown == pytest.approx(posterior.node_probability[start, end], abs=0.06)
        mean = float(found.x.sel(span=span).mean())
        assert mean == pytest.approx(posterior.latent(start, end).mean[0], abs=0.15)


def test_steps_that_do_not_sum_to_one() -> None:
    import jax.numpy as jnp
    import numpyro.distributions as dist

    class Wrong(rb.RBN):
        value = rb.Real(1)

        def prior(self) -> Any:
            return dist.Normal(jnp.zeros(1), 1.0).to_event(1)

        def structure(self, x: Any) -> Any:
            return {"emit": 0.6, "split": 0.6}

        def split(self, x: Any) -> Any:
            return [dist.Normal(x, 1.0).to_event(1)] * 2

        def emit(self, x: Any) -> Any:
            return dist.Normal(x, 1.0).to_event(1)

    with pytest.raises(rb.DataError, match="sum to one"):
        rb.joint_inside(Wrong(), np.zeros((2, 1)), np.zeros((3, 3, 1)))
    with pytest.raises((rb.DataError, rb.ModelError)):
        rb.sample_posterior(Wrong(), np.zeros((2, 1)), seed=0)


@pytest.mark.parametrize(("unit", "offset"), [(1e-6, 0.0), (1e6, 0.0), (1.0, 1e6)])
def test_units_and_offsets_change_nothing(unit: float, offset: float) -> None:
    model = model_of("scaled")
    y, _ = model.sample(seed=1, min_length=12, max_length=16)
    plain = rb.sample_posterior(model, y, draws=200, seed=0)
    other = model.with_parameters({**model.parameters, "unit": unit, "offset": offset})
    moved = rb.sample_posterior(other, y * unit + offset, draws=200, seed=0)
    assert moved.log_evidence + len(y) * np.log(unit) == pytest.approx(plain.log_evidence, abs=1e-2)
    np.testing.assert_allclose(moved.node_probability, plain.node_probability, atol=0.02)


def test_decoded_trees_have_the_steps_that_draws_have() -> None:
    """Of steps with the same children, the more probable one: here, the one that is not named first."""
    gaussian = rb.GaussianRBN.create(
        2, prior_mean=[2.0, -2.0], left_std=0.2, right_std=0.2, noise_std=0.3, shifts={0: 0.2, 1: 0.8}
    )
    y, _ = gaussian.sample(seed=3, min_length=5, max_length=8)
    posterior = rb.sample_posterior(gaussian.to_general(), y, draws=300, seed=0)
    for node in posterior.tree():
        assert node.rule == max(posterior.rule_probability(*node.span).items(), key=lambda one: one[1])[0]
    assert any("shift 1" in node.rule for node in posterior.tree())

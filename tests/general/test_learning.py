"""Learning the parameters of general models."""

from typing import Any

import numpy as np
import pytest

import recbayes as rb
from recbayes.general.learn.exact import draw_around, evaluate_around
from recbayes.spans.constraints import FREE
from tests.general.models import model_of
from tests.general.random_general import as_model, plain


def slopes_by_differences(model: rb.RBN, data: Any) -> tuple[np.ndarray, np.ndarray]:
    """Of the evidence by the same draws: derivatives, and differences."""
    parameters = rb.Parameters(model)
    (sequence,) = model.family.read(model, data).sequences
    drawn = draw_around(model, sequence, FREE, 200, 1)
    vector, step = parameters.vector(), 1e-5
    differences = []
    for n in range(len(vector)):
        ends = [parameters.with_vector(vector + sign * step * np.eye(len(vector))[n]) for sign in (1.0, -1.0)]
        up, down = (evaluate_around(one, drawn).log_evidence for one in ends)
        differences.append((up - down) / (2.0 * step))
    return parameters.pull_back(model, evaluate_around(model, drawn).slopes), np.array(differences)


@pytest.mark.parametrize("kind", ["student", "ends"])
def test_slopes(kind: str) -> None:
    model = model_of(kind)
    y, _ = model.sample(seed=3, min_length=6, max_length=9)
    slopes, differences = slopes_by_differences(model, y)
    np.testing.assert_allclose(slopes, differences, atol=1e-5)


@pytest.mark.slow
def test_slopes_of_a_mixed_model() -> None:
    model = as_model(plain("mixed", 5, None))
    data, _ = model.sample(seed=2, min_length=3, max_length=4)
    slopes, differences = slopes_by_differences(model, data)
    np.testing.assert_allclose(slopes, differences, atol=1e-5)


def test_domains() -> None:
    import jax.numpy as jnp
    import numpyro.distributions as dist

    model = rb.RBN(
        variables={"k": rb.Discrete(2)},
        steps={"k": {"split": rb.Step(("k", "k"), lambda p, k: [dist.Categorical(p["next"][k])] * 2),
                     "emit": rb.Step(("y",), lambda p, k: dist.Normal(p["mean"][k], p["noise"]))}},
        structures={"k": lambda p, k: {"emit": 0.6}},
        root="k",
        prior=lambda p: dist.Categorical(jnp.array([0.5, 0.5])),
        parameters={"next": np.array([[0.8, 0.2], [0.3, 0.7]]), "mean": np.array([-1.0, 1.0]), "noise": 0.5, "count": 3},
        domains={"next": rb.Simplex(2), "noise": rb.Positive()},
    )  # fmt: skip
    parameters = rb.Parameters(model)
    assert {block.name: block.form for block in parameters.blocks} == {
        "next[0]": "probabilities",
        "next[1]": "probabilities",
        "noise": "positive",
        "mean": "numbers",
    }
    again = parameters.with_vector(parameters.vector())
    np.testing.assert_allclose(again.parameters["next"], model.parameters["next"], atol=1e-12)
    assert again.parameters["count"] == 3
    slopes, differences = slopes_by_differences(model, np.array([0.5, -1.2, 0.8]))
    np.testing.assert_allclose(slopes, differences, atol=1e-5)
    for wrong, match in (({"other": rb.Positive()}, "no parameter"), ({"mean": rb.Positive()}, "not in its domain")):
        with pytest.raises(rb.ModelError, match=match):
            rb.RBN(**{**parts_of(model), "domains": wrong})


def parts_of(model: rb.RBN) -> dict[str, Any]:
    parts = model.parts
    found = {name: getattr(parts, name) for name in ("variables", "steps", "structures", "root", "prior")}
    return {**found, "parameters": model.parameters}


@pytest.mark.slow
def test_a_fit_finds_what_series_were_sampled_with(tmp_path: Any) -> None:
    truth = model_of("student")
    series = [truth.sample(seed=seed, min_length=15, max_length=30)[0] for seed in range(8)]
    start = model_of("student", spread=1.5, noise=0.8)
    path = tmp_path / "fit"
    found = rb.fit(start, series, fixed=["ends", "mean"], checkpoint=path)
    for row in found.table:
        assert abs(row.estimate - truth.parameters[row.name]) < 3.5 * row.standard_error
    again = rb.fit(start, series, fixed=["ends", "mean"], checkpoint=path, resume=True)
    assert again.log_likelihood == pytest.approx(found.log_likelihood, abs=1e-9)


def test_there_are_no_charts_to_trust() -> None:
    with pytest.raises(rb.ModelError, match="charts"):
        rb.fit(model_of("student"), np.zeros((3, 1)), exact=None)

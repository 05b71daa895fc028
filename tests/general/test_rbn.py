"""General models as users write them: one line says what is wrong with one, and samples are distributed as theory says."""

import subprocess
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist
import pytest

import recbayes as rb
from recbayes.general.model.rbn import RBN


class Counts(rb.RBN):
    value = rb.Real(1)
    length = rb.OnePlusPoisson(3.0)
    spread: float = 0.3

    def prior(self) -> Any:
        return dist.Normal(0.0, 1.0).expand([1]).to_event(1)

    def structure(self, x: Any) -> Any:
        return {"emit": 0.6 + 0.3 * jax.nn.sigmoid(2.0 * x[0])}

    def split(self, x: Any) -> Any:
        return [dist.Normal(x, self.spread).to_event(1)] * 2

    def emit(self, x: Any) -> Any:
        return dist.Poisson(jnp.exp(x)).to_event(1)


def with_methods(**methods: Any) -> type[Counts]:
    return type("Changed", (Counts,), methods)


def chart_of(model: RBN, y: Any = (1.0, 0.0)) -> Any:
    count = len(y) + 1
    return rb.joint_inside(model, np.array(y), np.zeros((count, count, 1)))


def test_parameters_are_fields() -> None:
    assert Counts().parameters == {"spread": 0.3}
    wide = Counts(spread=2.0)
    assert wide.spread == wide.with_parameters({"spread": 2.0}).spread == 2.0
    assert chart_of(wide).log_joint < chart_of(Counts()).log_joint  # children equal their parents here
    with pytest.raises(rb.ModelError, match="no parameter 'sprd'; it has \\['spread'\\]"):
        Counts(sprd=1.0)
    with pytest.raises(rb.ModelError, match="names \\['spread'\\]"):
        Counts().with_parameters({"other": 1.0})


def test_samples() -> None:
    """Bounds on the length, a tree that covers it, the same by the same seed; and leaves of the right mean."""
    model = Counts()
    one, tree = model.sample(seed=3, min_length=5, max_length=30)
    again, _ = model.sample(seed=3, min_length=5, max_length=30)
    np.testing.assert_array_equal(one, again)
    assert 5 <= len(one) <= 30
    assert tree.nodes[0].span == (0, len(one))
    assert all(node.value is not None and node.value.shape == (1,) for node in tree)
    rng = np.random.default_rng(0)
    drawn = [model.sample(seed=rng, max_length=1000) for _ in range(400)]
    ends = [tree.arities[0] == 0 for _, tree in drawn]
    x = np.random.default_rng(1).normal(size=100_000)
    expected = float(np.mean(0.6 + 0.3 / (1.0 + np.exp(-2.0 * x))))  # that the root is a leaf
    assert np.mean(ends) == pytest.approx(expected, abs=4.0 * np.sqrt(0.25 / 400))
    leaves = [(y[node.start : node.end].mean(), np.exp(node.value[0])) for y, tree in drawn for node in tree.leaves]
    told, means = np.array(leaves).T
    assert np.mean(told - means) == pytest.approx(0.0, abs=4.0 * np.std(told - means) / np.sqrt(len(told)))
    with pytest.raises(rb.LengthError, match="no tree in 5 attempts"):
        model.sample(seed=0, min_length=500, max_length=600, attempts=5)


WRONG: dict[str, tuple[Any, str]] = {
    "no event": (lambda: with_methods(emit=lambda self, x: dist.Poisson(jnp.exp(x))), r"step 'emit' of 'x'.*to_event"),
    "wrong shape": (
        lambda: with_methods(split=lambda self, x: [dist.Normal(jnp.zeros(3), 1.0).to_event(1)] * 2),
        r"step 'split' of 'x': a value has the shape \(1,\).*event shape \(3,\)",
    ),
    "too few": (lambda: with_methods(split=lambda self, x: [dist.Normal(x, 1.0).to_event(1)]), "has 2 children, and its"),
    "no distribution": (lambda: with_methods(emit=lambda self, x: 1.0), "a distribution with log_prob is needed, got float"),
    "refused": (
        lambda: with_methods(emit=lambda self, x: dist.Normal(x, -1.0).to_event(1)),
        "step 'emit' of 'x': its density fails: Normal distribution got invalid scale",
    ),
    "not a number": (
        lambda: with_methods(emit=lambda self, x: dist.Normal(x, jnp.exp(x) - 2.0).to_event(1)),
        r"density of step 'emit' of 'x' is not a number at the node 0:1",
    ),
    "prior not a number": (
        lambda: with_methods(prior=lambda self: dist.Normal(jnp.zeros(1), self.spread - 2.0).to_event(1)),
        "density of the prior is not a number",
    ),
    "unknown step": (lambda: with_methods(structure=lambda self, x: {"stop": 0.5}), "must give probabilities of"),
    "structure of several": (
        lambda: with_methods(structure=lambda self, x: {"emit": x + 0.5 * jnp.ones(2)}),
        "one number for",
    ),
    "no probability": (lambda: with_methods(structure=lambda self, x: {"emit": 1.5}), "is not a number"),
}


@pytest.mark.parametrize(("make", "complaint"), WRONG.values(), ids=WRONG.keys())
def test_densities_that_do_not_fit(make: Any, complaint: str) -> None:
    with pytest.raises((rb.ModelError, rb.DataError), match=complaint) as caught:
        chart_of(make()())
    assert "\n" not in str(caught.value)


def test_parts_that_do_not_fit() -> None:
    def step(*children: str) -> rb.Step:
        return rb.Step(children, lambda p, x: None)

    def model(steps: Any, variables: Any = None, root: str = "x") -> RBN:
        variables = {"x": rb.Real(1)} if variables is None else variables
        return rb.RBN(variables, steps, {name: lambda p, x: {} for name in variables}, root, lambda p: None)

    with pytest.raises(rb.ModelError, match="no step leads to a terminal"):
        model({"x": {"split": step("x", "x")}})
    with pytest.raises(rb.ModelError, match="back to itself over one span"):
        model({"x": {"again": step("x"), "emit": step("y")}})
    with pytest.raises(rb.ModelError, match="root must be one of"):
        model({"x": {"emit": step("y")}}, root="z")
    with pytest.raises(rb.ModelError, match="a length is for steps to one terminal alone"):
        model({"x": {"emit": rb.Step(("y", "y"), lambda p, x: None, rb.OnePlusPoisson(1.0))}})
    with pytest.raises(rb.ModelError, match="such as Real"):
        model({"x": {"emit": step("y")}}, {"x": 3})
    with pytest.raises(rb.ModelError, match="Incomplete needs prior"):
        type("Incomplete", (rb.RBN,), {"value": rb.Real(1)})()


def test_supports() -> None:
    for support, good, bad in (
        (rb.Real(2), [1.0, -2.0], [np.inf, 0.0]),
        (rb.Positive(2), [1.0, 0.5], [1.0, 0.0]),
        (rb.Simplex(2), [0.3, 0.7], [0.3, 0.6]),
    ):
        assert support.holds(np.array([good, bad])).tolist() == [True, False]
    assert (rb.Discrete(3).size, rb.Discrete(3).states, rb.Real(3).size, rb.Real(3).states) == (0, 3, 3, 1)


def test_mappings_are_no_sequences() -> None:
    with pytest.raises(rb.DataError, match=r"\(terminal, value\)|observations"):
        rb.joint_inside(Counts(), {"a": 1}, np.zeros((2, 2, 1)))


def test_other_verbs_say_why_not() -> None:
    with pytest.raises(rb.ModelError, match="see joint_inside"):
        rb.inside(Counts(), np.ones(3))
    with pytest.raises(rb.ModelError, match="joint_inside is for an RBN, got a GaussianRBN; see to_general"):
        rb.joint_inside(rb.GaussianRBN.create(1), np.ones(3), np.zeros((4, 4, 1)))


def test_without_jax_one_line_says_what_to_do() -> None:
    code = (
        "import sys; sys.modules['jax'] = None; sys.modules['numpyro'] = None\n"
        "import numpy as np, recbayes as rb\n"
        "model = rb.GaussianRBN.create(1).to_general()\n"
        "try: rb.joint_inside(model, np.ones(2), np.zeros((3, 3, 1)))\n"
        "except rb.ModelError as problem: print(problem)\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.startswith("densities of your own need JAX and numpyro: pip install 'recbayes[jax]'")
    assert found.stdout.count("\n") == 1

"""Gaussian models rewritten with branches and unary detours: the normal form gives the evidence of the first model."""

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import recbayes as rb
from tests.fuzz.hostile import attempt, finite, seeds
from tests.fuzz.random_gaussian import hostile_series, random_model


def rewritten(rng: np.random.Generator, model: rb.GaussianRBN) -> rb.LinearGaussianRBN:
    """Splits as branches, single observations as observed children, links that lead through variables of their own."""
    dims = {variable.name: variable.dim for variable in model.variables}
    detours: list[rb.Variable] = []

    def child(name: str, link: rb.Link) -> tuple[str, rb.Link]:
        if rng.random() < 0.5:
            return name, link
        share = float(rng.choice([0.0, 0.3, 1.0]))
        through = f"detour {len(detours)}"
        onward = rb.Link((1 - share) * link.covariance)
        detours.append(rb.Variable(through, dims[name], (rb.Branch(1.0, ((name, onward),)),)))
        return through, rb.Link(share * link.covariance, link.map, link.offset)

    variables = []
    for variable in model.variables:
        rules: list[Any] = []
        for rule in variable.rules:
            if isinstance(rule, rb.Split) and dict(rule.shifts) == {(0, 0): 1.0}:
                children = child(rule.left, rule.left_link), child(rule.right, rule.right_link)
                rules.append(rb.Branch(rule.probability, children))
            elif isinstance(rule, rb.Emit) and rule.length == rb.ExactlyOne():
                rules.append(rb.Branch(rule.probability, (rb.Observe(rule.covariance, rule.map, rule.offset),)))
            else:
                rules.append(rule)
        variables.append(rb.Variable(variable.name, variable.dim, tuple(rules)))
    return rb.LinearGaussianRBN((*variables, *detours), model.prior)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(60))
def test_rewritten(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    model = random_model(rng, "tame", simple=bool(seed % 2))
    other = attempt(rewritten, rng, model)
    assert other, other.text
    y = rng.normal(size=(int(rng.integers(1, 5)), model.observed_dim))
    assert "to_cnf" in attempt(rb.inside, other, y).text
    normal = attempt(other.to_cnf)
    assert normal, normal.text
    first, second = attempt(rb.inside, model, y), attempt(rb.inside, normal.model, y)
    assert bool(first) == bool(second), (first, second)
    other.save(tmp_path / "model.json")
    copies = rb.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(other)), copy.deepcopy(other)
    if second:
        apart = 1e-6 if all(v.dim == model.observed_dim for v in model.variables) else 5.0  # flat ones: other references
        assert first.log_evidence == pytest.approx(second.log_evidence, abs=apart * (1 + abs(first.log_evidence)))
        for one in copies:
            assert rb.inside(one.to_cnf().model, y).log_evidence == second.log_evidence
        one, two = (attempt(rb.sample_posterior, m, y, draws=400, seed=0) for m in (model, normal.model))
        if not (one.complaint or two.complaint):
            room = 6 * (one.log_evidence_error + two.log_evidence_error) + 0.1
            assert abs(one.log_evidence - two.log_evidence) < room, (one, two)
        tree = attempt(normal.restore, two.best(1)[0].tree)
        assert tree, tree.text
        assert tree.length == len(y)
        assert {node.label for node in tree} <= {variable.name for variable in other.variables} | {""}
    sampled = attempt(other.sample, seed=seed, max_length=8, attempts=2000)
    if sampled:
        finite(sampled[0], "sampled series")
        assert sampled[1].length == len(sampled[0])


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(60))
def test_unary_cycles(seed: int) -> None:
    """x -> x with noise, n times with probability p^n: the evidence of one observation is a sum over n."""
    rng = np.random.default_rng(seed)
    p, q, factor = float(rng.uniform(0, 0.9)), float(10.0 ** rng.uniform(-2, 1)), float(rng.uniform(-1, 1))
    rules = (rb.Branch(p, (("x", rb.Link([[q]], [[factor]])),)), rb.Emit(1.0 - p, [[0.5]]))
    model = rb.LinearGaussianRBN([rb.Variable("x", 1, rules)], rb.Prior("x", (rb.Component([0.3], [[1.0]]),)))
    y = hostile_series(rng, rb.GaussianRBN.create(dim=1), 1, "tame")
    y = np.nan_to_num(y, nan=0.7)
    normal = attempt(model.to_cnf)
    assert normal, normal.text
    total, mean, variance, weight = 0.0, 0.3, 1.0, 1.0 - p
    for _ in range(400):
        total += weight * np.exp(-0.5 * (y[0, 0] - mean) ** 2 / (variance + 0.5)) / np.sqrt(2 * np.pi * (variance + 0.5))
        mean, variance, weight = factor * mean, factor**2 * variance + q, weight * p
    posterior = attempt(rb.sample_posterior, normal.model, y, draws=2000, seed=seed)
    assert posterior, posterior.text
    assert posterior.log_evidence == pytest.approx(np.log(total), abs=6 * posterior.log_evidence_error + 1e-6)

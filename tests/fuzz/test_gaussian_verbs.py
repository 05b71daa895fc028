"""All verbs on random Gaussian models and hostile series: finite answers that agree with each other, or one line."""

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import recbayes as rb
from tests.fuzz.hostile import attempt, finite, is_probability, seeds
from tests.fuzz.random_gaussian import LEVELS, disguised, hostile_series, random_model


def _model(seed: int) -> tuple[np.random.Generator, str, rb.GaussianRBN]:
    rng = np.random.default_rng(seed)
    level = str(rng.choice(list(LEVELS)))
    return rng, level, random_model(rng, level)


def _constraints(rng: np.random.Generator, length: int) -> dict[str, Any]:
    known: dict[str, Any] = {}
    if rng.random() < 0.3:
        known["boundaries"] = sorted(set(rng.integers(0, length + 1, size=3).tolist()))
    if rng.random() < 0.3:
        known["allowed"] = rng.random((length + 1, length + 1)) < 0.8
        known["allowed"][0, length] = True
    return known


def _look_at(posterior: Any, model: rb.GaussianRBN, y: Any, length: int) -> None:
    is_probability(posterior.node_probability, "node probability")
    finite(posterior.node_probability_error, "its error")
    is_probability(posterior.boundary_probability, "boundary probability")
    assert posterior.boundary_probability[[0, -1]] == pytest.approx([1.0, 1.0])
    assert posterior.node_probability[0, length] == pytest.approx(1.0)
    assert posterior.segment_count_probability.sum() == pytest.approx(1.0)
    assert posterior.weights.sum() == pytest.approx(1.0)
    assert 0.99 <= posterior.effective_sample_size <= len(posterior.trees) + 1e-6
    emitted = sum(n for (_, rule), n in posterior.expected_rules.items() if rule.startswith("emit"))
    counts = posterior.segment_count_probability @ np.arange(length + 1)
    assert emitted == pytest.approx(counts)
    for objective in ("f1", "map", rb.Threshold(0.3)):
        tree = attempt(posterior.tree, objective)
        assert tree, tree.text
        assert tree.spans[0] == (0, length)
        assert rb.Tree.from_json(tree.to_json()) == tree
        is_probability([node.probability for node in tree], "node probability in a tree")
        if not isinstance(objective, rb.Threshold):
            for node in tree:
                finite(node.value, "value")
                finite(node.covariance, "covariance")
                assert posterior.node_probability[node.span] == pytest.approx(node.probability)
    is_probability(posterior.expected_f1, "expected F1")
    drawn = posterior.trees[int(posterior.weights.argmax())]
    for node in drawn:
        latent = posterior.latent(*node.span, node.label)
        finite(latent.mean, "latent mean")
        finite(latent.covariance, "latent covariance")
        is_probability(list(posterior.rule_probability(*node.span, node.label).values()), "rule probability")
    best = posterior.best(3)
    scores = [one.log_joint for one in best]
    assert scores == sorted(scores, reverse=True)
    for one in best:
        value = attempt(rb.log_joint, model, y, one.tree)
        if not isinstance(value, float):
            continue
        assert one.log_joint == pytest.approx(value, rel=1e-6, abs=1e-4)
    assert repr(posterior)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(60))
def test_every_verb(seed: int) -> None:
    rng, level, model = _model(seed)
    length = int(rng.integers(1, 9))
    y = hostile_series(rng, model, length, level)
    before = y.copy()
    given: Any = disguised(rng, y)
    if rng.random() < 0.2:
        scale = np.nanmax(np.abs(y), initial=1e-10)
        given = rb.Series(y, np.full(y.shape, scale**2))
    clock = np.random.default_rng([seed, 1])
    if clock.random() < 0.4:
        steps = clock.choice([0.0, 1.0, 1.0, 1.0, 2.5, 3.0, 1e3], size=length)
        given = rb.Series(y, getattr(given, "noise_covariance", None), 10.0 ** clock.uniform(-9, 9) * np.cumsum(steps))
    known = _constraints(rng, length)
    components = int(rng.choice([1, 1, 1, 2, 3]))
    chart = attempt(rb.inside, model, given, components=components, **known)
    if chart:
        finite(chart.log_evidence, "evidence")
        tree = attempt(rb.best_tree, chart)
        assert not tree or tree.spans[0] == (0, length)
        for verb in (rb.outside, rb.quick_node_probability):
            found = attempt(verb, chart)
            if found:
                assert not np.isnan(found.node_probability).any()
        message = attempt(chart.message, 0, length)
        if message:
            finite(message.log_height if hasattr(message, "log_height") else message[0], "message")
        posterior = attempt(rb.sample_posterior, model, given, draws=20, seed=seed, components=components, **known)
        if posterior and abs(posterior.log_evidence) < 1e6:  # weights are differences of logarithms
            _look_at(posterior, model, given, length)
    elif level == "tame" and not known:
        assert "cannot generate" in chart.text or "ill-conditioned" in chart.text, chart.text
    slopes = attempt(rb.log_evidence_and_gradient, model, given, **known)
    if slopes:
        finite(slopes.log_evidence, "evidence")
        finite(slopes.gradient, "gradient")
        if chart and components == 1:
            assert slopes.log_evidence == pytest.approx(chart.log_evidence, rel=1e-9, abs=1e-9)
    assert np.array_equal(y, before, equal_nan=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(40))
def test_gradient_by_differences(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = random_model(rng, "tame")
    y = hostile_series(rng, model, int(rng.integers(1, 6)), "tame")
    structure = str(rng.choice(["keep", "full", "diagonal", "scalar"]))
    parameters = attempt(rb.Parameters, model, covariance=structure, tied=bool(rng.random() < 0.3))
    if not parameters:
        assert "different dimensions" in parameters.text
        return
    first = attempt(parameters.with_vector, parameters.vector())
    found = attempt(rb.log_evidence_and_gradient, first, y, parameters=parameters)
    if not found:
        assert "cannot generate" in found.text or "ill-conditioned" in found.text, found.text
        return
    vector = parameters.vector()
    step = 1e-5
    for n in rng.permutation(len(vector))[:6]:
        ends = []
        for sign in (-1, 1):
            moved = vector.copy()
            moved[n] += sign * step
            ends.append(rb.inside(parameters.with_vector(moved), y).log_evidence)
        slope = (ends[1] - ends[0]) / (2 * step)
        room = 1e-4 * (1 + abs(slope)) + 1e-9 * abs(found.log_evidence) / step
        assert abs(slope - found.gradient[n]) < room, (parameters.names[n], slope, found.gradient[n])


def _mirrored(model: rb.GaussianRBN, factor: float = 1.0) -> rb.GaussianRBN:
    """The model of the reversed series, times a factor."""

    def offset(one: Any) -> Any:
        return None if one.offset is None else one.offset * factor

    def link(one: rb.Link) -> rb.Link:
        return rb.Link(one.covariance * factor**2, one.map, offset(one))

    variables = []
    for variable in model.variables:
        rules: list = []
        for rule in variable.rules:
            if isinstance(rule, rb.Split):
                shifts = {(b, a): p for (a, b), p in rule.shifts.items()}
                links = link(rule.right_link), link(rule.left_link)
                rules.append(rb.Split(rule.probability, rule.right, rule.left, *links, shifts))
            else:
                noise = rule.covariance * factor**2
                rules.append(rb.Emit(rule.probability, noise, rule.length, rule.map, offset(rule)))
        variables.append(rb.Variable(variable.name, variable.dim, tuple(rules)))
    components = [
        rb.Component(one.mean * factor, one.covariance * factor**2, one.weight, one.shifts) for one in model.prior.components
    ]
    return rb.GaussianRBN(variables, rb.Prior(model.prior.variable, tuple(components)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(60))
def test_reversed_and_rescaled(seed: int) -> None:
    """Another unit, and time reversal: the evidence differs by the units alone, in every approximation.

    (References are those of variables where they are first met, so of several variables reversal may change them.)
    """
    rng = np.random.default_rng(seed)
    model = random_model(rng, "tame")
    y = hostile_series(rng, model, int(rng.integers(1, 12)), "tame")
    factor = 2.0 ** int(rng.integers(-20, 20))
    one = attempt(rb.inside, model, y)
    twice = len(model.variables) > 1
    other = _mirrored(_mirrored(model), factor) if twice else _mirrored(model, factor)
    two = attempt(rb.inside, other, (y if twice else y[::-1]) * factor)
    assert bool(one) == bool(two), (one, two)
    if one:
        units = np.log(factor) * (~np.isnan(y)).sum()
        assert one.log_evidence == pytest.approx(two.log_evidence + units, rel=1e-8, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(40))
def test_round_trips(seed: int, tmp_path: Path) -> None:
    """Saved, pickled and copied models are the same model to the last bit."""
    rng, level, model = _model(seed)
    y = hostile_series(rng, model, 4, level)
    model.save(tmp_path / "model.json")
    first = attempt(rb.inside, model, y)
    for other in (rb.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        again = attempt(rb.inside, other, y)
        assert bool(first) == bool(again)
        if first:
            assert again.log_evidence == first.log_evidence
        assert repr(other) == repr(model)
    sampled = attempt(model.sample, seed=seed, max_length=12, attempts=2000)
    if sampled:
        series, tree = sampled
        finite(series, "sampled series")
        assert len(series) == tree.length
        value = attempt(rb.log_joint, model, series, tree)
        if isinstance(value, float):
            finite(value, "log joint of a sampled tree")

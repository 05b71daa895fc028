"""Gaussian RBNs: what a valid model looks like, and an error that names the field for every kind of invalid one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import recbayes as rb
from recbayes.errors import ModelError


def model(
    *,
    variable: dict | None = None,
    split: dict | None = None,
    emit: dict | None = None,
    prior: dict | None = None,
    **rest: Any,
) -> rb.GaussianRBN:
    """A small valid model of dimension 2, with the given fields changed."""
    split_fields = {
        "probability": 0.4,
        "left": "x",
        "right": "x",
        "left_link": rb.Link(0.1),  # type: ignore[arg-type]
        "right_link": rb.Link([0.1, 0.2]),  # type: ignore[arg-type]
        **(split or {}),
    }
    emit_fields = {"probability": 0.6, "covariance": np.eye(2), **(emit or {})}
    fields = {"name": "x", "dim": 2, "rules": (rb.Split(**split_fields), rb.Emit(**emit_fields)), **(variable or {})}
    component = rb.Component(**{"mean": [0.0, 1.0], "covariance": 1.0, **(prior or {})})
    return rb.GaussianRBN(**{"variables": [rb.Variable(**fields)], "prior": rb.Prior("x", (component,)), **rest})


def link(**fields: Any) -> rb.Link:
    return rb.Link(**{"covariance": 0.1, **fields})


def test_valid_model_is_normalised() -> None:
    one = model()
    split, emit = one.variables[0].rules
    assert isinstance(split, rb.Split)
    assert isinstance(emit, rb.Emit)
    np.testing.assert_array_equal(split.left_link.covariance, 0.1 * np.eye(2))
    np.testing.assert_array_equal(split.right_link.covariance, np.diag([0.1, 0.2]))
    np.testing.assert_array_equal(one.prior.components[0].covariance, np.eye(2))
    assert split.shifts == {(0, 0): 1.0}
    assert one.observed_dim == 2
    assert one == model()
    assert hash(one) == hash(model())
    assert one != model(prior={"mean": [0.0, 2.0]})
    assert "x x" in repr(one)


def test_models_keep_their_own_read_only_numbers() -> None:
    mean = np.zeros(2)
    one = model(prior={"mean": mean})
    mean[0] = 5.0
    assert one.prior.components[0].mean[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        one.prior.components[0].mean[0] = 5.0


INVALID: dict[str, tuple[Callable[[], object], str]] = {
    # the variables
    "no variables": (lambda: model(variables=[]), "variables"),
    "empty name": (lambda: model(variable={"name": ""}), "name"),
    "name no string": (lambda: model(variable={"name": 3}), "name"),
    "a name twice": (lambda: model(variables=model().variables * 2), "'x' is defined twice"),
    "dim zero": (lambda: model(variable={"dim": 0}), r"x\.dim"),
    "dim half": (lambda: model(variable={"dim": 2.5}), r"x\.dim"),
    "dim none": (lambda: model(variable={"dim": None}), r"x\.dim"),
    "dim NaN": (lambda: model(variable={"dim": np.nan}), r"x\.dim"),
    "dim text": (lambda: model(variable={"dim": "2"}), r"x\.dim"),
    "dim true": (lambda: model(variable={"dim": True}), r"x\.dim"),
    "no rules": (lambda: model(variable={"rules": ()}), r"x\.rules"),
    "rule no rule": (lambda: model(variable={"rules": ("x -> x x",)}), r"x\.rules\[0\].*str"),
    "no emit rule": (
        lambda: model(variable={"rules": (rb.Split(1.0, "x", "x", link(), link()),)}),
        "Emit",
    ),
    # probabilities
    "rules sum to less": (lambda: model(split={"probability": 0.3}), "x: probabilities of the rules.*0.9"),
    "negative rule": (lambda: model(split={"probability": -0.4}, emit={"probability": 1.4}), "x: prob.*negative"),
    "probability NaN": (lambda: model(split={"probability": np.nan}), r"x\.rules\[0\]\.probability"),
    "probability text": (lambda: model(split={"probability": "0.4"}), r"x\.rules\[0\]\.probability.*'0.4'"),
    "probability vector": (lambda: model(emit={"probability": [0.6]}), r"x\.rules\[1\]\.probability.*\(1,\)"),
    # children and their links
    "unknown left": (lambda: model(split={"left": "z"}), r"x\.rules\[0\]\.left is 'z'.*\['x'\]"),
    "unknown right": (lambda: model(split={"right": "z"}), r"x\.rules\[0\]\.right is 'z'"),
    "link no Link": (lambda: model(split={"left_link": np.eye(2)}), r"left_link must be a Link, got ndarray"),
    "link shape": (lambda: model(split={"left_link": link(covariance=np.eye(3))}), r"left_link\.covariance.*\(3, 3\)"),
    "link variances": (lambda: model(split={"right_link": link(covariance=[1, 1, 1])}), r"right_link\.covariance.*\(3,\)"),
    "link negative": (lambda: model(split={"left_link": link(covariance=-1.0)}), r"left_link\.covariance.*-1"),
    "link indefinite": (
        lambda: model(split={"left_link": link(covariance=[[1, 2], [2, 1]])}),
        r"left_link\.covariance.*eigenvalue is -1",
    ),
    "link asymmetric": (lambda: model(split={"left_link": link(covariance=[[1, 0.5], [0, 1]])}), "symmetric.*0.5"),
    "link infinite": (lambda: model(split={"left_link": link(covariance=np.inf)}), r"left_link\.covariance.*finite"),
    "link map shape": (lambda: model(split={"left_link": link(map=np.ones((2, 3)))}), r"left_link\.map.*\(2, 2\).*\(2, 3\)"),
    "link map text": (lambda: model(split={"left_link": link(map="identity")}), r"left_link\.map.*'identity'"),
    "link offset shape": (lambda: model(split={"left_link": link(offset=[1, 2, 3])}), r"left_link\.offset.*\(3,\)"),
    "link offset ragged": (lambda: model(split={"left_link": link(offset=[[1], [2, 3]])}), r"left_link\.offset.*numbers"),
    "link offset complex": (lambda: model(split={"left_link": link(offset=np.array([1j, 0]))}), r"left_link\.offset"),
    "link offset huge": (lambda: model(split={"left_link": link(offset=10**400)}), r"left_link\.offset"),
    # shifts
    "shifts sum": (lambda: model(split={"shifts": {0: 0.5, 1: 0.4}}), r"x\.rules\[0\]\.shifts.*sum to one"),
    "shifts empty": (lambda: model(split={"shifts": {}}), r"x\.rules\[0\]\.shifts.*sum to one"),
    "shift twice": (lambda: model(split={"shifts": {0: 0.5, 2: 0.5}}), r"x\.rules\[0\]\.shifts: 2 is given twice"),
    "shift twice as pair": (lambda: model(split={"shifts": {1: 0.5, (1, 0): 0.5}}), r"\(1, 0\) is given twice"),
    "shift of three": (lambda: model(split={"shifts": {(1, 0, 1): 1.0}}), r"shifts.*\(1, 0, 1\)"),
    "shift of text": (lambda: model(split={"shifts": {"up": 1.0}}), r"shifts.*'up'"),
    "shift of a half": (lambda: model(split={"shifts": {0.5: 1.0}}), r"shifts.*0\.5"),
    "shift of nothing": (lambda: model(split={"shifts": {None: 1.0}}), r"shifts.*None"),
    "shifts as a list": (lambda: model(split={"shifts": [0.5, 0.5]}), r"shifts must map.*\[0\.5, 0\.5\]"),
    "shift weight text": (lambda: model(split={"shifts": {0: "all"}}), r"shifts.*'all'"),
    "shift with left map": (
        lambda: model(split={"shifts": {1: 1.0}, "left_link": link(map=np.eye(2))}),
        "left link has a map",
    ),
    "shift with right map": (
        lambda: model(split={"shifts": {(0, 1): 1.0}, "right_link": link(map=np.eye(2))}),
        "right link has a map",
    ),
    # emissions
    "noise zero": (lambda: model(emit={"covariance": 0.0}), r"x\.rules\[1\]\.covariance.*positive definite"),
    "noise singular": (lambda: model(emit={"covariance": np.ones((2, 2))}), r"x\.rules\[1\]\.covariance.*definite"),
    "noise NaN": (lambda: model(emit={"covariance": np.nan}), r"x\.rules\[1\]\.covariance.*finite"),
    "emit map columns": (lambda: model(emit={"map": np.ones((2, 3))}), r"x\.rules\[1\]\.map.*\(2, 3\)"),
    "emit map vector": (lambda: model(emit={"map": [1, 0], "covariance": 1.0}), r"x\.rules\[1\]\.map.*\(2,\)"),
    "emit map ragged": (lambda: model(emit={"map": [[1, 2], [3]]}), r"x\.rules\[1\]\.map"),
    "emit map of nothing": (lambda: model(emit={"map": np.ones((0, 2)), "covariance": 1.0}), r"x\.rules\[1\]\.map"),
    "emit offset": (lambda: model(emit={"offset": [1.0]}), r"x\.rules\[1\]\.offset.*\(1,\)"),
    "emit length": (lambda: model(emit={"length": 5}), r"x\.rules\[1\]\.length.*5"),
    # the prior
    "prior variable": (
        lambda: rb.GaussianRBN(model().variables, rb.Prior("z", model().prior.components)),
        r"prior\.variable is 'z'",
    ),
    "prior component variable": (lambda: model(prior={"variable": "z"}), r"prior\.components\[0\]\.variable is 'z'"),
    "prior empty": (lambda: rb.GaussianRBN(model().variables, rb.Prior("x", ())), r"prior\.components"),
    "prior mean": (lambda: model(prior={"mean": [1, 2, 3]}), r"prior\.components\[0\]\.mean.*\(3,\)"),
    "prior mean NaN": (lambda: model(prior={"mean": np.nan}), r"prior\.components\[0\]\.mean.*finite"),
    "prior flat": (lambda: model(prior={"covariance": 0.0}), r"prior\.components\[0\]\.covariance.*definite"),
    "prior weight": (lambda: model(prior={"weight": 0.5}), r"prior\.components: weights.*0\.5"),
    "prior weight text": (lambda: model(prior={"weight": "1"}), r"prior\.components\[0\]\.weight"),
    "prior shifts": (lambda: model(prior={"shifts": {0: 0.7}}), r"prior\.components\[0\]\.shifts.*0\.7"),
    "prior shift twice": (lambda: model(prior={"shifts": {0: 0.5, 2: 0.5}}), r"prior\.components\[0\]\.shifts.*twice"),
    "prior shift pair": (lambda: model(prior={"shifts": {(0, 1): 1.0}}), r"prior\.components\[0\]\.shifts"),
    "prior shift list": (lambda: model(prior={"shifts": [1.0]}), r"prior\.components\[0\]\.shifts must map"),
    # references
    "references count": (lambda: model(references=()), "references must be one per variable"),
}


@pytest.mark.parametrize(("make", "complaint"), INVALID.values(), ids=INVALID.keys())
def test_invalid_models(make: Callable[[], object], complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        make()


def test_children_of_another_dimension_need_a_map() -> None:
    small = rb.Variable("small", 1, (rb.Emit(1.0, np.eye(2), map=np.ones((2, 1))),))
    prior = rb.Prior("x", (rb.Component(np.zeros(2), np.eye(2)),))

    def split(left: rb.Link) -> rb.GaussianRBN:
        rule = rb.Split(1.0, "small", "small", left, link(map=[[0.0, 1.0]]))
        return rb.GaussianRBN([rb.Variable("x", 2, (rule,)), small], prior)

    with pytest.raises(ModelError, match=r"left_link\.map is needed: the parent has dimension 2, the child 1"):
        split(link())
    assert split(link(map=[[1.0, 0.0]])).observed_dim == 2


def test_emissions_of_two_dimensions() -> None:
    rules = (rb.Emit(0.5, np.eye(2)), rb.Emit(0.5, np.eye(1), map=np.ones((1, 2))))
    with pytest.raises(ModelError, match=r"one dimension.*rules\[0\]': 2.*rules\[1\]': 1"):
        model(variable={"rules": rules})


def test_steps_count_modulo_the_dimension_and_take_any_whole_number() -> None:
    shifts = {np.int64(3): 0.25, (-1, -2): 0.25, (0, np.int32(1)): 0.5}
    rule = rb.GaussianRBN.create(dim=3, shifts=shifts).variables[0].rules[0]
    assert isinstance(rule, rb.Split)
    assert rule.shifts == {(0, 0): 0.25, (2, 1): 0.25, (0, 1): 0.5}
    assert all(type(steps) is int for shift in rule.shifts for steps in shift)
    prior = rb.GaussianRBN.create(dim=3, prior_shifts={step: 1 / 3 for step in np.arange(3)}).prior
    assert list(prior.components[0].shifts) == [0, 1, 2]


@pytest.mark.parametrize(
    ("std", "covariance"),
    [
        (0.5, 0.25 * np.eye(2)),
        ([0.5, 2.0], np.diag([0.25, 4.0])),
        ([[1.0, 0.0], [2.0, 3.0]], np.array([[1.0, 2.0], [2.0, 13.0]])),
    ],
    ids=["scalar", "vector", "matrix"],
)
def test_create_takes_deviations_in_three_forms(std: object, covariance: np.ndarray) -> None:
    one = rb.GaussianRBN.create(dim=2, prior_std=std, left_std=std, right_std=std, noise_std=std)
    split, emit = one.variables[0].rules
    assert isinstance(split, rb.Split)
    for found in (
        split.left_link.covariance,
        split.right_link.covariance,
        emit.covariance,  # type: ignore[union-attr]
        one.prior.components[0].covariance,
    ):
        np.testing.assert_allclose(found, covariance, rtol=1e-15)


def test_create_fills_in_the_rest() -> None:
    one = rb.GaussianRBN.create(dim=2.0, prior_mean=3.0, termination=0.7, shifts={0: 0.5, 1: 0.5}, extra_observations=2)  # type: ignore[arg-type]
    split, emit = one.variables[0].rules
    assert isinstance(split, rb.Split)
    assert isinstance(emit, rb.Emit)
    assert (emit.probability, split.probability) == (0.7, 1.0 - 0.7)
    assert split.shifts == {(0, 0): 0.5, (1, 0): 0.5}
    assert emit.length == rb.OnePlusPoisson(2.0)
    np.testing.assert_array_equal(one.prior.components[0].mean, [3.0, 3.0])
    assert rb.GaussianRBN.create(dim=1).variables[0].rules[1].length == rb.ExactlyOne()  # type: ignore[union-attr]


def test_links_may_be_deterministic_or_singular() -> None:
    rb.GaussianRBN.create(dim=2, left_std=0.0, right_std=[[1.0, 0.0], [1.0, 0.0]])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("dim", 0),
        ("dim", 1.5),
        ("dim", "3"),
        ("termination", 1.1),
        ("termination", -0.1),
        ("termination", "0.5"),
        ("termination", [0.5]),
        ("termination", None),
        ("prior_mean", [1.0, 2.0, 3.0]),
        ("prior_std", 0.0),
        ("prior_std", 1e200),
        ("left_std", -0.1),
        ("left_std", [0.1, 0.1, 0.1]),
        ("right_std", np.ones((3, 2))),
        ("right_std", np.inf),
        ("noise_std", 0.0),
        ("noise_std", [0.1, 0.0]),
        ("noise_std", [[1.0, 0.0], [1.0, 0.0]]),
        ("noise_std", "small"),
        ("shifts", {0: 0.9}),
        ("shifts", [0]),
    ],
)
def test_create_names_the_wrong_argument(field: str, value: object) -> None:
    with pytest.raises(ModelError, match=field):
        rb.GaussianRBN.create(**{"dim": 2, field: value})  # type: ignore[arg-type]


def test_extra_observations_must_be_positive() -> None:
    with pytest.raises(ModelError, match="rate must be positive"):
        rb.GaussianRBN.create(dim=1, extra_observations=0.0)

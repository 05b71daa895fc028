"""Expansion of grammars: the skeleton is the grammar's, the values are Gaussian."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import recbayes as rb
from recbayes.convert.expansion import expand, expand_linear
from recbayes.reference.enumeration import exact_log_evidence
from tests.gaussian.model import linear_models

GRAMMAR = rb.PCFG.from_string("S -> A B [3] | 'c' [1]   \n A -> A A [1] | 'a' [1]   \n B -> 'b' [2]", weights="keep")
EMISSIONS: dict[str, Any] = {"a": (0.0, 0.1), "b": (5.0, 0.2), "c": (-5.0, 0.3)}


def test_binary_grammars_keep_variables_and_rules() -> None:
    model = expand(GRAMMAR, dim=2, emissions=EMISSIONS, std=0.5, prior_mean=[1.0, 2.0], prior_std=3.0)
    assert [variable.name for variable in model.variables] == ["S", "A", "B"]
    assert [[rule.probability for rule in variable.rules] for variable in model.variables] == [
        [0.75, 0.25],
        [0.5, 0.5],
        [1.0],
    ]
    split, emit = model.variables[0].rules
    assert isinstance(split, rb.Split)
    assert isinstance(emit, rb.Emit)
    assert (split.left, split.right) == ("A", "B")
    assert split.left_link.map is None
    np.testing.assert_allclose(split.left_link.covariance, 0.25 * np.eye(2))
    np.testing.assert_allclose(emit.covariance, 0.09 * np.eye(2))
    np.testing.assert_allclose(emit.offset, [-5.0, -5.0])
    np.testing.assert_allclose(model.prior.components[0].mean, [1.0, 2.0])
    np.testing.assert_allclose(model.prior.components[0].covariance, 9.0 * np.eye(2))


def test_evidence_of_two_observations() -> None:
    """S -> A B -> a b: y_0 = x + e, y_1 = x + 5 + e'."""
    model = expand(GRAMMAR, dim=1, emissions=EMISSIONS, std={"A": 0.5, "B": 0.7}, prior_mean=0.3, prior_std=2.0)
    y = np.array([1.0, 4.0])
    first = norm(0.3, np.sqrt(4 + 0.25 + 0.01)).logpdf(y[0])
    gain = 4 / (4 + 0.25 + 0.01)
    second = norm(0.3 + 5 + gain * (y[0] - 0.3), np.sqrt(4 * (1 - gain) + 0.49 + 0.04)).logpdf(y[1])
    assert exact_log_evidence(model, y) == pytest.approx(np.log(0.75 * 0.5) + first + second, abs=1e-12)


def test_any_grammar() -> None:
    """Unary rules, terminals among non-terminals, and long rules; a terminal alone may be several observations."""
    text = "S -> A 'b' S 'b' [1] | A [1] | 'long' [2] \n A -> 'a' [1]"
    emissions = {
        "a": (0.0, 0.1),
        "b": rb.Observe(0.2, np.array([[2.0]]), 1.0),  # type: ignore[arg-type]
        "long": rb.Emit(0.5, 0.3, rb.LengthTable((0.5, 0.25, 0.25))),  # type: ignore[arg-type]
    }
    rbn = expand_linear(rb.PCFG.from_string(text), dim=1, emissions=emissions, std=0.4)
    assert isinstance(rbn, rb.LinearGaussianRBN)
    y = np.random.default_rng(0).normal(size=(4, 1))
    expected = linear_models.exact_log_evidence(rbn, y, 3)
    model = expand(rb.PCFG.from_string(text), dim=1, emissions=emissions, std=0.4)
    assert exact_log_evidence(model, y) == pytest.approx(expected, abs=1e-9)


def test_own_dimensions_and_links() -> None:
    """Each symbol its dimension, so links and emissions need maps; the entry of a rule comes before that of a symbol."""
    narrow = rb.Link(0.1, np.array([[1.0, 0.0]]))  # type: ignore[arg-type]
    wide = rb.Emit(1.0, 0.1, map=np.array([[1.0, 1.0]]))  # type: ignore[arg-type]
    (rule,) = (rule for rule in GRAMMAR.rules if rule.right == ("A", "A"))
    model = expand(
        GRAMMAR,
        dim={"S": 2, "A": 1, "B": 1},
        emissions={**EMISSIONS, "c": wide},
        std={"A": narrow, "B": narrow, (rule.left, rule.right): 0.2},
    )
    assert [variable.dim for variable in model.variables] == [2, 1, 1]
    split = model.variables[1].rules[0]
    assert isinstance(split, rb.Split)
    np.testing.assert_allclose(split.right_link.covariance, [[0.04]])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"emissions": {"a": (0, 1), "b": (0, 1)}}, "every terminal looks like; 'c' is missing"),
        ({"emissions": {**EMISSIONS, "a": 3.0}}, r"emissions\['a'\] must be an \(offset, standard deviation\) pair"),
        ({"std": {"A": 0.1}}, "no entry for the child 'B' of S -> A B"),
        ({"dim": {"S": 1, "A": 1}}, r"none for \['B'\]"),
        ({"dim": 0}, "dim must be a whole number of at least 1"),
        ({"dim": {"S": 2, "A": 1, "B": 1}}, "map is needed"),
        ({"std": -1.0}, "std of 'A' must not be negative"),
    ],
)
def test_errors(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(rb.ModelError, match=message):
        expand(GRAMMAR, **{"dim": 1, "emissions": EMISSIONS, **changes})


def test_cycles_that_are_hardly_left_need_a_tolerance() -> None:
    grammar = rb.PCFG.from_string("S -> S [0.999] | 'a' [0.001]")
    with pytest.raises(rb.ModelError, match="Raise cycle_tolerance"):
        grammar.expand(dim=1, emissions=EMISSIONS)
    model = grammar.expand(dim=1, emissions=EMISSIONS, cycle_tolerance=0.5)
    # The chains left are those of up to 692 turns, where less than half of the probability is still inside.
    turns = np.arange(693)
    chances = 0.999**turns / (0.999**turns).sum()
    likelihoods = norm(0.0, np.sqrt(1.0 + 0.01 * turns + 0.01)).pdf(0.7)
    assert exact_log_evidence(model, [0.7]) == pytest.approx(np.log(chances @ likelihoods), abs=1e-9)


def test_a_terminal_beside_others_is_one_observation() -> None:
    grammar = rb.PCFG.from_string("S -> 'a' S [1] | 'b' [1]")
    emissions = {"a": rb.Emit(1.0, 1.0, rb.OnePlusPoisson(1.0)), "b": (0, 1)}  # type: ignore[arg-type]
    with pytest.raises(rb.ModelError, match="S -> 'a' S: a terminal beside other symbols is one observation"):
        expand(grammar, dim=1, emissions=emissions)
